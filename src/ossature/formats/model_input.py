"""Where a model comes from: a path, its text or bytes, or an open file."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TypeAlias

from ossature.argument_types import typed_arguments
from ossature.diagnostics import Limits

ModelSource: TypeAlias = str | Path | bytes | IO[str] | IO[bytes]
"""A path, the text or bytes of a model, or an open file."""

_XML_DECLARATION = re.compile(r"^\s*(<\?xml\b[^>]*?)\s+encoding\s*=\s*(?:\"[^\"]*\"|'[^']*')")


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelInput:
    """The bytes of a model and their name.

    Attributes:
        name: The path, or ``<string>``, ``<bytes>`` or ``<file>`` without one.
        data: The bytes; None if they are to be read from the path.
    """

    name: str
    data: bytes | None = None

    @classmethod
    @typed_arguments
    def of(cls, source: ModelSource, limits: Limits) -> ModelInput:
        """Return the bytes of a source.

        A text is the content of a model if it has several lines or begins with ``<``, otherwise a path.

        Args:
            limits: Limits of reading: of a file that is open, one byte more than the limit is read at most.

        Raises:
            TypeError: It is none of the types.
        """
        if isinstance(source, str):
            return cls(name="<string>", data=encoded(source)) if is_content(source) else cls(name=source)
        if isinstance(source, bytes | bytearray | memoryview):
            return cls(name="<bytes>", data=bytes(source))
        if isinstance(source, os.PathLike):
            return cls(name=os.fspath(source))
        content = source.read(limits.file_bytes + 1)
        name = getattr(source, "name", None)
        is_file = isinstance(name, str) and Path(name).is_file()
        if isinstance(content, str):
            content = content.encode() if len(content) > limits.file_bytes else encoded(content)
        return cls(name=str(name) if is_file else "<file>", data=content)


def is_content(text: str) -> bool:
    """Whether a text is the content of a model, not a path."""
    return "\n" in text or "\r" in text or text.lstrip().startswith("<")


def encoded(text: str) -> bytes:
    """Return a text in UTF-8, without an XML declaration of another encoding."""
    return _XML_DECLARATION.sub(r"\1", text, count=1).encode("utf-8", "surrogatepass")
