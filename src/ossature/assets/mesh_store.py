"""A cache of triangle meshes, loaded on demand."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import TYPE_CHECKING, TypeVar

from ossature.argument_types import typed_arguments, typed_fields
from ossature.assets.archive import is_archive, open_archive
from ossature.assets.archive_main_document import main_document
from ossature.assets.uri_resolver import (
    NO_FILE_NAME,
    AssetError,
    Resolver,
    data_path_from_environment,
    search_path_from_environment,
)
from ossature.diagnostics import Budget, LimitError, Limits, Report, Source
from ossature.model import Mesh, MeshData, TriangleMesh, World
from ossature.model.mesh_convexity import is_convex_mesh
from ossature.model.shape_mass_properties import is_closed, mesh_integrals, mesh_mass_properties

if TYPE_CHECKING:
    from ossature.assets.mesh_formats import ReadSibling
    from ossature.assets.mesh_formats.mesh_assembly import ColoredPart

T = TypeVar("T")

READABLE_SUFFIXES = ("dae", "glb", "gltf", "obj", "off", "ply", "stl", "zae")
"""Mesh formats that can be read."""

LARGEST_SCALE = 1e9
"""Meshes are not scaled by more: their coordinates would no longer be numbers to compute with."""
LARGEST_COORDINATE = 1e29
"""Vertices of mesh files are not farther from the origin along an axis; even scaled, they fit into single precision."""


@typed_fields
@dataclass(frozen=True, slots=True)
class MeshStore:
    """Loads meshes through a resolver and caches them.

    Attributes:
        resolver: Finds files.
        limits: Limits of reading each file.
    """

    resolver: Resolver = field(default_factory=Resolver)
    limits: Limits = field(default_factory=Limits)
    _loaded: dict[str, MeshData] = field(default_factory=dict, compare=False, repr=False)
    _parts: dict[str, list[ColoredPart]] = field(default_factory=dict, compare=False, repr=False)
    _hull_excesses: dict[Mesh | TriangleMesh, float] = field(default_factory=dict, compare=False, repr=False)

    @classmethod
    @typed_arguments
    def of(cls, world: World, limits: Limits | None = None) -> MeshStore:
        """Return a store for the meshes of a World: those in its file's folder, and in the folders with which it was read.

        Args:
            world: The World.
            limits: Limits of reading each file; the default limits if None.
        """
        source = None if world.origin is None else world.origin.source
        specified = () if source is None else source.search_path
        return cls(
            Resolver(
                folder=None if source is None else source.folder,
                search_path=tuple(dict.fromkeys((*specified, *search_path_from_environment()))),
                data_path=data_path_from_environment(),
                allowed=() if source is None else source.allowed,
            ),
            limits or Limits(),
        )

    def triangles(self, mesh: Mesh | TriangleMesh) -> MeshData:
        """Return the triangles of a mesh, with its scale applied.

        Raises:
            AssetError: The file cannot be found, has an unsupported format, exceeds a limit, or contains no triangles.
        """
        if isinstance(mesh, TriangleMesh):
            return embedded_triangles(mesh)
        if mesh.uri not in self._loaded:
            self._loaded[mesh.uri] = self._load(mesh.uri)
        return scaled_triangles(self._loaded[mesh.uri], mesh)

    def hull_excess(self, mesh: Mesh | TriangleMesh) -> float:
        """Return the volume by which the convex hull of a mesh exceeds it [m³], infinite if the mesh is not closed.

        Raises:
            AssetError: As :meth:`triangles`.
        """
        if mesh not in self._hull_excesses:
            triangles = self.triangles(mesh)
            if is_convex_mesh(triangles.vertices, triangles.faces):
                excess = 0.0
            elif not is_closed(triangles):
                excess = math.inf
            else:
                excess = mesh_mass_properties(triangles, convex=True).volume - abs(mesh_integrals(triangles)[0])
            self._hull_excesses[mesh] = excess
        return self._hull_excesses[mesh]

    def colored_parts(self, uri: str) -> list[ColoredPart]:
        """Return the triangles of a mesh file, one part for each of its materials; one without colour if it states none.

        Raises:
            AssetError: The file cannot be found, has an unsupported format, exceeds a limit, or contains no triangles.
        """
        from ossature.assets.mesh_formats import PART_READERS
        from ossature.assets.mesh_formats.mesh_assembly import ColoredPart, MaterialColor

        read = PART_READERS.get(mesh_suffix(uri))
        if read is None:
            return [ColoredPart(MaterialColor(None, None), self.triangles(Mesh(uri=uri)))]
        if uri not in self._parts:
            parts = [part for part in self._read(uri, read) if len(part.triangles.faces)]
            for part in parts:
                _require_valid_mesh(uri, part.triangles)
            self._parts[uri] = parts
        return list(self._parts[uri])

    def _load(self, uri: str) -> MeshData:
        from ossature.assets.mesh_formats import READERS  # loads NumPy

        return _require_valid_mesh(uri, self._read(uri, READERS.get(mesh_suffix(uri))))

    def _read(self, uri: str, read: Callable[[bytes, ReadSibling, Budget], T] | None) -> T:
        import numpy as np

        suffix = PurePath(uri).suffix.removeprefix(".").lower()
        if not uri:
            raise AssetError(uri, NO_FILE_NAME, hint="state a file, or remove the element")
        if read is None:
            raise AssetError(uri, f"'{suffix}' meshes cannot be read", hint=f"readable: {', '.join(READABLE_SUFFIXES)}")
        data = unpack_mesh_bytes(uri, suffix, self.resolver.read(uri, self.limits), self.limits)
        budget = Budget(self.limits)
        budget.begin()
        try:
            with np.errstate(over="ignore", invalid="ignore"):
                return read(data, lambda name: self.resolver.read_sibling(uri, name, self.limits), budget)
        except LimitError as error:
            raise AssetError(uri, f"cannot be read as {suffix}: {error.message}", (), error.hint, error.rule) from error
        except (ValueError, LookupError, OverflowError, MemoryError) as error:
            raise AssetError(uri, f"cannot be read as {suffix}: {error}") from error


def scaled_triangles(plain: MeshData, mesh: Mesh) -> MeshData:
    """Return triangles of a mesh file with the scale of a mesh applied.

    Raises:
        AssetError: The scale is too large.
    """
    if mesh.scale == (1.0, 1.0, 1.0):
        return plain
    if max(map(abs, mesh.scale)) > LARGEST_SCALE:
        raise AssetError(mesh.uri, f"scaled by {max(mesh.scale, key=abs):g}, beyond all measure")
    import numpy as np

    mirrored = np.prod(mesh.scale) < 0.0
    faces = plain.faces[:, ::-1] if mirrored else plain.faces
    return MeshData(vertices=plain.vertices * np.array(mesh.scale), faces=np.ascontiguousarray(faces))


def mesh_suffix(uri: str) -> str:
    """Return the format of a mesh file by its suffix; a compressed COLLADA document is one of COLLADA."""
    suffix = PurePath(uri).suffix.removeprefix(".").lower()
    return "dae" if suffix == "zae" else suffix


def embedded_triangles(mesh: TriangleMesh) -> MeshData:
    """Return the triangles of an embedded mesh, without unused vertices.

    Raises:
        AssetError: They cannot be loaded, or are invalid.
    """
    from ossature.assets.mesh_formats.mesh_assembly import without_unused_points

    return without_unused_points(_require_valid_mesh("triangle mesh", mesh.surface.triangles))


def _require_valid_mesh(uri: str, triangles: MeshData) -> MeshData:
    import numpy as np

    # Invalid numbers that pass here would reach the engine, which is written in C.
    if len(triangles.faces) == 0:
        raise AssetError(uri, "contains no triangles")
    if not np.isfinite(triangles.vertices).all():
        raise AssetError(uri, "has vertices that are not finite")
    if np.abs(triangles.vertices).max() > LARGEST_COORDINATE:
        raise AssetError(uri, f"has coordinates beyond {LARGEST_COORDINATE:g}")
    if triangles.faces.min() < 0 or triangles.faces.max() >= len(triangles.vertices):
        raise AssetError(uri, f"has triangles of other vertices than its {len(triangles.vertices)}")
    return triangles


def unpack_mesh_bytes(uri: str, suffix: str, data: bytes, limits: Limits) -> bytes:
    """Return a mesh file's bytes, unpacked.

    Args:
        uri: The file, for messages.
        suffix: Its format; a ``zae`` becomes the ``dae`` in it, unless it is one already.

    Raises:
        AssetError: The archive cannot be read or exceeds a limit, or the file is one without being called so.
    """
    if suffix == "zae" and is_archive(data):
        data = _read_main_document(uri, data, limits)
    if suffix in ("dae", "zae") and is_archive(data):
        raise AssetError(uri, "is an archive, not a .dae file", hint="name it .zae")
    return data


def _read_main_document(uri: str, data: bytes, limits: Limits) -> bytes:
    # The choice of the document is a finding for a model; for a mesh only its failure matters.
    report = Report(limits=limits)
    archive = open_archive(Source(uri, data), report)
    main = main_document(archive, report)
    if main is None:
        reason = report.errors[-1]
        raise AssetError(uri, reason.message, hint=reason.hint)
    return archive.read(main.path)
