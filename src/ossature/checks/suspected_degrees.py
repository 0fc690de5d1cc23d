"""Limits of a revolute joint look like degrees."""

from __future__ import annotations

import math
from functools import partial

from ossature.checks._field_locations import field_location
from ossature.checks._joint_coordinates import coordinates, label
from ossature.checks.context import CheckContext
from ossature.diagnostics import Fix, Location, Report, Safety, shared_rules
from ossature.model import Axis, Compound, Euler, Joint, Revolute, Screw, Universal, World
from ossature.syntax.xml_edits import value_at
from ossature.syntax.xml_fixes import replace_at
from ossature.syntax.xml_values import format_number

RULE = shared_rules.SUSPECTED_DEGREES

_ROUNDING_OF_TURNS = 1e-3
"""Authors round multiples of π to a few digits."""
_TURNING = (Revolute, Universal, Euler, Screw)


def check(world: World, report: Report, context: CheckContext) -> None:
    """Report revolute joints whose limits look like degrees."""
    for model, joint, index, coordinate in coordinates(world):
        bounds = [abs(b) for b in (coordinate.position_limits.lower, coordinate.position_limits.upper) if math.isfinite(b)]
        if (
            _is_rotational(joint, index)
            and bounds
            and 8.0 * math.pi < max(bounds) <= 720.0
            and not _is_number_of_turns(max(bounds))
        ):
            degrees = math.degrees(max(bounds))
            report.add(
                RULE,
                f"{label(joint, index)} is limited to {max(bounds):g} rad, which is {degrees:.0f}°",
                field_location(joint.origin, "upper" if abs(coordinate.position_limits.upper) == max(bounds) else "lower"),
                path=f"{model.name}/{joint.name}",
                hint=f"if degrees are meant: {math.radians(max(bounds)):.6g} rad",
                fix=partial(_to_radians, joint.origin),
            )


def _is_number_of_turns(angle: float) -> bool:
    """Whether an angle is a multiple of π, as for joints of several turns; a whole number is more likely one of degrees."""
    halves = angle / math.pi
    return angle != round(angle) and abs(halves - round(halves)) < _ROUNDING_OF_TURNS


def _is_rotational(joint: Joint, index: int) -> bool:
    if isinstance(joint.type, Compound):
        motion = joint.type.motion_of(index)
        return isinstance(motion, Axis) and motion.is_revolute
    return isinstance(joint.type, _TURNING)


def _to_radians(origin: Location | None) -> Fix | None:
    """Return the fix that converts the limits that a file states from degrees to radians."""
    places = [field_location(origin, name) for name in ("lower", "upper")]
    try:
        specified = [(place, format_number(math.radians(float(value_at(place))))) for place in places if place is not None]
    except ValueError:
        return None
    return replace_at(specified, safety=Safety.UNSAFE)
