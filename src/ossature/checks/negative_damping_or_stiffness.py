"""Damping, friction or stiffness is negative."""

from __future__ import annotations

from ossature.checks._field_locations import field_location
from ossature.checks._joint_coordinates import coordinates, label
from ossature.checks.context import CheckContext
from ossature.diagnostics import Report, Rule
from ossature.model import World

RULE = Rule.error(
    "negative-damping-or-stiffness",
    "MDL021",
    "Damping, friction or stiffness is negative.",
    "It would accelerate the motion, and simulations diverge. Correct the sign.",
    aliases=("negative-dynamics",),
)


def _check_spring_dampers(world: World, report: Report) -> None:
    for model in world.models:
        for force in (*model.spring_dampers, *model.rotational_spring_dampers):
            for name in ("damping", "stiffness"):
                value = getattr(force, name)
                if value < 0.0:
                    place = field_location(force.origin, name)
                    report.add(RULE, f"the {name} of '{force.name}' is {value:g}", place, path=f"{model.name}/{force.name}")


def check(world: World, report: Report, context: CheckContext) -> None:
    """Report coordinates and spring-dampers with negative damping, friction or stiffness."""
    _check_spring_dampers(world, report)
    for model, joint, index, coordinate in coordinates(world):
        for name in ("damping", "friction", "stiffness"):
            value = getattr(coordinate, name)
            if value < 0.0:
                report.add(
                    RULE,
                    f"the {name} of {label(joint, index)} is {value:g}",
                    field_location(joint.origin, name),
                    path=f"{model.name}/{joint.name}",
                )
