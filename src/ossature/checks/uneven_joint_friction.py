"""The Coulomb friction of a ball or floating joint differs between its axes."""

from __future__ import annotations

from ossature.checks.context import CheckContext
from ossature.diagnostics import Report
from ossature.kinematics.rotation_vector_coordinates import is_friction_uneven, multi_axis_coordinate_groups
from ossature.kinematics.rules import UNEVEN_JOINT_FRICTION as RULE
from ossature.model import World

__all__ = ["RULE", "check"]


def check(world: World, report: Report, context: CheckContext) -> None:
    """Report such joints of models that are not static."""
    for model in world.models:
        for joint in () if model.static else model.joints:
            path = f"{model.name}/{joint.name}"
            for group in multi_axis_coordinate_groups(joint):
                if is_friction_uneven(group):
                    report.add(RULE, f"joint '{joint.name}': its friction is not simulated", joint.origin, path=path)
