"""A grasp refers to a body that cannot be grasped."""

from __future__ import annotations

from ossature.checks.context import CheckContext
from ossature.diagnostics import Report, shared_rules
from ossature.kinematics import GraspError, PossibleGrasps, path_of
from ossature.model import World

RULE = shared_rules.INVALID_GRASP


def check(world: World, report: Report, context: CheckContext) -> None:
    """Report invalid grasps."""
    possible = PossibleGrasps(world)
    for grasp in world.grasps:
        try:
            possible.add(grasp)
        except GraspError as error:
            report.add(RULE, str(error), grasp.origin, path=f"{path_of(grasp.link)} grasps {path_of(grasp.body)}")
