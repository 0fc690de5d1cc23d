"""What the validator finds."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """What is wrong."""

    NOT_WELL_FORMED = "not-well-formed"
    UNKNOWN_ELEMENT = "unknown-element"
    """An element that its parent never has."""
    MISPLACED_ELEMENT = "misplaced-element"
    """An element that its parent may have, but not here: the wrong order, one too many, or an alternative to another."""
    MISSING_ELEMENT = "missing-element"
    UNEXPECTED_TEXT = "unexpected-text"
    UNKNOWN_ATTRIBUTE = "unknown-attribute"
    MISSING_ATTRIBUTE = "missing-attribute"
    BAD_VALUE = "bad-value"
    """Text or an attribute that is no value of its type."""
    DUPLICATE_ID = "duplicate-id"
    DUPLICATE_SID = "duplicate-sid"
    DANGLING_REFERENCE = "dangling-reference"
    """A reference to nothing."""
    WRONG_TARGET = "wrong-target"
    """A reference to an element of another kind."""
    CYCLE = "cycle"
    """A chain of references that comes back to where it began."""
    WRONG_COUNT = "wrong-count"
    """Numbers that are too few, too many, or not as many as a count says."""
    INDEX_OUT_OF_RANGE = "index-out-of-range"
    BAD_FORMULA = "bad-formula"
    """MathML that has no value."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong with a document.

    Attributes:
        line: Where its element begins, counted from one.
        path: The element, ``/COLLADA/asset/unit``, the position among its namesakes in brackets.
        message: What is wrong, in words.
        kind: What is wrong, as one of few words.
        extension: Whether it breaks what is written about OpenRAVE's extensions, rather than COLLADA itself.
    """

    line: int
    path: str
    message: str
    kind: Kind
    extension: bool = False

    @property
    def name(self) -> str:
        """The kind, told apart from its namesake among the extensions."""
        return f"extension-{self.kind}" if self.extension else str(self.kind)
