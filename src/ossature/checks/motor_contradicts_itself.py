"""An electric motor's sheet says something twice, and differently."""

from __future__ import annotations

from ossature.checks.context import CheckContext
from ossature.diagnostics import Report, Rule, Severity
from ossature.model import World
from ossature.model.motor_sheet import Redundancy, redundancies

RULE = Rule(
    name="motor-contradicts-itself",
    severity=Severity.WARNING,
    summary="An electric motor's sheet says something twice, and differently.",
    explanation=(
        "Torque constant and speed constant are one number in two units; stall torque, starting current, resistance and "
        "nominal voltage follow from one another, and so does the gradient of the speed over the torque. Numbers of a data "
        "sheet are rounded, so two parts in a hundred are let pass, and more where losses explain a difference. A simulation "
        "goes by torque constant, resistance and nominal voltage where they are stated. A factor of 60 or 6.28 is a unit."
    ),
)


def check(world: World, report: Report, context: CheckContext) -> None:
    """Report what the sheets of motors say twice and differently."""
    for model in world.models:
        for actuator in model.actuators:
            if actuator.motor is None:
                continue
            for redundancy in redundancies(actuator.motor):
                if not redundancy.agrees:
                    path = f"{model.name}/{actuator.name}"
                    report.add(RULE, f"motor '{actuator.name}': {_told(redundancy)}", actuator.origin, path=path)


def _told(redundancy: Redundancy) -> str:
    direction = "more" if redundancy.error > 0.0 else "less"
    apart = abs(redundancy.error) * 100.0
    return (
        f"{redundancy.field} is {redundancy.stated:.4g}, {apart:.3g} % {direction} than "
        f"{redundancy.others}, which is {redundancy.implied:.4g} (SI units)"
    )
