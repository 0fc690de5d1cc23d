"""The normal of a plane is not a unit vector."""

from __future__ import annotations

import math

from ossature.checks._shapes_and_sizes import shapes
from ossature.checks.context import CheckContext
from ossature.diagnostics import Report, shared_rules
from ossature.model import Plane, World
from ossature.spatial import norm

RULE = shared_rules.NON_UNIT_AXIS

_TOLERANCE = 1e-9


def check(world: World, report: Report, context: CheckContext) -> None:
    """Report planes whose normal has a length other than one."""
    for path, shape in shapes(world):
        if isinstance(shape.geometry, Plane):
            length = norm(shape.geometry.normal)
            if math.isfinite(length) and abs(length - 1.0) > _TOLERANCE:
                report.add(
                    RULE,
                    f"the normal of a plane has length {length:g}",
                    shape.origin,
                    path=path,
                    hint="normalise it" if length > 0.0 else "up is 0 0 1",
                )
