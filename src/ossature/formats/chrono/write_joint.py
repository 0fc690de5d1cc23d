"""Joints of the model → Chrono joints."""

from __future__ import annotations

from typing import Any

from ossature import model
from ossature.formats.chrono.schema_model import ChronoJointElement
from ossature.formats.chrono.write_context import ChronoWriteContext, is_same_rotation
from ossature.model.element_fields import compared_fields
from ossature.model.joint import X_AXIS, Y_AXIS, Z_AXIS
from ossature.model.value_text import kind_text
from ossature.spatial import IDENTITY_WXYZ, Pose, Quaternion, cross, dot, quaternion_between, rotate

LARGEST_COSINE = 1e-12


def write_joint(joint: model.Joint, name: str, writing: ChronoWriteContext) -> ChronoJointElement | None:
    """Return the element of a joint, or None if it is unnecessary or unsupported."""
    path, ledger = writing.path(joint.name), writing.ledger
    _account_for_coordinates(joint, path, writing)
    if isinstance(joint.type, model.Floating):
        if joint.parent is not None or joint.coordinates != (model.UNCONSTRAINED_COORDINATE,) * 6:
            ledger.dropped(path, "floating joint with a parent, springs or limits, which Chrono does not support")
        else:
            ledger.rewritten(path, "written as a body without a joint")
        return None
    if type(joint.type) not in _TYPES:
        ledger.dropped(path, f"unsupported joint type: {kind_text(type(joint.type))}")
        return None
    kind = _TYPES[type(joint.type)]
    pose = writing.pose_in_global_frame(joint.child) @ joint.pose
    _record_rotated_frame(joint, path, writing)
    if isinstance(joint.type, model.Euler):
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
    model.Fixed: "LOCK",
    model.Revolute: "REVOLUTE",
    model.Prismatic: "PRISMATIC",
    model.Cylindrical: "CYLINDRICAL",
    model.Spherical: "SPHERICAL",
    model.Euler: "SPHERICAL",
    model.Universal: "UNIVERSAL",
    model.PointOnLine: "POINT_LINE",
    model.PointOnPlane: "POINT_PLANE",
}


def _axis_fields(joint: model.Joint, pose: Pose, path: str, writing: ChronoWriteContext) -> dict[str, Any]:
    match joint.type:
        case (
            model.Revolute(axis=axis) | model.Prismatic(axis=axis) | model.Cylindrical(axis=axis) | model.PointOnLine(axis=axis)
        ):
            return {"axis": rotate(pose.wxyz, axis)}
        case model.PointOnPlane():
            return {"axis": rotate(pose.wxyz, cross(joint.type.axis1, joint.type.axis2))}
        case model.Universal():
            if abs(dot(joint.type.axis1, joint.type.axis2)) > LARGEST_COSINE:
                writing.ledger.approximated(f"{path}.type", "Chrono makes the axes of a universal joint perpendicular")
            # Chrono's first axis is fixed in its first body, which is the child.
            return {"axis1": rotate(pose.wxyz, joint.type.axis2), "axis2": rotate(pose.wxyz, joint.type.axis1)}
    return {}


_CANONICAL: dict[type, Any] = {
    model.Revolute: model.Revolute(),
    model.Prismatic: model.Prismatic(),
    model.Cylindrical: model.Cylindrical(),
    model.PointOnLine: model.PointOnLine(),
    model.PointOnPlane: model.PointOnPlane(),
    model.Universal: model.Universal(axis1=Y_AXIS, axis2=X_AXIS),
}
"""The joint types as the reader creates them."""


def _record_rotated_frame(joint: model.Joint, path: str, writing: ChronoWriteContext) -> None:
    """Record that the joint frame has other axes if the file is read."""
    if joint.type != _CANONICAL.get(type(joint.type), joint.type):
        writing.ledger.rewritten(f"{path}.type", "its axes are expressed in the global frame")
    wxyz = (writing.pose_in_global_frame(joint.child) @ joint.pose).wxyz
    if not _is_read_back(joint, wxyz):
        writing.ledger.rewritten(f"{path}.pose.wxyz", "only the axes of a joint are written, in the global frame")


def _is_read_back(joint: model.Joint, wxyz: Quaternion) -> bool:
    match joint.type:
        case model.Revolute() | model.Prismatic() | model.Cylindrical():
            expected = quaternion_between(Z_AXIS, rotate(wxyz, joint.type.axis))
        case model.PointOnLine():
            expected = quaternion_between(X_AXIS, rotate(wxyz, joint.type.axis))
        case model.PointOnPlane():
            expected = quaternion_between(Z_AXIS, rotate(wxyz, cross(joint.type.axis1, joint.type.axis2)))
        case model.Universal():
            return bool(joint.type == _CANONICAL[model.Universal])
        case _:
            expected = IDENTITY_WXYZ
    return is_same_rotation(expected, wxyz)


def _account_for_coordinates(joint: model.Joint, path: str, writing: ChronoWriteContext) -> None:
    for number, coordinate in enumerate(joint.coordinates):
        for item in compared_fields(model.Coordinate):
            if getattr(coordinate, item.name) != getattr(model.UNCONSTRAINED_COORDINATE, item.name):
                detail = f"{item.name.replace('_', ' ')} of a coordinate, which Chrono does not support"
                writing.ledger.dropped(f"{path}.coordinates[{number}].{item.name}", detail)
    if joint.actuation is not model.Actuation.FORCE:
        writing.ledger.dropped(
            f"{path}.actuation", f"{joint.actuation.value} commands of a joint, which Chrono does not support"
        )


# Bushings


# Constraints
