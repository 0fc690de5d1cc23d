"""STL, binary or text."""

from __future__ import annotations

import re

import numpy as np

from ossature.diagnostics import Budget
from ossature.model import MeshData
from ossature.syntax.number_arrays import floats

_HEADER = 84
_TRIANGLE = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attributes", "<u2")])
_VERTEX = re.compile(rb"^[ \t]*vertex[ \t]+([^\n]*)", re.MULTILINE | re.IGNORECASE)


def read_stl(data: bytes, budget: Budget) -> MeshData:
    """Return the triangles of a file, each with corners of its own.

    Raises:
        LimitError: It is beyond the limits of the budget.
        ValueError: It cannot be read.
    """
    corners = _read_binary(data, budget) if is_binary(data) else _read_text(data, budget)
    if len(corners) % 3:
        raise ValueError(f"{len(corners)} vertices are not three for each triangle")
    return MeshData(vertices=corners, faces=np.arange(len(corners)).reshape(-1, 3))


def is_binary(data: bytes) -> bool:
    """Whether a file has as many bytes as its binary header states."""
    count = int.from_bytes(data[_HEADER - 4 : _HEADER], "little")
    return len(data) == _HEADER + _TRIANGLE.itemsize * count


def _read_binary(data: bytes, budget: Budget) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    budget.require_array(9 * ((len(data) - _HEADER) // _TRIANGLE.itemsize))
    return np.frombuffer(data, _TRIANGLE, offset=_HEADER)["corners"].reshape(-1, 3).astype(np.float64)


def _read_text(data: bytes, budget: Budget) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    rows = [row.split() for row in _VERTEX.findall(data.replace(b"\r", b"\n"))]
    if any(len(row) != 3 for row in rows):
        raise ValueError("a vertex has not three coordinates")
    return floats(b" ".join(number for row in rows for number in row), budget).reshape(-1, 3)
