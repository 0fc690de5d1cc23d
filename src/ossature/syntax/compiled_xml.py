"""The compiled module for XML: trees of elements, their binding, and numbers in text. It is optional."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

from ossature.compiled_modules import compiled_module

_SOURCE = Path(__file__).parent / "_xml.c"


def compiled_xml_module() -> ModuleType | None:
    """Return the module, or None if it is not installed."""
    return compiled_module("ossature.syntax._xml", _SOURCE)
