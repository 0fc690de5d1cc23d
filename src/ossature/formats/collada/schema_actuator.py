"""Actuators as data: what stands in ``library_actuators``, in the words of both editions of OpenRAVE's page."""

from __future__ import annotations

from typing import Any

from ossature.formats.collada.schema_common import PAGE, PROGRAM
from ossature.syntax.schema import Element, attribute, child, element, text
from ossature.syntax.xml_values import NUMBER, NUMBERS, STRING

ELECTRIC_MOTORS = ("electric_motor", "motor")
"""Types of actuators that are electric motors: the page has both words for the same."""


def _quantity(unit: str, doc: str, source: str = PAGE) -> Any:
    return child(NUMBER, unit=unit, source=source, doc=doc)


class TorquePointsElement(Element):
    """Points of a torque-speed curve: pairs of a speed and a torque."""

    value: tuple[float, ...] | None = text(NUMBERS, unit="rev/s, N·m", source=PROGRAM, doc="Speed and torque, in turn.")


class MotorFields(Element):
    """What an electric motor states. Lengths in its units are in the document's unit of length."""

    model_type: str | None = child(STRING, source=PROGRAM, doc="What its maker calls it.")
    assigned_power_rating: float | None = _quantity("W", "Power that it can safely produce.")
    max_speed: float | None = _quantity("rev/s", "Highest safe speed.")
    no_load_speed: float | None = _quantity("rev/s", "Speed at the nominal voltage without load.")
    stall_torque: float | None = _quantity("N·m", "Torque at the nominal voltage, held still.", PROGRAM)
    nominal_torque: float | None = _quantity("N·m", "Torque that it produces without overheating.")
    max_instantaneous_torque: float | None = _quantity("N·m", "Torque that it produces for a moment.", PROGRAM)
    nominal_voltage: float | None = _quantity("V", "Voltage that it is made for.")
    rotor_inertia: float | None = _quantity("kg·m²", "Moment of inertia of what turns.")
    speed_constant: float | None = _quantity("rev/(s·V)", "Speed per voltage.")
    speed_torque_gradient: float | None = _quantity("rev/(s·N·m)", "By how much the speed falls per torque.")
    starting_current: float | None = _quantity("A", "Current at the nominal voltage, held still.")
    terminal_resistance: float | None = _quantity("Ω", "Resistance between its terminals.")
    torque_constant: float | None = _quantity("N·m/A", "Torque per current.")
    gear_ratio: float | None = _quantity("1", "Speed of the motor over that of the joint; 1 if absent.")
    nominal_speed_torque_point: tuple[TorquePointsElement, ...] = element(
        TorquePointsElement, repeated=True, source=PROGRAM, doc="Torque without overheating, over speed."
    )
    max_speed_torque_point: tuple[TorquePointsElement, ...] = element(
        TorquePointsElement, repeated=True, source=PROGRAM, doc="Torque for a moment, over speed."
    )
    coloumb_friction: float | None = _quantity("N·m", "Constant friction behind the gear, spelled like that.", PROGRAM)
    viscous_friction: float | None = _quantity("N·m·s", "Friction per speed behind the gear.", PROGRAM)
    type: str | None = attribute(STRING, required=True, source=PAGE, doc="What it is: electric_motor, or motor.")
    id: str | None = attribute(STRING, required=True, source=PAGE, doc="Its identifier.")
    name: str | None = attribute(STRING, source=PROGRAM, doc="Its name.")


class ElectricMotorElement(MotorFields):
    """An electric motor."""


class ActuatorElement(MotorFields):
    """An actuator. What is inside one that is no electric motor depends on its type, and is kept as it stands."""

    opaque = True
