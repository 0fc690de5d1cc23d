"""What can be told to move while a simulation runs: motors, and joints that follow a velocity."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ossature.model import Actuation, DriveMode, Joint, Model, Motor, World
from ossature.model.time_function import ConstantFunction
from ossature.viewer.joint_configuration import follows, is_angle

_UNITS = {
    DriveMode.POSITION: ("rad", "m"),
    DriveMode.SPEED: ("rad/s", "m/s"),
    DriveMode.FORCE: ("N·m", "N"),
}
"""Of what turns, and of what slides."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Commandable:
    """A motor or a joint that takes one number.

    Attributes:
        model: Name of its model.
        name: Its name.
        unit: The unit of the number.
        value: The number that it has as long as nobody says another one; zero where that changes with time.
        hint: What else is known about it.
    """

    model: str
    name: str
    unit: str
    value: float
    hint: str


def commandables(world: World) -> list[Commandable]:
    """Return what can be told to move, in file order."""
    return [found for model in world.models for found in (*_motors(model), *_joints(model))]


def _motors(model: Model) -> Iterator[Commandable]:
    for motor in model.motors:
        yield Commandable(
            model=model.name,
            name=motor.name,
            unit=_UNITS[motor.drive][0 if motor.guide.is_rotational else 1],
            value=motor.function.value if isinstance(motor.function, ConstantFunction) else 0.0,
            hint=f"{motor.drive.value} of a motor, in place of its {_kind(motor)}",
        )


def _kind(motor: Motor) -> str:
    return type(motor.function).__name__.removesuffix("Function").lower() + " function"


def _joints(model: Model) -> Iterator[Commandable]:
    for joint in model.joints:
        if _follows_a_velocity(joint):
            unit = "rad/s" if is_angle(joint, 0) else "m/s"
            hint = f"velocity that a {joint.actuation.value} joint follows"
            yield Commandable(model=model.name, name=joint.name, unit=unit, value=0.0, hint=hint)


def _follows_a_velocity(joint: Joint) -> bool:
    by_velocity = joint.actuation in (Actuation.SERVO, Actuation.VELOCITY)
    return by_velocity and joint.degrees_of_freedom == 1 and not follows(joint)
