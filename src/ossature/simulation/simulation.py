"""A World in motion."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np

from ossature.assets import MeshStore
from ossature.diagnostics import Report, suggestion
from ossature.model import Actuation, World
from ossature.simulation import contacts, rules
from ossature.simulation.actuation import DRIVEN, is_limited_servo
from ossature.simulation.compile import Compiled, Options, SimulationError, compile_world
from ossature.simulation.coordinates import read_positions, read_velocities, write_positions, write_velocities
from ossature.simulation.drives import Drive, FollowDrive, ForceDrive, ServoDrive, WeldDrive, needs_force_drive
from ossature.simulation.index import BodyIndex, JointIndex, Layout
from ossature.simulation.quiet import quiet
from ossature.simulation.recording import BodyState, Recording
from ossature.simulation.signals import Constant, Signal, Values, signal
from ossature.spatial import Pose

if TYPE_CHECKING:
    from numpy.typing import NDArray

_DIVERGED = (mujoco.mjtWarning.mjWARN_BADQPOS, mujoco.mjtWarning.mjWARN_BADQVEL, mujoco.mjtWarning.mjWARN_BADQACC)
_DIFFICULTIES = {
    mujoco.mjtWarning.mjWARN_INERTIA: "the mass matrix was nearly singular",
    mujoco.mjtWarning.mjWARN_CONTACTFULL: "there were more contacts than the engine has room for",
    mujoco.mjtWarning.mjWARN_CNSTRFULL: "there were more constraints than the engine has room for",
    mujoco.mjtWarning.mjWARN_BADCTRL: "an actuator's input was not a number",
}
_STEPS_PER_CHECK = 200


class Simulation:
    """A World, compiled for the engine and stepped.

    Args:
        world: What to simulate.
        meshes: Where meshes come from; from beside the World's own file if not given.
        report: Where findings go; one of its own where none is given.
        time_step: The step [s]; the World's own where none is given.
        enforce_limits: Whether position limits act. DART enforces them only where a program switches that on.

    Raises:
        SimulationError: The World cannot be simulated; its report says why.
        ValueError: The time step is not positive.
    """

    def __init__(
        self,
        world: World,
        *,
        meshes: MeshStore | None = None,
        report: Report | None = None,
        time_step: float | None = None,
        enforce_limits: bool = True,
    ) -> None:
        self.world = world
        self.report = report if report is not None else Report()
        step = world.time_step if time_step is None else time_step
        if not 0.0 < step < 1e3:
            raise ValueError(f"the time step must be positive, not {step:g} s")
        options = Options(time_step=step, enforce_limits=enforce_limits)
        self._compiled = compile_world(world, meshes or MeshStore.of(world), options, self.report)
        self._data = mujoco.MjData(self._compiled.model)
        self._warned: set[Any] = set()
        self._drives: dict[tuple[str, str], list[Drive]] = {}
        self._active: list[Drive] = []
        self._servos: list[ServoDrive] = []
        self._equalities = _equalities(self._compiled.model)
        self._masks = contacts.masks_of(world)
        self._place_initial_state()
        self._start_drives()

    def _place_initial_state(self) -> None:
        data = self._data
        for index in self._joints():
            write_positions(index, index.joint.initial_positions, data.qpos)
            write_velocities(index, index.joint.initial_velocities, data.qpos, data.qvel)
        with quiet():
            mujoco.mj_forward(self._compiled.model, data)

    def _joints(self) -> list[JointIndex]:
        return [index for joints in self._compiled.index.joints.values() for index in joints.values()]

    def _start_drives(self) -> None:
        for index in self._joints():
            joint = index.joint
            if index.layout is Layout.NONE:
                continue
            if joint.actuation in DRIVEN or needs_force_drive(index):
                self._drive(index, Constant(_initial_command(index)))
        self._sort_drives()

    # Driving

    def command(self, model: str, joint: str, values: Values | Signal | Callable[[float], Values]) -> None:
        """Command a joint: from now on, until the next command.

        Args:
            model: Name of the model.
            joint: Name of the joint.
            values: A number for each coordinate, a :class:`Table`, or a function of time [s] that returns numbers. They
                mean what the joint's actuation says: a force, a velocity or an acceleration of each coordinate.

        Raises:
            KeyError: There is no such model or joint.
            ValueError: The joint takes no command, or the numbers do not fit.
        """
        index = self._joint(model, joint)
        actuation = index.joint.actuation
        if actuation in (Actuation.PASSIVE, Actuation.LOCKED):
            raise ValueError(f"joint '{joint}' is {actuation.value} and takes no command")
        if index.layout is Layout.NONE:
            raise ValueError(f"joint '{joint}' cannot move and takes no command")
        self._drive(index, signal(values, index.joint.degrees_of_freedom))
        self._sort_drives()

    def _drive(self, index: JointIndex, command: Signal) -> None:
        self._drives[index.model, index.joint.name] = drives = self._drives_for(index, command)
        for drive in drives:
            drive.before(self.time, 0.0)

    def _drives_for(self, index: JointIndex, command: Signal) -> list[Drive]:
        model, data = self._compiled.model, self._data
        if index.joint.actuation not in DRIVEN:
            return [ForceDrive(index, command, data)]
        if index.layout in (Layout.BALL, Layout.STACK):
            return [WeldDrive(index, command, self._equalities.welds[index.body], model, data)]
        engine_joints = model.dof_jntid[index.coordinate_dof :][: index.joint.degrees_of_freedom].tolist()
        following = {
            number: self._equalities.joints[engine_joint]
            for number, engine_joint in enumerate(engine_joints)
            if engine_joint in self._equalities.joints
        }
        drives: list[Drive] = [FollowDrive(index, command, following, model, data)] if following else []
        if is_limited_servo(index.joint):
            drives.append(ServoDrive(index, command, model, data))
        return drives

    def _sort_drives(self) -> None:
        active = [drive for drives in self._drives.values() for drive in drives if not drive.steady]
        self._servos = [drive for drive in active if isinstance(drive, ServoDrive)]
        self._active = [drive for drive in active if not isinstance(drive, ServoDrive)]

    def set_collidable(self, model: str, body: str, collidable: bool) -> None:
        """Switch all collision shapes of a body on or off, from now on.

        Raises:
            KeyError: There is no such model or body.
        """
        index = self._body(model, body)
        mask = self._masks.of(index.model, index.body) if collidable else contacts.CLOSED
        for geom in index.touching:
            self._compiled.model.geom_contype[geom] = mask.kind
            self._compiled.model.geom_conaffinity[geom] = mask.affinity

    # Stepping

    def step(self, count: int = 1) -> None:
        """Step on.

        Raises:
            SimulationError: The simulation diverged.
            ValueError: The count is negative.
        """
        if count < 0:
            raise ValueError(f"a simulation steps forward only, not {count} steps")
        model, data = self._compiled.model, self._data
        while count > 0:
            chunk = min(count, _STEPS_PER_CHECK)
            with quiet():
                if not self._active and not self._servos:
                    mujoco.mj_step(model, data, nstep=chunk)
                else:
                    self._step_driven(chunk)
            self._check()
            count -= chunk

    def _step_driven(self, count: int) -> None:
        model, data = self._compiled.model, self._data
        step = model.opt.timestep
        active, servos = self._active, self._servos
        for _ in range(count):
            time = data.time
            for drive in active:
                drive.before(time, step)
            if servos:
                mujoco.mj_step1(model, data)
                for servo in servos:
                    servo.between(time, step)
                mujoco.mj_step2(model, data)
            else:
                mujoco.mj_step(model, data)

    def _check(self) -> None:
        warnings = self._data.warning
        if any(warnings[kind].number for kind in _DIVERGED) or not np.isfinite(self._data.qpos).all():
            self.report.add(rules.BLOWN_UP, f"at {self.time:g} s", self.world.origin, hint="try a shorter --time-step")
            raise SimulationError(self.report)
        for kind, message in _DIFFICULTIES.items():
            if warnings[kind].number and kind not in self._warned:
                self._warned.add(kind)
                self.report.add(rules.ENGINE_WARNING, f"{message}, first at about {self.time:g} s", self.world.origin)

    def run(self, duration: float, sample: float | None = None, progress: Callable[[float], None] | None = None) -> Recording:
        """Step for a duration and record samples: one at the start, then one for each interval, and one at the end.

        Args:
            duration: How long [s], rounded to whole steps.
            sample: Interval between samples [s], rounded to whole steps; without it only start and end are recorded.
            progress: Called now and then with the share that is done, from 0 to 1.

        Raises:
            SimulationError: The simulation diverged.
            ValueError: The duration or interval is not a positive number.
        """
        step = self.time_step
        if not (0.0 <= duration < 1e9) or (sample is not None and not 0.0 < sample < 1e9):
            raise ValueError("the duration must not be negative, and the interval must be positive")
        total = round(duration / step)
        interval = total if sample is None else max(1, round(sample / step))
        samples, done = [self._sample()], 0
        while done < total:
            count = min(interval, total - done)
            self._advance(count, done, total, progress)
            done += count
            samples.append(self._sample())
        return self._recording(samples)

    def _advance(self, count: int, done: int, total: int, progress: Callable[[float], None] | None) -> None:
        if progress is None:
            self.step(count)
            return
        while count > 0:
            chunk = min(count, _STEPS_PER_CHECK)
            self.step(chunk)
            count -= chunk
            done += chunk
            progress(done / total)

    # Looking

    @property
    def time(self) -> float:
        """The time [s]."""
        return float(self._data.time)

    @property
    def time_step(self) -> float:
        """The step [s]."""
        return float(self._compiled.model.opt.timestep)

    @property
    def compiled(self) -> Compiled:
        """The World in the engine, for those who want to go deeper."""
        return self._compiled

    @property
    def data(self) -> Any:
        """The engine's data (``mujoco.MjData``)."""
        return self._data

    def poses(self) -> dict[str, dict[str, Pose]]:
        """Return the pose of every body in the world."""
        self._refresh()
        positions, wxyz = self._data.xpos, self._data.xquat
        return {
            model: {
                name: Pose(tuple(positions[body.number].tolist()), tuple(wxyz[body.number].tolist()))
                for name, body in bodies.items()
            }
            for model, bodies in self._compiled.index.bodies.items()
        }

    def positions(self) -> dict[str, dict[str, tuple[float, ...]]]:
        """Return the coordinates of every joint."""
        return {
            model: {name: read_positions(joint, self._data.qpos) for name, joint in joints.items()}
            for model, joints in self._compiled.index.joints.items()
        }

    def velocities(self) -> dict[str, dict[str, tuple[float, ...]]]:
        """Return the velocities of every joint."""
        qpos, qvel = self._data.qpos, self._data.qvel
        return {
            model: {name: read_velocities(joint, qpos, qvel) for name, joint in joints.items()}
            for model, joints in self._compiled.index.joints.items()
        }

    def body_states(self) -> dict[str, dict[str, BodyState]]:
        """Return place and velocity of every body."""
        recording = self._recording([self._sample()])
        return {
            model: {name: recording.body(model, name) for name in bodies}
            for model, bodies in self._compiled.index.bodies.items()
        }

    def energy(self) -> tuple[float, float]:
        """Return potential energy (of gravity and springs) and kinetic energy [J].

        Springs of ball and free joints count as far as the engine has them: without rest positions, with the stiffness
        that all turns share. What is beyond that has no potential in general.
        """
        model, data = self._compiled.model, self._data
        with quiet():
            mujoco.mj_fwdPosition(model, data)
            mujoco.mj_fwdVelocity(model, data)
            mujoco.mj_energyPos(model, data)
            mujoco.mj_energyVel(model, data)
        # The engine counts the weight of bodies that it keeps from falling, too.
        weight_taken = (model.body_gravcomp * model.body_mass) @ (data.xipos @ model.opt.gravity)
        return float(data.energy[0] + weight_taken), float(data.energy[1])

    def _refresh(self) -> None:
        """Bring places and velocities of bodies up to date; nothing that the next step depends on changes."""
        model, data = self._compiled.model, self._data
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_comVel(model, data)

    def _sample(self) -> tuple[NDArray[np.float64], ...]:
        self._refresh()
        data = self._data
        spin, linear = data.cvel[:, :3], data.cvel[:, 3:]
        # The engine gives velocities at the centre of mass of each tree; what is asked for is the body's origin.
        arm = data.xpos - data.subtree_com[self._compiled.model.body_rootid]
        origin_velocity = linear + np.cross(spin, arm)
        rotation = data.xmat.reshape(-1, 3, 3)
        spin_body = np.einsum("bij,bi->bj", rotation, spin)
        return (
            np.array(data.time),
            data.xpos.copy(),
            data.xquat.copy(),
            origin_velocity,
            spin_body,
            data.qpos.copy(),
            data.qvel.copy(),
        )

    def _recording(self, samples: list[tuple[NDArray[np.float64], ...]]) -> Recording:
        times, positions, wxyz, linear, angular, qpos, qvel = (np.stack(column) for column in zip(*samples, strict=True))
        return Recording(
            times=times,
            positions=positions,
            wxyz=wxyz,
            linear_velocities=linear,
            angular_velocities_body=angular,
            qpos=qpos,
            qvel=qvel,
            index=self._compiled.index,
        )

    def _joint(self, model: str, joint: str) -> JointIndex:
        joints = self._compiled.index.joints.get(model)
        if joints is None:
            raise KeyError(f"there is no model '{model}': {suggestion(model, self._compiled.index.joints)}")
        if joint not in joints:
            raise KeyError(f"model '{model}' has no joint '{joint}': {suggestion(joint, joints)}")
        return joints[joint]

    def _body(self, model: str, body: str) -> BodyIndex:
        bodies = self._compiled.index.bodies.get(model)
        if bodies is None:
            raise KeyError(f"there is no model '{model}': {suggestion(model, self._compiled.index.bodies)}")
        if body not in bodies:
            raise KeyError(f"model '{model}' has no body '{body}': {suggestion(body, bodies)}")
        return bodies[body]


class _Equalities:
    """The engine's numbers of equality constraints: of joints that follow, and of welded children."""

    def __init__(self) -> None:
        self.joints: dict[int, int] = {}
        self.welds: dict[int, int] = {}


def _equalities(model: Any) -> _Equalities:
    found = _Equalities()
    for number in range(model.neq):
        if model.eq_type[number] == mujoco.mjtEq.mjEQ_JOINT and model.eq_obj2id[number] < 0:
            found.joints[int(model.eq_obj1id[number])] = number
        elif model.eq_type[number] == mujoco.mjtEq.mjEQ_WELD:
            found.welds[int(model.eq_obj1id[number])] = number
    return found


def _initial_command(index: JointIndex) -> NDArray[np.float64]:
    coordinates = index.joint.coordinates
    if index.joint.actuation is Actuation.FORCE:
        return np.array([coordinate.initial_effort for coordinate in coordinates])
    if index.joint.actuation is Actuation.ACCELERATION:
        return np.array([coordinate.initial_acceleration for coordinate in coordinates])
    return np.zeros(len(coordinates))
