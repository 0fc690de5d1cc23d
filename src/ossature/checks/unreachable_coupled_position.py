"""The limits of a coupled joint are narrower than its coupling requires."""

from __future__ import annotations

import numpy as np

from ossature.array_types import BoolArray
from ossature.checks._coupling_samples import Samples, coupled_coordinates_with_samples
from ossature.checks._field_locations import field_location
from ossature.checks.context import CheckContext
from ossature.diagnostics import Report, Rule
from ossature.kinematics import CoupledCoordinate
from ossature.model import Model, World

RULE = Rule.warning(
    "unreachable-coupled-position",
    "MDL093",
    "The limits of a coupled joint are narrower than its coupling requires.",
    "Within the limits of the joints that it depends on, the coupling requires positions outside the limits of the coupled "
    "joint. A simulation cannot satisfy both, and the other joints do not reach their limits. Usual reasons are a wrong "
    "multiplier or offset, or limits that were copied. Correct the coupling or the limits.",
)
_TOLERANCE = 0.05
"""Excess that is not reported, relative to the range of the coupled joint: limits are rounded."""


def check(world: World, report: Report, context: CheckContext) -> None:
    """Report coupled joints that leave their limits within the limits of the joints that they depend on."""
    for model in world.models:
        followers, samples = coupled_coordinates_with_samples(model)
        for follower in followers:
            joint, limits = follower.joint, follower.joint.coordinates[follower.position.coordinate].position_limits
            if not limits.lower <= limits.upper or not _are_bounded(follower, model):
                continue
            values = samples[follower.position][_are_reachable(follower, model, samples)]
            if not values.size:
                continue
            least, most = float(values.min()), float(values.max())
            excess = _TOLERANCE * (limits.upper - limits.lower)
            if least < limits.lower - excess or most > limits.upper + excess:
                report.add(
                    RULE,
                    f"joint '{joint.name}' has the limits {limits.lower:.4g} to {limits.upper:.4g}, but its coupling requires "
                    f"{least:.4g} to {most:.4g}",
                    field_location(joint.origin, "multiplier", "coupling"),
                    path=f"{model.name}/{joint.name}",
                )


def _are_bounded(follower: CoupledCoordinate, model: Model) -> bool:
    """Whether all joints that a coupled joint depends on have limits."""
    sources = [model.joints[source.joint].coordinates[source.coordinate : source.coordinate + 1] for source in follower.sources]
    return all(one and one[0].position_limits.bounded for one in sources)


def _are_reachable(follower: CoupledCoordinate, model: Model, samples: Samples) -> BoolArray:
    """Return whether the joints that a coupled joint depends on are within their limits, in each sample.

    Those that are coupled themselves may be outside: their own finding reports it.
    """
    within = np.ones(len(samples[follower.position]), dtype=bool)
    for source in follower.sources:
        limits = model.joints[source.joint].coordinates[source.coordinate].position_limits
        within &= (samples[source] >= limits.lower) & (samples[source] <= limits.upper)
    return within
