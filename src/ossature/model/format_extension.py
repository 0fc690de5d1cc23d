"""Content that only one format can represent."""

from __future__ import annotations

from dataclasses import dataclass

from ossature.model.validated_element import Element


@dataclass(frozen=True, slots=True, kw_only=True)
class Extension(Element):
    """Content that only one format can represent, kept so that a writer of that format can write it.

    Attributes:
        format: The format's name.
        key: Its name in the format.
        value: Its text.
    """

    format: str
    key: str
    value: str
