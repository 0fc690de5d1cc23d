"""OFF, the object file format of Geomview, as text."""

from __future__ import annotations

import re

import numpy as np

from ossature.assets.mesh_formats.mesh_assembly import MeshInstance, MeshPart, merge_instances, triangulate_fans
from ossature.diagnostics import Budget
from ossature.model import MeshData
from ossature.syntax.number_arrays import floats, integers

_COMMENT = re.compile(rb"#[^\n]*")
_MAGIC = re.compile(rb"\s*C?OFF\b")


def read_off(data: bytes, budget: Budget) -> MeshData:
    """Return the triangles of a file; polygons are divided about their first corner.

    Raises:
        LimitError: It is beyond the limits of the budget.
        ValueError: It cannot be read.
    """
    text = _COMMENT.sub(b"", data.replace(b"\r", b"\n"))
    magic = _MAGIC.match(text)
    if magic is None:
        raise ValueError("it does not start with OFF")
    rows = [row for row in (line.split() for line in text[magic.end() :].split(b"\n")) if row]
    if not rows or len(rows[0]) < 2:
        raise ValueError("it does not state how many vertices and faces it has")
    points, faces = integers(b" ".join(rows[0][:2])).tolist()
    if points < 0 or faces < 0 or points + faces > len(rows) - 1:
        raise ValueError(f"{points} vertices and {faces} faces are more than its {len(rows) - 1} lines")
    # Behind coordinates and corners there may be colours.
    coordinates = [row[:3] for row in rows[1 : 1 + points]]
    if any(len(row) != 3 for row in coordinates):
        raise ValueError("a vertex has fewer than three coordinates")
    polygons = rows[1 + points : 1 + points + faces]
    counts = integers(b" ".join(row[0] for row in polygons))
    if any(not 0 <= count < len(row) for row, count in zip(polygons, counts.tolist(), strict=True)):
        raise ValueError("a face has fewer corners than it states")
    corners = integers(b" ".join(b" ".join(row[1 : 1 + n]) for row, n in zip(polygons, counts.tolist(), strict=True)), budget)
    vertices = floats(b" ".join(number for row in coordinates for number in row), budget).reshape(-1, 3)
    return merge_instances([MeshInstance(MeshPart(vertices, triangulate_fans(corners, counts)), np.eye(4))], budget)
