"""The position that a motor prescribes jumps."""

from __future__ import annotations

import math

from ossature.checks.context import CheckContext
from ossature.diagnostics import Report, Rule
from ossature.kinematics import jump_of_repetition
from ossature.model import DriveMode, Motor, World

RULE = Rule.warning(
    "discontinuous-motor-position",
    "MDL096",
    "The position that a motor prescribes jumps.",
    "A repeated function ends with another value than it starts with. The simulation moves the bodies within one time step, so "
    "that their velocities, the forces, and the motion of bodies that the motor does not prescribe depend on the time step. "
    "Let the repeated part end with its first value; rotations may differ by whole turns.",
)
_LARGEST_ROUNDING_ERROR = 1e-4
"""Of values that authors round to a few digits [m or rad]."""


def check(world: World, report: Report, context: CheckContext) -> None:
    """Report motors whose prescribed position jumps."""
    for model in world.models:
        for motor in model.motors:
            jump = _position_jump(motor)
            if abs(jump) > _LARGEST_ROUNDING_ERROR:
                unit = "rad" if motor.guide.is_rotational else "m"
                message = f"motor '{motor.name}': its position jumps by {jump:.3g} {unit} at the end of each repetition"
                report.add(RULE, message, motor.origin, path=f"{model.name}/{motor.name}")


def _position_jump(motor: Motor) -> float:
    jump = jump_of_repetition(motor.function) if motor.drive is DriveMode.POSITION else 0.0
    return math.remainder(jump, math.tau) if motor.guide.is_rotational else jump
