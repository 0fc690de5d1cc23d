"""What every part of the writer needs: libraries that fill, the ledger, poses as transforms."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from ossature.diagnostics.ledger import Ledger
from ossature.formats.collada.schema_common import RotateElement, TranslateElement
from ossature.spatial import IDENTITY_WXYZ, ZERO3, Pose

RigidTransforms = tuple[RotateElement | TranslateElement, ...]


@dataclass(slots=True)
class ColladaWriteContext:
    """A document being written.

    Attributes:
        ledger: Where goes what is said differently, or not at all.
        libraries: What the document defines so far, by the tag of its library.
    """

    ledger: Ledger
    libraries: dict[str, list[Any]] = field(default_factory=dict)

    def define(self, library: str, element: Any) -> None:
        """Add an element to a library."""
        self.libraries.setdefault(library, []).append(element)


def transforms_of(pose: Pose, *, at_least_one: bool = False) -> RigidTransforms:
    """Return a pose as a translation and a rotation; nothing for what moves nothing, unless one is needed."""
    transforms: list[RotateElement | TranslateElement] = []
    if pose.position != ZERO3 or at_least_one:
        transforms.append(TranslateElement(value=pose.position))
    if pose.wxyz != IDENTITY_WXYZ:
        transforms.append(RotateElement(value=_axis_and_degrees(pose)))
    return tuple(transforms)


def _axis_and_degrees(pose: Pose) -> tuple[float, float, float, float]:
    w, x, y, z = pose.wxyz if pose.wxyz[0] >= 0.0 else tuple(-part for part in pose.wxyz)
    sine = math.hypot(x, y, z)
    if sine == 0.0:
        return (0.0, 0.0, 1.0, 0.0)
    return (x / sine, y / sine, z / sine, math.degrees(2.0 * math.atan2(sine, w)))


def one_line(text: str) -> str:
    """Return a text as an attribute can carry it: without blanks around it, and single ones inside."""
    return " ".join(text.split())
