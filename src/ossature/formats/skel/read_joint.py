"""SKEL joints → joints of the model."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ossature.diagnostics import Report
from ossature.formats.skel import rules
from ossature.formats.skel.pose_values import pose_of
from ossature.formats.skel.schema import (
    DegreeOfFreedomElement,
    SkelAxisElement,
    SkelJointElement,
    SkelLimitElement,
    StateElement,
    TranslationAxisElement,
)
from ossature.formats.skel.unit_vectors import direction
from ossature.model import (
    UNBOUNDED,
    UNCONSTRAINED_COORDINATE,
    Actuation,
    Coordinate,
    Euler,
    Fixed,
    Floating,
    Joint,
    JointType,
    Planar,
    Prismatic,
    Range,
    Revolute,
    Screw,
    Spherical,
    Translational,
    Translational2D,
    Universal,
)
from ossature.model.joint import X_AXIS, Y_AXIS, Z_AXIS
from ossature.spatial import Vector3, add, dot, scale, unit
from ossature.syntax import rules as syntax_rules

DEFAULT_PITCH = 0.1
"""Advance of a screw joint for each turn where the file states none [m]."""

PLANES = {"xy": (X_AXIS, Y_AXIS), "yz": (Y_AXIS, Z_AXIS), "zx": (Z_AXIS, X_AXIS)}
"""The two directions of each named plane."""

AXES_WITH_DYNAMICS = {
    "weld": 0,
    "revolute": 1,
    "prismatic": 1,
    "screw": 1,
    "universal": 2,
    "ball": 0,
    "euler": 3,
    "translational": 3,
    "translational2d": 2,
    "planar": 3,
    "free": 0,
}
"""How many of axis, axis2, axis3 say something of a joint's coordinates, as DART reads them."""


def read_joint(element: SkelJointElement, name: str, parent: str | None, report: Report) -> Joint | None:
    """Return the joint that an element describes, or None where its type or child could not be read."""
    if element.type is None or element.child_body is None:
        return None
    joint_type = _TYPES[element.type](element, report)
    _report_without_effect(element, report)
    return Joint(
        name=name,
        type=joint_type,
        parent=parent,
        child=element.child_body,
        pose=pose_of(element.transformation),
        coordinates=_coordinates(element, joint_type.degrees_of_freedom, report),
        actuation=Actuation.FORCE if element.actuator == "torque" else Actuation(element.actuator),
        origin=element.location(),
    )


def _axis(element: SkelJointElement, name: str, default: Vector3, report: Report) -> Vector3:
    axis: SkelAxisElement | None = getattr(element, name)
    if axis is not None and axis.xyz is not None:
        return direction(axis.xyz, default, f"<{name}> of joint '{element.name}'", axis.location("xyz"), report)
    if axis is None or axis.node is None or axis.node.field_location("xyz") is None:
        _report_default_axis(element, name, default, (1.0, 0.0, 0.0), report)
    return default


def _report_default_axis(element: SkelJointElement, name: str, taken: Vector3, documented: Vector3, report: Report) -> None:
    other = "" if taken == documented else f"; the older document says {_text(documented)}"
    report.add(
        syntax_rules.DEFAULT_TAKEN,
        f"joint '{element.name}' has no direction of <{name}>: {_text(taken)} is taken, as DART does{other}",
        element.location(),
        hint="state <xyz>",
    )


def _text(vector: Vector3) -> str:
    return " ".join(f"{component:g}" for component in vector)


def _screw(element: SkelJointElement, report: Report) -> Screw:
    pitch = element.axis.pitch if element.axis is not None else None
    return Screw(axis=_axis(element, "axis", Z_AXIS, report), pitch=DEFAULT_PITCH if pitch is None else pitch)


def _plane(element: SkelJointElement, report: Report) -> tuple[Vector3, Vector3]:
    plane = element.plane
    if plane is None:
        report.add(syntax_rules.DEFAULT_TAKEN, f"joint '{element.name}' has no <plane>: xy is taken", element.location())
        return PLANES["xy"]
    if plane.type != "arbitrary":
        return PLANES[plane.type]
    first = _translation_axis(element, plane.translation_axis1, "translation_axis1", X_AXIS, report)
    second = _translation_axis(element, plane.translation_axis2, "translation_axis2", Y_AXIS, report)
    return first, _at_right_angles(first, second, element, report)


def _translation_axis(
    element: SkelJointElement, axis: TranslationAxisElement | None, name: str, default: Vector3, report: Report
) -> Vector3:
    if axis is None or axis.xyz is None:
        _report_default_axis(element, name, default, default, report)
        return default
    return direction(axis.xyz, default, f"<{name}> of joint '{element.name}'", axis.location("xyz"), report)


def _at_right_angles(first: Vector3, second: Vector3, element: SkelJointElement, report: Report) -> Vector3:
    overlap = dot(first, second)
    if abs(overlap) < 1e-12:
        return second
    if abs(overlap) > 1.0 - 1e-12:
        report.add(rules.NO_DIRECTION, f"the directions of joint '{element.name}' are parallel", element.location("plane"))
        return PLANES["xy"][1] if abs(first[1]) < 0.9 else X_AXIS
    if abs(overlap) > 1e-6:
        report.add(
            rules.SKEW_AXES,
            f"the directions of joint '{element.name}' are {math.degrees(math.acos(overlap)):.6g}° apart",
            element.location("plane"),
        )
    return unit(add(second, scale(first, -overlap)))


_TYPES: dict[str, Callable[[SkelJointElement, Report], JointType]] = {
    "weld": lambda element, report: Fixed(),
    "revolute": lambda element, report: Revolute(axis=_axis(element, "axis", Z_AXIS, report)),
    "prismatic": lambda element, report: Prismatic(axis=_axis(element, "axis", Z_AXIS, report)),
    "screw": _screw,
    "universal": lambda element, report: Universal(
        axis1=_axis(element, "axis", X_AXIS, report), axis2=_axis(element, "axis2", Y_AXIS, report)
    ),
    "ball": lambda element, report: Spherical(),
    "euler": lambda element, report: Euler(order="zyx" if element.axis_order == "zyx" else "xyz"),
    "translational": lambda element, report: Translational(),
    "translational2d": lambda element, report: Translational2D(**_axes(element, report)),
    "planar": lambda element, report: Planar(**_axes(element, report)),
    "free": lambda element, report: Floating(),
}


def _axes(element: SkelJointElement, report: Report) -> dict[str, Vector3]:
    first, second = _plane(element, report)
    return {"axis1": first, "axis2": second}


def _report_without_effect(element: SkelJointElement, report: Report) -> None:
    joint_type = element.type or ""
    used = AXES_WITH_DYNAMICS[joint_type]
    for index, name in enumerate(("axis", "axis2", "axis3")):
        axis: SkelAxisElement | None = getattr(element, name)
        if axis is None:
            continue
        if index >= used:
            _report_unused(element, name, report)
        elif axis.xyz is not None and joint_type in ("euler", "translational", "translational2d", "planar"):
            _report_unused(element, name, report, "xyz of ")
        elif axis.pitch is not None and joint_type != "screw":
            _report_unused(element, name, report, "pitch of ")
    if element.plane is not None and joint_type not in ("planar", "translational2d"):
        _report_unused(element, "plane", report)
    if element.axis_order is not None and joint_type != "euler":
        _report_unused(element, "axis_order", report)


def _report_unused(element: SkelJointElement, name: str, report: Report, part: str = "") -> None:
    hint = "use <dof>, which every type of joint reads" if name.startswith("axis") and name != "axis_order" else None
    report.add(
        rules.WITHOUT_EFFECT,
        f"{part}<{name}> means nothing for a {element.type} joint",
        element.location(name),
        hint=hint if not part else None,
    )


def _coordinates(element: SkelJointElement, count: int, report: Report) -> tuple[Coordinate, ...]:
    positions = _initial(element, "init_pos", count, report)
    velocities = _initial(element, "init_vel", count, report)
    changes: list[dict[str, Any]] = [{} for _ in range(count)]
    for index, name in enumerate(("axis", "axis2", "axis3")[: AXES_WITH_DYNAMICS[element.type or ""]]):
        axis = getattr(element, name)
        if axis is not None:
            changes[index] = _from_axis(axis, report)
    for values, name in ((positions, "initial_position"), (velocities, "initial_velocity")):
        for index, value in enumerate(values):
            changes[index][name] = value
            changes[index]["states_position"] = bool(positions)
    for dof in element.dof:
        if 0 <= dof.local_index < count:
            _refine(changes[dof.local_index], dof, report)
        else:
            report.add(
                rules.NO_SUCH_COORDINATE,
                f"joint '{element.name}' has no coordinate {dof.local_index}",
                dof.location("local_index"),
                hint=f"0 to {count - 1}" if count else f"a {element.type} joint has none",
            )
    return tuple([Coordinate(**change) if change else UNCONSTRAINED_COORDINATE for change in changes])


def _initial(element: SkelJointElement, name: str, count: int, report: Report) -> tuple[float, ...]:
    values: tuple[float, ...] | None = getattr(element, name)
    if values is None or len(values) == count:
        return values or ()
    report.add(
        rules.WRONG_COORDINATES,
        f"<{name}> of joint '{element.name}' has {len(values)} numbers, a {element.type} joint has {count} coordinates",
        element.location(name),
        hint=f"{count} numbers" if count else f"a {element.type} joint cannot move: remove it",
    )
    return ()


def _from_axis(axis: SkelAxisElement, report: Report) -> dict[str, Any]:
    change: dict[str, Any] = {}
    if axis.damping is not None:
        report.add(
            syntax_rules.OLD_SPELLING,
            "<damping> directly under an axis is read as <dynamics><damping>",
            axis.location("damping"),
            hint="move it into <dynamics>",
        )
        change["damping"] = axis.damping
    dynamics = axis.dynamics
    if dynamics is not None:
        if axis.damping is None or (dynamics.node is not None and dynamics.node.field_location("damping") is not None):
            change["damping"] = dynamics.damping
        change["friction"] = dynamics.friction
        change["spring_reference"] = dynamics.spring_rest_position
        change["stiffness"] = dynamics.spring_stiffness
    if axis.limit is not None:
        change.update(_from_limit(axis.limit, report))
    return change


def _from_limit(limit: SkelLimitElement, report: Report) -> dict[str, Any]:
    change: dict[str, Any] = {"position_limits": _range(limit.lower, limit.upper)}
    for field_name, bound in (("effort", limit.effort), ("velocity", limit.velocity)):
        if bound is not None:
            change[f"{field_name}_limits"] = Range(lower=-bound, upper=bound)
            report.add(
                rules.IGNORED_BY_DART,
                f"<{field_name}> under <limit> {_MEANING[field_name]}; DART ignores it",
                limit.location(field_name),
            )
    return change


_MEANING = {
    "effort": "bounds commanded efforts both ways",
    "velocity": "is a limit for controllers both ways, which does not act in a simulation",
}


def _range(lower: float | None, upper: float | None) -> Range:
    if lower is None and upper is None:
        return UNBOUNDED
    return Range(lower=-math.inf if lower is None else lower, upper=math.inf if upper is None else upper)


def _refine(change: dict[str, Any], dof: DegreeOfFreedomElement, report: Report) -> None:
    if dof.name:
        change["name"] = dof.name
    for state, field_name in (
        (dof.position, "position"),
        (dof.velocity, "velocity"),
        (dof.acceleration, "acceleration"),
        (dof.force, "effort"),
    ):
        if state is not None:
            _refine_state(change, state, field_name, report)
    resistance = {
        "damping": dof.damping,
        "friction": dof.friction,
        "spring_reference": dof.spring_rest_position,
        "stiffness": dof.spring_stiffness,
    }
    change |= {field_name: value for field_name, value in resistance.items() if value is not None}


def _refine_state(change: dict[str, Any], state: StateElement, field_name: str, report: Report) -> None:
    bounds: Range = change.get(f"{field_name}_limits", UNBOUNDED)
    if state.lower is not None:
        bounds = replace(bounds, lower=state.lower)
    if state.upper is not None:
        bounds = replace(bounds, upper=state.upper)
    change[f"{field_name}_limits"] = bounds
    if state.initial is None:
        return
    initial = f"initial_{field_name}"
    before = change.get(initial)
    if before is not None and before != state.initial:
        report.add(
            rules.CONTRADICTION,
            f"initial {field_name} is {before:g} for the joint and {state.initial:g} for its coordinate: the latter counts",
            state.location("initial"),
        )
    change[initial] = state.initial
    if field_name == "position":
        change["states_position"] = True
