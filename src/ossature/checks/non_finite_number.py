"""A number is infinite or NaN."""

from __future__ import annotations

import math
from typing import Any

from ossature.checks.context import CheckContext
from ossature.diagnostics import Report, Rule
from ossature.model import Range, World
from ossature.model.element_fields import compared_fields
from ossature.spatial import Pose

RULE = Rule.error(
    "non-finite-number",
    "MDL037",
    "A number is infinite or NaN.",
    "Nothing can be computed with it; only limits may be infinite. Correct the number.",
    aliases=("not-finite",),
)


def check(world: World, report: Report, context: CheckContext) -> None:
    """Report numbers that are not finite, limits excepted."""
    for path, element, origin in context.elements(world):
        finite = _is_no_nan if isinstance(element, Range) else _is_finite
        for item in compared_fields(type(element)):
            if not finite(getattr(element, item.name)):
                report.add(RULE, f"the {item.name} of {path or 'the world'} is not finite", origin, path=path)


def _is_no_nan(value: float) -> bool:
    return not math.isnan(value)


def _is_finite(value: Any) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, tuple):
        return all(map(_is_finite, value))
    return not isinstance(value, Pose) or (_is_finite(value.position) and _is_finite(value.wxyz))
