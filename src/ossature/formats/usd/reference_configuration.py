"""Poses of bodies at the positions zero of their joints, and the positions that joints have in the stage."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from ossature.formats.usd import rules
from ossature.formats.usd.connected_bodies import ConnectedBodies
from ossature.formats.usd.joint_spec import JointEnd, JointSpec, shifted
from ossature.formats.usd.stage import Stage
from ossature.kinematics.joint_coordinates import joint_coordinates
from ossature.kinematics.joint_transforms import motion_pose
from ossature.model import Coordinate, Cylindrical, Fixed, Joint, JointType, Prismatic, Revolute, Spherical
from ossature.spatial import (
    IDENTITY,
    Pose,
    Vector3,
    angle_between,
    dot,
    norm,
    quaternion_from_axis_angle,
    scale,
    subtract,
)

SMALLEST_POSITION = 2e-6
"""Positions up to this are zero: the numbers of joint frames have 32 bits [m or rad]."""
_ROUNDING = 1e-6
"""Largest difference of offsets that are the same but for their rounding to 32 bits [m and rad]."""
_FIT = 1e-4
"""Largest gap of a joint that fits [m or rad]."""


class ReferenceConfiguration:
    """Places the bodies of a model at the positions zero of its joints, and measures the positions of the stage."""

    def __init__(self, stage: Stage, connected: ConnectedBodies) -> None:
        self._stage, self._connected = stage, connected
        self._staged: Mapping[str, Pose] = {path: body.pose for path, body in connected.bodies.items()}

    def compute(self) -> tuple[Mapping[str, Pose], list[JointSpec]]:
        """Return the poses of the bodies in the world, by path, and the joints with their positions."""
        joints = self._connected.joints
        placed, loops = self._at_zero()
        if all(self._fits(joint, placed) for joint in loops):
            return placed, [self._measured(joint, shifts=False) for joint in joints]
        self._stage.add(rules.REFERENCE_POSE, f"the loop of {loops[0].prim.path} is not closed with all joints at zero")
        return self._staged, [self._measured(joint, shifts=True) for joint in joints]

    def _at_zero(self) -> tuple[dict[str, Pose], list[JointSpec]]:
        """Return the poses of bodies with all joints at zero, and the joints that close loops."""
        placed: dict[str, Pose] = {}
        in_tree = [joint for joint in self._connected.joints if joint.is_in_tree]
        beside = [joint for joint in self._connected.joints if not joint.is_in_tree]
        used: set[int] = set()
        for joint in in_tree:
            if any(end.body is None for end in joint.ends):
                self._place(joint, placed, used)
        by_body: dict[str, list[JointSpec]] = {}
        for joint in in_tree:
            for end in joint.ends:
                if end.body is not None:
                    by_body.setdefault(end.body.path, []).append(joint)
        children = {joint.ends[1].body.path for joint in in_tree if joint.ends[1].body is not None}
        roots = sorted(self._staged, key=lambda path: (path in children,))
        waiting = list(reversed(placed))
        for root in (*placed, *roots):
            if root not in placed:
                placed[root] = self._staged[root]
                waiting.append(root)
            while waiting:
                for joint in by_body.get(waiting.pop(), ()):
                    new = self._place(joint, placed, used)
                    waiting += [] if new is None else [new]
        return placed, [joint for joint in (*in_tree, *beside) if id(joint) not in used]

    def _place(self, joint: JointSpec, placed: dict[str, Pose], used: set[int]) -> str | None:
        """Place the body of a joint whose other body has its place; return its path, or None if it had one."""
        first, second = joint.ends
        for known, other in ((first, second), (second, first)):
            is_known = known.body is None or known.body.path in placed
            if is_known and other.body is not None and other.body.path not in placed:
                placed[other.body.path] = self._place_beside(
                    known, other.body.path, known.frame @ other.frame.inverse(), placed
                )
                used.add(id(joint))
                return other.body.path
        return None

    def _place_beside(self, known: JointEnd, other: str, offset: Pose, placed: Mapping[str, Pose]) -> Pose:
        """Return the pose of a body at an offset from another one.

        Frames of joints have 32 bits. If the stage, whose poses have 64 bits, has the same offset but for the rounding of
        32 bits, it is that of the stage.
        """
        before, base = (IDENTITY, IDENTITY) if known.body is None else (self._staged[known.body.path], placed[known.body.path])
        staged = before.inverse() @ self._staged[other]
        gap = norm(subtract(staged.position, offset.position))
        is_same = gap < _ROUNDING * max(1.0, norm(offset.position)) and angle_between(staged, offset) < _ROUNDING
        if not is_same:
            return base @ offset
        return self._staged[other] if base == before else base @ staged

    def _motion(self, joint: JointSpec, placed: Mapping[str, Pose]) -> Pose:
        """Return the frame of a joint on its second body in that on its first one."""
        first, second = ((IDENTITY if end.body is None else placed[end.body.path]) @ end.frame for end in joint.ends)
        return first.inverse() @ second

    def _fits(self, joint: JointSpec, placed: Mapping[str, Pose]) -> bool:
        motion = self._motion(joint, placed)
        rotation = 0.0 if isinstance(joint.type, Spherical) else angle_between(motion, IDENTITY)
        return norm(motion.position) < _FIT * self._reach and rotation < _FIT

    @property
    def _reach(self) -> float:
        points = np.array([pose.position for pose in self._staged.values()])
        return max(1.0, float(np.ptp(points, axis=0).max()))

    def _measured(self, joint: JointSpec, *, shifts: bool) -> JointSpec:
        """Return a joint with its positions in the stage, or, if it shifts, whose positions are zero there."""
        positions, rest = measured_positions(joint.type, joint.coordinates, self._motion(joint, self._staged))
        if norm(rest.position) > _FIT * self._reach or angle_between(rest, IDENTITY) > _FIT:
            gap, turn = norm(rest.position), math.degrees(angle_between(rest, IDENTITY))
            message = f"the bodies of {joint.prim.path} are {gap:.4g} m and {turn:.4g}° from where the joint holds them"
            self._stage.add(rules.UNFIT_JOINT, message)
        positions = tuple([0.0 if abs(value) < SMALLEST_POSITION else value for value in positions])
        if shifts:
            return shifted(joint, positions)
        coordinates = [
            replace(one, initial_position=value) if value else one
            for one, value in zip(joint.coordinates, positions, strict=True)
        ]
        return replace(joint, coordinates=tuple(coordinates))


def measured_positions(kind: JointType, coordinates: Sequence[Coordinate], motion: Pose) -> tuple[tuple[float, ...], Pose]:
    """Return the positions of a joint whose child frame has a pose in its parent frame, and the remaining motion."""
    match kind:
        case Fixed():
            return (), motion
        case Revolute(axis=axis):
            angle = _angle_about(motion, axis)
            return (angle,), Pose(wxyz=quaternion_from_axis_angle(axis, -angle)) @ motion
        case Prismatic(axis=axis):
            distance = dot(motion.position, axis)
            return (distance,), Pose(subtract(motion.position, scale(axis, distance)), motion.wxyz)
        case Cylindrical(axis=axis):
            angle, distance = _angle_about(motion, axis), dot(motion.position, axis)
            rest = Pose(subtract(motion.position, scale(axis, distance)), motion.wxyz)
            return (angle, distance), Pose(wxyz=quaternion_from_axis_angle(axis, -angle)) @ rest
    if angle_between(motion, IDENTITY) < SMALLEST_POSITION and norm(motion.position) < SMALLEST_POSITION:
        return (0.0,) * kind.degrees_of_freedom, motion
    joint = Joint(name="", type=kind, parent=None, child="", coordinates=tuple(coordinates))
    positions = joint_coordinates(joint, motion)
    return positions, motion_pose(kind, positions).inverse() @ motion


def _angle_about(motion: Pose, axis: Vector3) -> float:
    w, x, y, z = motion.wxyz
    return math.remainder(2.0 * math.atan2(x * axis[0] + y * axis[1] + z * axis[2], w), 2.0 * math.pi)
