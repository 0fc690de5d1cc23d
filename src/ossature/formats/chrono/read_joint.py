"""Chrono joints → joints and bushings of the model."""

from __future__ import annotations

import math
from typing import Any

from ossature import model
from ossature.formats.chrono import rules
from ossature.formats.chrono.read_context import ChronoReadContext
from ossature.formats.chrono.schema_model import BushingElement, ChronoJointElement
from ossature.model.force_element import Vector6
from ossature.model.joint import X_AXIS, Y_AXIS, Z_AXIS
from ossature.spatial import (
    IDENTITY_WXYZ,
    Pose,
    Quaternion,
    Vector3,
    cross,
    dot,
    norm,
    quaternion_between,
    quaternion_from_matrix,
    unit,
)
from ossature.syntax import rules as syntax_rules
from ossature.syntax.schema import replace_fields

WITHOUT_BUSHING = ("PRISMATIC", "POINT_LINE", "POINT_PLANE", "CYLINDRICAL")
"""Joint types without bushings."""

_ONE_AXIS = ("REVOLUTE", "PRISMATIC", "CYLINDRICAL")
PARALLEL = 1e-9
_NOT_PERPENDICULAR = 1e-6


def read_joint(element: ChronoJointElement, reading: ChronoReadContext) -> model.Joint | model.Bushing | None:
    """Return the joint or bushing of an element, or None if it is invalid."""
    element = _with_type(element, reading)
    if not reading.connects(element) or element.position is None or element.type is None:
        return None
    _report_unused_axes(element, reading)
    if element.bushing_data is not None and element.type in WITHOUT_BUSHING:
        message = f"joints of type {element.type} have no bushings; the ideal joint is used"
        reading.report.add(rules.UNSUPPORTED_BUSHING, message, element.location("bushing_data"))
    elif element.bushing_data is not None:
        return _read_bushing(element, element.bushing_data, reading)
    wxyz = _read_joint_axes(element, reading)
    if wxyz is None:
        return None
    return model.Joint(
        name=element.name or "",
        type=_TYPES[element.type],
        parent=element.body2,
        child=element.body1 or "",
        pose=_pose_in_body(element.body1 or "", element.position, wxyz, reading),
        origin=element.location(),
    )


def _with_type(element: ChronoJointElement, reading: ChronoReadContext) -> ChronoJointElement:
    if element.type is not None or reading.states(element, "type"):
        return element
    message = f"'{element.name}' has no 'type'; LOCK is used"
    reading.report.add(
        syntax_rules.DEFAULT_USED, message, element.location(), hint="LOCK is the default of Chrono's documentation"
    )
    return replace_fields(element, type="LOCK")


_TYPES: dict[str, model.JointType] = {
    "LOCK": model.Fixed(),
    "REVOLUTE": model.Revolute(),
    "PRISMATIC": model.Prismatic(),
    "CYLINDRICAL": model.Cylindrical(),
    "SPHERICAL": model.Spherical(),
    "UNIVERSAL": model.Universal(axis1=Y_AXIS, axis2=X_AXIS),
    "POINT_LINE": model.PointOnLine(),
    "POINT_PLANE": model.PointOnPlane(),
}
"""The joint types in Chrono's joint frame: axes along z, lines along x; the first body is the child, with axis1 = x."""


def _pose_in_body(body: str, position: Vector3, wxyz: Quaternion, reading: ChronoReadContext) -> Pose:
    return reading.frame(body).inverse() @ Pose(position, wxyz)


def _report_unused_axes(element: ChronoJointElement, reading: ChronoReadContext) -> None:
    if element.type == "UNIVERSAL":
        reading.report_unused(element, "axis")
    elif element.type in (*_ONE_AXIS, "POINT_LINE", "POINT_PLANE"):
        reading.report_unused(element, "axis1", "axis2")
    else:
        reading.report_unused(element, "axis", "axis1", "axis2")


def _read_joint_axes(element: ChronoJointElement, reading: ChronoReadContext) -> Quaternion | None:
    """Return the orientation of the joint frame in the global frame, or None if a required axis is missing."""
    if element.type in _ONE_AXIS:
        axis = reading.axis(element, "axis")
        return None if axis is None else quaternion_between(Z_AXIS, axis)
    if element.type == "UNIVERSAL":
        return _read_universal_axes(element, reading)
    return _read_point_axes(element, reading) if element.type in ("POINT_LINE", "POINT_PLANE") else IDENTITY_WXYZ


def _read_universal_axes(element: ChronoJointElement, reading: ChronoReadContext) -> Quaternion | None:
    axis1, axis2 = reading.axis(element, "axis1"), reading.axis(element, "axis2")
    if axis1 is None or axis2 is None:
        return None
    normal = cross(axis1, axis2)
    if norm(normal) < PARALLEL:
        reading.report.add(rules.ZERO_AXIS, f"'axis1' and 'axis2' of '{element.name}' are parallel", element.location("axis2"))
        return None
    if abs(dot(axis1, axis2)) > _NOT_PERPENDICULAR:
        angle = math.degrees(math.acos(max(-1.0, min(1.0, dot(axis1, axis2)))))
        message = (
            f"'axis1' and 'axis2' of '{element.name}' form an angle of {angle:.4g}°; 'axis2' is made perpendicular to 'axis1'"
        )
        reading.report.add(rules.NON_PERPENDICULAR_AXES, message, element.location("axis2"))
    z = unit(normal)
    y = cross(z, axis1)
    return quaternion_from_matrix(((axis1[0], y[0], z[0]), (axis1[1], y[1], z[1]), (axis1[2], y[2], z[2])))


def _read_point_axes(element: ChronoJointElement, reading: ChronoReadContext) -> Quaternion | None:
    chrono_axis = X_AXIS if element.type == "POINT_LINE" else Z_AXIS
    name = "global x axis" if element.type == "POINT_LINE" else "global z axis"
    if element.axis is None:
        message = f"'{element.name}' has no 'axis'; the {name} is used, as in Chrono"
        reading.report.add(rules.ASSUMED_AXIS, message, element.location(), hint="state it")
        return IDENTITY_WXYZ
    axis = reading.axis(element, "axis")
    if axis is None:
        return None
    if norm(cross(axis, chrono_axis)) > PARALLEL:
        message = f"Chrono ignores 'axis' of '{element.name}' and uses the {name}; Ossature uses 'axis'"
        reading.report.add(rules.IGNORED_BY_CHRONO, message, element.location("axis"))
    return quaternion_between(chrono_axis, axis)


# Bushings

CONSTRAINED_MOTIONS: dict[str, tuple[bool, bool, bool, bool, bool, bool]] = {
    "LOCK": (True,) * 6,
    "SPHERICAL": (True, True, True, False, False, False),
    "REVOLUTE": (True, True, True, True, True, False),
    "UNIVERSAL": (True, True, True, False, False, True),
}
"""Which of the six relative motions in the joint frame each joint type constrains."""

BUSHING_TYPES = tuple(CONSTRAINED_MOTIONS)
"""Joint types with bushings, the simplest first."""


def _read_bushing(element: ChronoJointElement, data: BushingElement, reading: ChronoReadContext) -> model.Bushing | None:
    wxyz = _read_joint_axes(element, reading)
    if wxyz is None or element.position is None:
        return None
    reading.not_negative(data, *_COEFFICIENTS)
    if data.dof is not None:
        reading.not_negative(data.dof, *_COEFFICIENTS)
    _report_coefficients(element, data, reading)
    return model.Bushing(
        name=element.name or "",
        body1=element.body1,
        body2=element.body2,
        pose=_pose_in_body(element.body1 or "", element.position, wxyz, reading),
        stiffness=_bushing_coefficients(element, data, "stiffness"),
        damping=_bushing_coefficients(element, data, "damping"),
        origin=element.location(),
    )


_COEFFICIENTS = ("stiffness_linear", "damping_linear", "stiffness_rotational", "damping_rotational")


def _report_coefficients(element: ChronoJointElement, data: BushingElement, reading: ChronoReadContext) -> None:
    """Report coefficients without a direction of the joint type, and constrained directions without coefficients."""
    constrained = CONSTRAINED_MOTIONS[element.type or ""]
    for kind, directions in (("linear", constrained[:3]), ("rotational", constrained[3:])):
        names = (f"stiffness_{kind}", f"damping_{kind}")
        specified = [name for name in names if getattr(data, name)]
        if any(directions) and not specified and not any(reading.states(data, name) for name in names):
            message = f"the bushing '{element.name}' has neither {kind} stiffness nor damping; its {kind} motion is free"
            reading.report.add(syntax_rules.DEFAULT_USED, message, data.location(), hint=f"state 'stiffness_{kind}'")
        if not any(directions):
            _report_without_direction(
                element, data, specified, f"a {element.type} bushing constrains no {kind} direction", reading
            )
        if data.dof is not None and all(directions):
            specified = [name for name in names if getattr(data.dof, name)]
            _report_without_direction(
                element, data.dof, specified, f"a {element.type} bushing has no free {kind} direction", reading
            )


def _report_without_direction(
    element: ChronoJointElement, data: Any, names: list[str], reason: str, reading: ChronoReadContext
) -> None:
    for name in names:
        message = f"'{name}' of '{element.name}' has no effect: {reason}"
        reading.report.add(rules.UNUSED_KEY, message, data.location(name))


def _bushing_coefficients(element: ChronoJointElement, data: BushingElement, quantity: str) -> Vector6:
    constrained = [getattr(data, f"{quantity}_{kind}") for kind in ("linear", "rotational")]
    free = [0.0 if data.dof is None else getattr(data.dof, f"{quantity}_{kind}") for kind in ("linear", "rotational")]
    six = [
        (constrained if is_constrained else free)[index // 3]
        for index, is_constrained in enumerate(CONSTRAINED_MOTIONS[element.type or ""])
    ]
    return (six[0], six[1], six[2], six[3], six[4], six[5])


# Constraints
