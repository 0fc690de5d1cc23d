"""Rows of the engine's actuators in its arrays of controls and of forces.

From MuJoCo 4 an actuator has any number of controls (a position and a velocity target) and of forces (three about a ball
joint); before, it has one of each.
"""

from __future__ import annotations

import mujoco
import numpy as np

from ossature.array_types import IndexArray

__all__ = ["actuator_of_forces", "controls_of"]

_HAS_SEVERAL = hasattr(mujoco.MjModel, "actuator_outnum")


def actuator_of_forces(model: mujoco.MjModel) -> IndexArray:
    """Return the number of the actuator of each element of the engine's ``actuator_force``."""
    numbers = np.arange(len(model.actuator_trntype))
    return np.repeat(numbers, model.actuator_outnum) if _HAS_SEVERAL else numbers


def controls_of(model: mujoco.MjModel, actuator: int) -> slice:
    """Return the controls of an actuator in the engine's ``ctrl``."""
    if not _HAS_SEVERAL:
        return slice(actuator, actuator + 1)
    first = int(model.actuator_ctrladr[actuator])
    return slice(first, first + int(model.actuator_ctrlnum[actuator]))
