"""The engine's state at the start of a step, from which the step is repeated."""

from __future__ import annotations

import mujoco
import numpy as np


class StepStart:
    """A copy of coordinates, velocities, activations and time.

    Attributes:
        qpos: The coordinates.
        qvel: The velocities.
        act: The activations of actuators.
    """

    def __init__(self, data: mujoco.MjData) -> None:
        self._data = data
        self.qpos, self.qvel, self.act = data.qpos.copy(), data.qvel.copy(), data.act.copy()
        self._pairs = [(self.qpos, data.qpos), (self.qvel, data.qvel)]
        if self.act.size:
            self._pairs.append((self.act, data.act))
        self._time = data.time

    def save(self) -> None:
        """Copy the present state."""
        for copy, present in self._pairs:
            np.copyto(copy, present)
        self._time = self._data.time

    def restore(self) -> None:
        """Return to the copied state."""
        for copy, present in self._pairs:
            np.copyto(present, copy)
        self._data.time = self._time
