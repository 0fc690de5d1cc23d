"""A joint connects a body to itself."""

from __future__ import annotations

from ossature.checks._field_locations import field_location
from ossature.checks.context import CheckContext
from ossature.diagnostics import Report, shared_rules
from ossature.model import World

RULE = shared_rules.SELF_CONNECTION


def check(world: World, report: Report, context: CheckContext) -> None:
    """Report joints whose parent is their child."""
    for model in world.models:
        for joint in model.joints:
            if joint.parent == joint.child:
                report.add(
                    RULE,
                    f"joint '{joint.name}' connects '{joint.child}' to itself",
                    field_location(joint.origin, "child"),
                    path=f"{model.name}/{joint.name}",
                )
