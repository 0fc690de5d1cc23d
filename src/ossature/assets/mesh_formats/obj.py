"""Wavefront OBJ: vertices, faces, diffuse colours and textures of materials; normals, groups and curves are ignored."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import numpy as np

from ossature.array_types import Array, Int64Array
from ossature.assets.mesh_formats.mesh_assembly import (
    ColoredPart,
    MaterialColor,
    MeshInstance,
    MeshPart,
    merge_instances,
    triangulate_fans,
)
from ossature.assets.uri_resolver import AssetError
from ossature.diagnostics import Budget
from ossature.model import MeshData
from ossature.syntax.number_arrays import floats, integers

_STATEMENT = re.compile(rb"^[ \t]*(v|f)[ \t]([^\n#]*)", re.MULTILINE)
_MATERIAL_OR_FACE = re.compile(rb"^[ \t]*(usemtl|f)[ \t]([^\n#]*)", re.MULTILINE)
_FACE = re.compile(rb"^[ \t]*f[ \t]([^\n#]*)", re.MULTILINE)
_TEXTURE_VERTEX = re.compile(rb"^[ \t]*vt[ \t]([^\n#]*)", re.MULTILINE)
_BEYOND_SLASH = re.compile(rb"/[^ \t]*")


def read_obj(data: bytes, budget: Budget) -> MeshData:
    """Return the triangles of a file; polygons are divided about their first corner.

    Raises:
        LimitError: It is beyond the limits of the budget.
        ValueError: It cannot be read.
    """
    points, numbers, counts = _points_and_polygons(_STATEMENT.findall(_with_line_feeds(data)), budget)
    return merge_instances([MeshInstance(MeshPart(points, triangulate_fans(numbers, counts)), np.eye(4))], budget)


def read_obj_parts(data: bytes, read_sibling: Callable[[str], bytes], budget: Budget) -> list[ColoredPart]:
    """Return the triangles of a file as :func:`read_obj`, one part for each material.

    Materials of a file that cannot be found have no colour.

    Args:
        read_sibling: Returns the content of a file in the same folder.

    Raises:
        LimitError: It is beyond the limits of the budget.
        ValueError: It cannot be read.
    """
    text = _with_line_feeds(data)
    points, numbers, counts = _points_and_polygons(_STATEMENT.findall(text), budget)
    materials = _materials_of_polygons(_MATERIAL_OR_FACE.findall(text))
    known: dict[str, MaterialColor] = {}
    for library in re.findall(rb"(?m)^[ \t]*mtllib[ \t]+([^\n]+)", text):
        try:
            known |= _read_materials(_with_line_feeds(read_sibling(library.strip().decode("utf-8", "replace"))))
        except AssetError:
            continue  # its materials have no colour
    parts = []
    coordinates = _texture_coordinates(text, counts, budget)
    for name in dict.fromkeys(materials):
        is_of_part = np.array([material == name for material in materials])
        corners = np.repeat(is_of_part, counts)
        faces = triangulate_fans(numbers[corners], counts[is_of_part])
        triangles = merge_instances([MeshInstance(MeshPart(points, faces), np.eye(4))], budget)
        material = known.get(name or "", MaterialColor(name, None))
        of_corners = None
        if coordinates is not None and np.isfinite(coordinates[corners]).all():
            of_corners = coordinates[corners][triangulate_fans(np.arange(corners.sum()), counts[is_of_part])]
        parts.append(ColoredPart(material, triangles, of_corners))
    return parts


def _texture_coordinates(text: bytes, counts: Int64Array, budget: Budget) -> Array | None:
    """Return the texture coordinates of the corners of all faces, shape (n, 2): not numbers for those without; None if none."""
    rows = [row.split()[:2] for row in _TEXTURE_VERTEX.findall(text)]
    if not rows or any(len(row) != 2 for row in rows):
        return None
    points = floats(b" ".join(number for row in rows for number in row), budget).reshape(-1, 2)
    corners = [corner.split(b"/") for row in _FACE.findall(text) for corner in row.split()]
    stated = [part[1] if len(part) > 1 and part[1] else b"0" for part in corners]
    numbers = integers(b" ".join(stated), budget)
    if len(numbers) != counts.sum():
        return None
    found = np.full((len(numbers), 2), np.nan)
    exists = (numbers > 0) & (numbers <= len(points))
    found[exists] = points[numbers[exists] - 1]
    return found


def _materials_of_polygons(statements: Sequence[tuple[bytes, bytes]]) -> list[str | None]:
    materials: list[str | None] = []
    current = None
    for keyword, row in statements:
        if keyword == b"f":
            materials.append(current)
        else:
            current = row.strip().decode("utf-8", "replace")
    return materials


def _read_materials(text: bytes) -> dict[str, MaterialColor]:
    """Return the materials of a file of materials with their diffuse colours or textures, by name."""
    materials: dict[str, MaterialColor] = {}
    for block in re.split(rb"(?m)^[ \t]*newmtl[ \t]+", text)[1:]:
        name = block.partition(b"\n")[0].strip().decode("utf-8", "replace")
        texture = re.search(rb"(?m)^[ \t]*map_Kd[ \t]+([^\n]+)", block)
        if texture is not None:
            stated = texture[1].strip()
            file = stated.split()[-1] if stated.startswith(b"-") else stated  # options come before the name
            materials[name] = MaterialColor(name, None, file.replace(b"\\", b"/").decode("utf-8", "replace"))
            continue
        diffuse = re.search(rb"(?m)^[ \t]*Kd[ \t]+([^\n#]+)", block)
        opacity = re.search(rb"(?m)^[ \t]*d[ \t]+([^\n#]+)", block)
        if diffuse is None:
            continue
        values = [*floats(diffuse[1]).tolist()[:3], *(floats(opacity[1]).tolist()[:1] if opacity is not None else [1.0])]
        if len(values) == _RGBA:
            red, green, blue, alpha = (min(max(value, 0.0), 1.0) for value in values)
            materials[name] = MaterialColor(name, (red, green, blue, alpha))
    return materials


_RGBA = 4


def _with_line_feeds(data: bytes) -> bytes:
    return data.replace(b"\r\n", b"\n").replace(b"\r", b"\n").replace(b"\\\n", b" ")


def _points_and_polygons(statements: Sequence[tuple[bytes, bytes]], budget: Budget) -> tuple[Array, Int64Array, Int64Array]:
    """Return points, the indices of the corners of all faces, and how many corners each has."""
    points = _read_points([row for keyword, row in statements if keyword == b"v"], budget)
    rows = [_BEYOND_SLASH.sub(b"", row) for keyword, row in statements if keyword == b"f"]
    counts = np.array([len(row.split()) for row in rows], np.int64)
    numbers = integers(b" ".join(rows), budget)
    if len(numbers) and not numbers.all():
        raise ValueError("a face has a vertex 0; they are counted from 1")
    if (numbers < 0).any():
        numbers = _resolve_negative_indices(numbers, counts, [keyword for keyword, _ in statements])
    return points, numbers - 1, counts


def _read_points(rows: Sequence[bytes], budget: Budget) -> Array:
    # Behind the coordinates there may be a weight or a colour.
    coordinates = [row.split()[:3] for row in rows]
    if any(len(each) != 3 for each in coordinates):
        raise ValueError("a vertex has fewer than three coordinates")
    return floats(b" ".join(number for each in coordinates for number in each), budget).reshape(-1, 3)


def _resolve_negative_indices(numbers: Int64Array, counts: Int64Array, keywords: Sequence[bytes]) -> Int64Array:
    """Return non-negative indices for negative ones, which count backwards from the last vertex before the face."""
    is_vertex = np.array([keyword == b"v" for keyword in keywords])
    before = np.repeat(np.cumsum(is_vertex)[~is_vertex], counts)
    if (numbers < -before).any():
        raise ValueError("a face has a vertex before the first one")
    return np.where(numbers < 0, before + 1 + numbers, numbers)
