"""The optional modules that are compiled when the package is installed, if a C compiler is found."""

from __future__ import annotations

import importlib
import zlib
from functools import cache
from pathlib import Path
from types import ModuleType


@cache
def compiled_module(name: str, source: Path) -> ModuleType | None:
    """Return a compiled module; None if it is not installed, or was compiled from another version of its source."""
    try:
        module = importlib.import_module(name)
    except ImportError:
        return None
    # An unsigned number may be a negative one where long integers have 32 bits.
    return module if zlib.crc32(source.read_bytes()) == module.SOURCE_CHECKSUM % 2**32 else None
