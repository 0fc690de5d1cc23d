"""Closing and opening grippers: finger joints, and their positions at contact or at their limits."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from ossature.diagnostics import OssatureError
from ossature.kinematics.joint_couplings import joint_positions
from ossature.kinematics.manipulator_chain import bodies_moved_by, can_move, limits_of
from ossature.model import JointPosition, Manipulator, Model, Range

Depths: TypeAlias = Callable[[Mapping[str, Sequence[float]]], Mapping[tuple[str, str], float]]
"""Returns the penetration depth of each pair of bodies in contact [m], for coordinates by joint."""

STEPS = 256
"""Number of steps from limit to limit at which contact is checked."""
_BISECTIONS = 20
_AT_LIMIT = 1.0 - 1e-12
_DEPTH_TOLERANCE = 1e-9
"""Increase of a penetration depth that counts as a collision [m]."""


class GripperError(OssatureError, ValueError):
    """A gripper cannot close or open."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finger:
    """A coordinate that closes a gripper.

    Attributes:
        position: The coordinate.
        direction: The sign of the closing direction.
        limits: Its position limits [rad or m].
    """

    position: JointPosition
    direction: float
    limits: Range

    def end(self, *, closing: bool) -> float:
        """Return the limit in the closing or opening direction."""
        return self.limits.upper if (self.direction > 0.0) is closing else self.limits.lower


def fingers_of(model: Model, manipulator: Manipulator) -> tuple[Finger, ...]:
    """Return the coordinates that close a manipulator's gripper.

    Coordinates without a closing direction, locked, passive and coupled ones are not included.

    Raises:
        GripperError: There is no such coordinate.
    """
    found = []
    for gripper in manipulator.gripper:
        joint = model.joints.get(gripper.joint)
        if joint is None:
            continue
        for number, (coordinate, direction) in enumerate(zip(joint.coordinates, gripper.closing_directions, strict=False)):
            if direction and coordinate.coupling is None and can_move(joint, number, model):
                position = JointPosition(joint=joint.name, coordinate=number)
                found.append(Finger(position=position, direction=math.copysign(1.0, direction), limits=limits_of(coordinate)))
    if not found:
        raise GripperError(f"the gripper of '{manipulator.name}' cannot close: {_missing_fingers(manipulator)}")
    return tuple(found)


def _missing_fingers(manipulator: Manipulator) -> str:
    if not manipulator.gripper:
        return "the manipulator has no gripper joints"
    names = ", ".join(gripper.joint for gripper in manipulator.gripper)
    return f"no joint of {names} is independent, can move and has a closing direction"


def close_or_open_gripper(
    model: Model,
    manipulator: Manipulator,
    *,
    closing: bool,
    positions: Mapping[str, Sequence[float]] | None = None,
    depths: Depths | None = None,
) -> dict[str, tuple[float, ...]]:
    """Return the coordinates of a gripper's joints when it is closed or open.

    Its fingers move simultaneously, each at a constant speed from its position to its limit. A finger that would increase a
    penetration stops there; the others continue.

    Args:
        model: The model.
        manipulator: One of its manipulators.
        closing: Whether to close, rather than to open.
        positions: Initial coordinates by joint [rad or m]; the others have their initial positions, or those of their formulas.
        depths: Returns penetration depths; without it fingers stop at their limits only.

    Raises:
        GripperError: It has no finger, or a finger has no limit.
        FormulaError: A formula gives no value.
    """
    fingers = fingers_of(model, manipulator)
    for finger in fingers:
        if not math.isfinite(finger.end(closing=closing)):
            direction = "closing" if closing else "opening"
            raise GripperError(f"joint '{finger.position.joint}' has no limit in the {direction} direction")
    return _FingerMotion(model, fingers, closing=closing, positions=positions or {}, depths=depths).run()


class _FingerMotion:
    """The motion of fingers; a fraction is that of the path from the initial position to the limit."""

    def __init__(
        self,
        model: Model,
        fingers: Sequence[Finger],
        *,
        closing: bool,
        positions: Mapping[str, Sequence[float]],
        depths: Depths | None,
    ) -> None:
        self._fingers, self._depths = fingers, depths
        self._positions = dict(positions)
        known = joint_positions(model, positions)
        specified = {name: known.get(name, model.joints[name].initial_positions) for name in _joints_of(fingers)}
        self._joints = {name: tuple(values) for name, values in specified.items()}
        self._starts = [specified[finger.position.joint][finger.position.coordinate] for finger in fingers]
        self._ends = [finger.end(closing=closing) for finger in fingers]
        self._bodies = [bodies_moved_by(model, [finger.position]) for finger in fingers]

    def run(self) -> dict[str, tuple[float, ...]]:
        """Return the coordinates at which the fingers stop."""
        if self._depths is None:
            return self._coordinates([1.0] * len(self._fingers))
        fractions, moving = [0.0] * len(self._fingers), set(range(len(self._fingers)))
        allowed = dict(self._colliding_pairs(fractions))
        while moving:
            step = min(1.0 / STEPS, min(1.0 - fractions[number] for number in moving))
            if not self._blocked(self._advance(fractions, moving, step), allowed, moving):
                fractions = self._advance(fractions, moving, step)
                allowed = self._reduce_allowed(allowed, fractions)
                moving = {number for number in moving if fractions[number] < _AT_LIMIT}
                continue
            free_step, blocked_step = self._bisect(fractions, moving, step, allowed)
            blocked = self._blocked(self._advance(fractions, moving, blocked_step), allowed, moving)
            fractions = self._advance(fractions, moving, free_step)
            moving -= blocked
        return self._coordinates(fractions)

    def _bisect(
        self, fractions: Sequence[float], moving: set[int], step: float, allowed: Mapping[tuple[str, str], float]
    ) -> tuple[float, float]:
        """Return a step that all moving fingers can take, and a slightly larger one that a finger cannot."""
        free_step, blocked_step = 0.0, step
        for _ in range(_BISECTIONS):
            middle = (free_step + blocked_step) / 2.0
            if self._blocked(self._advance(fractions, moving, middle), allowed, moving):
                blocked_step = middle
            else:
                free_step = middle
        return free_step, blocked_step

    def _blocked(self, fractions: Sequence[float], allowed: Mapping[tuple[str, str], float], moving: set[int]) -> set[int]:
        """Return the fingers that move one body of a pair whose penetration exceeds the allowed depth."""
        deeper = [
            pair
            for pair, depth in self._colliding_pairs(fractions).items()
            if depth > allowed.get(pair, 0.0) + _DEPTH_TOLERANCE
        ]
        return {
            number
            for number in moving
            if any((first in self._bodies[number]) != (second in self._bodies[number]) for first, second in deeper)
        }

    def _reduce_allowed(
        self, allowed: Mapping[tuple[str, str], float], fractions: Sequence[float]
    ) -> dict[tuple[str, str], float]:
        """Return the allowed depths from now on: separated pairs may not penetrate again."""
        if not allowed:
            return {}
        now = self._colliding_pairs(fractions)
        return {pair: min(depth, now[pair]) for pair, depth in allowed.items() if pair in now}

    def _colliding_pairs(self, fractions: Sequence[float]) -> Mapping[tuple[str, str], float]:
        assert self._depths is not None  # noqa: S101  # checked by the caller
        return self._depths(self._positions | self._coordinates(fractions))

    def _advance(self, fractions: Sequence[float], moving: set[int], step: float) -> list[float]:
        return [fraction + step if number in moving else fraction for number, fraction in enumerate(fractions)]

    def _coordinates(self, fractions: Sequence[float]) -> dict[str, tuple[float, ...]]:
        joints = {name: list(values) for name, values in self._joints.items()}
        for finger, fraction, start, end in zip(self._fingers, fractions, self._starts, self._ends, strict=True):
            joints[finger.position.joint][finger.position.coordinate] = (
                end if fraction == 1.0 else start + fraction * (end - start)
            )
        return {name: tuple(values) for name, values in joints.items()}


def _joints_of(fingers: Sequence[Finger]) -> list[str]:
    return list(dict.fromkeys(finger.position.joint for finger in fingers))
