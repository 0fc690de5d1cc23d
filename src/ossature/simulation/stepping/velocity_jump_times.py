"""When prescribed velocities jump: functions of time with steep parts, positions with bends, and sampled commands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ossature.array_types import Vector
from ossature.kinematics import value_at
from ossature.model import DriveMode, Function, RepeatedFunction, TableFunction
from ossature.simulation.stepping.command_signals import SampledSignal
from ossature.simulation.stepping.joint_drives import JointDrive, PrescribedMotion
from ossature.simulation.stepping.motor_and_load_inputs import MotorInput

_LONG = 4096.0
"""Shorter parts of a position are samples of a curve, which bends everywhere [shortest times of a jump]."""


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
    found: list[Vector] = []
    for motor in motors:
        command = motor.commanded_signal
        is_speed = motor.drive is DriveMode.SPEED
        if command is None:
            found += _jumps_of_function(motor.built.motor.function, start, stop, width, least, is_rate=is_speed)
        elif isinstance(command, SampledSignal):
            found.append(_jumps_of_points(command.times, command.values[:, 0], width, least, is_rate=is_speed))
    for drive in drives:
        if isinstance(drive, PrescribedMotion) and drive.prescribes_velocity and isinstance(drive.command, SampledSignal):
            times = drive.command.times
            found += [_jumps_of_points(times, column, width, least, is_rate=True) for column in drive.command.values.T]
    distinct: list[float] = []
    for time in sorted([time for times in found for time in times.tolist() if start <= time < stop]):
        if not distinct or time - distinct[-1] > width:
            distinct.append(time)
    return distinct


def _jumps_of_function(
    function: Function, start: float, stop: float, width: float, least: float, *, is_rate: bool
) -> Iterator[Vector]:
    """Yield the times at which a function jumps, if it is a velocity, or bends, if it is a position."""
    if isinstance(function, TableFunction):
        x, y = np.array(function.points, dtype=float).reshape(-1, 2).T
        yield _jumps_of_points(x, y, width, least, is_rate=is_rate)
    if not isinstance(function, RepeatedFunction):
        return
    first, last = function.start, function.start + function.width
    inner = _jumps_of_function(function.function, first, last, width, least, is_rate=is_rate)
    times = [one[(one >= first) & (one < last)] for one in inner]
    small = 0.5 * width
    ends = value_at(function.function, np.array([first, first + small, last - small, last]))
    change = ends[0] - ends[3] if is_rate else (ends[1] - ends[0] - ends[3] + ends[2]) / small
    if abs(change) >= least:
        times.append(np.array([first]))
    periods = np.arange(np.floor((start + function.shift) / function.width), (stop + function.shift) / function.width + 1.0)
    for one in times:
        yield (one - first - function.shift + function.width * periods[:, None]).reshape(-1)


def _jumps_of_points(x: Vector, y: Vector, width: float, least: float, *, is_rate: bool) -> Vector:
    """Return the times at which straight lines between points jump, if they are a velocity, or bend, if a position."""
    is_short = np.diff(x) <= width
    if is_rate:
        return np.asarray(x[:-1][is_short & (np.abs(np.diff(y)) >= least)])
    with np.errstate(divide="ignore", invalid="ignore"):
        slopes = np.concatenate([[0.0], np.diff(y) / np.diff(x), [0.0]])
    # At both ends of a short part the position jumps.
    is_beside_jump = np.concatenate([[False], is_short]) | np.concatenate([is_short, [False]])
    is_long = np.diff(x) > _LONG * width
    is_curve = ~(np.concatenate([[True], is_long]) | np.concatenate([is_long, [True]]))
    return np.asarray(x[(np.abs(np.diff(slopes)) >= least) & ~is_beside_jump & ~is_curve])
