"""The formats: one registry of everything that files contain, and what a format is."""

from ossature.formats.format import (
    ActuatorKind,
    Content,
    Format,
    Loaded,
    Pass,
    ReadContext,
    Reader,
    ReferenceProgram,
    ReferenceWriter,
    WriteContext,
    Writer,
    WrittenFiles,
)
from ossature.formats.registry import REGISTRY, FormatRegistry
from ossature.formats.sniffing import contains, has_root

__all__ = [
    "REGISTRY",
    "ActuatorKind",
    "Content",
    "Format",
    "FormatRegistry",
    "Loaded",
    "Pass",
    "ReadContext",
    "Reader",
    "ReferenceProgram",
    "ReferenceWriter",
    "WriteContext",
    "Writer",
    "WrittenFiles",
    "contains",
    "has_root",
]
