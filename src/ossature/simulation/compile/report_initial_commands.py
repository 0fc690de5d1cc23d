"""Initial commands of joints that act for another time here than in DART, where they act for one step."""

from __future__ import annotations

from ossature.diagnostics import Report
from ossature.model import Actuation, DartStepping, Joint, World, hint_of
from ossature.model.value_text import quoted_names
from ossature.simulation.compile import rules


def report_initial_commands(world: World, report: Report) -> None:
    """Report the joints of a World for DART with an initial force, acceleration or commanded velocity, for each model."""
    if hint_of(world, DartStepping) is None:
        return
    for model in world.models:
        if model.static:
            continue
        joints = [joint for joint in model.joints if _has_initial_command(joint)]
        if joints:
            names = quoted_names(joint.name for joint in joints)
            message = f"'{model.name}': initial forces or accelerations act until a command replaces them: {names}"
            hint = "DART applies them in its first step only; command zero to compare with it"
            report.add(rules.LASTING_INITIAL_COMMAND, message, joints[0].origin, path=model.name, hint=hint)
        joints = [joint for joint in model.joints if joint.actuation is Actuation.VELOCITY and any(joint.initial_velocities)]
        if joints:
            names = quoted_names(joint.name for joint in joints)
            message = f"'{model.name}': the initial velocity of a joint with a commanded velocity is no command: {names}"
            hint = "in DART it is the command of the first step; command it for one step to compare with it"
            report.add(rules.UNCOMMANDED_VELOCITY, message, joints[0].origin, path=model.name, hint=hint)


def _has_initial_command(joint: Joint) -> bool:
    """Whether a joint is commanded a force or acceleration at the start."""
    if joint.actuation is Actuation.FORCE:
        return any(coordinate.initial_effort for coordinate in joint.coordinates)
    return joint.actuation is Actuation.ACCELERATION and any(c.initial_acceleration for c in joint.coordinates)
