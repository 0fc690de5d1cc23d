"""Assembly of triangle meshes: polygons, strips, and instances."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ossature.array_types import Int64Array, Points
from ossature.diagnostics import Budget
from ossature.diagnostics.resource_limits import TOO_MANY_EXPANSIONS, LimitError, raising_hint
from ossature.model import MeshData, Rgba

TRIANGLES_PER_EXPANSION = 60
"""So many triangles for each expansion may a file state repeatedly, by instances of parts or by sharing numbers."""


class MeshPart(NamedTuple):
    """Some triangles of a mesh.

    Attributes:
        points: Points, shape (n, 3); several parts may share them.
        faces: Indices into the points, shape (m, 3).
    """

    points: Points
    faces: Int64Array


class MeshInstance(NamedTuple):
    """An instance of a part.

    Attributes:
        matrix: Homogeneous 4×4 matrix from its coordinates to those of the mesh.
    """

    part: MeshPart
    matrix: Points


class MaterialColor(NamedTuple):
    """The material of some triangles.

    Attributes:
        rgba: Its diffuse colour, or None if it has none: a texture, or a material that does not exist.
        texture: The image of its diffuse texture: the name of a file relative to that of the mesh, or its content; None if it
            has none.
    """

    name: str | None
    rgba: Rgba | None
    texture: str | bytes | None = None


class ColoredPart(NamedTuple):
    """The triangles of a mesh that have one material.

    Attributes:
        texture_coordinates: For the corners of each triangle, fractions of the width of the texture from the left, and of its
            height from the bottom, shape (m, 3, 2); None if the file states none.
    """

    material: MaterialColor
    triangles: MeshData
    texture_coordinates: Points | None = None


def triangulate_fans(corners: Int64Array, counts: Int64Array) -> Int64Array:
    """Return the triangles of polygons, each divided into those about its first corner, shape (m, 3).

    Args:
        corners: The corners of all polygons, one polygon after the other.
        counts: How many corners each has; polygons of fewer than three are left out.

    Raises:
        ValueError: The counts are not those of the corners.
    """
    # Each count is compared before they are added up: sums of numpy's integers wrap around.
    if len(counts) and not (counts.min() >= 0 and counts.max() <= len(corners)):
        raise ValueError(f"a polygon of {counts.max() if counts.min() >= 0 else counts.min()} corners")
    if sum(counts.tolist()) != len(corners):
        raise ValueError(f"polygons of {sum(counts.tolist())} corners have {len(corners)}")
    triangles = np.maximum(counts - 2, 0)
    first = np.repeat(np.cumsum(counts) - counts, triangles)
    within = np.arange(triangles.sum()) - np.repeat(np.cumsum(triangles) - triangles, triangles)
    faces: Int64Array = corners[np.stack([first, first + within + 1, first + within + 2], axis=1)]
    return faces


def triangulate_strip(corners: Int64Array) -> Int64Array:
    """Return the triangles of a strip, shape (m, 3): every second one has the opposite orientation."""
    count = max(len(corners) - 2, 0)
    faces = np.stack([corners[:count], corners[1 : count + 1], corners[2 : count + 2]], axis=1)
    faces[1::2] = faces[1::2, ::-1]
    # A corner that is repeated only leads to the next part of a strip.
    is_proper = (faces[:, 0] != faces[:, 1]) & (faces[:, 1] != faces[:, 2]) & (faces[:, 2] != faces[:, 0])
    proper: Int64Array = faces[is_proper]
    return proper


def require_repeated_triangles(count: int, budget: Budget) -> None:
    """Refuse triangles that are stated repeatedly, by instances of parts or by sharing numbers.

    Args:
        count: How many, those stated once left out.
        budget: Limits them.

    Raises:
        LimitError: There are too many.
    """
    most = TRIANGLES_PER_EXPANSION * budget.limits.expansions
    if count > most:
        message = f"instances and shared arrays expand to {count} more triangles, above the limit of {most}"
        raise LimitError(TOO_MANY_EXPANSIONS, message, None, raising_hint("expansions", -(-count // TRIANGLES_PER_EXPANSION)))


def merge_instances(placed: Sequence[MeshInstance], budget: Budget) -> MeshData:
    """Return all instances as one mesh; a mirroring matrix reverses the orientation of triangles.

    Args:
        budget: Limits the size of the arrays, and the triangles of repeated instances.

    Raises:
        LimitError: There are too many triangles.
        ValueError: There are triangles of points that are not there.
    """
    once = {id(each.part.faces): len(each.part.faces) for each in placed}
    count_of_faces = sum(len(each.part.faces) for each in placed)
    require_repeated_triangles(count_of_faces - sum(once.values()), budget)
    budget.require_array(3 * count_of_faces)
    points, faces, count = [np.zeros((0, 3))], [np.zeros((0, 3), np.int64)], 0
    for (part_points, part_faces), matrix in placed:
        budget.check_time()
        part = without_unused_points(MeshData(vertices=part_points, faces=part_faces))
        used, numbers = part.vertices, part.faces
        # Untransformed points stay bit-exact, including the sign of zero.
        points.append(used if (matrix == np.eye(4)).all() else used @ matrix[:3, :3].T + matrix[:3, 3])
        faces.append(count + (numbers[:, ::-1] if np.linalg.det(matrix[:3, :3]) < 0.0 else numbers))
        count += len(used)
        budget.require_array(3 * count)
    return MeshData(vertices=np.concatenate(points), faces=np.ascontiguousarray(np.concatenate(faces)))


def without_unused_points(mesh: MeshData) -> MeshData:
    """Return a mesh without the points that none of its triangles has, in time proportional to the triangles.

    Raises:
        ValueError: A vertex index is outside the points.
    """
    if len(mesh.faces) and not (mesh.faces.min() >= 0 and mesh.faces.max() < len(mesh.vertices)):
        raise ValueError(f"has vertex indices outside its {len(mesh.vertices)} points")
    # A group with few faces of a mesh with many points: sorting the faces is faster than a pass over all points.
    if mesh.faces.size * _POINTS_PER_FACE_INDEX < len(mesh.vertices):
        used_points, faces = np.unique(mesh.faces, return_inverse=True)
        return MeshData(vertices=mesh.vertices[used_points], faces=faces.reshape(-1, 3))
    used = np.zeros(len(mesh.vertices), bool)
    used[mesh.faces] = True
    if used.all():
        return mesh
    numbers = np.cumsum(used) - 1
    return MeshData(vertices=mesh.vertices[used], faces=numbers[mesh.faces])


_POINTS_PER_FACE_INDEX = 8
