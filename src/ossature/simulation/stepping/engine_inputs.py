"""The inputs that are written into the engine at each step: motors, loads, springs, bushings and joint couplings.

Functions of time are evaluated for many steps at once and only copied in the loop; forces that depend on the state are computed
between the two halves of a step, when the engine's lengths and rates are those of that step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import repeat
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from ossature.array_types import AnyArray, IndexArray, Vector
from ossature.model import DriveMode
from ossature.simulation.compile.engine_model import EngineModel
from ossature.simulation.stateful_components import ComponentState, flatten_state, label, unflatten_state
from ossature.simulation.stepping.command_signals import SampledSignal, Signal
from ossature.simulation.stepping.commanded_positions import find_jumps
from ossature.simulation.stepping.coupling_update import CouplingUpdate
from ossature.simulation.stepping.electric_motor_drive import MotorDrive
from ossature.simulation.stepping.element_forces import ElementForces
from ossature.simulation.stepping.initial_limit_recovery import InitialLimitRecovery
from ossature.simulation.stepping.motor_and_load_inputs import LoadInput, MotorInput

if TYPE_CHECKING:
    import mujoco


@dataclass(frozen=True, slots=True)
class InputBlock:
    """Targets and controls of a block of steps, counted from time zero: a row for each step, or None without any."""

    step: float = 0.0
    block: int = 0
    targets: Vector | None = None
    controls: Vector | None = None


_NO_INPUTS = InputBlock()
_PARTS_OF_JUMP_SEARCH = 64
"""Parts of an interval in which jumps are searched."""

_STEPS_AHEAD = 1024
"""Number of steps for which functions of time are evaluated at once."""
_ON_GRID = 1e-6
"""Largest distance of a time from that of a step, by rounding [steps]."""
_SUB_STEPS_AHEAD = 64
"""Number of sub-steps for which they are evaluated at once: their length may change soon."""


class _Commanded(Protocol):
    def set_state(self, saved_state: Mapping[str, AnyArray]) -> None:
        """Restore the command."""


class Inputs:
    """All inputs of a World.

    Attributes:
        element_forces: The forces that depend on lengths and rates, with their ``springs`` and ``damped_bushings``.
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
        self.motors = [MotorInput(built, self._step) for built in elements.motors]
        self.loads = [LoadInput(built) for built in elements.loads]
        self.drives = [MotorDrive(built, model, data) for built in elements.electric]
        self.element_forces = ElementForces(elements, self.loads, model, data)
        self.springs, self.damped_bushings = self.element_forces.springs, self.element_forces.damped_bushings
        self.sort()

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
        parts = {
            "motors": flatten_state({_motor_label(motor): motor.get_state() for motor in self.motors}),
            "loads": flatten_state({_load_label(load): load.get_state() for load in self.loads}),
            "electric": flatten_state({_drive_label(drive): drive.get_state() for drive in self.drives}),
            "springs": self.element_forces.get_state(),
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
        self.element_forces.set_state(parts.get("springs", {}))
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
        return bool(self.element_forces) or bool(self._driven)

    @property
    def targeted_motors(self) -> Sequence[MotorInput]:
        """The motors of the columns of :meth:`targets`, in order."""
        return self._targeted_motors

    @property
    def live_motors(self) -> Sequence[MotorInput]:
        """The motors that prescribe a coordinate by a function that may depend on the state."""
        return [motor for motor in self.motors if motor.is_live and motor.drive is not DriveMode.FORCE] if self._live else ()

    @property
    def are_compiled(self) -> bool:
        """Whether the compiled loop has all forces that depend on lengths and rates."""
        return self.element_forces.are_compiled and not self.drives

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
        part = (last - first) / _PARTS_OF_JUMP_SEARCH
        targets = self.targets(np.linspace(first - part, last + part, _PARTS_OF_JUMP_SEARCH + 3))
        return targets is not None and bool(find_jumps(targets).any())

    @contextmanager
    def without_position_jumps(self, start: float) -> Iterator[None]:
        """Let prescribed positions that jump in the step from a time on [s] change at constant speed in it."""
        first = self._step * round(start / self._step)
        times = [first, first + self._step]
        with ExitStack() as stack:
            for motor in self._targeted_motors:
                if motor.drive is DriveMode.POSITION:
                    signal = SampledSignal(times, motor.values(np.array(times)).tolist())
                    stack.enter_context(motor.moved_by(signal, first))
            stack.enter_context(self.without_precomputed())
            yield

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
        motors, times = self._targeted_motors, np.array([time, time + 2.0 * step])
        if motors:
            self.set_targets(np.array([_joint_targets(motor, motor.values_from(time, times)).mean() for motor in motors]))
        if self.control_rows.size and (controls := self.controls(np.array([time]))) is not None:
            self.set_controls(controls[0])
        motors_before = [(motor, motor.get_state()) for motor in self.live_motors]
        for live in self._live:
            live(time, step)
        for motor, state in motors_before:
            motor.set_state(state)
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
        return bool(self._live or self.element_forces.has_state or self._driven or self.couplings) or self.stops.is_active

    @property
    def has_live(self) -> bool:
        """Whether an input has to be evaluated or prepared at each step."""
        return bool(self._live or self.couplings or self.stops.is_active)

    def _live_target_setter(self, motor: MotorInput) -> Callable[[float, float], None]:
        row = _actuator_ids([motor.built.equality])[0]

        def update(time: float, step: float) -> None:
            if motor.position_function is not None and step < self._step:
                motor.position_function.plan_step(time)
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
        """Compute the forces that depend on lengths and rates of this step; see :meth:`.ElementForces.compute`."""
        self.element_forces.compute(time, span)
        for drive in self._driven:
            drive.apply_command(time)


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
