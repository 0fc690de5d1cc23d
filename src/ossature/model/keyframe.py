"""Keyframes: named states of a model."""

from __future__ import annotations

from dataclasses import dataclass, field

from ossature.diagnostics import Location
from ossature.model.validated_element import Element
from ossature.spatial import Pose


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyframeJoint(Element):
    """The state of a joint in a keyframe.

    Attributes:
        joint: The joint.
        positions: Positions of its coordinates [rad or m], or None for the initial ones.
        velocities: Velocities of its coordinates, or None for the initial ones.
    """

    joint: str
    positions: tuple[float, ...] | None = None
    velocities: tuple[float, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyframeActuator(Element):
    """The state of an actuator in a keyframe.

    Attributes:
        actuator: The actuator.
        control: Its controls; none if they are zero.
        activation: Its activation variables; none if they are zero.
    """

    actuator: str
    control: tuple[float, ...] = ()
    activation: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyframeBody(Element):
    """The pose of a mocap body in a keyframe, in the world frame."""

    body: str
    pose: Pose


@dataclass(frozen=True, slots=True, kw_only=True)
class Keyframe(Element):
    """A named state of a model. Joints that it does not contain are in their initial state.

    Attributes:
        name: Its name, unique among the model's keyframes.
        time: The time [s].
        joints: States of joints.
        actuators: Controls and activations of actuators; others are zero.
        bodies: Poses of mocap bodies; others are at their initial pose.
    """

    name: str
    time: float = 0.0
    joints: tuple[KeyframeJoint, ...] = ()
    actuators: tuple[KeyframeActuator, ...] = ()
    bodies: tuple[KeyframeBody, ...] = ()
    origin: Location | None = field(default=None, compare=False, repr=False)
