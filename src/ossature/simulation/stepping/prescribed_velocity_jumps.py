"""Jumps of prescribed velocities, which must not be extrapolated to the present time."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import NamedTuple

import mujoco
import numpy as np

from ossature.array_types import BoolArray, Vector
from ossature.model import DriveMode
from ossature.simulation.stepping.command_function_jumps import CommandFunctionJumps, has_command_functions
from ossature.simulation.stepping.command_signals import CallbackSignal, SampledSignal
from ossature.simulation.stepping.constraint_islands import find_dofs_in_islands
from ossature.simulation.stepping.engine_inputs import Inputs
from ossature.simulation.stepping.joint_drives import FollowDrive, JointDrive, PrescribedMotion
from ossature.simulation.stepping.motion_before_jumps import motion_without_jumps
from ossature.simulation.stepping.motor_and_load_inputs import MotorInput
from ossature.simulation.stepping.step_size_control import SubSteps
from ossature.simulation.stepping.velocity_jump_times import Bounds, Jump, velocity_jumps

SHORT = 1.0 / 1024.0
"""Length of the sub-step in which a velocity jumps [steps]."""
_PARTS = 16
"""Sub-steps for the time in which a velocity changes much, and steps of a change that needs no sub-steps."""
_SUB_STEPS_AFTER = 2
"""Short sub-steps after a jump, from which on it is neither in the velocities nor in the residuals of constraints."""
_LEAST_CHANGE = 0.05
"""Smallest change of a velocity in a step that is examined [share of the larger velocity]."""
_LARGEST_ACCELERATION = 1e9
"""Acceleration in the sub-step of a jump [m/s² or rad/s²]: ten times as much is a divergence for the engine."""
_LEAST_ACCELERATION = 100.0
"""Acceleration from which it is examined [m/s² or rad/s²]: others may be those of a command that increases in each step."""
_SMALL_JUMP = 1.5
"""Change of a velocity that counts as a jump after an error exceeded the tolerance [tolerance of the error in one second]."""
_WORSE = 2.0
"""By how much the error of an extrapolated velocity is larger than that of the last one after a jump; else it is smaller."""


class ShortSubSteps(NamedTuple):
    """A time in which a prescribed velocity jumps, and the largest length of the sub-steps in it [s]."""

    start: float
    stop: float
    length: float


class _PrescribedRate(NamedTuple):
    """The engine's equality of a prescribed coordinate, and the rate of its degree of freedom just after a time [s]."""

    equality: int
    dof: int
    rate: Callable[[float], float]


class PrescribedVelocityJumps:
    """Finds what jumps with velocities that are functions of time, or commanded.

    Attributes:
        functions: Finds the jumps of functions in Python.
    """

    def __init__(self, model: mujoco.MjModel, data: mujoco.MjData, inputs: Inputs, control: SubSteps) -> None:
        self._model, self._data, self._inputs, self._control = model, data, inputs, control
        self.functions = CommandFunctionJumps()
        self._motors: Sequence[MotorInput] | None = None
        self._of_motors: list[_PrescribedRate] = []

    def find(self, last: Vector, before: Vector, drives: Sequence[JointDrive]) -> BoolArray | None:
        """Return the degrees of freedom of the mechanisms in which a prescribed velocity jumped, or None if there is none.

        Args:
            last: The velocities in the middle of the last step.
            before: Those a step before.
            drives: The drives of joints.
        """
        if self._inputs.targeted_motors is not self._motors:
            self._motors = self._inputs.targeted_motors
            self._of_motors = list(self._rates_of_motors([*self._motors, *self._inputs.live_motors]))
        prescribed = [*self._of_motors, *self._rates_of_drives(drives)] if drives else self._of_motors
        jumping = [one.equality for one in prescribed if self._jumps(one, float(last[one.dof]), float(before[one.dof]))]
        return self._connected(jumping) if jumping else None

    def without_next(self, drives: Sequence[JointDrive]) -> AbstractContextManager[None]:
        """Let all prescribed motions go on in the next step without a jump; see :func:`motion_without_jumps`."""
        if not (self._inputs.targeted_motors or drives):
            return nullcontext()
        step, time = float(self._model.opt.timestep), float(self._data.time)
        return motion_without_jumps(self._inputs, drives, time, step, self._bounds(step))

    def has_functions(self, drives: Sequence[JointDrive]) -> bool:
        """Whether a function in Python commands a motion, whose jumps are found one step ahead."""
        return has_command_functions(self._inputs.live_motors, drives)

    def divided_steps(self, count: int, drives: Sequence[JointDrive]) -> dict[int, list[ShortSubSteps]]:
        """Return the short sub-steps of those of the next steps that have some, by their numbers from time zero, in order.

        Args:
            count: The number of steps; one if functions in Python command motions.
            drives: The drives of joints.
        """
        motors, live = self._inputs.targeted_motors, self._inputs.live_motors
        if not (motors or drives or live):
            return {}
        step = float(self._model.opt.timestep)
        first, bounds = round(float(self._data.time) / step), self._bounds(step)
        of_functions = self.functions.find(first, step, live, drives, bounds) if self.has_functions(drives) else []
        short = min(max(SHORT, self._fastest_approach() / (_LARGEST_ACCELERATION * step)), 1.0 / _PARTS) * step
        start, stop = (first - _PARTS - _SUB_STEPS_AFTER) * step, (first + count) * step - 0.5 * short
        jumps = velocity_jumps(motors, drives, start, stop, bounds)
        if self._starts_with_jump(drives, bounds.least):
            jumps.insert(0, Jump(first * step, 0.0))
        jumps = sorted([*jumps, *of_functions])
        found: dict[int, list[ShortSubSteps]] = {}
        for time, width in jumps:
            length = min(max(short, width / _PARTS), step)
            one = ShortSubSteps(time, time + max(width, short) + _SUB_STEPS_AFTER * length, length)
            begun, ended = (math.floor(each / step) for each in (time + 0.5 * short, one.stop - 0.5 * short))
            for number in range(max(begun, first), min(ended + 1, first + count)):
                found.setdefault(number, []).append(one)
        return {number: found[number] for number in sorted(found) if not self._is_beside_position_jump(number)}

    def _fastest_approach(self) -> float:
        """Return the largest speed with which a motor approaches a commanded position, or did so until now [m/s or rad/s]."""
        begin = float(self._data.time) - SHORT * float(self._model.opt.timestep)
        approaches = [motor.approach for motor in (*self._inputs.targeted_motors, *self._inputs.live_motors)]
        return max([abs(approach.velocity) for approach in approaches if approach.end >= begin], default=0.0)

    def _is_beside_position_jump(self, number: int) -> bool:
        """Whether a position jumps in a step or in the one before it: within a short sub-step it would be too fast.

        The first step after a start has no step before it.
        """
        step = float(self._model.opt.timestep)
        is_after_start = self._control.is_first and number == round(float(self._data.time) / step)
        return self._inputs.do_targets_jump((number if is_after_start else number - 1) * step, (number + 1) * step)

    def _bounds(self, step: float) -> Bounds:
        least = _LEAST_ACCELERATION * step
        if self._control.has_exceeded_tolerance:
            least = min(_SMALL_JUMP * self._control.tolerance, least)
        return Bounds(SHORT * step, _PARTS * step, least, _LEAST_ACCELERATION)

    def _starts_with_jump(self, drives: Sequence[JointDrive], least: float) -> bool:
        """Whether a velocity is commanded now that differs from the present one by a least change [m/s or rad/s]."""
        time, velocities = float(self._data.time), self._data.qvel
        for motor in self._inputs.targeted_motors:
            if motor.starts_command(time) and motor.built.equality is not None:
                one = self._of(motor.built.equality.id, partial(_engine_rate, motor))
                if abs(one.rate(time) - float(velocities[one.dof])) >= least:
                    return True
        return any(isinstance(drive, PrescribedMotion) and drive.starts_with_jump(time, least) for drive in drives)

    def _rates_of_motors(self, motors: Sequence[MotorInput]) -> Iterator[_PrescribedRate]:
        for motor in motors:
            # The rate of a position that is sampled or a function in Python is not known.
            is_known = motor.drive is DriveMode.SPEED or not isinstance(motor.commanded_signal, CallbackSignal | SampledSignal)
            if motor.built.equality is not None and is_known:
                yield self._of(motor.built.equality.id, partial(_engine_rate, motor))

    def _rates_of_drives(self, drives: Sequence[JointDrive]) -> Iterator[_PrescribedRate]:
        for drive in drives:
            if isinstance(drive, FollowDrive):
                yield from (self._of(equality, rate) for equality, rate in drive.rates())

    def _of(self, equality: int, rate: Callable[[float], float]) -> _PrescribedRate:
        return _PrescribedRate(equality, int(self._model.jnt_dofadr[self._model.eq_obj1id[equality]]), rate)

    def _jumps(self, prescribed: _PrescribedRate, last: float, before: float) -> bool:
        """Whether the last velocity is much nearer to the prescribed one than the extrapolated velocity."""
        change, step = abs(last - before), float(self._model.opt.timestep)
        if change <= max(_LEAST_CHANGE * max(abs(last), abs(before)), _LEAST_ACCELERATION * step):
            return False
        # Steps are counted from time zero, as those of the targets.
        rate = prescribed.rate(step * round(float(self._data.time) / step))
        return abs(1.5 * last - 0.5 * before - rate) > _WORSE * abs(last - rate)

    def _connected(self, jumping: Sequence[int]) -> BoolArray:
        data = self._data
        is_jumping = np.zeros(data.nefc, dtype=bool)
        is_jumping[: data.ne] = np.isin(data.efc_id[: data.ne], jumping)
        return find_dofs_in_islands(self._model, data, is_jumping)


def _engine_rate(motor: MotorInput, time: float) -> float:
    return motor.built.sign * motor.rate(time)
