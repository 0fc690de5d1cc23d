"""Electric motors, as their data sheets state them, and the gains of their drives."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from enum import StrEnum

from ossature.model.program_hints import Hint, HintedElement
from ossature.model.validated_element import Element


class SpeedUnit(StrEnum):
    """Unit of rotational speed in a file."""

    PER_SECOND = "rev/s"
    """Revolutions in a second."""
    PER_MINUTE = "rev/min"
    """Revolutions in a minute, as data sheets have it."""

    @property
    def radians_per_second(self) -> float:
        """One of them [rad/s]."""
        return math.tau if self is SpeedUnit.PER_SECOND else math.tau / 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class TorquePoint(Element):
    """A point of a torque-speed curve, at the motor's shaft.

    Attributes:
        speed: Angular speed [rad/s].
        torque: Torque [N·m].
    """

    speed: float
    torque: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ColladaMotorSpeeds(Hint):
    """How the speeds of an electric motor were read from a COLLADA file.

    Attributes:
        unit: The unit of the file, which does not state it.
    """

    unit: SpeedUnit


@dataclass(frozen=True, slots=True, kw_only=True)
class ElectricMotor(HintedElement):
    """An electric motor with a gear, as in its data sheet. Values that the data sheet does not contain are None.

    All values except the two frictions are at the motor's shaft, before the gear. Several fields are redundant;
    ``model/motor_characteristics.py`` compares them.

    Attributes:
        model_type: The manufacturer's name of it.
        power_rating: Power that it can safely produce [W].
        max_speed: Highest safe speed [rad/s].
        no_load_speed: Speed at the nominal voltage without any load [rad/s].
        stall_torque: Torque at the nominal voltage and zero speed [N·m].
        nominal_torque: Torque that it produces for any length of time without overheating [N·m].
        max_torque: Torque that it produces for a moment [N·m].
        nominal_voltage: Rated voltage, and its limit [V].
        rotor_inertia: Moment of inertia of the rotor [kg·m²].
        speed_constant: Speed per voltage [rad/(s·V)].
        speed_torque_gradient: Decrease of the speed per torque [rad/(s·N·m)].
        starting_current: Current at the nominal voltage and zero speed [A].
        resistance: Resistance between the terminals [Ω].
        torque_constant: Torque per current [N·m/A].
        gear_ratio: Ratio of the motor's speed to that of the joint (prismatic: [rad/m]); 1 if absent.
        nominal_points: Continuous torque over speed; linear between points, constant outside.
        max_points: Peak torque over speed, likewise.
        coulomb_friction: Constant friction at the joint, behind the gear [N·m or N].
        viscous_friction: Friction per speed at the joint, behind the gear [N·m·s/rad or N·s/m].
        hints: How its file was read.
    """

    model_type: str | None = None
    power_rating: float | None = None
    max_speed: float | None = None
    no_load_speed: float | None = None
    stall_torque: float | None = None
    nominal_torque: float | None = None
    max_torque: float | None = None
    nominal_voltage: float | None = None
    rotor_inertia: float | None = None
    speed_constant: float | None = None
    speed_torque_gradient: float | None = None
    starting_current: float | None = None
    resistance: float | None = None
    torque_constant: float | None = None
    gear_ratio: float | None = None
    nominal_points: tuple[TorquePoint, ...] = ()
    max_points: tuple[TorquePoint, ...] = ()
    coulomb_friction: float | None = None
    viscous_friction: float | None = None
    hints: tuple[ColladaMotorSpeeds, ...] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Controller(Element):
    """Gains of a position or velocity controller, with respect to the joint.

    Attributes:
        proportional: Torque per error of the position [N·m/rad or N/m].
        derivative: Torque per error of the velocity [N·m·s/rad or N·s/m].
        integral: Torque per integral of the position's error [N·m/(rad·s) or N/(m·s)].
    """

    proportional: float
    derivative: float
    integral: float = 0.0
