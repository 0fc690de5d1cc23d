"""A joint and a body have the same name."""

from __future__ import annotations

from ossature.checks._field_locations import field_location
from ossature.checks.context import CheckContext
from ossature.diagnostics import Related, Report, Rule
from ossature.model import World

RULE = Rule.note(
    "joint-named-like-body",
    "MDL094",
    "A joint and a body have the same name.",
    "URDF and SKEL allow it. SDF does not, so that Gazebo renames one of them or rejects the robot, and in <gazebo "
    "reference=…> the name is ambiguous. Rename one of them.",
    aliases=("ambiguous-name",),
)


def check(world: World, report: Report, context: CheckContext) -> None:
    """Report joints that have the name of a body of their model."""
    for model in world.models:
        for joint in model.joints:
            body = model.bodies.get(joint.name)
            if body is not None:
                report.add(
                    RULE,
                    f"joint '{joint.name}' has the name of a body",
                    field_location(joint.origin, "name"),
                    path=f"{model.name}/{joint.name}",
                    related=(Related(location=body.origin, message="the body"),) if body.origin else (),
                )
