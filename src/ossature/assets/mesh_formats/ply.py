"""PLY, as text or binary: its vertices and faces; other elements are stepped over."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from ossature.array_types import AnyArray, Array, Int64Array
from ossature.assets.mesh_formats.mesh_assembly import MeshInstance, MeshPart, merge_instances, triangulate_fans
from ossature.diagnostics import Budget
from ossature.model import MeshData

_TYPES = {
    "char": "i1", "int8": "i1", "uchar": "u1", "uint8": "u1", "short": "i2", "int16": "i2", "ushort": "u2", "uint16": "u2",
    "int": "i4", "int32": "i4", "uint": "u4", "uint32": "u4", "float": "f4", "float32": "f4", "double": "f8", "float64": "f8",
}  # fmt: skip
_ORDERS = {"ascii": "", "binary_little_endian": "<", "binary_big_endian": ">"}


class _Property(NamedTuple):
    """A property of an element: one number, or a list that starts with its length."""

    name: str
    kind: str
    length_kind: str | None


class _Element(NamedTuple):
    """A kind of elements, and how many follow."""

    name: str
    number: int
    properties: list[_Property]


def read_ply(data: bytes, budget: Budget) -> MeshData:
    """Return the triangles of a file; polygons are divided about their first corner.

    Raises:
        LimitError: It is beyond the limits of the budget.
        ValueError: It cannot be read.
    """
    head, mark, body = data.partition(b"end_header")
    if not data.startswith(b"ply") or not mark:
        raise ValueError("it has no header from ply to end_header")
    order, elements = _parse_header(head.decode("ascii", "replace").splitlines())
    body = body[body.index(b"\n") + 1 :] if b"\n" in body else b""
    rows: _Binary | _Text = _Binary(body, order) if order else _Text(body)
    points, faces = np.zeros((0, 3)), np.zeros((0, 3), np.int64)
    for element in elements:
        if element.name == "vertex":
            points = _read_points(rows, element, budget)
        elif element.name == "face":
            faces = _read_faces(rows, element, budget)
        else:
            for _ in rows.iterate_elements(element):
                pass
    return merge_instances([MeshInstance(MeshPart(points, faces), np.eye(4))], budget)


def _parse_header(lines: Sequence[str]) -> tuple[str, list[_Element]]:
    order, elements = None, list[_Element]()
    for line in lines[1:]:
        match line.split():
            case ["format", name, *_]:
                order = _ORDERS.get(name)
            case ["element", name, count]:
                if not count.isdecimal():
                    raise ValueError(f"it states '{count[:40]}' elements")
                elements.append(_Element(name, int(count[:19]), []))
            case ["property", "list", length_kind, kind, name] if elements:
                elements[-1].properties.append(_Property(name, _parse_data_type(kind), _parse_data_type(length_kind)))
            case ["property", kind, name] if elements:
                elements[-1].properties.append(_Property(name, _parse_data_type(kind), None))
    if order is None:
        raise ValueError("its header states no format that is read")
    if any(element.number and not element.properties for element in elements):
        raise ValueError("its header states elements without properties")
    return order, elements


def _parse_data_type(name: str) -> str:
    if name not in _TYPES:
        raise ValueError(f"its header states an unknown type '{name[:40]}'")
    return _TYPES[name]


def _read_points(rows: _Binary | _Text, element: _Element, budget: Budget) -> Array:
    names = [each.name for each in element.properties]
    if not {"x", "y", "z"} <= set(names):
        raise ValueError("its vertices have no x, y and z")
    budget.require_array(element.number * len(element.properties))
    chosen = [names.index(axis) for axis in "xyz"]
    if all(each.length_kind is None for each in element.properties):
        return rows.read_table(element)[:, chosen]
    return np.array([[float(row[index][0]) for index in chosen] for row in rows.iterate_elements(element)]).reshape(-1, 3)


def _read_faces(rows: _Binary | _Text, element: _Element, budget: Budget) -> Int64Array:
    names = [each.name for each in element.properties]
    index = next((names.index(name) for name in ("vertex_indices", "vertex_index") if name in names), None)
    if index is None:
        raise ValueError("its faces have no vertex_indices")
    budget.require_array(3 * element.number)
    alike = rows.lists_of_one_length(element, index)
    if alike is not None:
        return triangulate_fans(alike.ravel(), np.full(len(alike), alike.shape[1]))
    corners, counts = list[Any](), list[int]()
    for row in rows.iterate_elements(element):
        corners.extend(row[index])
        counts.append(len(row[index]))
        budget.require_array(len(corners))
    return triangulate_fans(np.array(corners, np.int64), np.array(counts, np.int64))


class _Binary:
    def __init__(self, data: bytes, order: str) -> None:
        self._data, self._order, self._offset = data, order, 0

    def read_table(self, element: _Element) -> Array:
        fields = [(str(index), self._order + each.kind) for index, each in enumerate(element.properties)]
        rows = self._read_rows(np.dtype(fields), element.number)
        return np.stack([rows[name].astype(np.float64) for name, _ in fields], axis=1)

    def lists_of_one_length(self, element: _Element, index: int) -> Int64Array | None:
        """Return the lists of a property if the elements have no other list and all are as long as the first one."""
        if not element.number or [each.length_kind is not None for each in element.properties].count(True) != 1:
            return None
        begin = self._offset
        length = len(next(self.iterate_elements(element._replace(number=1)))[index])
        self._offset = begin
        fields: list[tuple[Any, ...]] = []
        for number, each in enumerate(element.properties):
            if each.length_kind is not None:
                fields += [("length", self._order + each.length_kind), (str(number), self._order + each.kind, (length,))]
            else:
                fields.append((str(number), self._order + each.kind))
        kind = np.dtype(fields)
        if length == 0 or kind.itemsize * element.number > len(self._data) - begin:
            return None
        rows = np.frombuffer(self._data, kind, element.number, begin)
        if (rows["length"] != length).any():
            return None
        self._offset = begin + kind.itemsize * element.number
        return np.asarray(rows[str(index)].astype(np.int64))

    def iterate_elements(self, element: _Element) -> Iterator[list[Any]]:
        """Yield elements, each as a list of the numbers of its properties."""
        for _ in range(element.number):
            row = []
            for each in element.properties:
                count = 1
                if each.length_kind is not None:
                    count = int(self._read_rows(np.dtype(self._order + each.length_kind), 1)[0])
                row.append(self._read_rows(np.dtype(self._order + each.kind), count).tolist())
            yield row

    def _read_rows(self, kind: np.dtype[Any], count: int) -> AnyArray:
        size = kind.itemsize * count
        if count < 0 or size > len(self._data) - self._offset:
            raise ValueError(f"it ends within {count} elements")
        rows = np.frombuffer(self._data, kind, count, self._offset)
        self._offset += size
        return rows


class _Text:
    def __init__(self, data: bytes) -> None:
        self._words, self._offset = data.split(), 0

    def read_table(self, element: _Element) -> Array:
        width = len(element.properties)
        return np.array(self._next_numbers(element.number * width), np.float64).reshape(-1, width)

    def lists_of_one_length(self, element: _Element, index: int) -> None:
        """Do nothing: values are read one by one."""

    def iterate_elements(self, element: _Element) -> Iterator[list[Any]]:
        """Yield elements, each as a list of the numbers of its properties."""
        for _ in range(element.number):
            row = []
            for each in element.properties:
                count = 1 if each.length_kind is None else int(self._next_numbers(1)[0])
                row.append(
                    self._next_numbers(count) if each.kind[0] == "f" else [int(word) for word in self._next_words(count)]
                )
            yield row

    def _next_numbers(self, count: int) -> list[float]:
        return [float(word) for word in self._next_words(count)]

    def _next_words(self, count: int) -> list[bytes]:
        if not 0 <= count <= len(self._words) - self._offset:
            raise ValueError(f"it ends within {count} elements")
        self._offset += count
        return self._words[self._offset - count : self._offset]
