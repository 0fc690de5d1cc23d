"""Actuator models: what an actuator acts on, its activation dynamics, and its force.

The force is ``gain(length, velocity)·u + bias(length, velocity)``, with the activation, or without activation dynamics the
control, as u. Length and velocity are those of the transmission.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from ossature.model.frame_and_shape_references import FrameReference
from ossature.model.joint import UNBOUNDED, Range
from ossature.model.validated_element import Element


class ActivationDynamics(StrEnum):
    """How the activation follows the control; parameters are those of ``dynprm`` in MJCF."""

    NONE = "none"
    INTEGRATOR = "integrator"
    FILTER = "filter"
    FILTER_EXACT = "filterexact"
    MUSCLE = "muscle"
    DC_MOTOR = "dcmotor"
    PID = "pid"
    USER = "user"


class Gain(StrEnum):
    """The factor of the activation; parameters are those of ``gainprm`` in MJCF."""

    FIXED = "fixed"
    AFFINE = "affine"
    MUSCLE = "muscle"
    DC_MOTOR = "dcmotor"
    SO3 = "so3"
    PID = "pid"
    USER = "user"


class Bias(StrEnum):
    """The force without activation; parameters are those of ``biasprm`` in MJCF."""

    NONE = "none"
    AFFINE = "affine"
    MUSCLE = "muscle"
    DC_MOTOR = "dcmotor"
    SO3 = "so3"
    USER = "user"


@dataclass(frozen=True, slots=True, kw_only=True)
class JointTransmission(Element):
    """The actuator drives a coordinate of its joint.

    Attributes:
        coordinate: Index of the coordinate; of a spherical or floating joint the first one, and all are driven.
        in_parent: Whether the gear of a spherical or floating joint is expressed in the parent's frame.
    """

    coordinate: int = 0
    in_parent: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TendonTransmission(Element):
    """The actuator pulls a tendon."""

    tendon: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FrameTransmission(Element):
    """The actuator applies a wrench to a frame of a body.

    Attributes:
        frame: The frame.
        reference: The frame relative to which its length is measured and in which the wrench is expressed, or None for the
            frame itself.
    """

    frame: FrameReference
    reference: FrameReference | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BodyTransmission(Element):
    """The actuator acts on all contacts of a body: adhesion."""

    body: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SliderCrank(Element):
    """The actuator pushes a rod along a slider.

    Attributes:
        crank: The frame at the end of the rod.
        slider: The frame along whose z axis the slider moves.
        length: Length of the rod [m].
    """

    crank: FrameReference
    slider: FrameReference
    length: float


Transmission: TypeAlias = JointTransmission | TendonTransmission | FrameTransmission | BodyTransmission | SliderCrank
"""What an actuator acts on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ActuatorModel(Element):
    """Force and activation dynamics of an actuator.

    Attributes:
        dynamics: How the activation follows the control.
        dynamics_parameters: Its parameters; missing ones at the end are zero.
        gain: The factor of the activation.
        gain_parameters: Its parameters, likewise.
        bias: The force without activation.
        bias_parameters: Its parameters, likewise.
        gear: Factors of the length, for each of up to six components; missing ones at the end are zero.
        control_limits: Limits of the control.
        force_limits: Limits of the force [N or N·m].
        activation_limits: Limits of the activation.
        length_range: Shortest and longest length, for muscles, or None if they are to be computed.
        damping: Damping of the length [N·s/m or N·m·s/rad].
        armature: Inertia of the length [kg or kg·m²].
    """

    dynamics: ActivationDynamics = ActivationDynamics.NONE
    dynamics_parameters: tuple[float, ...] = (1.0,)
    gain: Gain = Gain.FIXED
    gain_parameters: tuple[float, ...] = (1.0,)
    bias: Bias = Bias.NONE
    bias_parameters: tuple[float, ...] = ()
    gear: tuple[float, ...] = (1.0,)
    control_limits: Range = UNBOUNDED
    force_limits: Range = UNBOUNDED
    activation_limits: Range = UNBOUNDED
    length_range: tuple[float, float] | None = None
    damping: float = 0.0
    armature: float = 0.0
