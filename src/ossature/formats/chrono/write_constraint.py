"""Constraints of the model → Chrono elements."""

from __future__ import annotations

from typing import Any

from ossature.formats.chrono.schema_model import ConstraintElement
from ossature.formats.chrono.write_context import ChronoWriteContext
from ossature.formats.chrono.write_joint import LARGEST_COSINE
from ossature.model import Constraint, Distance, RevoluteSpherical, RevoluteTranslational
from ossature.spatial import dot, norm


def write_constraint(constraint: Constraint, name: str, writing: ChronoWriteContext) -> ConstraintElement:
    """Return the element of a constraint."""
    kind, axes = _constraint_type_and_axes(constraint, writing)
    return ConstraintElement(
        name=name,
        type=kind,
        body1=writing.name(constraint.body1, f"{writing.path(constraint.name)}.body1"),
        body2=writing.name(constraint.body2, f"{writing.path(constraint.name)}.body2"),
        point1=writing.point(constraint.body1, constraint.point1),
        point2=writing.point(constraint.body2, constraint.point2),
        **axes,
    )


def _constraint_type_and_axes(constraint: Constraint, writing: ChronoWriteContext) -> tuple[str, dict[str, Any]]:
    path, kind = writing.path(constraint.name), constraint.type
    match kind:
        case Distance():
            return "DISTANCE", {}
        case RevoluteSpherical():
            return "REVOLUTE-SPHERICAL", {"axis1": writing.direction(constraint.body1, kind.axis)}
        case RevoluteTranslational():
            hinge = writing.direction(constraint.body1, kind.axis)
            direction = writing.direction(constraint.body2, kind.direction)
            if abs(dot(hinge, direction)) > LARGEST_COSINE * norm(direction):
                writing.ledger.approximated(f"{path}.type.direction", "made perpendicular to the hinge axis by the reader")
            return "REVOLUTE-TRANSLATIONAL", {"axis1": hinge, "axis2": direction}
