"""Simulation of a World."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import numpy as np

from ossature.argument_types import number_array, typed_arguments, whole_number
from ossature.array_types import Array
from ossature.assets import MeshStore
from ossature.diagnostics import OssatureError, Report
from ossature.formats.mjcf.engine_log_suppression import suppress_engine_warnings
from ossature.kinematics import PossibleGrasps, find_body, remove_grasp, validate_grasp
from ossature.model import ActiveGrasp, Actuation, BodyPath, Floating, Grasp, State, World
from ossature.model.state_compatibility import restrict_state
from ossature.simulation.accuracy_results import RunDiagnostics
from ossature.simulation.compile import collision_filter
from ossature.simulation.compile.contact_model import ContactOptions
from ossature.simulation.compile.grasp_attachment import relative_pose
from ossature.simulation.compile.simulation_error import SimulationError, engine_errors
from ossature.simulation.compiled_model import CompiledModel, compile_for_run
from ossature.simulation.event_schedule import EventSchedule
from ossature.simulation.exclusive_use import ExclusiveUse, exclusive
from ossature.simulation.export_world import world_at_current_state
from ossature.simulation.gripper_control import Grippers
from ossature.simulation.integrator_summary import IntegratorSummary
from ossature.simulation.lazy_sensors import LazySensors
from ossature.simulation.monitored_steps import MonitoredSteps
from ossature.simulation.motor_handles import MotorHandles
from ossature.simulation.observation.dynamics_sample import DynamicsSample
from ossature.simulation.observation.recording import Recording
from ossature.simulation.observation.sample_layout import Sample
from ossature.simulation.run_loop import run
from ossature.simulation.simulation_readout import SimulationReadout
from ossature.simulation.simulation_runtime import SimulationRuntime
from ossature.simulation.stateful_components import Stateful
from ossature.simulation.stepping.command_router import Command
from ossature.simulation.stepping.drive_set import commanded_forces_of

if TYPE_CHECKING:
    from ossature.simulation.sensors import Sensors

LONGEST_RUN = 1e9
"""Limit of the duration of a run, and of the interval between its samples [s]."""


class Simulation(SimulationReadout):
    """A World, compiled for the engine and stepped.

    A simulation is used by one thread at a time: its methods, and those of its sensors, motors and grippers, raise
    :class:`~ossature.simulation.ConcurrentUseError` while another thread is in one of them. Different simulations may run in
    different threads at the same time, also those of the same World, which is never changed.

    Args:
        world: The World, or one that is compiled already, with all options of its compilation.
        meshes: Source of the meshes; by default the directory of the World's file.
        report: Collects the findings; by default a new report.
        time_step: The time step [s]; by default that of the World.
        enforce_limits: Whether position limits are enforced. DART enforces them only if a program enables that.
        contact: The contact options; rigid contacts by default.
        integrator: ``semi-implicit-euler`` (as in DART, first order), ``implicit`` (that of MuJoCo, first order), ``leapfrog``
            (second order) or ``staggered-euler`` (first order for stiff springs); by default it is selected for the World.
        tolerance: Largest estimated integration error of a coordinate per second [m/s or rad/s]: each step is divided into
            the number of sub-steps that this requires. The leapfrog integrator has a default tolerance.
        sub_steps: Whether a step may be divided into sub-steps.

    Raises:
        SimulationError: The World cannot be simulated; its report states the reasons.
        ValueError: The time step is not between :data:`SHORTEST_STEP` and :data:`LONGEST_STEP`, the tolerance is not
            positive, the integrator is unknown, or an option is given with a compiled model.
    """

    @typed_arguments
    def __init__(
        self,
        world: World | CompiledModel,
        *,
        meshes: MeshStore | None = None,
        report: Report | None = None,
        time_step: float | None = None,
        enforce_limits: bool = True,
        contact: ContactOptions | None = None,
        integrator: str | None = None,
        tolerance: float | None = None,
        sub_steps: bool = True,
    ) -> None:
        self.exclusive_use = ExclusiveUse()
        self.report = report if report is not None else Report()
        options = {
            "meshes": meshes,
            "time_step": time_step,
            "enforce_limits": enforce_limits,
            "contact": contact,
            "integrator": integrator,
            "tolerance": tolerance,
            "sub_steps": sub_steps,
        }
        compiled_model, compiled = compile_for_run(world, self.report, options)
        self.world = compiled_model.world
        self._options, self._meshes = compiled_model.options, compiled_model.meshes
        self._schedule = EventSchedule()
        self._is_running = False
        self._lazy_sensors = LazySensors(self._build_sensors)
        with suppress_engine_warnings(), engine_errors(self.world, self.report):
            self._engine = SimulationRuntime(self.world, compiled, self.report)
            self._steps = MonitoredSteps(self.world, self._engine, self.report)
        if any(model.sensors for model in self.world.models):
            self._engine.restart.components["sensors"] = self._lazy_sensors

    def __repr__(self) -> str:
        models = ", ".join(self.world.models.names())
        return f"Simulation({models}; time step {self.time_step:g} s, time {self.time:g} s)"

    def __reduce__(self) -> NoReturn:
        """Refuse copies, which would share the engine, and pickles.

        Raises:
            TypeError: Always.
        """
        raise TypeError("a Simulation cannot be copied or pickled: restore its state() in a new Simulation of its World")

    # Commands

    @exclusive
    @typed_arguments
    def command(self, model: str, joint: str, values: Command) -> None:
        """Command a joint from now on, until the next command.

        A motor accepts one number instead of its function, with the meaning that its drive mode defines; it moves to a
        commanded position within one step, at constant speed. A load accepts a factor, or the three components of its vector
        if an external program supplies it. Electric motors are commanded as ``NAME:voltage``, ``NAME:torque``,
        ``NAME:velocity`` or ``NAME:position``; see also :attr:`actuators`.

        Commands are part of a state. A command with the :class:`SampledSignal` that is active already has no effect, so that
        the same signal may be given again after a restart; any other command starts again.

        Args:
            model: Name of the model.
            joint: Name of the joint, motor or load, or of an electric motor and its quantity.
            values: A number for each coordinate, a :class:`SampledSignal`, or a function of simulation time [s] that returns
                numbers. The actuation of the joint defines whether they are forces, velocities or accelerations.

        Raises:
            KeyError: The model, joint, motor or load does not exist.
            ValueError: The joint does not accept commands, or the number of values is wrong.
        """
        if self._engine.commander.follows(model, joint, values):
            return
        if self._is_attached_to_gripper(model, joint):
            # A weld holds the body instead, so that its floating joint has coordinates on which the force acts.
            plan = self._engine.compiled.grasp_plan
            commanded = self._engine.driving.commanded_forces() | {(model, joint)}
            self._replace_grasps(plan.grasps, conserve_momentum=False, commanded=commanded)
        self._engine.commander.command(model, joint, values, self.time)
        self._engine.restore_commands()

    def _is_attached_to_gripper(self, model: str, joint: str) -> bool:
        """Whether a name is a floating joint with force actuation that has no coordinates because its body is grasped."""
        plan = self._engine.compiled.grasp_plan
        if not any(owner == model for owner, _ in plan.attached) or joint not in self.world.models[model].joints:
            return False
        specified = self.world.models[model].joints[joint]
        is_force = isinstance(specified.type, Floating) and specified.actuation is Actuation.FORCE
        return is_force and not self._engine.compiled.index.joint(model, joint).dof_count

    @exclusive
    @typed_arguments
    def apply_keyframe(self, name: str) -> None:
        """Set the state of a keyframe: positions and velocities of joints.

        In a World that MuJoCo compiles also controls, activations and poses of mocap bodies; its controls replace all commands
        of actuators, and what the keyframe does not state returns to the initial state. The time does not change.

        Raises:
            KeyError: No model has a keyframe of that name; the message suggests a similar one.
        """
        self._engine.apply_keyframe(name)
        self._steps.accuracy.switch_to_engine(self._engine)

    @exclusive
    @typed_arguments
    def disable_motor(self, model: str, actuator: str) -> None:
        """Disconnect an electric motor from now on: it rotates with its joint, without current, and with its friction.

        Raises:
            KeyError: The motor does not exist.
        """
        self._engine.commander.electric_motor(model, actuator).release()
        self._engine.restore_commands()

    @property
    def actuators(self) -> MotorHandles:
        """The electric motors, by name: ``simulation.actuators["shoulder_motor"].command(voltage=12.0)``."""
        return MotorHandles(self, self._engine.inputs.drives)

    @exclusive
    @typed_arguments
    def set_collidable(self, model: str, body: str, collidable: bool) -> None:
        """Enable or disable all collision shapes of a body from now on.

        Raises:
            KeyError: The model or body does not exist.
        """
        index = self._engine.compiled.index.body(model, body)
        of_world = collision_filter.masks_of(self.world)
        deforms = bool(index.points)
        groups = (
            (index.rigid_geoms, of_world.of(index.model, index.body)),
            (index.inner_geoms, of_world.of_self_collisions(index.model, index.body)),
            ((index.skin if deforms else None,), of_world.of_skin(index.model)),
            (index.points, of_world.of_points(index.model, index.body)),
        )
        engine_model = self._engine.compiled.model
        for numbers, mask in groups:
            geoms = [geom for geom in numbers if geom is not None]
            applied = mask if collidable else collision_filter.CLOSED
            engine_model.geom_contype[geoms], engine_model.geom_conaffinity[geoms] = applied.kind, applied.affinity
        self._engine.restore_commands()

    # Grasps

    @property
    def grippers(self) -> Grippers:
        """The grippers of manipulators, by name: ``simulation.grippers["arm"].close()``."""
        return Grippers(self)

    @property
    def grasps(self) -> tuple[Grasp, ...]:
        """The current grasps."""
        return tuple([active.grasp for active in self._engine.compiled.grasp_plan.grasps])

    @exclusive
    @typed_arguments
    def grasp(self, link: BodyPath | str, body: BodyPath | str, ignored_bodies: Sequence[str] = ()) -> None:
        """Attach a body to a gripper link from now on, at its current relative pose, with a perfectly inelastic impact.

        The World is compiled again: :attr:`compiled` and :attr:`data` are replaced.

        Args:
            link: The gripper link; ``MODEL/BODY``, or the name of the body if it is unique.
            body: The body that is grasped.
            ignored_bodies: Bodies of the gripper's model that do not collide with the grasped body, in addition to the link.

        Raises:
            GraspError: A body does not exist, is grasped already, or is a descendant of the gripper link.
        """
        grasp = Grasp(link=self._body_path(link), body=self._body_path(body), ignored_bodies=tuple(ignored_bodies))
        validate_grasp(replace(self.world, grasps=(*self.grasps, grasp)), len(self.grasps))
        added = ActiveGrasp(grasp=grasp, pose_link_body=relative_pose(self.poses(), grasp))
        self._replace_grasps((*self._engine.compiled.grasp_plan.grasps, added), conserve_momentum=True)

    @exclusive
    @typed_arguments
    def release(self, body: BodyPath | str) -> None:
        """Release a grasped body, which keeps its velocity.

        Raises:
            GraspError: The body is not grasped.
        """
        path = self._body_path(body)
        remove_grasp(replace(self.world, grasps=self.grasps), path)
        remaining = [other for other in self._engine.compiled.grasp_plan.grasps if other.grasp.body != path]
        self._replace_grasps(remaining, conserve_momentum=False)

    def _body_path(self, body: BodyPath | str) -> BodyPath:
        return body if isinstance(body, BodyPath) else find_body(self.world, body)

    def _replace_grasps(
        self,
        grasps: Sequence[ActiveGrasp],
        *,
        conserve_momentum: bool,
        commanded: frozenset[tuple[str, str]] | None = None,
    ) -> None:
        self._steps.accuracy.complete()
        self._engine = self._engine.with_grasps(
            grasps, self._meshes, self._options, conserve_momentum=conserve_momentum, commanded=commanded
        )
        self._steps.replace_engine(self._engine)
        self._lazy_sensors.rebuild()
        self._engine.restore_commands()
        self._steps.accuracy.switch_to_engine(self._engine)

    @exclusive
    def to_world(self) -> World:
        """Return a World whose initial state is the current state, including grasps but not commands."""
        world = replace(self.world, grasps=self.grasps)
        return world_at_current_state(world, self.positions(), self.velocities(), self.body_states())

    # Stepping

    @typed_arguments
    def schedule(self, time: float, action: Callable[[], object]) -> None:
        """Schedule an action, such as a command, grasp or release, before the step that starts at a time [s].

        Raises:
            ValueError: The time is in the past, or not finite.
            TypeError: The time is not a number, or the action cannot be called.
        """
        if not self.time - 0.5 * self.time_step <= time < math.inf:
            raise ValueError(f"cannot schedule an action at {time:g} s: the simulation time is {self.time:g} s")
        self._schedule.add(time, action)

    @exclusive
    def step(self, count: int = 1) -> None:
        """Take a number of time steps.

        Raises:
            SimulationError: The simulation diverged.
            TypeError: The count is not an integer.
            ValueError: The count is negative.
        """
        count = _number_of_steps(count)
        while count > 0:
            chunk = self._execute_due_actions(count) if self._schedule else count
            if self._lazy_sensors.active:
                self.sensors.advance(chunk, self._steps.take)
            else:
                self._steps.take(chunk)
            count -= chunk
        if not self._is_running and self._steps.accuracy.has_new_exceedance():
            self._steps.findings.report_peaks(self._steps.accuracy.diagnostics())

    def _execute_due_actions(self, count: int) -> int:
        """Execute the scheduled actions that are due; return the number of steps before the next one, at most a number."""
        for action in self._schedule.pop_due(self.time, self.time_step):
            action()
        return int(min(count, self._schedule.steps_before_next(self.time, self.time_step)))

    def advance(self, count: int, inputs: Sequence[tuple[str, str, Array]] = ()) -> None:
        """Command several inputs at once, and take time steps: as :meth:`command` and :meth:`step`, at less cost for few steps.

        There is no checkpoint: after a divergence the state is not the last finite one.

        Args:
            count: The number of steps.
            inputs: Model, name and constant values of joints, motors and loads.

        Raises:
            KeyError: The model, joint, motor or load does not exist.
            SimulationError: The simulation diverged.
            TypeError: The count is not an integer, or an input is something else.
            ValueError: A joint does not accept commands, the number of values is wrong, one is not finite, or the count is
                negative.
        """
        if not isinstance(inputs, Sequence):
            raise TypeError(f"the inputs are a sequence, not {inputs!r:.80}")
        self._advance_with_valid_inputs(count, [_constant_input(each) for each in inputs])

    @exclusive
    def _advance_with_valid_inputs(self, count: int, inputs: Sequence[tuple[str, str, Array]]) -> None:
        """Do what :meth:`advance` does, with inputs whose values are known to be finite and are not changed afterwards."""
        count = _number_of_steps(count)
        if inputs:
            self._command_inputs(inputs)
        if self._schedule or self._lazy_sensors.active:
            self.step(count)
        else:
            self._steps.take_without_checkpoint(count)

    def _command_inputs(self, inputs: Sequence[tuple[str, str, Array]]) -> None:
        engine, time, is_sorted = self._engine, self.time, True
        for model, name, values in inputs:
            is_sorted &= engine.commander.command_constant(model, name, values, time)
        if is_sorted:
            engine.restart_stepper()
        else:
            engine.restore_commands()

    def stop_energy_balance(self) -> None:
        """Keep the energy balance of :attr:`diagnostics` as it is from now on: recording the work costs as much as a step."""
        self._steps.accuracy.stop_energy_balance()

    @exclusive
    @typed_arguments
    def set_coordinates(self, state: State) -> None:
        """Set the positions and velocities that a state specifies; unspecified ones, time and commands stay.

        Loops, couplings and motors are assembled from the specified values; what remains of them is reported.

        Raises:
            StateMismatchError: The state does not fit the World.
        """
        self._engine.restart.apply_coordinates(state)
        self._steps.accuracy.switch_to_engine(self._engine)

    @exclusive
    @typed_arguments
    def run(
        self,
        duration: float,
        sample: float | None = None,
        progress: Callable[[float], None] | None = None,
        sense: Sequence[str] = (),
        *,
        record: str | Path | None = None,
        keep: bool = True,
        forces: bool | None = None,
        until: Callable[[Recording], bool] | None = None,
    ) -> Recording:
        """Simulate for a duration and record samples: at the start, after each interval, and at the end.

        Args:
            duration: Duration [s], rounded to whole steps.
            sample: Interval between samples [s], rounded to whole steps; without it only start and end are recorded.
            progress: Callback with the completed fraction, from 0 to 1.
            sense: Sensors whose readings are recorded, each at its own measurement times; inactive ones are enabled, and
                remain enabled.
            record: A file that each sample is written to immediately; its suffix selects the format.
            keep: Whether all samples are kept in memory and returned, or only the last one.
            forces: Whether reactions, contact forces and forces of force elements are recorded, at the cost of about two
                steps per sample; by default for all Worlds except trees of bodies in SKEL files.
            until: Condition of a recording with one sample; the run ends at the first sample that satisfies it.

        Raises:
            SimulationError: The simulation diverged; its attribute ``recording`` has the samples up to the last finite state.
            RecordingStoppedError: A sample cannot be written; those before it are in the file.
            KeyError: A sensor does not exist.
            OssatureError: The recording format is not supported.
            ValueError: The duration is negative or too long, or the interval is not positive.
            TypeError: One of them is not a number.
        """
        step = self.time_step
        if not 0.0 <= duration < LONGEST_RUN:
            raise ValueError(f"the duration must be from 0 to {LONGEST_RUN:g} s, not {duration} s")
        if sample is not None and not 0.0 < sample < LONGEST_RUN:
            raise ValueError(f"the interval between samples must be positive and less than {LONGEST_RUN:g} s, not {sample} s")
        total = round(duration / step)
        interval = total if sample is None else max(1, round(sample / step))
        if sense:
            self.sensors.record(sense)
        samples: list[Sample] = []
        force_samples: list[DynamicsSample] = []
        self._is_running = True
        sampler = self._engine.sampler

        def ends(sample: Sample, force_sample: DynamicsSample) -> bool:
            return until is not None and until(sampler.recording([sample], [force_sample]))

        def recorded(diagnostics: RunDiagnostics) -> Recording:
            readings = self.sensors.recorded() if sense else {}
            return replace(self._engine.sampler.recording(samples, force_samples, readings), diagnostics=diagnostics)

        try:
            run(self, total, interval, progress, record, (samples, force_samples), keep=keep, forces=forces, ends=ends)
        except SimulationError as error:
            error.recording = recorded(self._steps.accuracy.diagnostics())
            raise
        finally:
            self._is_running = False
        found = self.diagnostics
        self._steps.findings.report_run(found)
        if forces is not False:
            self._steps.report_redundant_constraints()
        return recorded(found)

    # Sensors

    @property
    def sensors(self) -> Sensors:
        """The sensors of all models, by name; they are built on first use."""
        with self.exclusive_use:
            return self._lazy_sensors.sensors

    def _build_sensors(self) -> Sensors:
        from ossature.simulation.sensors import SensorContext, Sensors

        context = SensorContext(
            world=self.world,
            compiled=self._engine.compiled,
            data=self._engine.data,
            meshes=self._meshes,
            # Findings about sensors are reported once.
            report=Report() if self._lazy_sensors.is_built else self.report,
            efforts=lambda: self._engine.efforts(),
            reactions=lambda: self._engine.observe().reactions,
            measured=lambda model, sensor: self._engine.measurement(model, sensor),
            coordinates=self._joint_coordinates,
            exclusive_use=self.exclusive_use,
        )
        return Sensors(context, self._engine.sampler.refresh)

    def _joint_coordinates(self, model: str, joint: str) -> tuple[tuple[float, ...], tuple[float, ...]]:
        now = self._engine.now()
        return now.joint_positions(model, joint), now.joint_velocities(model, joint)

    # Restarting

    @typed_arguments
    def register_stateful(self, name: str, carrier: Stateful) -> None:
        """Register a component whose state is saved and restored with that of the simulation.

        Args:
            name: Its name; a simulation that restores such a state needs a component of the same name.
            carrier: The component.

        Raises:
            ValueError: The name is in use, or contains a slash.
        """
        if name in self._engine.restart.components or "/" in name:
            raise ValueError(f"the component name '{name}' is in use, or contains a slash")
        self._engine.restart.components[name] = carrier

    @exclusive
    def state(self) -> State:
        """Return the current state, including the checkpoint for a bit-exact restart."""
        return self._engine.restart.state()

    @exclusive
    @typed_arguments
    def restore(self, state: State, *, partial: bool = False, efforts: bool = True) -> None:
        """Restore a state.

        A state of a simulation of the same World with the same settings is restored bit-exactly, including commands; commands
        that are functions of time must be given again before. Any other state is restored to the precision of its numbers,
        which is reported.

        Args:
            state: The state.
            partial: Whether to apply the matching part of a state of another World, or of a state with a command function that
                has not been given again.
            efforts: Whether joint efforts become commands, and wrenches of links are applied from now on, if the restart is
                approximate.

        Raises:
            StateMismatchError: The state does not fit the World. The simulation does not change, as for all errors here.
            FrameError: The frames of the state cannot be resolved.
            GraspError: A grasp of the state is not possible.
        """
        before = self._engine.compiled.grasp_plan.grasps
        saved = {name: carrier.get_state() for name, carrier in self._engine.restart.components.items()}
        self._restore_grasps(state)
        try:
            self._engine.restart.restore(state, partial=partial, efforts=efforts)
            self._steps.accuracy.switch_to_engine(self._engine)
        except OssatureError:
            if self._engine.compiled.grasp_plan.grasps != before:
                self._replace_grasps(before, conserve_momentum=False)
                for name, saved_state in saved.items():
                    self._engine.restart.components[name].set_state(saved_state)
            raise

    def _restore_grasps(self, state: State) -> None:
        """Restore the grasps of a state, as far as it specifies them and their bodies exist in this World."""
        grasps = restrict_state(state, self.world).grasps
        plan = self._engine.compiled.grasp_plan
        commanded = frozenset() if state.checkpoint is None else commanded_forces_of(state.checkpoint, self.world)
        if grasps is None or (grasps == plan.grasps and not (grasps and commanded ^ plan.commanded)):
            return
        possible = PossibleGrasps(self.world)
        for one in grasps:
            possible.add(one.grasp)
        self._replace_grasps(grasps, conserve_momentum=False, commanded=commanded)

    # Settings and diagnostics

    @property
    def diagnostics(self) -> RunDiagnostics:
        """The accuracy diagnostics of the run so far: loop residual, singular configurations, energy balance, …."""
        return self._steps.diagnostics()

    @property
    def time_step(self) -> float:
        """The time step [s]."""
        return self._options.time_step

    @property
    def integration(self) -> IntegratorSummary:
        """The integrator, and statistics of its steps so far."""
        return self._steps.integration


def _number_of_steps(count: int) -> int:
    number = whole_number("the number of steps", count)
    if number < 0:
        raise ValueError(f"the number of steps must not be negative, not {number}")
    return number


def _constant_input(specified: tuple[str, str, Array]) -> tuple[str, str, Array]:
    """Return model, name and a copy of the values of an input."""
    if not isinstance(specified, tuple | list) or len(specified) != 3 or not all(isinstance(one, str) for one in specified[:2]):
        raise TypeError(f"an input is a tuple of a model, a name and values, not {specified!r:.80}")
    model, name, values = specified
    copied = number_array(f"the command of '{model}/{name}'", values)
    if not np.isfinite(copied).all():
        raise ValueError(f"a command must be finite, not {values!r:.80}")
    return model, name, copied if copied.ndim else copied.reshape(1)
