"""Inputs that can be commanded during a simulation: motors, actuators of MuJoCo and velocity-controlled joints."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from ossature.formats.mjcf.write_keyframe import control_count
from ossature.model import Actuation, DriveMode, Joint, Model, Motor, MujocoOption, World, hint_of
from ossature.model.time_function import ConstantFunction
from ossature.model.value_text import is_rotation
from ossature.viewer.joint_configuration import is_coupled

_UNITS = {
    DriveMode.POSITION: ("rad", "m"),
    DriveMode.SPEED: ("rad/s", "m/s"),
    DriveMode.FORCE: ("N·m", "N"),
}
"""Units of the command to a rotational and to a translational motor."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandInput:
    """A motor, actuator or joint with a scalar command.

    Attributes:
        value: Value without a command; zero if it changes with time.
        limits: Smallest and largest command, if there are both.
        follows: What determines it until it is commanded, such as ``sine function``, if that changes with time.
    """

    model: str
    name: str
    unit: str
    value: float
    hint: str
    limits: tuple[float, float] | None = None
    follows: str | None = None


def list_command_inputs(world: World) -> list[CommandInput]:
    """Return the inputs of a World, in file order."""
    # Actuators have precedence over joints of the same name.
    is_mjcf_world = hint_of(world, MujocoOption) is not None
    inputs = [
        found
        for model in world.models
        for found in (*_motor_inputs(model), *(_actuator_inputs(model) if is_mjcf_world else ()), *_joint_inputs(model))
    ]
    return list({(found.model, found.name): found for found in reversed(inputs)}.values())[::-1]


def _motor_inputs(model: Model) -> Iterator[CommandInput]:
    for motor in model.motors:
        yield CommandInput(
            model=model.name,
            name=motor.name,
            unit=_UNITS[motor.drive][0 if motor.guide.is_rotational else 1],
            value=motor.function.value if isinstance(motor.function, ConstantFunction) else 0.0,
            hint=f"{motor.drive.value} of a motor; replaces its {_input_kind(motor)}",
            follows=None if isinstance(motor.function, ConstantFunction) else _input_kind(motor),
        )


def _input_kind(motor: Motor) -> str:
    return type(motor.function).__name__.removesuffix("Function").lower() + " function"


def _actuator_inputs(model: Model) -> Iterator[CommandInput]:
    """Yield the actuators of MuJoCo that have one control."""
    for actuator in model.actuators:
        if actuator.model is None or control_count(actuator) != 1:
            continue
        limits = actuator.model.control_limits
        is_bounded = math.isfinite(limits.lower) and math.isfinite(limits.upper) and limits.lower < limits.upper
        yield CommandInput(
            model=model.name,
            name=actuator.name,
            unit="control",
            value=min(max(0.0, limits.lower), limits.upper),
            hint=f"control of a {actuator.type or 'general'} actuator",
            limits=(limits.lower, limits.upper) if is_bounded else None,
        )


def _joint_inputs(model: Model) -> Iterator[CommandInput]:
    for joint in model.joints:
        if _is_velocity_controlled(joint):
            unit = "rad/s" if is_rotation(joint.type, 0) else "m/s"
            hint = f"velocity command of a {joint.actuation.value} joint"
            yield CommandInput(model=model.name, name=joint.name, unit=unit, value=0.0, hint=hint)


def _is_velocity_controlled(joint: Joint) -> bool:
    by_velocity = joint.actuation in (Actuation.SERVO, Actuation.VELOCITY)
    return by_velocity and joint.degrees_of_freedom == 1 and not is_coupled(joint)
