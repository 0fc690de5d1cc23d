"""A compiled World at run time: engine data, drives, integrator, sampling and observation."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property

import mujoco
import numpy as np

from ossature.array_types import Array
from ossature.assets import MeshStore
from ossature.diagnostics import Report, Rule
from ossature.formats.mjcf.engine_log_suppression import suppress_engine_warnings
from ossature.formats.mjcf.engine_memory import engine_data_for_run
from ossature.kinematics import find_keyframes, joint_states_of, keyframe_state
from ossature.model import ActiveGrasp, DartStepping, Keyframe, Model, World, hint_of
from ossature.simulation import rules
from ossature.simulation.compile.compile_context import CompileOptions
from ossature.simulation.compile.compile_world import compile_world
from ossature.simulation.compile.coordinate_mapping import write_positions, write_velocities
from ossature.simulation.compile.engine_model import EngineModel
from ossature.simulation.compile.initial_coordinates import initial_coordinates
from ossature.simulation.compile.simulation_error import SimulationError
from ossature.simulation.compile.stiffness_estimate import StiffnessMeter
from ossature.simulation.energy import EnergyMeter
from ossature.simulation.observation.contact_forces import ContactPairs
from ossature.simulation.observation.dynamics_sample import DynamicsSample
from ossature.simulation.observation.force_observer import BodyForces, ForceObserver, Forces
from ossature.simulation.observation.quantity_type_aliases import Quantities
from ossature.simulation.observation.recording import Recording
from ossature.simulation.observation.sample_layout import Sample
from ossature.simulation.observation.sampler import Sampler
from ossature.simulation.penetration_monitor import compliant_contacts
from ossature.simulation.state.checkpointer import Checkpointer
from ossature.simulation.state.initial_assembly import assemble_mechanism
from ossature.simulation.state.transfer_state import conserve_momentum_on_grasp, transfer_state, with_same_integrator
from ossature.simulation.stepping.actuator_inputs import ActuatorInputs
from ossature.simulation.stepping.command_router import CommandRouter
from ossature.simulation.stepping.command_signals import Constant
from ossature.simulation.stepping.drive_set import DriveSet
from ossature.simulation.stepping.engine_inputs import Inputs
from ossature.simulation.stepping.integrators import make_stepper
from ossature.simulation.stepping.joint_drives import JointDrive
from ossature.simulation.stepping.leapfrog_stepper import LeapfrogStepper
from ossature.simulation.stepping.rigid_contacts import make_contacts


class SimulationRuntime:
    """One compilation of a World with its engine data, drives, integrator and observers.

    Args:
        first: The first compilation of the World, which defines the order of bodies and joints in samples; this one by
            default.

    Attributes:
        compiled: The compiled World.
        data: The engine's data (``mujoco.MjData``).
        driving: The drives of joints.
        inputs: The inputs of each step.
        actuators: The commands of actuators of MuJoCo.
        commander: Dispatches commands.
        contacts: The solver of rigid contacts; None if nothing can collide, or contacts are compliant.
        compliant_contacts: The penetration of compliant contacts; None if contacts are rigid or those of an MJCF file, or
            nothing can collide.
        restart: Saves and restores states.
        stepper: The integrator.
        sampler: Takes samples.
    """

    def __init__(self, world: World, compiled: EngineModel, report: Report, first: EngineModel | None = None) -> None:
        self._world, self._report, self._first = world, report, first or compiled
        self.compiled: EngineModel = compiled
        self.data = engine_data_for_run(compiled.model)
        self.driving = DriveSet(compiled, self.data)
        self.inputs = Inputs(compiled, self.data)
        self.actuators = ActuatorInputs(world, compiled, self.data, report)
        self.commander = CommandRouter(world, compiled, self.data, self.driving, self.inputs, self.actuators)
        self.contacts = make_contacts(compiled, self.data)
        has_own_contacts = self.contacts is not None or compiled.is_mjcf_world
        self.compliant_contacts = None if has_own_contacts else compliant_contacts(compiled, self.data)
        self.stepper = make_stepper(compiled, self.data, self.inputs, self.contacts)
        if isinstance(self.stepper, LeapfrogStepper) and self.contacts is not None:
            meter = StiffnessMeter(compiled.model, compiled.compliant_parts, sub_steps=1)
            if meter.has_parts:
                self.stepper.divide_impacts(lambda qpos: 2.0 * math.sqrt(meter.strain_at(qpos)[0]))
        self.restart = Checkpointer(world, compiled, self.data, self.driving, self.inputs, self.actuators, self.stepper, report)
        carriers = tuple(self.restart.components.values())
        self._observer = ForceObserver(compiled, self.data, self.stepper, self.inputs, carriers)
        self._meter = EnergyMeter(compiled, self.data, self.inputs)
        self.sampler = Sampler(compiled, self.data, self._first)
        self._has_forces = compiled.is_mechanism or hint_of(world, DartStepping) is None
        if compiled.is_mjcf_world and compiled.grasp_plan.grasps:
            self._report_once(rules.GRASP_BY_WELD, "each grasp is a weld, which yields under load")

    def _report_once(self, rule: Rule, message: str) -> None:
        if not any(finding.rule is rule for finding in self._report):
            self._report.add(rule, message, self._world.origin)

    def initialize(self) -> None:
        """Set the initial state of the World.

        Raises:
            SimulationError: It cannot be computed; the report states the reason.
        """
        data = self.data
        data.qpos[:], data.qvel[:] = initial_coordinates(self.compiled)
        with suppress_engine_warnings():
            if self.compiled.is_mechanism:
                self.driving.start()  # driven joints keep their positions while others close loops
                self._assemble_mechanism()
            self._require_bounded_state()
            if not self.compiled.is_mjcf_world:
                # A World that MuJoCo compiles keeps MuJoCo's limits, which push joints back by their solver parameters.
                self.inputs.stops.start()
            with self._engine_errors():
                mujoco.mj_forward(self.compiled.model, data)
        self.driving.start()
        with self._engine_errors():
            self.restart_stepper()

    def apply_keyframe(self, name: str) -> None:
        """Set the state of a keyframe; see :meth:`ossature.simulation.Simulation.apply_keyframe`.

        Raises:
            KeyError: There is none of that name.
        """
        keyframes = find_keyframes(self._world, name)
        if not self.compiled.is_mjcf_world:
            self.restart.apply_coordinates(replace(keyframe_state(self._world, name), time=None))
            return
        time = self.data.time
        mujoco.mj_resetData(self.compiled.model, self.data)
        self.data.time = time
        self.actuators.clear()
        self.data.qpos[:], self.data.qvel[:] = initial_coordinates(self.compiled)
        for model, keyframe in keyframes.items():
            self._set_keyframe(self._world.models[model], keyframe)
        with suppress_engine_warnings(), self._engine_errors():
            mujoco.mj_forward(self.compiled.model, self.data)
        self.driving.restart(float(time))
        self.restore_commands()

    def _set_keyframe(self, model: Model, keyframe: Keyframe) -> None:
        """Write the state of a model in a keyframe into the engine's data; controls are commands from now on."""
        index, engine, data = self.compiled.index, self.compiled.model, self.data
        for name, (positions, velocities) in joint_states_of(model, keyframe).items():
            address = index.joints[model.name][name]
            write_positions(address, positions, data.qpos)
            write_velocities(address, velocities, data.qpos, data.qvel)
        for one in keyframe.actuators:
            actuator = index.actuators[model.name][one.actuator]
            if one.control:
                self.actuators.command(model.name, one.actuator, Constant(np.array(one.control)), float(data.time))
            first = int(engine.actuator_actadr[actuator.number])
            data.act[first : first + len(one.activation)] = one.activation
        for placed in keyframe.bodies:
            mocap = int(engine.body_mocapid[index.body(model.name, placed.body).number])
            data.mocap_pos[mocap], data.mocap_quat[mocap] = placed.pose.position, placed.pose.wxyz

    def _assemble_mechanism(self) -> None:
        try:
            assemble_mechanism(self.compiled, self.data, self.inputs, self._world, self._report)
        except np.linalg.LinAlgError as error:
            hint = "check for masses or lengths that differ by many orders of magnitude"
            self._report.add(
                rules.SIMULATION_DIVERGED, "the initial velocities cannot be computed", self._world.origin, hint=hint
            )
            raise SimulationError(self._report) from error

    def _require_bounded_state(self) -> None:
        """Require that initial positions and velocities are below the bound at which the engine reports divergence."""
        for quantity, values in (("positions", self.data.qpos), ("velocities", self.data.qvel)):
            if not np.abs(values).max(initial=0.0) < mujoco.mjMAXVAL:
                message = f"initial {quantity} must be below {mujoco.mjMAXVAL:g} in m, rad and s"
                self._report.add(
                    rules.SIMULATION_DIVERGED, message, self._world.origin, hint="check the units of the initial state"
                )
                raise SimulationError(self._report)

    @contextmanager
    def _engine_errors(self) -> Iterator[None]:
        """Raise errors of the engine as SimulationError; the report contains the reason."""
        try:
            yield
        except mujoco.FatalError as error:
            raise self._simulation_error(error) from error

    def _simulation_error(self, error: Exception) -> SimulationError:
        """Report an error of the engine, and return it as SimulationError."""
        hint = "check for sizes, masses or velocities that differ by many orders of magnitude"
        message = f"the engine cannot continue at {self.data.time:.6g} s: {error}"
        self._report.add(rules.SIMULATION_DIVERGED, message, self._world.origin, hint=hint)
        return SimulationError(self._report)

    def with_grasps(
        self,
        grasps: Sequence[ActiveGrasp],
        meshes: MeshStore,
        options: CompileOptions,
        *,
        conserve_momentum: bool,
        commanded: frozenset[tuple[str, str]] | None = None,
    ) -> SimulationRuntime:
        """Return a compilation with other grasps, in the same state.

        Args:
            commanded: Model and name of the joints with commanded forces; those that have one now if None.
            conserve_momentum: Whether a body is grasped now, with a perfectly inelastic impact.
        """
        present = self.sampler.state_sample()
        # The findings about the World have been reported already.
        commanded = self.driving.commanded_forces() if commanded is None else commanded
        planned = compile_world(self._world, meshes, options, Report(), grasps, commanded=commanded)
        compiled = with_same_integrator(self.compiled, planned)
        with suppress_engine_warnings():
            new = SimulationRuntime(self._world, compiled, self._report, self._first)
            transfer_state(present, self.compiled, self.data, compiled, new.data)
            if conserve_momentum:
                conserve_momentum_on_grasp(self.compiled, self.data, compiled, new.data)
        new.inputs.adopt(self.inputs)
        new.driving.adopt(self.driving, float(self.data.time))
        new.actuators.adopt(self.actuators, float(self.data.time))
        new.stepper.sub_steps.adopt(self.stepper.sub_steps)
        added = {name: part for name, part in self.restart.components.items() if name not in new.restart.components}
        new.restart.components |= added
        return new

    # Stepping

    def steps(self, count: int) -> None:
        """Take a number of time steps."""
        with suppress_engine_warnings():
            try:
                self.stepper.steps(count, self._drives, self.driving.servos)
            except mujoco.FatalError as error:
                raise self._simulation_error(error) from error

    @property
    def _drives(self) -> list[JointDrive]:
        """What is updated before each step."""
        return [*self.driving.active, *self.actuators.active] if self.actuators.active else self.driving.active

    def restore_commands(self) -> None:
        """Update the inputs after a change of commands."""
        self.inputs.sort()
        # The acceleration is different from now on, and staggered velocities are initialized with it.
        self.restart_stepper()

    def restart_stepper(self) -> None:
        """Restart the integrator after a sudden change of forces."""
        with suppress_engine_warnings():
            self.stepper.start()

    # Observation

    def now(self) -> Recording:
        """Return the current sample as a recording."""
        return self.sampler.recording([self.sampler.sample()])

    def energy(self) -> tuple[float, float]:
        """Return potential and kinetic energy [J]."""
        with suppress_engine_warnings():
            self.sampler.refresh()
            return self._meter.energy()

    def conservative_energy(self) -> tuple[float, float]:
        """Return potential and kinetic energy [J] as the balance has them: without elements that have no potential."""
        with suppress_engine_warnings():
            self.sampler.refresh()
            potential, kinetic = self._meter.energy()
            return potential - self._meter.nonconservative_part(), kinetic + self._meter.auxiliary_part()

    def observe(self) -> Forces:
        """Return the forces of the next step; that there are no reactions is reported once."""
        self._report_reaction_obstacle()
        with suppress_engine_warnings():
            return self._observer.forces(self._drives, self.driving.servos)

    def efforts(self) -> BodyForces:
        """Return accelerations and forces of all bodies."""
        with suppress_engine_warnings():
            return self._observer.body_forces(self._drives, self.driving.servos)

    @cached_property
    def _pairs(self) -> ContactPairs:
        return ContactPairs(self._first)

    def sample(self, forces: bool | None = None) -> tuple[Sample, DynamicsSample]:
        """Return the current sample, with its energy and forces.

        Args:
            forces: Whether to evaluate forces; by default for all Worlds except trees of bodies in SKEL files.
        """
        sample = self.sampler.sample()
        if not (self._has_forces if forces is None else forces):
            with suppress_engine_warnings():  # the sample has updated poses and velocities
                return sample, DynamicsSample(self._meter.energy(), {}, {}, {}, None)
        found = self.observe()
        contacts, reactions = self._pairs.forces(found.contacts), self._joint_reactions(found.reactions)
        return sample, DynamicsSample(self.energy(), found.elements, reactions, contacts, found.violation)

    def _report_reaction_obstacle(self) -> None:
        """Report once that joints have no reactions."""
        obstacle = self._observer.reaction_obstacle
        if obstacle is not None:
            self._report_once(rules.NO_REACTIONS, f"reactions of joints are not computed: {obstacle}")

    def measurement(self, model: str, sensor: str) -> Array:
        """Return the present values of a sensor of states."""
        return self._observer.native.measurement(model, sensor)

    def _joint_reactions(self, reactions: Quantities) -> Quantities:
        """Return the reactions of joints, which all samples have, without those of grasps."""
        grasps = self.compiled.grasp_plan.attached
        if not grasps:
            return reactions
        permanent = {
            model: {name: one for name, one in names.items() if (model, name) not in grasps}
            for model, names in reactions.items()
        }
        return {model: names for model, names in permanent.items() if names}
