"""Putting triangles together: polygons, strips, and instances of parts at several places."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ossature.model import Triangles

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Points = NDArray[np.float64]
    Indices = NDArray[np.int64]

MOST_TRIANGLES = 3_000_000
"""No mesh of several parts has more, with all their instances: a few lines can repeat a part any number of times."""
MOST_INSTANCES = 100_000
"""Parts of a file are not placed more often."""


class Part(NamedTuple):
    """Some triangles of a mesh.

    Attributes:
        points: Points, shape (n, 3); several parts may share them.
        faces: Indices into the points, shape (m, 3).
    """

    points: Points
    faces: Indices


class PlacedPart(NamedTuple):
    """A part at one of its places.

    Attributes:
        part: The part.
        matrix: Homogeneous 4×4 matrix from its coordinates to those of the mesh.
    """

    part: Part
    matrix: Points


def fans(corners: Indices, counts: Indices) -> Indices:
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
    faces: Indices = corners[np.stack([first, first + within + 1, first + within + 2], axis=1)]
    return faces


def strip(corners: Indices) -> Indices:
    """Return the triangles of a strip, shape (m, 3): every second one runs the other way round."""
    count = max(len(corners) - 2, 0)
    faces = np.stack([corners[:count], corners[1 : count + 1], corners[2 : count + 2]], axis=1)
    faces[1::2] = faces[1::2, ::-1]
    # A corner that is repeated only leads to the next part of a strip.
    is_proper = (faces[:, 0] != faces[:, 1]) & (faces[:, 1] != faces[:, 2]) & (faces[:, 2] != faces[:, 0])
    proper: Indices = faces[is_proper]
    return proper


def joined(placed: Sequence[PlacedPart]) -> Triangles:
    """Return all parts, each where it is placed, as one mesh; a matrix that mirrors turns its triangles round.

    Raises:
        ValueError: There are too many triangles, or triangles of points that are not there.
    """
    if len(placed) > 1 and sum(len(each.part.faces) for each in placed) > MOST_TRIANGLES:
        raise ValueError(f"has more than {MOST_TRIANGLES} triangles with all its instances")
    points, faces, count = [np.zeros((0, 3))], [np.zeros((0, 3), np.int64)], 0
    for (part_points, part_faces), matrix in placed:
        used, numbers = _used(part_points, part_faces)
        # Points that stay where they are keep their bits, the sign of zero too.
        points.append(used if (matrix == np.eye(4)).all() else used @ matrix[:3, :3].T + matrix[:3, 3])
        faces.append(count + (numbers[:, ::-1] if np.linalg.det(matrix[:3, :3]) < 0.0 else numbers))
        count += len(used)
    return Triangles(vertices=np.concatenate(points), faces=np.ascontiguousarray(np.concatenate(faces)))


def _used(points: Points, faces: Indices) -> tuple[Points, Indices]:
    """Return the points that faces use, in order, and the faces in terms of these; the time is that of the faces."""
    if len(faces) and not (faces.min() >= 0 and faces.max() < len(points)):
        raise ValueError(f"has triangles of other points than its {len(points)}")
    numbers, inverse = np.unique(faces, return_inverse=True)
    return points[numbers], inverse.reshape(-1, 3)
