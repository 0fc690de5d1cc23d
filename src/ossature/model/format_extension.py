"""What only one format says."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Extension:
    """Something that only one format says, carried along so that a writer of that format can say it again.

    Attributes:
        format: The format's name.
        key: What it is, in the format's own word.
        value: Its text.
    """

    format: str
    key: str
    value: str
