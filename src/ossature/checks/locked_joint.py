"""Joints of a loop cannot move although they have coordinates."""

from __future__ import annotations

from ossature.checks.context import CheckContext
from ossature.diagnostics import Report, Rule, Severity
from ossature.model import World

RULE = Rule(
    name="locked-joint",
    severity=Severity.WARNING,
    summary="A joint of a kinematic loop cannot move although it has coordinates.",
    explanation=(
        "The other joints of its loop leave its two bodies no relative motion, by the rank of the constraint Jacobian at the "
        "start and near it. The usual reason is an axis that is tilted or displaced by a little: a planar four-bar linkage "
        "of hinges moves only as long as all of them are parallel (to 1e-5 rad here). A simulation of such a mechanism stays "
        "where it is or opens its loops, with reactions without bound. Correct the axis, or replace one joint by one that "
        "allows the misalignment, such as a spherical or cylindrical one. For a truss that is meant to be rigid ignore it."
    ),
)


def check(world: World, report: Report, context: CheckContext) -> None:
    """Report joints that loops lock, one finding for each model."""
    for model in world.models:
        mobility = context.mobility(model)
        if mobility is None or mobility.open_joint or not mobility.locked_joints:
            continue
        names = mobility.locked_joints
        found = model.joints.get(names[0]) or model.motors.get(names[0])
        every = ", ".join(f"'{name}'" for name in names)
        message = f"joint {every} is locked by its loop" if len(names) == 1 else f"joints {every} are locked by their loops"
        left = mobility.degrees_of_freedom
        hint = f"{left} degree{'s' * (left != 1)} of freedom are left; correct the axes of the loop, or free one more motion"
        report.add(RULE, message, None if found is None else found.origin, path=f"{model.name}/{names[0]}", hint=hint)
