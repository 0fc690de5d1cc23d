"""A free joint of an inverse kinematics solver does not move the tip of its manipulator."""

from __future__ import annotations

from ossature.checks.context import CheckContext
from ossature.diagnostics import Report, Rule
from ossature.kinematics import ArmError, arm_of, is_moved_by
from ossature.kinematics.joint_path import joint_path
from ossature.model import Manipulator, Model, World

RULE = Rule.warning(
    "ineffective-free-joint",
    "MDL097",
    "A free joint of an inverse kinematics solver does not move the tip of its manipulator.",
    "A solver samples the positions of its free joints. This one is not between base and tip, or it is locked, passive, or "
    "coupled to other joints, which move instead. Inverse kinematics ignores it. Name a joint that moves the tip.",
)


def check(world: World, report: Report, context: CheckContext) -> None:
    """Report free joints that move nothing."""
    for model in world.models:
        for manipulator in model.manipulators:
            if any(solver.free_joints for solver in manipulator.solvers) and _has_path(model, manipulator):
                _check_manipulator(model, manipulator, report)


def _check_manipulator(model: Model, manipulator: Manipulator, report: Report) -> None:
    arm = arm_of(manipulator)
    for solver in manipulator.solvers:
        for free in solver.free_joints:
            if free.joint in model.joints and not is_moved_by(model, arm, free.joint):
                message = f"the free joint '{free.joint}' of manipulator '{manipulator.name}' does not move its tip"
                path = f"{model.name}/{manipulator.name}"
                report.add(RULE, message, solver.origin or manipulator.origin, path=path)


def _has_path(model: Model, manipulator: Manipulator) -> bool:
    """Whether joints connect base and tip; other checks report unknown bodies."""
    try:
        joint_path(model, manipulator.base, manipulator.chain_end or manipulator.tip)
    except ArmError:
        return False
    return True
