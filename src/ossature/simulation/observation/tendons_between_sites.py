"""Tendons that are straight lines between two sites, such as spring-dampers and distance constraints."""

from __future__ import annotations

import mujoco
import numpy as np

from ossature.array_types import IntegerArray, Vector


def is_between_sites(model: mujoco.MjModel, tendon: int) -> bool:
    """Whether a tendon is a line between two sites; others are weighted sums of joint coordinates, or have longer paths."""
    first = int(model.tendon_adr[tendon])
    kinds = model.wrap_type[first : first + int(model.tendon_num[tendon])]
    return len(kinds) == 2 and bool((kinds == mujoco.mjtWrap.mjWRAP_SITE).all())


def tendon_ends(
    model: mujoco.MjModel, data: mujoco.MjData, tendons: IntegerArray
) -> tuple[IntegerArray, IntegerArray, Vector, Vector, Vector]:
    """Return the bodies at both ends of tendons, the ends in the world [m], and unit vectors from the second to the first."""
    wraps = model.tendon_adr[tendons]
    first, second = model.wrap_objid[wraps], model.wrap_objid[wraps + 1]
    points, others = data.site_xpos[first], data.site_xpos[second]
    lines = points - others
    lengths = np.sqrt((lines * lines).sum(axis=1, keepdims=True))
    lines = lines / np.maximum(lengths, mujoco.mjMINVAL)
    return model.site_bodyid[first], model.site_bodyid[second], points, others, lines
