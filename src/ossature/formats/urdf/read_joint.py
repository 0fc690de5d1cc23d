"""URDF joints → joints of the model."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass

from ossature.diagnostics import Report
from ossature.formats.urdf import rules
from ossature.formats.urdf.mimic import mimic_formula
from ossature.formats.urdf.passthrough import passthrough_elements
from ossature.formats.urdf.planar_joint import plane_of
from ossature.formats.urdf.schema import JOINT_TYPES, X_AXIS, UrdfJointElement, UrdfLimitElement
from ossature.model import (
    UNBOUNDED,
    Coordinate,
    Coupling,
    Fixed,
    Floating,
    Joint,
    JointType,
    Planar,
    Prismatic,
    Range,
    Revolute,
)
from ossature.spatial import Pose, Vector3, norm, unit
from ossature.syntax.xml import XmlNode

NO_LIMIT = sys.float_info.max
"""Stands for no limit where URDF requires one: it knows no infinity."""

UNDERSTOOD_IN_JOINT = ("origin", "parent", "child", "axis", "limit", "dynamics", "mimic")
_WITHOUT_AXIS = ("fixed", "floating")
_OF_ONE_COORDINATE = ("revolute", "continuous", "prismatic")
_WITH_POSITION_LIMITS = ("revolute", "prismatic")
_ROUNDING = 1e-3
"""Authors round: 0.707 0.707 0 is meant to be a unit vector, 1 1 0 is not one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JointConnection:
    """What a joint connects.

    Attributes:
        name: The joint's name.
        parent: Name of the parent link, or None where that is the world.
        child: Name of the child link.
        pose: The joint frame in the parent's.
    """

    name: str
    parent: str | None
    child: str
    pose: Pose


def read_joint(element: UrdfJointElement, place: JointConnection, report: Report) -> Joint:
    """Return the joint that an element describes."""
    kind = _kind(element, report)
    _report_elements_without_effect(element, kind, report)
    return Joint(
        name=place.name,
        type=_TYPES[kind](element, report),
        parent=place.parent,
        child=place.child,
        coordinates=(_coordinate(element, kind, report),) if kind in _OF_ONE_COORDINATE else (),
        extensions=passthrough_elements(element.node, UNDERSTOOD_IN_JOINT) if isinstance(element.node, XmlNode) else (),
        spelled_pose=place.pose,
        origin=element.location(),
    )


def _kind(element: UrdfJointElement, report: Report) -> str:
    if element.type in JOINT_TYPES:
        return element.type
    if element.type is not None:
        report.add(
            rules.UNKNOWN_JOINT_TYPE,
            f"joint '{element.name}' is of the type '{element.type[:40]}': it is read as fixed",
            element.location("type"),
            hint=report.suggestion(element.type, JOINT_TYPES),
        )
    return "fixed"


def _axis(element: UrdfJointElement, report: Report) -> Vector3:
    if element.axis is None:
        return X_AXIS
    axis = element.axis.xyz
    length = norm(axis)
    if length < sys.float_info.min or length - length != 0.0:
        report.add(rules.AXIS_ZERO, f"the axis of joint '{element.name}' is zero: 1 0 0 is taken", element.axis.location("xyz"))
        return X_AXIS
    if abs(length - 1.0) > _ROUNDING:
        report.add(
            rules.AXIS_NOT_UNIT,
            f"the axis of joint '{element.name}' has length {length:.6g}: only its direction counts",
            element.axis.location("xyz"),
        )
    return unit(axis)


def _planar(element: UrdfJointElement, report: Report) -> Planar:
    first, second = plane_of(_axis(element, report))
    return Planar(axis1=first, axis2=second)


_TYPES: dict[str, Callable[[UrdfJointElement, Report], JointType]] = {
    "revolute": lambda element, report: Revolute(axis=_axis(element, report)),
    "continuous": lambda element, report: Revolute(axis=_axis(element, report)),
    "prismatic": lambda element, report: Prismatic(axis=_axis(element, report)),
    "fixed": lambda element, report: Fixed(),
    "floating": lambda element, report: Floating(),
    "planar": _planar,
}


def _coordinate(element: UrdfJointElement, kind: str, report: Report) -> Coordinate:
    limit, dynamics = element.limit, element.dynamics
    if limit is None and kind in _WITH_POSITION_LIMITS:
        report.add(
            rules.MISSING_LIMIT,
            f"joint '{element.name}' is {kind} and has no <limit>: it moves without limits",
            element.location(),
            hint='<limit lower="…" upper="…" effort="…" velocity="…"/>',
        )
    if limit is not None and kind in _WITH_POSITION_LIMITS:
        _report_missing_bounds(element, limit, report)
    return Coordinate(
        position_limits=_position_limits(element, limit, report) if kind in _WITH_POSITION_LIMITS else UNBOUNDED,
        velocity_limits=_both_ways(element, "velocity", report),
        effort_limits=_both_ways(element, "effort", report),
        damping=dynamics.damping if dynamics is not None else 0.0,
        friction=dynamics.friction if dynamics is not None else 0.0,
        coupling=_formula(element),
    )


def _report_missing_bounds(element: UrdfJointElement, limit: UrdfLimitElement, report: Report) -> None:
    stated = limit.node.attributes if isinstance(limit.node, XmlNode) else {}
    absent = [name for name in ("effort", "velocity") if name not in stated]
    if absent:
        report.add(
            rules.MISSING_LIMIT,
            f"the <limit> of joint '{element.name}' has no {' and no '.join(absent)}: there is no such limit",
            limit.location(),
            hint="state the largest effort and velocity; ROS's parser wants both",
        )


def _position_limits(element: UrdfJointElement, limit: UrdfLimitElement | None, report: Report) -> Range:
    if limit is None:
        return UNBOUNDED
    lower, upper = limit.lower or 0.0, limit.upper or 0.0
    if (limit.lower is None or limit.upper is None) and lower >= upper:
        absent = [name for name, value in (("lower", limit.lower), ("upper", limit.upper)) if value is None]
        report.add(
            rules.NO_ROOM,
            f"joint '{element.name}' has no {' and no '.join(absent)} limit, which is 0 then, and so no room to move",
            limit.location(),
            hint="state both limits, or make a turning joint continuous",
        )
    return Range(
        lower=lower if lower != -NO_LIMIT else UNBOUNDED.lower,
        upper=upper if upper != NO_LIMIT else UNBOUNDED.upper,
    )


def _both_ways(element: UrdfJointElement, name: str, report: Report) -> Range:
    bound: float | None = getattr(element.limit, name) if element.limit is not None else None
    if bound is None or bound == NO_LIMIT:
        return UNBOUNDED
    if bound == 0.0 and element.limit is not None:
        report.add(rules.ZERO_LIMIT, f"the largest {name} of joint '{element.name}' is zero", element.limit.location(name))
    return Range(lower=-bound, upper=bound)


def _formula(element: UrdfJointElement) -> Coupling | None:
    mimic = element.mimic
    if mimic is None or not mimic.joint:
        return None
    return mimic_formula(mimic.joint, mimic.multiplier, mimic.offset)


def _report_elements_without_effect(element: UrdfJointElement, kind: str, report: Report) -> None:
    names: list[str] = []
    if element.type not in JOINT_TYPES:
        return
    if kind in _WITHOUT_AXIS:
        names.append("axis")
    if kind not in _OF_ONE_COORDINATE:
        names += ["limit", "dynamics", "mimic"]
    for name in names:
        if getattr(element, name) is not None:
            report.add(
                rules.ELEMENT_WITHOUT_EFFECT,
                f"<{name}> means nothing for joint '{element.name}', which is {kind}",
                element.location(name),
            )
    limit = element.limit
    if kind == "continuous" and limit is not None and (limit.lower or limit.upper):
        report.add(
            rules.ELEMENT_WITHOUT_EFFECT,
            f"joint '{element.name}' is continuous and has no limits of its position",
            limit.location("lower" if limit.lower else "upper"),
            hint="make it revolute if they are meant",
        )
