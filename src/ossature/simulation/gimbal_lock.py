"""Detection of gimbal lock of Euler joints during a run."""

from __future__ import annotations

import mujoco
import numpy as np

from ossature.model import Euler
from ossature.simulation.compile.engine_model import EngineModel

_NEAR_LOCK = 0.1
"""Volume that the three axes span, 1 if they are perpendicular, below which a joint is near gimbal lock."""


class GimbalLockMonitor:
    """Finds the Euler joint that first comes near gimbal lock, or passes it, where two of its axes are parallel.

    The angles accelerate without bound there, also for a body that rotates uniformly, and smaller steps do not help.

    Attributes:
        hint: The advice about that joint, or None as long as there is none.
    """

    def __init__(self, compiled: EngineModel, data: mujoco.MjData) -> None:
        self.hint: str | None = None
        joints = [index for index in compiled.index.all_joints() if isinstance(index.joint.type, Euler)]
        hinges = [np.flatnonzero(compiled.model.jnt_bodyid == index.body) for index in joints]
        moving = [
            (index, rows) for index, rows in zip(joints, hinges, strict=True) if len(rows) == index.joint.degrees_of_freedom
        ]
        self._names = [f"{index.model}/{index.joint.name}" for index, _ in moving]
        self._rows = np.array([rows for _, rows in moving], dtype=np.intp)
        self._data = data
        self._volumes = np.zeros(0)

    def check(self) -> None:
        """Look at the axes of the last step; call it often enough that no joint passes twice in between."""
        if self.hint is not None or not self._names:
            return
        first, second, third = np.moveaxis(self._data.xaxis[self._rows], 1, 0)
        volumes = (first * np.cross(second, third)).sum(axis=1)
        before = self._volumes if self._volumes.size else volumes
        is_locked = (np.abs(volumes) < _NEAR_LOCK) | (volumes * before < 0.0)
        self._volumes = volumes
        if is_locked.any():
            name = self._names[int(is_locked.argmax())]
            self.hint = f"Euler joint '{name}' is near gimbal lock at {self._data.time:.4g} s: use a ball joint"
