"""A soft body has a mass that is not positive, or negative stiffness or damping."""

from __future__ import annotations

from ossature.checks.context import CheckContext
from ossature.diagnostics import Report, Rule
from ossature.model import World

RULE = Rule.error(
    "invalid-soft-body",
    "MDL036",
    "A soft body has a mass that is not positive, or negative stiffness or damping.",
    "Its point masses cannot be simulated. Correct the values.",
    aliases=("bad-soft-skin",),
)


def check(world: World, report: Report, context: CheckContext) -> None:
    """Report soft bodies with invalid parameters."""
    for model in world.models:
        for body in model.bodies:
            skin = body.soft_skin
            if skin is None:
                continue
            if not skin.mass > 0.0 or min(skin.vertex_stiffness, skin.edge_stiffness, skin.damping) < 0.0:
                report.add(
                    RULE,
                    f"soft body '{body.name}' has mass {skin.mass:g} kg, stiffness {skin.vertex_stiffness:g} and "
                    f"{skin.edge_stiffness:g} N/m, damping {skin.damping:g} N·s/m",
                    skin.origin,
                    path=f"{model.name}/{body.name}",
                )
