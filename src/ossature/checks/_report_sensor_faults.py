"""Shared code of the checks of sensors."""

from __future__ import annotations

from ossature.diagnostics import Report, Rule
from ossature.model import World
from ossature.sensor_models.validation import FaultKind, find_faults


def report_faults(world: World, kind: FaultKind, rule: Rule, report: Report) -> None:
    """Report the faults of one rule in the parameters of all sensors."""
    for model in world.models:
        for sensor in model.sensors:
            if sensor.description is None:
                continue
            for fault in find_faults(sensor.description, model):
                if fault.kind is kind:
                    path, origin = f"{model.name}/{sensor.name}", fault.origin or sensor.origin
                    report.add(rule, f"sensor '{sensor.name}': {fault.message}", origin, path=path, hint=fault.hint)
