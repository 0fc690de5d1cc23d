"""References to elements inside bodies: frames and shapes."""

from __future__ import annotations

from dataclasses import dataclass

from ossature.model.validated_element import Element


@dataclass(frozen=True, slots=True, kw_only=True)
class FrameReference(Element):
    """A named frame of a body.

    Attributes:
        body: The body.
        frame: The name of its frame.
    """

    body: str
    frame: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ShapeReference(Element):
    """A named shape of a body.

    Attributes:
        body: The body.
        shape: The name of its collision shape, or of its visual shape if it has no collision shape of that name.
    """

    body: str
    shape: str
