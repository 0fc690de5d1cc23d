"""Gripper control: commands that close fingers up to their limits or until contact, and then apply a force."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping

from ossature.diagnostics import suggestion
from ossature.kinematics import Finger, GripperError, fingers_of
from ossature.model import (
    Actuation,
    Compound,
    Joint,
    Manipulator,
    Model,
    Prismatic,
    Translational,
    Translational2D,
    UnknownNameError,
)
from ossature.model.value_text import is_rotation
from ossature.simulation import rules
from ossature.simulation.commandable_simulation_protocol import CommandableSimulation
from ossature.simulation.stepping.gripper_motion import FingerTarget, GripperMotion

FORCE, TORQUE = 20.0, 1.0
"""Assumed effort of a prismatic [N] and a revolute finger [N·m] without effort limit: that of small grippers."""


class Gripper:
    """The gripper of a manipulator.

    Args:
        model: The model of the manipulator.
    """

    def __init__(self, simulation: CommandableSimulation, model: Model, manipulator: Manipulator) -> None:
        self._simulation, self._model, self._manipulator = simulation, model, manipulator

    def close(self, *, effort: float | None = None, speed: float | None = None) -> None:
        """Close the gripper, from now on; a finger in contact applies its effort.

        Args:
            effort: Effort of each finger [N·m or N]; by default the effort limit of its joint. A joint without effort limit
                uses 1 N·m or 20 N and is reported.
            speed: Speed of each finger [rad/s or m/s]; by default the velocity limit of its joint. A joint without velocity
                limit moves over its range in one second.

        Raises:
            GripperError: The gripper has no fingers, the speed is undefined, or a joint does not accept the command.
        """
        self._start_motion(closing=True, effort=effort, speed=speed)

    def open(self, *, effort: float | None = None, speed: float | None = None) -> None:
        """Open the gripper, from now on; see :meth:`close`."""
        self._start_motion(closing=False, effort=effort, speed=speed)

    def relax(self) -> None:
        """Relax the gripper: its fingers have zero effort from now on."""
        for name in self._joints():
            self._simulation.command(self._model.name, name, [0.0] * self._model.joints[name].degrees_of_freedom)

    def _joints(self) -> list[str]:
        return list(dict.fromkeys(finger.position.joint for finger in fingers_of(self._model, self._manipulator)))

    def _start_motion(self, *, closing: bool, effort: float | None, speed: float | None) -> None:
        for value in (effort, speed):
            if value is not None and not 0.0 < value < math.inf:
                raise GripperError(f"effort and speed of a gripper must be positive, not {value:g}")
        fingers = fingers_of(self._model, self._manipulator)
        motions: dict[str, GripperMotion] = {}
        for name in self._joints():
            joint = self._model.joints[name]
            if joint.actuation is Actuation.ACCELERATION:
                raise GripperError(f"joint '{name}' accepts accelerations, which cannot close a gripper")
            fingers_of_joint = [finger for finger in fingers if finger.position.joint == name]
            targets = [
                _finger_target(
                    self._model,
                    finger,
                    closing=closing,
                    speed=speed,
                    effort=self._finger_effort(joint, finger, effort, closing=closing),
                )
                for finger in fingers_of_joint
            ]
            motions[name] = GripperMotion(tuple(targets))
        with self._simulation.exclusive_use:
            for name, motion in motions.items():
                self._simulation.engine.commander.move_fingers(self._model.name, name, motion, self._simulation.time)
            self._simulation.engine.restore_commands()

    def _finger_effort(self, joint: Joint, finger: Finger, effort: float | None, *, closing: bool) -> float:
        """Return the effort of a finger [N·m or N]; zero if its joint does not accept forces."""
        if joint.actuation is not Actuation.FORCE:
            return 0.0
        number = finger.position.coordinate
        limits = joint.coordinates[number].effort_limits
        limit = limits.upper if _closing_sign(finger, closing=closing) > 0.0 else -limits.lower
        if effort is not None:
            return min(effort, limit)
        if math.isfinite(limit):
            return limit
        assumed, unit = (TORQUE, "N·m") if _is_revolute(joint, number) else (FORCE, "N")
        path = f"{self._model.name}/{joint.name}"
        self._simulation.report.add(
            rules.ASSUMED_GRIP_FORCE,
            f"{path}: the gripper closes with an assumed effort of {assumed:g} {unit}",
            joint.origin,
            path=path,
            hint="state effort=",
        )
        return assumed


def _finger_target(model: Model, finger: Finger, *, closing: bool, speed: float | None, effort: float) -> FingerTarget:
    joint = model.joints[finger.position.joint]
    number = finger.position.coordinate
    sign = _closing_sign(finger, closing=closing)
    coordinate = joint.coordinates[number]
    limit = coordinate.velocity_limits.upper if sign > 0.0 else -coordinate.velocity_limits.lower
    length = finger.limits.upper - finger.limits.lower
    specified = [value for value in (speed, limit, length) if value is not None and 0.0 < value < math.inf]
    if not specified:
        raise GripperError(f"joint '{joint.name}' has neither a velocity limit nor a range; state a speed")
    return FingerTarget(coordinate=number, sign=sign, end=finger.end(closing=closing), speed=specified[0], effort=effort)


def _closing_sign(finger: Finger, *, closing: bool) -> float:
    return finger.direction if closing else -finger.direction


def _is_revolute(joint: Joint, number: int) -> bool:
    if isinstance(joint.type, Compound):
        return is_rotation(joint.type, number)
    return not isinstance(joint.type, Prismatic | Translational | Translational2D)


def _manipulator_names(paths: Iterable[str]) -> list[str]:
    return [name for path in paths for name in (path, path.partition("/")[2])]


class Grippers(Mapping[str, Gripper]):
    """The grippers of a simulation by ``MODEL/NAME`` of their manipulators, or by a name that is unique."""

    def __init__(self, simulation: CommandableSimulation) -> None:
        self._grippers = {
            f"{model.name}/{manipulator.name}": Gripper(simulation, model, manipulator)
            for model in simulation.world.models
            for manipulator in model.manipulators
            if manipulator.gripper
        }

    def __getitem__(self, name: str) -> Gripper:
        """Return a gripper.

        Raises:
            KeyError: The name is unknown or ambiguous.
        """
        found = [path for path in self._grippers if name in (path, path.partition("/")[2])]
        if len(found) == 1:
            return self._grippers[found[0]]
        if found:
            raise UnknownNameError(f"several models have a gripper '{name}': {', '.join(found)}")
        raise UnknownNameError(
            f"there is no gripper '{name}': {suggestion(name, _manipulator_names(self._grippers)) or 'there are none'}"
        )

    def __iter__(self) -> Iterator[str]:
        return iter(self._grippers)

    def __len__(self) -> int:
        return len(self._grippers)
