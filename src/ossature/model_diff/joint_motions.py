"""Comparison of the motions of corresponding joints: sign, zero, axis and position, each as one difference."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace

import numpy as np

from ossature.kinematics import evaluate, motion_pose, pose_parent_joint
from ossature.model import Coordinate, Coupling, HardLimits, Joint, JointPosition, Range
from ossature.model.expression import sources_of
from ossature.model.value_text import kind_text
from ossature.model_diff.alignment import Alignment
from ossature.model_diff.changes import Category, Change, PathPair
from ossature.model_diff.matching import Matching, Side
from ossature.model_diff.number_text import angle_text, length_text, vector_text
from ossature.model_diff.screw_axes import ScrewAxis, is_same_kind, screw_axis
from ossature.model_diff.tolerance import ROUNDING, are_equal, are_equal_poses, distance_between
from ossature.spatial import IDENTITY, Pose, angle_between, dot, norm

_SAMPLES = 4
_SEED = 23
_SMALL_REST = 0.1
"""Part of a displacement that is no motion of the joint, up to which the rest is another zero of the joint."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CoordinateRelation:
    """A coordinate of A as a function of that of B: ``a = sign * b + offset``."""

    sign: float = 1.0
    offset: float = 0.0

    def position(self, b: float) -> float:
        """Return the position in A."""
        return self.sign * b + self.offset

    def inverse(self, a: float) -> float:
        """Return the position in B."""
        return self.sign * (a - self.offset)


SAME_COORDINATE = CoordinateRelation()


@dataclass(frozen=True, slots=True, kw_only=True)
class JointComparison:
    """What two corresponding joints of the trees have in common.

    Attributes:
        changes: How their motions differ.
        coordinates: The map of each coordinate, or None if the joints have other coordinates.
    """

    changes: tuple[Change, ...]
    coordinates: tuple[CoordinateRelation, ...] | None


def compare_inboard_joints(
    a: Side, b: Side, body: str, matching: Matching, alignment: Alignment, tolerance: float
) -> JointComparison | None:
    """Compare the joints that move corresponding bodies, or return None if neither of them is moved by a joint.

    Args:
        a: The model A.
        b: The model B.
        matching: Corresponding bodies.
        alignment: Their frames.
    """
    other = matching.bodies[body]
    first, second = a.inboard(body), b.inboard(other)
    if first is None or second is None:
        paths = PathPair(f"{a.model.name}/{body}", f"{b.model.name}/{other}")
        return JointComparison(changes=tuple(_base_changes(a, b, body, other, alignment, tolerance, paths)), coordinates=None)
    paths = PathPair(f"{a.model.name}/{first.name}", f"{b.model.name}/{second.name}")
    above = a.parent(body), b.parent(other)
    has_same_parent = above[0] == above[1] if None in above else matching.bodies.get(str(above[0])) == above[1]
    changes: list[Change] = []
    if not has_same_parent:
        text = f"'{above[0] or 'world'}' → '{above[1] or 'world'}'"
        changes.append(paths.change(category=Category.STRUCTURE, quantity="parent", text=text, field="parent"))
    moving = _aligned_joint(b, second, alignment, above[0], body, has_same_parent)
    zero = _zero_pose(a, first)
    found, coordinates = _motion_changes(first, zero, moving, paths, tolerance, compares_position=has_same_parent)
    return JointComparison(changes=(*changes, *found), coordinates=coordinates)


@dataclass(frozen=True, slots=True, kw_only=True)
class _AlignedJoint:
    """A joint of B between the frames of A: its type, its frame in the child, and the child in the parent at zero."""

    joint: Joint
    zero: Pose


def _zero_pose(side: Side, joint: Joint) -> Pose:
    return pose_parent_joint(side.model, joint) @ joint.pose.inverse()


def _aligned_joint(
    b: Side, joint: Joint, alignment: Alignment, parent: str | None, child: str, has_same_parent: bool
) -> _AlignedJoint:
    frame = alignment.of(child)
    above = alignment.of(parent) if has_same_parent else IDENTITY
    return _AlignedJoint(joint=replace(joint, pose=frame @ joint.pose), zero=above @ _zero_pose(b, joint) @ frame.inverse())


def _base_changes(
    a: Side, b: Side, body: str, other: str, alignment: Alignment, tolerance: float, paths: PathPair
) -> Iterator[Change]:
    for side, name in ((a, body), (b, other)):
        joint = side.inboard(name)
        if joint is not None:
            text = f"{_joint_text(joint)}, which floats on the other side"
            path = PathPair.one_sided(f"{side.model.name}/{joint.name}", is_in_a=side is a)
            yield path.change(category=Category.STRUCTURE, quantity="joint", text=text)
            if joint.parent is not None:
                return
    one, another = a.model.bodies[body].pose, b.model.bodies[other].pose @ alignment.of(body).inverse()
    if not are_equal_poses(one, another, tolerance):
        yield pose_change("position of the base", one, another, paths)


def _joint_text(joint: Joint) -> str:
    return (
        f"{kind_text(type(joint.type))}, from {'the world' if joint.parent is None else repr(joint.parent)} to '{joint.child}'"
    )


def displacement_text(a: Pose, b: Pose) -> str:
    """Return how far one frame is from another, in words."""
    moved, turned = distance_between(a, b), angle_between(a, b)
    parts = [f"{length_text(moved)} apart: {vector_text(a.position, b.position)} m"] if moved > ROUNDING else []
    return ", ".join([*parts, *([f"rotated by {angle_text(turned)}"] if turned > ROUNDING else [])])


def pose_change(
    quantity: str, a: Pose, b: Pose, paths: PathPair, field: str = "pose", category: Category = Category.KINEMATICS
) -> Change:
    """Return the difference of two poses, with the displacement in words."""
    return paths.change(category, quantity, displacement_text(a, b), field, distance_between(a, b))


def _motion_changes(
    first: Joint, zero: Pose, moving: _AlignedJoint, paths: PathPair, tolerance: float, *, compares_position: bool
) -> tuple[list[Change], tuple[CoordinateRelation, ...] | None]:
    one, other = screw_axis(first), screw_axis(moving.joint)
    if one is not None and other is not None and one.is_rotation == other.is_rotation:
        return _axis_changes(one, other, zero, moving.zero, paths, tolerance, compares_position=compares_position)
    changes: list[Change] = []
    if first.degrees_of_freedom != moving.joint.degrees_of_freedom or not is_same_kind(first.type, moving.joint.type):
        words = [kind_text(type(joint.type)) for joint in (first, moving.joint)]
        text = f"{words[0]} → {words[1]}"
        changes.append(paths.change(category=Category.STRUCTURE, quantity="joint type", text=text, field="type"))
        return changes, None
    coordinates = (SAME_COORDINATE,) * first.degrees_of_freedom
    placed = zero if not compares_position else moving.zero
    if not are_equal_poses(zero, placed, tolerance):
        changes.append(pose_change("position in the parent", zero, placed, paths))
    if not _has_same_motion(first, moving.joint, tolerance):
        changes.append(paths.change(category=Category.KINEMATICS, quantity="joint axes", text="are elsewhere", field="type"))
    return changes, coordinates


def _has_same_motion(a: Joint, b: Joint, tolerance: float) -> bool:
    """Whether two joints of the same kind move the child in the same way, apart from the pose at zero."""
    generator = np.random.default_rng(_SEED)
    for _ in range(_SAMPLES if a.degrees_of_freedom else 0):
        q = generator.uniform(-1.0, 1.0, a.degrees_of_freedom).tolist()
        moved = [joint.pose @ motion_pose(joint.type, q) @ joint.pose.inverse() for joint in (a, b)]
        if not are_equal_poses(moved[0], moved[1], tolerance):
            return False
    return True


def _axis_changes(
    a: ScrewAxis, b: ScrewAxis, zero_a: Pose, zero_b: Pose, paths: PathPair, tolerance: float, *, compares_position: bool
) -> tuple[list[Change], tuple[CoordinateRelation, ...]]:
    allowed = max(tolerance, ROUNDING)
    sign = -1.0 if dot(a.direction, b.direction) < 0.0 else 1.0
    found: list[tuple[str, str, str, float | None]] = []
    if sign < 0.0:
        found.append(("axis", "reversed: positive positions are on the other side", "type.axis", None))
    turned, moved = a.angle_to(b), a.distance_to(b)
    if turned > allowed:
        found.append(("axis", f"rotated by {angle_text(turned)}", "type.axis", turned))
    elif moved > allowed * (1.0 + 1e-3 * norm(a.point)):
        found.append(("axis", f"moved by {length_text(moved)}", "pose", moved))
    pitches = [side.translation * (math.tau if side.is_rotation else 1.0) for side in (a, b)]
    if not are_equal(pitches[0], pitches[1], tolerance, "m"):
        found.append(("pitch", f"{pitches[0]:g} → {pitches[1]:g} m per {'revolution' if a.is_rotation else 'm'}", "type", None))
    offset = 0.0
    if compares_position:
        offset = _zero_offset(a, zero_a, zero_b, allowed)
        if offset:
            text = f"of B is at {angle_text(offset) if a.is_rotation else length_text(offset)} of A"
            found.append(("zero", text, "pose", abs(offset)))
        rest = zero_a @ a.motion(offset)
        if not are_equal_poses(rest, zero_b, tolerance):
            found.append(("position in the parent", displacement_text(rest, zero_b), "pose", distance_between(rest, zero_b)))
    changes = [
        paths.change(category=Category.KINEMATICS, quantity=quantity, text=text, field=field, amount=amount)
        for quantity, text, field, amount in found
    ]
    return changes, (CoordinateRelation(sign=sign, offset=offset),)


def _zero_offset(axis: ScrewAxis, zero_a: Pose, zero_b: Pose, allowed: float) -> float:
    """Return the coordinate in A at which B is at zero, or zero if the child is elsewhere for another reason."""
    offset = axis.coordinate_of(zero_a.inverse() @ zero_b)
    rest = zero_a @ axis.motion(offset)
    is_turned = angle_between(rest, zero_b) > _SMALL_REST * (abs(offset) if axis.is_rotation else 1.0)
    is_moved = not axis.is_rotation and distance_between(rest, zero_b) > _SMALL_REST * abs(offset)
    return 0.0 if abs(offset) <= allowed or is_turned or is_moved else offset


# Coordinates and couplings of B in terms of A


def coordinate_in_a(coordinate: Coordinate, by: CoordinateRelation) -> Coordinate:
    """Return a coordinate of B with its positions, velocities and forces measured as in A; its coupling is unchanged."""
    if by == SAME_COORDINATE:
        return coordinate
    hard, rate = coordinate.hard_limits, CoordinateRelation(sign=by.sign)
    return replace(
        coordinate,
        position_limits=_mapped_range(coordinate.position_limits, by),
        velocity_limits=_mapped_range(coordinate.velocity_limits, rate),
        acceleration_limits=_mapped_range(coordinate.acceleration_limits, rate),
        jerk_limits=_mapped_range(coordinate.jerk_limits, rate),
        effort_limits=_mapped_range(coordinate.effort_limits, rate),
        hard_limits=None if hard is None else _mapped_hard_limits(hard, by, rate),
        initial_position=by.position(coordinate.initial_position),
        initial_velocity=by.sign * coordinate.initial_velocity,
        initial_acceleration=by.sign * coordinate.initial_acceleration,
        initial_effort=by.sign * coordinate.initial_effort,
        spring_reference=by.position(coordinate.spring_reference),
    )


def coordinate_as_specified(a: Coordinate, b: Coordinate, mapped: Coordinate, tolerance: float) -> Coordinate:
    """Return a coordinate of B in terms of A whose values are those of A if they are the same numbers in both files.

    If only the sign or the zero of a joint was changed its limits and references move with it, and are no differences of
    their own.
    """
    same = {
        item.name: getattr(a, item.name)
        for item in fields(Coordinate)
        if item.name not in ("hard_limits", "coupling", "hints", "name")
        and getattr(mapped, item.name) != getattr(b, item.name)
        and are_equal(getattr(a, item.name), getattr(b, item.name), tolerance)
    }
    if a.hard_limits == b.hard_limits:
        same["hard_limits"] = a.hard_limits
    return replace(mapped, **same)


def _mapped_hard_limits(limits: HardLimits, by: CoordinateRelation, rate: CoordinateRelation) -> HardLimits:
    return HardLimits(
        position=_mapped_range(limits.position, by),
        velocity=_mapped_range(limits.velocity, rate),
        acceleration=_mapped_range(limits.acceleration, rate),
        jerk=_mapped_range(limits.jerk, rate),
    )


def _mapped_range(limits: Range, by: CoordinateRelation) -> Range:
    ends = sorted((by.position(limits.lower), by.position(limits.upper)))
    return Range(lower=ends[0], upper=ends[1]) if limits.lower <= limits.upper else limits


def are_equal_couplings(
    a: Coupling, b: Coupling, of: CoordinateRelation, maps: dict[JointPosition, CoordinateRelation], tolerance: float
) -> bool:
    """Whether two couplings give the same positions.

    Args:
        b: The coupling in B; its joints have the names of A.
        of: The map of the coupled coordinate.
        maps: The maps of the coordinates on which it depends.
    """
    sources = [*dict.fromkeys([*sources_of(a.position), *sources_of(b.position)])]
    generator = np.random.default_rng(_SEED)
    for _ in range(2 * _SAMPLES):
        at = dict(zip(sources, generator.uniform(-1.0, 1.0, len(sources)).tolist(), strict=True))
        in_b = {source: maps.get(source, SAME_COORDINATE).inverse(value) for source, value in at.items()}
        one = float(evaluate(a.position, at))
        if not are_equal(one, of.position(float(evaluate(b.position, in_b))), tolerance, "rad"):
            return False
    return True
