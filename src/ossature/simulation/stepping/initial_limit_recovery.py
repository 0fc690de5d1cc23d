"""Stops of joints that are outside their limits at the start: they move back to the limits, and the joints with them.

A stop at its limit would convert the excess of the joint position into velocity within a few steps.
So it starts at the joint position, moves inwards with the joint if that moves so by itself, and otherwise at a constant rate
that brings it to its limit in :data:`RETURN_TIME`. It waits while the joint is blocked.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import mujoco
import numpy as np

from ossature.array_types import AnyArray
from ossature.simulation.compile.engine_model import EngineModel
from ossature.simulation.stateful_components import ComponentState, label
from ossature.simulation.stepping.approached_limits import find_limited_joints

RETURN_TIME = 1.0
"""Time in which a stop moves to its limit [s]: joints get at most the velocity of their excess per second."""
_ROUNDING = 1e-9
_MAX_LEAD_STEPS = 60.0
"""Largest lead of a stop over a joint that is blocked, in displacements per step."""


@dataclass(slots=True)
class _MovingStop:
    """A stop that moves to its limit.

    Attributes:
        joint: The engine's index of the joint.
        qpos: The index of the joint's position in the engine's positions.
        end: 0 for the lower limit, 1 for the upper one.
        inward: The direction from this limit into the range, 1 or -1.
        limit: Its limit [rad or m].
        rate: Its speed [rad/s or m/s].
    """

    joint: int
    qpos: int
    end: int
    inward: float
    limit: float
    rate: float


class InitialLimitRecovery:
    """The stops of joints that are outside their limits.

    Args:
        compiled: The compiled World, in whose engine model the limits are moved.
    """

    def __init__(self, compiled: EngineModel, data: mujoco.MjData) -> None:
        model = compiled.model
        self._model, self._qpos, self._range = model, data.qpos, model.jnt_range
        self._limited: list[int] = compiled.shared_results.get(find_limited_joints, compiled, None).tolist()
        self._specified_range = np.array(model.jnt_range)
        self._moving_stops: list[_MovingStop] = []

    @property
    def is_active(self) -> bool:
        """Whether a stop is not at its limit."""
        return bool(self._moving_stops)

    def start(self) -> None:
        """Start the stops of all joints that are outside their limits now at the joint positions."""
        self._reset()
        for joint in self._limited:
            position = float(self._qpos[int(self._model.jnt_qposadr[joint])])
            for end, inward in ((0, 1.0), (1, -1.0)):
                excess = inward * (float(self._specified_range[joint, end]) - position)
                if excess > _ROUNDING:
                    self._add_moving_stop(joint, end, position, excess / RETURN_TIME)

    def _add_moving_stop(self, joint: int, end: int, position: float, rate: float) -> None:
        limit, qpos = float(self._specified_range[joint, end]), int(self._model.jnt_qposadr[joint])
        inward = 1.0 if end == 0 else -1.0
        self._moving_stops.append(_MovingStop(joint=joint, qpos=qpos, end=end, inward=inward, limit=limit, rate=rate))
        self._range[joint, end] = position

    def _reset(self) -> None:
        self._range[:] = self._specified_range
        self._moving_stops.clear()

    def prepare_step(self, step: float) -> None:
        """Move the stops for a step [s]."""
        for stop in tuple(self._moving_stops):
            # All offsets are measured inwards from the limit, so that they are negative outside.
            joint_offset = stop.inward * (float(self._qpos[stop.qpos]) - stop.limit)
            offset = stop.inward * (float(self._range[stop.joint, stop.end]) - stop.limit)
            next_offset = min(offset + stop.rate * step, joint_offset + _MAX_LEAD_STEPS * stop.rate * step)
            offset = max(offset, next_offset, joint_offset)
            if offset >= 0.0:
                self._range[stop.joint, stop.end] = stop.limit
                self._moving_stops.remove(stop)
            else:
                self._range[stop.joint, stop.end] = stop.limit + stop.inward * offset

    def get_state(self) -> ComponentState:
        """Return the moving stops by the engine's names of their joints: end, present position, rate."""
        return {
            label(self._model.joint(stop.joint).name): np.array([stop.end, self._range[stop.joint, stop.end], stop.rate])
            for stop in self._moving_stops
        }

    def set_state(self, saved_state: Mapping[str, AnyArray]) -> None:
        """Restore what :meth:`get_state` returned; all other stops are at their limits."""
        self._reset()
        for joint in self._limited:
            remembered = saved_state.get(label(self._model.joint(joint).name))
            if remembered is not None:
                end, position, rate = remembered.tolist()
                self._add_moving_stop(joint, int(end), position, rate)
