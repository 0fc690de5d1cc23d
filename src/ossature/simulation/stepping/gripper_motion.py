"""Closing and opening of gripper fingers: the commanded motion as plain data, and the signals that execute it.

The signals depend on positions, velocities and contacts of the fingers. Their state from step to step is plain data, too.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import astuple, dataclass
from typing import Self

import mujoco
import numpy as np

from ossature.array_types import AnyArray, Vector
from ossature.kinematics import bodies_moved_by
from ossature.model import Actuation, JointPosition
from ossature.simulation.compile.address_map import JointAddress
from ossature.simulation.compile.engine_model import EngineModel
from ossature.simulation.compile.joint_actuation import is_limited_servo
from ossature.simulation.stateful_components import ComponentState

_STEPS_TO_STOP = 20.0
"""Number of steps in which a finger stops at its limit and builds up its grip force."""
_DAMPING_SHARE = 0.5
"""Share of the damping that would bring a finger to its speed in one step; a larger one overshoots."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FingerTarget:
    """The commanded motion of one finger.

    Attributes:
        coordinate: The index of its coordinate in the joint.
        sign: The direction of its motion, 1 or -1.
        end: The position at which it stops [rad or m]; infinite if there is no limit.
        speed: Its speed [rad/s or m/s].
        effort: Its grip force if the joint is force-driven [N·m or N]; otherwise zero.
    """

    coordinate: int
    sign: float
    end: float
    speed: float
    effort: float


_NUMBERS = 5
"""Numbers of a target in the saved_state."""


@dataclass(frozen=True, slots=True)
class GripperMotion:
    """The commanded motion of the fingers of one joint, until another command."""

    targets: tuple[FingerTarget, ...]

    def get_state(self) -> ComponentState:
        """Return it as a plain array."""
        return {"ways": np.array([astuple(target) for target in self.targets], dtype=float).reshape(-1)}

    @classmethod
    def from_state(cls, saved_state: Mapping[str, AnyArray], joint: JointAddress) -> Self:
        """Return the motion from the value of :meth:`get_state`.

        Raises:
            ValueError: It is not a motion of the joint's coordinates.
        """
        rows = saved_state["ways"].reshape(-1, _NUMBERS).tolist()
        if any(row[0] not in range(joint.joint.degrees_of_freedom) for row in rows):
            raise ValueError("the saved gripper command has coordinates that the joint does not have")
        return cls(
            tuple(
                [
                    FingerTarget(coordinate=int(coordinate), sign=sign, end=end, speed=speed, effort=effort)
                    for coordinate, sign, end, speed, effort in rows
                ]
            )
        )


class ContactTest:
    """Detects which bodies are in contact at the present positions.

    The contacts in the engine's data are those of the last step, or of a later collision query.
    """

    def __init__(self, model: mujoco.MjModel, data: mujoco.MjData) -> None:
        self._model, self._data = model, data
        self._inputs = (data.qpos, model.geom_contype, model.geom_conaffinity)
        self._cached_inputs: list[bytes] = []
        self._pairs: list[list[int]] = []

    def pairs(self) -> list[list[int]]:
        """Return the pairs of the engine's indices of bodies that are in contact."""
        now = [array.tobytes() for array in self._inputs]
        if now != self._cached_inputs:
            self._cached_inputs, self._pairs = now, self._detect()
        return self._pairs

    def _detect(self) -> list[list[int]]:
        mujoco.mj_kinematics(self._model, self._data)
        mujoco.mj_collision(self._model, self._data)
        contacts = self._data.contact
        pairs: list[list[int]] = self._model.geom_bodyid[contacts.geom[contacts.dist < 0.0]].tolist()
        return pairs


class FingerSignal(ABC):
    """The values of the coordinates of a gripper joint at each step, as a signal."""

    def __init__(self, motion: GripperMotion, index: JointAddress, compiled: EngineModel, data: mujoco.MjData) -> None:
        self.motion = motion
        self._count = index.joint.degrees_of_freedom
        model = compiled.model
        self._step = float(model.opt.timestep)
        dofs = np.arange(model.nv)[index.coordinate_dofs].tolist()
        self._dofs = [dofs[target.coordinate] for target in motion.targets]
        self._qpos_addresses = [int(model.jnt_qposadr[model.dof_jntid[dof]]) for dof in self._dofs]
        self._qpos, self._qvel = data.qpos, data.qvel

    def at(self, time: float) -> Vector:
        """Return the values of all coordinates at a time [s], which is that of the engine's data."""
        values = np.zeros(self._count)
        for target, value in zip(self.motion.targets, self._finger_values(time), strict=True):
            values[target.coordinate] = value
        return values

    def integral(self, start: float, stop: float) -> Vector:
        """Return the integral of the values over a step."""
        return self.at(start) * (stop - start)

    @abstractmethod
    def advance(self, time: float) -> None:
        """Update the state to a time [s], which is that of the engine's data."""

    @abstractmethod
    def get_state(self) -> ComponentState:
        """Return its state from step to step."""

    @abstractmethod
    def set_state(self, saved_state: Mapping[str, AnyArray]) -> None:
        """Restore what :meth:`get_state` returned."""

    @abstractmethod
    def _finger_values(self, time: float) -> list[float]:
        """Return the value of each finger."""

    def _desired_velocities(self) -> list[float]:
        """Return the desired velocity of each finger: its speed, reduced shortly before its limit."""
        return [
            self._desired_speed(target, qpos) for target, qpos in zip(self.motion.targets, self._qpos_addresses, strict=True)
        ]

    def _desired_speed(self, target: FingerTarget, qpos: int) -> float:
        if not math.isfinite(target.end):
            return target.sign * target.speed
        slowing = (target.end - float(self._qpos[qpos])) / (_STEPS_TO_STOP * self._step)
        return max(-target.speed, min(target.speed, slowing))


class ForceGrip(FingerSignal):
    """Forces that bring fingers to their speed, and increase to the grip force while an object stops them."""

    def __init__(self, motion: GripperMotion, index: JointAddress, compiled: EngineModel, data: mujoco.MjData) -> None:
        super().__init__(motion, index, compiled, data)
        inverse_inertias = compiled.model.dof_invweight0
        self._dampings = [_DAMPING_SHARE / (float(inverse_inertias[dof]) * self._step) for dof in self._dofs]
        self._grips = [0.0] * len(motion.targets)
        self._last = float(data.time)

    def advance(self, time: float) -> None:
        """Increase the grip force of fingers that are stopped."""
        self._grips, self._last = self._updated_grip(self._extra_forces(), time), time

    def get_state(self) -> ComponentState:
        """Return the grip force of each finger, and the time of the last update."""
        return {"pushes": np.array(self._grips), "last": np.array([self._last])}

    def set_state(self, saved_state: Mapping[str, AnyArray]) -> None:
        """Restore the grip forces."""
        forces = saved_state["pushes"].tolist()
        if len(forces) != len(self._grips):
            raise ValueError("the saved gripper state has another number of fingers")
        self._grips, (self._last,) = forces, saved_state["last"].tolist()

    def _finger_values(self, time: float) -> list[float]:
        extras = self._extra_forces()
        totals = [force + extra for force, extra in zip(self._updated_grip(extras, time), extras, strict=True)]
        return self._clamp(totals)

    def _extra_forces(self) -> list[float]:
        """Return the force that brings each finger to its speed."""
        rates = [float(self._qvel[dof]) for dof in self._dofs]
        parts = zip(self._dampings, self._desired_velocities(), rates, strict=True)
        return [damping * (desired - rate) for damping, desired, rate in parts]

    def _updated_grip(self, extras: list[float], time: float) -> list[float]:
        share = (time - self._last) / (_STEPS_TO_STOP * self._step)
        return self._clamp([force + extra * share for force, extra in zip(self._grips, extras, strict=True)])

    def _clamp(self, forces: list[float]) -> list[float]:
        return [
            max(-target.effort, min(target.effort, force)) for target, force in zip(self.motion.targets, forces, strict=True)
        ]


class VelocityClosing(FingerSignal):
    """Velocities of fingers that are followed with any force: they stop permanently on contact."""

    def __init__(
        self, motion: GripperMotion, index: JointAddress, compiled: EngineModel, data: mujoco.MjData, contacts: ContactTest
    ) -> None:
        super().__init__(motion, index, compiled, data)
        self._contacts = contacts
        self._is_force_limited = is_limited_servo(index.joint)
        self._stopped = [False] * len(motion.targets)
        bodies = compiled.index.bodies[index.model]
        model = next(iter(bodies.values())).model
        moved_bodies = [
            bodies_moved_by(model, [JointPosition(joint=index.joint.name, coordinate=target.coordinate)])
            for target in motion.targets
        ]
        self._finger_bodies = [{bodies[name].number for name in names} for names in moved_bodies]

    def advance(self, time: float) -> None:
        """Stop fingers that are in contact."""
        self._stopped = self._stopping()

    def get_state(self) -> ComponentState:
        """Return which fingers have stopped."""
        return {"stopped": np.array(self._stopped)}

    def set_state(self, saved_state: Mapping[str, AnyArray]) -> None:
        """Restore which fingers have stopped."""
        stopped = saved_state["stopped"].astype(bool).tolist()
        if len(stopped) != len(self._stopped):
            raise ValueError("the saved gripper state has another number of fingers")
        self._stopped = stopped

    def _finger_values(self, time: float) -> list[float]:
        return [0.0 if stops else desired for stops, desired in zip(self._stopping(), self._desired_velocities(), strict=True)]

    def _stopping(self) -> list[bool]:
        if self._is_force_limited or all(self._stopped):
            return self._stopped
        pairs = self._contacts.pairs()
        touching = [any((first in own) != (second in own) for first, second in pairs) for own in self._finger_bodies]
        return [before or now for before, now in zip(self._stopped, touching, strict=True)]


def make_finger_signal(
    motion: GripperMotion, index: JointAddress, compiled: EngineModel, data: mujoco.MjData, contacts: ContactTest
) -> FingerSignal:
    """Return the signal of a motion: a force grip for force-driven joints, else velocities."""
    if index.joint.actuation is Actuation.FORCE:
        return ForceGrip(motion, index, compiled, data)
    return VelocityClosing(motion, index, compiled, data, contacts)
