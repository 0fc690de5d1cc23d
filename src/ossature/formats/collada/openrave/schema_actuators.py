"""Schema of actuators: the content of ``library_actuators``, with the names of both editions of OpenRAVE's page."""

from __future__ import annotations

from typing import Any

from ossature.formats.collada.schema_common import PAGE, PROGRAM, ExtensionElement
from ossature.syntax.schema import Element, attribute, child, element, text
from ossature.syntax.xml_values import NUMBER, NUMBERS, STRING

ELECTRIC_MOTORS = ("electric_motor", "motor")
"""Types of actuators that are electric motors; the page uses both names."""


def _declare_quantity(unit: str, doc: str, source: str = PAGE) -> Any:
    return child(NUMBER, unit=unit, source=source, doc=doc)


class TorquePointsElement(Element, source=PROGRAM):
    """Points of a torque-speed curve: pairs of a speed and a torque."""

    value: tuple[float, ...] | None = text(NUMBERS, unit="rev/s, N·m", doc="Alternately speed and torque.")


class MotorFields(ExtensionElement, source=PROGRAM):
    """Parameters of an electric motor. Lengths in their units are in the unit of length of the document.

    Zero means that a parameter is not stated, except for the inertia of the rotor and friction.
    """

    model_type: str | None = child(STRING, doc="Model name of the manufacturer.")
    assigned_power_rating: float | None = _declare_quantity("W", "Rated power.")
    max_speed: float | None = _declare_quantity("rev/s", "Maximum permissible speed.")
    no_load_speed: float | None = _declare_quantity("rev/s", "Speed at the nominal voltage without load.")
    stall_torque: float | None = _declare_quantity("N·m", "Torque at the nominal voltage and zero speed.", PROGRAM)
    nominal_torque: float | None = _declare_quantity("N·m", "Maximum continuous torque.")
    max_instantaneous_torque: float | None = _declare_quantity("N·m", "Peak torque.", PROGRAM)
    nominal_voltage: float | None = _declare_quantity("V", "Nominal voltage.")
    rotor_inertia: float | None = _declare_quantity("kg·m²", "Moment of inertia of the rotor.")
    speed_constant: float | None = _declare_quantity("rev/(s·V)", "Speed constant.")
    speed_torque_gradient: float | None = _declare_quantity("rev/(s·N·m)", "Decrease of the speed per torque.")
    starting_current: float | None = _declare_quantity("A", "Current at the nominal voltage and zero speed.")
    terminal_resistance: float | None = _declare_quantity("Ω", "Resistance between the terminals.")
    torque_constant: float | None = _declare_quantity("N·m/A", "Torque constant.")
    gear_ratio: float | None = _declare_quantity("1", "Ratio of motor speed to joint speed; 1 if absent.")
    nominal_speed_torque_point: tuple[TorquePointsElement, ...] = element(
        TorquePointsElement, repeated=True, doc="Curve of the continuous torque over speed."
    )
    max_speed_torque_point: tuple[TorquePointsElement, ...] = element(
        TorquePointsElement, repeated=True, doc="Curve of the peak torque over speed."
    )
    coloumb_friction: float | None = _declare_quantity(
        "N·m", "Coulomb friction at the gear output; spelled like this.", PROGRAM
    )
    viscous_friction: float | None = _declare_quantity("N·m·s", "Viscous friction at the gear output.", PROGRAM)
    type: str | None = attribute(STRING, required=True, source=PAGE, doc="Type of actuator: electric_motor or motor.")
    id: str | None = attribute(STRING, required=True, source=PAGE, doc="Identifier.")
    name: str | None = attribute(STRING, doc="Name.")


class ElectricMotorElement(MotorFields):
    """An electric motor."""


class ActuatorElement(MotorFields):
    """An actuator. The content depends on the type; that of a type other than electric motors is passed through as text."""

    opaque = True
