"""A World in motion."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ossature.assets import MeshStore
from ossature.diagnostics import OssatureError, Report
from ossature.kinematics import PossibleGrasps, find_body, remove_grasp, validate_grasp
from ossature.model import ActiveGrasp, BodyPath, Grasp, State, World
from ossature.model.state_compatibility import restrict_state
from ossature.simulation import rules
from ossature.simulation.checkpointing import Stateful
from ossature.simulation.compile import collision_filter
from ossature.simulation.compile.bodies import CompileOptions
from ossature.simulation.compile.compile_world import compile_world
from ossature.simulation.compile.compiled_world import Compiled, SimulationError
from ossature.simulation.compile.contact_settings import ContactOptions
from ossature.simulation.compile.grasps import relative_pose
from ossature.simulation.compile.integrator_choice import Integrator, StepControl
from ossature.simulation.divergence import RollbackPoint, present_divergence
from ossature.simulation.event_schedule import Schedule
from ossature.simulation.gripper_control import Grippers
from ossature.simulation.integrator_report import Integration
from ossature.simulation.lazy_sensors import LazySensors
from ossature.simulation.motor_handles import MotorHandles
from ossature.simulation.observation.contact_forces import ContactForce
from ossature.simulation.observation.force_samples import ForceSample
from ossature.simulation.observation.quantities import Quantities
from ossature.simulation.observation.recording import BodyState, Recording
from ossature.simulation.observation.sample_layout import Sample
from ossature.simulation.penetration import PenetrationWatch
from ossature.simulation.run_diagnostics import RunDiagnostics
from ossature.simulation.run_loop import STEPS_AT_ONCE, run
from ossature.simulation.run_monitor import RunMonitor
from ossature.simulation.runtime import SimulationRuntime
from ossature.simulation.stability_monitor import SimulationMonitor
from ossature.simulation.stepping.command_router import Command
from ossature.simulation.thread_guard import ExclusiveUse, exclusive
from ossature.simulation.world_snapshot import snapshot_world
from ossature.spatial import Pose

if TYPE_CHECKING:
    from ossature.simulation.sensors import Sensors


SHORTEST_STEP, LONGEST_STEP = 1e-12, 1e3
"""Time steps with which the engine can compute [s]."""
_LEAST_CHECKED = 8
"""Steps that are taken at once from which on a state is kept to go back to if they diverge."""


class Simulation:
    """A World, compiled for the engine and stepped.

    A simulation is used by one thread at a time: its methods, and those of its sensors, motors and grippers, raise
    :class:`~ossature.simulation.ConcurrentUseError` while another thread is in one of them. Different simulations may run in
    different threads at the same time, also those of the same World, which is never changed.

    Args:
        world: What to simulate.
        meshes: Where meshes come from; from beside the World's own file if not given.
        report: Where findings go; one of its own where none is given.
        time_step: The step [s]; the World's own where none is given.
        enforce_limits: Whether position limits act. DART enforces them only where a program switches that on.
        contact: How contacts act; rigid if not given.
        integrator: ``semi-implicit-euler`` (DART's own, first order), ``implicit`` (the engine's, first order), ``leapfrog``
            (second order) or ``staggered-euler`` (first order where springs are stiff); the one that suits the World if not
            given.
        tolerance: Largest estimated error that a coordinate may gain by integration per second [m/s or rad/s]: each step is
            divided into as many sub-steps as that needs. A default acts with the leapfrog integrator if none is given.
        sub_steps: Whether a step may be divided into sub-steps.

    Raises:
        SimulationError: The World cannot be simulated; its report says why.
        ValueError: The given time step is none of :data:`SHORTEST_STEP` to :data:`LONGEST_STEP`, the tolerance is not
            positive, or there is no such integrator.
    """

    def __init__(
        self,
        world: World,
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
        self.world = world
        self.report = report if report is not None else Report()
        step = world.time_step if time_step is None else time_step
        if not SHORTEST_STEP <= step <= LONGEST_STEP:
            message = f"the time step must be from {SHORTEST_STEP:g} to {LONGEST_STEP:g} s, not {step:g} s"
            if time_step is not None:
                raise ValueError(message)
            self.report.add(rules.UNUSABLE_TIME_STEP, message, world.origin, hint="for example 0.001")
            raise SimulationError(self.report)
        self._options = CompileOptions(
            time_step=step,
            enforce_limits=enforce_limits,
            contact=contact or ContactOptions(),
            integrator=None if integrator is None else Integrator(integrator),
            step_control=_step_control(tolerance, sub_steps=sub_steps),
        )
        self._meshes = meshes or MeshStore.of(world, self.report.limits)
        compiled = compile_world(world, self._meshes, self._options, self.report)
        self._engine = SimulationRuntime(world, compiled, self.report)
        self._integration = Integration(world, self._engine, self.report)
        self._masks = collision_filter.masks_of(world)
        self._schedule = Schedule()
        self._watch = SimulationMonitor(world, self._engine.data, self._engine.inputs, self.report)
        self._penetration = PenetrationWatch(self.report)
        self._steps = 0
        self._is_running = False
        self._senses = LazySensors(self._build_sensors)
        if any(model.sensors for model in world.models):
            self._engine.restart.carriers["sensors"] = self._senses
        self._engine.begin()
        self._monitor = RunMonitor(self._engine)

    # Driving

    @exclusive
    def command(self, model: str, joint: str, values: Command) -> None:
        """Command a joint: from now on, until the next command.

        A motor takes one number, which means what its drive says, in place of its function. A load takes a factor, or the
        three numbers of its vector where an outside program is to supply it. An electric motor is called with what it is
        told: ``NAME:voltage``, ``NAME:torque``, ``NAME:velocity`` or ``NAME:position``; see also :attr:`actuators`.

        Commands are part of a state. A table that is followed already goes on, where any other command begins anew: so the
        same table may be given again after a restart.

        Args:
            model: Name of the model.
            joint: Name of the joint, motor or load, or of an electric motor and what it is told.
            values: A number for each coordinate, a :class:`Table`, or a function of time [s] that returns numbers. Times
                are those of the simulation. They mean what the joint's actuation says: a force, a velocity or an
                acceleration of each coordinate.

        Raises:
            KeyError: There is no such model, joint, motor or load.
            ValueError: The joint takes no command, or the numbers do not fit.
        """
        if self._engine.commander.follows(model, joint, values):
            return
        self._engine.commander.command(model, joint, values, self.time)
        self._engine.restore_commands()

    @exclusive
    def disable_motor(self, model: str, actuator: str) -> None:
        """Take all current from an electric motor, from now on: it turns with its joint, and only its frictions resist.

        Raises:
            KeyError: There is no such motor.
        """
        self._engine.commander.electric_motor(model, actuator).release()
        self._engine.restore_commands()

    @property
    def actuators(self) -> MotorHandles:
        """The electric motors, by name: ``simulation.actuators["shoulder_motor"].command(voltage=12.0)``."""
        return MotorHandles(self, self._engine.inputs.drives)

    @exclusive
    def set_collidable(self, model: str, body: str, collidable: bool) -> None:
        """Switch all collision shapes of a body on or off, from now on.

        Raises:
            KeyError: There is no such model or body.
        """
        index = self._engine.compiled.index.body(model, body)
        masks = (self._masks.of(index.model, index.body), self._masks.of_self_collisions(index.model, index.body))
        inner = [geom for geom in index.inner_geoms if geom is not None]
        for geoms, mask in zip((index.touching, inner), masks, strict=True):
            for geom in geoms:
                self._engine.compiled.model.geom_contype[geom] = mask.kind if collidable else collision_filter.CLOSED.kind
                self._engine.compiled.model.geom_conaffinity[geom] = (
                    mask.affinity if collidable else collision_filter.CLOSED.affinity
                )
        self._engine.restore_commands()

    # Holding

    @property
    def grippers(self) -> Grippers:
        """The grippers of manipulators, by name: ``simulation.grippers["arm"].close()``."""
        return Grippers(self)

    @property
    def grasps(self) -> tuple[Grasp, ...]:
        """What hands hold now."""
        return tuple([held.grasp for held in self._engine.compiled.holding.held])

    @exclusive
    def grasp(self, link: BodyPath | str, body: BodyPath | str, ignored_bodies: Sequence[str] = ()) -> None:
        """Let a body hold another one from now on, at the pose that it has now; both go on as after an impact without rebound.

        The World is compiled anew for it: :attr:`compiled` and :attr:`data` are others afterwards.

        Args:
            link: The link that grasps, a gripper; ``MODEL/BODY``, or the body's name where it is clear.
            body: The body that is grasped.
            ignored_bodies: Bodies of the holder's model that do not collide with what is held; the holder itself never does.

        Raises:
            GraspError: A body does not exist, is held already, or hangs on the holder.
        """
        grasp = Grasp(link=self._path(link), body=self._path(body), ignored_bodies=tuple(ignored_bodies))
        validate_grasp(replace(self.world, grasps=(*self.grasps, grasp)), len(self.grasps))
        added = ActiveGrasp(grasp=grasp, pose_link_body=relative_pose(self.poses(), grasp))
        self._replace_grasps((*self._engine.compiled.holding.held, added), meeting=True)

    @exclusive
    def release(self, body: BodyPath | str) -> None:
        """Let go of a body, which goes on with the velocity that it has.

        Raises:
            GraspError: Nothing holds it.
        """
        path = self._path(body)
        remove_grasp(replace(self.world, grasps=self.grasps), path)
        self._replace_grasps([other for other in self._engine.compiled.holding.held if other.grasp.body != path], meeting=False)

    def _path(self, body: BodyPath | str) -> BodyPath:
        return body if isinstance(body, BodyPath) else find_body(self.world, body)

    def _replace_grasps(self, every: Sequence[ActiveGrasp], *, meeting: bool) -> None:
        """Go on in the same state while hands hold something else."""
        self._monitor.complete()
        self._engine = self._engine.holding(every, self._meshes, self._options, meeting=meeting)
        self._integration.go_on(self._engine)
        self._watch.go_on(self._engine.data, self._engine.inputs)
        self._senses.build_anew()
        self._engine.restore_commands()
        self._monitor.go_on(self._engine)

    @exclusive
    def to_world(self) -> World:
        """Return a World that begins where this simulation is now, with what hands hold; commands are no part of it."""
        return snapshot_world(self)

    # Stepping

    def schedule(self, time: float, action: Callable[[], object]) -> None:
        """Do something, such as a command, a grab or a release, before the step that begins at a time [s].

        Raises:
            ValueError: The time is past, or no number.
        """
        if not time >= self.time - 0.5 * self.time_step:
            raise ValueError(f"nothing can be done at {time:g} s any more: it is {self.time:g} s")
        self._schedule.add(time, action)

    @exclusive
    def step(self, count: int = 1) -> None:
        """Step on.

        Raises:
            SimulationError: The simulation diverged.
            ValueError: The count is negative.
        """
        if count < 0:
            raise ValueError(f"a simulation steps forward only, not {count} steps")
        while count > 0:
            for action in self._schedule.take_due(self.time, self.time_step):
                action()
            chunk = int(min(count, self._schedule.steps_before_next(self.time, self.time_step)))
            if self._senses.active:
                self.sensors.advance(chunk, self._step_on)
            else:
                self._step_on(chunk)
            count -= chunk
        if not self._is_running and self._monitor.exceeds_anew():
            self._watch.report_peaks(self._monitor.diagnostics())

    def _step_on(self, count: int) -> None:
        while count > 0:
            chunk = min(count, STEPS_AT_ONCE)
            # A state to go back to costs as much as a step.
            checkpoint = RollbackPoint(self._engine, self._steps) if chunk >= _LEAST_CHECKED else None
            if not self._step_monitored(chunk):
                self._report_divergence(checkpoint)
            count -= chunk

    def _report_divergence(self, checkpoint: RollbackPoint | None) -> None:
        """Go back to the last finite state if that is possible, and report where the simulation diverged.

        Raises:
            SimulationError: Always.
        """
        if checkpoint is None:
            divergence = present_divergence(self._engine, self._steps)
        else:
            divergence = checkpoint.find_divergence(self._watch, self._steps - checkpoint.step)
            self._steps = divergence.last_step
        self._monitor.note_divergence(divergence.time)
        self._watch.report_singular_configurations(self._monitor.diagnostics())
        self._watch.report_divergence(divergence)

    def _step_monitored(self, count: int) -> bool:
        """Step on, and return whether the state is still a sensible one."""
        while count > 0:
            chunk = min(count, self._monitor.interval)
            self._engine.steps(chunk)
            self._steps += chunk
            self._monitor.after(chunk)
            self._penetration.check(self._engine.compiled, self._engine.contacts)
            count -= chunk
        self._integration.check()
        return self._watch.check()

    @exclusive
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
    ) -> Recording:
        """Step for a duration and record samples: one at the start, then one for each interval, and one at the end.

        Args:
            duration: How long [s], rounded to whole steps.
            sample: Interval between samples [s], rounded to whole steps; without it only start and end are recorded.
            progress: Called now and then with the share that is done, from 0 to 1.
            sense: Sensors whose readings are recorded, each at its own measurement times; those that do not sense yet are
                switched on, and stay so.
            record: A file into which each sample is written when it is taken; its suffix says which kind.
            keep: Whether all samples are kept in memory and returned; otherwise only the last one is.
            forces: Whether reactions, contact forces and those of force elements are recorded, for which each sample takes
                about two steps more. If not given, they are but for trees of bodies in SKEL files.

        Raises:
            SimulationError: The simulation diverged; its attribute ``recording`` has the samples up to the last finite state.
            RecordingStoppedError: A sample cannot be written; those before it are in the file.
            KeyError: There is no such sensor.
            OssatureError: There is no such kind of recording.
            ValueError: The duration or interval is not a positive number.
        """
        step = self.time_step
        if not (0.0 <= duration < 1e9) or (sample is not None and not 0.0 < sample < 1e9):
            raise ValueError("the duration must not be negative, and the interval must be positive")
        total = round(duration / step)
        interval = total if sample is None else max(1, round(sample / step))
        if sense:
            self.sensors.record(sense)
        samples: list[Sample] = []
        looks: list[ForceSample] = []
        self._is_running = True
        try:
            run(self, total, interval, progress, record, (samples, looks), keep=keep, forces=forces)
        except SimulationError as error:
            readings = self.sensors.recorded() if sense else {}
            recording = self._engine.sampler.recording(samples, looks, readings)
            error.recording = replace(recording, diagnostics=self._monitor.diagnostics())
            raise
        finally:
            self._is_running = False
        found = self.diagnostics
        self._watch.report_run(found)
        recording = self._engine.sampler.recording(samples, looks, self.sensors.recorded() if sense else {})
        return replace(recording, diagnostics=found)

    # Sensing

    @property
    def sensors(self) -> Sensors:
        """What its models sense with, by name; nothing is built before it is asked for."""
        with self.exclusive_use:
            return self._senses.sensors

    def _build_sensors(self) -> Sensors:
        from ossature.simulation.sensors import SensorContext, Sensors

        around = SensorContext(
            world=self.world,
            compiled=self._engine.compiled,
            data=self._engine.data,
            meshes=self._meshes,
            # What there is to tell about sensors is told once.
            report=Report() if self._senses.is_built else self.report,
            efforts=lambda: self._engine.efforts(),
            coordinates=self._coordinates,
            exclusive_use=self.exclusive_use,
        )
        return Sensors(around, self._engine.sampler.refresh)

    def _coordinates(self, model: str, joint: str) -> tuple[tuple[float, ...], tuple[float, ...]]:
        now = self._engine.now()
        return now.joint_positions(model, joint), now.joint_velocities(model, joint)

    # Restarting

    def register_stateful(self, name: str, carrier: Stateful) -> None:
        """Let a part of your own give and take its state with the simulation's.

        Args:
            name: Its name; whoever restores such a state needs a part of the same name.
            carrier: The part.

        Raises:
            ValueError: There is a part of that name, or it has a slash.
        """
        if name in self._engine.restart.carriers or "/" in name:
            raise ValueError(f"a part may not be named '{name}'")
        self._engine.restart.carriers[name] = carrier

    @exclusive
    def state(self) -> State:
        """Return the state now, with all that an exact restart needs."""
        return self._engine.restart.state()

    @exclusive
    def restore(self, state: State, *, partial: bool = False, efforts: bool = True) -> None:
        """Go to a state.

        A state that a simulation of the same World with the same settings gave is restored to the last bit, commands
        included; commands that are functions of time have to be given again before. Any other state is restored to the
        precision of its numbers, and a finding says so.

        Args:
            state: The state.
            partial: Whether to apply what fits where the state is one of another World, or followed a function of time that
                has not been given again.
            efforts: Whether torques of joints become their commands, and wrenches of links act from now on, where the restart
                is not exact.

        Raises:
            StateMismatchError: The state does not fit the World; nothing has changed then.
            FrameError: The frames of the state cannot be resolved; likewise.
            GraspError: What hands are to hold cannot be held; likewise.
        """
        before = self._engine.compiled.holding.held
        memories = {name: carrier.memory() for name, carrier in self._engine.restart.carriers.items()}
        self._restore_grasps(state)
        try:
            self._engine.restart.restore(state, partial=partial, efforts=efforts)
            self._monitor.go_on(self._engine)
        except OssatureError:
            if self._engine.compiled.holding.held != before:
                self._replace_grasps(before, meeting=False)
                for name, memory in memories.items():
                    self._engine.restart.carriers[name].recall(memory)
            raise

    def _restore_grasps(self, state: State) -> None:
        """Let hands hold what they hold in a state, as far as it says so and this World has it."""
        held = restrict_state(state, self.world).grasps
        if held is None or held == self._engine.compiled.holding.held:
            return
        possible = PossibleGrasps(self.world)
        for one in held:
            possible.add(one.grasp)
        self._replace_grasps(held, meeting=False)

    # Looking

    @property
    def diagnostics(self) -> RunDiagnostics:
        """What the run shows about its own accuracy so far: loop residual, singular configurations, energy balance, …."""
        self._monitor.complete()
        return self._monitor.diagnostics()

    @property
    def time(self) -> float:
        """The time [s]."""
        return float(self._engine.data.time)

    @property
    def time_step(self) -> float:
        """The step [s]."""
        return self._options.time_step

    @property
    def integration(self) -> Integration:
        """The integrator, and what became of its steps so far."""
        return self._integration

    @property
    def engine(self) -> SimulationRuntime:
        """The World in the engine and what works on it there, for those who want to go deeper; after a grab another one."""
        return self._engine

    @property
    def compiled(self) -> Compiled:
        """The World in the engine; :attr:`engine` has what works on it."""
        return self._engine.compiled

    @property
    def data(self) -> Any:
        """The engine's data (``mujoco.MjData``)."""
        return self._engine.data

    @exclusive
    def poses(self) -> dict[str, dict[str, Pose]]:
        """Return the pose of every body in the world."""
        self._engine.sampler.refresh()
        positions, wxyz = self._engine.data.xpos, self._engine.data.xquat
        return {
            model: {
                name: Pose(tuple(positions[body.number].tolist()), tuple(wxyz[body.number].tolist()))
                for name, body in bodies.items()
            }
            for model, bodies in self._engine.compiled.index.bodies.items()
        }

    @exclusive
    def positions(self) -> dict[str, dict[str, tuple[float, ...]]]:
        """Return the coordinates of every joint."""
        recording = self._engine.now()
        return {
            model: {name: recording.joint_positions(model, name) for name in joints}
            for model, joints in self._engine.compiled.index.joints.items()
        }

    @exclusive
    def velocities(self) -> dict[str, dict[str, tuple[float, ...]]]:
        """Return the velocities of every joint."""
        recording = self._engine.now()
        return {
            model: {name: recording.joint_velocities(model, name) for name in joints}
            for model, joints in self._engine.compiled.index.joints.items()
        }

    @exclusive
    def body_states(self) -> dict[str, dict[str, BodyState]]:
        """Return place and velocity of every body."""
        recording = self._engine.now()
        return {
            model: {name: recording.body(model, name) for name in bodies}
            for model, bodies in self._engine.compiled.index.bodies.items()
        }

    @exclusive
    def energy(self) -> tuple[float, float]:
        """Return potential and kinetic energy [J]; see :class:`ossature.simulation.energy.EnergyMeter` for what counts."""
        return self._engine.energy()

    @exclusive
    def reactions(self) -> Quantities:
        """Return the force [N] and torque [N·m] that every joint transmits: on its child, at the joint, in axes of the world.

        They are those of the step that begins now, by model, name and ``force`` or ``torque``. Motors, bushings and constraints
        have reactions, too, on their first bodies. What springs, dampers, stops and motors of a joint itself do is part of its
        reaction; elements of their own are not, see docs/conventions.md. In a mechanism with redundant constraints it is
        arbitrary how reactions are shared among the joints.
        """
        return self._engine.observe().reactions

    @exclusive
    def elements(self) -> Quantities:
        """Return lengths, angles and forces of springs, bushings, loads and motors now, by model, name and quantity."""
        return self._engine.observe().elements

    @exclusive
    def contact_forces(self) -> list[ContactForce]:
        """Return the forces at all places where bodies touch, in the step that begins now.

        :func:`ossature.simulation.pair_forces` sums them up for each pair of bodies.
        """
        return self._engine.observe().contacts


def _step_control(tolerance: float | None, *, sub_steps: bool) -> StepControl:
    """Return how steps are divided.

    Raises:
        ValueError: The tolerance is not positive, or it is stated and steps may not be divided.
    """
    if tolerance is None:
        return StepControl(allows_sub_steps=sub_steps)
    if not 0.0 < tolerance < math.inf:
        raise ValueError(f"the tolerance must be positive, not {tolerance:g}")
    if not sub_steps:
        raise ValueError("a tolerance divides steps into sub-steps, which are not allowed here")
    return StepControl(tolerance=tolerance, is_stated=True)
