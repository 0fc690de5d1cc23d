"""Coupling expressions at many samples of the coordinates that they depend on."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TypeAlias

import numpy as np

from ossature.array_types import Array
from ossature.kinematics import CoupledCoordinate, FormulaError, evaluate, is_coordinate, sorted_coupled_coordinates
from ossature.model import Actuation, Joint, JointPosition, Model, position_text, sources_of

Samples: TypeAlias = "Mapping[JointPosition, Array]"
"""Positions of coordinates at all samples."""

_COUNT = 256
_WITHIN = 1e-6
"""Distance of samples from limits relative to the range: at the limits themselves rounding would decide."""


def coupled_coordinates_with_samples(model: Model) -> tuple[list[CoupledCoordinate], Samples]:
    """Return the coupled joints of a model, and samples of the coordinates that they depend on, within limits.

    Sources that are coupled themselves have the positions of their couplings. If one of these cannot be evaluated, which other
    checks report, no coupled joint is returned.
    """
    try:
        ordered = sorted_coupled_coordinates(model)
    except FormulaError:
        return [], {}
    # A fixed seed makes findings reproducible.
    random = np.random.default_rng(0)
    samples: dict[JointPosition, Array] = {}
    following = {follower.position for follower in ordered}
    for follower in ordered:
        for source in named_positions(follower):
            if source not in samples and source not in following and is_coordinate(source, model):
                samples[source] = _sample_positions(model.joints[source.joint], source.coordinate, random)
    for follower in ordered:
        values = evaluate(follower.formula.position, samples)
        samples[follower.position] = np.broadcast_to(np.asarray(values, dtype=float), _COUNT)
    return ordered, samples


def named_positions(follower: CoupledCoordinate) -> tuple[JointPosition, ...]:
    """Return the positions that an expression and its stated derivatives depend on, without duplicates."""
    named = dict.fromkeys(follower.sources)
    for partial in follower.formula.partials:
        named[JointPosition(joint=partial.joint, coordinate=partial.coordinate)] = None
        named.update(dict.fromkeys(sources_of(partial.expression)))
    return tuple(named)


def _sample_positions(joint: Joint, number: int, random: np.random.Generator) -> Array:
    """Return positions of a coordinate: the middle and both ends of its range, the initial position, and random ones."""
    coordinate = joint.coordinates[number]
    if joint.actuation is Actuation.LOCKED:
        return np.full(_COUNT, coordinate.initial_position)
    lower, upper = _sampling_limits(coordinate.position_limits.lower, coordinate.position_limits.upper)
    margin = _WITHIN * (upper - lower)
    lower, upper = lower + margin, upper - margin
    start = min(max(coordinate.initial_position, lower), upper)
    return np.concatenate([[0.5 * (lower + upper), lower, upper, start], random.uniform(lower, upper, _COUNT - 4)])


def _sampling_limits(lower: float, upper: float) -> tuple[float, float]:
    """Return the limits, with one revolution, or that many metres, if there are none."""
    if math.isinf(lower) and math.isinf(upper):
        return -math.pi, math.pi
    if math.isinf(lower):
        return upper - math.tau, upper
    if math.isinf(upper):
        return lower, lower + math.tau
    return min(lower, upper), max(lower, upper)


def format_sample_point(follower: CoupledCoordinate, samples: Samples, sample: int) -> str:
    """Return the positions of the sources of a coupled joint in a sample: ``a = 0.5, b = 1``."""
    return ", ".join(f"{position_text(source)} = {samples[source][sample]:.4g}" for source in follower.sources)
