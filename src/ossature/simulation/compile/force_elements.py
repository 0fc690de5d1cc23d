"""Compiled force elements of a World: spring-dampers, bushings, loads, motors and constraints as objects of the engine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ossature.model import (
    Actuator,
    Bushing,
    Constraint,
    ElectricMotor,
    Load,
    Motor,
    RotationalSpringDamper,
    SpringDamper,
)
from ossature.model.motor_characteristics import Characteristics
from ossature.simulation.compile.engine_spec import SpecActuator, SpecBody, SpecEquality, SpecJoint, SpecSite, SpecTendon
from ossature.simulation.compile.force_laws import Term, linear_torque_term, nonlinear_terms, nonlinear_torque_terms
from ossature.spatial import Pose, Vector3


@dataclass(frozen=True, slots=True, kw_only=True)
class CompiledCoordinate:
    """A hinge or slide of the engine between two bodies of a model.

    Attributes:
        child: Name of the child body.
        parent: Name of the parent body, or None for the world.
        is_revolute: Whether it is a hinge.
        axis: Its axis in the model frame, with all joints at zero.
        start: Its initial position.
    """

    child: str
    parent: str | None
    is_revolute: bool
    axis: Vector3
    joint: SpecJoint
    start: float = 0.0


@dataclass(slots=True, kw_only=True)
class CompiledSpring:
    """A compiled spring-damper with the free length or angle ``free``; its actuator's length is larger by ``offset``.

    If its angle is unwrapped at each step (``wraps``), the actuator has no linear terms of its own.
    """

    model: str
    spring: SpringDamper | RotationalSpringDamper
    actuator: SpecActuator
    free: float
    tendon: SpecTendon | None = None
    wraps: bool = False
    offset: float = 0.0

    def terms(self) -> list[Term]:
        """Return the terms of its force that its actuator does not have."""
        if isinstance(self.spring, SpringDamper):
            return nonlinear_terms(self.spring, self.free)
        linear = [linear_torque_term(self.spring, self.free)] if self.wraps else []
        return [*linear, *nonlinear_torque_terms(self.spring, self.free)]


@dataclass(slots=True, kw_only=True)
class CompiledMoment:
    """A torque that corrects the moment balance of forces between two sites.

    The engine applies a force at one site and the opposite force at another. If the bodies of both have a common ancestor, it
    applies a torque to the ancestor which balances their moment.

    Attributes:
        forces: The actuators of the forces, by axis of the second site.
        first: The site at which the forces act.
        second: The site at which the opposite forces act.
        factor: The factor of the moment of the forces about the second site.
        actuators: The actuators of the torque, about the three axes of a reference site.
        axes: The reference site.
    """

    forces: dict[int, SpecActuator]
    first: SpecSite
    second: SpecSite
    factor: float
    actuators: list[SpecActuator]
    axes: SpecSite


@dataclass(slots=True, kw_only=True)
class CompiledBushing:
    """A compiled bushing: one actuator for each of its six components that has stiffness or damping."""

    model: str
    bushing: Bushing
    actuators: dict[int, SpecActuator]
    site: SpecSite
    reference: SpecSite
    turning_frame: SpecBody | None
    """The engine's second body if it rotates the frame in which damping is measured and the engine does not account for it."""
    common_ancestor: SpecBody | None
    """The last common ancestor of both bodies if it moves: the engine accounts for its part of the rotation of the frame."""


@dataclass(slots=True, kw_only=True)
class CompiledLoad:
    """A compiled load: one actuator, three if its value is an input, or none for a force at a point fixed in the world.

    Attributes:
        model_pose: Pose of the model in the world.
    """

    model: str
    load: Load
    actuators: list[SpecActuator]
    body: SpecBody
    model_pose: Pose


@dataclass(slots=True, kw_only=True)
class CompiledMotor:
    """A compiled motor: a driven joint (``sign`` times its coordinate), or an actuator.

    Attributes:
        has_auxiliary_inertia: Whether its joint has an armature that the World does not have; see ``motor_turning_body.py``.
    """

    model: str
    motor: Motor
    joint: SpecJoint | None = None
    has_auxiliary_inertia: bool = False
    sign: float = 1.0
    start: float = 0.0
    equality: SpecEquality | None = None
    actuator: SpecActuator | None = None


@dataclass(slots=True, kw_only=True)
class CompiledConstraint:
    """A compiled constraint: a tendon of constant length, a clone of one of its bodies, or both.

    Attributes:
        clone: The engine's clone, a child of the other body, or None.
        moves_first: Whether the first body is cloned.
        equality: The engine's equality of the distance, or None.
    """

    model: str
    constraint: Constraint
    clone: SpecBody | None = None
    moves_first: bool = False
    equality: SpecEquality | None = None


@dataclass(slots=True, kw_only=True)
class CompiledElectricMotor:
    """A compiled electric motor.

    Attributes:
        motor: Its data sheet.
        sheet: The characteristics computed from the data sheet.
        joint: The engine's hinge or slide that it drives.
        torque: The engine's actuator with the torque at the shaft as control.
        voltage: The engine's actuator with the voltage as control, or None if resistance or torque constant is unknown.
    """

    model: str
    actuator: Actuator
    motor: ElectricMotor
    sheet: Characteristics
    joint: SpecJoint
    torque: SpecActuator
    voltage: SpecActuator | None


@dataclass(slots=True)
class Elements:
    """All compiled elements of a World."""

    springs: list[CompiledSpring] = field(default_factory=list)
    bushings: list[CompiledBushing] = field(default_factory=list)
    loads: list[CompiledLoad] = field(default_factory=list)
    motors: list[CompiledMotor] = field(default_factory=list)
    electric: list[CompiledElectricMotor] = field(default_factory=list)
    constraints: list[CompiledConstraint] = field(default_factory=list)
    moments: list[CompiledMoment] = field(default_factory=list)

    def sort(self, models: Sequence[str]) -> None:
        """Sort the elements by the order of their models, which is the order of their values in a checkpoint."""
        rank = {name: number for number, name in enumerate(models)}
        groups: tuple[list[Any], ...] = (
            self.springs,
            self.bushings,
            self.loads,
            self.motors,
            self.electric,
            self.constraints,
        )
        for group in groups:
            group.sort(key=lambda built: rank[built.model])

    def __bool__(self) -> bool:
        return bool(self.springs or self.bushings or self.loads or self.motors or self.electric)
