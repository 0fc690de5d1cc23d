"""A number is infinite or not a number at all."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

from ossature.checks.context import CheckContext
from ossature.diagnostics import Report, Rule, Severity
from ossature.model import Range, World
from ossature.model.audit import elements
from ossature.spatial import Pose

RULE = Rule(
    name="not-finite",
    severity=Severity.ERROR,
    summary="A number is infinite or not a number at all.",
    explanation=("Nothing can be computed with it. Only limits may be infinite."),
)


def check(world: World, report: Report, context: CheckContext) -> None:
    """Report numbers that are not finite, limits excepted."""
    for path, element in elements(world):
        if isinstance(element, Range):
            found = [name for name in ("lower", "upper") if math.isnan(getattr(element, name))]
        else:
            fields = [item.name for item in dataclasses.fields(element) if item.compare]
            found = [name for name in fields if not _is_finite(getattr(element, name))]
        for name in found:
            report.add(RULE, f"the {name} of {path or 'the world'} is not finite", path=path)


def _is_finite(value: Any) -> bool:
    if isinstance(value, Pose):
        return _is_finite(value.position) and _is_finite(value.wxyz)
    if isinstance(value, tuple):
        return all(map(_is_finite, value))
    return not isinstance(value, float) or math.isfinite(value)
