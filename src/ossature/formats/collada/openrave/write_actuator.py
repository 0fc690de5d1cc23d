"""Writes an electric motor as an actuator of a library."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any

from ossature.diagnostics import Report
from ossature.formats.collada.openrave.device_passthrough import passthrough_settings
from ossature.formats.collada.openrave.read_actuator import DIMENSIONS, SPEED_DIMENSIONS, read_motor
from ossature.formats.collada.openrave.schema_actuators import ActuatorElement, ElectricMotorElement, TorquePointsElement
from ossature.model import Actuator, ElectricMotor, SpeedUnit, TorquePoint
from ossature.syntax.xml import XmlNode
from ossature.syntax.xml_binding import bind, unbind

_ROUNDING = 1e-15
"""Relative rounding error of a speed that is converted to revolutions and back."""


def motor_nodes(motor: ElectricMotor) -> list[XmlNode]:
    """Return the elements of a motor, with speeds in revolutions per second, as in the documentation and OpenRAVE."""
    per_unit = SpeedUnit.PER_SECOND.radians_per_second
    numbers: dict[str, Any] = {
        **{word: getattr(motor, name) for name, (word, _) in DIMENSIONS.items()},
        **{word: _speed_in_unit(getattr(motor, name), per_unit) for name, (word, _) in SPEED_DIMENSIONS.items()},
    }
    element = ElectricMotorElement(
        model_type=motor.model_type,
        **numbers,
        nominal_speed_torque_point=_torque_points_elements(motor.nominal_points, per_unit),
        max_speed_torque_point=_torque_points_elements(motor.max_points, per_unit),
    )
    return unbind("actuator", element).children


def actuator_as_read(actuator: Actuator, written: XmlNode) -> Actuator:
    """Return the actuator that is read from an element; values that differ only by rounding are replaced by the stated ones."""
    motor, others = read_motor(bind(ActuatorElement, written, Report()), 1.0, Report())
    read = Actuator(
        name=actuator.name, joint=actuator.joint, type=actuator.type, motor=motor, settings=passthrough_settings(others)
    )
    specified = actuator.motor
    if motor is None or specified is None:
        return read
    same = {
        item.name: getattr(specified, item.name)
        for item in fields(motor)
        if item.compare and _is_close(getattr(motor, item.name), getattr(specified, item.name))
    }
    return replace(read, motor=replace(motor, **same))


def _speed_in_unit(value: float | None, per_unit: float) -> float | None:
    """Return a speed in a unit: the adjacent number that converts back bit-exactly, if there is one."""
    if value is None:
        return None
    quotient = value / per_unit
    candidates = (quotient, math.nextafter(quotient, math.inf), math.nextafter(quotient, -math.inf))
    return next((number for number in candidates if number * per_unit == value), quotient)


def _torque_points_elements(points: Sequence[TorquePoint], per_unit: float) -> tuple[TorquePointsElement, ...]:
    # All pairs in one element: OpenRAVE reads only the last element.
    numbers = [number for point in points for number in (_speed_in_unit(point.speed, per_unit), point.torque)]
    return (TorquePointsElement(value=tuple([number for number in numbers if number is not None])),) if numbers else ()


def _is_close(read: object, specified: object) -> bool:
    if isinstance(read, float) and isinstance(specified, float):
        return math.isclose(read, specified, rel_tol=_ROUNDING)
    if isinstance(read, tuple) and isinstance(specified, tuple) and len(read) == len(specified):
        return all(_is_close(a.speed, b.speed) and a.torque == b.torque for a, b in zip(read, specified, strict=True))
    return False
