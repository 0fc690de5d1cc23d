"""Grippers: which way they close, and where closing leads."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from ossature.diagnostics import OssatureError
from ossature.kinematics.arm import bodies_moved_by, limits_of, moves
from ossature.kinematics.joint_couplings import joint_positions
from ossature.model import JointPosition, Manipulator, Model, Range

Depths: TypeAlias = Callable[[Mapping[str, Sequence[float]]], Mapping[tuple[str, str], float]]
"""How deep the bodies of each pair that touches are in each other [m], for coordinates by joint."""

STEPS = 256
"""In how many parts the way of a finger from limit to limit is looked at for contact."""
_BISECTIONS = 20
_ARRIVED = 1.0 - 1e-12
_DEEPER = 1e-9
"""What counts as deeper than before [m]."""


class GripperError(OssatureError, ValueError):
    """A gripper cannot close or open."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finger:
    """A coordinate of a gripper that closes.

    Attributes:
        position: The coordinate.
        direction: The sign in which it closes.
        limits: Between which it moves.
    """

    position: JointPosition
    direction: float
    limits: Range

    def end(self, *, closing: bool) -> float:
        """Return the limit at which it is closed, or open."""
        return self.limits.upper if (self.direction > 0.0) is closing else self.limits.lower


def fingers_of(model: Model, manipulator: Manipulator) -> tuple[Finger, ...]:
    """Return the coordinates that close a manipulator's gripper.

    Those for which the manipulator states no direction stay as they are, and so do those that cannot move; those that follow
    others do so.

    Raises:
        GripperError: There is none.
    """
    found = []
    for gripper in manipulator.gripper:
        joint = model.joints.get(gripper.joint)
        if joint is None:
            continue
        for number, (coordinate, direction) in enumerate(zip(joint.coordinates, gripper.closing_directions, strict=False)):
            if direction and coordinate.coupling is None and moves(joint, number, model):
                position = JointPosition(joint=joint.name, coordinate=number)
                found.append(Finger(position=position, direction=math.copysign(1.0, direction), limits=limits_of(coordinate)))
    if not found:
        raise GripperError(f"'{manipulator.name}' has no gripper that closes: {_why(manipulator)}")
    return tuple(found)


def _why(manipulator: Manipulator) -> str:
    if not manipulator.gripper:
        return "it names no gripper joints"
    names = ", ".join(gripper.joint for gripper in manipulator.gripper)
    return f"of {names} none moves by itself and has a closing direction"


def close_or_open_gripper(
    model: Model,
    manipulator: Manipulator,
    *,
    closing: bool,
    positions: Mapping[str, Sequence[float]] | None = None,
    depths: Depths | None = None,
) -> dict[str, tuple[float, ...]]:
    """Return the coordinates of a gripper's joints where it is closed or open.

    Its fingers move together, each at a constant pace from where it is to its limit. One that would go deeper into a body,
    or draw another one into it, stops there; the others go on.

    Args:
        model: The model.
        manipulator: One of its manipulators.
        closing: Whether to close, rather than to open.
        positions: Coordinates by joint from which it starts [rad or m]; the others are at their initial positions or follow.
        depths: Tells how deep which bodies are in each other; without it nothing stops a finger before its limit.

    Raises:
        GripperError: Nothing closes it, or a finger has no limit.
        FormulaError: A formula gives a joint no value.
    """
    fingers = fingers_of(model, manipulator)
    for finger in fingers:
        if not math.isfinite(finger.end(closing=closing)):
            way = "close" if closing else "open"
            raise GripperError(f"joint '{finger.position.joint}' has no limit to {way} to")
    return _FingerMotion(model, fingers, closing=closing, positions=positions or {}, depths=depths).run()


class _FingerMotion:
    """Fingers on their way; ``share`` is how much of it each has gone."""

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
        stated = {name: known.get(name, model.joints[name].initial_positions) for name in _joints_of(fingers)}
        self._joints = {name: tuple(values) for name, values in stated.items()}
        self._starts = [stated[finger.position.joint][finger.position.coordinate] for finger in fingers]
        self._ends = [finger.end(closing=closing) for finger in fingers]
        self._bodies = [bodies_moved_by(model, [finger.position]) for finger in fingers]

    def run(self) -> dict[str, tuple[float, ...]]:
        """Return where the fingers stop."""
        if self._depths is None:
            return self._at([1.0] * len(self._fingers))
        shares, going = [0.0] * len(self._fingers), set(range(len(self._fingers)))
        allowed = dict(self._colliding_pairs(shares))
        while going:
            step = min(1.0 / STEPS, min(1.0 - shares[number] for number in going))
            if not self._blocked(self._moved(shares, going, step), allowed, going):
                shares = self._moved(shares, going, step)
                allowed = self._shallower(allowed, shares)
                going = {number for number in going if shares[number] < _ARRIVED}
                continue
            free, taken = self._bisected(shares, going, step, allowed)
            blocked = self._blocked(self._moved(shares, going, taken), allowed, going)
            shares = self._moved(shares, going, free)
            going -= blocked
        return self._at(shares)

    def _bisected(
        self, shares: Sequence[float], going: set[int], step: float, allowed: Mapping[tuple[str, str], float]
    ) -> tuple[float, float]:
        """Return how far all that go can go on, and a little more, where the first of them cannot."""
        free, taken = 0.0, step
        for _ in range(_BISECTIONS):
            middle = (free + taken) / 2.0
            if self._blocked(self._moved(shares, going, middle), allowed, going):
                taken = middle
            else:
                free = middle
        return free, taken

    def _blocked(self, shares: Sequence[float], allowed: Mapping[tuple[str, str], float], going: set[int]) -> set[int]:
        """Return the fingers that move one body of a pair that is deeper in each other than it may be."""
        deeper = [pair for pair, depth in self._colliding_pairs(shares).items() if depth > allowed.get(pair, 0.0) + _DEEPER]
        return {
            number
            for number in going
            if any((first in self._bodies[number]) != (second in self._bodies[number]) for first, second in deeper)
        }

    def _shallower(self, allowed: Mapping[tuple[str, str], float], shares: Sequence[float]) -> dict[tuple[str, str], float]:
        """Return how deep pairs may be from now on: those that part may not meet again."""
        if not allowed:
            return {}
        now = self._colliding_pairs(shares)
        return {pair: min(depth, now[pair]) for pair, depth in allowed.items() if pair in now}

    def _colliding_pairs(self, shares: Sequence[float]) -> Mapping[tuple[str, str], float]:
        assert self._depths is not None  # noqa: S101  # the caller looked
        return self._depths(self._positions | self._at(shares))

    def _moved(self, shares: Sequence[float], going: set[int], step: float) -> list[float]:
        return [share + step if number in going else share for number, share in enumerate(shares)]

    def _at(self, shares: Sequence[float]) -> dict[str, tuple[float, ...]]:
        joints = {name: list(values) for name, values in self._joints.items()}
        for finger, share, start, end in zip(self._fingers, shares, self._starts, self._ends, strict=True):
            joints[finger.position.joint][finger.position.coordinate] = end if share == 1.0 else start + share * (end - start)
        return {name: tuple(values) for name, values in joints.items()}


def _joints_of(fingers: Sequence[Finger]) -> list[str]:
    return list(dict.fromkeys(finger.position.joint for finger in fingers))
