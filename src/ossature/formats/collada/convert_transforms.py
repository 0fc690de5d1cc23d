"""Converts transforms of COLLADA to poses and matrices."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from ossature.array_types import Matrix
from ossature.diagnostics import Report
from ossature.formats.collada import rules, schema_common
from ossature.spatial import (
    IDENTITY,
    Pose,
    Vector3,
    matrix_from,
    norm,
    quaternion_from_axis_angle,
    quaternion_from_matrix,
    scale,
    unit,
)

BEYOND_MEASURE = 1e100
"""Largest translation and scale [m]: products of larger numbers overflow."""
_ROUNDING = 1e-12
_IDENTITY_MATRIX = np.eye(4)  # it is never changed
_RIGID = 1e-9  # files state matrices with nine digits or more


def pose_of(
    transforms: Iterable[schema_common.RotateElement | schema_common.TranslateElement], meter: float, report: Report
) -> Pose:
    """Return the product of translations and rotations, the outermost first."""
    result = IDENTITY
    for transform in transforms:
        if transform.value is None:
            continue
        step = (
            Pose(scale(transform.value, meter))
            if isinstance(transform, schema_common.TranslateElement)
            else _rotation_pose(transform, report)
        )
        if step != IDENTITY:
            result = result @ step
        if not norm(result.position) < BEYOND_MEASURE:
            message = "the translation overflows: it and the preceding transforms are ignored"
            report.add(rules.NUMERIC_OVERFLOW, message, transform.location())
            result = IDENTITY
    return result


def matrix_of(transform: schema_common.Transform, meter: float, report: Report) -> Matrix:
    """Return one transform as a homogeneous 4×4 matrix in metres."""
    values = transform.value
    if values is None:
        return np.eye(4)
    match transform:
        case schema_common.TranslateElement():
            result = np.eye(4)
            result[:3, 3] = np.multiply(values, meter)
        case schema_common.RotateElement():
            result = _rotation_pose(transform, report).matrix()
        case schema_common.ScaleElement():
            result = np.diag((*values, 1.0))
        case schema_common.MatrixElement():
            result = np.array(values).reshape(4, 4)
            result[:3, 3] *= meter
            result[3] = (0.0, 0.0, 0.0, 1.0)  # poses have no perspective
        case schema_common.LookatElement():
            result = _look_at_matrix(np.array(values), meter, transform, report)
        case schema_common.SkewElement():
            result = _skew_matrix(np.array(values), transform, report)
    return result


def _rotation_pose(rotate: schema_common.RotateElement, report: Report) -> Pose:
    assert rotate.value is not None  # noqa: S101  # checked by the callers
    *axis, angle = rotate.value
    if angle == 0.0:
        return IDENTITY
    direction = _unit_axis((axis[0], axis[1], axis[2]), rotate, report)
    return IDENTITY if direction is None else Pose(wxyz=quaternion_from_axis_angle(direction, math.radians(angle)))


def _unit_axis(axis: Vector3, element: schema_common.Transform, report: Report) -> Vector3 | None:
    try:
        return unit(axis)
    except ValueError:
        report.add(rules.NO_DIRECTION, "the axis of the rotation is zero: it is ignored", element.location(), hint="0 0 1 is z")
        return None


def _look_at_matrix(values: Matrix, meter: float, element: schema_common.LookatElement, report: Report) -> Matrix:
    eye, target, up = values[:3] * meter, values[3:6] * meter, values[6:]
    backward = eye - target
    right = np.cross(up, backward)
    if not (np.linalg.norm(backward) > 0.0 and np.linalg.norm(right) > 0.0):
        report.add(rules.NO_DIRECTION, "the direction of <lookat> is zero, or parallel to its up vector", element.location())
        return np.eye(4)
    result = np.eye(4)
    result[:3, 2] = backward / np.linalg.norm(backward)
    result[:3, 0] = right / np.linalg.norm(right)
    result[:3, 1] = np.cross(result[:3, 2], result[:3, 0])
    result[:3, 3] = eye
    return result


def _skew_matrix(values: Matrix, element: schema_common.SkewElement, report: Report) -> Matrix:
    """Return the shear matrix of a <skew>, which has the semantics of Skew in RenderMan.

    The first axis is rotated by the angle towards the second one; displacements are along the second one.
    """
    angle, rotated, along = math.radians(values[0]), values[1:4], values[4:7]
    lengths = np.linalg.norm(rotated), np.linalg.norm(along)
    if not (lengths[0] > 0.0 and lengths[1] > 0.0):
        report.add(rules.NO_DIRECTION, "an axis of <skew> is zero: it is ignored", element.location())
        return np.eye(4)
    first, second = rotated / lengths[0], along / lengths[1]
    across = first - second * (first @ second)
    if np.linalg.norm(across) < _ROUNDING:
        report.add(rules.NO_DIRECTION, "the axes of <skew> are parallel: it is ignored", element.location())
        return np.eye(4)
    across /= np.linalg.norm(across)
    before = math.atan2(first @ across, first @ second)
    after = before - angle
    if math.sin(after) < _ROUNDING:
        report.add(rules.NO_DIRECTION, "<skew> is singular: it is ignored", element.location())
        return np.eye(4)
    result = np.eye(4)
    result[:3, :3] += (1.0 / math.tan(after) - 1.0 / math.tan(before)) * np.outer(second, across)
    return result


def polar_decomposition(matrix: Matrix) -> tuple[Pose, Matrix | None]:
    """Return the polar decomposition of a homogeneous 4×4 matrix: a pose, and the 3×3 matrix to apply before it.

    The second part is None for a rigid transform; reflections, scales and shears need it.
    """
    linear = matrix[:3, :3]
    position = (float(matrix[0, 3]), float(matrix[1, 3]), float(matrix[2, 3]))
    deviation = np.abs(matrix - _IDENTITY_MATRIX)
    if deviation[:3, :3].max() <= _ROUNDING:
        return IDENTITY if deviation.max() <= _ROUNDING else Pose(position), None
    left, singular_values, right = np.linalg.svd(linear)
    rotation = left @ right
    if np.linalg.det(rotation) < 0.0:
        rotation = -rotation
    pose = Pose(position, quaternion_from_matrix(matrix_from(rotation)))
    rest = rotation.T @ linear
    return pose, None if np.abs(rest - _IDENTITY_MATRIX[:3, :3]).max() <= _RIGID and singular_values[2] > 0.0 else rest
