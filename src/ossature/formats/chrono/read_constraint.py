"""Chrono constraints → constraints of the model."""

from __future__ import annotations

from ossature.formats.chrono import rules
from ossature.formats.chrono.read_context import ChronoReadContext
from ossature.formats.chrono.read_joint import PARALLEL
from ossature.formats.chrono.schema_model import ConstraintElement
from ossature.model import Constraint, Distance, RevoluteSpherical, RevoluteTranslational
from ossature.model.joint import X_AXIS, Y_AXIS, Z_AXIS
from ossature.model.massless_link_constraint import ConstraintType
from ossature.spatial import ZERO3, Vector3, cross, dot, norm, scale, subtract, unit


def read_constraint(element: ConstraintElement, reading: ChronoReadContext) -> Constraint | None:
    """Return the constraint of an element, or None if it is invalid."""
    if not reading.connects(element) or element.point1 is None or element.point2 is None or element.type is None:
        return None
    body1, body2 = element.body1 or "", element.body2 or ""
    constraint_type = _read_constraint_type(element, reading)
    if constraint_type is None:
        return None
    return Constraint(
        name=element.name or "",
        type=constraint_type,
        body1=body1,
        body2=body2,
        point1=reading.point_in(body1, element.point1),
        point2=reading.point_in(body2, element.point2),
        origin=element.location(),
    )


def _read_constraint_type(element: ConstraintElement, reading: ChronoReadContext) -> ConstraintType | None:
    assert element.point1 is not None and element.point2 is not None  # noqa: S101  # checked by the caller
    if element.type == "DISTANCE":
        reading.report_unused(element, "axis1", "axis2")
        return Distance()
    line = subtract(element.point2, element.point1)
    axis = _read_hinge_axis(element, line, reading)
    if axis is None:
        return None
    if element.type == "REVOLUTE-SPHERICAL":
        reading.report_unused(element, "axis2")
        return RevoluteSpherical(axis=reading.vector_in(element.body1 or "", axis))
    direction = _read_slide_direction(element, axis, line, reading)
    if direction is None:
        return None
    return RevoluteTranslational(
        axis=reading.vector_in(element.body1 or "", axis), direction=reading.vector_in(element.body2 or "", direction)
    )


def _read_hinge_axis(element: ConstraintElement, line: Vector3, reading: ChronoReadContext) -> Vector3 | None:
    if element.axis1 is not None:
        return reading.axis(element, "axis1")
    assumed = perpendicular_axis(line)
    _report_assumed(element, "axis1", assumed, reading)
    return assumed


def perpendicular_axis(line: Vector3) -> Vector3:
    """Return the global axis most nearly perpendicular to a line (z before y before x), made perpendicular to it."""
    if norm(line) < PARALLEL:
        return Z_AXIS
    along = unit(line)
    nearest = min((Z_AXIS, Y_AXIS, X_AXIS), key=lambda axis: round(abs(dot(axis, along)), 12))
    return unit(subtract(nearest, scale(along, dot(nearest, along))))


def _read_slide_direction(
    element: ConstraintElement, axis: Vector3, line: Vector3, reading: ChronoReadContext
) -> Vector3 | None:
    if element.axis2 is not None:
        specified = reading.axis(element, "axis2")
        across = ZERO3 if specified is None else subtract(specified, scale(axis, dot(specified, axis)))
        if specified is not None and norm(across) < PARALLEL:
            message = f"'axis2' of '{element.name}' is parallel to the hinge axis"
            reading.report.add(rules.ZERO_AXIS, message, element.location("axis2"))
            return None
        return None if specified is None else unit(across)
    assumed = unit(cross(axis, unit(line))) if norm(line) >= PARALLEL else X_AXIS
    _report_assumed(element, "axis2", assumed, reading)
    return assumed


def _report_assumed(element: ConstraintElement, name: str, assumed: Vector3, reading: ChronoReadContext) -> None:
    text = ", ".join(f"{part:.6g}" for part in assumed)
    message = f"'{element.name}' has no '{name}'; [{text}] is used"
    reading.report.add(rules.ASSUMED_AXIS, message, element.location(), hint=f"state '{name}'")
