"""A quaternion is not a unit quaternion."""

from __future__ import annotations

import math

from ossature.checks.context import CheckContext
from ossature.diagnostics import Report, shared_rules
from ossature.model import World
from ossature.model.element_fields import compared_fields
from ossature.spatial import IDENTITY_WXYZ, Pose

RULE = shared_rules.NON_UNIT_QUATERNION

_TOLERANCE = 1e-9


def check(world: World, report: Report, context: CheckContext) -> None:
    """Report poses whose quaternion has a length other than one."""
    for path, element, origin in context.elements(world):
        for item in compared_fields(type(element)):
            pose = getattr(element, item.name)
            if isinstance(pose, Pose) and pose.wxyz != IDENTITY_WXYZ:
                length = math.hypot(*pose.wxyz)
                if math.isfinite(length) and abs(length - 1.0) > _TOLERANCE:
                    report.add(
                        RULE,
                        f"the quaternion in the {item.name} of {path} has length {length:g}",
                        origin,
                        path=path,
                        hint="normalise it" if length > 0.0 else "the identity is 1 0 0 0",
                    )
