"""glTF 2.0, as JSON with buffers beside it or in it, or as one binary file (GLB)."""

from __future__ import annotations

import base64
import binascii
import struct
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import numpy as np
import orjson

from ossature.array_types import AnyArray, Array
from ossature.assets.mesh_formats.mesh_assembly import (
    ColoredPart,
    MaterialColor,
    MeshInstance,
    MeshPart,
    merge_instances,
    require_repeated_triangles,
    triangulate_fans,
    triangulate_strip,
)
from ossature.diagnostics import Budget
from ossature.model import MeshData
from ossature.spatial import rotation_matrix

T = TypeVar("T")

_MAGIC, _JSON, _BINARY = b"glTF", b"JSON", b"BIN\0"
_VERSION, _HEADER_SIZE = 2, 12
_KINDS = {5120: "<i1", 5121: "<u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
_WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4}
_TRIANGLES, _STRIP, _FAN = 4, 5, 6
_WHITE = (1.0, 1.0, 1.0, 1.0)
_DRACO = "KHR_draco_mesh_compression"
_READ_EXTENSIONS = {"KHR_mesh_quantization", "KHR_materials_unlit", "KHR_texture_transform"}
"""Supported required extensions: of points, and of appearance."""


def read_gltf(data: bytes, read_sibling: Callable[[str], bytes], budget: Budget) -> MeshData:
    """Return the triangles of the scene of a file, each instance where its node is.

    The arguments and errors are those of :func:`read_gltf_parts`.
    """
    return _read(data, read_sibling, budget, _GltfReader.triangles)


def read_gltf_parts(data: bytes, read_sibling: Callable[[str], bytes], budget: Budget) -> list[ColoredPart]:
    """Return the triangles of the scene of a file, one part for each material.

    Args:
        read_sibling: Returns the bytes of a buffer that the file names.
        budget: Limits the size of arrays, and the instances of nodes.

    Raises:
        LimitError: It is beyond the limits of the budget.
        ValueError: It cannot be read.
    """
    return _read(data, read_sibling, budget, _GltfReader.colored_parts)


def _read(data: bytes, read_sibling: Callable[[str], bytes], budget: Budget, read_scene: Callable[[_GltfReader], T]) -> T:
    text, binary = _split_chunks(data) if data.startswith(_MAGIC) else (data, None)
    try:
        document = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise ValueError(f"not a JSON document: {error}") from error
    try:
        return read_scene(_GltfReader(document, binary, read_sibling, budget))
    except KeyError as error:
        raise ValueError(f"its structure is not that of glTF: {error} is missing") from error
    except (TypeError, AttributeError) as error:
        raise ValueError("its structure is not that of glTF: a value has another type") from error


def _split_chunks(data: bytes) -> tuple[bytes, bytes | None]:
    """Return the JSON and the binary chunk of a GLB file."""
    if len(data) < _HEADER_SIZE:
        raise ValueError("its header is cut off")
    version, size = struct.unpack_from("<II", data, len(_MAGIC))
    if version != _VERSION:
        raise ValueError(f"it has the version {version} of the binary format: only version {_VERSION} is read")
    if size > len(data):
        raise ValueError(f"it is cut off: it has {len(data)} of {size} bytes")
    chunks: dict[bytes, bytes] = {}
    offset = _HEADER_SIZE
    while offset + 8 <= size:
        (length,) = struct.unpack_from("<I", data, offset)
        kind = data[offset + 4 : offset + 8]
        if length > size - offset - 8:
            raise ValueError(f"a chunk of {length} bytes is longer than the {size} bytes of its header")
        chunks.setdefault(kind, data[offset + 8 : offset + 8 + length])
        offset += 8 + length
    if _JSON not in chunks:
        raise ValueError("it has no JSON chunk")
    return chunks[_JSON], chunks.get(_BINARY)


class _GltfReader:
    """One document, and the buffers that were read of it."""

    def __init__(self, document: Any, binary: bytes | None, read_sibling: Callable[[str], bytes], budget: Budget) -> None:
        self._document, self._binary, self._read_beside = document, binary, read_sibling
        self._budget = budget
        self._buffers: dict[str | None, bytes] = {}
        self._meshes: dict[int, list[tuple[MeshPart, Any]]] = {}
        self._numbers_of: dict[tuple[int, str], AnyArray] = {}
        self._corners = self._points = 0

    def triangles(self) -> MeshData:
        return merge_instances([instance for instance, _ in self._placed()], self._budget)

    def colored_parts(self) -> list[ColoredPart]:
        """Return the triangles of the scene, one part for each material."""
        groups: dict[int | None, list[tuple[MeshInstance, Any]]] = {}
        for instance, primitive in self._placed():
            groups.setdefault(primitive.get("material"), []).append((instance, primitive))
        parts = []
        for number, found in groups.items():
            material = MaterialColor(None, None) if number is None else self._material(number)
            triangles = merge_instances([instance for instance, _ in found], self._budget)
            coordinates = None if material.texture is None else self._texture_coordinates(found)
            parts.append(ColoredPart(material, triangles, coordinates))
        return parts

    def _material(self, number: int) -> MaterialColor:
        material = _get_item(self._document.get("materials", []), number, "material")
        metal = material.get("pbrMetallicRoughness", {})
        factors = [float(value) for value in metal.get("baseColorFactor", _WHITE)]
        name = material.get("name")
        if len(factors) != len(_WHITE):
            raise ValueError(f"the colour of material {number} has {len(factors)} numbers instead of 4")
        if "baseColorTexture" in metal:
            return MaterialColor(name, None, self._image(metal["baseColorTexture"]["index"]))
        red, green, blue = map(_encode_srgb, factors[:3])
        return MaterialColor(name, (red, green, blue, min(max(factors[3], 0.0), 1.0)))

    def _image(self, texture: int) -> str | bytes | None:
        """Return the image of a texture: its content, or the name of its file; None without one."""
        source = _get_item(self._document.get("textures", []), texture, "texture").get("source")
        if source is None:  # of an extension
            return None
        image = _get_item(self._document.get("images", []), source, "image")
        if "bufferView" in image:
            return bytes(self._buffer_view(image["bufferView"])[0])
        uri = image.get("uri")
        return _decode_data_uri(uri) if uri is not None and uri.startswith("data:") else uri

    def _texture_coordinates(self, found: list[tuple[MeshInstance, Any]]) -> Array | None:
        """Return the texture coordinates of the triangles of instances of primitives, or None if some have none."""
        corners = []
        for instance, primitive in found:
            number = primitive["attributes"].get("TEXCOORD_0")
            points = None if number is None else np.asarray(self._cached_accessor(number, "VEC2"), np.float64)
            if points is None or len(points) != len(instance.part.points):
                return None
            is_mirrored = np.linalg.det(instance.matrix[:3, :3]) < 0.0
            faces = instance.part.faces[:, ::-1] if is_mirrored else instance.part.faces
            corners.append(points[faces] * (1.0, -1.0) + (0.0, 1.0))  # they count from the top
        return np.concatenate(corners)

    def _placed(self) -> Iterator[tuple[MeshInstance, Any]]:
        version = str(self._document.get("asset", {}).get("version", _VERSION))
        if version.partition(".")[0] != str(_VERSION):
            raise ValueError(f"it has the version {version:.20} of glTF: only version {_VERSION} is read")
        unknown = sorted(set(self._document.get("extensionsRequired", ())) - _READ_EXTENSIONS)
        if unknown:
            raise ValueError(f"needs extensions that are not read: {', '.join(map(str, unknown))[:200]}")
        for mesh, matrix in self._instances():
            is_repeated = mesh in self._meshes
            parts = self._parts_with_primitives(mesh)
            if is_repeated:
                self._budget.add_expansions(len(parts))
            for part, primitive in parts:
                yield MeshInstance(part, matrix), primitive

    def _instances(self) -> Iterator[tuple[int, Array]]:
        """Yield the mesh instances of the scene with their transforms."""
        nodes = self._document.get("nodes", [])
        pending = [(number, np.eye(4)) for number in reversed(self._root_nodes(nodes))]
        matrices: dict[int, Array] = {}
        while pending:
            number, outer = pending.pop()
            node = _get_item(nodes, number, "node")
            if number in matrices:
                self._budget.add_expansions(1 + len(node.get("children", [])))
            else:
                matrices[number] = _node_matrix(node)
            matrix = outer @ matrices[number]
            if "mesh" in node:
                yield node["mesh"], matrix
            pending += [(child, matrix) for child in reversed(node.get("children", []))]

    def _root_nodes(self, nodes: list[Any]) -> list[int]:
        scenes = self._document.get("scenes", [])
        if scenes:
            return list(_get_item(scenes, self._document.get("scene", 0), "scene").get("nodes", []))
        children = {child for node in nodes for child in node.get("children", [])}
        return [number for number in range(len(nodes)) if number not in children]

    def _parts_with_primitives(self, number: int) -> list[tuple[MeshPart, Any]]:
        if number not in self._meshes:
            mesh = _get_item(self._document.get("meshes", []), number, "mesh")
            parts = ((self._read_primitive(primitive), primitive) for primitive in mesh["primitives"])
            self._meshes[number] = [(part, primitive) for part, primitive in parts if part is not None]
        return self._meshes[number]

    def _read_primitive(self, primitive: Any) -> MeshPart | None:
        """Return the triangles of a primitive, or None if it has points or lines."""
        mode = primitive.get("mode", _TRIANGLES)
        if mode not in (_TRIANGLES, _STRIP, _FAN) or "POSITION" not in primitive["attributes"]:
            return None
        self._require_uncompressed(primitive)
        points = self._cached_accessor(primitive["attributes"]["POSITION"], "VEC3")
        if "indices" in primitive:
            corners = self._cached_accessor(primitive["indices"], "SCALAR").astype(np.int64)[:, 0]
        else:
            corners = np.arange(len(points))
        self._corners += len(corners)
        self._require_unshared(self._corners)
        if mode == _STRIP:
            return MeshPart(points, triangulate_strip(corners))
        counts = np.array([len(corners)]) if mode == _FAN else np.full(len(corners) // 3, 3)
        if mode == _TRIANGLES and len(corners) % 3:
            raise ValueError(f"{len(corners)} corners are not three for each triangle")
        return MeshPart(points, triangulate_fans(corners, counts))

    def _require_uncompressed(self, primitive: Any) -> None:
        """Refuse a primitive without numbers besides the compressed ones; an accessor without a view would contain zeros."""
        accessor = _get_item(self._document.get("accessors", []), primitive["attributes"]["POSITION"], "accessor")
        if _DRACO in primitive.get("extensions", {}) and "bufferView" not in accessor:
            raise ValueError(f"needs an extension that is not read: {_DRACO}")

    def _cached_accessor(self, number: int, shape: str) -> AnyArray:
        """Return the numbers of an accessor, shape (count, width), which several primitives may share."""
        key = (number, shape)
        if key not in self._numbers_of:
            self._numbers_of[key] = self._read_accessor(number, shape)
        return self._numbers_of[key]

    def _read_accessor(self, number: int, shape: str) -> AnyArray:
        accessor = _get_item(self._document.get("accessors", []), number, "accessor")
        if accessor["type"] != shape or accessor["componentType"] not in _KINDS:
            raise ValueError(f"accessor {number} does not contain a {shape} of numbers")
        kind, count = np.dtype(_KINDS[accessor["componentType"]]), _require_count(accessor["count"])
        self._budget.require_array(count * _WIDTHS[shape])
        if "bufferView" in accessor:
            numbers = self._read_numbers(accessor, kind, count, _WIDTHS[shape])
        self._points += count
        self._require_unshared(self._points)
        if "bufferView" not in accessor:
            numbers = np.zeros((count, _WIDTHS[shape]), kind)
        if "sparse" in accessor:
            numbers = self._apply_sparse_values(numbers, accessor["sparse"])
        if accessor.get("normalized") and kind.kind != "f":
            return np.asarray(np.maximum(numbers / np.iinfo(kind).max, -1.0))
        return numbers.astype(np.float64) if shape == "VEC3" else numbers

    def _require_unshared(self, count: int) -> None:
        """Refuse elements of accessors, or corners of primitives, that are many more than the bytes of all buffers."""
        bytes_of_buffers = sum(map(len, self._buffers.values()))
        require_repeated_triangles(max(count - bytes_of_buffers, 0) // 3, self._budget)

    def _read_numbers(self, specified: Any, kind: np.dtype[Any], count: int, width: int) -> AnyArray:
        """Return numbers of a view of a buffer, shape (count, width)."""
        view, stride = self._buffer_view(specified["bufferView"])
        begin, size = _require_count(specified.get("byteOffset", 0)), kind.itemsize * width
        stride = stride or size
        if stride < size or (count and begin + stride * (count - 1) + size > len(view)):
            raise ValueError(f"an accessor reads {count} elements beyond the {len(view)} bytes of its view")
        if not count:
            return np.zeros((0, width), kind)
        return np.ndarray((count, width), kind, view, begin, (stride, kind.itemsize))

    def _apply_sparse_values(self, numbers: AnyArray, sparse: Any) -> AnyArray:
        """Return numbers, some rows of which a sparse accessor replaces."""
        count, specified = _require_count(sparse["count"]), sparse["indices"]
        rows = self._read_numbers(specified, np.dtype(_KINDS[specified["componentType"]]), count, 1)[:, 0]
        if count and not (rows.min() >= 0 and rows.max() < len(numbers)):
            raise ValueError(f"a sparse accessor replaces elements beyond its {len(numbers)}")
        result = numbers.copy()
        result[rows] = self._read_numbers(sparse["values"], numbers.dtype, count, numbers.shape[1])
        return result

    def _buffer_view(self, number: int) -> tuple[memoryview, int]:
        """Return the bytes of a view of a buffer, and the distance of its elements, or 0 if they follow each other."""
        view = _get_item(self._document.get("bufferViews", []), number, "bufferView")
        buffer = self._buffer(view["buffer"])
        begin, length = _require_count(view.get("byteOffset", 0)), _require_count(view["byteLength"])
        if begin + length > len(buffer):
            raise ValueError(f"bufferView {number} ends beyond the {len(buffer)} bytes of its buffer")
        return memoryview(buffer)[begin : begin + length], _require_count(view.get("byteStride", 0))

    def _buffer(self, number: int) -> bytes:
        uri = _get_item(self._document.get("buffers", []), number, "buffer").get("uri")
        if uri not in self._buffers:  # several buffers may name one file
            if uri is None:
                if self._binary is None or number != 0:
                    raise ValueError(f"buffer {number} has no uri")
                self._buffers[uri] = self._binary
            else:
                self._buffers[uri] = _decode_data_uri(uri) if uri.startswith("data:") else self._read_beside(uri)
        return self._buffers[uri]


def _encode_srgb(value: float) -> float:
    """Return a linear component of a colour as sRGB encodes it, from 0 to 1."""
    value = min(max(value, 0.0), 1.0)
    return 12.92 * value if value <= 0.0031308 else 1.055 * value ** (1.0 / 2.4) - 0.055


def _get_item(items: Any, number: Any, kind: str) -> Any:
    if type(number) is not int or not 0 <= number < len(items):
        raise ValueError(f"there is no {kind} {number!r:.40}")
    return items[number]


def _require_count(value: Any) -> int:
    if type(value) is not int or value < 0:
        raise ValueError(f"{value!r:.40} is no count of bytes or elements")
    return value


def _decode_data_uri(uri: str) -> bytes:
    head, _, content = uri.partition(",")
    if not head.endswith(";base64"):
        raise ValueError("a data: URI is not in base64")
    try:
        return base64.b64decode(content, validate=True)
    except (binascii.Error, ValueError) as error:
        raise ValueError(f"a data: URI is no base64: {error}") from error


def _node_matrix(node: Any) -> Array:
    if "matrix" in node:
        return np.array(node["matrix"], np.float64).reshape(4, 4).T
    x, y, z, w = node.get("rotation", (0.0, 0.0, 0.0, 1.0))
    matrix = np.eye(4)
    length = float(np.linalg.norm([w, x, y, z]))
    turn = rotation_matrix((w / length, x / length, y / length, z / length)) if length > 0.0 else np.eye(3)
    matrix[:3, :3] = np.asarray(turn) * np.array(node.get("scale", (1.0, 1.0, 1.0)), np.float64)
    matrix[:3, 3] = node.get("translation", (0.0, 0.0, 0.0))
    return matrix
