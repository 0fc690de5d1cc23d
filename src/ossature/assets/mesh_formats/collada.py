"""COLLADA as a mesh file: the triangles of its visual scene. Robots in COLLADA are read by ``ossature.formats.collada``."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from ossature.assets.mesh_formats.collada_primitives import PRIMITIVES, accessor_points, primitive_triangles
from ossature.assets.mesh_formats.mesh_assembly import MeshInstance, MeshPart, merge_instances
from ossature.diagnostics import Budget, LimitError, Report, Source, resource_limits
from ossature.model import MeshData
from ossature.spatial import quaternion_from_axis_angle, rotation_matrix
from ossature.syntax.number_arrays import floats
from ossature.syntax.xml import XmlNode, parse

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Matrix = NDArray[np.float64]

_LONG_TEXTS = ("float_array", "int_array", "Name_array", "p", "vcount", "v", "h")


def read_collada(data: bytes, budget: Budget) -> MeshData:
    """Return the triangles of the visual scene of a document, each instance where its node is [m].

    Axes are not converted, whichever points up. Instances of geometries and nodes outside the document are left out.

    Raises:
        LimitError: It is beyond the limits of the budget.
        ValueError: It cannot be read.
    """
    report = Report(limits=budget.limits)
    root = parse(Source("mesh", data), report, long_texts=_LONG_TEXTS)
    if root is None:
        refusal = report.errors[-1]
        if refusal.rule in resource_limits.RULES:
            raise LimitError(refusal.rule, refusal.message, None, refusal.hint or "")
        raise ValueError(f"{refusal.message} ({refusal.hint})" if refusal.hint else refusal.message)
    return _Document(root, budget).triangles()


class _Document:
    """A document, its elements by their identifiers."""

    def __init__(self, root: XmlNode, budget: Budget) -> None:
        self._root, self._budget = root, budget
        self._named: dict[str, XmlNode] = {}
        pending = [root]
        while pending:
            node = pending.pop()
            if "id" in node.attributes and _tag(node) in ("geometry", "node", "visual_scene"):
                self._named.setdefault(node.attributes["id"], node)
            pending.extend(reversed(node.children))
        self._parts_of: dict[int, list[MeshPart]] = {}

    def triangles(self) -> MeshData:
        """Return the triangles of the visual scene [m]."""
        scene = _child(self._root, "scene")
        instance = _child(scene, "instance_visual_scene") if scene is not None else None
        visual_scene = self._target(instance) if instance is not None else None
        if visual_scene is None:
            raise ValueError("it has no visual scene, so that the poses of its meshes are unknown")
        placed = list[MeshInstance]()
        for geometry, matrix in self._instances(visual_scene):
            is_repeated = id(geometry) in self._parts_of
            parts = self._parts(geometry)
            if is_repeated:
                self._budget.add_expansions(len(parts))
            placed += [MeshInstance(part, matrix) for part in parts]
        mesh = merge_instances(placed, self._budget)
        meter = self._meter()
        return mesh if meter == 1.0 else MeshData(vertices=mesh.vertices * meter, faces=mesh.faces)

    def _meter(self) -> float:
        """Return the length of the document's unit [m]."""
        asset = _child(self._root, "asset")
        unit = _child(asset, "unit") if asset is not None else None
        meter = float(unit.attributes.get("meter", "1")) if unit is not None else 1.0
        if not (math.isfinite(meter) and meter > 0.0):
            raise ValueError(f"its unit is {meter:g} m")
        return meter

    def _target(self, instance: XmlNode) -> XmlNode | None:
        url = instance.attributes.get("url", "").strip()
        return self._named.get(url[1:]) if url.startswith("#") else None

    def _instances(self, visual_scene: XmlNode) -> Iterator[tuple[XmlNode, Matrix]]:
        """Yield the geometry instances of a visual scene with their transforms."""
        pending = [(child, np.eye(4)) for child in reversed(_children(visual_scene, "node"))]
        matrices: dict[int, Matrix] = {}
        while pending:
            node, outer = pending.pop()
            if id(node) in matrices:
                self._budget.add_expansions(1 + len(node.children))
            else:
                matrices[id(node)] = _matrix(node)
            matrix = outer @ matrices[id(node)]
            shown = [self._target(instance) for instance in _children(node, "instance_geometry")]
            yield from ((geometry, matrix) for geometry in shown if geometry is not None and _tag(geometry) == "geometry")
            inner = [self._target(child) if _tag(child) == "instance_node" else child for child in _children(node, *_NODES)]
            pending += [(child, matrix) for child in reversed(inner) if child is not None and _tag(child) == "node"]

    def _parts(self, geometry: XmlNode) -> list[MeshPart]:
        if id(geometry) not in self._parts_of:
            mesh = _child(geometry, "mesh")
            self._parts_of[id(geometry)] = _parts(mesh, self._budget) if mesh is not None else []
        return self._parts_of[id(geometry)]


_NODES = ("node", "instance_node")


def _parts(mesh: XmlNode, budget: Budget) -> list[MeshPart]:
    """Return the triangles of a mesh, one part for each group of faces."""
    sources = {source.attributes.get("id", ""): source for source in reversed(_children(mesh, "source"))}
    known: dict[str, Matrix] = {}
    parts = []
    for group in mesh.children:
        if _tag(group) not in PRIMITIVES:
            continue
        inputs = _children(group, "input")
        name, offset = _positions(mesh, inputs)
        if name not in known:
            if name not in sources:
                raise ValueError(f"it has no <source> '{name:.40}'")
            known[name] = _points(sources[name], budget)
        outlines = [*_children(group, "p"), *(p for holed in _children(group, "ph") for p in _children(holed, "p"))]
        vcount = _child(group, "vcount")
        faces = primitive_triangles(
            _tag(group),
            [outline.data for outline in outlines],
            vcount.data if vcount is not None else b"",
            offset=offset,
            offsets=[int(each.attributes.get("offset", "0")) for each in inputs],
            budget=budget,
        )
        parts.append(MeshPart(known[name], faces))
    return parts


def _positions(mesh: XmlNode, inputs: list[XmlNode]) -> tuple[str, int]:
    """Return the identifier of the source of positions, and which of a corner's indices points into it."""
    for each in inputs:
        if each.attributes.get("semantic") in ("VERTEX", "POSITION"):
            offset = int(each.attributes.get("offset", "0"))
            if each.attributes["semantic"] == "VERTEX":
                vertices = _child(mesh, "vertices")
                stated = _children(vertices, "input") if vertices is not None else []
                position = next((inner for inner in stated if inner.attributes.get("semantic") == "POSITION"), None)
                if position is None:
                    raise ValueError("its <vertices> have no POSITION")
                return _source_of(position), offset
            return _source_of(each), offset
    raise ValueError("no input of its faces is VERTEX")


def _source_of(input_: XmlNode) -> str:
    return input_.attributes.get("source", "").strip().removeprefix("#")


def _points(source: XmlNode, budget: Budget) -> Matrix:
    """Return the points of a source, shape (n, 3)."""
    array, technique = _child(source, "float_array"), _child(source, "technique_common")
    numbers = floats(array.data, budget) if array is not None else np.zeros(0)
    accessor = _child(technique, "accessor") if technique is not None else None
    if accessor is None:
        if len(numbers) % 3:
            raise ValueError(f"{len(numbers)} numbers are not three for each point")
        return numbers.reshape(-1, 3)
    stride, count, offset = (int(accessor.attributes.get(name, default)) for name, default in _ACCESSOR)
    names = [param.attributes.get("name") for param in _children(accessor, "param")]
    return accessor_points(numbers, names, stride=stride, count=count, offset=offset)


_ACCESSOR = (("stride", "1"), ("count", "0"), ("offset", "0"))


def _matrix(node: XmlNode) -> Matrix:
    """Return the matrix of a node: the product of its transforms."""
    result = np.eye(4)
    for child in node.children:
        transform = _TRANSFORMS.get(_tag(child))
        if transform is not None:
            count, matrix_of = transform
            values = floats(child.data)
            if len(values) != count:
                raise ValueError(f"a <{_tag(child)}> has {len(values)} numbers instead of {count}")
            result = result @ matrix_of(values)
    return result


def _translation(values: Matrix) -> Matrix:
    matrix = np.eye(4)
    matrix[:3, 3] = values
    return matrix


def _rotation(values: Matrix) -> Matrix:
    matrix, length = np.eye(4), float(np.linalg.norm(values[:3]))
    if length > 0.0:
        x, y, z = (values[:3] / length).tolist()
        matrix[:3, :3] = rotation_matrix(quaternion_from_axis_angle((x, y, z), math.radians(values[3])))
    return matrix


def _affine(values: Matrix) -> Matrix:
    matrix = values.reshape(4, 4).copy()
    matrix[3] = (0.0, 0.0, 0.0, 1.0)
    return matrix


def _look_at_matrix(values: Matrix) -> Matrix:
    eye, interest, up = values.reshape(3, 3)
    back = _unit(eye - interest)
    right = _unit(np.cross(up, back))
    matrix = np.eye(4)
    matrix[:3] = np.stack([right, np.cross(back, right), back, eye], axis=1)
    return matrix


def _unit(vector: Matrix) -> Matrix:
    length = float(np.linalg.norm(vector))
    if not length > 0.0:
        raise ValueError("a <lookat> has no direction")
    return vector / length


def _skew(_: Matrix) -> Matrix:
    raise ValueError("a <skew> is not read in mesh files")


_TRANSFORMS: dict[str, tuple[int, Callable[[Matrix], Matrix]]] = {
    "translate": (3, _translation),
    "rotate": (4, _rotation),
    "scale": (3, lambda values: np.diag((*values, 1.0))),
    "matrix": (16, _affine),
    "lookat": (9, _look_at_matrix),
    "skew": (7, _skew),
}


def _tag(node: XmlNode) -> str:
    return node.tag.rpartition(":")[2]


def _children(node: XmlNode, *tags: str) -> list[XmlNode]:
    return [child for child in node.children if _tag(child) in tags]


def _child(node: XmlNode, tag: str) -> XmlNode | None:
    return next((child for child in node.children if _tag(child) == tag), None)
