"""The coordinates of a joint from the relative pose of its bodies: the inverse of :func:`ossature.kinematics.motion_pose`."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

import numpy as np

from ossature.array_types import Array
from ossature.kinematics.joint_constraints import coordinate_twists
from ossature.kinematics.joint_factorization import ElementaryMotion, factor_joint
from ossature.kinematics.joint_transforms import motion_pose
from ossature.kinematics.manipulator_chain import limits_of
from ossature.model import Compound, Joint, JointType
from ossature.spatial import Pose, dot, norm, quaternion_from_rotation_vector, rotation_vector_from_quaternion, vector_from

_MOST_ITERATIONS = 60
_CONVERGED = 1e-14
_REACHED = 1e-9
"""Difference between the pose of a joint and the given one below which coordinates have that pose [rad or m]."""
_LONGEST_STEP = 1.0
"""Largest rotation of a step [rad], so that the iterations do not leave the neighbourhood of their start."""
_INDEPENDENT = 1e-9
"""Smallest singular value, relative to the largest, of twists of coordinates that change."""
_MOST_VARIED = 4
"""Number of coordinates from several values of which the iterations start."""
_NEAREST = math.pi / 2.0
"""Distance from the initial positions below which other coordinates with the same pose are farther [rad]."""
_PROGRESS = 0.99
"""Ratio of residuals after a step and before above which the step has failed."""
_MOST_FAILED = 8
"""Number of failed steps in a row after which the iterations end."""
_LIMIT_TOLERANCE = 1e-9
"""By how much a coordinate may exceed a limit and count as within it [rad or m]."""


@np.errstate(over="ignore", invalid="ignore")  # residuals of huge poses may be infinite
def joint_coordinates(joint: Joint, pose: Pose) -> tuple[float, ...]:
    """Return the coordinates of a joint at which its child has a relative pose, or, if there are none, nearly so.

    If several coordinates have the pose, they are within the limits, if any are, and among these nearest to the initial
    positions. Poses do not determine full revolutions: they are chosen likewise.

    Args:
        joint: The joint.
        pose: The child's joint frame in the parent's.
    """
    if not joint.degrees_of_freedom:
        return ()
    factors = factor_joint(joint.type)
    best: tuple[float, ...] = joint.initial_positions
    rank = math.inf, True, math.inf
    for start in _starts(joint, factors, pose):
        residual, solved = _solve(joint.type, factors, pose, start)
        q = _choose_turns(joint, factors, solved)
        found = max(residual, _REACHED), not _is_within_limits(joint, q), _distance(joint, q)
        if found < rank:
            best, rank = tuple(q.tolist()), found
        if rank[0] == _REACHED and not rank[1] and rank[2] < _NEAREST:
            break
    return best


def _starts(joint: Joint, factors: tuple[ElementaryMotion, ...], pose: Pose) -> Iterator[Array]:
    """Yield coordinates from which to iterate: several if several coordinates can have the pose."""
    start = np.zeros(joint.degrees_of_freedom)
    for factor in factors:
        if factor.axis is not None and factor.is_rotation and factor.translation:
            start[factor.coordinate] = dot(factor.axis, pose.position) / factor.translation
    angles = [factor.coordinate for factor in factors if _is_angle(factor)]
    start[angles] = np.array(joint.initial_positions)[angles]
    ranges = dict.fromkeys(angles, math.tau / 3.0)
    if isinstance(joint.type, Compound):
        slides = [factor.coordinate for factor in factors if not factor.is_rotation]
        ranges |= dict.fromkeys(slides, max(norm(pose.position), 1e-3))
    elif len(angles) < 2:
        ranges = {}
    varied = list(itertools.islice(ranges, _MOST_VARIED))
    for signs in itertools.product((0.0, 1.0, -1.0), repeat=len(varied)):
        moved = start.copy()
        moved[varied] += [sign * ranges[number] for sign, number in zip(signs, varied, strict=True)]
        yield np.where(np.isfinite(moved), moved, 0.0)


def _is_angle(factor: ElementaryMotion) -> bool:
    """Whether full revolutions of a factor's coordinate do not change the pose."""
    return factor.axis is not None and factor.is_rotation and not factor.translation


def _solve(joint_type: JointType, factors: tuple[ElementaryMotion, ...], pose: Pose, q: Array) -> tuple[float, Array]:
    """Return the residual [rad or m] and the coordinates after Gauss-Newton steps from a start."""
    vectors = [slice(factor.coordinate, factor.coordinate + 3) for factor in factors if factor.axis is None]
    best, failed = (math.inf, q), 0
    for _ in range(_MOST_ITERATIONS):
        error = motion_pose(joint_type, q.tolist()).inverse() @ pose
        mismatch = np.array([*rotation_vector_from_quaternion(error.wxyz), *error.position])
        residual = float(np.linalg.norm(mismatch))
        failed = 0 if residual < _PROGRESS * best[0] else failed + 1
        if not math.isfinite(residual) or failed > (_MOST_FAILED if best[0] > _REACHED else 0):
            break
        if residual < best[0]:
            best = residual, q
        twists = coordinate_twists(joint_type, q, 1.0)
        if not np.isfinite(twists).all():
            break
        change = np.linalg.lstsq(twists, mismatch, rcond=_INDEPENDENT)[0]
        rotation = float(np.abs(change * np.linalg.norm(twists[:3], axis=0)).max())
        if not _CONVERGED <= float(np.abs(change).max()) < math.inf:
            break
        q = q + change * (_LONGEST_STEP / rotation if rotation > _LONGEST_STEP else 1.0)
        for vector in vectors:
            q[vector] = rotation_vector_from_quaternion(quaternion_from_rotation_vector(vector_from(q[vector])))
    return best


def _choose_turns(joint: Joint, factors: tuple[ElementaryMotion, ...], q: Array) -> Array:
    """Return coordinates with the full revolutions that are nearest to the initial positions within the limits."""
    result = q.copy()
    for number in [factor.coordinate for factor in factors if _is_angle(factor)]:
        coordinate = joint.coordinates[number]
        limits = limits_of(coordinate)
        value = q[number] + math.tau * round((coordinate.initial_position - q[number]) / math.tau)
        if value > limits.upper + _LIMIT_TOLERANCE:
            lowered = value - math.tau * math.ceil((value - limits.upper - _LIMIT_TOLERANCE) / math.tau)
            value = lowered if lowered >= limits.lower - _LIMIT_TOLERANCE else value
        elif value < limits.lower - _LIMIT_TOLERANCE:
            raised = value + math.tau * math.ceil((limits.lower - _LIMIT_TOLERANCE - value) / math.tau)
            value = raised if raised <= limits.upper + _LIMIT_TOLERANCE else value
        result[number] = value
    return result


def _is_within_limits(joint: Joint, q: Array) -> bool:
    return all(
        limits.lower - _LIMIT_TOLERANCE <= value <= limits.upper + _LIMIT_TOLERANCE
        for limits, value in zip(map(limits_of, joint.coordinates), q.tolist(), strict=True)
    )


def _distance(joint: Joint, q: Array) -> float:
    return float(np.linalg.norm(q - np.array(joint.initial_positions)))
