"""A ball or floating joint has position limits, which are not simulated."""

from __future__ import annotations

from ossature.checks.context import CheckContext
from ossature.diagnostics import Report
from ossature.kinematics.rotation_vector_coordinates import multi_axis_coordinate_groups
from ossature.kinematics.rules import UNENFORCED_POSITION_LIMIT as RULE
from ossature.model import World

__all__ = ["RULE", "check"]


def check(world: World, report: Report, context: CheckContext) -> None:
    """Report such joints of models that are not static."""
    for model in world.models:
        for joint in () if model.static else model.joints:
            path = f"{model.name}/{joint.name}"
            for group in multi_axis_coordinate_groups(joint):
                if any(coordinate.position_limits.bounded for coordinate in group):
                    report.add(RULE, f"joint '{joint.name}': its position limits are not enforced", joint.origin, path=path)
                    break
