"""Matrices from angular velocities in axes of the world to the rates of coordinates of an orientation."""

from __future__ import annotations

from typing import Any

import numpy as np

from ossature.array_types import Array
from ossature.kinematics.batched_rotations import logarithm, right_jacobian
from ossature.kinematics.coordinate_map import KinematicsError
from ossature.spatial import quaternion_from_matrix

_GIMBAL_LOCK = 1e-9


def _rotation_vector_rates(rotations: Array) -> Array:
    return np.asarray(np.linalg.inv(right_jacobian(-logarithm(rotations))))


def _rpy_rates(rotations: Array) -> Array:
    yaw = np.arctan2(rotations[:, 1, 0], rotations[:, 0, 0])
    cosine = np.hypot(rotations[:, 0, 0], rotations[:, 1, 0])  # of the pitch
    if (cosine < _GIMBAL_LOCK).any():
        raise KinematicsError("roll, pitch and yaw are singular: the pitch is ±π/2")
    tangent = -rotations[:, 2, 0] / cosine
    c, s = np.cos(yaw), np.sin(yaw)
    zero, one = np.zeros_like(c), np.ones_like(c)
    rows = [[c / cosine, s / cosine, zero], [-s, c, zero], [c * tangent, s * tangent, one]]
    return np.array(rows).transpose(2, 0, 1)


def _quaternion_rates(rotations: Array) -> Array:
    quaternions = np.array([quaternion_from_matrix(_rows(one)) for one in rotations]).reshape(-1, 4)
    w, x, y, z = (quaternions * np.where(quaternions[:, :1] < 0.0, -1.0, 1.0)).T
    return 0.5 * np.array([[-x, -y, -z], [w, z, -y], [-z, w, x], [y, -x, w]]).transpose(2, 0, 1)


def _rows(rotation: Array) -> Any:
    return tuple(map(tuple, rotation.tolist()))


ORIENTATION_RATES = {
    "rotation-vector": _rotation_vector_rates,
    "rpy": _rpy_rates,
    "quaternion": _quaternion_rates,
}
"""By the coordinates of the orientation: matrices (N, 3 or 4, 3) from rotation matrices (N, 3, 3)."""
