"""Fixes: edits of the text of a file that remove a finding."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from ossature.diagnostics.location import Source


class Safety(StrEnum):
    """Whether a fix may be applied without being looked at."""

    SAFE = "safe"
    """The model stays the same, or becomes what the author evidently meant."""
    UNSAFE = "unsafe"
    """It changes numbers or structure, and may not be what the author meant."""
    DISPLAY_ONLY = "display-only"
    """It is shown, and never applied."""


@dataclass(frozen=True, slots=True)
class Edit:
    """A replacement of some bytes of a file.

    Attributes:
        start: Byte offset of the first byte that is replaced.
        stop: Byte offset after the last one; equal to the start for an insertion.
        text: The text that replaces them.
    """

    start: int
    stop: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Fix:
    """Edits that remove a finding.

    Attributes:
        title: What is done, in the imperative.
        edits: The edits, of the file of the finding.
        safety: Whether it may be applied without being looked at.
        keeps_model: Whether the model is the same before and after.
    """

    title: str
    edits: tuple[Edit, ...]
    safety: Safety = Safety.SAFE
    keeps_model: bool = False


MakeFix = Callable[[], Fix | None]
"""Returns the fix of a finding, or None if there is none; called only if fixes are wanted."""


def edited(source: Source, edits: Sequence[Edit]) -> bytes:
    """Return the bytes of a file after edits that do not overlap; all other bytes stay as they are.

    In XML, characters that the encoding of the file does not have are written as character references.
    """
    errors = "xmlcharrefreplace" if source.is_xml else "strict"
    data = bytearray(source.data)
    for edit in sorted(edits, key=lambda each: (each.start, each.stop), reverse=True):
        data[edit.start : edit.stop] = edit.text.encode(source.encoding, errors)
    return bytes(data)
