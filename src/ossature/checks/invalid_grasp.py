"""A hand holds what it cannot hold."""

from __future__ import annotations

from ossature.checks.context import CheckContext
from ossature.diagnostics import Report, shared_rules
from ossature.kinematics import GraspError, PossibleGrasps, path_of
from ossature.model import World

RULE = shared_rules.INVALID_GRASP


def check(world: World, report: Report, context: CheckContext) -> None:
    """Report grasps that cannot be."""
    possible = PossibleGrasps(world)
    for grasp in world.grasps:
        try:
            possible.add(grasp)
        except GraspError as error:
            report.add(RULE, str(error), grasp.origin, path=f"{path_of(grasp.link)} holds {path_of(grasp.body)}")
