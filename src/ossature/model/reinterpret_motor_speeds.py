"""Reinterpretation of the motor speeds of a file in another unit than the one that was inferred."""

from __future__ import annotations

from dataclasses import replace

from ossature.model.actuator import Actuator
from ossature.model.electric_motor import ColladaMotorSpeeds, ElectricMotor, SpeedUnit, TorquePoint
from ossature.model.model import Model
from ossature.model.program_hints import hint_of
from ossature.model.world import World


def world_with_motor_speeds(world: World, unit: SpeedUnit) -> World:
    """Return a World with the motor speeds of its file read in a unit."""
    return replace(world, models=world.models.map(lambda model: _model_with_motor_speeds(model, unit)))


def _model_with_motor_speeds(model: Model, unit: SpeedUnit) -> Model:
    return replace(model, actuators=model.actuators.map(lambda actuator: _actuator_with_motor_speeds(actuator, unit)))


def _actuator_with_motor_speeds(actuator: Actuator, unit: SpeedUnit) -> Actuator:
    return actuator if actuator.motor is None else replace(actuator, motor=_motor_with_speeds(actuator.motor, unit))


def _motor_with_speeds(motor: ElectricMotor, unit: SpeedUnit) -> ElectricMotor:
    taken = hint_of(motor, ColladaMotorSpeeds)
    if taken is None or taken.unit is unit:
        return motor
    factor = unit.radians_per_second / taken.unit.radians_per_second
    numbers = ("max_speed", "no_load_speed", "speed_constant", "speed_torque_gradient")
    turned = {name: factor * value for name in numbers if (value := getattr(motor, name)) is not None}
    return replace(
        motor,
        **turned,
        nominal_points=tuple([_scale_torque_point(point, factor) for point in motor.nominal_points]),
        max_points=tuple([_scale_torque_point(point, factor) for point in motor.max_points]),
        hints=(ColladaMotorSpeeds(unit=unit),),
    )


def _scale_torque_point(point: TorquePoint, factor: float) -> TorquePoint:
    return replace(point, speed=factor * point.speed)
