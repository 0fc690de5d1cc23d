"""Angles of poses that are probably in degrees, in formats that have radians."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial

from ossature.diagnostics import Location, Report, Safety
from ossature.diagnostics.shared_rules import SUSPECTED_DEGREES
from ossature.syntax.xml_fixes import replace_at
from ossature.syntax.xml_values import format_numbers

_LARGEST_ANGLE = math.tau + 1e-3
"""The largest plausible angle in radians, with a tolerance for rounding [rad]; larger ones are probably in degrees."""


def report_suspected_degrees(
    name: str, locate: Callable[[], Location | None], angles: Sequence[float], report: Report, *, position: Sequence[float] = ()
) -> None:
    """Report angles of a pose of more than a turn.

    Args:
        name: What states them.
        locate: Returns the location of the attribute, or of the element whose text they are.
        angles: The angles [rad].
        position: Numbers that are stated before them.
    """
    largest = max(map(abs, angles))
    if largest <= _LARGEST_ANGLE:
        return
    location, in_radians = locate(), format_numbers((*position, *map(math.radians, angles)))
    report.add(
        SUSPECTED_DEGREES,
        f"{name} has an angle of {largest:g} rad, which is {math.degrees(largest):.0f}°",
        location,
        hint=f"if it is in degrees, write {math.radians(largest):.5g} rad",
        fix=partial(replace_at, [(location, in_radians)], title=f"change {name} to {in_radians}", safety=Safety.UNSAFE),
    )
