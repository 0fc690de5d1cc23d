"""What differs between two states."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from ossature.kinematics.frames import Motion, link_motions
from ossature.kinematics.grasps import path_of
from ossature.model import Held, JointState, ModelState, State
from ossature.spatial import Pose, conjugate, multiply, norm, subtract


@dataclass(frozen=True, slots=True, kw_only=True)
class StateDifference:
    """One difference.

    Attributes:
        path: Where: ``model/link`` or ``model/joint``, or empty for the world.
        quantity: What differs there.
        amount: By how much, in SI units and radians, or None where one of the states says nothing of it.
    """

    path: str
    quantity: str
    amount: float | None

    def __str__(self) -> str:
        where = f"{self.path}: " if self.path else ""
        return f"{where}{self.quantity} " + ("is in one of them only" if self.amount is None else f"by {self.amount:.3g}")


Row: TypeAlias = "tuple[str, float | None]"
"""A quantity and by how much it differs."""


def state_differences(first: State, second: State, tolerance: float = 0.0) -> list[StateDifference]:
    """Return what differs by more than a tolerance; links are compared in the world, whatever frames they are given in.

    Args:
        first: A state.
        second: Another one.
        tolerance: What does not count [m, rad, m/s, rad/s, N, N·m, s].

    Raises:
        FrameError: The frames of one of them cannot be resolved.
    """
    found = list(_differences(first, second))
    return [one for one in found if one.amount is None or not one.amount <= tolerance]


def _differences(first: State, second: State) -> Iterator[StateDifference]:
    yield from _rows("", [("time", _apart(first.time, second.time))])
    motions = link_motions(first), link_motions(second)
    for path in dict.fromkeys([*motions[0], *motions[1]]):
        label = "/".join(path)
        if path in motions[0] and path in motions[1]:
            yield from _rows(label, _of_motions(motions[0][path], motions[1][path]))
        else:
            yield StateDifference(path=label, quantity="the link", amount=None)
    yield from _of_held(first.held, second.held)
    for name in dict.fromkeys([*first.models.names(), *second.models.names()]):
        yield from _of_models(name, first.models.get(name), second.models.get(name))


def _of_models(name: str, first: ModelState | None, second: ModelState | None) -> Iterator[StateDifference]:
    if first is None or second is None:
        yield StateDifference(path=name, quantity="the model", amount=None)
        return
    for joint in dict.fromkeys([*first.joints.names(), *second.joints.names()]):
        one, other = first.joints.get(joint), second.joints.get(joint)
        label = f"{name}/{joint}"
        if one is None or other is None:
            yield StateDifference(path=label, quantity="the joint", amount=None)
        else:
            yield from _rows(label, _of_joints(one, other))


def _of_held(first: tuple[Held, ...] | None, second: tuple[Held, ...] | None) -> Iterator[StateDifference]:
    if first is None or second is None:
        return  # most programs do not tell
    one, other = ({(held.grasp.holder, held.grasp.held): held for held in side} for side in (first, second))
    for holder, held in dict.fromkeys([*one, *other]):
        label = f"{path_of(holder)} holds {path_of(held)}"
        if (holder, held) in one and (holder, held) in other:
            poses = [side[holder, held].pose_holder_held for side in (one, other)]
            apart = norm(subtract(poses[0].position, poses[1].position))
            yield from _rows(label, [("position", apart), ("rotation", _angle(*poses))])
        else:
            yield StateDifference(path=label, quantity="the grasp", amount=None)


def _of_motions(first: Motion, second: Motion) -> list[Row]:
    return [
        ("position", norm(subtract(first.pose.position, second.pose.position))),
        ("rotation", _angle(first.pose, second.pose)),
        ("linear velocity", norm(subtract(first.linear, second.linear))),
        ("angular velocity", norm(subtract(first.angular, second.angular))),
    ]


def _angle(first: Pose, second: Pose) -> float:
    w, x, y, z = multiply(conjugate(first.wxyz), second.wxyz)
    return 2.0 * math.atan2(norm((x, y, z)), abs(w))


def _of_joints(first: JointState, second: JointState) -> list[Row]:
    return [
        ("positions", _apart(first.positions, second.positions)),
        ("velocities", _apart(first.velocities, second.velocities)),
        ("torques", _apart(first.efforts, second.efforts)),
    ]


def _apart(first: float | tuple[float, ...] | None, second: float | tuple[float, ...] | None) -> float | None:
    """Return the largest distance of numbers, or None where one side says nothing, or other counts of them."""
    if first is None and second is None:
        return 0.0
    if first is None or second is None:
        return None
    one = first if isinstance(first, tuple) else (first,)
    other = second if isinstance(second, tuple) else (second,)
    return max((abs(a - b) for a, b in zip(one, other, strict=True)), default=0.0) if len(one) == len(other) else None


def _rows(path: str, rows: list[Row]) -> Iterator[StateDifference]:
    return (StateDifference(path=path, quantity=quantity, amount=amount) for quantity, amount in rows)
