"""Reader of URDF joints."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import NamedTuple

from ossature import model
from ossature.diagnostics import Report
from ossature.formats.urdf import rules
from ossature.formats.urdf.convert_mimic import mimic_coupling
from ossature.formats.urdf.passthrough import passthrough_elements
from ossature.formats.urdf.schema import JOINT_TYPES, UrdfJointElement, UrdfLimitElement
from ossature.model.joint import X_AXIS, Y_AXIS, Z_AXIS
from ossature.spatial import Pose, Vector3, norm, quaternion_between, rotate, unit
from ossature.syntax import xml_fixes
from ossature.syntax.xml import XmlNode
from ossature.syntax.xml_fixes import fix_of
from ossature.syntax.xml_values import VECTOR3, format_number

NO_LIMIT = sys.float_info.max
"""The value of a required limit that is unlimited: URDF has no infinity."""

INTERPRETED_IN_JOINT = ("origin", "parent", "child", "axis", "limit", "dynamics", "mimic")
ONE_COORDINATE = ("revolute", "continuous", "prismatic")
_WITH_POSITION_LIMITS = ("revolute", "prismatic")
_SOFT_LIMIT_ROUNDING = 1e-3
"""Excess of soft limits that is not reported [rad or m]: authors round."""
_LENGTH_TOLERANCE = 1e-3
"""Tolerance of the length: authors round, so that 0.707 0.707 0 is meant to be a unit vector; 1 1 0 is not."""


class JointConnection(NamedTuple):
    """The name, links and pose of a joint.

    Attributes:
        parent: Name of the parent link, or None for the world.
        pose: Pose of the joint in the frame of the parent.
        moving_joints: The names of all joints of the robot with one coordinate, which others can mimic.
    """

    name: str
    parent: str | None
    child: str
    pose: Pose
    moving_joints: frozenset[str]


def read_joint(element: UrdfJointElement, connection: JointConnection, report: Report) -> model.Joint:
    """Return the joint of a ``<joint>`` element."""
    kind = _read_joint_type(element, report)
    _report_ignored_elements(element, kind, report)
    return model.Joint(
        name=connection.name,
        type=_TYPE_READERS[kind](element, report),
        parent=connection.parent,
        child=connection.child,
        coordinates=(_read_coordinate(element, kind, connection.moving_joints, report),) if kind in ONE_COORDINATE else (),
        extensions=passthrough_elements(element.node, INTERPRETED_IN_JOINT) if isinstance(element.node, XmlNode) else (),
        spelled_pose=connection.pose,
        origin=element.location(),
    )


def _read_joint_type(element: UrdfJointElement, report: Report) -> str:
    if element.type in JOINT_TYPES:
        return element.type
    if element.type is not None:
        report.add(
            rules.UNKNOWN_JOINT_TYPE,
            f"joint '{element.name}' has the unknown type '{element.type[:40]}': read as fixed",
            element.location("type"),
            hint=report.suggestion(element.type, JOINT_TYPES),
            fix=fix_of(element.node, xml_fixes.replace_word, "type", JOINT_TYPES),
        )
    return "fixed"


def _read_axis(element: UrdfJointElement, report: Report) -> Vector3:
    if element.axis is None:
        return X_AXIS
    axis = element.axis.xyz
    length = norm(axis)
    if length < sys.float_info.min or length - length != 0.0:
        report.add(rules.ZERO_AXIS, f"the axis of joint '{element.name}' is zero: using 1 0 0", element.axis.location("xyz"))
        return X_AXIS
    if abs(length - 1.0) > _LENGTH_TOLERANCE:
        report.add(
            rules.NON_UNIT_AXIS,
            f"the axis of joint '{element.name}' has length {length:.6g}: normalized",
            element.axis.location("xyz"),
            fix=fix_of(element.axis.node, xml_fixes.replace_value, "xyz", VECTOR3.format(unit(axis)), keeps_model=True),
        )
    return unit(axis)


def _read_planar(element: UrdfJointElement, report: Report) -> model.Planar:
    first, second = plane_of(_read_axis(element, report))
    return model.Planar(axis1=first, axis2=second)


_TYPE_READERS: dict[str, Callable[[UrdfJointElement, Report], model.JointType]] = {
    "revolute": lambda element, report: model.Revolute(axis=_read_axis(element, report)),
    "continuous": lambda element, report: model.Revolute(axis=_read_axis(element, report)),
    "prismatic": lambda element, report: model.Prismatic(axis=_read_axis(element, report)),
    "fixed": lambda element, report: model.Fixed(),
    "floating": lambda element, report: model.Floating(),
    "planar": _read_planar,
}


def _read_coordinate(element: UrdfJointElement, kind: str, moving_joints: frozenset[str], report: Report) -> model.Coordinate:
    limit, dynamics = element.limit, element.dynamics
    if limit is None and kind in _WITH_POSITION_LIMITS:
        report.add(
            rules.MISSING_LIMIT,
            f"joint '{element.name}' is {kind}, but has no <limit>: read without limits",
            element.location(),
            hint='<limit lower="…" upper="…" effort="…" velocity="…"/>',
        )
    if limit is not None and kind in _WITH_POSITION_LIMITS:
        _report_missing_bounds(element, limit, report)
    position_limits = _read_position_limits(element, limit, report) if kind in _WITH_POSITION_LIMITS else model.UNBOUNDED
    _report_soft_limits(element, position_limits, report)
    return model.Coordinate(
        position_limits=position_limits,
        velocity_limits=_read_symmetric_limits(element, "velocity", report),
        effort_limits=_read_symmetric_limits(element, "effort", report),
        damping=dynamics.damping if dynamics is not None else 0.0,
        friction=dynamics.friction if dynamics is not None else 0.0,
        coupling=_read_coupling(element, moving_joints, report),
    )


def _report_missing_bounds(element: UrdfJointElement, limit: UrdfLimitElement, report: Report) -> None:
    specified = limit.node.attributes if isinstance(limit.node, XmlNode) else {}
    absent = [name for name in ("effort", "velocity") if name not in specified]
    if absent:
        report.add(
            rules.MISSING_LIMIT,
            f"the <limit> of joint '{element.name}' has no {' and no '.join(absent)}: read as unlimited",
            limit.location(),
            hint="state both effort and velocity; the parser of ROS requires them",
            fix=fix_of(limit.node, xml_fixes.state_attributes, dict.fromkeys(absent, format_number(NO_LIMIT))),
        )


def _read_position_limits(element: UrdfJointElement, limit: UrdfLimitElement | None, report: Report) -> model.Range:
    if limit is None:
        return model.UNBOUNDED
    lower, upper = limit.lower or 0.0, limit.upper or 0.0
    if (limit.lower is None or limit.upper is None) and lower >= upper:
        absent = [name for name, value in (("lower", limit.lower), ("upper", limit.upper)) if value is None]
        report.add(
            rules.ZERO_JOINT_RANGE,
            f"joint '{element.name}' has no {' and no '.join(absent)} limit, which is then 0: its range is empty",
            limit.location(),
            hint="state both limits, or use the type continuous for a rotation without limits",
            fix=fix_of(limit.node, xml_fixes.state_attributes, dict.fromkeys(absent, "0")),
        )
    return model.Range(
        lower=lower if lower != -NO_LIMIT else model.UNBOUNDED.lower,
        upper=upper if upper != NO_LIMIT else model.UNBOUNDED.upper,
    )


def _report_soft_limits(element: UrdfJointElement, limits: model.Range, report: Report) -> None:
    """Report soft limits of the safety controller outside the position limits."""
    controller = element.safety_controller
    if controller is None or not isinstance(controller.node, XmlNode):
        return
    below = limits.lower - controller.soft_lower_limit
    above = controller.soft_upper_limit - limits.upper
    outside = [
        name
        for name, excess in (("soft_lower_limit", below), ("soft_upper_limit", above))
        if name in controller.node.attributes and excess > _SOFT_LIMIT_ROUNDING
    ]
    if outside:
        specified = " and ".join(f"{name} {getattr(controller, name):g}" for name in outside)
        report.add(
            rules.SOFT_LIMIT_EXCEEDS_HARD_LIMIT,
            f"the {specified} of joint '{element.name}' exceed the position limits {limits.lower:g} to {limits.upper:g}",
            controller.location(outside[0]),
        )


def _read_symmetric_limits(element: UrdfJointElement, name: str, report: Report) -> model.Range:
    bound: float | None = getattr(element.limit, name) if element.limit is not None else None
    if bound is None or bound == NO_LIMIT:
        return model.UNBOUNDED
    if bound == 0.0 and element.limit is not None:
        report.add(rules.ZERO_LIMIT, f"the {name} limit of joint '{element.name}' is zero", element.limit.location(name))
    return model.Range(lower=-bound, upper=bound)


def _read_coupling(element: UrdfJointElement, moving_joints: frozenset[str], report: Report) -> model.Coupling | None:
    mimic = element.mimic
    if mimic is None or not mimic.joint:
        return None
    if mimic.joint not in moving_joints:
        problem = "which does not exist or has not one coordinate: it moves independently"
        message = f"joint '{element.name}' mimics joint '{mimic.joint}', {problem}"
        report.add(rules.UNKNOWN_JOINT, message, mimic.location("joint"), hint=report.suggestion(mimic.joint, moving_joints))
        return None
    return mimic_coupling(mimic.joint, mimic.multiplier, mimic.offset)


def _report_ignored_elements(element: UrdfJointElement, kind: str, report: Report) -> None:
    names: list[str] = []
    if element.type not in JOINT_TYPES:
        return
    if kind in ("fixed", "floating"):
        names.append("axis")
    if kind not in ONE_COORDINATE:
        names += ["limit", "dynamics", "mimic"]
    for name in names:
        if getattr(element, name) is not None:
            report.add(
                rules.IGNORED_ELEMENT,
                f"<{name}> is ignored for the {kind} joint '{element.name}'",
                element.location(name),
            )
    limit = element.limit
    if kind == "continuous" and limit is not None and (limit.lower or limit.upper):
        report.add(
            rules.IGNORED_ELEMENT,
            f"the position limits of joint '{element.name}' are ignored: it is continuous",
            limit.location("lower" if limit.lower else "upper"),
            hint="use the type revolute to apply them",
        )


_COORDINATE_PLANES = {Z_AXIS: (X_AXIS, Y_AXIS), X_AXIS: (Y_AXIS, Z_AXIS), Y_AXIS: (Z_AXIS, X_AXIS)}


def plane_of(normal: Vector3) -> tuple[Vector3, Vector3]:
    """Return the two translation axes of a planar joint, orthogonal to its unit normal.

    The specification does not define them. For a coordinate axis they are the next two axes in cyclic order; for any other
    normal they are x and y, rotated by the smallest rotation from z to the normal.
    """
    if normal in _COORDINATE_PLANES:
        return _COORDINATE_PLANES[normal]
    rotation = quaternion_between(Z_AXIS, normal)
    return unit(rotate(rotation, X_AXIS)), unit(rotate(rotation, Y_AXIS))
