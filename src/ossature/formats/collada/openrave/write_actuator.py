"""Writes an electric motor as an actuator of a library."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ossature.diagnostics import Report
from ossature.formats.collada.native_extension.difference_encoding import with_exact_values
from ossature.formats.collada.openrave.device_passthrough import passthrough_settings
from ossature.formats.collada.openrave.read_actuator import DIMENSIONS, SPEED_DIMENSIONS, read_motor
from ossature.formats.collada.openrave.schema_actuators import ActuatorElement, ElectricMotorElement, TorquePointsElement
from ossature.model import Actuator, ElectricMotor, SpeedUnit, TorquePoint
from ossature.syntax.xml import XmlNode
from ossature.syntax.xml_binding import bind, unbind


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
    if motor is None or actuator.motor is None:
        return read
    return replace(read, motor=with_exact_values(motor, actuator.motor))


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
