"""The inputs that are written into the engine at each step: motors, loads, springs, bushings and joint couplings.

Functions of time are evaluated for many steps at once and only copied in the loop; forces that depend on the state are computed
between the two halves of a step, when the engine's lengths and rates are those of that step.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import repeat
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from ossature.array_types import AnyArray, IndexArray, Vector
from ossature.model import DriveMode, SpringDamper
from ossature.simulation.compile.engine_model import EngineModel
from ossature.simulation.compile.force_elements import CompiledBushing, CompiledMoment, CompiledSpring
from ossature.simulation.compile.force_laws import Law, Term, make_law, stop_correction, stop_energy, stop_stiffness
from ossature.simulation.stateful_components import ComponentState, flatten_state, label, unflatten_state
from ossature.simulation.stepping.command_signals import Signal
from ossature.simulation.stepping.coupling_update import CouplingUpdate
from ossature.simulation.stepping.electric_motor_drive import MotorDrive
from ossature.simulation.stepping.initial_limit_recovery import InitialLimitRecovery
from ossature.simulation.stepping.motor_and_load_inputs import LoadInput, MotorInput
from ossature.simulation.stepping.nonlinear_spring import NonlinearSpring, unwrap_angle, wrap_correction
from ossature.spatial import Pose

if TYPE_CHECKING:
    import mujoco


LARGEST_BUSHING_ANGLE_RAD = math.radians(10.0)
"""Rotation above which the force law of a bushing is not valid."""


@dataclass(frozen=True, slots=True)
class InputBlock:
    """Targets and controls of a block of steps, counted from time zero: a row for each step, or None without any."""

    step: float = 0.0
    block: int = 0
    targets: Vector | None = None
    controls: Vector | None = None


_NO_INPUTS = InputBlock()
_STOP_RESOLUTION = 4.0
"""Steps per radian of the oscillation of a body against a hard stop."""

_MAX_PARTS = 1000

_PARTS_OF_JUMP_SEARCH = 64
"""Parts of an interval in which jumps are searched: one has more than half of the change of a coordinate only if it jumps."""

_STEPS_AHEAD = 1024
"""Number of steps for which functions of time are evaluated at once."""
_ON_GRID = 1e-6
"""Largest distance of a time from that of a step, by rounding [steps]."""
_SUB_STEPS_AHEAD = 64
"""Number of sub-steps for which they are evaluated at once: their length may change soon."""


@dataclass(frozen=True, slots=True)
class DampedBushing:
    """Damping of a bushing on a moving second body, and views of the axes and the angular velocity of its frame.

    ``ancestor_spin`` is the angular velocity of the last common ancestor of both bodies, or None without one that moves: the
    engine's rates are those that an observer on it sees.
    """

    actuators: list[int | None]
    damping: tuple[float, ...]
    axes: Vector
    spin: Vector
    ancestor_spin: Vector | None


class _Moment:
    """A torque that depends on forces between two sites: see :class:`CompiledMoment`.

    Args:
        built: The torque in the engine.
    """

    def __init__(self, built: CompiledMoment, model: mujoco.MjModel, data: mujoco.MjData) -> None:
        self._data = data
        self._sites = (built.first.id, built.second.id)
        self._actuators = [actuator.id for actuator in built.actuators]
        self._frame = data.site_xmat[built.second.id].reshape(3, 3)
        self._axes = data.site_xmat[built.axes.id].reshape(3, 3)
        self._forces = [actuator.id for actuator in built.forces.values()]
        self._along = np.array([np.eye(3)[axis] for axis in built.forces])
        self._law = model.actuator_biasprm[self._forces, :3].copy()
        self._factor = built.factor

    def update(self) -> None:
        """Set the torque, from the lengths, rates and controls of the forces."""
        data, forces = self._data, self._forces
        constant, stiffness, damping = self._law.T
        forces_along_axes = (
            data.ctrl[forces] + constant + stiffness * data.actuator_length[forces] + damping * data.actuator_velocity[forces]
        )
        first, second = self._sites
        (x, y, z), (a, b, c) = (
            (data.site_xpos[first] - data.site_xpos[second]).tolist(),
            (self._frame @ (forces_along_axes @ self._along)).tolist(),
        )
        moment = (y * c - z * b, z * a - x * c, x * b - y * a)
        data.ctrl[self._actuators] = self._factor * (moment @ self._axes)


class _Commanded(Protocol):
    def set_state(self, saved_state: Mapping[str, AnyArray]) -> None:
        """Restore the command."""


class Inputs:
    """All inputs of a World.

    Attributes:
        fixed_point_forces: The forces [N], in axes of the world, of loads at points fixed in the world, as last applied.
        springs: The spring-dampers with a law that their actuators do not have.
        damped_bushings: The damping of bushings on moving bodies.
        target_rows: The engine's equality constraints of the columns of :meth:`targets`.
        control_rows: The engine's actuators of the columns of :meth:`controls`.
        has_staggered_velocities: Whether a step changes velocities from half a step before its time to half a step after it.
    """

    def __init__(self, compiled: EngineModel, data: mujoco.MjData) -> None:
        model, elements = compiled.model, compiled.elements
        self._model, self._data = model, data
        self._step = float(model.opt.timestep)
        self.has_staggered_velocities = False
        self.couplings = CouplingUpdate(compiled.couplings, model, data)
        self.stops = InitialLimitRecovery(compiled, data)
        self._ctrl, self._targets = data.ctrl, model.eq_data[:, 0]
        self._lengths, self._rates = data.actuator_length, data.actuator_velocity
        self.motors = [MotorInput(built) for built in elements.motors]
        self.loads = [LoadInput(built) for built in elements.loads]
        self.drives = [MotorDrive(built, model, data) for built in elements.electric]
        self.springs = [
            self._make_spring(built, terms, law)
            for built in elements.springs
            if (law := make_law(terms := built.terms())) is not None
        ]
        self._plain_springs = [(s.actuator, s.law, s.offset) for s in self.springs if not s.wraps]
        self._wrapping_springs = [s for s in self.springs if s.wraps]
        self._stop_springs = [
            s for s in self.springs if isinstance(s.spring, SpringDamper) and s.spring.length_range is not None
        ]
        self.damped_bushings = [self._bushing_damping(built) for built in elements.bushings if built.turning_frame is not None]
        self._bushings = elements.bushings
        self._moments = [_Moment(built, model, data) for built in elements.moments]
        self._fixed_point_loads = [load for load in self.loads if not load.built.actuators]
        self.fixed_point_forces: dict[tuple[str, str], Vector] = {}
        self.sort()

    def _make_spring(self, built: CompiledSpring, terms: Sequence[Term], law: Law) -> NonlinearSpring:
        actuator = built.actuator.id
        inverse_mass = 0.0 if built.tendon is None else float(self._model.tendon_invweight0[built.tendon.id])
        return NonlinearSpring(actuator, tuple(terms), law, built.spring, built.wraps, built.offset, inverse_mass)

    def _bushing_damping(self, built: CompiledBushing) -> DampedBushing:
        assert built.turning_frame is not None  # noqa: S101  # checked by the caller
        actuators = [built.actuators[axis].id if axis in built.actuators else None for axis in range(3)]
        return DampedBushing(
            actuators=actuators,
            damping=built.bushing.damping[:3],
            axes=self._data.site_xmat[built.reference.id].reshape(3, 3),
            spin=self._data.cvel[built.turning_frame.id, :3],
            ancestor_spin=None if built.common_ancestor is None else self._data.cvel[built.common_ancestor.id, :3],
        )

    def sort(self) -> None:
        """Separate inputs that can be precomputed from those that are evaluated at each step; call it after a command."""
        self._ahead: dict[int, InputBlock] = {}
        driven = [motor for motor in self.motors if motor.drive is not DriveMode.FORCE]
        pushing = [motor for motor in self.motors if motor.drive is DriveMode.FORCE]
        self._targeted_motors = [motor for motor in driven if not motor.is_live]
        self.target_rows = _actuator_ids(motor.built.equality for motor in self._targeted_motors)
        self._force_motors = [motor for motor in pushing if not motor.is_live]
        acting = [load for load in self.loads if load.built.actuators and not load.is_steady]
        self._varying_loads = [load for load in acting if not load.is_live]
        self._driven = [drive for drive in self.drives if drive.quantity is not None]
        self._live: list[Callable[[float, float], None]] = [
            *(self._live_target_setter(motor) for motor in driven if motor.is_live),
            *(self._live_force_setter(motor) for motor in pushing if motor.is_live),
            *(self._live_load_setter(load) for load in acting if load.is_live),
        ]
        pushed = [motor.built.actuator for motor in self._force_motors]
        self.control_rows = _actuator_ids(
            [*pushed, *(actuator for load in self._varying_loads for actuator in load.built.actuators)]
        )

    def get_state(self) -> ComponentState:
        """Return the commands and their progress, counted revolutions, and the history of coupled joints."""
        turns = np.array([spring.turns for spring in self.springs]).reshape(-1)
        parts = {
            "motors": flatten_state({_motor_label(motor): motor.get_state() for motor in self.motors}),
            "loads": flatten_state({_load_label(load): load.get_state() for load in self.loads}),
            "electric": flatten_state({_drive_label(drive): drive.get_state() for drive in self.drives}),
            "springs": {"turns": turns} if self.springs else {},
            "following": self.couplings.get_state(),
            "stops": self.stops.get_state(),
        }
        return flatten_state(parts)

    def set_state(self, saved_state: Mapping[str, AnyArray]) -> None:
        """Restore what :meth:`get_state` returned."""
        parts, earlier_signals = unflatten_state(saved_state), self._commanded_signals()
        motor_memories, load_memories = unflatten_state(parts.get("motors", {})), unflatten_state(parts.get("loads", {}))
        for motor in self.motors:
            motor.set_state(motor_memories.get(_motor_label(motor), {}))
        for load in self.loads:
            load.set_state(load_memories.get(_load_label(load), {}))
        drive_states = unflatten_state(parts.get("electric", {}))
        for drive in self.drives:
            drive.set_state(drive_states.get(_drive_label(drive), {}))
        turns = parts["springs"]["turns"].reshape(-1, 2) if self.springs else ()
        for spring, each in zip(self.springs, turns, strict=True):
            spring.turns[:] = each
        self.couplings.set_state(parts.get("following", {}))
        self.stops.set_state(parts.get("stops", {}))
        if any(now is not before for now, before in zip(self._commanded_signals(), earlier_signals, strict=True)):
            self.sort()

    def restore_commands(self, saved_state: Mapping[str, AnyArray]) -> None:
        """Restore commands that :meth:`get_state` returned, perhaps of another World, for the inputs that exist in this one.

        Functions of time cannot be restored: inputs that had one keep their present command.
        """
        parts = unflatten_state(saved_state)
        commanded: list[tuple[str, str, _Commanded]] = [
            *(("motors", _motor_label(motor), motor) for motor in self.motors),
            *(("loads", _load_label(load), load) for load in self.loads),
            *(("electric", _drive_label(drive), drive) for drive in self.drives),
        ]
        for kind, name, one in commanded:
            remembered = unflatten_state(parts.get(kind, {})).get(name, {})
            if remembered and "command/function" not in remembered:
                one.set_state(remembered)
        self.sort()

    def adopt(self, before: Inputs) -> None:
        """Continue with the commands and the state of the inputs of an earlier compilation of the same World."""
        for motor, old in zip(self.motors, before.motors, strict=True):
            motor.adopt(old)
        for load, old_load in zip(self.loads, before.loads, strict=True):
            load.adopt(old_load)
        for drive, old_drive in zip(self.drives, before.drives, strict=True):
            drive.adopt(old_drive)
        self.set_state(before.get_state())
        self.sort()

    def _commanded_signals(self) -> list[Signal | None]:
        signals = [motor.commanded_signal for motor in self.motors] + [load.commanded_signal for load in self.loads]
        return signals + [drive.commanded_signal for drive in self.drives]

    @property
    def needs_forces(self) -> bool:
        """Whether an input depends on lengths and rates in the middle of a step."""
        return bool(self.springs or self.damped_bushings or self._moments or self._fixed_point_loads or self._driven)

    def length(self, built: CompiledSpring) -> float:
        """Return the present length [m] or angle [rad] of a spring-damper, with whole revolutions counted."""
        length = float(self._lengths[built.actuator.id]) - built.offset
        if not built.wraps:
            return length
        spring = next(spring for spring in self._wrapping_springs if spring.spring is built.spring)
        revolutions, last = spring.turns.tolist()
        return float(length + revolutions + wrap_correction(length - last))

    @property
    def targeted_motors(self) -> Sequence[MotorInput]:
        """The motors of the columns of :meth:`targets`, in order."""
        return self._targeted_motors

    @property
    def live_motors(self) -> Sequence[MotorInput]:
        """The motors that prescribe a coordinate by a function that may depend on the state."""
        return [motor for motor in self.motors if motor.is_live and motor.drive is not DriveMode.FORCE] if self._live else ()

    @property
    def bodies_with_world_fixed_loads(self) -> frozenset[int]:
        """The engine's indices of bodies with loads at points fixed in the world."""
        return frozenset([load.built.body.id for load in self._fixed_point_loads])

    @property
    def are_compiled(self) -> bool:
        """Whether the compiled loop has all forces that depend on lengths and rates."""
        return not (self._moments or self._fixed_point_loads or self.drives)

    @property
    def has_bushings(self) -> bool:
        """Whether there are bushings."""
        return bool(self._bushings)

    @property
    def has_stops(self) -> bool:
        """Whether a spring has hard stops."""
        return bool(self._stop_springs)

    # Precomputed inputs

    def targets(self, times: Vector) -> Vector | None:
        """Return the targets of driven coordinates at times [s], shape (times, motors), or None if there are none."""
        if not self._targeted_motors:
            return None
        return np.stack([_joint_targets(motor, motor.values(times)) for motor in self._targeted_motors], axis=1)

    def do_targets_jump(self, start: float, stop: float) -> bool:
        """Whether the target of a driven coordinate jumps between two times [s].

        Times are rounded to whole steps: a jump at one of them is in the step that ends there.
        """
        first, last = (self._step * round(time / self._step) for time in (start, stop))
        targets = self.targets(np.linspace(first, last, _PARTS_OF_JUMP_SEARCH + 1))
        if targets is None:
            return False
        changes = np.abs(np.diff(targets, axis=0))
        return bool((changes.max(axis=0) > 0.5 * changes.sum(axis=0)).any())

    def controls(self, times: Vector, averaged_step: float = 0.0) -> Vector | None:
        """Return the controls of motors and loads at times [s], shape (times, actuators), or None if there are none.

        Args:
            times: The times [s].
            averaged_step: Forces that jump or bend are averaged over a step of this length [s] around each time.
        """
        if not self.control_rows.size:
            return None
        columns = [motor.values(times, averaged_step)[:, None] for motor in self._force_motors]
        return np.concatenate([*columns, *(load.values(times, averaged_step) for load in self._varying_loads)], axis=1)

    @contextmanager
    def without_precomputed(self) -> Iterator[None]:
        """Evaluate targets and controls anew, and forget these afterwards."""
        kept, self._ahead = self._ahead, {}
        try:
            yield
        finally:
            self._ahead = kept

    def set_targets(self, row: Vector) -> None:
        """Set the targets of driven coordinates."""
        self._targets[self.target_rows] = row

    def set_controls(self, row: Vector) -> None:
        """Set the controls of motors and loads."""
        self._ctrl[self.control_rows] = row

    def set_start(self, time: float, step: float) -> None:
        """Set the controls and targets with which the engine computes the acceleration just after a time [s].

        A driven joint reaches its target within a step, so that from F(t) at the rate F'(t) it has the acceleration F''(t)
        with the target F(t) + h·F'(t) + h²·F''(t), which is the mean of F(t) and F(t + 2h) up to third order.
        """
        if self._targeted_motors and (targets := self.targets(np.array([time, time + 2.0 * step]))) is not None:
            self.set_targets(0.5 * (targets[0] + targets[1]))
        if self.control_rows.size and (controls := self.controls(np.array([time]))) is not None:
            self.set_controls(controls[0])
        for live in self._live:
            live(time, step)
        self.couplings.start(step)

    def set_present(self, time: float) -> None:
        """Set the targets of driven coordinates at a time [s], which those of a step that was undone have overwritten."""
        # Times are counted from zero, as those of the steps: a function may jump at this time.
        number = time / self._step
        present = self._step * round(number) if abs(number - round(number)) < _ON_GRID else time
        targets = self.targets(np.array([present]))
        if targets is not None:
            self.set_targets(targets[0])
        for live in self._live:
            live(time, 0.0)

    def rows(self, start: float, step: float, count: int) -> Iterator[tuple[Vector | None, Vector | None]]:
        """Yield targets and controls of the steps from a time [s]; they are evaluated for many steps at once."""
        for block, first, width in self.blocks(start, step, count):
            past = first + width
            yield from zip(
                repeat(None, width) if block.targets is None else block.targets[first:past],
                repeat(None, width) if block.controls is None else block.controls[first:past],
                strict=True,
            )

    def rows_at(self, start: float, step: float, count: int) -> Iterator[tuple[Vector | None, Vector | None]]:
        """Yield targets and controls of steps whose times are no multiples of their length, as :meth:`rows` does for others."""
        averaged = step if self.has_staggered_velocities else 0.0
        for number in range(count):
            time = start + number * step
            targets, controls = self.targets(np.array([time + step])), self.controls(np.array([time]), averaged)
            yield None if targets is None else targets[0], None if controls is None else controls[0]

    def blocks(self, start: float, step: float, count: int) -> Iterator[tuple[InputBlock, int, int]]:
        """Yield the blocks of the steps from a time [s], with the first row of these steps in each block, and their number."""
        if not (self._targeted_motors or self.control_rows.size):
            if count:
                yield _NO_INPUTS, 0, count
            return
        # Steps are counted from time zero, so that the result does not depend on how a run is divided into calls.
        number = round(start / step)
        last = number + count
        length = _STEPS_AHEAD if step == self._step else _SUB_STEPS_AHEAD
        averaged = step if self.has_staggered_velocities else 0.0
        while number < last:
            block, first = divmod(number, length)
            ahead = self._ahead.get(length)
            if ahead is None or (ahead.step, ahead.block) != (step, block):
                times = step * np.arange(block * length, (block + 1) * length + 1, dtype=np.float64)
                ahead = self._ahead[length] = InputBlock(
                    step, block, self.targets(times[1:]), self.controls(times[:-1], averaged)
                )
            width = min(last - number, length - first)
            yield ahead, first, width
            number += width

    # Inputs that are evaluated at each step

    def prepare_step(self, time: float, step: float) -> None:
        """Evaluate live motors and loads for the step that starts at a time [s], and prepare couplings."""
        for live in self._live:
            live(time, step)
        self.couplings.prepare_step(step)
        if self.stops.is_active:
            self.stops.prepare_step(step)

    @property
    def has_state(self) -> bool:
        """Whether it has a state from step to step in addition to commands."""
        return bool(self._live or self._wrapping_springs or self._driven or self.couplings) or self.stops.is_active

    @property
    def has_live(self) -> bool:
        """Whether an input has to be evaluated or prepared at each step."""
        return bool(self._live or self.couplings or self.stops.is_active)

    def _live_target_setter(self, motor: MotorInput) -> Callable[[float, float], None]:
        row = _actuator_ids([motor.built.equality])[0]

        def update(time: float, step: float) -> None:
            self._targets[row] = _joint_targets(motor, motor.values(np.array([time + step])))[0]

        return update

    def _live_force_setter(self, motor: MotorInput) -> Callable[[float, float], None]:
        actuator = _actuator_ids([motor.built.actuator])[0]

        def update(time: float, step: float) -> None:
            self._ctrl[actuator] = motor.values(np.array([time]))[0]

        return update

    def _live_load_setter(self, load: LoadInput) -> Callable[[float, float], None]:
        actuators = [actuator.id for actuator in load.built.actuators]

        def update(time: float, step: float) -> None:
            self._ctrl[actuators] = load.values(np.array([time]))[0]

        return update

    # In the middle of a step

    def compute_forces(self, time: float, span: float = 0.0) -> None:
        """Compute the forces that depend on lengths and rates of this step; see :meth:`compute_element_forces`."""
        self.compute_element_forces(time, span)
        for drive in self._driven:
            drive.apply_command(time)

    def compute_element_forces(self, time: float, span: float = 0.0) -> None:
        """Compute the forces of elements from their lengths and rates; electric motors sample these only once per step.

        Args:
            time: The present time [s].
            span: Interval, centred at the present time, over which the force of hard stops is averaged [s].
        """
        if self.springs:
            lengths, rates, ctrl = self._lengths.tolist(), self._rates.tolist(), self._ctrl
            for actuator, law, offset in self._plain_springs:
                ctrl[actuator] = law(lengths[actuator] - offset, rates[actuator])
            for spring in self._wrapping_springs:
                ctrl[spring.actuator] = spring.law(unwrap_angle(spring, lengths[spring.actuator]), rates[spring.actuator])
            if self._stop_springs and span:
                self._average_stop_forces(lengths, rates, span)
        for bushing in self.damped_bushings:
            self._correct_damping(bushing)
        for moment in self._moments:
            moment.update()
        for load in self._fixed_point_loads:
            self._data.xfrc_applied[load.built.body.id] = 0.0
        for load in self._fixed_point_loads:
            self._apply_fixed_point_load(load, time)

    def _average_stop_forces(self, lengths: list[float], rates: list[float], span: float) -> None:
        """Apply the mean force of hard stops over an interval [s] centred at the present time."""
        for spring in self._stop_springs:
            actuator = spring.actuator
            length = lengths[actuator] - spring.offset
            self._ctrl[actuator] += stop_correction(spring.spring.length_range, length, span * rates[actuator])

    def _correct_damping(self, bushing: DampedBushing) -> None:
        """Correct the damping for the rotation of the frame in which it is measured: by the damping of ω × s."""
        (xx, yx, zx), (xy, yy, zy), (xz, yz, zz) = bushing.axes.tolist()
        spin = bushing.spin if bushing.ancestor_spin is None else bushing.spin - bushing.ancestor_spin
        wx, wy, wz = spin.tolist()
        ax, ay, az = wx * xx + wy * xy + wz * xz, wx * yx + wy * yy + wz * yz, wx * zx + wy * zy + wz * zz
        lengths = self._lengths.tolist()
        x, y, z = (0.0 if actuator is None else lengths[actuator] for actuator in bushing.actuators)
        frame_rates = (ay * z - az * y, az * x - ax * z, ax * y - ay * x)
        for actuator, damping, rate in zip(bushing.actuators, bushing.damping, frame_rates, strict=True):
            if actuator is not None:
                self._ctrl[actuator] = damping * rate

    def _apply_fixed_point_load(self, load: LoadInput, time: float) -> None:
        data, built = self._data, load.built
        body = built.body.id
        vector = np.asarray(built.load.value if built.load.value is not None else (1.0, 1.0, 1.0))
        force = vector * load.values(np.array([time]))[0]
        if built.load.expressed_in_body_frame:
            force = data.xmat[body].reshape(3, 3) @ force
        else:
            force = np.array(Pose(wxyz=built.model_pose.wxyz).transform(tuple(force.tolist())))
        self.fixed_point_forces[built.model, built.load.name] = force
        data.xfrc_applied[body, :3] += force
        point = np.array(built.model_pose.transform(built.load.point))
        data.xfrc_applied[body, 3:] += np.cross(point - data.xipos[body], force)

    def sub_steps(self, step: float, tolerance: float) -> int:
        """Return the number of parts into which a step that touches a hard stop has to be divided.

        The number is the same for the whole rebound: it is chosen for the largest penetration that the present energy allows.

        Args:
            step: The length of the step [s].
            tolerance: Largest error per second [m/s].
        """
        count = 1
        for spring in self._stop_springs:
            rate = float(self._rates[spring.actuator])
            length = float(self._lengths[spring.actuator]) - spring.offset
            ahead = length + step * rate
            lower, upper = limits = spring.spring.length_range
            if (lower <= length <= upper and lower <= ahead <= upper) or not spring.inverse_mass:
                continue
            energy = 0.5 * rate**2 / spring.inverse_mass + stop_energy(limits, length)
            swing = step * math.sqrt(stop_stiffness(energy) * spring.inverse_mass)
            speed = math.sqrt(2.0 * energy * spring.inverse_mass)
            # A step of this length has an error of (swing / parts)²·speed/24 per second; the factor 1.5 is a safety margin.
            parts = swing * max(_STOP_RESOLUTION, 1.5 * math.sqrt(speed / (24.0 * tolerance)))
            count = max(count, math.ceil(min(parts, _MAX_PARTS)))
        return count

    def largest_bushing_angle(self) -> tuple[float, CompiledBushing | None]:
        """Return the largest present rotation of a bushing about its compliant axes [rad], and that bushing."""
        largest: tuple[float, CompiledBushing | None] = (0.0, None)
        for built in self._bushings:
            angles = [float(self._lengths[built.actuators[axis].id]) for axis in (3, 4, 5) if axis in built.actuators]
            angle = math.hypot(*angles)
            if angle > largest[0]:
                largest = (angle, built)
        return largest


def _actuator_ids(parts: Iterable[Any]) -> IndexArray:
    return np.array([part.id for part in parts], dtype=np.intp)


def _motor_label(motor: MotorInput) -> str:
    return label(motor.built.model, motor.built.motor.name)


def _load_label(load: LoadInput) -> str:
    return label(load.built.model, load.built.load.name)


def _drive_label(drive: MotorDrive) -> str:
    return label(drive.built.model, drive.built.actuator.name)


def _joint_targets(motor: MotorInput, values: Vector) -> Vector:
    """Return the targets of the engine's joint for values of the motor's coordinate."""
    built = motor.built
    return built.start + built.sign * values
