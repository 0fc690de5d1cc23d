"""Joints, bushings and constraints of the model → Chrono elements."""

from __future__ import annotations

from typing import Any

from ossature.formats.chrono.read_joint import BUSHING_TYPES, CONSTRAINED_MOTIONS
from ossature.formats.chrono.schema_model import BushingElement, ChronoJointElement, ConstraintElement, FreeBushingElement
from ossature.formats.chrono.write_context import ChronoWriteContext, same_rotation
from ossature.model import (
    UNCONSTRAINED_COORDINATE,
    Actuation,
    Bushing,
    Constraint,
    Coordinate,
    Cylindrical,
    Distance,
    Euler,
    Fixed,
    Floating,
    Joint,
    PointOnLine,
    PointOnPlane,
    Prismatic,
    Revolute,
    RevoluteSpherical,
    RevoluteTranslational,
    Spherical,
    Universal,
)
from ossature.model.element_fields import compared_fields
from ossature.model.joint import X_AXIS, Y_AXIS, Z_AXIS
from ossature.model.value_text import kind_text
from ossature.spatial import IDENTITY_WXYZ, Pose, Quaternion, cross, dot, norm, quaternion_between, rotate

_SAME = 1e-12


def write_joint(joint: Joint, name: str, writing: ChronoWriteContext) -> ChronoJointElement | None:
    """Return the element of a joint, or None if it is unnecessary or unsupported."""
    path, ledger = writing.path(joint.name), writing.ledger
    _account_for_coordinates(joint, path, writing)
    if isinstance(joint.type, Floating):
        if joint.parent is not None or joint.coordinates != (UNCONSTRAINED_COORDINATE,) * 6:
            ledger.dropped(path, "floating joint with a parent, springs or limits, which Chrono does not support")
        else:
            ledger.rewritten(path, "written as a body without a joint")
        return None
    if type(joint.type) not in _TYPES:
        ledger.dropped(path, f"unsupported joint type: {kind_text(type(joint.type))}")
        return None
    kind = _TYPES[type(joint.type)]
    pose = writing.pose(joint.child) @ joint.pose
    _record_rotated_frame(joint, path, writing)
    if isinstance(joint.type, Euler):
        ledger.rewritten(f"{path}.type", "Euler angles are written as a spherical joint, which has the same motion")
    return ChronoJointElement(
        name=name,
        type=kind,
        body1=writing.name(joint.child, path),
        body2=writing.name(joint.parent, f"{path}.parent"),
        position=pose.position,
        **_axis_fields(joint, pose, path, writing),
    )


_TYPES: dict[type, str] = {
    Fixed: "LOCK",
    Revolute: "REVOLUTE",
    Prismatic: "PRISMATIC",
    Cylindrical: "CYLINDRICAL",
    Spherical: "SPHERICAL",
    Euler: "SPHERICAL",
    Universal: "UNIVERSAL",
    PointOnLine: "POINT_LINE",
    PointOnPlane: "POINT_PLANE",
}


def _axis_fields(joint: Joint, pose: Pose, path: str, writing: ChronoWriteContext) -> dict[str, Any]:
    match joint.type:
        case Revolute(axis=axis) | Prismatic(axis=axis) | Cylindrical(axis=axis) | PointOnLine(axis=axis):
            return {"axis": rotate(pose.wxyz, axis)}
        case PointOnPlane():
            return {"axis": rotate(pose.wxyz, cross(joint.type.axis1, joint.type.axis2))}
        case Universal():
            if abs(dot(joint.type.axis1, joint.type.axis2)) > _SAME:
                writing.ledger.approximated(f"{path}.type", "Chrono makes the axes of a universal joint perpendicular")
            # Chrono's first axis is fixed in its first body, which is the child.
            return {"axis1": rotate(pose.wxyz, joint.type.axis2), "axis2": rotate(pose.wxyz, joint.type.axis1)}
    return {}


_CANONICAL: dict[type, Any] = {
    Revolute: Revolute(),
    Prismatic: Prismatic(),
    Cylindrical: Cylindrical(),
    PointOnLine: PointOnLine(),
    PointOnPlane: PointOnPlane(),
    Universal: Universal(axis1=Y_AXIS, axis2=X_AXIS),
}
"""The joint types as the reader creates them."""


def _record_rotated_frame(joint: Joint, path: str, writing: ChronoWriteContext) -> None:
    """Record that the joint frame has other axes if the file is read."""
    canonical = _CANONICAL.get(type(joint.type), joint.type)
    if joint.type != canonical:
        writing.ledger.rewritten(f"{path}.type", "its axes are expressed in the global frame")
    wxyz = (writing.pose(joint.child) @ joint.pose).wxyz
    if not _is_read_back(joint, wxyz):
        writing.ledger.rewritten(f"{path}.pose.wxyz", "only the axes of a joint are written, in the global frame")


def _is_read_back(joint: Joint, wxyz: Quaternion) -> bool:
    match joint.type:
        case Revolute() | Prismatic() | Cylindrical():
            expected = quaternion_between(Z_AXIS, rotate(wxyz, joint.type.axis))
        case PointOnLine():
            expected = quaternion_between(X_AXIS, rotate(wxyz, joint.type.axis))
        case PointOnPlane():
            expected = quaternion_between(Z_AXIS, rotate(wxyz, cross(joint.type.axis1, joint.type.axis2)))
        case Universal():
            return bool(joint.type == _CANONICAL[Universal])
        case _:
            expected = IDENTITY_WXYZ
    return same_rotation(expected, wxyz)


def _account_for_coordinates(joint: Joint, path: str, writing: ChronoWriteContext) -> None:
    for number, coordinate in enumerate(joint.coordinates):
        for item in compared_fields(Coordinate):
            if getattr(coordinate, item.name) != getattr(UNCONSTRAINED_COORDINATE, item.name):
                detail = f"{item.name.replace('_', ' ')} of a coordinate, which Chrono does not support"
                writing.ledger.dropped(f"{path}.coordinates[{number}].{item.name}", detail)
    if joint.actuation is not Actuation.FORCE:
        writing.ledger.dropped(
            f"{path}.actuation", f"{joint.actuation.value} commands of a joint, which Chrono does not support"
        )


# Bushings


def write_bushing(bushing: Bushing, name: str, writing: ChronoWriteContext) -> ChronoJointElement:
    """Return the element of a bushing: a joint of the simplest type with its coefficients."""
    pose = writing.pose(bushing.body1) @ bushing.pose
    path = writing.path(bushing.name)
    kind = _bushing_type(bushing)
    if kind is None:
        kind = "LOCK"
        message = "Chrono's bushings have one linear and one rotational coefficient"
        writing.ledger.approximated(path, f"{message}: the largest is written")
    if not same_rotation(pose.wxyz, _bushing_rotation_as_read(kind, pose)):
        writing.ledger.rewritten(f"{path}.pose.wxyz", "only the axes of the joint are written, in the global frame")
    return ChronoJointElement(
        name=name,
        type=kind,
        body1=writing.name(bushing.body1, f"{path}.body1"),
        body2=writing.name(bushing.body2, f"{path}.body2"),
        position=pose.position,
        bushing_data=_coefficients_element(bushing, kind),
        **_bushing_axis_fields(kind, pose),
    )


def _bushing_axis_fields(kind: str, pose: Pose) -> dict[str, Any]:
    if kind == "REVOLUTE":
        return {"axis": rotate(pose.wxyz, Z_AXIS)}
    if kind == "UNIVERSAL":
        return {"axis1": rotate(pose.wxyz, X_AXIS), "axis2": rotate(pose.wxyz, Y_AXIS)}
    return {}


def _bushing_rotation_as_read(kind: str, pose: Pose) -> Quaternion:
    """Return the rotation that the reader gives a bushing with a pose in the global frame."""
    if kind == "UNIVERSAL":
        return pose.wxyz
    return quaternion_between(Z_AXIS, rotate(pose.wxyz, Z_AXIS)) if kind == "REVOLUTE" else IDENTITY_WXYZ


def _bushing_type(bushing: Bushing) -> str | None:
    """Return the first joint type whose two sets of coefficients can represent a bushing."""
    for kind in BUSHING_TYPES:
        groups: dict[tuple[bool, bool], set[tuple[float, float]]] = {}
        for component, is_constrained in enumerate(CONSTRAINED_MOTIONS[kind]):
            values = (bushing.stiffness[component], bushing.damping[component])
            groups.setdefault((component < 3, is_constrained), set()).add(values)
        if all(len(values) == 1 for values in groups.values()):
            return kind
    return None


def _coefficients_element(bushing: Bushing, kind: str) -> BushingElement:
    constrained: dict[str, Any] = {}
    free: dict[str, Any] = {}
    for quantity, values in (("stiffness", bushing.stiffness), ("damping", bushing.damping)):
        for motion, components in (("linear", range(3)), ("rotational", range(3, 6))):
            name = f"{quantity}_{motion}"
            constrained[name] = max((values[c] for c in components if CONSTRAINED_MOTIONS[kind][c]), default=0.0)
            free[name] = max((values[c] for c in components if not CONSTRAINED_MOTIONS[kind][c]), default=0.0)
    return BushingElement(dof=FreeBushingElement(**free) if any(free.values()) else None, **constrained)


# Constraints


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
            if abs(dot(hinge, direction)) > _SAME * norm(direction):
                writing.ledger.approximated(f"{path}.type.direction", "made perpendicular to the hinge axis by the reader")
            return "REVOLUTE-TRANSLATIONAL", {"axis1": hinge, "axis2": direction}
