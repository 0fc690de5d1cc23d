"""An electric motor has a parameter outside its valid range."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from ossature.checks.context import CheckContext
from ossature.diagnostics import Report, Rule
from ossature.model import ElectricMotor, World

RULE = Rule.error(
    "invalid-motor-parameter",
    "MDL045",
    "An electric motor has a parameter outside its valid range.",
    "Resistance, constants, ratings and the gear ratio are positive (the gear ratio can be negative for a reversed rotation), "
    "inertia and friction are not negative, and the speeds of a torque-speed curve increase. Correct the value.",
    aliases=("bad-motor",),
)
_POSITIVE = (
    *("power_rating", "max_speed", "no_load_speed", "stall_torque", "nominal_torque", "max_torque", "nominal_voltage"),
    *("speed_constant", "speed_torque_gradient", "starting_current", "resistance", "torque_constant"),
)


def check(world: World, report: Report, context: CheckContext) -> None:
    """Report motors with invalid parameters."""
    for model in world.models:
        for actuator in model.actuators:
            for message in () if actuator.motor is None else _invalid_parameters(actuator.motor):
                path = f"{model.name}/{actuator.name}"
                report.add(RULE, f"motor '{actuator.name}': {message}", actuator.origin, path=path)


def _invalid_parameters(motor: ElectricMotor) -> Iterator[str]:
    for name in _POSITIVE:
        value = getattr(motor, name)
        if value is not None and not value > 0.0:
            yield f"{name} must be positive, not {value:g}"
    for name in ("rotor_inertia", "coulomb_friction", "viscous_friction"):
        value = getattr(motor, name)
        if value is not None and not value >= 0.0:
            yield f"{name} must not be negative, but is {value:g}"
    if motor.gear_ratio == 0.0:
        yield "gear_ratio must not be zero"
    for name, points in (("nominal_points", motor.nominal_points), ("max_points", motor.max_points)):
        speeds = [point.speed for point in points]
        if any(after <= before for before, after in pairwise(speeds)):
            yield f"the speeds of {name} must increase"
        if any(point.torque < 0.0 for point in points):
            yield f"the torques of {name} must not be negative"
