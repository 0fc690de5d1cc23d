"""COLLADA as a mesh file: the triangles of its visual scene. Robots in COLLADA are read by ``ossature.formats.collada``."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np

from ossature.array_types import Int64Array, Matrix
from ossature.assets.mesh_formats.collada_primitives import PRIMITIVES, accessor_points, primitive_triangles
from ossature.assets.mesh_formats.mesh_assembly import ColoredPart, MaterialColor, MeshInstance, MeshPart, merge_instances
from ossature.diagnostics import Budget, LimitError, Report, Source, resource_limits
from ossature.model import MeshData, Rgba
from ossature.spatial import quaternion_from_axis_angle, rotation_matrix
from ossature.syntax.number_arrays import floats
from ossature.syntax.xml import XmlNode
from ossature.syntax.xml_parser import parse

_LONG_TEXTS = ("float_array", "int_array", "Name_array", "p", "vcount", "v", "h")


def read_collada(data: bytes, budget: Budget) -> MeshData:
    """Return the triangles of the visual scene of a document, each instance where its node is [m].

    Axes are not converted, whichever points up. Instances of geometries and nodes outside the document are left out.

    Raises:
        LimitError: It is beyond the limits of the budget.
        ValueError: It cannot be read.
    """
    return _Document(_parse(data, budget), budget).triangles()


def read_collada_parts(data: bytes, budget: Budget) -> list[ColoredPart]:
    """Return the triangles of a document as :func:`read_collada`, one part for each colour.

    Raises:
        LimitError: It is beyond the limits of the budget.
        ValueError: It cannot be read.
    """
    return _Document(_parse(data, budget), budget).colored_parts()


def _parse(data: bytes, budget: Budget) -> XmlNode:
    report = Report(limits=budget.limits)
    root = parse(Source("mesh", data), report, long_texts=_LONG_TEXTS)
    if root is None:
        refusal = report.errors[-1]
        if refusal.rule in resource_limits.RULES:
            raise LimitError(refusal.rule, refusal.message, None, refusal.hint or "")
        raise ValueError(f"{refusal.message} ({refusal.hint})" if refusal.hint else refusal.message)
    return root


class _Document:
    def __init__(self, root: XmlNode, budget: Budget) -> None:
        self._root, self._budget = root, budget
        self._named: dict[str, XmlNode] = {}
        self._of_textures: dict[tuple[str, str], XmlNode] = {}
        pending = [root]
        while pending:
            node = pending.pop()
            if "id" in node.attributes and node.local_tag in _REFERENCED:
                self._named.setdefault(node.attributes["id"], node)
            if "id" in node.attributes and node.local_tag in ("image", "source"):
                self._of_textures.setdefault((node.local_tag, node.attributes["id"]), node)
            pending.extend(reversed(node.children))
        self._parts_of: dict[int, list[MeshPart]] = {}
        self._coordinates_of: dict[int, Matrix | None] = {}

    def triangles(self) -> MeshData:
        """Return the triangles of the visual scene [m]."""
        return self._merged([instance for _, instance, _ in self._placed()])

    def colored_parts(self) -> list[ColoredPart]:
        """Return the triangles of the visual scene, one part for each colour [m]."""
        groups: dict[MaterialColor, list[tuple[MeshInstance, XmlNode]]] = {}
        for color, instance, faces in self._placed():
            groups.setdefault(color, []).append((instance, faces))
        return [
            ColoredPart(color, self._merged([instance for instance, _ in found]), self._texture_coordinates(color, found))
            for color, found in groups.items()
        ]

    def _texture_coordinates(self, color: MaterialColor, found: list[tuple[MeshInstance, XmlNode]]) -> Matrix | None:
        """Return the texture coordinates of the triangles of instances, or None if some have none."""
        if color.texture is None:
            return None
        corners: list[Matrix] = []
        for instance, group in found:
            if id(group) not in self._coordinates_of:
                self._coordinates_of[id(group)] = self._group_coordinates(group)
            coordinates = self._coordinates_of[id(group)]
            if coordinates is None or len(coordinates) != len(instance.part.faces):
                return None
            is_mirrored = np.linalg.det(instance.matrix[:3, :3]) < 0.0
            corners.append(coordinates[:, ::-1] if is_mirrored else coordinates)
        return np.concatenate(corners)

    def _group_coordinates(self, group: XmlNode) -> Matrix | None:
        """Return the texture coordinates of a group of faces, shape (m, 3, 2), or None if it has none."""
        stated = next((each for each in _child_nodes(group, "input") if each.attributes.get("semantic") == "TEXCOORD"), None)
        source = None if stated is None else self._of_textures.get(("source", _source_of(stated)))
        array = None if source is None else _first_child(source, "float_array")
        if stated is None or source is None or array is None or group.local_tag == "tristrips":
            return None
        technique = _first_child(source, "technique_common")
        accessor = None if technique is None else _first_child(technique, "accessor")
        stride = 2 if accessor is None else int(accessor.attributes.get("stride", "1"))
        numbers = floats(array.data, self._budget)
        faces = _group_triangles(group, int(stated.attributes.get("offset", "0")), self._budget)
        if stride < 2 or not faces.size or faces.min() < 0 or (int(faces.max()) + 1) * stride > len(numbers):
            return None
        points: Matrix = numbers[: len(numbers) // stride * stride].reshape(-1, stride)[:, :2]
        return points[faces]

    def _merged(self, instances: list[MeshInstance]) -> MeshData:
        mesh = merge_instances(instances, self._budget)
        meter = self._unit_length()
        return mesh if meter == 1.0 else MeshData(vertices=mesh.vertices * meter, faces=mesh.faces)

    def _placed(self) -> Iterator[tuple[MaterialColor, MeshInstance, XmlNode]]:
        """Yield the parts of the visual scene with their colours and groups of faces."""
        scene = _first_child(self._root, "scene")
        instance = _first_child(scene, "instance_visual_scene") if scene is not None else None
        visual_scene = self._find_target(instance) if instance is not None else None
        if visual_scene is None:
            raise ValueError("it has no visual scene, so that the poses of its meshes are unknown")
        for instance, geometry, matrix in self._geometry_instances(visual_scene):
            is_repeated = id(geometry) in self._parts_of
            parts = self._geometry_parts(geometry)
            if is_repeated:
                self._budget.add_expansions(len(parts))
            for group, part in zip(_face_groups(geometry), parts, strict=True):
                yield self._color(instance, group.attributes.get("material")), MeshInstance(part, matrix), group

    def _color(self, instance: XmlNode, symbol: str | None) -> MaterialColor:
        """Return the name and diffuse colour of the material that an instance of a geometry binds to a symbol."""
        bound = [
            material
            for bind in _child_nodes(instance, "bind_material")
            for common in _child_nodes(bind, "technique_common")
            for material in _child_nodes(common, "instance_material")
            if material.attributes.get("symbol") == symbol
        ]
        target = bound[0].attributes.get("target", "").strip() if bound else f"#{symbol}"
        material = self._named.get(target.removeprefix("#"))
        effect = _first_child(material, "instance_effect") if material is not None else None
        found = self._find_target(effect) if effect is not None else None
        name = None if material is None else material.attributes.get("name") or material.attributes.get("id")
        if found is None:
            return MaterialColor(name, None)
        color = _diffuse_color(found)
        return MaterialColor(name, color, None if color is not None else self._texture_file(found))

    def _texture_file(self, effect: XmlNode) -> str | None:
        """Return the image file of the diffuse texture of an effect, or None."""
        texture = next((each for shader in _shaders(effect) for each in _child_nodes(shader, "diffuse")), None)
        texture = None if texture is None else _first_child(texture, "texture")
        if texture is None:
            return None
        params = {
            each.attributes.get("sid", ""): each
            for profile in _child_nodes(effect, "profile_COMMON")
            for each in _child_nodes(profile, "newparam")
        }
        name = texture.attributes.get("texture", "")
        for content, inner in (("sampler2D", ("source", "instance_image")), ("surface", ("init_from",))):
            sampler = _first_child(params[name], content) if name in params else None
            stated = None if sampler is None else next(iter(_child_nodes(sampler, *inner)), None)
            if stated is not None:
                name = stated.attributes.get("url", "").removeprefix("#") or stated.text.strip()
        image = self._of_textures.get(("image", name))
        file = None if image is None else _first_child(image, "init_from")
        if file is None:
            return None
        reference = _first_child(file, "ref")  # of COLLADA 1.5
        return (file if reference is None else reference).text.strip() or None

    def _unit_length(self) -> float:
        """Return the length of the document's unit [m]."""
        asset = _first_child(self._root, "asset")
        unit = _first_child(asset, "unit") if asset is not None else None
        meter = float(unit.attributes.get("meter", "1")) if unit is not None else 1.0
        if not (math.isfinite(meter) and meter > 0.0):
            raise ValueError(f"its unit is {meter:g} m")
        return meter

    def _find_target(self, instance: XmlNode) -> XmlNode | None:
        url = instance.attributes.get("url", "").strip()
        return self._named.get(url[1:]) if url.startswith("#") else None

    def _geometry_instances(self, visual_scene: XmlNode) -> Iterator[tuple[XmlNode, XmlNode, Matrix]]:
        pending = [(child, np.eye(4)) for child in reversed(_child_nodes(visual_scene, "node"))]
        matrices: dict[int, Matrix] = {}
        while pending:
            node, outer = pending.pop()
            if id(node) in matrices:
                self._budget.add_expansions(1 + len(node.children))
            else:
                matrices[id(node)] = _node_matrix(node)
            matrix = outer @ matrices[id(node)]
            for instance in _child_nodes(node, "instance_geometry"):
                geometry = self._find_target(instance)
                if geometry is not None and geometry.local_tag == "geometry":
                    yield instance, geometry, matrix
            inner = [
                self._find_target(child) if child.local_tag == "instance_node" else child
                for child in _child_nodes(node, "node", "instance_node")
            ]
            pending += [(child, matrix) for child in reversed(inner) if child is not None and child.local_tag == "node"]

    def _geometry_parts(self, geometry: XmlNode) -> list[MeshPart]:
        if id(geometry) not in self._parts_of:
            mesh = _first_child(geometry, "mesh")
            self._parts_of[id(geometry)] = _mesh_parts(mesh, self._budget) if mesh is not None else []
        return self._parts_of[id(geometry)]


_REFERENCED = ("geometry", "node", "visual_scene", "material", "effect")


def _face_groups(geometry: XmlNode) -> list[XmlNode]:
    mesh = _first_child(geometry, "mesh")
    return [] if mesh is None else [group for group in mesh.children if group.local_tag in PRIMITIVES]


def _shaders(effect: XmlNode) -> Iterator[XmlNode]:
    for profile in _child_nodes(effect, "profile_COMMON"):
        for technique in _child_nodes(profile, "technique"):
            yield from technique.children


def _diffuse_color(effect: XmlNode) -> Rgba | None:
    for shader in _shaders(effect):
        diffuse = _first_child(shader, "diffuse")
        color = _first_child(diffuse, "color") if diffuse is not None else None
        values = floats(color.text.encode()).tolist() if color is not None else []
        if len(values) == _RGBA:
            red, green, blue, alpha = (min(max(value, 0.0), 1.0) for value in values)
            return (red, green, blue, alpha)
    return None


_RGBA = 4


def _mesh_parts(mesh: XmlNode, budget: Budget) -> list[MeshPart]:
    """Return the triangles of a mesh, one part for each group of faces."""
    sources = {source.attributes.get("id", ""): source for source in reversed(_child_nodes(mesh, "source"))}
    known: dict[str, Matrix] = {}
    parts = []
    for group in mesh.children:
        if group.local_tag not in PRIMITIVES:
            continue
        name, offset = _find_position_source(mesh, _child_nodes(group, "input"))
        if name not in known:
            if name not in sources:
                raise ValueError(f"it has no <source> '{name:.40}'")
            known[name] = _read_points(sources[name], budget)
        parts.append(MeshPart(known[name], _group_triangles(group, offset, budget)))
    return parts


def _group_triangles(group: XmlNode, offset: int, budget: Budget) -> Int64Array:
    """Return the triangles of a group of faces, as the indices of an input with an offset."""
    outlines = [*_child_nodes(group, "p"), *(p for holed in _child_nodes(group, "ph") for p in _child_nodes(holed, "p"))]
    vcount = _first_child(group, "vcount")
    return primitive_triangles(
        group.local_tag,
        [outline.data for outline in outlines],
        vcount.data if vcount is not None else b"",
        offset=offset,
        offsets=[int(each.attributes.get("offset", "0")) for each in _child_nodes(group, "input")],
        budget=budget,
    )


def _find_position_source(mesh: XmlNode, inputs: list[XmlNode]) -> tuple[str, int]:
    """Return the identifier of the source of positions, and which of a corner's indices points into it."""
    for each in inputs:
        if each.attributes.get("semantic") in ("VERTEX", "POSITION"):
            offset = int(each.attributes.get("offset", "0"))
            if each.attributes["semantic"] == "VERTEX":
                vertices = _first_child(mesh, "vertices")
                specified = _child_nodes(vertices, "input") if vertices is not None else []
                position = next((inner for inner in specified if inner.attributes.get("semantic") == "POSITION"), None)
                if position is None:
                    raise ValueError("its <vertices> have no POSITION")
                return _source_of(position), offset
            return _source_of(each), offset
    raise ValueError("no input of its faces is VERTEX")


def _source_of(input_: XmlNode) -> str:
    return input_.attributes.get("source", "").strip().removeprefix("#")


def _read_points(source: XmlNode, budget: Budget) -> Matrix:
    array, technique = _first_child(source, "float_array"), _first_child(source, "technique_common")
    numbers = floats(array.data, budget) if array is not None else np.zeros(0)
    accessor = _first_child(technique, "accessor") if technique is not None else None
    if accessor is None:
        if len(numbers) % 3:
            raise ValueError(f"{len(numbers)} numbers are not three for each point")
        return numbers.reshape(-1, 3)
    stride, count, offset = (int(accessor.attributes.get(name, default)) for name, default in _ACCESSOR)
    names = [param.attributes.get("name") for param in _child_nodes(accessor, "param")]
    return accessor_points(numbers, names, stride=stride, count=count, offset=offset)


_ACCESSOR = (("stride", "1"), ("count", "0"), ("offset", "0"))


def _node_matrix(node: XmlNode) -> Matrix:
    result = np.eye(4)
    for child in node.children:
        transform = _TRANSFORMS.get(child.local_tag)
        if transform is not None:
            count, matrix_of = transform
            values = floats(child.data)
            if len(values) != count:
                raise ValueError(f"a <{child.local_tag}> has {len(values)} numbers instead of {count}")
            result = result @ matrix_of(values)
    return result


def _translation_matrix(values: Matrix) -> Matrix:
    matrix = np.eye(4)
    matrix[:3, 3] = values
    return matrix


def _rotation_matrix(values: Matrix) -> Matrix:
    matrix, length = np.eye(4), float(np.linalg.norm(values[:3]))
    if length > 0.0:
        x, y, z = (values[:3] / length).tolist()
        matrix[:3, :3] = rotation_matrix(quaternion_from_axis_angle((x, y, z), math.radians(values[3])))
    return matrix


def _affine_matrix(values: Matrix) -> Matrix:
    matrix = values.reshape(4, 4).copy()
    matrix[3] = (0.0, 0.0, 0.0, 1.0)
    return matrix


def _look_at_matrix(values: Matrix) -> Matrix:
    eye, interest, up = values.reshape(3, 3)
    back = _normalize(eye - interest)
    right = _normalize(np.cross(up, back))
    matrix = np.eye(4)
    matrix[:3] = np.stack([right, np.cross(back, right), back, eye], axis=1)
    return matrix


def _normalize(vector: Matrix) -> Matrix:
    length = float(np.linalg.norm(vector))
    if not length > 0.0:
        raise ValueError("a <lookat> has no direction")
    return vector / length


def _refuse_skew(_: Matrix) -> Matrix:
    raise ValueError("a <skew> is not read in mesh files")


_TRANSFORMS: dict[str, tuple[int, Callable[[Matrix], Matrix]]] = {
    "translate": (3, _translation_matrix),
    "rotate": (4, _rotation_matrix),
    "scale": (3, lambda values: np.diag((*values, 1.0))),
    "matrix": (16, _affine_matrix),
    "lookat": (9, _look_at_matrix),
    "skew": (7, _refuse_skew),
}


def _child_nodes(node: XmlNode, *tags: str) -> list[XmlNode]:
    return [child for child in node.children if child.local_tag in tags]


def _first_child(node: XmlNode, tag: str) -> XmlNode | None:
    return next((child for child in node.children if child.local_tag == tag), None)
