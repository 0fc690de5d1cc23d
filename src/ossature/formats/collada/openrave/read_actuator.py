"""Reads library actuators as electric motors in SI units."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from ossature.diagnostics import Report
from ossature.formats.collada import rules
from ossature.formats.collada.openrave.schema_actuators import (
    ELECTRIC_MOTORS,
    ActuatorElement,
    ElectricMotorElement,
    TorquePointsElement,
)
from ossature.model import ColladaMotorSpeeds, ElectricMotor, SpeedUnit, TorquePoint
from ossature.syntax import xml
from ossature.syntax.schema import FieldKind, spellings
from ossature.syntax.xml_binding import bind

_LARGEST_DEVIATION = math.sqrt(60.0)
"""Factor by which values in rev/min may differ: beyond it they agree neither in rev/s nor in rev/min."""

DIMENSIONS = {
    "power_rating": ("assigned_power_rating", 2),
    "stall_torque": ("stall_torque", 2),
    "nominal_torque": ("nominal_torque", 2),
    "max_torque": ("max_instantaneous_torque", 2),
    "nominal_voltage": ("nominal_voltage", 2),
    "rotor_inertia": ("rotor_inertia", 2),
    "starting_current": ("starting_current", 0),
    "resistance": ("terminal_resistance", 2),
    "torque_constant": ("torque_constant", 2),
    "gear_ratio": ("gear_ratio", 0),
    "coulomb_friction": ("coloumb_friction", 2),
    "viscous_friction": ("viscous_friction", 2),
}
"""Motor fields without speeds: the element name of each, and the exponent of the unit of length."""
SPEED_DIMENSIONS = {
    "max_speed": ("max_speed", 0),
    "no_load_speed": ("no_load_speed", 0),
    "speed_constant": ("speed_constant", -2),
    "speed_torque_gradient": ("speed_torque_gradient", -2),
}
"""Motor fields with speeds: the element name of each, and the exponent of the unit of length."""

_MAY_BE_ZERO = frozenset({"rotor_inertia", "coulomb_friction", "viscous_friction"})


def motor_tags() -> frozenset[str]:
    """Return the names of the elements in which an electric motor states its fields."""
    declared = spellings(ElectricMotorElement)
    return frozenset(name for name, spelling in declared.items() if spelling.kind is not FieldKind.ATTRIBUTE)


def read_motor(
    element: ActuatorElement, meter: float, report: Report, *, as_openrave: bool = False
) -> tuple[ElectricMotor | None, list[xml.XmlNode]]:
    """Return the electric motor of an actuator, or None for another type, and the elements that it does not use.

    Args:
        meter: Length of the document's unit [m].
        as_openrave: Whether to read as OpenRAVE does: speeds always in revolutions per second, only the last torque points.
    """
    node = element.node
    assert isinstance(node, xml.XmlNode)  # noqa: S101  # actuators are read from XML
    if element.type not in ELECTRIC_MOTORS:
        return None, list(node.children)
    known = motor_tags()
    own = xml.XmlNode(node.tag, node.attributes, node.source, node.offset)
    own.children = [child for child in node.children if child.tag in known]
    specified = bind(ElectricMotorElement, own, report)
    unit = SpeedUnit.PER_SECOND if as_openrave else _speed_unit(specified, report)
    return _make_motor(specified, meter, unit, as_openrave), [child for child in node.children if child.tag not in known]


def _make_motor(specified: ElectricMotorElement, meter: float, unit: SpeedUnit, as_openrave: bool) -> ElectricMotor:
    plain = {name: _specified_in_si(specified, name, word, meter**power) for name, (word, power) in DIMENSIONS.items()}
    with_speeds = {
        name: _specified_in_si(specified, name, word, unit.radians_per_second * meter**power)
        for name, (word, power) in SPEED_DIMENSIONS.items()
    }
    only = slice(-1, None) if as_openrave else slice(None)
    return ElectricMotor(
        model_type=specified.model_type,
        **plain,
        **with_speeds,
        nominal_points=tuple(_torque_points(specified.nominal_speed_torque_point[only], meter, unit)),
        max_points=tuple(_torque_points(specified.max_speed_torque_point[only], meter, unit)),
        hints=(ColladaMotorSpeeds(unit=unit),),
    )


def _specified_in_si(specified: ElectricMotorElement, name: str, word: str, factor: float) -> float | None:
    """Return a field in SI units, or None if it is absent, or zero although no motor has zero there: a field left blank."""
    value: float | None = getattr(specified, word)
    return None if value is None or (value == 0.0 and name not in _MAY_BE_ZERO) else value * factor


def _torque_points(elements: Sequence[TorquePointsElement], meter: float, unit: SpeedUnit) -> Iterator[TorquePoint]:
    for element in elements:
        numbers = element.value or ()
        for speed, torque in zip(numbers[::2], numbers[1::2], strict=False):
            yield TorquePoint(speed=speed * unit.radians_per_second, torque=torque * meter**2)


def _speed_unit(specified: ElectricMotorElement, report: Report) -> SpeedUnit:
    _report_unpaired_points(specified, report)
    for fields, per_second in _speed_unit_ratios(specified):
        if 60.0 / _LARGEST_DEVIATION < per_second < 60.0 * _LARGEST_DEVIATION:
            report.add(
                rules.SUSPECTED_RPM,
                f"motor '{specified.id}': {fields} agree in rev/min; in rev/s they differ by a factor of {per_second:.3g}",
                specified.location(),
                hint="--motor-speed-unit rev/s reads them as specified",
            )
            return SpeedUnit.PER_MINUTE
        return SpeedUnit.PER_SECOND
    return SpeedUnit.PER_SECOND


def _speed_unit_ratios(specified: ElectricMotorElement) -> Iterator[tuple[str, float]]:
    """Yield redundant fields and their ratio in rev/s, which is 1 if the speeds are in rev/s and 60 if in rev/min."""
    constant, voltage, resistance = specified.torque_constant, specified.nominal_voltage, specified.terminal_resistance
    if constant and specified.speed_constant:
        yield "speed_constant and torque_constant", math.tau * constant * specified.speed_constant
    if constant and voltage and specified.no_load_speed:
        yield "no_load_speed, nominal_voltage and torque_constant", math.tau * constant * specified.no_load_speed / voltage
    if constant and resistance and specified.speed_torque_gradient:
        gradient = math.tau * constant**2 * specified.speed_torque_gradient / resistance
        yield "speed_torque_gradient, torque_constant and terminal_resistance", gradient


def _report_unpaired_points(specified: ElectricMotorElement, report: Report) -> None:
    for element in (*specified.nominal_speed_torque_point, *specified.max_speed_torque_point):
        count = len(element.value or ())
        if count % 2:
            message = f"motor '{specified.id}': {count} numbers are not pairs of a speed and a torque: the last one is ignored"
            report.add(rules.INVALID_TORQUE_POINTS, message, element.location())
