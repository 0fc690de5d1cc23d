"""Fingers that close or open: plain data that a state carries, and what comes of them at each step.

They ask where fingers are, how fast, and what they touch. What they remember from step to step is plain data, too.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import astuple, dataclass
from typing import TYPE_CHECKING, Any, Self

import mujoco
import numpy as np

from ossature.kinematics import bodies_moved_by
from ossature.model import Actuation, JointPosition
from ossature.simulation.checkpointing import Memory
from ossature.simulation.compile.address_map import JointAddress
from ossature.simulation.compile.compiled_world import Compiled
from ossature.simulation.compile.joint_actuation import is_limited_servo

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Vector = NDArray[np.float64]

_STEPS_TO_STOP = 20.0
"""In how many steps a finger comes to rest at its limit, and begins to press."""
_SHARE = 0.5
"""Of the damping that would bring a finger to its speed in one step; more of it overshoots."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FingerTarget:
    """The way of one finger.

    Attributes:
        coordinate: Which coordinate of its joint it is.
        sign: Which way it goes.
        end: Where it is to stop [rad or m]; infinite where nothing limits it.
        speed: How fast it goes [rad/s or m/s].
        effort: With what it presses where the joint takes forces [N·m or N]; otherwise zero.
    """

    coordinate: int
    sign: float
    end: float
    speed: float
    effort: float


_NUMBERS = 5
"""Of a way, in a memory."""


@dataclass(frozen=True, slots=True)
class GripperMotion:
    """How the fingers of one joint are to go, from when it is commanded until another command."""

    ways: tuple[FingerTarget, ...]

    def memory(self) -> Memory:
        """Return it as a plain array."""
        return {"ways": np.array([astuple(way) for way in self.ways], dtype=float).reshape(-1)}

    @classmethod
    def recalled(cls, memory: Mapping[str, NDArray[Any]], joint: JointAddress) -> Self:
        """Return what :meth:`memory` gave.

        Raises:
            ValueError: It is nothing that the joint could be told.
        """
        rows = memory["ways"].reshape(-1, _NUMBERS).tolist()
        if any(row[0] not in range(joint.joint.degrees_of_freedom) for row in rows):
            raise ValueError("it moved fingers that are none of its coordinates")
        return cls(
            tuple(
                [
                    FingerTarget(coordinate=int(coordinate), sign=sign, end=end, speed=speed, effort=effort)
                    for coordinate, sign, end, speed, effort in rows
                ]
            )
        )


class ContactTest:
    """Which bodies touch where they are now.

    What the engine's data say of contacts is left from the last step, or newer where somebody has looked meanwhile.

    Args:
        model: The engine's model.
        data: The engine's data.
    """

    def __init__(self, model: Any, data: Any) -> None:
        self._model, self._data = model, data
        self._watched = (data.qpos, model.geom_contype, model.geom_conaffinity)
        self._found_at: list[bytes] = []
        self._pairs: list[list[int]] = []

    def pairs(self) -> list[list[int]]:
        """Return the engine's numbers of bodies that touch, two and two."""
        now = [array.tobytes() for array in self._watched]
        if now != self._found_at:
            self._found_at, self._pairs = now, self._find()
        return self._pairs

    def _find(self) -> list[list[int]]:
        mujoco.mj_kinematics(self._model, self._data)
        mujoco.mj_collision(self._model, self._data)
        contacts = self._data.contact
        pairs: list[list[int]] = self._model.geom_bodyid[contacts.geom[contacts.dist < 0.0]].tolist()
        return pairs


class Fingers(ABC):
    """What the coordinates of a joint of a gripper are told at each step, as a signal.

    Args:
        motion: How they are to go.
        index: The joint.
        compiled: The World in the engine.
        data: The engine's data.
    """

    def __init__(self, motion: GripperMotion, index: JointAddress, compiled: Compiled, data: Any) -> None:
        self.motion = motion
        self._count = index.joint.degrees_of_freedom
        model = compiled.model
        self._step = float(model.opt.timestep)
        dofs = np.arange(model.nv)[index.coordinate_dofs].tolist()
        self._dofs = [dofs[way.coordinate] for way in motion.ways]
        self._places = [int(model.jnt_qposadr[model.dof_jntid[dof]]) for dof in self._dofs]
        self._qpos, self._qvel = data.qpos, data.qvel

    def at(self, time: float) -> Vector:
        """Return the values of all coordinates at a time [s], which is that of the engine's data."""
        values = np.zeros(self._count)
        for way, value in zip(self.motion.ways, self._values(time), strict=True):
            values[way.coordinate] = value
        return values

    def integral(self, start: float, stop: float) -> Vector:
        """Return the integral of the values over a step."""
        return self.at(start) * (stop - start)

    @abstractmethod
    def go_on(self, time: float) -> None:
        """Remember what has happened up to a time [s], which is that of the engine's data."""

    @abstractmethod
    def memory(self) -> Memory:
        """Return what it remembers from step to step."""

    @abstractmethod
    def recall(self, memory: Mapping[str, NDArray[Any]]) -> None:
        """Take back what :meth:`memory` gave."""

    @abstractmethod
    def _values(self, time: float) -> list[float]:
        """Return the value of each way."""

    def _desired_velocities(self) -> list[float]:
        """Return the velocity that each finger is to have: its speed, and less of it shortly before its limit."""
        return [self._speed(way, place) for way, place in zip(self.motion.ways, self._places, strict=True)]

    def _speed(self, way: FingerTarget, place: int) -> float:
        if not math.isfinite(way.end):
            return way.sign * way.speed
        slowing = (way.end - float(self._qpos[place])) / (_STEPS_TO_STOP * self._step)
        return max(-way.speed, min(way.speed, slowing))


class ForceGrip(Fingers):
    """Forces that bring fingers to their speed, and grow to what they may press with where something stops them.

    Args:
        motion: How they are to go.
        index: The joint.
        compiled: The World in the engine.
        data: The engine's data.
    """

    def __init__(self, motion: GripperMotion, index: JointAddress, compiled: Compiled, data: Any) -> None:
        super().__init__(motion, index, compiled, data)
        weights = compiled.model.dof_invweight0
        self._dampings = [_SHARE / (float(weights[dof]) * self._step) for dof in self._dofs]
        self._pushes = [0.0] * len(motion.ways)
        self._last = float(data.time)

    def go_on(self, time: float) -> None:
        """Let what stops a finger be pushed more."""
        self._pushes, self._last = self._grown(self._pulls(), time), time

    def memory(self) -> Memory:
        """Return how much each finger pushes what stops it, and since when."""
        return {"pushes": np.array(self._pushes), "last": np.array([self._last])}

    def recall(self, memory: Mapping[str, NDArray[Any]]) -> None:
        """Take back how much each finger pushes."""
        pushes = memory["pushes"].tolist()
        if len(pushes) != len(self._pushes):
            raise ValueError("it pushed with another number of fingers")
        self._pushes, (self._last,) = pushes, memory["last"].tolist()

    def _values(self, time: float) -> list[float]:
        pulls = self._pulls()
        totals = [push + pull for push, pull in zip(self._grown(pulls, time), pulls, strict=True)]
        return self._limited(totals)

    def _pulls(self) -> list[float]:
        """Return the force for each finger that brings it to its speed."""
        rates = [float(self._qvel[dof]) for dof in self._dofs]
        parts = zip(self._dampings, self._desired_velocities(), rates, strict=True)
        return [damping * (wanted - rate) for damping, wanted, rate in parts]

    def _grown(self, pulls: list[float], time: float) -> list[float]:
        share = (time - self._last) / (_STEPS_TO_STOP * self._step)
        return self._limited([push + pull * share for push, pull in zip(self._pushes, pulls, strict=True)])

    def _limited(self, forces: list[float]) -> list[float]:
        return [max(-way.effort, min(way.effort, force)) for way, force in zip(self.motion.ways, forces, strict=True)]


class VelocityClosing(Fingers):
    """Velocities of fingers that follow whatever it takes: they stop for good where they touch something.

    Args:
        motion: How they are to go.
        index: The joint.
        compiled: The World in the engine.
        data: The engine's data.
        touches: What touches what.
    """

    def __init__(self, motion: GripperMotion, index: JointAddress, compiled: Compiled, data: Any, touches: ContactTest) -> None:
        super().__init__(motion, index, compiled, data)
        self._touches = touches
        self._gives_way = is_limited_servo(index.joint)
        self._stopped = [False] * len(motion.ways)
        bodies = compiled.index.bodies[index.model]
        model = next(iter(bodies.values())).model
        moved = [
            bodies_moved_by(model, [JointPosition(joint=index.joint.name, coordinate=way.coordinate)]) for way in motion.ways
        ]
        self._own = [{bodies[name].number for name in names} for names in moved]

    def go_on(self, time: float) -> None:
        """Stop what touches something."""
        self._stopped = self._stopping()

    def memory(self) -> Memory:
        """Return which fingers have stopped."""
        return {"stopped": np.array(self._stopped)}

    def recall(self, memory: Mapping[str, NDArray[Any]]) -> None:
        """Take back which fingers have stopped."""
        stopped = memory["stopped"].astype(bool).tolist()
        if len(stopped) != len(self._stopped):
            raise ValueError("it stopped another number of fingers")
        self._stopped = stopped

    def _values(self, time: float) -> list[float]:
        return [0.0 if stops else wanted for stops, wanted in zip(self._stopping(), self._desired_velocities(), strict=True)]

    def _stopping(self) -> list[bool]:
        if self._gives_way or all(self._stopped):
            return self._stopped
        pairs = self._touches.pairs()
        touching = [any((first in own) != (second in own) for first, second in pairs) for own in self._own]
        return [before or now for before, now in zip(self._stopped, touching, strict=True)]


def moving_fingers(motion: GripperMotion, index: JointAddress, compiled: Compiled, data: Any, touches: ContactTest) -> Fingers:
    """Return what goes as a motion says: it presses where the joint takes forces, and approaches where it takes velocities."""
    if index.joint.actuation is Actuation.FORCE:
        return ForceGrip(motion, index, compiled, data)
    return VelocityClosing(motion, index, compiled, data, touches)
