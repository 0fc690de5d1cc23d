"""Extrema of position, velocity, acceleration and jerk of a trajectory channel."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ossature.array_types import Vector
from ossature.model.trajectory import Channel, Interpolation
from ossature.model.trajectory_curves import Curve

_WITHIN = np.linspace(0.0, 1.0, 33)
"""Parameters at which each segment is sampled: the extrema of cubics are close enough to one for a limit."""
POSITION, VELOCITY, ACCELERATION, JERK = "position", "velocity", "acceleration", "jerk"
QUANTITIES = (POSITION, VELOCITY, ACCELERATION, JERK)


@dataclass(frozen=True, slots=True)
class Extremum:
    """The least and the largest value of a quantity, and when each occurs first [s]."""

    lowest: float
    lowest_at: float
    highest: float
    highest_at: float


def extrema(channel: Channel) -> dict[str, Extremum]:
    """Return the extremes of position, velocity, acceleration and jerk between the first key and the last.

    Linear segments are treated as samples of a smooth motion: their accelerations and jerks are differences of
    neighbours. A step, or a curve that jumps at its key, has an infinite velocity.

    Raises:
        ValueError: The channel is no curve; see :class:`ossature.model.trajectory_curves.Curve`.
    """
    curve = Curve(channel)
    if len(channel.times) == 1:
        still = Extremum(0.0, channel.times[0], 0.0, channel.times[0])
        value = channel.values[0]
        return {POSITION: Extremum(value, channel.times[0], value, channel.times[0])} | dict.fromkeys(QUANTITIES[1:], still)
    if set(channel.interpolations) == {Interpolation.LINEAR}:
        return dict(_extrema_of_samples(channel))
    return dict(_extrema_of_curve(curve, channel))


def _extrema_of_samples(channel: Channel) -> Iterator[tuple[str, Extremum]]:
    times, values = np.asarray(channel.times), np.asarray(channel.values)
    yield POSITION, _find_extremum(times, values)
    for quantity in QUANTITIES[1:]:
        # Each difference is at the middle of its two samples.
        values = np.diff(values) / np.diff(times)
        times = (times[:-1] + times[1:]) / 2.0
        yield quantity, _find_extremum(times, values)
        if len(values) < 2:
            values, times = np.zeros(2), np.array([times[0], times[0] + 1.0])


def _extrema_of_curve(curve: Curve, channel: Channel) -> Iterator[tuple[str, Extremum]]:
    keys = np.asarray(channel.times)
    spans = np.diff(keys)
    # The last instant of a segment belongs to the next one.
    inside = keys[:-1, None] + spans[:, None] * np.minimum(_WITHIN, 1.0 - 1e-9)
    times = np.append(inside.ravel(), keys[-1])
    motion = curve.at(times)
    jumps = curve.at(keys[1:]).values - curve.at(inside[:, -1]).values
    smooth = np.abs(jumps) <= 1e-6 * (1.0 + np.abs(np.asarray(channel.values)).max())
    velocities, at = motion.velocities[:-1], times[:-1]
    if not smooth.all():
        velocities = np.append(velocities, np.where(jumps[~smooth] > 0.0, np.inf, -np.inf))
        at = np.append(at, keys[1:][~smooth])
    yield POSITION, _find_extremum(times, motion.values)
    yield VELOCITY, _find_extremum(at, velocities)
    yield ACCELERATION, _find_extremum(times[:-1], motion.accelerations[:-1])
    yield JERK, _find_extremum(times[:-1], motion.jerks[:-1])


def _find_extremum(times: Vector, values: Vector) -> Extremum:
    low, high = int(np.argmin(values)), int(np.argmax(values))
    return Extremum(float(values[low]), float(times[low]), float(values[high]), float(times[high]))
