"""Binary layers (``.usdc``) and archives with one (``.usdz``)."""

from __future__ import annotations

import io
import struct
import zipfile
from importlib.util import find_spec

from ossature.diagnostics import Limits, OssatureError
from ossature.formats.usd import encoding_process
from ossature.isolated_python_processes import last_line, run_program

_PROGRAM = f"import runpy\nrunpy.run_path({encoding_process.__file__!r})['run']()"
"""What the process runs: a file of its own, without the time to import this package."""
BINARY_MARK = b"PXR-USDC"
_ALIGNMENT = 64
"""Multiple of bytes at which the content of a file of an archive begins."""
_HEADER = 30
"""Length of the header of a file in an archive, without its name and padding."""
_PADDING = 0x1986
"""Identifier of the padding in a header."""
_OLDEST = (1980, 1, 1, 0, 0, 0)


def binary_layer(text: str, limits: Limits) -> bytes:
    """Return the binary form of a layer.

    Raises:
        OssatureError: The library for OpenUSD is not installed, or does not write it within the limits of time and memory.
    """
    if find_spec("pxr") is None:
        raise OssatureError("binary OpenUSD files need usd-core: pip install 'ossature[usd]', or write a .usda file")
    done = run_program(_PROGRAM, text.encode(), seconds=limits.seconds, memory=_MEMORY * limits.array_bytes)
    if done is None:
        raise OssatureError(f"the library for OpenUSD took more than {limits.seconds:g} s: write a .usda file")
    if done.returncode or not done.stdout.startswith(BINARY_MARK):
        reason = last_line(done.stderr.decode(errors="replace")) or "it ended"
        raise OssatureError(f"the library for OpenUSD writes no binary file: {reason}")
    return done.stdout


_MEMORY = 4
"""Address space of the process, as a multiple of the limit of one array."""


def layer_archive(layer: bytes, name: str) -> bytes:
    """Return an archive with one layer, not compressed, whose content is aligned as OpenUSD requires."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        entry = zipfile.ZipInfo(name, _OLDEST)
        gap = -(_HEADER + len(name.encode()) + 4) % _ALIGNMENT
        entry.extra = struct.pack("<HH", _PADDING, gap) + bytes(gap)
        archive.writestr(entry, layer)
    return buffer.getvalue()
