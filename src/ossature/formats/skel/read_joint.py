"""Reader of SKEL joints."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from ossature import model
from ossature.diagnostics import Report
from ossature.diagnostics.counted_nouns import counted
from ossature.diagnostics.fix import MakeFix
from ossature.formats.skel import rules, schema
from ossature.formats.skel.convert_pose import read_direction, read_pose
from ossature.model.joint import X_AXIS, Y_AXIS, Z_AXIS
from ossature.spatial import Vector3, add, dot, scale, unit
from ossature.syntax import rules as syntax_rules
from ossature.syntax.xml import XmlNode
from ossature.syntax.xml_fixes import replace_value
from ossature.syntax.xml_values import VECTOR3, shown

DEFAULT_PITCH = 0.1
"""Translation of a screw joint per revolution if the file states none [m]."""

PLANES = {"xy": (X_AXIS, Y_AXIS), "yz": (Y_AXIS, Z_AXIS), "zx": (Z_AXIS, X_AXIS)}
"""The two axes of each named plane."""

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
"""How many of axis, axis2, axis3 DART reads as properties of the joint's coordinates."""


def read_joint(element: schema.SkelJointElement, name: str, parent: str | None, report: Report) -> model.Joint | None:
    """Return the joint of a ``<joint>`` element, or None if its type or child is missing or invalid."""
    if element.type is None or element.child_body is None:
        return None
    joint_type = _TYPE_READERS[element.type](element, report)
    _report_ignored_elements(element, report)
    _report_words_unknown_to_dart(element, report)
    return model.Joint(
        name=name,
        type=joint_type,
        parent=parent,
        child=element.child_body,
        pose=read_pose(element, report),
        coordinates=_read_coordinates(element, joint_type.degrees_of_freedom, report),
        actuation=model.Actuation.FORCE if element.actuator == "torque" else model.Actuation(element.actuator),
        origin=element.location(),
    )


def _report_words_unknown_to_dart(element: schema.SkelJointElement, report: Report) -> None:
    """Report words with capitals or blanks, for which DART ignores the joint or the actuator, or takes another word."""
    for stating, tag, field_name, word, consequence in (
        (element, "type", "type", element.type, "ignores the joint"),
        (element, "actuator", "actuator", element.actuator, "ignores the actuator"),
        (element, "parent", "parent_body", element.parent_body, "ignores the joint"),
        (element, "child", "child_body", element.child_body, "ignores the joint"),
        (element, "axis_order", "axis_order", element.axis_order, "takes xyz"),
        (element.plane, "type", "type", None if element.plane is None else element.plane.type, "takes xy"),
    ):
        if stating is None or word is None or not isinstance(stating.node, XmlNode):
            continue
        child = stating.node.find(tag)
        text = stating.node.attributes.get(tag) if child is None else child.text
        if text is None or text == word or text.strip().lower() != word.lower():
            continue
        blanks, without_blanks = (", with blanks around it,", " without blanks") if text.strip() == word else ("", "")
        report.add(
            syntax_rules.DEPRECATED_SPELLING,
            f"the {tag} {shown(text)} of joint '{element.name}'{blanks} is read as '{word}'",
            stating.location(field_name),
            hint=f"write '{word}'{without_blanks}: DART {consequence} otherwise",
            fix=_fix_of_word(stating.node, child, tag, word),
        )


def _fix_of_word(node: XmlNode, child: XmlNode | None, tag: str, word: str) -> MakeFix | None:
    if child is None:
        return partial(replace_value, node, tag, word, keeps_model=True)
    # Blanks around the text of an element stay in a fix.
    return None if child.text != child.text.strip() else partial(replace_value, child, None, word, keeps_model=True)


def _read_axis(element: schema.SkelJointElement, name: str, default: Vector3, report: Report) -> Vector3:
    axis: schema.SkelAxisElement | None = getattr(element, name)
    if axis is not None and axis.xyz is not None:
        return read_direction(axis.xyz, default, f"<{name}> of joint '{element.name}'", axis.location("xyz"), report)
    if axis is None or axis.node is None or axis.node.field_location("xyz") is None:
        _report_default_axis(element, name, default, (1.0, 0.0, 0.0), report)
    return default


def _report_default_axis(
    element: schema.SkelJointElement, name: str, used: Vector3, documented: Vector3, report: Report
) -> None:
    other = "" if used == documented else f"; the default of the older document is {VECTOR3.format(documented)}"
    report.add(
        syntax_rules.DEFAULT_USED,
        f"joint '{element.name}' has no direction of <{name}>: using {VECTOR3.format(used)}, as DART does{other}",
        element.location(),
        hint="state <xyz>",
    )


def _read_screw(element: schema.SkelJointElement, report: Report) -> model.Screw:
    report.add(
        rules.IGNORED_BY_DART,
        f"DART reads no screw joints: it discards joint '{element.name}' and the bodies that it connects to the tree",
        element.location("type"),
    )
    pitch = element.axis.pitch if element.axis is not None else None
    return model.Screw(axis=_read_axis(element, "axis", Z_AXIS, report), pitch=DEFAULT_PITCH if pitch is None else pitch)


def _read_euler(element: schema.SkelJointElement, report: Report) -> model.Euler:
    if element.node is not None and element.node.field_location("axis_order") is None:
        report.add(
            syntax_rules.DEFAULT_USED,
            f"joint '{element.name}' has no <axis_order>: using xyz",
            element.location(),
            hint="state <axis_order>, without which DART reads no joint of the file",
        )
    return model.Euler(order="zyx" if element.axis_order == "zyx" else "xyz")


def _read_plane(element: schema.SkelJointElement, report: Report) -> tuple[Vector3, Vector3]:
    plane = element.plane
    if plane is None:
        report.add(syntax_rules.DEFAULT_USED, f"joint '{element.name}' has no <plane>: using xy", element.location())
        return PLANES["xy"]
    if plane.type != "arbitrary":
        return PLANES[plane.type]
    first = _read_translation_axis(element, plane.translation_axis1, "translation_axis1", X_AXIS, report)
    second = _read_translation_axis(element, plane.translation_axis2, "translation_axis2", Y_AXIS, report)
    return first, _orthogonalize(first, second, element, report)


def _read_translation_axis(
    element: schema.SkelJointElement, axis: schema.TranslationAxisElement | None, name: str, default: Vector3, report: Report
) -> Vector3:
    if axis is None or axis.xyz is None:
        _report_default_axis(element, name, default, default, report)
        return default
    return read_direction(axis.xyz, default, f"<{name}> of joint '{element.name}'", axis.location("xyz"), report)


def _orthogonalize(first: Vector3, second: Vector3, element: schema.SkelJointElement, report: Report) -> Vector3:
    overlap = dot(first, second)
    if abs(overlap) < 1e-12:
        return second
    if abs(overlap) > 1.0 - 1e-12:
        report.add(rules.ZERO_AXIS, f"the plane axes of joint '{element.name}' are parallel", element.location("plane"))
        return PLANES["xy"][1] if abs(first[1]) < 0.9 else X_AXIS
    if abs(overlap) > 1e-6:
        report.add(
            rules.NON_ORTHOGONAL_AXES,
            f"the plane axes of joint '{element.name}' are at {math.degrees(math.acos(overlap)):.6g}°, not at 90°",
            element.location("plane"),
        )
    return unit(add(second, scale(first, -overlap)))


_TYPE_READERS: dict[str, Callable[[schema.SkelJointElement, Report], model.JointType]] = {
    "weld": lambda element, report: model.Fixed(),
    "revolute": lambda element, report: model.Revolute(axis=_read_axis(element, "axis", Z_AXIS, report)),
    "prismatic": lambda element, report: model.Prismatic(axis=_read_axis(element, "axis", Z_AXIS, report)),
    "screw": _read_screw,
    "universal": lambda element, report: model.Universal(
        axis1=_read_axis(element, "axis", X_AXIS, report), axis2=_read_axis(element, "axis2", Y_AXIS, report)
    ),
    "ball": lambda element, report: model.Spherical(),
    "euler": _read_euler,
    "translational": lambda element, report: model.Translational(),
    "translational2d": lambda element, report: model.Translational2D(**_read_plane_axes(element, report)),
    "planar": lambda element, report: model.Planar(**_read_plane_axes(element, report)),
    "free": lambda element, report: model.Floating(),
}


def _read_plane_axes(element: schema.SkelJointElement, report: Report) -> dict[str, Vector3]:
    first, second = _read_plane(element, report)
    return {"axis1": first, "axis2": second}


def _report_ignored_elements(element: schema.SkelJointElement, report: Report) -> None:
    joint_type = element.type or ""
    used = AXES_WITH_DYNAMICS[joint_type]
    for index, name in enumerate(("axis", "axis2", "axis3")):
        axis: schema.SkelAxisElement | None = getattr(element, name)
        if axis is None:
            continue
        if index >= used:
            _report_ignored(element, name, report)
        elif axis.xyz is not None and joint_type in ("euler", "translational", "translational2d", "planar"):
            _report_ignored(element, name, report, "xyz of ")
        elif axis.pitch is not None and joint_type != "screw":
            _report_ignored(element, name, report, "pitch of ")
    if element.plane is not None and joint_type not in ("planar", "translational2d"):
        _report_ignored(element, "plane", report)
    if element.axis_order is not None and joint_type != "euler":
        _report_ignored(element, "axis_order", report)


def _report_ignored(element: schema.SkelJointElement, name: str, report: Report, part: str = "") -> None:
    hint = "use <dof>, which applies to all joint types" if name.startswith("axis") and name != "axis_order" else None
    report.add(
        rules.IGNORED_ELEMENT,
        f"{part}<{name}> is ignored for a {element.type} joint",
        element.location(name),
        hint=hint if not part else None,
    )


def _read_coordinates(element: schema.SkelJointElement, count: int, report: Report) -> tuple[model.Coordinate, ...]:
    positions = _read_initial_values(element, "init_pos", count, report)
    velocities = _read_initial_values(element, "init_vel", count, report)
    coordinates: list[dict[str, Any]] = [{} for _ in range(count)]
    for index, name in enumerate(("axis", "axis2", "axis3")[: AXES_WITH_DYNAMICS[element.type or ""]]):
        axis = getattr(element, name)
        if axis is not None:
            coordinates[index] = _read_axis_properties(axis, report)
    for values, name in ((positions, "initial_position"), (velocities, "initial_velocity")):
        for index, value in enumerate(values):
            coordinates[index][name] = value
            coordinates[index]["states_position"] = bool(positions)
    for dof in element.dof:
        index = _coordinate_index(element, dof, count, report)
        if 0 <= index < count:
            _apply_dof(coordinates[index], dof, report)
        else:
            report.add(
                rules.UNKNOWN_COORDINATE,
                f"joint '{element.name}' has no coordinate {index}: <dof> is ignored",
                dof.location("local_index"),
                hint=f"valid indices are 0 to {count - 1}" if count else f"a {element.type} joint has no coordinates",
            )
    return tuple(
        [model.Coordinate(**coordinate) if coordinate else model.UNCONSTRAINED_COORDINATE for coordinate in coordinates]
    )


def _coordinate_index(element: schema.SkelJointElement, dof: schema.DegreeOfFreedomElement, count: int, report: Report) -> int:
    if dof.local_index is not None:
        return dof.local_index
    if count > 1:
        report.add(
            syntax_rules.DEFAULT_USED,
            f"a <dof> of joint '{element.name}' has no attribute 'local_index': using 0",
            dof.location(),
            hint="DART ignores it: state local_index in joints of several coordinates",
        )
    return 0


def _read_initial_values(element: schema.SkelJointElement, name: str, count: int, report: Report) -> tuple[float, ...]:
    values: tuple[float, ...] | None = getattr(element, name)
    if values is None or len(values) == count:
        return values or ()
    if not count:
        report.add(rules.IGNORED_ELEMENT, f"<{name}> is ignored for a {element.type} joint", element.location(name))
        return ()
    found, needed = counted(len(values), "number"), counted(count, "coordinate")
    message = f"<{name}> of joint '{element.name}' has {found}, but a {element.type} joint has {needed}"
    report.add(rules.COORDINATE_COUNT_MISMATCH, message, element.location(name), hint=f"state {counted(count, 'number')}")
    return ()


def _read_axis_properties(axis: schema.SkelAxisElement, report: Report) -> dict[str, Any]:
    properties: dict[str, Any] = {}
    if axis.damping is not None:
        report.add(
            syntax_rules.DEPRECATED_SPELLING,
            "<damping> directly in an axis is read as <dynamics><damping>",
            axis.location("damping"),
            hint="move it into <dynamics>",
        )
        properties["damping"] = axis.damping
    dynamics = axis.dynamics
    if dynamics is not None:
        if axis.damping is None or (dynamics.node is not None and dynamics.node.field_location("damping") is not None):
            properties["damping"] = dynamics.damping
        properties["friction"] = dynamics.friction
        properties["spring_reference"] = dynamics.spring_rest_position
        properties["stiffness"] = dynamics.spring_stiffness
    if axis.limit is not None:
        properties.update(_read_limit(axis.limit, report))
    return properties


def _read_limit(limit: schema.SkelLimitElement, report: Report) -> dict[str, Any]:
    properties: dict[str, Any] = {"position_limits": _make_range(limit.lower, limit.upper)}
    for field_name, bound in (("effort", limit.effort), ("velocity", limit.velocity)):
        if bound is not None:
            properties[f"{field_name}_limits"] = model.Range(lower=-bound, upper=bound)
            report.add(
                rules.IGNORED_BY_DART,
                f"<{field_name}> in <limit> {_MEANING[field_name]}; DART ignores it",
                limit.location(field_name),
            )
    return properties


_MEANING = {
    "effort": "limits the magnitude of commanded efforts",
    "velocity": "is a limit for controllers, which a simulation does not enforce",
}


def _make_range(lower: float | None, upper: float | None) -> model.Range:
    if lower is None and upper is None:
        return model.UNBOUNDED
    return model.Range(lower=-math.inf if lower is None else lower, upper=math.inf if upper is None else upper)


def _apply_dof(properties: dict[str, Any], dof: schema.DegreeOfFreedomElement, report: Report) -> None:
    if dof.name:
        properties["name"] = dof.name
    for state, field_name in (
        (dof.position, "position"),
        (dof.velocity, "velocity"),
        (dof.acceleration, "acceleration"),
        (dof.force, "effort"),
    ):
        if state is not None:
            _apply_state(properties, state, field_name, report)
    specified = {
        "damping": dof.damping,
        "friction": dof.friction,
        "spring_reference": dof.spring_rest_position,
        "stiffness": dof.spring_stiffness,
    }
    properties |= {field_name: value for field_name, value in specified.items() if value is not None}


def _apply_state(properties: dict[str, Any], state: schema.StateElement, field_name: str, report: Report) -> None:
    bounds: model.Range = properties.get(f"{field_name}_limits", model.UNBOUNDED)
    if state.lower is not None:
        bounds = replace(bounds, lower=state.lower)
    if state.upper is not None:
        bounds = replace(bounds, upper=state.upper)
    properties[f"{field_name}_limits"] = bounds
    if state.initial is None:
        return
    initial = f"initial_{field_name}"
    before = properties.get(initial)
    if before is not None and before != state.initial:
        report.add(
            rules.CONFLICTING_VALUES,
            f"initial {field_name} is {before:g} for the joint and {state.initial:g} for its coordinate: using the latter",
            state.location("initial"),
        )
    properties[initial] = state.initial
    if field_name == "position":
        properties["states_position"] = True
