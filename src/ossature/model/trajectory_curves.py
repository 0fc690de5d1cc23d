"""Curves of trajectories: values and derivatives at any time.

Every segment is a pair of cubics of a parameter from 0 to 1, one for the time and one for the value. Where the time is no
straight function of the parameter, the parameter is found first.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ossature.array_types import IndexArray, Matrix, Vector
from ossature.model.trajectory import Channel, Extrapolation, Interpolation

_HALVINGS = 60
"""Number of bisections down to rounding."""
_CARDINAL = np.array([[0.0, 2.0, 0.0, 0.0], [-1.0, 0.0, 1.0, 0.0], [2.0, -5.0, 4.0, -1.0], [-1.0, 3.0, -3.0, 1.0]]) / 2.0
_BSPLINE = np.array([[1.0, 4.0, 1.0, 0.0], [-3.0, 0.0, 3.0, 0.0], [3.0, -6.0, 3.0, 0.0], [-1.0, 3.0, -3.0, 1.0]]) / 6.0
_BEZIER = np.array([[1.0, 0.0, 0.0, 0.0], [-3.0, 3.0, 0.0, 0.0], [3.0, -6.0, 3.0, 0.0], [-1.0, 3.0, -3.0, 1.0]])
_HERMITE = np.array([[1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [-3.0, 3.0, -2.0, -1.0], [2.0, -2.0, 1.0, 1.0]])


@dataclass(frozen=True, slots=True)
class CurveDerivatives:
    """A coordinate at some times.

    Attributes:
        values: Its values [rad or m].
        velocities: Their first derivative by the time.
        accelerations: The second.
        jerks: The third.
    """

    values: Vector
    velocities: Vector
    accelerations: Vector
    jerks: Vector


class Curve:
    """The curve of one channel.

    Raises:
        ValueError: It has no keys, times do not increase, numbers of keys, values or tangents differ, a value is not
            finite, or tangents reverse the time.
    """

    def __init__(self, channel: Channel) -> None:
        _require_valid_channel(channel)
        self.channel = channel
        self._times, self._values = np.asarray(channel.times, float), np.asarray(channel.values, float)
        segments = [self._segment(key) for key in range(len(self._times) - 1)]
        self._time_cubics = np.array([time for time, _ in segments]).reshape(-1, 4)
        self._value_cubics = np.array([value for _, value in segments]).reshape(-1, 4)
        if (_least_derivatives(self._time_cubics) < 0.0).any():
            raise ValueError(f"the tangents of '{channel.path}' reverse its time")
        self._is_plain = np.all(self._time_cubics[:, 2:] == 0.0, axis=1)

    @property
    def start(self) -> float:
        """Time of its first key [s]."""
        return float(self._times[0])

    @property
    def end(self) -> float:
        """Time of its last key [s]."""
        return float(self._times[-1])

    def at(self, times: Vector) -> CurveDerivatives:
        """Return values and derivatives at times [s]; at jumps and kinks the right-hand ones."""
        times = np.asarray(times, dtype=float)
        inner, factor, offset, slope = self._map_into_range(times)
        motion = self._evaluate_in_range(inner)
        # Reversed time changes the sign of odd derivatives.
        velocities = np.where(factor == 0.0, slope, factor * motion.velocities)
        beyond = slope * (times - inner)
        still = factor == 0.0
        return CurveDerivatives(
            motion.values + offset + np.where(still, beyond, 0.0),
            velocities,
            np.where(still, 0.0, motion.accelerations),
            np.where(still, 0.0, factor * motion.jerks),
        )

    # Segments

    def _segment(self, key: int) -> tuple[Vector, Vector]:
        """Return the cubics of time and value from a key to the next, lowest power first."""
        t0, t1 = self._times[key], self._times[key + 1]
        v0, v1 = self._values[key], self._values[key + 1]
        along = np.array([t0, t1 - t0, 0.0, 0.0])
        match self.channel.interpolation(key):
            case Interpolation.LINEAR:
                return along, np.array([v0, v1 - v0, 0.0, 0.0])
            case Interpolation.STEP:
                return along, np.array([v0, 0.0, 0.0, 0.0])
            case Interpolation.CARDINAL:
                return along, _CARDINAL @ self._neighbours(key)
            case Interpolation.BSPLINE:
                return along, _BSPLINE @ self._neighbours(key)
            case Interpolation.BEZIER:
                return self._tangent_segment(key, _BEZIER, between=True)
            case Interpolation.HERMITE:
                return self._tangent_segment(key, _HERMITE, between=False)

    def _neighbours(self, key: int) -> Vector:
        """Return the values around a segment; beyond the ends the curve is mirrored at the last key."""
        values, last = self._values, len(self._values) - 1
        before = values[key - 1] if key else 2.0 * values[0] - values[1]
        after = values[key + 2] if key + 2 <= last else 2.0 * values[last] - values[last - 1]
        return np.array([before, values[key], values[key + 1], after])

    def _tangent_segment(self, key: int, basis: Matrix, *, between: bool) -> tuple[Vector, Vector]:
        t0, t1, v0, v1 = self._times[key], self._times[key + 1], self._values[key], self._values[key + 1]
        out, into = self.channel.out_tangents[key], self.channel.in_tangents[key + 1]
        if len(out) == 1:  # the value alone: the time is a straight function of the parameter
            span = t1 - t0
            times = (t0 + span / 3.0, t1 - span / 3.0) if between else (span, span)
            out, into = (times[0], out[0]), (times[1], into[0])
        if between:
            return basis @ np.array([t0, out[0], into[0], t1]), basis @ np.array([v0, out[1], into[1], v1])
        return basis @ np.array([t0, t1, out[0], into[0]]), basis @ np.array([v0, v1, out[1], into[1]])

    # Times

    def _map_into_range(self, times: Vector) -> tuple[Vector, Vector, Vector, Vector]:
        """Return for each time the corresponding one in range, the direction of time (0: constant), an offset and a slope."""
        inner, factor = np.clip(times, self.start, self.end), np.ones_like(times)
        offset, slope = np.zeros_like(times), np.zeros_like(times)
        span = self.end - self.start
        for outside, behaviour in ((times < self.start, self.channel.before), (times > self.end, self.channel.after)):
            if not outside.any():
                continue
            if behaviour in (Extrapolation.UNDEFINED, Extrapolation.CONSTANT, Extrapolation.GRADIENT) or span == 0.0:
                factor[outside] = 0.0
                if behaviour is Extrapolation.GRADIENT:
                    slope[outside] = self._slope_at_end(after=bool((times[outside] > self.end).all()))
                continue
            rounds = np.floor((times[outside] - self.start) / span)
            inner[outside] = times[outside] - rounds * span
            if behaviour is Extrapolation.CYCLE_RELATIVE:
                offset[outside] = rounds * float(self._last_value() - self._values_at_start())
            elif behaviour is Extrapolation.OSCILLATE:
                back = rounds % 2.0 == 1.0
                inner[outside] = np.where(back, self.start + self.end - inner[outside], inner[outside])
                factor[outside] = np.where(back, -1.0, 1.0)
        return np.clip(inner, self.start, self.end), factor, offset, slope

    def _values_at_start(self) -> float:
        return float(self._evaluate_in_range(np.array([self.start])).values[0])

    def _last_value(self) -> float:
        return float(self._evaluate_in_range(np.array([self.end])).values[0])

    def _slope_at_end(self, *, after: bool) -> float:
        if not len(self._value_cubics):
            return 0.0
        segment, parameter = (len(self._value_cubics) - 1, 1.0) if after else (0, 0.0)
        rate = _derivative(self._time_cubics[segment : segment + 1], np.array([parameter]), 1)[0]
        change = _derivative(self._value_cubics[segment : segment + 1], np.array([parameter]), 1)[0]
        return float(change / rate) if rate else 0.0

    def _evaluate_in_range(self, times: Vector) -> CurveDerivatives:
        if not len(self._time_cubics):
            still = np.zeros_like(times)
            return CurveDerivatives(np.full_like(times, self._values[0]), still, still, still)
        segments = np.clip(np.searchsorted(self._times, times, side="right") - 1, 0, len(self._time_cubics) - 1)
        along, across = self._time_cubics[segments], self._value_cubics[segments]
        parameters = self._parameters(times, segments, along)
        x1, x2, x3 = (_derivative(along, parameters, order) for order in (1, 2, 3))
        y1, y2, y3 = (_derivative(across, parameters, order) for order in (1, 2, 3))
        x1 = np.where(x1 == 0.0, np.finfo(float).tiny, x1)
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            velocities = y1 / x1
            accelerations = (y2 - velocities * x2) / x1**2
            jerks = (y3 - velocities * x3 - 3.0 * accelerations * x1 * x2) / x1**3
        values = _derivative(across, parameters, 0)
        # At the last key a step has jumped.
        values = np.where(times >= self.end, self._end_value(), values)
        return CurveDerivatives(values, velocities, accelerations, jerks)

    def _end_value(self) -> float:
        last = self.channel.interpolation(len(self._times) - 2)
        return float(self._values[-1]) if last is Interpolation.STEP else float(self._value_cubics[-1].sum())

    def _parameters(self, times: Vector, segments: IndexArray, along: Matrix) -> Vector:
        first, past = self._times[segments], self._times[segments + 1]
        found: Vector = np.clip((times - first) / (past - first), 0.0, 1.0)
        bent = ~self._is_plain[segments]
        if bent.any():
            found[bent] = _solve_cubics(along[bent], times[bent])
        return found


def _solve_cubics(cubics: Matrix, times: Vector) -> Vector:
    """Return the parameters at which increasing cubics have given values."""
    lower, upper = np.zeros_like(times), np.ones_like(times)
    for _ in range(_HALVINGS):
        middle = (lower + upper) / 2.0
        is_below = _derivative(cubics, middle, 0) < times
        lower, upper = np.where(is_below, middle, lower), np.where(is_below, upper, middle)
    return (lower + upper) / 2.0


def _derivative(cubics: Matrix, parameters: Vector, order: int) -> Vector:
    c0, c1, c2, c3 = cubics.T
    s = parameters
    if order == 0:
        return np.asarray(c0 + s * (c1 + s * (c2 + s * c3)))
    if order == 1:
        return np.asarray(c1 + s * (2.0 * c2 + 3.0 * s * c3))
    return np.asarray(2.0 * c2 + 6.0 * s * c3 if order == 2 else 6.0 * c3)


def _least_derivatives(cubics: Matrix) -> Vector:
    """Return the least derivative of each cubic between 0 and 1, with some room for rounding."""
    if not len(cubics):
        return np.zeros(0)
    _, c1, c2, c3 = cubics.T
    turning = np.divide(-c2, 3.0 * c3, out=np.zeros_like(c2), where=c3 != 0.0)
    candidates = [_derivative(cubics, np.clip(s, 0.0, 1.0), 1) for s in (np.zeros_like(c1), np.ones_like(c1), turning)]
    return np.asarray(np.min(candidates, axis=0) + 1e-9 * np.abs(cubics[:, 1:]).sum(axis=1))


def _require_valid_channel(channel: Channel) -> None:
    count = len(channel.times)
    if not count:
        raise ValueError(f"'{channel.path}' has no keys")
    if len(channel.values) != count or len(channel.interpolations) not in (1, count):
        raise ValueError(f"'{channel.path}' has {count} times, but other numbers of values or interpolations")
    numbers = np.array([*channel.times, *channel.values])
    if not np.isfinite(numbers).all():
        raise ValueError(f"'{channel.path}' has a key that is not finite")
    if not (np.diff(channel.times) > 0.0).all():
        raise ValueError(f"the times of '{channel.path}' do not increase")
    if any(channel.interpolation(key) in (Interpolation.BEZIER, Interpolation.HERMITE) for key in range(count - 1)):
        _check_tangents(channel, count)


def _check_tangents(channel: Channel, count: int) -> None:
    for tangents in (channel.in_tangents, channel.out_tangents):
        if len(tangents) != count:
            raise ValueError(f"'{channel.path}' has {count} keys and {len(tangents)} tangents")
    widths = {len(tangent) for tangent in (*channel.in_tangents, *channel.out_tangents)}
    if len(widths) > 1 or not widths <= {1, 2}:
        raise ValueError(f"the tangents of '{channel.path}' are not all values, or all times with values")
    if not all(np.isfinite(tangent).all() for tangent in (*channel.in_tangents, *channel.out_tangents)):
        raise ValueError(f"'{channel.path}' has a tangent that is not finite")
