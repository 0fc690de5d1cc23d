"""Pairs of shapes with contact parameters of their own."""

from __future__ import annotations

from dataclasses import dataclass, field

from ossature.diagnostics import Location
from ossature.model.frame_and_shape_references import ShapeReference
from ossature.model.mujoco_hints import MujocoConstraint
from ossature.model.program_hints import HintedElement


@dataclass(frozen=True, slots=True, kw_only=True)
class ContactPair(HintedElement):
    """Two shapes that collide regardless of collision filters.

    Attributes:
        name: Its name, unique among the model's contact pairs.
        shape1: The first shape.
        shape2: The second shape.
        margin: Distance at which contact starts [m].
        hints: What its file states for MuJoCo.
    """

    name: str
    shape1: ShapeReference
    shape2: ShapeReference
    margin: float = 0.0
    hints: tuple[MujocoConstraint, ...] = ()
    origin: Location | None = field(default=None, compare=False, repr=False)
