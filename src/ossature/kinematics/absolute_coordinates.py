"""Absolute coordinates: the poses of the bodies of a mechanism in the world, and the Jacobians of their twists.

Lengths are divided by a characteristic length of the mechanism, so that rotations [rad] and translations are comparable and
rank decisions do not depend on the unit of length.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ossature.array_types import Array
from ossature.kinematics.batched_rotations import exponential, skew
from ossature.spatial import matrix_from, quaternion_from_matrix, rotation_vector_from_quaternion

GROUND = 0
"""Index of the ground among the bodies: the world, and all that is fixed to it."""


@dataclass(slots=True, kw_only=True)
class AbsoluteCoordinates:
    """The poses of bodies in the world, the ground first.

    Attributes:
        transforms: The poses in the world, shape (bodies, 4, 4).
        centers: A reference point of each body, in its frame [m]: the mean of its joint positions.
        length: The characteristic length [m].
    """

    transforms: Array
    centers: Array
    length: float

    @property
    def size(self) -> int:
        """Number of unknowns: six for each body but the ground."""
        return 6 * (len(self.transforms) - 1)

    def copy(self) -> AbsoluteCoordinates:
        """Return independent coordinates of the same bodies."""
        return replace(self, transforms=self.transforms.copy())

    def subset(self, bodies: Sequence[int]) -> AbsoluteCoordinates:
        """Return independent coordinates of some of the bodies."""
        return replace(self, transforms=self.transforms[list(bodies)].copy(), centers=self.centers[list(bodies)])

    def distance(self, other: AbsoluteCoordinates) -> float:
        """Return the largest distance between the poses of a body here and there [rad, or characteristic lengths]."""
        rotations = [rotation_vector(inverse(a) @ b) for a, b in zip(self.transforms, other.transforms, strict=True)]
        translations = [
            (a[:3, :3] @ center + a[:3, 3] - b[:3, :3] @ center - b[:3, 3]) / self.length
            for a, b, center in zip(self.transforms, other.transforms, self.centers, strict=True)
        ]
        return float(max(np.abs(rotations).max(), np.abs(translations).max()))

    def move(self, change: Array) -> None:
        """Move the bodies by rotations [rad] and scaled translations of their reference points, shape (size,)."""
        for body, (rotation, translation) in enumerate(change.reshape(-1, 2, 3), start=1):
            transform = self.transforms[body]
            center = transform[:3, :3] @ self.centers[body] + transform[:3, 3]
            u, _, vh = np.linalg.svd(require_finite(exponential(rotation) @ transform[:3, :3]))
            transform[:3, :3] = u @ vh
            transform[:3, 3] = center + translation * self.length - transform[:3, :3] @ self.centers[body]

    def twist_jacobian(self, body: int, frame: Array) -> Array:
        """Return the Jacobian of a body's twist at a frame, in its axes, by :meth:`move`'s changes, shape (6, size).

        Rotation comes first, then the scaled translation of the frame's origin.
        """
        J = np.zeros((6, self.size))
        if body == GROUND:
            return J
        transform = self.transforms[body]
        arm = frame[:3, 3] - (transform[:3, :3] @ self.centers[body] + transform[:3, 3])
        columns = slice(6 * (body - 1), 6 * body)
        axes = frame[:3, :3].T
        J[:3, columns][:, :3] = axes
        J[3:, columns][:, :3] = -axes @ skew(arm) / self.length
        J[3:, columns][:, 3:] = axes
        return J

    def point_jacobian(self, body: int, point: Array) -> Array:
        """Return the Jacobian of the scaled position of a body's point, in the world, shape (3, size)."""
        frame = np.eye(4)
        frame[:3, 3] = point
        return self.twist_jacobian(body, frame)[3:]


def inverse(transform: Array) -> Array:
    """Return the inverse of a rigid transform, shape (4, 4)."""
    result = np.eye(4)
    result[:3, :3] = transform[:3, :3].T
    result[:3, 3] = -transform[:3, :3].T @ transform[:3, 3]
    return result


def rotation_vector(transform: Array) -> Array:
    """Return the rotation vector [rad] of a rigid transform, shape (3,)."""
    return np.array(rotation_vector_from_quaternion(quaternion_from_matrix(matrix_from(transform[:3, :3]))))


def require_finite(matrix: Array) -> Array:
    """Return a matrix, all entries of which are finite: LAPACK accepts no others.

    Raises:
        numpy.linalg.LinAlgError: An entry is not finite.
    """
    if not np.isfinite(matrix).all():
        raise np.linalg.LinAlgError("a matrix has entries that are not finite")
    return matrix
