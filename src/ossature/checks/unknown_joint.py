"""A formula, gripper, solver or actuator names a joint that its model does not have."""

from __future__ import annotations

from collections.abc import Iterator

from ossature.checks._expressions import named_positions
from ossature.checks.context import CheckContext
from ossature.diagnostics import Location, Report, shared_rules
from ossature.kinematics import all_followers, is_coordinate
from ossature.model import JointPosition, Model, World

RULE = shared_rules.UNKNOWN_JOINT


def check(world: World, report: Report, context: CheckContext) -> None:
    """Report what names joints or coordinates which do not exist."""
    for model in world.models:
        for follower in all_followers(model):
            for position in named_positions(follower):
                if not is_coordinate(position, model):
                    origin = follower.joint.origin
                    _report(f"joint '{follower.joint.name}' follows", position, model, follower.joint.name, origin, report)
        for what, element, joint, origin in _references(model):
            if joint not in model.joints:
                _report(what, JointPosition(joint=joint), model, element, origin, report)


def _references(model: Model) -> Iterator[tuple[str, str, str, Location | None]]:
    """Yield everything else that names a joint: in words, its name, the joint's, and where it stands."""
    for manipulator in model.manipulators:
        name, origin = manipulator.name, manipulator.origin
        for gripper in manipulator.gripper:
            yield f"the gripper of manipulator '{name}' has", name, gripper.joint, origin
        for solver in manipulator.solvers:
            for free in solver.free_joints:
                yield f"a solver of manipulator '{name}' samples", name, free.joint, solver.origin or origin
    for actuator in model.actuators:
        yield f"actuator '{actuator.name}' drives", actuator.name, actuator.joint, actuator.origin


def _report(what: str, position: JointPosition, model: Model, element: str, origin: Location | None, report: Report) -> None:
    joint = model.joints.get(position.joint)
    if joint is None:
        named, hint = f"joint '{position.joint}'", report.suggestion(position.joint, model.joints.names())
    else:
        named, hint = f"coordinate {position.coordinate} of joint '{joint.name}'", f"it has {joint.degrees_of_freedom}"
    report.add(RULE, f"{what} {named}, which does not exist", origin, path=f"{model.name}/{element}", hint=hint)
