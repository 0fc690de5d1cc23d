"""Quantities derived from an electric motor's data sheet, and their consistency."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from ossature.model.electric_motor import ElectricMotor, TorquePoint


@dataclass(frozen=True, slots=True, kw_only=True)
class Characteristics:
    """Quantities derived from a motor's data sheet.

    Attributes:
        gear: Speed of the motor over that of the joint.
        inertia: Of the rotor, at the shaft [kg·m²].
        torque_constant: Torque per current, and voltage per speed [N·m/A = V·s/rad], or None if unknown.
        resistance: Of the windings [Ω], or None if unknown.
        voltage: Largest voltage in both directions [V]; infinite if unknown.
        lost_torque: Friction torque of the motor before the gear [N·m], by which its no-load speed is lower
            than its voltage over its constant.
        stall_torque: Torque at full voltage and zero speed [N·m]; infinite if unknown.
        no_load_speed: Speed at full voltage without load [rad/s]; infinite if unknown.
    """

    gear: float
    inertia: float
    torque_constant: float | None
    resistance: float | None
    voltage: float
    lost_torque: float
    stall_torque: float
    no_load_speed: float

    @property
    def takes_voltage(self) -> bool:
        """Whether the constants for a voltage input are known."""
        return self.torque_constant is not None and self.resistance is not None


def characteristics(motor: ElectricMotor) -> Characteristics:
    """Return the quantities derived from a motor's data sheet; missing ones follow from the others."""
    constant = _torque_constant(motor)
    resistance = _resistance(motor, constant)
    voltage = _voltage(motor, constant, resistance)
    lost = 0.0
    if constant and resistance and voltage and motor.no_load_speed is not None:
        lost = max(0.0, constant * (voltage - constant * motor.no_load_speed) / resistance)
    stall, free = motor.stall_torque, motor.no_load_speed
    if stall is None and constant and resistance and voltage:
        stall = constant * voltage / resistance
    if free is None and constant and voltage:
        free = voltage / constant
    return Characteristics(
        gear=1.0 if motor.gear_ratio is None else motor.gear_ratio,
        inertia=motor.rotor_inertia or 0.0,
        torque_constant=constant,
        resistance=resistance,
        voltage=math.inf if voltage is None else voltage,
        lost_torque=lost,
        stall_torque=math.inf if stall is None else stall,
        no_load_speed=math.inf if free is None else free,
    )


def _torque_constant(motor: ElectricMotor) -> float | None:
    if motor.torque_constant:
        return motor.torque_constant
    if motor.speed_constant:
        return 1.0 / motor.speed_constant
    if motor.stall_torque and motor.starting_current:
        return motor.stall_torque / motor.starting_current
    if motor.resistance and motor.speed_torque_gradient and motor.resistance / motor.speed_torque_gradient > 0.0:
        return math.sqrt(motor.resistance / motor.speed_torque_gradient)
    return motor.nominal_voltage / motor.no_load_speed if motor.nominal_voltage and motor.no_load_speed else None


def _resistance(motor: ElectricMotor, constant: float | None) -> float | None:
    if motor.resistance:
        return motor.resistance
    if motor.nominal_voltage and motor.starting_current:
        return motor.nominal_voltage / motor.starting_current
    if constant and motor.speed_torque_gradient:
        return motor.speed_torque_gradient * constant**2
    if constant and motor.nominal_voltage and motor.stall_torque:
        return constant * motor.nominal_voltage / motor.stall_torque
    return None


def _voltage(motor: ElectricMotor, constant: float | None, resistance: float | None) -> float | None:
    if motor.nominal_voltage:
        return motor.nominal_voltage
    if motor.starting_current and resistance:
        return motor.starting_current * resistance
    if motor.stall_torque and constant and resistance:
        return motor.stall_torque * resistance / constant
    return motor.no_load_speed * constant if motor.no_load_speed and constant else None


@dataclass(frozen=True, slots=True, kw_only=True)
class RedundantValue:
    """A redundant value of a data sheet.

    Attributes:
        specified: The value of the field, in SI units.
        others: An expression of other fields for the same quantity.
        implied: The value of the expression.
        tolerance: By which part of it the two may differ.
        at_most: Whether the field can be smaller than the expression because of losses.
    """

    field: str
    specified: float
    others: str
    implied: float
    tolerance: float
    at_most: bool = False

    @property
    def error(self) -> float:
        """Relative difference between the stated and the implied value."""
        return self.specified / self.implied - 1.0

    @property
    def agrees(self) -> bool:
        """Whether both values agree."""
        lowest = -_MOST_LOST if self.at_most else -self.tolerance
        return lowest <= self.error <= self.tolerance


_ROUNDED = 0.02
"""Relative difference that rounding of a data sheet explains."""
_ROUGH = 0.2
"""Relative difference of relations that neglect losses."""
_MOST_LOST = 0.5
"""The largest part of its speed that a motor loses by its own friction."""


def redundancies(motor: ElectricMotor) -> Iterator[RedundantValue]:
    """Yield the redundant values of a motor's data sheet."""
    m = motor
    yield from _compare_redundant("speed_constant", m.speed_constant, "1 / torque_constant", _quotient(1.0, m.torque_constant))
    starting = _quotient(m.nominal_voltage, m.resistance)
    yield from _compare_redundant("starting_current", m.starting_current, "nominal_voltage / terminal_resistance", starting)
    stall = _product_or_none(m.torque_constant, m.starting_current)
    yield from _compare_redundant("stall_torque", m.stall_torque, "torque_constant · starting_current", stall)
    gradient = _quotient(m.resistance, _product_or_none(m.torque_constant, m.torque_constant))
    yield from _compare_redundant(
        "speed_torque_gradient", m.speed_torque_gradient, "terminal_resistance / torque_constant²", gradient
    )
    slope = _quotient(m.no_load_speed, m.stall_torque)
    yield from _compare_redundant(
        "speed_torque_gradient", m.speed_torque_gradient, "no_load_speed / stall_torque", slope, _ROUGH
    )
    free = _quotient(m.nominal_voltage, m.torque_constant)
    if free is None:
        free = _product_or_none(m.nominal_voltage, m.speed_constant)
    others = "nominal_voltage / torque_constant" if m.torque_constant else "nominal_voltage · speed_constant"
    yield from _compare_redundant("no_load_speed", m.no_load_speed, others, free, at_most=True)


def _compare_redundant(
    name: str,
    specified: float | None,
    others: str,
    implied: float | None,
    tolerance: float = _ROUNDED,
    *,
    at_most: bool = False,
) -> Iterator[RedundantValue]:
    if specified is not None and implied:
        yield RedundantValue(
            field=name, specified=specified, others=others, implied=implied, tolerance=tolerance, at_most=at_most
        )


def _quotient(a: float | None, b: float | None) -> float | None:
    return None if a is None or not b else a / b


def _product_or_none(a: float | None, b: float | None) -> float | None:
    return None if a is None or b is None else a * b


def torque_at(points: tuple[TorquePoint, ...], speed: float) -> float:
    """Return the torque [N·m] of a curve at a speed [rad/s], in both directions; infinite without points."""
    if not points:
        return math.inf
    ordered = sorted(points, key=lambda point: point.speed)
    before = ordered[0]
    for point in ordered:
        if abs(speed) <= point.speed:
            if point.speed == before.speed:
                return before.torque
            share = (abs(speed) - before.speed) / (point.speed - before.speed)
            return before.torque + share * (point.torque - before.torque)
        before = point
    return before.torque
