"""When prescribed velocities jump: functions of time with steep parts, positions with bends, and sampled commands."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ossature.array_types import Vector
from ossature.kinematics import value_at
from ossature.model import DriveMode, Function, RepeatedFunction, TableFunction
from ossature.simulation.stepping.command_signals import SampledSignal
from ossature.simulation.stepping.joint_drives import JointDrive, PrescribedMotion
from ossature.simulation.stepping.motor_and_load_inputs import Identity, MotorInput

_LONG = 4096.0
"""Shorter parts of a position are samples of a curve, which bends everywhere [shortest times of a jump]."""


class _Jumps(NamedTuple):
    """Times of jumps, in increasing order, and the period in which they are repeated; infinite if they are not [s]."""

    times: Vector
    period: float = math.inf

    def between(self, start: float, stop: float) -> list[float]:
        """Return the times from one to another one, which is excluded [s]."""
        if not self.times.size:
            return []
        if math.isinf(self.period):
            first, past = np.searchsorted(self.times, (start, stop)).tolist()
            return list(self.times[first:past].tolist())
        first, last = ((time - float(self.times[0])) // self.period for time in (start, stop))
        repeated = (self.times + self.period * np.arange(first - 1.0, last + 1.0)[:, None]).reshape(-1)
        return list(repeated[(repeated >= start) & (repeated < stop)].tolist())


_NO_JUMPS = _Jumps(np.zeros(0))


def velocity_jump_times(
    motors: Sequence[MotorInput], drives: Sequence[JointDrive], start: float, stop: float, *, width: float, least: float
) -> list[float]:
    """Return the times at which velocities of motors and joints jump that are functions of time, in increasing order [s].

    Of several jumps within a width it is the time of the first one.

    Args:
        motors: The motors that prescribe a coordinate.
        drives: The drives of joints.
        start: The first time [s].
        stop: The end, which is excluded [s].
        width: A velocity jumps if it changes within this time [s].
        least: The least change [m/s or rad/s].
    """
    distinct: list[float] = []
    for time in sorted([time for one in _sources(motors, drives, width, least) for time in one.between(start, stop)]):
        if not distinct or time - distinct[-1] > width:
            distinct.append(time)
    return distinct


def _sources(motors: Sequence[MotorInput], drives: Sequence[JointDrive], width: float, least: float) -> Iterator[_Jumps]:
    for motor in motors:
        command, is_speed = motor.commanded_signal, motor.drive is DriveMode.SPEED
        if command is None:
            yield _jumps_of_function(Identity(motor.built.motor.function), width, least, is_rate=is_speed)
        elif isinstance(command, SampledSignal):
            yield from _jumps_of_signal(Identity(command), width, least, is_rate=is_speed)
    for drive in drives:
        if isinstance(drive, PrescribedMotion) and drive.prescribes_velocity and isinstance(drive.command, SampledSignal):
            yield from _jumps_of_signal(Identity(drive.command), width, least, is_rate=True)


@lru_cache(maxsize=64)
def _jumps_of_signal(identity: Identity, width: float, least: float, *, is_rate: bool) -> list[_Jumps]:
    signal: SampledSignal = identity.function
    return [_jumps_of_points(signal.times, column, width, least, is_rate=is_rate) for column in signal.values.T]


@lru_cache(maxsize=64)
def _jumps_of_function(identity: Identity, width: float, least: float, *, is_rate: bool) -> _Jumps:
    """Return the times at which a function jumps, if it is a velocity, or bends, if it is a position."""
    function: Function = identity.function
    match function:
        case TableFunction():
            x, y = np.array(function.points, dtype=float).reshape(-1, 2).T
            return _jumps_of_points(x, y, width, least, is_rate=is_rate)
        case RepeatedFunction():
            return _jumps_of_repetition(function, width, least, is_rate=is_rate)
    return _NO_JUMPS


def _jumps_of_repetition(function: RepeatedFunction, width: float, least: float, *, is_rate: bool) -> _Jumps:
    first, last, small = function.start, function.start + function.width, 0.5 * width
    inner = _jumps_of_function(Identity(function.function), width, least, is_rate=is_rate)
    times = inner.between(first, last)
    ends = value_at(function.function, np.array([first, first + small, last - small, last]))
    change = ends[0] - ends[3] if is_rate else (ends[1] - ends[0] - ends[3] + ends[2]) / small
    if abs(change) >= least and first not in times:
        times.insert(0, first)
    return _Jumps(np.array(times) - first - function.shift, function.width)


def _jumps_of_points(x: Vector, y: Vector, width: float, least: float, *, is_rate: bool) -> _Jumps:
    """Return the times at which straight lines between points jump, if they are a velocity, or bend, if a position."""
    is_short = np.diff(x) <= width
    if is_rate:
        return _Jumps(x[:-1][is_short & (np.abs(np.diff(y)) >= least)])
    with np.errstate(divide="ignore", invalid="ignore"):
        slopes = np.concatenate([[0.0], np.diff(y) / np.diff(x), [0.0]])
    is_position_jump = is_short & (np.abs(np.diff(y)) >= least * width)
    is_beside_jump = np.concatenate([[False], is_position_jump]) | np.concatenate([is_position_jump, [False]])
    is_long = np.diff(x) > _LONG * width
    is_curve = ~(np.concatenate([[True], is_long]) | np.concatenate([is_long, [True]]))
    return _Jumps(x[(np.abs(np.diff(slopes)) >= least) & ~is_beside_jump & ~is_curve])
