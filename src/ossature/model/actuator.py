"""Actuators of a robot."""

from __future__ import annotations

from dataclasses import dataclass, field

from ossature.diagnostics import Location
from ossature.model.actuator_model import ActuatorModel, Transmission
from ossature.model.electric_motor import Controller, ElectricMotor
from ossature.model.format_extension import Extension
from ossature.model.mujoco_hints import MujocoActuator
from ossature.model.program_hints import HintedElement


@dataclass(frozen=True, slots=True, kw_only=True)
class Actuator(HintedElement):
    """An actuator.

    Attributes:
        name: Its name, unique among the model's actuators.
        joint: The joint that it drives, or None if it acts on something else.
        type: Its type in its format, or None if unspecified.
        motor: The electric motor that it is, or None.
        controller: Gains of its controller, or None if unspecified.
        settings: Other content of the file, in the format's terms.
        transmission: What it acts on, or None for the first coordinate of its joint.
        model: Its force and activation dynamics, or None if unspecified.
        hints: What its file states for MuJoCo.
    """

    name: str
    joint: str | None = None
    type: str | None = None
    motor: ElectricMotor | None = None
    controller: Controller | None = None
    settings: tuple[Extension, ...] = ()
    transmission: Transmission | None = None
    model: ActuatorModel | None = None
    hints: tuple[MujocoActuator, ...] = ()
    origin: Location | None = field(default=None, compare=False, repr=False)
