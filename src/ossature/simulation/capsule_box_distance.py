"""Distance of a capsule and a box, in closed form.

If the axis of a capsule passes through a box and both ends are outside, the engine may find no contact and a positive distance.
"""

from __future__ import annotations

from typing import TypeAlias

import mujoco
import numpy as np

from ossature.array_types import IndexArray, Vector
from ossature.simulation.compile.engine_enumerations import BOX, CAPSULE

_PARALLEL = 1e-9
"""Sine of the angle below which the axis of a capsule is parallel to a face or an edge of the box."""
_ROUNDING = 1e-14
"""Error of a distance by rounding, relative to the largest coordinate."""
DistanceWithPoints: TypeAlias = "tuple[float, Vector, Vector]"
"""A distance, negative if the shapes intersect [m], and the closest or deepest points of the first and the second shape."""


def is_capsule_and_box(model: mujoco.MjModel, first: int, second: int) -> bool:
    """Whether one of two shapes is a capsule and the other one a box."""
    return {int(model.geom_type[first]), int(model.geom_type[second])} == {CAPSULE, BOX}


def select_capsules_and_boxes(model: mujoco.MjModel, pairs: IndexArray) -> IndexArray:
    """Return the pairs of a capsule and a box among pairs of shapes, the capsules first as in the engine's contacts: (n, 2)."""
    kinds = model.geom_type[pairs]
    order = np.argsort(kinds, axis=1)  # the type of a capsule is the smaller number
    is_selected = (np.sort(kinds, axis=1) == (CAPSULE, BOX)).all(axis=1)
    return np.asarray(np.take_along_axis(pairs, order, axis=1)[is_selected])


def select_near_boxes(model: mujoco.MjModel, data: mujoco.MjData, pairs: IndexArray) -> IndexArray:
    """Return the pairs of a capsule and a box whose bounding boxes, with the axes of the box, overlap."""
    capsules, boxes = pairs.T
    rotations = data.geom_xmat[boxes].reshape(-1, 3, 3)
    axes = data.geom_xmat[capsules].reshape(-1, 3, 3)[:, :, 2]
    vectors = np.stack([data.geom_xpos[capsules] - data.geom_xpos[boxes], axes], axis=1)
    centers, axes = np.abs(vectors @ rotations).transpose(1, 0, 2)
    radii, half_lengths = model.geom_size[capsules, :2].T
    limits = model.geom_size[boxes] + half_lengths[:, None] * axes + radii[:, None]
    return np.asarray(pairs[(centers < limits).all(axis=1)])


def passes_through(model: mujoco.MjModel, data: mujoco.MjData, capsule: int, box: int) -> bool:
    """Whether the axis of a capsule of the engine passes through a box, and both ends are outside."""
    half_sizes = model.geom_size[box]
    ends = _axis_in_box(model, data, capsule, box)
    are_outside = all((np.abs(end) > half_sizes).any() for end in ends)
    return are_outside and shape_distance(model, data, capsule, box)[0] < -float(model.geom_size[capsule, 0])


def _axis_in_box(model: mujoco.MjModel, data: mujoco.MjData, capsule: int, box: int) -> tuple[Vector, Vector]:
    """Return both ends of the axis of a capsule in the frame of a box."""
    rotation = data.geom_xmat[box].reshape(3, 3)
    center = (data.geom_xpos[capsule] - data.geom_xpos[box]) @ rotation
    half = float(model.geom_size[capsule, 1]) * data.geom_xmat[capsule].reshape(3, 3)[:, 2] @ rotation
    return center - half, center + half


def shape_distance(model: mujoco.MjModel, data: mujoco.MjData, first: int, second: int) -> DistanceWithPoints:
    """Return the distance of two shapes of the engine, a capsule and a box, and their points in the world [m]."""
    capsule, box = (first, second) if model.geom_type[first] == CAPSULE else (second, first)
    ends, radius = _axis_in_box(model, data, capsule, box), float(model.geom_size[capsule, 0])
    distance, *points = capsule_box_distance(radius, *ends, model.geom_size[box])
    rotation = data.geom_xmat[box].reshape(3, 3)
    on_capsule, on_box = (data.geom_xpos[box] + rotation @ point for point in points)
    return (distance, on_capsule, on_box) if capsule == first else (distance, on_box, on_capsule)


def capsule_box_distance(radius: float, start: Vector, end: Vector, half_sizes: Vector) -> DistanceWithPoints:
    """Return the distance of a capsule and a box, and their closest or deepest points.

    Args:
        radius: The radius of the capsule [m].
        start: One end of its axis in the frame of the box, whose origin is its centre [m].
        end: The other end [m].
        half_sizes: Half of the edge lengths of the box [m].
    """
    nearest = _nearest_point(start, end - start, half_sizes)
    on_box = np.clip(nearest, -half_sizes, half_sizes)
    apart = float(np.linalg.norm(nearest - on_box))
    if apart > _ROUNDING * float(np.abs([*start, *end, *half_sizes]).max()):
        return apart - radius, nearest - radius / apart * (nearest - on_box), on_box
    depth, normal, deepest = _separation(start, end, half_sizes, nearest)
    on_capsule = deepest - radius * normal
    return -(depth + radius), on_capsule, on_capsule + (depth + radius) * normal


def _nearest_point(start: Vector, along: Vector, half_sizes: Vector) -> Vector:
    """Return the point of a segment that is nearest to a box.

    The squared distance is convex and quadratic between the points at which the segment crosses the planes of the faces.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        crossings = np.concatenate([(half_sizes - start) / along, (-half_sizes - start) / along])
    shares = np.unique(np.concatenate([[0.0, 1.0], crossings[(crossings > 0.0) & (crossings < 1.0)]]))
    points = start + shares[:, None] * along
    slopes = (points - np.clip(points, -half_sizes, half_sizes)) @ along
    if slopes[0] >= 0.0:
        return start
    after = int(np.searchsorted(slopes, 0.0))
    if after == len(shares):
        return start + along
    fall, rise = -slopes[after - 1], slopes[after]
    share = (shares[after - 1] * rise + shares[after] * fall) / (rise + fall)
    return np.asarray(start + share * along)


def _separation(start: Vector, end: Vector, half_sizes: Vector, inside: Vector) -> tuple[float, Vector, Vector]:
    """Return the shortest translation that separates a segment from a box: its length and direction, and the deepest point.

    Its direction is that of a face, or perpendicular to the segment and an edge (separating axis theorem).

    Args:
        inside: A point of the segment in the box.
    """
    along, edges = end - start, np.eye(3)
    across = np.cross(along, edges)
    lengths = np.linalg.norm(across, axis=1)
    # A segment that is perpendicular to an edge has the normal of a face.
    is_skew = np.sort(np.abs(across), axis=1)[:, 1] > _PARALLEL * np.linalg.norm(along)
    normals = np.concatenate([edges, across[is_skew] / lengths[is_skew, None]])
    normals = np.concatenate([normals, -normals])
    depths = np.abs(normals) @ half_sizes - np.minimum(normals @ start, normals @ end)
    number = int(depths.argmin())
    depth, normal = float(depths[number]), normals[number]
    axis = number % (len(normals) // 2) - 3
    if axis < 0:
        slope = float(normal @ along)
        is_parallel = abs(slope) <= _PARALLEL * np.linalg.norm(along)
        return depth, normal, inside if is_parallel else start if slope > 0.0 else end
    edge = edges[np.flatnonzero(is_skew)[axis]]
    side = np.cross(normal, edge)
    share = ((np.sign(normal) * half_sizes - start) @ side) / (along @ side)
    return depth, normal, np.asarray(start + share * along)
