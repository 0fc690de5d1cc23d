"""Intersection of pairs of triangles by the separating axis theorem.

Two convex polygons in space are disjoint exactly if their projections onto one of these axes are: the normals, the cross
products of two edges, and, for parallel planes, the normals of the edges in the planes. An axis of which the projections are
disjoint proves that the triangles are, so rounding of the axis itself cannot hide an intersection.
"""

from __future__ import annotations

import numpy as np

from ossature.array_types import BoolArray, Vector

_FOLLOWING = [1, 2, 0]


def triangles_intersect(first: Vector, second: Vector, tolerance: float = 0.0) -> BoolArray:
    """Return which pairs of triangles have a point in common, or are not farther apart than a tolerance on any axis.

    A triangle without area has too few axes: it may be reported as intersecting although it is not.

    Args:
        first: Corners of the first triangle of each pair, shape (n, 3, 3) [m].
        second: Corners of the second ones [m].
        tolerance: Largest gap that counts as contact, for the rounding of coordinates [m].
    """
    # Coordinates relative to a corner of the pair are small, and round less.
    origins = first[:, :1]
    pairs = np.arange(len(first))
    corners = np.concatenate([first - origins, second - origins], axis=1)
    corners = np.ascontiguousarray(corners.transpose(2, 1, 0))  # coordinates, corners, pairs
    # Axes are products of up to three edges: their squares must be representable.
    scales = np.abs(corners).max(axis=(0, 1))
    scales[scales == 0.0] = 1.0
    corners, tolerances = corners / scales, tolerance / scales
    intersects = np.zeros(len(first), dtype=bool)
    for axes_of in (_normals, _edge_products, _edge_normals):
        is_near = ~_are_separated(axes_of(corners), corners, tolerances)
        pairs, corners, tolerances = pairs[is_near], corners[..., is_near], tolerances[is_near]
        if not len(pairs):
            return intersects
    intersects[pairs] = True
    return intersects


def _are_separated(axes: Vector, corners: Vector, tolerances: Vector) -> BoolArray:
    """Return which pairs are separated along one of their axes.

    Args:
        axes: The axes, of any length, shape (3, axes, pairs).
        corners: Three corners of the first triangles, and three of the second ones, shape (3, 6, pairs) [m].
        tolerances: Largest gaps that count as contact, shape (pairs,) [m].
    """
    heights = sum(axis[:, None] * coordinate for axis, coordinate in zip(axes, corners, strict=True))
    low, high = heights[:, :3], heights[:, 3:]
    gaps = np.maximum(high.min(axis=1) - low.max(axis=1), low.min(axis=1) - high.max(axis=1))
    is_disjoint: BoolArray = (gaps > tolerances * np.sqrt((axes**2).sum(axis=0))).any(axis=0)
    return is_disjoint


def _edges(corners: Vector) -> tuple[Vector, Vector]:
    """Return the edges of both triangles, each of shape (3, 3, pairs)."""
    first, second = corners[:, :3], corners[:, 3:]
    return first[:, _FOLLOWING] - first, second[:, _FOLLOWING] - second


def _normals(corners: Vector) -> Vector:
    return np.stack([_cross(edges[:, 0], edges[:, 1]) for edges in _edges(corners)], axis=1)


def _edge_products(corners: Vector) -> Vector:
    first, second = _edges(corners)
    return _cross(first[:, :, None], second[:, None]).reshape(3, 9, -1)


def _edge_normals(corners: Vector) -> Vector:
    normals = _normals(corners)
    return np.concatenate([_cross(normals[:, [number]], edges) for number, edges in enumerate(_edges(corners))], axis=1)


def _cross(a: Vector, b: Vector) -> Vector:
    return np.stack([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])
