"""What forces are at work at an instant: in springs, bushings, loads, motors, joints and contacts.

They are those of the step that begins at that instant. So one step is taken, looked at, and taken back.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np

from ossature.model import LoadKind, SpringDamper
from ossature.simulation.checkpointing import Stateful
from ossature.simulation.compile.compiled_world import Compiled
from ossature.simulation.compile.force_elements import CompiledLoad, CompiledMotor
from ossature.simulation.observation.contact_forces import BodyName, ContactForce, contact_forces, geom_owners
from ossature.simulation.observation.quantities import Quantities
from ossature.simulation.observation.reactions import Reactions
from ossature.simulation.observation.wrenches import BodyWrenches, equality_rows
from ossature.simulation.stepping.applied_forces import Inputs
from ossature.simulation.stepping.integrators import Stepper
from ossature.simulation.stepping.joint_drives import JointDrive as StepDrive
from ossature.simulation.stepping.joint_drives import ServoDrive

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Vector = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Forces:
    """The forces of a step.

    Attributes:
        elements: The quantities of springs, bushings, loads, motors and so on.
        reactions: Force [N] and torque [N·m] on the child of each joint (of a motor, bushing or constraint: the first body),
            at the joint, in axes of the world.
        contacts: The forces of contacts.
        violation: The largest violation of what closes loops [m or rad].
    """

    elements: Quantities
    reactions: Quantities
    contacts: list[ContactForce]
    violation: float


@dataclass(frozen=True, slots=True, kw_only=True)
class BodyForces:
    """What accelerates and pulls the engine's bodies at an instant: turning first, in axes of the world, at one point each.

    Attributes:
        centers: The points, shape (bodies, 3) [m].
        accelerations: Spatial accelerations, less gravity, shape (bodies, 6).
        velocities: Spatial velocities, shape (bodies, 6).
        wrenches: Torque and force on each body by the one that carries it, shape (bodies, 6) [N·m, N].
    """

    centers: Vector
    accelerations: Vector
    velocities: Vector
    wrenches: Vector


class Observer:
    """Looks at the forces of a simulation.

    Args:
        compiled: The World in the engine.
        data: The engine's data.
        stepper: What steps it.
        inputs: What is written at each step.
        carriers: All that has to be taken back after a step.
    """

    def __init__(self, compiled: Compiled, data: Any, stepper: Stepper, inputs: Inputs, carriers: Sequence[Stateful]) -> None:
        self._compiled, self._data, self._stepper, self._inputs = compiled, data, stepper, inputs
        self._carriers = carriers
        following = {coupling.equality.id for coupling in compiled.couplings}
        holding = np.flatnonzero(compiled.model.eq_type != mujoco.mjtEq.mjEQ_JOINT)
        self._holding = np.isin(np.arange(compiled.model.neq), [one for one in holding if one not in following])

    # Most simulations are never looked at, so these are made when they are.

    @cached_property
    def _wrenches(self) -> BodyWrenches:
        return BodyWrenches(self._compiled, self._data)

    @cached_property
    def _reactions(self) -> Reactions:
        return Reactions(self._compiled, self._data, self._wrenches)

    @cached_property
    def _owners(self) -> dict[int, BodyName]:
        return geom_owners(self._compiled)

    def look(self, drives: list[StepDrive], servos: list[ServoDrive]) -> Forces:
        """Return the forces of the step that begins now."""
        speeds = [drive.speed for drive in self._inputs.drives]
        coordinates = [self._coordinate(motor) for motor in self._compiled.elements.motors]
        with self._take_observed_step(drives, servos) as transmitted:
            return Forces(
                elements=self._elements(coordinates, speeds),
                reactions=self._reactions.of(transmitted),
                contacts=contact_forces(self._owners, self._data, *self._wrenches.contacts()),
                violation=self._violation(),
            )

    def efforts(self, drives: list[StepDrive], servos: list[ServoDrive]) -> BodyForces:
        """Return what accelerates and pulls all bodies."""
        with self._take_observed_step(drives, servos) as transmitted:
            data = self._data
            return BodyForces(
                centers=self._wrenches.centers,
                accelerations=data.cacc.copy(),
                velocities=data.cvel.copy(),
                wrenches=transmitted,
            )

    @contextmanager
    def _take_observed_step(self, drives: list[StepDrive], servos: list[ServoDrive]) -> Iterator[Vector]:
        """Take a step to look at its forces, give the wrench on each body by the one that carries it, and take it back."""
        saved = [(carrier, carrier.memory()) for carrier in self._carriers]
        try:
            yield self._wrenches.transmitted(self._stepper.evaluate(drives, servos))
        finally:
            for carrier, memory in saved:
                carrier.recall(memory)

    def _elements(self, coordinates: Sequence[dict[str, float]], speeds: list[float]) -> Quantities:
        found: Quantities = {}
        elements, forces = self._compiled.elements, self._wrenches.actuator_forces
        for spring in elements.springs:
            names = ("length", "force") if isinstance(spring.spring, SpringDamper) else ("angle", "torque")
            values = (self._inputs.length(spring), forces[spring.actuator.id])
            _put(found, spring.model, spring.spring.name, dict(zip(names, values, strict=True)))
        for bushing in elements.bushings:
            wrench = np.zeros(6)
            for component, actuator in bushing.actuators.items():
                wrench[component] = forces[actuator.id]
            _put(found, bushing.model, bushing.bushing.name, {"force": wrench[:3], "torque": wrench[3:]})
        for load in elements.loads:
            quantity = "force" if load.load.kind is LoadKind.FORCE else "torque"
            _put(found, load.model, load.load.name, {quantity: self._load(load)})
        for motor, coordinate in zip(elements.motors, coordinates, strict=True):
            effort = "torque" if motor.motor.guide.is_rotational else "force"
            _put(found, motor.model, motor.motor.name, coordinate | {effort: self._motor_effort(motor)})
        for drive, speed in zip(self._inputs.drives, speeds, strict=True):
            _put(found, drive.built.model, drive.built.actuator.name, drive.quantities(speed))
        return found

    def _load(self, built: CompiledLoad) -> Vector:
        """Return the vector of a load, in axes of the world."""
        if not built.actuators:
            return self._inputs.fixed_point_forces.get((built.model, built.load.name), np.zeros(3))
        model, data = self._compiled.model, self._data
        site, reference = model.actuator_trnid[built.actuators[0].id]
        axes = data.site_xmat[site if reference < 0 else reference].reshape(3, 3)
        numbers = [actuator.id for actuator in built.actuators]
        gears = model.actuator_gear[numbers]
        vectors = gears[:, :3] if built.load.kind is LoadKind.FORCE else gears[:, 3:]
        vector: Vector = axes @ (self._wrenches.actuator_forces[numbers] @ vectors)
        return vector

    def _coordinate(self, built: CompiledMotor) -> dict[str, float]:
        """Return coordinate and rate of a motor now; nothing of one that drives no joint."""
        if built.joint is None:
            return {}
        model, joint = self._compiled.model, built.joint.id
        position = built.sign * (float(self._data.qpos[model.jnt_qposadr[joint]]) - built.start)
        rate = built.sign * float(self._data.qvel[model.jnt_dofadr[joint]])
        return {"angle" if built.motor.guide.is_rotational else "position": position, "rate": rate}

    def _motor_effort(self, built: CompiledMotor) -> float:
        if built.actuator is not None:
            return float(self._wrenches.actuator_forces[built.actuator.id])
        if built.equality is None:
            return 0.0
        return built.sign * float(self._data.efc_force[equality_rows(self._data, built.equality.id)].sum())

    def _violation(self) -> float:
        """Return the largest violation of what holds bodies together; driven and following joints are not among it."""
        data = self._data
        held = self._holding[data.efc_id[: data.ne]]
        return float(np.abs(data.efc_pos[: data.ne][held]).max(initial=0.0))


def _put(found: Quantities, model: str, name: str, values: dict[str, Any]) -> None:
    group = found.setdefault(model, {}).setdefault(name, {})
    for quantity, value in values.items():
        group[quantity] = np.asarray(value, dtype=float)
