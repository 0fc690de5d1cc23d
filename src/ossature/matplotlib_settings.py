"""Settings of matplotlib for plots of untrusted names.

Matplotlib reads a file ``matplotlibrc`` of the working folder, which often contains the files of others, before that of the
user.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import chdir, contextmanager
from importlib.util import find_spec
from pathlib import Path


@contextmanager
def matplotlib_settings() -> Iterator[None]:
    """Let matplotlib draw texts as they are in a ``with`` block, not as TeX or formulas; it is imported there first.

    If it is not loaded yet and the working folder contains a ``matplotlibrc``, it is imported from another folder, so that this
    file is not read.

    Raises:
        ImportError: Matplotlib is not installed.
    """
    spec = None if "matplotlib" in sys.modules else find_spec("matplotlib")
    if spec is not None and spec.origin is not None and Path("matplotlibrc").exists():
        with chdir(Path(spec.origin).parent):
            import matplotlib
    import matplotlib

    with matplotlib.rc_context({"text.usetex": False, "text.parse_math": False}):
        yield
