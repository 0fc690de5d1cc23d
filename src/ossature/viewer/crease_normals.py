"""Meshes for smooth shading with creases at sharp edges."""

from __future__ import annotations

import math

import numpy as np

from ossature.array_types import Array, Int64Array
from ossature.model import MeshData
from ossature.model.mesh_convexity import connected_components

_CREASE_COSINE = math.cos(math.radians(40.0))
_MOST_FACES = 300_000
"""Larger meshes are not processed: it would take too long."""


def with_creases(triangles: MeshData) -> MeshData:
    """Return a mesh whose triangles share vertices across smooth edges only, so that vertex normals can be averaged.

    Coincident vertices are merged first: many files have three for each triangle. Degenerate triangles keep vertices of
    their own.
    """
    faces = triangles.faces
    if not 0 < len(faces) <= _MOST_FACES:
        return triangles
    vertex = _number_coincident(triangles.vertices)[faces]
    group = _group_smooth_corners(vertex, _triangle_normals(triangles))
    first = np.empty(int(group.max()) + 1, dtype=np.int64)
    first[group.ravel()] = faces.ravel()
    return MeshData(vertices=triangles.vertices[first], faces=group)


def vertex_normals(mesh: MeshData) -> Array:
    """Return the unit normal of each vertex: the area-weighted mean of its triangles; zero if they are degenerate."""
    vertices, faces = mesh.vertices, mesh.faces
    corners = vertices[faces]
    with np.errstate(over="ignore", invalid="ignore"):  # what overflows has no direction
        flat = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        total = np.zeros_like(vertices)
        for corner in range(3):
            for axis in range(3):
                total[:, axis] += np.bincount(faces[:, corner], flat[:, axis], len(vertices))
        length = np.linalg.norm(total, axis=1, keepdims=True)
        return np.asarray(np.divide(total, length, out=np.zeros_like(total), where=length > 0.0))


def _number_coincident(vertices: Array) -> Int64Array:
    """Return a number for each vertex, which coincident vertices share."""
    offsets = vertices - vertices.min(axis=0)
    extent = float(offsets.max()) or 1.0
    grid = np.round(offsets / extent * 2.0**20).astype(np.int64)
    keys = (grid[:, 0] << 42) | (grid[:, 1] << 21) | grid[:, 2]
    return np.unique(keys, return_inverse=True)[1].astype(np.int64)


def _triangle_normals(triangles: MeshData) -> Array:
    corners = triangles.vertices[triangles.faces]
    with np.errstate(over="ignore", invalid="ignore"):  # what overflows is in no smooth edge
        normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        length = np.linalg.norm(normals, axis=1, keepdims=True)
        return np.asarray(np.divide(normals, length, out=np.zeros_like(normals), where=length > 0.0))


def _group_smooth_corners(vertex: Int64Array, normals: Array) -> Int64Array:
    """Return a number for each corner of each triangle, which corners across smooth edges share."""
    number = np.arange(vertex.size).reshape(-1, 3)
    start, end = vertex, np.roll(vertex, -1, axis=1)
    low, high = np.minimum(start, end).ravel(), np.maximum(start, end).ravel()
    order = np.lexsort((high, low))
    same = (low[order][1:] == low[order][:-1]) & (high[order][1:] == high[order][:-1])
    one, other = order[:-1][same], order[1:][same]
    smooth = np.einsum("ij,ij->i", normals[one // 3], normals[other // 3]) > _CREASE_COSINE
    one, other = one[smooth], other[smooth]
    following = np.roll(number, -1, axis=1).ravel()
    ends_one, ends_other = [one, following[one]], [other, following[other]]
    # Neighbouring triangles traverse their edge in opposite directions, unless one of them is inside out.
    opposite = start.ravel()[one] == end.ravel()[other]
    columns = [np.where(opposite, ends_other[1], other), np.where(opposite, other, ends_other[1])]
    groups = connected_components(np.concatenate(ends_one), np.concatenate(columns), vertex.size)
    return np.unique(groups, return_inverse=True)[1].reshape(-1, 3)
