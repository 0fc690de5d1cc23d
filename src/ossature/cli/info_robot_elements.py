"""Manipulators, sensors and actuators in the output of ``ossature info``."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from rich.markup import escape

from ossature.model import BodyTransmission, FrameTransmission, SliderCrank, TendonTransmission
from ossature.model.value_text import kind_text

if TYPE_CHECKING:
    from ossature.model import Actuator, ActuatorModel, ElectricMotor, GripperJoint, Joint, Manipulator, Model, Range


def robot_lines(model: Model) -> Iterator[str]:
    """Yield a line, with markup, for each manipulator, sensor and other robot element of a model."""
    from ossature.kinematics.equality_constraint_equations import unsupported_equalities

    for joint, text in _coupling_texts(model):
        yield f"[dim]coupling[/] {escape(joint)} = {escape(text)}"
    for manipulator in model.manipulators:
        yield f"[dim]manipulator[/] {escape(manipulator.name)}  {escape(_manipulator_text(manipulator))}"
    for sensor in model.sensors:
        attachment = f"on {sensor.body}" if sensor.body else "not attached" if sensor.measurement is None else ""
        yield f"[dim]sensor[/] {escape(sensor.name)}  {escape(sensor.type or 'unspecified type')} {escape(attachment)}"
    motors = [actuator for actuator in model.actuators if actuator.type is not None]
    for actuator in motors:
        text = f"{actuator.name}  {actuator.type or ''} on {_driven_element(actuator)}{_motor_text(actuator.motor)}"
        text += "" if actuator.model is None else _ranges_text(actuator.model)
        yield f"[dim]actuator[/] {escape(text)}"
    if len(model.actuators) > len(motors):
        yield f"[dim]{len(model.actuators) - len(motors)} actuators[/] without motor data"
    for tendon in model.tendons:
        limits = _range_text("length", tendon.length_limits) + _range_text("force of actuators", tendon.effort_limits)
        yield f"[dim]tendon[/] {escape(tendon.name)}  {kind_text(type(tendon.path))}{limits}"
    unsupported = {} if model.static else unsupported_equalities(model)
    for equality in model.equalities:
        notes = "" if equality.active else ", inactive"
        notes += ", not considered in poses and degrees of freedom" * (equality.name in unsupported)
        yield f"[dim]equality[/] {escape(equality.name)}  {kind_text(type(equality.type))}{notes}"
    for keyframe in model.keyframes:
        yield f"[dim]keyframe[/] {escape(keyframe.name)}"
    yield from _collision_lines(model)
    if model.ignored_pairs:
        yield f"[dim]{len(model.ignored_pairs)} pairs of bodies[/] never collide"
    if (plugin := _plugin_name(model)) is not None:
        yield f"[dim]interface[/] {escape(plugin)} (not loaded)"
    passthrough = Counter(f"{extension.format} {extension.key}" for extension in model.extensions)
    for content, count in passthrough.items():
        yield f"[dim]passthrough[/] {escape(content)}{f' ({count} times)' if count > 1 else ''}"


def _driven_element(actuator: Actuator) -> str:
    match actuator.transmission:
        case TendonTransmission(tendon=name) | BodyTransmission(body=name):
            return name
        case FrameTransmission(frame=frame) | SliderCrank(crank=frame):
            return f"{frame.body}/{frame.frame}"
    return str(actuator.joint)


def _ranges_text(model: ActuatorModel) -> str:
    return (
        _range_text("control", model.control_limits)
        + _range_text("force", model.force_limits)
        + _range_text("activation", model.activation_limits)
    )


def _range_text(name: str, limits: Range) -> str:
    return f", {name} {limits.lower:g} to {limits.upper:g}" if limits.bounded else ""


def _collision_lines(model: Model) -> Iterator[str]:
    bodies, self_colliding = (len(names) for names in _colliding_bodies(model))
    if bodies:
        own = "" if model.static or bodies == 1 else f", {self_colliding} of them with each other"
        yield f"[dim]collisions[/] {bodies} {'body' if bodies == 1 else 'bodies'} with other models{own}"


def _colliding_bodies(model: Model) -> tuple[list[str], list[str]]:
    """Return the bodies that collide with other models, and those that collide with other bodies of this model."""
    collidable = [body for body in model.bodies if body.collisions or body.self_collisions or body.soft_skin is not None]
    return (
        [body.name for body in collidable if body.collisions or body.soft_skin is not None],
        [body.name for body in collidable if body.self_collide and body.self_collisions != ()],
    )


def _plugin_name(model: Model) -> str | None:
    from ossature.model import OpenravePlugin, hint_of

    plugin = hint_of(model, OpenravePlugin)
    return None if plugin is None else plugin.name


def _coupling_texts(model: Model) -> Iterator[tuple[str, str]]:
    from ossature.model.format_expression import formula_text

    for joint in model.joints:
        for index, coordinate in enumerate(joint.coordinates):
            if coordinate.coupling is not None:
                yield _coordinate_name(joint, index), formula_text(coordinate.coupling.position)


def _coordinate_name(joint: Joint, index: int) -> str:
    return joint.name if len(joint.coordinates) == 1 else f"{joint.name}[{index}]"


def _motor_text(motor: ElectricMotor | None) -> str:
    if motor is None:
        return ""
    from ossature.model.motor_characteristics import characteristics

    sheet = characteristics(motor)
    numbers = (
        ("{:.3g} V", sheet.voltage),
        ("{:.3g} N·m", sheet.stall_torque),
        ("{:.4g} rev/min", sheet.no_load_speed * 60.0 / math.tau),
        ("gear {:.4g}", sheet.gear),
    )
    return ": " + ", ".join(text.format(number) for text, number in numbers if math.isfinite(number))


def _closing_text(gripper: GripperJoint) -> str:
    """Return a gripper joint with the closing direction of each coordinate as a sign."""
    signs = "".join("+" if direction > 0.0 else "-" if direction < 0.0 else "0" for direction in gripper.closing_directions)
    return f"{gripper.joint} ({signs})" if signs.strip("0") else gripper.joint


def _manipulator_text(manipulator: Manipulator) -> str:
    parts = [f"{manipulator.base} to {manipulator.tip}"]
    if manipulator.gripper:
        parts.append(f"gripper {', '.join(map(_closing_text, manipulator.gripper))}")
    types = [solver.type.value for solver in manipulator.solvers if solver.type is not None]
    if types:
        parts.append(f"supports {', '.join(types)}")
    return "; ".join(parts)


def _actuator_data(actuator: Actuator) -> dict[str, Any]:
    data = {"name": actuator.name, "type": actuator.type, "joint": actuator.joint}
    if actuator.model is None:
        return data
    return data | {
        "acts_on": _driven_element(actuator),
        "control_limits": _range_data(actuator.model.control_limits),
        "force_limits": _range_data(actuator.model.force_limits),
        "activation_limits": _range_data(actuator.model.activation_limits),
    }


def _range_data(limits: Range) -> list[float | None] | None:
    """Return limits as data for JSON, with None for an infinite one, or None if there are none."""
    return [end if math.isfinite(end) else None for end in (limits.lower, limits.upper)] if limits.bounded else None


def robot_data(model: Model) -> dict[str, Any]:
    """Return the robot elements of a model as data for JSON."""
    return {
        "followers": dict(_coupling_texts(model)),
        "manipulators": [
            {
                "name": manipulator.name,
                "base": manipulator.base,
                "tip": manipulator.tip,
                "gripper": [gripper.joint for gripper in manipulator.gripper],
                "closing_directions": {gripper.joint: list(gripper.closing_directions) for gripper in manipulator.gripper},
                "ik_types": [solver.type.value for solver in manipulator.solvers if solver.type is not None],
            }
            for manipulator in model.manipulators
        ],
        "sensors": [{"name": sensor.name, "type": sensor.type, "body": sensor.body} for sensor in model.sensors],
        "actuators": [_actuator_data(actuator) for actuator in model.actuators],
        "tendons": [
            {"name": tendon.name, "path": kind_text(type(tendon.path)), "length_limits": _range_data(tendon.length_limits)}
            for tendon in model.tendons
        ],
        "keyframes": list(model.keyframes.names()),
        "colliding_bodies": _colliding_bodies(model)[0],
        "self_colliding_bodies": _colliding_bodies(model)[1],
        "ignored_pairs": [list(pair) for pair in model.ignored_pairs],
        "interface": _plugin_name(model),
        "extensions": [f"{extension.format} {extension.key}" for extension in model.extensions],
    }
