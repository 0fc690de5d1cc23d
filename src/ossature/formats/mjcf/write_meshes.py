"""Writer of meshes: files in the folder ``assets`` beside the MJCF file, one for each material of a mesh that is drawn."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from urllib.parse import unquote

import numpy as np

from ossature.array_types import Array
from ossature.assets import AssetError
from ossature.assets.mesh_formats.mesh_assembly import MaterialColor
from ossature.assets.mesh_formats.stl import is_binary
from ossature.assets.mesh_store import mesh_suffix
from ossature.formats.mjcf.attribute_text import numbers_text
from ossature.formats.mjcf.convex_hull_points_of_shapes import HULLS
from ossature.formats.mjcf.write_context import MjcfDocument
from ossature.formats.passes.embed_meshes import record_appearance, record_groups
from ossature.formats.passes.export_meshes import obj_text
from ossature.model import Geometry, HeightField, Mesh, MeshData, Rgba, TriangleMesh
from ossature.model.convex_hull import FlatPointsError, convex_hull
from ossature.model.unique_names import unique_name
from ossature.model.value_text import kind_text
from ossature.spatial import Vector3
from ossature.syntax.xml import XmlNode, element, elements_of

MESH_FOLDER = "assets"
_MOST_FACES_OF_STL = 200_000
"""MuJoCo refuses STL files with more triangles."""
_UNSCALED: Vector3 = (1.0, 1.0, 1.0)
_SMALLEST_SOLID = 1e-12
"""Volume of a mesh relative to that of its bounding box below which it is written as a shell."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MeshPartAsset:
    """A part of a mesh in the file."""

    mesh: str
    material: str | None = None


class MeshAssets:
    """The meshes and materials of the file; equal meshes are written once."""

    def __init__(self, document: MjcfDocument) -> None:
        self._document = document
        self._context = document.context
        self._folder = document.context.path.parent / MESH_FOLDER
        self._known: dict[tuple[Geometry, bool], list[MeshPartAsset]] = {}
        self._materials: dict[MaterialColor, str] = {}
        self._files: dict[bytes, str] = {}
        self._meshes: dict[tuple[str, Vector3], str] = {}
        self._textured: set[Mesh] = set()
        self._rewritten: set[Mesh] = set()
        self._limited_meshes: dict[tuple[str, int], str] = {}
        self._height_fields: dict[HeightField, str] = {}
        self._names = _FileNames(self._folder, _referenced_files(document.context.path))

    def parts_of(
        self, geometry: Geometry, path: str, *, is_visual: bool, hull_vertices: int | None = None
    ) -> list[MeshPartAsset]:
        """Return the meshes of a shape: of a visual one for each material, of a collision shape one.

        Args:
            geometry: The shape.
            path: Its path in the World.
            is_visual: Whether it is drawn, and does not collide.
            hull_vertices: Largest number of vertices of its convex hull, or None if there is no limit.

        Raises:
            AssetError: The mesh is unavailable, or MuJoCo accepts no mesh of its points.
        """
        if hull_vertices is not None:
            (part,) = self._written_parts(geometry, path, is_visual=False)
            return [MeshPartAsset(mesh=self._limited(part.mesh, hull_vertices))]
        key = (geometry, is_visual)
        if key not in self._known:
            self._known[key] = self._written_parts(geometry, path, is_visual=is_visual)
        parts = self._known[key]
        if isinstance(geometry, Mesh) and (geometry in self._rewritten or len(parts) > 1):
            record_groups(path, geometry, self._context.meshes, self._document.ledger)
        if is_visual and isinstance(geometry, Mesh):
            self._record_materials(geometry, len(parts), path)
        is_hull = not is_visual and isinstance(geometry, Mesh | TriangleMesh) and not geometry.convex
        if is_hull and not self._document.is_mjcf_world:
            self._record_hull(geometry, path)  # type: ignore[arg-type]  # the test above
        return parts

    def _written_parts(self, geometry: Geometry, path: str, *, is_visual: bool) -> list[MeshPartAsset]:
        if isinstance(geometry, Mesh):
            return self._parts_of_file(geometry, path, is_visual=is_visual)
        if isinstance(geometry, TriangleMesh):
            triangles = self._context.meshes.triangles(geometry)
        else:
            triangles = _hull(HULLS[type(geometry)](geometry), str(kind_text(type(geometry))))
        _require_volume(triangles, path, is_visual=is_visual)
        twin = self._known.get((geometry, not is_visual))
        if twin is not None:
            return twin
        stem = re.sub(r"[^\w-]+", "_", path.rpartition(".")[0].partition("/")[2]) or kind_text(type(geometry))
        return [MeshPartAsset(mesh=self._add_obj(triangles, stem, _UNSCALED))]

    def _parts_of_file(self, mesh: Mesh, path: str, *, is_visual: bool) -> list[MeshPartAsset]:
        triangles = self._context.meshes.triangles(mesh)
        _require_volume(triangles, path, is_visual=is_visual)
        splits = is_visual and not self._document.is_mjcf_world
        parts = self._context.meshes.colored_parts(mesh.uri) if splits else []
        if any(part.material.rgba is None for part in parts):
            self._textured.add(mesh)
        if len({part.material for part in parts}) <= 1:
            material = self._material(parts[0].material) if parts else None
            twin = self._known.get((mesh, not is_visual))
            name = twin[0].mesh if twin is not None and len(twin) == 1 else self._add_whole(mesh, triangles)
            return [MeshPartAsset(mesh=name, material=material)]
        stem = _stem(mesh.uri)
        names = [self._add_obj(part.triangles, f"{stem}_{number}", mesh.scale) for number, part in enumerate(parts)]
        return [
            MeshPartAsset(mesh=name, material=self._material(part.material)) for name, part in zip(names, parts, strict=True)
        ]

    def _add_whole(self, mesh: Mesh, triangles: MeshData) -> str:
        """Add a mesh file: itself if MuJoCo reads its format, else as OBJ."""
        suffix = mesh_suffix(mesh.uri)
        data = self._context.meshes.resolver.read(mesh.uri, self._context.meshes.limits)
        is_readable_stl = suffix == "stl" and is_binary(data) and len(triangles.faces) <= _MOST_FACES_OF_STL
        is_readable_obj = suffix == "obj" and _has_uniform_corners(data)
        if not self._document.is_mjcf_world:
            is_readable_obj = is_readable_obj and _has_one_group(data)
        if suffix == "obj" and not is_readable_obj:
            self._rewritten.add(mesh)
        if is_readable_stl or is_readable_obj:
            return self._add_mesh(data, _stem(mesh.uri), suffix, mesh.scale, triangles)
        return self._add_obj(self._context.meshes.triangles(Mesh(uri=mesh.uri)), _stem(mesh.uri), mesh.scale)

    def _add_obj(self, triangles: MeshData, stem: str, scale: Vector3) -> str:
        return self._add_mesh(obj_text(triangles).encode(), stem, "obj", scale, triangles)

    def _add_mesh(self, data: bytes, stem: str, suffix: str, scale: Vector3, triangles: MeshData) -> str:
        file = self._add_file(data, stem, suffix)
        if (file, scale) in self._meshes:
            return self._meshes[file, scale]
        name = self._document.names.take("mesh", self._document.world.name, PurePosixPath(file).stem)
        attributes = {} if name == PurePosixPath(file).stem else {"name": name}
        attributes["file"] = file
        if scale != _UNSCALED:
            attributes["scale"] = numbers_text(scale)
        if _is_shell(triangles):
            attributes["inertia"] = "shell"
        self._document.assets.append(element("mesh", attributes))
        self._meshes[file, scale] = name
        return name

    def _add_file(self, data: bytes, stem: str, suffix: str) -> str:
        """Add a file, and return its name: another one if that of a different file is taken."""
        if data not in self._files:
            name = self._names.take(stem, suffix, data)
            self._context.side_files[self._folder / name] = data
            self._files[data] = name
        return self._files[data]

    def _limited(self, mesh: str, hull_vertices: int) -> str:
        """Return the name of a mesh with a limit of the vertices of its hull, which is added if it is new."""
        if (mesh, hull_vertices) not in self._limited_meshes:
            original = next(node for node in self._document.assets if _mesh_name(node) == mesh)
            name = self._document.names.take("mesh", self._document.world.name, mesh)
            attributes = {**original.attributes, "name": name, "maxhullvert": str(hull_vertices)}
            self._document.assets.append(element("mesh", attributes))
            self._limited_meshes[mesh, hull_vertices] = name
        return self._limited_meshes[mesh, hull_vertices]

    def add_resource(self, path: str) -> str:
        """Add the file of an image, and return its path as MJCF refers to it."""
        data = self._context.meshes.resolver.read(path, self._context.meshes.limits)
        name = PurePosixPath(path.replace("\\", "/"))
        return self._add_file(data, name.stem, name.suffix.removeprefix("."))

    def height_field(self, field: HeightField) -> str:
        """Return the name of a height field, which is added if it is new."""
        if field not in self._height_fields:
            name = self._document.names.take("hfield", self._document.world.name, "terrain")
            rows = [field.elevations[start : start + field.columns] for start in range(0, len(field.elevations), field.columns)]
            attributes = {"name": name, "nrow": str(field.rows), "ncol": str(field.columns), "size": numbers_text(field.size)}
            # The first row of the attribute is the last one of the field.
            attributes["elevation"] = numbers_text([height for row in reversed(rows) for height in row])
            self._document.assets.append(element("hfield", attributes))
            self._height_fields[field] = name
        return self._height_fields[field]

    def _material(self, material: MaterialColor) -> str | None:
        """Return the name of a material of the file, which is added if it is new."""
        if material.rgba is None:
            return None
        if material not in self._materials:
            names = self._document.names
            name = names.take("material", self._document.world.name, material.name or _color_name(material.rgba))
            self._document.assets.append(element("material", {"name": name, "rgba": numbers_text(material.rgba)}))
            self._materials[material] = name
        return self._materials[material]

    def _record_materials(self, mesh: Mesh, count: int, path: str) -> None:
        """Record what becomes of the materials of the mesh of a visual shape."""
        ledger = self._document.ledger
        if mesh in self._textured:
            record_appearance(path, mesh, self._context.meshes, ledger)
        if count > 1:
            body = path.rpartition("[")[0]
            ledger.rewritten(body, f"one shape for each of {count} materials of a mesh", before=mesh.uri)

    def _record_hull(self, geometry: Mesh | TriangleMesh, path: str) -> None:
        """Record the volume by which the convex hull of a mesh, as which it collides, exceeds it."""
        excess = self._context.meshes.hull_excess(geometry)
        if excess:
            detail = "MuJoCo collides with the convex hull of a mesh"
            detail += f", larger by {excess:.2g} m³" if np.isfinite(excess) else ", and the mesh is not closed"
            self._document.ledger.approximated(f"{path}.geometry", detail)


def used_assets(assets: Iterable[XmlNode], worldbody: XmlNode) -> list[XmlNode]:
    """Return assets without the meshes that no geom uses: those of which only a hull with a limit of vertices is used."""
    used = {node.attributes.get("mesh") for node in elements_of(worldbody)}
    return [asset for asset in assets if asset.tag != "mesh" or _mesh_name(asset) in used]


def _mesh_name(node: XmlNode) -> str | None:
    """Return the name of a mesh, which is that of its file if it has no other one."""
    return node.attributes.get("name", PurePosixPath(node.attributes["file"]).stem) if node.tag == "mesh" else None


class _FileNames:
    """Names of the files in a folder, of which some file systems ignore the case. Existing files of others are kept.

    Args:
        folder: The folder.
        replaced: Names of existing files that are replaced.
    """

    def __init__(self, folder: Path, replaced: frozenset[str]) -> None:
        self._folder = folder
        self._written: set[str] = set()
        self._others: defaultdict[str, list[Path]] = defaultdict(list)
        for path in folder.iterdir() if folder.is_dir() else ():
            if path.name not in replaced:
                self._others[path.name.lower()].append(path)

    def take(self, stem: str, suffix: str, data: bytes) -> str:
        """Return the name of a new file, with a number if a file of other content has the wanted one."""
        taken = _NamesTakenFor(data, self._written, self._others)
        name = unique_name(f"{stem}.{suffix}", taken, lambda count: f"{stem}_{count}.{suffix}")
        self._written.add(name.lower())
        return name


@dataclass(frozen=True, slots=True)
class _NamesTakenFor:
    """The names that a file with this content cannot have."""

    data: bytes
    written: set[str]
    others: Mapping[str, list[Path]]

    def __contains__(self, name: object) -> bool:
        key = str(name).lower()
        return key in self.written or any(_has_other_content(path, self.data) for path in self.others.get(key, ()))


def _has_other_content(path: Path, data: bytes) -> bool:
    return path.is_file() and not (path.stat().st_size == len(data) and path.read_bytes() == data)


def _referenced_files(path: Path) -> frozenset[str]:
    """Return the names of the files to which an existing output refers, which is overwritten with them."""
    if not path.is_file():
        return frozenset()
    return frozenset(re.findall(r'\bfile="([^"/\\]+)"', path.read_text("utf-8", "replace")))


def _stem(uri: str) -> str:
    return re.sub(r"[^\w.+-]+", "_", unquote(PurePosixPath(uri.replace("\\", "/")).stem)) or "mesh"


def _has_uniform_corners(obj: bytes) -> bool:
    """Whether all corners of faces state a normal, or none does, and likewise for texture coordinates, as MuJoCo requires."""
    corners = b" ".join(_FACE_OF_OBJ.findall(obj))
    return len(set(_INDEX_OF_OBJ.sub(b"1", corners).split())) <= 1


def _has_one_group(obj: bytes) -> bool:
    """Whether all faces are in one object or group: MuJoCo reads the first one that has faces."""
    tags = b"".join(_TAG_OF_OBJ.findall(obj))
    return len([group for group in re.split(b"[og]+", tags) if group]) <= 1


_TAG_OF_OBJ = re.compile(rb"^[ \t]*([fog])(?=\s)", re.MULTILINE)
_FACE_OF_OBJ = re.compile(rb"^[ \t]*f[ \t]([^#\r\n]*)", re.MULTILINE)
_INDEX_OF_OBJ = re.compile(rb"-?\d+")


def _hull(points: Array, kind: str) -> MeshData:
    try:
        return MeshData(vertices=points, faces=convex_hull(points))
    except FlatPointsError as error:
        raise AssetError(kind, "its points span no volume") from error


def _require_volume(triangles: MeshData, path: str, *, is_visual: bool) -> None:
    """Refuse a mesh of which MuJoCo computes no convex hull, or no surface."""
    with np.errstate(over="ignore", invalid="ignore"):
        points = triangles.vertices.astype(np.float32).astype(np.float64)
        if not np.isfinite(points).all():
            raise AssetError(path, "its numbers exceed single precision")
        if is_visual:
            corners = points[triangles.faces]
            normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
            if len(points) < _FEWEST_POINTS or not np.linalg.norm(normals, axis=1).max() > 0.0:
                raise AssetError(path, "MuJoCo needs four points, and triangles with an area")
            return
        values = np.linalg.svd(points - points.mean(axis=0), compute_uv=False)
    if len(points) < _FEWEST_POINTS or not values[2] > _FLAT * max(values[0], 1e-12):
        raise AssetError(path, "its points span no volume")


_FEWEST_POINTS = 4
_FLAT = 1e-7


def _is_shell(triangles: MeshData) -> bool:
    """Whether a mesh encloses no volume from which MuJoCo could compute inertia. Its bodies state theirs."""
    corners = triangles.vertices[triangles.faces]
    center = triangles.vertices.mean(axis=0)
    a, b, c = (corners[:, number] - center for number in range(3))
    volume = abs(float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum())) / 6.0
    extents = np.ptp(triangles.vertices, axis=0)
    return not volume > max(_SMALLEST_SOLID, 1e-3 * float(np.prod(extents)))


_COLORS: tuple[tuple[str, Vector3], ...] = (
    ("black", (0.0, 0.0, 0.0)),
    ("dark_gray", (0.25, 0.25, 0.25)),
    ("gray", (0.5, 0.5, 0.5)),
    ("light_gray", (0.75, 0.75, 0.75)),
    ("white", (1.0, 1.0, 1.0)),
    ("red", (0.8, 0.1, 0.1)),
    ("green", (0.1, 0.7, 0.1)),
    ("blue", (0.1, 0.2, 0.8)),
    ("yellow", (0.9, 0.8, 0.1)),
    ("orange", (0.95, 0.5, 0.1)),
    ("brown", (0.45, 0.3, 0.15)),
)


def _color_name(rgba: Rgba) -> str:
    """Return the name of the nearest common colour."""
    return min(_COLORS, key=lambda each: sum((a - b) ** 2 for a, b in zip(each[1], rgba[:3], strict=True)))[0]
