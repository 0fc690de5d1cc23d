"""Force laws that the engine does not support: curves, maps, degressive damping, stops."""

from __future__ import annotations

import itertools
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from ossature.model import STOP_CURVE, ForceMap, RotationalSpringDamper, SpringDamper
from ossature.model.force_element import Curve

Law: TypeAlias = Callable[[float, float], float]
"""A force as a function of a length and its rate."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LinearTerm:
    """A preload, and a force in proportion to a deformation and its rate."""

    preload: float
    stiffness: float
    damping: float
    free: float

    def law(self) -> Law:
        """Return its force as a function."""
        preload, stiffness, damping, free = self.preload, self.stiffness, self.damping, self.free
        return lambda length, rate: preload - stiffness * (length - free) - damping * rate


@dataclass(frozen=True, slots=True, kw_only=True)
class CurveTerm:
    """A curve of the deformation from a free length, or of the rate."""

    curve: Curve
    is_of_rate: bool = False
    free: float = 0.0

    def law(self) -> Law:
        """Return its force as a function."""
        value, free = make_interpolant(self.curve), self.free
        return (lambda length, rate: -value(rate)) if self.is_of_rate else (lambda length, rate: -value(length - free))


@dataclass(frozen=True, slots=True, kw_only=True)
class DegressiveTerm:
    """A damper whose coefficient decreases with the rate."""

    damping: float
    compression: float
    extension: float

    def law(self) -> Law:
        """Return its force as a function."""
        damping, compression, extension = self.damping, self.compression, self.extension
        return lambda length, rate: -damping * rate / (1.0 + extension * rate if rate >= 0.0 else 1.0 - compression * rate)


@dataclass(frozen=True, slots=True, kw_only=True)
class MapTerm:
    """A map over deformation and rate."""

    table: ForceMap
    free: float

    def law(self) -> Law:
        """Return its force as a function."""
        value, free = make_map_law(self.table), self.free
        return lambda length, rate: -value(length - free, rate)


@dataclass(frozen=True, slots=True, kw_only=True)
class StopTerm:
    """The hard stops of a length range."""

    limits: tuple[float, float]

    def law(self) -> Law:
        """Return its force as a function."""
        lower, upper = self.limits
        stop = make_interpolant(STOP_CURVE)

        def force(length: float, rate: float) -> float:
            if length < lower:
                return stop(lower - length)
            return -stop(length - upper) if length > upper else 0.0

        return force


Term: TypeAlias = LinearTerm | CurveTerm | DegressiveTerm | MapTerm | StopTerm
"""A term of a force law."""


def make_law(terms: Sequence[Term]) -> Law | None:
    """Return the sum of terms in their order, or None if there are none."""
    laws = [term.law() for term in terms]
    if len(laws) < 2:
        return laws[0] if laws else None
    if len(laws) == 2:
        first, second = laws
        return lambda length, rate: first(length, rate) + second(length, rate)

    def force(length: float, rate: float) -> float:
        total = laws[0](length, rate)
        for law in laws[1:]:
            total += law(length, rate)
        return total

    return force


def make_interpolant(curve: Curve) -> Callable[[float], float]:
    """Return the piecewise linear interpolation of a curve, constant beyond its end points."""
    xs, ys = [point[0] for point in curve], [point[1] for point in curve]
    slopes = [(y2 - y1) / (x2 - x1) for x1, x2, y1, y2 in zip(xs, xs[1:], ys, ys[1:], strict=False)]
    first, last = ys[0], ys[-1]
    count = len(xs)

    def value(x: float) -> float:
        segment = bisect_right(xs, x)
        if segment == 0:
            return first
        return last if segment == count else ys[segment - 1] + slopes[segment - 1] * (x - xs[segment - 1])

    return value


def make_map_law(table: ForceMap) -> Law:
    """Return the force of a map over deformation and velocity: bilinear interpolation, linear extrapolation."""
    xs, vs, rows = table.deformations, table.velocities, table.forces

    def value(deformation: float, velocity: float) -> float:
        j, s = _find_segment(xs, deformation)
        i, t = _find_segment(vs, velocity)
        low = _interpolate(rows[i], j, s)
        return low if len(vs) == 1 else low + t * (_interpolate(rows[i + 1], j, s) - low)

    return value


def _find_segment(values: Sequence[float], x: float) -> tuple[int, float]:
    """Return the interval that contains a value, the first or last one beyond the ends, and the fraction of it."""
    if len(values) == 1:
        return 0, 0.0
    segment = min(max(bisect_right(values, x) - 1, 0), len(values) - 2)
    return segment, (x - values[segment]) / (values[segment + 1] - values[segment])


def _interpolate(row: Sequence[float], segment: int, fraction: float) -> float:
    return row[segment] if len(row) == 1 else row[segment] + fraction * (row[segment + 1] - row[segment])


def nonlinear_terms(spring: SpringDamper, free_length: float) -> list[Term]:
    """Return the terms of a spring-damper's force that are not linear in its length and rate."""
    terms: list[Term] = _curve_terms(spring.spring_curve, spring.damping_curve, free_length)
    terms += _degressive_terms(spring)
    if spring.force_map is not None:
        terms.append(MapTerm(table=spring.force_map, free=free_length))
    if spring.length_range is not None:
        terms.append(StopTerm(limits=spring.length_range))
    return terms


def nonlinear_torque_terms(spring: RotationalSpringDamper, free_angle: float) -> list[Term]:
    """Return the terms of a rotational spring-damper's torque that are not linear in its angle and rate."""
    return _curve_terms(spring.spring_curve, spring.damping_curve, free_angle)


def linear_torque_term(spring: RotationalSpringDamper, free_angle: float) -> Term:
    """Return the linear term of a rotational spring-damper's torque."""
    return LinearTerm(preload=spring.preload, stiffness=spring.stiffness, damping=spring.damping, free=free_angle)


def damping_law(spring: SpringDamper | RotationalSpringDamper) -> Callable[[float], float] | None:
    """Return the damping force of a spring-damper as a function of its rate, or None if it is linear."""
    terms = _curve_terms((), spring.damping_curve, 0.0)
    degressive = _degressive_terms(spring) if isinstance(spring, SpringDamper) else []
    if not terms and not degressive:
        return None
    linear = LinearTerm(preload=0.0, stiffness=0.0, damping=spring.damping, free=0.0)
    law = make_law([*terms, *(degressive or [linear])])
    assert law is not None  # noqa: S101  # there is one term at least
    return lambda rate: law(0.0, rate)


def _curve_terms(spring_curve: Curve, damping_curve: Curve, free: float) -> list[Term]:
    terms: list[Term] = []
    if spring_curve:
        terms.append(CurveTerm(curve=spring_curve, free=free))
    if damping_curve:
        terms.append(CurveTerm(curve=damping_curve, is_of_rate=True))
    return terms


def _degressive_terms(spring: SpringDamper) -> list[Term]:
    compression, extension = spring.degressivity
    if not (compression or extension) or not spring.damping:
        return []
    return [DegressiveTerm(damping=spring.damping, compression=compression, extension=extension)]


def stop_correction(limits: tuple[float, float], length: float, displacement: float) -> float:
    """Return the difference of the mean force [N] of hard stops over a displacement from the force at its middle.

    A step in which a stop is reached has the stop's force for a part of it only. With the mean force energy is conserved.

    Args:
        limits: Smallest and largest length without a force [m].
        length: The length at the middle of the displacement [m].
        displacement: The change of the length in a step [m].
    """
    half = 0.5 * abs(displacement)
    if (limits[0] <= length - half and length + half <= limits[1]) or half < _SMALLEST_DISPLACEMENT:
        return 0.0
    stored = _stored_energy(limits, length + half) - _stored_energy(limits, length - half)
    lower, upper = limits
    force = _STOP(lower - length) if length < lower else -_STOP(length - upper) if length > upper else 0.0
    return -stored / (2.0 * half) - force


def _stored_energy(limits: tuple[float, float], length: float) -> float:
    """Return the energy [J] that hard stops have stored at a length [m]."""
    penetration = max(limits[0] - length, length - limits[1])
    if penetration <= 0.0:
        return 0.0
    segment = min(bisect_right(_STOP_DEPTHS, penetration), len(STOP_CURVE)) - 1
    depth, force = STOP_CURVE[segment]
    return _STOP_ENERGIES[segment] + (penetration - depth) * 0.5 * (force + _STOP(penetration))


_SMALLEST_DISPLACEMENT = 1e-9
"""Half a displacement [m] below which a mean force is lost to rounding."""
_STOP = make_interpolant(STOP_CURVE)
_STOP_DEPTHS = [depth for depth, _ in STOP_CURVE]
_STOP_ENERGIES = list(
    itertools.accumulate([(x2 - x1) * 0.5 * (y1 + y2) for (x1, y1), (x2, y2) in itertools.pairwise(STOP_CURVE)], initial=0.0)
)


def stop_energy(limits: tuple[float, float], length: float) -> float:
    """Return the energy [J] that hard stops have stored at a length [m]."""
    return _stored_energy(limits, length)


def stop_stiffness(energy: float) -> float:
    """Return the largest stiffness [N/m] of a hard stop up to the penetration at which it has stored an energy [J]."""
    segment = min(max(bisect_right(_STOP_ENERGIES, energy), 1), len(STOP_CURVE) - 1)
    return max((y2 - y1) / (x2 - x1) for (x1, y1), (x2, y2) in itertools.pairwise(STOP_CURVE[: segment + 1]))


def max_slope(curve: Curve) -> float:
    """Return the largest magnitude of the slope of a curve; zero for an empty curve."""
    return max((abs((y2 - y1) / (x2 - x1)) for (x1, y1), (x2, y2) in itertools.pairwise(curve)), default=0.0)
