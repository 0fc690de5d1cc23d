"""What the process does that writes a layer in the binary form: the library for OpenUSD runs in a process of its own.

It gets the text of a layer, and sends the layer as a binary one.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path


def run() -> None:
    """Read the text of a layer from the input, and write the binary layer to the output."""
    os.environ["PXR_WORK_THREAD_LIMIT"] = "1"
    for variable in ("PXR_AR_DEFAULT_SEARCH_PATH", "PXR_PLUGINPATH_NAME"):
        os.environ.pop(variable, None)
    output = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what the library prints is no layer
    from pxr import Sdf

    layer = Sdf.Layer.CreateAnonymous(".usda")
    if not layer.ImportFromString(sys.stdin.buffer.read().decode()):
        raise ValueError("the library for OpenUSD cannot parse the text")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "layer.usdc"
        if not layer.Export(str(path)):
            raise OSError("the library for OpenUSD cannot write the layer")
        output.write(path.read_bytes())
    output.flush()
    os._exit(0)  # without the destructors of the library, which take time and may fail
