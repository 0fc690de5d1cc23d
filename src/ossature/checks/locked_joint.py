"""A joint of a closed loop cannot move, although it has coordinates."""

from __future__ import annotations

from ossature.checks.context import CheckContext
from ossature.diagnostics import Report, Rule
from ossature.model import World

RULE = Rule.warning(
    "locked-joint",
    "MDL042",
    "A joint of a closed loop cannot move, although it has coordinates.",
    "The other joints of the loop leave its bodies no relative motion, by the rank of the constraint Jacobian at the initial "
    "configuration and near it. The usual reason is a slightly tilted or displaced axis: a planar four-bar linkage needs "
    "parallel axes (within 1e-5 rad). A simulation does not move, or opens its loops with unbounded reactions. Correct the "
    "axis, or use a joint that allows the misalignment, such as a spherical or cylindrical joint. Ignore this for a rigid "
    "truss.",
)


def check(world: World, report: Report, context: CheckContext) -> None:
    """Report joints that are locked by loops, one finding for each model."""
    for model in world.models:
        mobility = context.mobility(model)
        if mobility is None or mobility.open_joint or not mobility.locked_joints:
            continue
        names = mobility.locked_joints
        found = model.joints.get(names[0]) or model.motors.get(names[0])
        every = ", ".join(f"'{name}'" for name in names)
        message = f"joint {every} is locked by its loop" if len(names) == 1 else f"joints {every} are locked by their loops"
        left = mobility.degrees_of_freedom
        hint = (
            f"{left} degree{'s' * (left != 1)} of freedom remain; correct the axes of the loop, or use a joint with more "
            "degrees of freedom"
        )
        report.add(RULE, message, None if found is None else found.origin, path=f"{model.name}/{names[0]}", hint=hint)
