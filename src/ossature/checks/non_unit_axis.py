"""An axis is not a unit vector."""

from __future__ import annotations

import math

from ossature.checks._joint_axes import axes_of
from ossature.checks.context import CheckContext
from ossature.diagnostics import Report, shared_rules
from ossature.model import World
from ossature.spatial import norm

RULE = shared_rules.NON_UNIT_AXIS

_TOLERANCE = 1e-9


def check(world: World, report: Report, context: CheckContext) -> None:
    """Report axes whose length is not one."""
    for model in world.models:
        for joint in model.joints:
            for axis in axes_of(joint.type):
                length = norm(axis)
                if math.isfinite(length) and abs(length - 1.0) > _TOLERANCE:
                    report.add(
                        RULE,
                        f"an axis of joint '{joint.name}' has length {length:g}",
                        joint.origin,
                        path=f"{model.name}/{joint.name}",
                        hint="normalise it" if length > 0.0 else "state an axis other than zero",
                    )
