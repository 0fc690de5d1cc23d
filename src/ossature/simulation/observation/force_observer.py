"""Forces at an instant: of springs, bushings, loads, motors, joints and contacts.

They are those of the step that starts at that instant. So one step is made, observed and undone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import mujoco
import numpy as np

from ossature.array_types import BoolArray, Vector
from ossature.model import LoadKind, SpringDamper
from ossature.simulation.compile.engine_model import EngineModel
from ossature.simulation.compile.force_elements import CompiledLoad, CompiledMotor
from ossature.simulation.observation.body_wrenches import BodyWrenches
from ossature.simulation.observation.contact_forces import BodyName, ContactForce, contact_forces, geom_owners
from ossature.simulation.observation.coordinate_wrenches import equality_rows
from ossature.simulation.observation.mujoco_quantities import MujocoQuantities, have_plastic_springs
from ossature.simulation.observation.quantity_type_aliases import Quantities
from ossature.simulation.observation.reactions import Reactions
from ossature.simulation.stateful_components import Stateful
from ossature.simulation.stepping.engine_inputs import Inputs
from ossature.simulation.stepping.joint_drives import JointDrive as StepDrive
from ossature.simulation.stepping.joint_drives import ServoDrive
from ossature.simulation.stepping.stepper import Stepper


@dataclass(frozen=True, slots=True, kw_only=True)
class Forces:
    """The forces of a step.

    Attributes:
        elements: The quantities of force elements and motors.
        reactions: Force [N] and torque [N·m] on the child of each joint (or the first body of a motor, bushing or constraint),
            at the joint, in axes of the world.
        violation: The largest residual of a loop constraint [m or rad].
    """

    elements: Quantities
    reactions: Quantities
    contacts: list[ContactForce]
    violation: float


@dataclass(frozen=True, slots=True, kw_only=True)
class BodyForces:
    """Spatial accelerations, velocities and wrenches of the engine's bodies: angular part first, in axes of the world.

    Attributes:
        centers: The reference point of each body, shape (bodies, 3) [m].
        accelerations: Spatial accelerations, less gravity, shape (bodies, 6).
        velocities: Spatial velocities, shape (bodies, 6).
        wrenches: Torque and force on each body by its parent, shape (bodies, 6) [N·m, N].
    """

    centers: Vector
    accelerations: Vector
    velocities: Vector
    wrenches: Vector


class ForceObserver:
    """Computes the forces of a simulation.

    Args:
        stateful: The components whose state is restored after the step.

    Attributes:
        reaction_obstacle: Why there are no reactions, or None.
    """

    def __init__(
        self, compiled: EngineModel, data: mujoco.MjData, stepper: Stepper, inputs: Inputs, stateful: Sequence[Stateful]
    ) -> None:
        self._compiled, self._data, self._stepper, self._inputs = compiled, data, stepper, inputs
        self._stateful = stateful
        is_mjcf_world = compiled.is_mjcf_world
        self.reaction_obstacle = reaction_obstacle(compiled.model) if is_mjcf_world else None

    # Most simulations do not record forces, so these are created on demand.

    @cached_property
    def _closes_loop(self) -> BoolArray:
        """Whether each equality constraint of the engine closes a loop."""
        closes = np.array(self._compiled.model.eq_type != mujoco.mjtEq.mjEQ_JOINT)
        closes[[coupling.equality.id for coupling in self._compiled.couplings]] = False
        return closes

    @cached_property
    def native(self) -> MujocoQuantities:
        """The quantities of actuators, tendons and sensors of a World that MuJoCo compiles."""
        return MujocoQuantities(self._compiled, self._data)

    @cached_property
    def _wrenches(self) -> BodyWrenches:
        return BodyWrenches(self._compiled, self._data)

    @cached_property
    def _reactions(self) -> Reactions:
        return Reactions(self._compiled, self._data, self._wrenches)

    @cached_property
    def _owners(self) -> dict[int, BodyName]:
        return geom_owners(self._compiled)

    def forces(self, drives: list[StepDrive], servos: list[ServoDrive]) -> Forces:
        """Return the forces of the step that starts now."""
        if self._compiled.is_mjcf_world:
            return self._native_forces(drives, servos)
        speeds = [drive.speed for drive in self._inputs.drives]
        coordinates = [self._motor_coordinate(motor) for motor in self._compiled.elements.motors]
        with self._trial_step_wrenches(drives, servos) as transmitted:
            return Forces(
                elements=self._element_quantities(coordinates, speeds),
                reactions=self._reactions.of(transmitted),
                contacts=contact_forces(self._owners, self._data, *self._wrenches.contacts()),
                violation=self._largest_violation(),
            )

    def _native_forces(self, drives: list[StepDrive], servos: list[ServoDrive]) -> Forces:
        """Return the forces of a World that MuJoCo compiles."""
        with self._trial_step_wrenches(drives, servos) as transmitted:
            reactions = self._reactions.of(transmitted) if self.reaction_obstacle is None else {}
            contacts = contact_forces(self._owners, self._data, *self._wrenches.contacts())
            violation = self._largest_violation()
        return Forces(elements=self.native.quantities(), reactions=reactions, contacts=contacts, violation=violation)

    def body_forces(self, drives: list[StepDrive], servos: list[ServoDrive]) -> BodyForces:
        """Return accelerations, velocities and wrenches of all bodies."""
        with self._trial_step_wrenches(drives, servos) as transmitted:
            data = self._data
            return BodyForces(
                centers=self._wrenches.centers,
                accelerations=data.cacc.copy(),
                velocities=data.cvel.copy(),
                wrenches=transmitted,
            )

    @contextmanager
    def _trial_step_wrenches(self, drives: list[StepDrive], servos: list[ServoDrive]) -> Iterator[Vector]:
        """Make a step, yield the wrench on each body by its parent, and restore the state before the step."""
        saved = [(component, component.get_state()) for component in self._stateful]
        try:
            yield self._wrenches.transmitted(self._stepper.evaluate(drives, servos))
        finally:
            for component, saved_state in saved:
                component.set_state(saved_state)

    def _element_quantities(self, coordinates: Sequence[dict[str, float]], speeds: list[float]) -> Quantities:
        quantities: Quantities = {}
        elements, forces = self._compiled.elements, self._wrenches.actuators.forces
        for spring in elements.springs:
            names = ("length", "force") if isinstance(spring.spring, SpringDamper) else ("angle", "torque")
            values = (self._inputs.element_forces.length(spring), forces[spring.actuator.id])
            _add_quantities(quantities, spring.model, spring.spring.name, dict(zip(names, values, strict=True)))
        for bushing in elements.bushings:
            wrench = np.zeros(6)
            for component, actuator in bushing.actuators.items():
                wrench[component] = forces[actuator.id]
            _add_quantities(quantities, bushing.model, bushing.bushing.name, {"force": wrench[:3], "torque": wrench[3:]})
        for load in elements.loads:
            quantity = "force" if load.load.kind is LoadKind.FORCE else "torque"
            _add_quantities(quantities, load.model, load.load.name, {quantity: self._load_vector(load)})
        for motor, coordinate in zip(elements.motors, coordinates, strict=True):
            effort = "torque" if motor.motor.guide.is_rotational else "force"
            _add_quantities(quantities, motor.model, motor.motor.name, coordinate | {effort: self._motor_effort(motor)})
        for drive, speed in zip(self._inputs.drives, speeds, strict=True):
            _add_quantities(quantities, drive.built.model, drive.built.actuator.name, drive.quantities(speed))
        return quantities

    def _load_vector(self, built: CompiledLoad) -> Vector:
        """Return the vector of a load, in axes of the world."""
        if not built.actuators:
            return self._inputs.element_forces.fixed_point_forces.get((built.model, built.load.name), np.zeros(3))
        model, data = self._compiled.model, self._data
        site, reference = model.actuator_trnid[built.actuators[0].id]
        axes = data.site_xmat[site if reference < 0 else reference].reshape(3, 3)
        numbers = [actuator.id for actuator in built.actuators]
        gears = model.actuator_gear[numbers]
        vectors = gears[:, :3] if built.load.kind is LoadKind.FORCE else gears[:, 3:]
        vector: Vector = axes @ (self._wrenches.actuators.forces[numbers] @ vectors)
        return vector

    def _motor_coordinate(self, built: CompiledMotor) -> dict[str, float]:
        """Return the current coordinate and rate of a motor; empty for a motor without a joint."""
        if built.joint is None:
            return {}
        model, joint = self._compiled.model, built.joint.id
        position = built.sign * (float(self._data.qpos[model.jnt_qposadr[joint]]) - built.start)
        rate = built.sign * float(self._data.qvel[model.jnt_dofadr[joint]])
        return {"angle" if built.motor.guide.is_rotational else "position": position, "rate": rate}

    def _motor_effort(self, built: CompiledMotor) -> float:
        if built.actuator is not None:
            return float(self._wrenches.actuators.forces[built.actuator.id])
        if built.equality is None:
            return 0.0
        effort = float(self._data.efc_force[equality_rows(self._data, built.equality.id)].sum())
        if built.has_auxiliary_inertia and built.joint is not None:
            dof = self._compiled.model.jnt_dofadr[built.joint.id]
            effort -= float(self._compiled.model.dof_armature[dof] * self._data.qacc[dof])
        return built.sign * effort

    def _largest_violation(self) -> float:
        """Return the largest residual of the constraints between bodies, without driven and coupled joints."""
        data = self._data
        is_loop_row = self._closes_loop[data.efc_id[: data.ne]]
        return float(np.abs(data.efc_pos[: data.ne][is_loop_row]).max(initial=0.0))


def _add_quantities(quantities: Quantities, model: str, name: str, values: dict[str, Any]) -> None:
    group = quantities.setdefault(model, {}).setdefault(name, {})
    for quantity, value in values.items():
        group[quantity] = np.asarray(value, dtype=float)


def reaction_obstacle(model: mujoco.MjModel) -> str | None:
    """Return why reactions of joints are not computed, or None: MuJoCo states some forces along coordinates only."""
    flexible = [int(mujoco.mjtEq.mjEQ_FLEX), int(mujoco.mjtEq.mjEQ_FLEXVERT), int(mujoco.mjtEq.mjEQ_FLEXSTRAIN)]
    transmissions = [int(mujoco.mjtTrn.mjTRN_BODY), int(mujoco.mjtTrn.mjTRN_SLIDERCRANK)]
    reasons = {
        "flexible bodies": model.nflex or np.isin(model.eq_type, flexible).any(),
        "adhesion or slider-cranks": np.isin(model.actuator_trntype, transmissions).any(),
        "forces of a fluid": model.opt.density or model.opt.viscosity,
        "inertia or plastic springs of tendons": model.tendon_armature.any() or have_plastic_springs(model).any(),
        "plugins": model.nplugin,
    }
    return ", ".join([reason for reason, applies in reasons.items() if applies]) or None
