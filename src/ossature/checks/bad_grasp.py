"""A hand holds what it cannot hold."""

from __future__ import annotations

from ossature.checks.context import CheckContext
from ossature.diagnostics import Report, Rule, Severity
from ossature.kinematics import GraspError, PossibleGrasps, path_of
from ossature.model import World

RULE = Rule(
    name="bad-grasp",
    severity=Severity.ERROR,
    summary="A hand holds what it cannot hold.",
    explanation=(
        "Holder, held body and ignored bodies have to exist. A body is held by one hand at a time, a hand does not hold "
        "what joints connect it with, and no two things hold each other. Poses and simulations need every grasp to be possible."
    ),
)


def check(world: World, report: Report, context: CheckContext) -> None:
    """Report grasps that cannot be."""
    possible = PossibleGrasps(world)
    for grasp in world.grasps:
        try:
            possible.add(grasp)
        except GraspError as error:
            report.add(RULE, str(error), grasp.origin, path=f"{path_of(grasp.holder)} holds {path_of(grasp.held)}")
