"""When prescribed velocities jump or are steep: functions of time, positions with bends, and sampled commands."""

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

_LEAST_PERIOD = 1.0 / 32.0
"""Period from which the jumps of a repeated function are found, half a step [durations of a long jump]."""


class Jump(NamedTuple):
    """When a velocity begins to jump, and how long that lasts [s]; zero for a bend of a position."""

    time: float
    width: float


class Bounds(NamedTuple):
    """Which velocities jump.

    Attributes:
        short: The duration up to which any change of at least the least one is a jump [s].
        long: That up to which a change is a jump whose slope is not that of the parts beside it [s].
        least: The least change [m/s or rad/s].
        steep: The least change of the slope [m/s² or rad/s²].
    """

    short: float
    long: float
    least: float
    steep: float


class _Jumps(NamedTuple):
    """Times and widths of jumps, in increasing order, and the period in which they are repeated; infinite if not [s]."""

    times: Vector
    widths: Vector
    period: float = math.inf

    def between(self, start: float, stop: float) -> list[Jump]:
        """Return the jumps that begin from one time to another one, which is excluded [s]."""
        if not self.times.size:
            return []
        if math.isinf(self.period):
            part = slice(*np.searchsorted(self.times, (start, stop)).tolist())
            return list(map(Jump, self.times[part].tolist(), self.widths[part].tolist()))
        first, last = ((time - float(self.times[0])) // self.period for time in (start, stop))
        shifts = self.period * np.arange(first - 1.0, last + 1.0)
        times, widths = (self.times + shifts[:, None]).reshape(-1), np.tile(self.widths, len(shifts))
        inside = (times >= start) & (times < stop)
        return list(map(Jump, times[inside].tolist(), widths[inside].tolist()))


_NO_JUMPS = _Jumps(np.zeros(0), np.zeros(0))


def velocity_jumps(
    motors: Sequence[MotorInput], drives: Sequence[JointDrive], start: float, stop: float, bounds: Bounds
) -> list[Jump]:
    """Return the jumps of velocities of motors and joints that are functions of time, in increasing order.

    Jumps that begin together, within the short duration, are one.

    Args:
        motors: The motors that prescribe a coordinate.
        drives: The drives of joints.
        start: The first time [s].
        stop: The end, which is excluded [s].
    """
    distinct: list[Jump] = []
    for jump in sorted([jump for one in _sources(motors, drives, bounds) for jump in one.between(start, stop)]):
        if not distinct or jump.time - distinct[-1].time > bounds.short:
            distinct.append(jump)
        else:
            distinct[-1] = Jump(distinct[-1].time, max(distinct[-1].width, jump.width))
    return distinct


def _sources(motors: Sequence[MotorInput], drives: Sequence[JointDrive], bounds: Bounds) -> Iterator[_Jumps]:
    for motor in motors:
        command, is_speed = motor.commanded_signal, motor.drive is DriveMode.SPEED
        if command is None:
            yield _jumps_of_function(Identity(motor.built.motor.function), bounds, is_rate=is_speed)
        elif isinstance(command, SampledSignal):
            yield from _jumps_of_signal(Identity(command), bounds, is_rate=is_speed)
        if abs(motor.approach.velocity) >= bounds.least:
            yield _Jumps(np.array([motor.approach.end]), np.zeros(1))
    for drive in drives:
        if isinstance(drive, PrescribedMotion) and drive.prescribes_velocity and isinstance(drive.command, SampledSignal):
            yield from _jumps_of_signal(Identity(drive.command), bounds, is_rate=True)


@lru_cache(maxsize=64)
def _jumps_of_signal(identity: Identity, bounds: Bounds, *, is_rate: bool) -> list[_Jumps]:
    signal: SampledSignal = identity.function
    return [_jumps_of_points(signal.times, column, bounds, is_rate=is_rate) for column in signal.values.T]


@lru_cache(maxsize=64)
def _jumps_of_function(identity: Identity, bounds: Bounds, *, is_rate: bool) -> _Jumps:
    """Return the times at which a function jumps, if it is a velocity, or bends, if it is a position."""
    function: Function = identity.function
    match function:
        case TableFunction():
            x, y = np.array(function.points, dtype=float).reshape(-1, 2).T
            return _jumps_of_points(x, y, bounds, is_rate=is_rate)
        case RepeatedFunction():
            return _jumps_of_repetition(function, bounds, is_rate=is_rate)
    return _NO_JUMPS


def _jumps_of_repetition(function: RepeatedFunction, bounds: Bounds, *, is_rate: bool) -> _Jumps:
    if function.width < _LEAST_PERIOD * bounds.long:
        return _NO_JUMPS
    first, last, small = function.start, function.start + function.width, 0.5 * bounds.short
    inner = _jumps_of_function(Identity(function.function), bounds, is_rate=is_rate)
    jumps = inner.between(first, last)
    ends = value_at(function.function, np.array([first, first + small, last - small, last]))
    change = ends[0] - ends[3] if is_rate else (ends[1] - ends[0] - ends[3] + ends[2]) / small
    if abs(change) >= bounds.least and not (jumps and jumps[0].time == first):
        jumps.insert(0, Jump(first, 0.0))
    if not jumps:
        return _NO_JUMPS
    times, widths = np.array(jumps).T
    return _Jumps(times - first - function.shift, widths, function.width)


def _jumps_of_points(x: Vector, y: Vector, bounds: Bounds, *, is_rate: bool) -> _Jumps:
    """Return the times at which straight lines between points jump, if they are a velocity, or bend, if a position."""
    widths = np.diff(x)
    with np.errstate(divide="ignore", invalid="ignore"):
        slopes = np.concatenate([[0.0], np.diff(y) / widths, [0.0]])
        bends = np.abs(np.diff(slopes))
    if is_rate:
        is_steep = (widths <= bounds.long) & (np.maximum(bends[:-1], bends[1:]) >= bounds.steep)
        found = np.flatnonzero(((widths <= bounds.short) | is_steep) & (np.abs(np.diff(y)) >= bounds.least))
        return _Jumps(x[found], widths[found])
    is_long = widths > _LONG * bounds.short
    is_curve = ~(np.concatenate([[True], is_long]) | np.concatenate([is_long, [True]]))
    found = np.flatnonzero((bends >= bounds.least) & ~is_curve)
    return _Jumps(x[found], np.zeros(found.size))
