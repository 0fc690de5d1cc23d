"""A simulation as arrays, for control loops and learning: configuration, velocities, commands and observations."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any, NoReturn

import numpy as np

from ossature.argument_types import number_array, typed_arguments
from ossature.array_types import AnyArray, Vector
from ossature.diagnostics import suggestion
from ossature.kinematics import find_keyframes
from ossature.model import (
    Actuation,
    JointPosition,
    JointState,
    ModelState,
    NamedList,
    State,
    UnknownNameError,
    World,
    position_text,
)
from ossature.simulation.compile.address_map import JointAddress, JointLayout
from ossature.simulation.compile.coordinate_mapping import read_positions, read_velocities
from ossature.simulation.compile.engine_model import EngineModel
from ossature.simulation.compiled_model import CompiledModel
from ossature.simulation.simulation import Simulation
from ossature.simulation.stepping.actuator_inputs import limits_of_controls
from ossature.simulation.stepping.electric_motor_drive import split_command

_POSE_PARTS = ("x", "y", "z", "qw", "qx", "qy", "qz")
_TWIST_PARTS = ("vx", "vy", "vz", "wx", "wy", "wz")


class Plant:
    """A simulation that is commanded and observed by arrays, one control step at a time.

    A command is constant within a control step (zero-order hold). The motion has the same bits as that of
    :meth:`Simulation.run` with the same commands at the same times.

    Args:
        world: The World, compiled or not, or a simulation of it, whose present state is that of :meth:`reset`.
        inputs: The commanded joints, motors, loads, actuators and electric motors in the order of ``u``, as ``MODEL/NAME`` or
            ``NAME`` if that is unique; electric motors as ``NAME:voltage``, ``NAME:torque``, ``NAME:velocity`` or
            ``NAME:position``. By default all motors, and all actuators of MuJoCo; in a World without any, all joints with
            scalar coordinates that accept commands.
        steps: Number of time steps in a control step.
        observe: What :meth:`step` returns, in this order: ``time``, ``q``, ``v``, ``u``, ``pose:MODEL/BODY`` (position and
            quaternion, scalar first, in the world), ``twist:MODEL/BODY`` (velocity of the origin in axes of the world and
            angular velocity in axes of the body) and ``sensor:MODEL/SENSOR`` (the last reading of a sensor, flattened).
        seed: Seed, or generator of random numbers, of the noise of sensors. Without one, each reset repeats the same noise.

    Attributes:
        simulation: The simulation. Its other methods may be used between control steps.
        rng: The generator of random numbers, or None.

    Raises:
        KeyError: An input, or an observed body or sensor, does not exist.
        ValueError: A joint does not accept commands, or the number of steps is not positive.
    """

    @typed_arguments
    def __init__(
        self,
        world: World | CompiledModel | Simulation,
        inputs: Sequence[str] | None = None,
        *,
        steps: int = 1,
        observe: Sequence[str] = ("q", "v"),
        seed: int | np.random.Generator | None = None,
    ) -> None:
        if steps < 1:
            raise ValueError(f"a control step has at least one time step, not {steps}")
        self.simulation = world if isinstance(world, Simulation) else Simulation(world)
        self.simulation.stop_energy_balance()
        self.rng = None if seed is None else np.random.default_rng(seed)
        self._steps = steps
        joints = self.simulation.compiled.index.all_joints()
        self._joints = [joint for joint in joints if joint.layout is not JointLayout.NONE and joint.joint.degrees_of_freedom]
        self._inputs = _inputs_with_widths(self.simulation, inputs)
        self._u = np.zeros(sum(width for _, _, width in self._inputs))
        slices = _slices([width for _, _, width in self._inputs])
        self._places = [(model, name, part) for (model, name, _), part in zip(self._inputs, slices, strict=True)]
        self._observed = tuple(observe)
        self._sensor_names = [item.partition(":")[2] for item in self._observed if item.startswith("sensor:")]
        self._initial = self.simulation.state()
        self._start_sensors()
        self._bind()

    def _bind(self) -> None:
        """Create the views of the engine's data, which a grasp replaces."""
        self._engine = self.simulation.engine
        self._coordinates = _Coordinates(self._engine.compiled, self._engine.data, self._joints, self.simulation)
        self._time, self._observation_names = np.zeros(1), []
        parts = [self._observed_part(item) for item in self._observed]
        self._observation = np.zeros(sum(len(names) for names, _ in parts))
        slices = _slices([len(names) for names, _ in parts])
        self._observation_names = [name for names, _ in parts for name in names]
        self._readers = [(self._observation[part], read) for part, (_, read) in zip(slices, parts, strict=True)]
        self._needs_poses = any(item.partition(":")[0] in ("pose", "twist") for item in self._observed)
        self._observe()

    # Coordinates and commands

    @property
    def q(self) -> Vector:
        """The coordinates of all joints that can move [m or rad], in the order of :attr:`q_names`; a view."""
        return self._coordinates.q

    @property
    def v(self) -> Vector:
        """The velocities of all joints [m/s or rad/s], in the order of :attr:`q_names`; a view, updated by each step."""
        return self._coordinates.v

    @property
    def u(self) -> Vector:
        """The commands of the last control step, in the order of :attr:`u_names`; a view."""
        return _read_only(self._u)

    @property
    def q_names(self) -> tuple[str, ...]:
        """The coordinates, as ``MODEL/JOINT``, and ``MODEL/JOINT[1]``, … of joints with several."""
        places = [(joint.model, joint.joint.name, joint.joint.degrees_of_freedom) for joint in self._joints]
        return tuple([name for place in places for name in _coordinate_names(*place)])

    @property
    def u_names(self) -> tuple[str, ...]:
        """The commands, named as coordinates are."""
        return tuple([name for place in self._inputs for name in _coordinate_names(*place)])

    @property
    def q_limits(self) -> tuple[Vector, Vector]:
        """Lower and upper position limits; infinite if there is none."""
        limits = [coordinate.position_limits for joint in self._joints for coordinate in joint.joint.coordinates]
        return np.array([limit.lower for limit in limits]), np.array([limit.upper for limit in limits])

    @property
    def u_limits(self) -> tuple[Vector, Vector]:
        """Lower and upper limits of the commands: of actuators the control range, of joints effort limits or velocity limits.

        They are infinite if there is none.
        """
        limits = [limit for model, name, width in self._inputs for limit in self._limits_of_input(model, name, width)]
        return np.array([lower for lower, _ in limits]), np.array([upper for _, upper in limits])

    def _limits_of_input(self, model: str, name: str, width: int) -> list[tuple[float, float]]:
        compiled = self._engine.compiled
        actuator = compiled.index.actuators.get(model, {}).get(name)
        if actuator is not None:
            lower, upper = limits_of_controls(compiled.model, actuator)
            return list(zip(lower.tolist(), upper.tolist(), strict=True))
        index = compiled.index.joints.get(model, {}).get(name)
        if index is None or index.joint.actuation is Actuation.ACCELERATION:
            return [(-math.inf, math.inf)] * width
        is_force = index.joint.actuation is Actuation.FORCE
        limits = [each.effort_limits if is_force else each.velocity_limits for each in index.joint.coordinates]
        return [(limit.lower, limit.upper) for limit in limits]

    @property
    def time(self) -> float:
        """The time [s]."""
        return self.simulation.time

    @property
    def control_step(self) -> float:
        """The length of a control step [s]."""
        return self._steps * self.simulation.time_step

    # Steps

    def step(self, u: Sequence[float] | Vector | None = None, *, steps: int | None = None) -> Vector:
        """Take a control step, and return the observation at its end, a view that the next step overwrites.

        Args:
            u: The commands: forces, velocities or accelerations, as the actuation of each joint defines; None to keep those
                that are active, which may be functions of time.
            steps: Number of time steps instead of that of a control step.

        Raises:
            SimulationError: The simulation diverged.
            ValueError: The number of commands is wrong, or one is not finite.
        """
        self.simulation._advance_with_valid_inputs(
            self._steps if steps is None else steps, () if u is None else self._commands(u)
        )
        if self.simulation.engine is not self._engine:
            self._bind()
        else:
            self._observe()
        return self._observation

    def _commands(self, u: Sequence[float] | Vector) -> list[tuple[str, str, Vector]]:
        values = number_array("u", u)
        if values.shape != self._u.shape:
            raise ValueError(
                f"there are {self._u.size} commands ({', '.join(self.u_names)}), not an array of shape {values.shape}"
            )
        if not all(map(math.isfinite, values.tolist())):
            raise ValueError(f"commands must be finite, not {values.tolist()}")
        self._u[:] = values
        return [(model, name, values[part]) for model, name, part in self._places]

    @typed_arguments
    def reset(
        self,
        state: State | str | None = None,
        *,
        q: Sequence[float] | Vector | None = None,
        v: Sequence[float] | Vector | None = None,
        seed: int | np.random.Generator | None = None,
    ) -> Vector:
        """Return to the initial state, without commands, and return the observation.

        Args:
            state: Another state, or the name of a keyframe of the World, of which the states of joints apply. A state of a
                simulation of the same World and settings is restored with its commands and time, bit-exactly.
            q: Coordinates to start from instead. Loops, couplings and motors are assembled from them.
            v: Velocities to start from instead.
            seed: Seed or generator of random numbers from now on.

        Raises:
            KeyError: There is no such keyframe.
            StateMismatchError: The state does not fit the World.
            ValueError: The number of coordinates or velocities is wrong, or one is not finite.
        """
        if seed is not None:
            self.rng = np.random.default_rng(seed)
        simulation = self.simulation
        if isinstance(state, str):
            find_keyframes(simulation.world, state)
        coordinates = None if q is None and v is None else self._coordinate_state(q, v)
        simulation.data.warning.number[:] = 0
        simulation.restore(self._initial)
        self._u[:] = 0.0
        if isinstance(state, str):
            simulation.apply_keyframe(state)
        elif state is not None and state.checkpoint is not None:
            simulation.restore(state)
        elif state is not None:
            simulation.set_coordinates(state)
        if coordinates is not None:
            simulation.set_coordinates(coordinates)
        self._read_controls()
        self._start_sensors()
        self._bind()
        return self._observation

    def _read_controls(self) -> None:
        """Set the commands of actuators to their present controls, which a keyframe or a state may state."""
        actuators = self.simulation.compiled.index.actuators
        for model, name, part in self._places:
            if (address := actuators.get(model, {}).get(name)) is not None:
                self._u[part] = self.simulation.data.ctrl[address.controls]

    def _start_sensors(self) -> None:
        """Start the observed sensors, with noise by the generator of random numbers if there is one."""
        if not self._sensor_names:
            return
        sensors = self.simulation.sensors
        if self.rng is not None:
            sensors.seed(int(self.rng.integers(2**63)))
        for name in self._sensor_names:
            sensors[name].start()

    def _coordinate_state(self, q: Sequence[float] | Vector | None, v: Sequence[float] | Vector | None) -> State:
        positions, velocities = self._by_joint(q, "coordinates"), self._by_joint(v, "velocities")
        models: dict[str, list[JointState]] = {}
        for joint, position, velocity in zip(self._joints, positions, velocities, strict=True):
            specified = JointState(name=joint.joint.name, positions=position, velocities=velocity)
            models.setdefault(joint.model, []).append(specified)
        states = [ModelState(name=name, joints=NamedList(joints)) for name, joints in models.items()]
        return State(name=self.simulation.world.name, models=NamedList(states))

    def _by_joint(self, values: Sequence[float] | Vector | None, what: str) -> list[tuple[float, ...] | None]:
        widths = [joint.joint.degrees_of_freedom for joint in self._joints]
        if values is None:
            return [None] * len(widths)
        array = number_array(what, values)
        if array.shape != (sum(widths),) or not np.isfinite(array).all():
            raise ValueError(f"there are {sum(widths)} finite {what}, not {array.tolist()}")
        return [tuple(array[part].tolist()) for part in _slices(widths)]

    # Observations

    @property
    def observation(self) -> Vector:
        """The observation, a view that each step overwrites; its numbers are named by :attr:`observation_names`."""
        return self._observation

    @property
    def observation_names(self) -> tuple[str, ...]:
        """The names of the numbers of an observation."""
        return tuple(self._observation_names)

    @property
    def readings(self) -> dict[str, dict[str, AnyArray]]:
        """The arrays of the last readings of the observed sensors, by sensor and by field (docs/sensors.md)."""
        sensors = self.simulation.sensors
        return {name: sensors[name].read().arrays() for name in self._sensor_names}

    def _observe(self) -> None:
        self._coordinates.update()
        if self._needs_poses:
            self._engine.sampler.refresh()
        for part, read in self._readers:
            part[:] = read()

    def _observed_part(self, item: str) -> tuple[Sequence[str], Callable[[], Any]]:
        """Return the names of the numbers of an observed item, and what reads them."""
        kind, _, name = item.partition(":")
        if kind == "sensor" and name:
            return _observed_sensor(self.simulation, name)
        if kind in ("pose", "twist") and name:
            return self._observed_body(kind, name)
        coordinates, data = self._coordinates, self._engine.data
        whole: Mapping[str, tuple[Sequence[str], Callable[[], Any]]] = {
            "time": (["time"], lambda: data.time),
            "q": ([f"q:{each}" for each in self.q_names], lambda: coordinates.q),
            "v": ([f"v:{each}" for each in self.q_names], lambda: coordinates.v),
            "u": ([f"u:{each}" for each in self.u_names], lambda: self._u),
        }
        if item not in whole:
            raise UnknownNameError(
                f"'{item}' cannot be observed; time, q, v, u, pose:MODEL/BODY, twist:MODEL/BODY and sensor:NAME can"
            )
        return whole[item]

    def _observed_body(self, kind: str, path: str) -> tuple[Sequence[str], Callable[[], Any]]:
        model, _, body = path.partition("/")
        number, engine = self._engine.compiled.index.body(model, body).number, self._engine
        if kind == "pose":
            position, wxyz = engine.data.xpos[number], engine.data.xquat[number]
            return [f"{path}.{part}" for part in _POSE_PARTS], lambda: np.concatenate([position, wxyz])
        simulation = self.simulation

        def twist() -> Vector:
            state = simulation.body_states()[model][body]
            return np.array([*state.linear_velocity, *state.angular_velocity_body])

        return [f"{path}.{part}" for part in _TWIST_PARTS], twist

    def __repr__(self) -> str:
        return (
            f"Plant({len(self.q)} coordinates, {len(self._u)} inputs, {len(self._observation)} observed numbers; "
            f"control step {self.control_step:g} s, time {self.time:g} s)"
        )

    def __reduce__(self) -> NoReturn:
        """Refuse copies, which would share the engine, and pickles.

        Raises:
            TypeError: Always.
        """
        raise TypeError("a Plant cannot be copied or pickled: create one of the same World or CompiledModel")


class _Coordinates:
    """The coordinates and velocities of joints: views of the engine's arrays if these are the same numbers, else copies."""

    def __init__(self, compiled: EngineModel, data: Any, joints: Sequence[JointAddress], simulation: Simulation) -> None:
        self._joints, self._simulation = joints, simulation
        self._qpos, self._qvel = data.qpos, data.qvel
        self._has_derived = any(joint.layout is JointLayout.DERIVED for joint in joints)
        qpos, dofs = _contiguous(joints)
        self._is_view = qpos is not None and dofs is not None
        if qpos is not None and dofs is not None:
            self.q, self.v = _read_only(data.qpos[qpos]), _read_only(data.qvel[dofs])
            return
        width = sum(joint.joint.degrees_of_freedom for joint in joints)
        self._q, self._v = np.zeros(width), np.zeros(width)
        self.q, self.v = _read_only(self._q), _read_only(self._v)

    def update(self) -> None:
        """Copy the present values, unless the arrays are views."""
        if self._is_view:
            return
        if self._has_derived:
            recording = self._simulation.engine.now()
            places = [(joint.model, joint.joint.name) for joint in self._joints]
            self._q[:] = [value for place in places for value in recording.joint_positions(*place)]
            self._v[:] = [value for place in places for value in recording.joint_velocities(*place)]
            return
        qpos, qvel = self._qpos, self._qvel
        self._q[:] = [value for joint in self._joints for value in read_positions(joint, qpos)]
        self._v[:] = [value for joint in self._joints for value in read_velocities(joint, qpos, qvel)]


def _contiguous(joints: Sequence[JointAddress]) -> tuple[slice | None, slice | None]:
    """Return the parts of the engine's positions and velocities that are the joints' coordinates, if they are."""
    if not joints or any(joint.layout is not JointLayout.SCALARS or joint.is_reversed for joint in joints):
        return None, None
    qpos, dof = joints[0].qpos, joints[0].dof
    for joint in joints:
        if (joint.qpos, joint.dof) != (qpos, dof):
            return None, None
        qpos, dof = qpos + joint.joint.degrees_of_freedom, dof + joint.joint.degrees_of_freedom
    return slice(joints[0].qpos, qpos), slice(joints[0].dof, dof)


def _observed_sensor(simulation: Simulation, name: str) -> tuple[Sequence[str], Callable[[], Any]]:
    """Return the names of the numbers of a sensor's readings, and what reads the last one."""
    from ossature.simulation.sensors.reading_base import outputs_of

    device = simulation.sensors[name]
    reading = device.read()
    fields = [field for field in outputs_of(type(reading)) if np.asarray(getattr(reading, field)).dtype.kind in "biuf"]
    shapes = {field: np.asarray(getattr(reading, field)).shape for field in fields}
    names = [
        f"{device.path}.{field}" + (f"[{','.join(map(str, place))}]" if place else "")
        for field in fields
        for place in np.ndindex(shapes[field])
    ]

    def values() -> Vector:
        present = device.read()
        arrays = [np.asarray(getattr(present, field), dtype=np.float64) for field in fields]
        for field, array in zip(fields, arrays, strict=True):
            if array.shape != shapes[field]:
                raise ValueError(f"'{device.path}': the shape of '{field}' varies; observe it with readings")
        return np.concatenate([array.reshape(-1) for array in arrays])

    return names, values


def _inputs_with_widths(simulation: Simulation, inputs: Sequence[str] | None) -> list[tuple[str, str, int]]:
    """Return model, name and number of values of each input."""
    index = simulation.compiled.index
    joints = [joint for joint in index.all_joints() if joint.dof_count]
    widths = {(joint.model, joint.joint.name): joint.joint.degrees_of_freedom for joint in joints}
    controls = {(model, name): one.control_count for model, group in index.actuators.items() for name, one in group.items()}
    commanded = simulation.engine.inputs
    motors = {(motor.built.model, motor.built.motor.name): 1 for motor in commanded.motors}
    driven = [(model, name, width) for (model, name), width in (controls | motors).items() if width]
    if inputs is None and driven:
        return driven
    if inputs is None:
        return [
            (joint.model, joint.joint.name, joint.joint.degrees_of_freedom)
            for joint in joints
            if joint.layout in (JointLayout.SCALARS, JointLayout.SCREW)
            and joint.joint.actuation not in (Actuation.PASSIVE, Actuation.LOCKED)
        ]
    widths |= {(load.built.model, load.built.load.name): 3 if load.built.load.value is None else 1 for load in commanded.loads}
    widths |= motors | controls
    electric = [(drive.built.model, drive.built.actuator.name) for drive in commanded.drives]
    found = [_find_input(name, widths, electric) for name in inputs]
    if len({(model, name) for model, name, _ in found}) < len(found):
        raise ValueError("an input is given twice")
    return found


def _find_input(name: str, widths: Mapping[tuple[str, str], int], electric: Sequence[tuple[str, str]]) -> tuple[str, str, int]:
    command = split_command(name)
    names = electric if command is not None else list(widths)
    plain = name if command is None else command[0]
    suffix = name[len(plain) :]
    matches = [each for each in names if plain in (f"{each[0]}/{each[1]}", each[1])]
    if len(matches) != 1:
        known = suggestion(plain, [f"{model}/{one}" for model, one in names])
        raise UnknownNameError(f"several inputs have the name '{name}'" if matches else f"there is no input '{name}': {known}")
    model, element = matches[0]
    return model, element + suffix, 1 if suffix else widths[matches[0]]


def _coordinate_names(model: str, joint: str, count: int) -> list[str]:
    return [f"{model}/{position_text(JointPosition(joint=joint, coordinate=number))}" for number in range(count)]


def _slices(widths: Sequence[int]) -> list[slice]:
    ends = np.cumsum([0, *widths]).tolist()
    return [slice(start, end) for start, end in pairwise(ends)]


def _read_only(array: Vector) -> Vector:
    view = array.view()
    view.flags.writeable = False
    return view
