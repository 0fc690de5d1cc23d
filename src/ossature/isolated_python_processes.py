"""Python processes that import no module of the working folder.

The working folder often contains the files of others. Python searches it first in ``python -c`` and ``python -m``, and so in
the processes of ``multiprocessing``: a file ``pickle.py`` beside a model would be executed.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

_SAFE_PATH = "PYTHONSAFEPATH"


def child_environment() -> dict[str, str]:
    """Return the environment of a Python process that imports the same modules as this one, and none of the working folder."""
    return {**os.environ, _SAFE_PATH: "1", "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}


@contextmanager
def safe_module_path() -> Iterator[None]:
    """Let Python processes that ``multiprocessing`` starts in a ``with`` block import no module of the working folder."""
    before = os.environ.get(_SAFE_PATH)
    os.environ[_SAFE_PATH] = "1"
    try:
        yield
    finally:
        if before is None:
            os.environ.pop(_SAFE_PATH, None)
        else:
            os.environ[_SAFE_PATH] = before
