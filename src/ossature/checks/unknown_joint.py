"""A coupling, gripper, solver or actuator refers to an unknown joint."""

from __future__ import annotations

from collections.abc import Iterator

from ossature.checks._coupling_samples import named_positions
from ossature.checks._field_locations import field_location
from ossature.checks.context import CheckContext
from ossature.diagnostics import Location, Report, shared_rules
from ossature.kinematics import all_coupled_coordinates, is_coordinate
from ossature.model import JointPosition, Model, World

RULE = shared_rules.UNKNOWN_JOINT


def check(world: World, report: Report, context: CheckContext) -> None:
    """Report references to unknown joints or coordinates."""
    for model in world.models:
        for follower in all_coupled_coordinates(model):
            for position in named_positions(follower):
                if not is_coordinate(position, model):
                    joint = follower.joint
                    _report_unknown(
                        f"joint '{joint.name}' is coupled to",
                        position,
                        model,
                        joint.name,
                        field_location(joint.origin, "coupling"),
                        report,
                    )
        for what, element, named, origin in _references(model):
            if named not in model.joints:
                _report_unknown(what, JointPosition(joint=named), model, element, origin, report)


def _references(model: Model) -> Iterator[tuple[str, str, str, Location | None]]:
    """Yield each other reference to a joint: its description, the element's name, the joint's name, and the location."""
    for manipulator in model.manipulators:
        name, origin = manipulator.name, manipulator.origin
        for gripper in manipulator.gripper:
            yield f"the gripper of manipulator '{name}' has", name, gripper.joint, origin
        for solver in manipulator.solvers:
            for free in solver.free_joints:
                yield f"a solver of manipulator '{name}' samples", name, free.joint, solver.origin or origin
    for actuator in model.actuators:
        if actuator.joint is not None:
            yield f"actuator '{actuator.name}' drives", actuator.name, actuator.joint, actuator.origin


def _report_unknown(
    what: str, position: JointPosition, model: Model, element: str, origin: Location | None, report: Report
) -> None:
    joint = model.joints.get(position.joint)
    if joint is None:
        named, hint = f"joint '{position.joint}'", report.suggestion(position.joint, model.joints.names())
    else:
        named, hint = f"coordinate {position.coordinate} of joint '{joint.name}'", f"it has {joint.degrees_of_freedom}"
    report.add(RULE, f"{what} {named}, which does not exist", origin, path=f"{model.name}/{element}", hint=hint)
