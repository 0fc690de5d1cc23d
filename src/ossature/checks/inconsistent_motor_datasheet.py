"""Parameters of an electric motor contradict each other."""

from __future__ import annotations

from ossature.checks.context import CheckContext
from ossature.diagnostics import Report, Rule
from ossature.model import World
from ossature.model.motor_characteristics import RedundantValue, redundancies

RULE = Rule.warning(
    "inconsistent-motor-datasheet",
    "MDL046",
    "Parameters of an electric motor contradict each other.",
    "Torque constant and speed constant are reciprocal; stall torque, starting current, resistance and nominal voltage depend "
    "on each other, as does the speed-torque gradient. Differences of 2 % are accepted for rounding, and more if losses "
    "explain them. A simulation uses torque constant, resistance and nominal voltage. A factor of 60 or 6.28 is a wrong unit. "
    "Correct the value that the message names.",
    aliases=("motor-contradicts-itself",),
)

_SEVERAL_TIMES = 3.0
"""Ratio from which it is stated instead of a percentage."""


def check(world: World, report: Report, context: CheckContext) -> None:
    """Report contradicting parameters of electric motors."""
    for model in world.models:
        for actuator in model.actuators:
            if actuator.motor is None:
                continue
            for redundancy in redundancies(actuator.motor):
                if not redundancy.agrees:
                    path = f"{model.name}/{actuator.name}"
                    report.add(RULE, f"motor '{actuator.name}': {_format_redundancy(redundancy)}", actuator.origin, path=path)


def _format_redundancy(redundancy: RedundantValue) -> str:
    direction = "more" if redundancy.error > 0.0 else "less"
    ratio, percentage = redundancy.error + 1.0, abs(redundancy.error) * 100.0
    comparison = f"{ratio:.3g} times" if ratio >= _SEVERAL_TIMES else f"{percentage:.3g} % {direction} than"
    return (
        f"{redundancy.field} is {redundancy.specified:.4g}, {comparison} "
        f"{redundancy.others}, which is {redundancy.implied:.4g} (SI units)"
    )
