"""Shared context of the writer: libraries, ledger, and transforms of poses."""

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
    """A document that is being written.

    Attributes:
        ledger: Receives what is not represented, or represented differently.
        libraries: The elements so far, by the tag of their library.
    """

    ledger: Ledger
    libraries: dict[str, list[Any]] = field(default_factory=dict)

    def define(self, library: str, element: Any) -> None:
        """Add an element to a library."""
        self.libraries.setdefault(library, []).append(element)


def transforms_of(pose: Pose, *, at_least_one: bool = False) -> RigidTransforms:
    """Return a pose as a translation and a rotation without identities; with a translation if one transform is required."""
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
    """Return a text with normalised white space, as XML attributes preserve it."""
    return " ".join(text.split())
