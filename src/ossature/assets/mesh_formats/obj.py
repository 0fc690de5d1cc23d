"""Wavefront OBJ: vertices and faces; normals, textures, materials, groups and curves are ignored."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ossature.assets.mesh_formats.mesh_assembly import MeshInstance, MeshPart, merge_instances, triangulate_fans
from ossature.diagnostics import Budget
from ossature.model import MeshData
from ossature.syntax.number_arrays import floats, integers

if TYPE_CHECKING:
    from numpy.typing import NDArray

_STATEMENT = re.compile(rb"^[ \t]*(v|f)[ \t]([^\n#]*)", re.MULTILINE)
_BEYOND_SLASH = re.compile(rb"/[^ \t]*")


def read_obj(data: bytes, budget: Budget) -> MeshData:
    """Return the triangles of a file; polygons are divided about their first corner.

    Raises:
        LimitError: It is beyond the limits of the budget.
        ValueError: It cannot be read.
    """
    text = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n").replace(b"\\\n", b" ")
    statements = _STATEMENT.findall(text)
    points = _read_points([row for keyword, row in statements if keyword == b"v"], budget)
    rows = [_BEYOND_SLASH.sub(b"", row) for keyword, row in statements if keyword == b"f"]
    counts = np.array([len(row.split()) for row in rows], np.int64)
    numbers = integers(b" ".join(rows), budget)
    if len(numbers) and not numbers.all():
        raise ValueError("a face has a vertex 0; they are counted from 1")
    if (numbers < 0).any():
        numbers = _resolve_negative_indices(numbers, counts, [keyword for keyword, _ in statements])
    return merge_instances([MeshInstance(MeshPart(points, triangulate_fans(numbers - 1, counts)), np.eye(4))], budget)


def _read_points(rows: Sequence[bytes], budget: Budget) -> NDArray[np.float64]:
    # Behind the coordinates there may be a weight or a colour.
    coordinates = [row.split()[:3] for row in rows]
    if any(len(each) != 3 for each in coordinates):
        raise ValueError("a vertex has fewer than three coordinates")
    return floats(b" ".join(number for each in coordinates for number in each), budget).reshape(-1, 3)


def _resolve_negative_indices(
    numbers: NDArray[np.int64], counts: NDArray[np.int64], keywords: Sequence[bytes]
) -> NDArray[np.int64]:
    """Return non-negative indices for negative ones, which count backwards from the last vertex before the face."""
    is_vertex = np.array([keyword == b"v" for keyword in keywords])
    before = np.repeat(np.cumsum(is_vertex)[~is_vertex], counts)
    if (numbers < -before).any():
        raise ValueError("a face has a vertex before the first one")
    return np.where(numbers < 0, before + 1 + numbers, numbers)
