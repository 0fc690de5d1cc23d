"""Vector products and rotations of rows of vectors."""

from __future__ import annotations

import numpy as np

from ossature.array_types import Vector


def cross(first: Vector, second: Vector) -> Vector:
    """Return the vector products of rows, shape (..., 3); for few rows several times as fast as numpy's."""
    product: Vector = first.take(_AFTER, axis=-1) * second.take(_BEFORE, axis=-1)
    product -= first.take(_BEFORE, axis=-1) * second.take(_AFTER, axis=-1)
    return product


_AFTER, _BEFORE = np.array((1, 2, 0)), np.array((2, 0, 1))


def rotated(matrices: Vector, vectors: Vector) -> Vector:
    """Return matrices, shape (n, 9), times vectors, shape (n, 3)."""
    return (matrices.reshape(-1, 3, 3) @ vectors[:, :, None])[:, :, 0]


def quaternion_products(first: Vector, second: Vector) -> Vector:
    """Return the products of quaternions (w, x, y, z), shape (n, 4)."""
    w, x = first[:, :1], first[:, 1:]
    v, y = second[:, :1], second[:, 1:]
    scalars = w * v - (x * y).sum(axis=1, keepdims=True)
    return np.concatenate((scalars, w * y + v * x + cross(x, y)), axis=1)
