"""Differences between two states."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from ossature.kinematics.grasps import path_of
from ossature.kinematics.state_frame_motions import FrameMotion, frame_motions, link_motions
from ossature.model import ActiveGrasp, JointState, ModelState, State, Wrench
from ossature.spatial import angle_between, norm, subtract


@dataclass(frozen=True, slots=True, kw_only=True)
class StateDifference:
    """One difference.

    Attributes:
        path: ``model/link`` or ``model/joint``, the name of a model or frame, or empty for the world.
        quantity: The quantity that differs.
        amount: The difference in SI units and radians, or None if only one of the states has the quantity.
    """

    path: str
    quantity: str
    amount: float | None

    @property
    def unit(self) -> str:
        """The unit of the amount."""
        return _UNITS.get(self.quantity, "")

    def __str__(self) -> str:
        prefix = f"{self.path}: " if self.path else ""
        if self.amount is None:
            return f"{prefix}{self.quantity} is in one of them only"
        return (
            f"{prefix}{self.quantity} {'differ' if self.quantity.endswith('s') else 'differs'} by {self.amount:.3g} {self.unit}"
        )


_UNITS = {
    "time": "s",
    "position": "m",
    "rotation": "rad",
    "linear velocity": "m/s",
    "angular velocity": "rad/s",
    "force": "N",
    "torque": "N·m",
    "positions": "m or rad",
    "velocities": "m/s or rad/s",
    "torques": "N or N·m",
}
Row: TypeAlias = "tuple[str, float | None]"
"""A quantity and its difference."""


def state_differences(first: State, second: State, tolerance: float = 0.0) -> list[StateDifference]:
    """Return the differences that exceed a tolerance.

    The poses of frames, models and links are compared in the world, so that different parents alone are not a difference.
    Wrenches are compared in the axes of their links.

    Args:
        second: Another one.
        tolerance: Largest difference that is not returned [m, rad, m/s, rad/s, N, N·m, s].

    Raises:
        FrameError: The frames of one of them cannot be resolved.
    """
    found = list(_compare_states(first, second))
    return [one for one in found if one.amount is None or not one.amount <= tolerance]


def _compare_states(first: State, second: State) -> Iterator[StateDifference]:
    yield from _rows_as_differences("", [("time", _max_difference(first.time, second.time))])
    yield from _pose_differences("the frame", _frame_motions(first), _frame_motions(second))
    yield from _pose_differences("the link", _link_motions_by_name(first), _link_motions_by_name(second))
    yield from _grasp_differences(first.grasps, second.grasps)
    motions = frame_motions(first), frame_motions(second)
    for name in dict.fromkeys([*first.models.names(), *second.models.names()]):
        one, other = first.models.get(name), second.models.get(name)
        if one is None or other is None:
            yield StateDifference(path=name, quantity="the model", amount=None)
            continue
        if _is_placed(one) != _is_placed(other):
            yield StateDifference(path=name, quantity="the pose", amount=None)
        else:
            yield from _rows_as_differences(name, _motion_rows(motions[0][name], motions[1][name]))
        yield from _wrench_differences(name, one, other)
        yield from _joint_differences(name, one, other)


def _is_placed(model: ModelState) -> bool:
    return model.pose is not None or model.parent is not None


def _frame_motions(state: State) -> dict[str, FrameMotion]:
    motions = frame_motions(state)
    return {name: motions[name] for name in state.frames.names()}


def _link_motions_by_name(state: State) -> dict[str, FrameMotion]:
    return {"/".join(path): motion for path, motion in link_motions(state).items()}


def _pose_differences(
    kind: str, first: Mapping[str, FrameMotion], second: Mapping[str, FrameMotion]
) -> Iterator[StateDifference]:
    for label in dict.fromkeys([*first, *second]):
        if label in first and label in second:
            yield from _rows_as_differences(label, _motion_rows(first[label], second[label]))
        else:
            yield StateDifference(path=label, quantity=kind, amount=None)


def _wrench_differences(name: str, first: ModelState, second: ModelState) -> Iterator[StateDifference]:
    for link in dict.fromkeys([*first.links.names(), *second.links.names()]):
        one, other = (model.links.get(link) for model in (first, second))
        wrenches = [None if state is None else state.wrench for state in (one, other)]
        yield from _rows_as_differences(f"{name}/{link}", _wrench_rows(*wrenches))


def _wrench_rows(first: Wrench | None, second: Wrench | None) -> list[Row]:
    if first is None or second is None:
        return [("the wrench", 0.0 if first is second else None)]
    return [("force", norm(subtract(first.force, second.force))), ("torque", norm(subtract(first.torque, second.torque)))]


def _joint_differences(name: str, first: ModelState, second: ModelState) -> Iterator[StateDifference]:
    for joint in dict.fromkeys([*first.joints.names(), *second.joints.names()]):
        one, other = first.joints.get(joint), second.joints.get(joint)
        label = f"{name}/{joint}"
        if one is None or other is None:
            if _has_numbers(one or other):
                yield StateDifference(path=label, quantity="the joint", amount=None)
        else:
            yield from _rows_as_differences(label, _joint_rows(one, other))


def _has_numbers(joint: JointState | None) -> bool:
    """Whether a joint state has values; that of a joint without degrees of freedom has none."""
    return joint is not None and bool(joint.positions or joint.velocities or joint.efforts)


def _grasp_differences(
    first: tuple[ActiveGrasp, ...] | None, second: tuple[ActiveGrasp, ...] | None
) -> Iterator[StateDifference]:
    if first is None or second is None:
        return  # most programs do not report grasps
    one, other = ({(active.grasp.link, active.grasp.body): active for active in side} for side in (first, second))
    for gripper_body, grasped_body in dict.fromkeys([*one, *other]):
        label = f"{path_of(gripper_body)} grasps {path_of(grasped_body)}"
        if (gripper_body, grasped_body) in one and (gripper_body, grasped_body) in other:
            poses = [side[gripper_body, grasped_body].pose_link_body for side in (one, other)]
            distance = norm(subtract(poses[0].position, poses[1].position))
            yield from _rows_as_differences(label, [("position", distance), ("rotation", angle_between(*poses))])
        else:
            yield StateDifference(path=label, quantity="the grasp", amount=None)


def _motion_rows(first: FrameMotion, second: FrameMotion) -> list[Row]:
    return [
        ("position", norm(subtract(first.pose.position, second.pose.position))),
        ("rotation", angle_between(first.pose, second.pose)),
        ("linear velocity", norm(subtract(first.linear, second.linear))),
        ("angular velocity", norm(subtract(first.angular, second.angular))),
    ]


def _joint_rows(first: JointState, second: JointState) -> list[Row]:
    return [
        ("positions", _max_difference(first.positions or None, second.positions or None)),
        ("velocities", _max_difference(first.velocities or None, second.velocities or None)),
        ("torques", _max_difference(first.efforts or None, second.efforts or None)),
    ]


def _max_difference(first: float | tuple[float, ...] | None, second: float | tuple[float, ...] | None) -> float | None:
    """Return the largest difference of numbers, or None if one side is missing or their counts differ."""
    if first is None and second is None:
        return 0.0
    if first is None or second is None:
        return None
    one = first if isinstance(first, tuple) else (first,)
    other = second if isinstance(second, tuple) else (second,)
    return max((abs(a - b) for a, b in zip(one, other, strict=True)), default=0.0) if len(one) == len(other) else None


def _rows_as_differences(path: str, rows: list[Row]) -> Iterator[StateDifference]:
    return (StateDifference(path=path, quantity=quantity, amount=amount) for quantity, amount in rows)
