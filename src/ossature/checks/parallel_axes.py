"""Two axes of a joint are parallel."""

from __future__ import annotations

from ossature.checks._joint_axes import pairs_of_non_parallel_axes
from ossature.checks.context import CheckContext
from ossature.diagnostics import Report, Rule
from ossature.model import World
from ossature.spatial import cross, norm

RULE = Rule.error(
    "parallel-axes",
    "MDL015",
    "Two axes of a joint are parallel.",
    "The joint has fewer degrees of freedom than coordinates, and its equations have no unique solution. State axes that "
    "differ.",
)


def check(world: World, report: Report, context: CheckContext) -> None:
    """Report universal, planar, translational2d and compound joints whose axes are parallel."""
    for model in world.models:
        for joint in model.joints:
            if any(norm(cross(first, second)) < 1e-6 for first, second in pairs_of_non_parallel_axes(joint.type)):
                report.add(
                    RULE,
                    f"two axes of joint '{joint.name}' are parallel",
                    joint.origin,
                    path=f"{model.name}/{joint.name}",
                )
