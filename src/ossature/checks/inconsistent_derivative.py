"""A stated partial derivative of a coupling is wrong."""

from __future__ import annotations

import numpy as np

from ossature.checks._coupling_samples import Samples, coupled_coordinates_with_samples, format_sample_point
from ossature.checks.context import CheckContext
from ossature.diagnostics import Report, Rule
from ossature.kinematics import CoupledCoordinate, derivatives, evaluate, has_coupled_coordinates
from ossature.model import JointPosition, Model, PartialDerivative, World, formula_text, position_text, sources_of

RULE = Rule.warning(
    "inconsistent-derivative",
    "MDL049",
    "A stated partial derivative of a formula is wrong.",
    "Programs that use it compute wrong velocities. Ossature derives the formula itself. Correct the derivative, or remove it.",
    aliases=("wrong-partial",),
)

_TOLERANCE = 1e-5
"""Difference that is accepted as rounding, relative to the derivative or to one."""

_ORDINALS = {1: "first", 2: "second"}


def check(world: World, report: Report, context: CheckContext) -> None:
    """Report stated derivatives that differ from the exact ones at some of many positions within limits."""
    for model in world.models:
        if not has_coupled_coordinates(model):
            continue
        ordered, samples = coupled_coordinates_with_samples(model)
        for follower in ordered:
            for partial in follower.formula.partials:
                if partial.order in _ORDINALS and _is_known(partial, samples):
                    _check_derivative(follower, partial, samples, model, report)


def _is_known(partial: PartialDerivative, samples: Samples) -> bool:
    return _differentiation_position(partial) in samples and all(source in samples for source in sources_of(partial.expression))


def _differentiation_position(partial: PartialDerivative) -> JointPosition:
    return JointPosition(joint=partial.joint, coordinate=partial.coordinate)


def _check_derivative(
    follower: CoupledCoordinate, partial: PartialDerivative, samples: Samples, model: Model, report: Report
) -> None:
    by = _differentiation_position(partial)
    exact = derivatives(follower.formula.position, samples, {by: 1.0})[partial.order]
    difference = np.abs(np.subtract(evaluate(partial.expression, samples), exact))
    excess = np.broadcast_to(difference / np.maximum(np.abs(exact), 1.0), samples[follower.position].shape)
    if not np.nanmax(excess, initial=0.0) > _TOLERANCE:
        return
    worst = int(np.nanargmax(excess))
    specified = f"{formula_text(partial.expression)}, but is {np.broadcast_to(exact, excess.shape)[worst]:.6g}"
    at = format_sample_point(follower, samples, worst)
    report.add(
        RULE,
        f"joint '{follower.joint.name}': the {_ORDINALS[partial.order]} derivative of {follower.text} by "
        f"{position_text(by)} is stated as {specified}: error {np.broadcast_to(difference, excess.shape)[worst]:.3g}"
        + (f" at {at}" if at else ""),
        follower.joint.origin,
        path=f"{model.name}/{follower.joint.name}",
    )
