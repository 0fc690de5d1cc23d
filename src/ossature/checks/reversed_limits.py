"""A lower limit is above the upper one."""

from __future__ import annotations

from functools import partial

from ossature.checks._field_locations import field_location
from ossature.checks._joint_coordinates import coordinates, label
from ossature.checks.context import CheckContext
from ossature.diagnostics import Fix, Location, Report, Safety, shared_rules
from ossature.model import Actuation, World
from ossature.syntax.xml_edits import value_at
from ossature.syntax.xml_fixes import replace_at

RULE = shared_rules.REVERSED_LIMITS
_FIELDS = {"position": ("lower",), "velocity": ("velocity",), "acceleration": (), "effort": ("effort",)}
"""The field of the file with the limits of each quantity."""

_HINT = "exchange them; if the joint has no limits, as PyBullet interprets reversed ones, remove them"


def check(world: World, report: Report, context: CheckContext) -> None:
    """Report limits of position, velocity, acceleration and effort whose lower end is above the upper one."""
    for model, joint, index, coordinate in coordinates(world):
        if joint.actuation is Actuation.LOCKED:
            continue
        for name in ("position", "velocity", "acceleration", "effort"):
            limits = getattr(coordinate, f"{name}_limits")
            if limits.lower > limits.upper:
                report.add(
                    RULE,
                    f"the {name} limits of {label(joint, index)} are reversed: {limits.lower:g} to {limits.upper:g}",
                    field_location(joint.origin, *_FIELDS[name]),
                    path=f"{model.name}/{joint.name}",
                    hint=_HINT if name == "position" else None,
                    fix=partial(_exchange, joint.origin) if name == "position" else None,
                )


def _exchange(origin: Location | None) -> Fix | None:
    """Return the fix that exchanges the limits that a file states."""
    places = [field_location(origin, name) for name in ("lower", "upper")]
    try:
        lower, upper = [value_at(place) for place in places if place is not None]
    except ValueError:
        return None
    return replace_at([(places[0], upper), (places[1], lower)], title="exchange the limits", safety=Safety.UNSAFE)
