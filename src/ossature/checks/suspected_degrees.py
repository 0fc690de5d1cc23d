"""Limits of a revolute joint look like degrees."""

from __future__ import annotations

import math

from ossature.checks._coordinates import coordinates, label
from ossature.checks._locations import field_location
from ossature.checks.context import CheckContext
from ossature.diagnostics import Report, shared_rules
from ossature.model import Compound, Euler, Joint, Revolute, Screw, Universal, World

RULE = shared_rules.SUSPECTED_DEGREES

_TURNING = (Revolute, Universal, Euler, Screw)


def check(world: World, report: Report, context: CheckContext) -> None:
    """Report revolute joints whose limits look like degrees."""
    for model, joint, index, coordinate in coordinates(world):
        bounds = [abs(b) for b in (coordinate.position_limits.lower, coordinate.position_limits.upper) if math.isfinite(b)]
        if _is_rotational(joint, index) and bounds and 8.0 * math.pi < max(bounds) <= 720.0:
            degrees = math.degrees(max(bounds))
            report.add(
                RULE,
                f"{label(joint, index)} is limited to {max(bounds):g} rad, which is {degrees:.0f}°",
                field_location(joint.origin, "upper" if abs(coordinate.position_limits.upper) == max(bounds) else "lower"),
                path=f"{model.name}/{joint.name}",
                hint=f"if degrees are meant: {math.radians(max(bounds)):.6g} rad",
            )


def _is_rotational(joint: Joint, index: int) -> bool:
    if isinstance(joint.type, Compound):
        return joint.type.axes[index].is_revolute
    return isinstance(joint.type, _TURNING)
