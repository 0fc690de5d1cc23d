"""A coupling is undefined at some positions of the joints that it depends on."""

from __future__ import annotations

import numpy as np

from ossature.checks._coupling_samples import Samples, coupled_coordinates_with_samples, format_sample_point
from ossature.checks.context import CheckContext
from ossature.diagnostics import Report, shared_rules
from ossature.kinematics import CoupledCoordinate, has_coupled_coordinates
from ossature.model import World

RULE = shared_rules.UNDEFINED_FORMULA


def check(world: World, report: Report, context: CheckContext) -> None:
    """Report couplings that are undefined at some of many positions within limits."""
    for model in world.models:
        if not has_coupled_coordinates(model):
            continue
        ordered, samples = coupled_coordinates_with_samples(model)
        for follower in ordered:
            undefined = np.isnan(samples[follower.position]) & ~_sources_undefined(follower, samples)
            if undefined.any():
                at = format_sample_point(follower, samples, int(undefined.argmax()))
                report.add(
                    RULE,
                    f"joint '{follower.joint.name}': {follower.text} has no value" + (f", for example at {at}" if at else ""),
                    follower.joint.origin,
                    path=f"{model.name}/{follower.joint.name}",
                    hint=f"at {np.count_nonzero(undefined)} of {undefined.size} positions within limits",
                )


def _sources_undefined(follower: CoupledCoordinate, samples: Samples) -> np.ndarray:
    """Return at which samples the fault is in another coupled joint."""
    result = np.zeros(samples[follower.position].shape, dtype=bool)
    for source in follower.sources:
        result |= np.isnan(samples[source])
    return result
