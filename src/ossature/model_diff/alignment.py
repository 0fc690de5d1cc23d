"""The frames of corresponding bodies of two models relative to each other, so that their contents coincide.

Formats choose the frames of bodies and the zeros of joints freely. A body of B coincides with that of A either in space (its
frame was chosen elsewhere), or in its own frame (its joint is somewhere else), or after a motion of its joint (the zero of the
joint differs). Of these the one is taken in which most of its content agrees: centre of mass, inertia, shapes, joints.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from ossature.kinematics import pose_parent_joint
from ossature.model import Body, Fixed, Joint
from ossature.model_diff.matching import Matching, Side
from ossature.model_diff.screw_axes import ScrewAxis, screw_axis
from ossature.model_diff.tolerance import are_equal_poses, distance_between
from ossature.spatial import IDENTITY, Pose, Vector3, angle_between, cross, dot, norm, rotated_tensor, scale, subtract

_GRADES = (1e-2, 1e-3, 1e-5)
"""Distances [m], angles [rad] and relative differences; content that agrees within more of them agrees better."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Alignment:
    """Poses of the frames of bodies of B in those of the bodies of A to which they correspond, by the name in A."""

    frames: dict[str, Pose]

    def of(self, body: str | None) -> Pose:
        """Return the pose of the frame of a body of B in that of the body of A; None is the world."""
        return IDENTITY if body is None else self.frames.get(body, IDENTITY)


def align(a: Side, b: Side, matching: Matching, tolerance: float) -> Alignment:
    """Return the alignment of corresponding bodies, from the roots outwards."""
    frames: dict[str, Pose] = {}
    for branch in a.tree.branches:
        one = branch.body.name
        if one in matching.bodies:
            frame = _aligned_frame(a, b, one, matching, frames)
            frames[one] = IDENTITY if are_equal_poses(IDENTITY, frame, tolerance) else frame
    return Alignment(frames=frames)


def _aligned_frame(a: Side, b: Side, one: str, matching: Matching, frames: dict[str, Pose]) -> Pose:
    other = matching.bodies[one]
    in_space = _frame_in_space(a, b, one, matching, frames)
    contents = list(_contents(a, b, one, matching))
    scored = [(sum(agreement(frame) for agreement in contents), frame) for frame in (IDENTITY, in_space)]
    axes = [screw_axis(joint) if joint is not None else None for joint in (a.inboard(one), b.inboard(other))]
    if axes[0] is not None and axes[1] is not None and scored[0][0] < (len(_GRADES) * len(contents)) > scored[1][0]:
        moved = _moved_by_joint(axes[0], in_space, list(_points(a.model.bodies[one], b.model.bodies[other])))
        scored.append((sum(agreement(moved) for agreement in contents), moved))
    return max(scored, key=lambda pair: pair[0])[1]


def _frame_in_space(a: Side, b: Side, one: str, matching: Matching, frames: dict[str, Pose]) -> Pose:
    """Return the frame of a body of B in that of A, with both in space at zero, relative to their parents if these agree."""
    other = matching.bodies[one]
    above_a, above_b = a.parent(one), b.parent(other)
    body_a, body_b = a.model.bodies[one], b.model.bodies[other]
    if above_a is None or above_b is None or matching.bodies.get(above_a) != above_b:
        return body_a.pose.inverse() @ body_b.pose
    in_parent_a = a.model.bodies[above_a].pose.inverse() @ body_a.pose
    in_parent_b = b.model.bodies[above_b].pose.inverse() @ body_b.pose
    return in_parent_a.inverse() @ frames.get(above_a, IDENTITY) @ in_parent_b


def _moved_by_joint(axis: ScrewAxis, in_space: Pose, points: list[tuple[Vector3, Vector3]]) -> Pose:
    """Return the frame in space after the motion of a joint that moves points of B to those of A, by least squares."""
    if not axis.is_rotation:
        distances = [dot(subtract(one, in_space.transform(other)), axis.direction) for one, other in points]
        return axis.motion(sum(distances) / max(len(distances), 1) / axis.translation) @ in_space
    sine = cosine = 0.0
    for one, other in points:
        first, second = (_across(subtract(point, axis.point), axis.direction) for point in (one, in_space.transform(other)))
        sine += dot(cross(second, first), axis.direction)
        cosine += dot(first, second)
    return axis.motion(math.atan2(sine, cosine)) @ in_space if sine or cosine else in_space


def _across(vector: Vector3, direction: Vector3) -> Vector3:
    return subtract(vector, scale(direction, dot(vector, direction)))


def _points(a: Body, b: Body) -> Iterator[tuple[Vector3, Vector3]]:
    if a.inertial.mass and b.inertial.mass:
        yield a.inertial.center_of_mass, b.inertial.center_of_mass
    for shapes in ((a.visuals, b.visuals), (a.collisions, b.collisions)):
        if len(shapes[0]) == len(shapes[1]):
            yield from [(one.pose.position, other.pose.position) for one, other in zip(*shapes, strict=True)]


def _contents(a: Side, b: Side, one: str, matching: Matching) -> Iterator[Callable[[Pose], int]]:
    """Yield for each content that corresponding bodies have a function of the frame: within how many grades it agrees."""
    body_a, body_b = a.model.bodies[one], b.model.bodies[matching.bodies[one]]
    yield from _inertia_contents(body_a, body_b)
    for shapes in ((body_a.visuals, body_b.visuals), (body_a.collisions, body_b.collisions), (body_a.frames, body_b.frames)):
        if len(shapes[0]) == len(shapes[1]):
            for first, second in zip(*shapes, strict=True):
                yield lambda frame, p=first.pose, q=second.pose: _pose_grade(p, frame @ q)  # type: ignore[misc]
    for child in a.children.get(one, []):
        other = matching.bodies.get(child)
        if other is not None and b.parent(other) == matching.bodies[one]:
            yield from _joint_contents(a, b, child, other)


def _inertia_contents(a: Body, b: Body) -> Iterator[Callable[[Pose], int]]:
    if not (a.inertial.mass and b.inertial.mass):
        return
    first, second = a.inertial, b.inertial
    yield lambda frame: _grade(norm(subtract(first.center_of_mass, frame.transform(second.center_of_mass))))
    if first.moment is not None and second.moment is not None:
        one, other = np.array(first.moment), second.moment
        size = float(np.abs(one).max()) or 1.0
        yield lambda frame: _grade(float(np.abs(one - np.array(rotated_tensor(other, frame.wxyz))).max()) / size)


def _joint_contents(a: Side, b: Side, child: str, other: str) -> Iterator[Callable[[Pose], int]]:
    first, second = a.inboard(child), b.inboard(other)
    if first is None or second is None:
        return
    places = pose_parent_joint(a.model, first), pose_parent_joint(b.model, second)
    axes = [_axis_in_parent(joint, place) for joint, place in zip((first, second), places, strict=True)]
    if axes[0] is not None and axes[1] is not None:
        yield _axis_content(axes[0], axes[1])
    elif isinstance(first.type, Fixed) and isinstance(second.type, Fixed):
        yield lambda frame: _grade(distance_between(places[0], frame @ places[1]))
    else:
        yield lambda frame: _pose_grade(places[0], frame @ places[1])


def _axis_in_parent(joint: Joint, place: Pose) -> ScrewAxis | None:
    axis = screw_axis(joint)
    return None if axis is None else axis.in_frame(place @ joint.pose.inverse())


def _axis_content(a: ScrewAxis, b: ScrewAxis) -> Callable[[Pose], int]:
    return lambda frame: _axis_grade(a, b.in_frame(frame))


def _axis_grade(a: ScrewAxis, b: ScrewAxis) -> int:
    return _grade(a.distance_to(b) + a.angle_to(b)) if a.is_rotation == b.is_rotation else 0


def _pose_grade(a: Pose, b: Pose) -> int:
    return _grade(distance_between(a, b) + angle_between(a, b))


def _grade(difference: float) -> int:
    return sum(difference <= grade for grade in _GRADES)
