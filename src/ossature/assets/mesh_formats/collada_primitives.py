"""Primitives of COLLADA, in documents of robots and in mesh files: points of an accessor, and triangles of a group of faces."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ossature.array_types import Int64Array, Points
from ossature.assets.mesh_formats.mesh_assembly import triangulate_fans, triangulate_strip
from ossature.diagnostics import Budget
from ossature.syntax.number_arrays import integers

PRIMITIVES = frozenset({"triangles", "polylist", "polygons", "trifans", "tristrips"})
"""Tags of groups of faces."""


def accessor_points(numbers: Points, names: Sequence[str | None], *, stride: int, count: int | None, offset: int) -> Points:
    """Return the points that an accessor selects, shape (count, 3).

    Args:
        names: Names of the components: one without a name is skipped; if none has one, they are x, y and z.
        stride: Offset between successive points, in numbers.
        count: Number of points; as many as the array has if None.
        offset: Index of the first number of the first point.

    Raises:
        ValueError: A point has not three components, or the array is too short.
    """
    columns = [index for index, name in enumerate(names) if name][:3] or [0, 1, 2]
    if len(columns) != 3:
        raise ValueError(f"its points have {len(columns)} components, not 3")
    # These are Python's integers, of any size; those of numpy would wrap around.
    is_sound = stride > columns[-1] and offset >= 0
    if is_sound and count is None:
        count = max(0, (len(numbers) - offset - columns[-1] - 1) // stride + 1)
    if count is None or count < 0 or not is_sound or (count and offset + stride * (count - 1) + columns[-1] >= len(numbers)):
        raise ValueError(f"its {len(numbers)} numbers are too few for {count} points of stride {stride} at {offset}")
    if (stride, offset, columns) == (3, 0, [0, 1, 2]):
        return numbers[: 3 * count].reshape(-1, 3)
    starts = offset + stride * np.arange(count)
    points: Points = numbers[starts[:, None] + np.array(columns)]
    return points


def primitive_triangles(
    tag: str, outlines: Sequence[bytes], counts: bytes, *, offset: int, offsets: Sequence[int], budget: Budget
) -> Int64Array:
    """Return the triangles of a group of faces, as indices of points, shape (n, 3).

    Args:
        tag: One of :data:`PRIMITIVES`.
        outlines: Indices as text: of all faces, or of each polygon, fan or strip.
        counts: Number of corners of each polygon as text, of a ``polylist``.
        offset: Offset of the index of the position within the indices of a corner.
        budget: Limits the size of arrays.

    Raises:
        LimitError: An array is larger than the limit.
        ValueError: The indices do not form corners, or the corners do not form faces.
    """
    width = 1 + max(offsets, default=0)
    if min(offsets, default=0) < 0:
        raise ValueError(f"an input has the offset {min(offsets)}")
    groups = [_positions(outline, offset, width, budget) for outline in outlines]
    if tag == "tristrips":
        return np.concatenate([_NO_INDICES.reshape(0, 3), *map(triangulate_strip, groups)])
    corners = np.concatenate([_NO_INDICES, *groups])
    if tag == "triangles":
        if len(corners) % 3:
            raise ValueError(f"{len(corners)} corners are not a multiple of 3")
        return corners.reshape(-1, 3)
    return triangulate_fans(
        corners, integers(counts, budget) if tag == "polylist" else np.array([len(each) for each in groups], np.int64)
    )


def _positions(text: bytes, offset: int, width: int, budget: Budget) -> Int64Array:
    indices = integers(text, budget)
    if len(indices) % width:
        raise ValueError(f"{len(indices)} indices are not a multiple of {width} per corner")
    return indices[offset::width]


_NO_INDICES = np.empty(0, np.int64)
