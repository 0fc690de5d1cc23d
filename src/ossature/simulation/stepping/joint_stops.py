"""Stops of joints that are outside their limits at the start: they give way at first, and bring the joint back slowly.

A stop that acted at its own place would turn the way that a joint is outside its limits into velocity within a few steps.
So it begins where the joint is, goes inwards with the joint where that moves so by itself, and otherwise at a constant rate
that takes it to its own place in :data:`RETURN_TIME`. It waits while something keeps the joint from following.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np

from ossature.simulation.checkpointing import Memory, label

if TYPE_CHECKING:
    from numpy.typing import NDArray

RETURN_TIME = 1.0
"""Time in which a stop goes to its own place [s]: joints get the velocity of their excess per second at most by it."""
_ROUNDING = 1e-9
_MOST_LAG = 60.0
"""Steps' worth of way by which a stop may go ahead of a joint that does not follow."""


@dataclass(slots=True)
class _Return:
    """A stop on its way to its own place.

    Attributes:
        joint: The engine's number of the joint.
        qpos: Where the joint's position is among those of the engine.
        end: 0 for the lower limit, 1 for the upper one.
        inwards: The direction from this limit into the range, 1 or -1.
        place: Its own place [rad or m].
        rate: How fast it goes [rad/s or m/s].
    """

    joint: int
    qpos: int
    end: int
    inwards: float
    place: float
    rate: float


class StopReturns:
    """The stops of joints that are outside their limits.

    Args:
        model: The engine's model, whose limits are moved.
        data: The engine's data.
    """

    def __init__(self, model: Any, data: Any) -> None:
        self._model, self._qpos, self._range = model, data.qpos, model.jnt_range
        scalars = (int(mujoco.mjtJoint.mjJNT_HINGE), int(mujoco.mjtJoint.mjJNT_SLIDE))
        self._limited = [j for j in range(model.njnt) if model.jnt_limited[j] and int(model.jnt_type[j]) in scalars]
        self._stated = np.array(model.jnt_range)
        self._returns: list[_Return] = []

    @property
    def is_active(self) -> bool:
        """Whether a stop is not at its own place."""
        return bool(self._returns)

    def begin(self) -> None:
        """Let the stops of all joints that are outside their limits now begin where these are."""
        self._reset()
        for joint in self._limited:
            qpos = int(self._model.jnt_qposadr[joint])
            position = float(self._qpos[qpos])
            for end, inwards in ((0, 1.0), (1, -1.0)):
                excess = inwards * (float(self._stated[joint, end]) - position)
                if excess > _ROUNDING:
                    self._go_on(joint, end, position, excess / RETURN_TIME)

    def _go_on(self, joint: int, end: int, wall: float, rate: float) -> None:
        place, qpos = float(self._stated[joint, end]), int(self._model.jnt_qposadr[joint])
        inwards = 1.0 if end == 0 else -1.0
        self._returns.append(_Return(joint=joint, qpos=qpos, end=end, inwards=inwards, place=place, rate=rate))
        self._range[joint, end] = wall

    def _reset(self) -> None:
        self._range[:] = self._stated
        self._returns.clear()

    def before(self, step: float) -> None:
        """Move the stops for a step [s]."""
        for one in tuple(self._returns):
            position, wall = float(self._qpos[one.qpos]), float(self._range[one.joint, one.end])
            # All measured inwards from where the stop belongs, so that ways are negative while it is outside.
            at, gone = one.inwards * (position - one.place), one.inwards * (wall - one.place)
            ahead = min(gone + one.rate * step, at + _MOST_LAG * one.rate * step)
            gone = max(gone, ahead, at)
            if gone >= 0.0:
                self._range[one.joint, one.end] = one.place
                self._returns.remove(one)
            else:
                self._range[one.joint, one.end] = one.place + one.inwards * gone

    def memory(self) -> Memory:
        """Return the stops that are on their way, by the engine's names of their joints: end, place now, rate."""
        return {
            label(self._model.joint(one.joint).name): np.array([one.end, self._range[one.joint, one.end], one.rate])
            for one in self._returns
        }

    def recall(self, memory: Mapping[str, NDArray[Any]]) -> None:
        """Take back what :meth:`memory` gave; all other stops are at their own places."""
        self._reset()
        for joint in self._limited:
            remembered = memory.get(label(self._model.joint(joint).name))
            if remembered is not None:
                end, wall, rate = remembered.tolist()
                self._go_on(joint, int(end), wall, rate)
