"""Frames behind elementary joints, which rotate about or translate along the z axes of their own frames, batched.

Such a frame is linear in the sine, the cosine and the value of its coordinate: the frames of all joints come from one matrix
product.
"""

from __future__ import annotations

import numpy as np

from ossature.array_types import Array
from ossature.model.joint import Z_AXIS
from ossature.spatial import Pose, Vector3, quaternion_between


def basis_matrices(before: Array, *, is_rotation: bool, translation: float) -> Array:
    """Return the matrices whose sum, weighted by 1, sin x, cos x and x, is the transform of an elementary joint, (4, 16).

    Args:
        before: The constant transform from the joint before it, shape (4, 4).
        is_rotation: Whether it rotates about z.
        translation: The translation along z for each unit of its coordinate [m/rad or 1].
    """
    bases = np.zeros((4, 4, 4))
    if is_rotation:
        bases[0, 2, 2] = bases[0, 3, 3] = 1.0
        bases[1, 0, 1], bases[1, 1, 0] = -1.0, 1.0
        bases[2, 0, 0] = bases[2, 1, 1] = 1.0
    else:
        bases[0] = np.eye(4)
    bases[3, 2, 3] = translation
    return np.asarray(before @ bases).reshape(4, 16)


def elementary_transforms(coordinates: Array, bases: Array) -> Array:
    """Return the transforms of elementary joints, (joints, N, 4, 4).

    Args:
        coordinates: The coordinate of each joint, shape (joints, N).
        bases: Their basis matrices, shape (joints, 4, 16).
    """
    features = np.empty((*coordinates.shape, 4))
    features[..., 0] = 1.0
    np.sin(coordinates, out=features[..., 1])
    np.cos(coordinates, out=features[..., 2])
    features[..., 3] = coordinates
    return (features @ bases).reshape(*coordinates.shape, 4, 4)


def rotation_from_z(axis: Vector3) -> Array:
    """Return the transform of a frame whose z axis has the given direction, shape (4, 4); its transpose is its inverse."""
    return Pose(wxyz=quaternion_between(Z_AXIS, axis)).matrix()
