"""A cache of triangle meshes, loaded on demand."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path, PurePath

import numpy as np

from ossature.assets.mesh_file_bytes import unpack_mesh_bytes
from ossature.assets.mesh_formats import READERS
from ossature.assets.mesh_formats.mesh_assembly import without_unused_points
from ossature.assets.resolver import (
    AssetError,
    Resolver,
    data_path_from_environment,
    search_path_from_environment,
)
from ossature.diagnostics import Budget, LimitError, Limits
from ossature.model import Mesh, MeshData, TriangleMesh, World

READABLE_SUFFIXES = tuple(sorted([*READERS, "zae"]))
"""Mesh formats that can be read."""

LARGEST_SCALE = 1e9
"""Meshes are not scaled by more: their coordinates would no longer be numbers to compute with."""


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

    @classmethod
    def of(cls, world: World, limits: Limits | None = None) -> MeshStore:
        """Return a store for the meshes of a World: those in its file's folder, and in the search path.

        Args:
            world: The World.
            limits: Limits of reading each file; the default limits if None.
        """
        folder = Path(world.origin.file).absolute().parent if world.origin is not None else None
        return cls(
            Resolver(
                folder=folder,
                search_path=search_path_from_environment(),
                data_path=data_path_from_environment(),
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
        plain = self._loaded[mesh.uri]
        if mesh.scale == (1.0, 1.0, 1.0):
            return plain
        if max(map(abs, mesh.scale)) > LARGEST_SCALE:
            raise AssetError(mesh.uri, f"scaled by {max(mesh.scale, key=abs):g}, beyond all measure")
        mirrored = np.prod(mesh.scale) < 0.0
        faces = plain.faces[:, ::-1] if mirrored else plain.faces
        return MeshData(vertices=plain.vertices * np.array(mesh.scale), faces=np.ascontiguousarray(faces))

    def _load(self, uri: str) -> MeshData:
        suffix = PurePath(uri).suffix.removeprefix(".").lower()
        if suffix not in READABLE_SUFFIXES:
            raise AssetError(uri, f"'{suffix}' meshes cannot be read", hint=f"readable: {', '.join(READABLE_SUFFIXES)}")
        data = unpack_mesh_bytes(uri, suffix, self.resolver.read(uri, self.limits), self.limits)
        read = READERS["dae" if suffix == "zae" else suffix]
        budget = Budget(self.limits)
        budget.begin()
        try:
            with np.errstate(over="ignore", invalid="ignore"):
                triangles = read(data, lambda name: self.resolver.read_sibling(uri, name, self.limits), budget)
        except LimitError as error:
            raise AssetError(uri, f"cannot be read as {suffix}: {error.message}", (), error.hint, error.rule) from error
        except (ValueError, LookupError, OverflowError, MemoryError) as error:
            raise AssetError(uri, f"cannot be read as {suffix}: {error}") from error
        return _require_valid_mesh(uri, triangles)


def embedded_triangles(mesh: TriangleMesh) -> MeshData:
    """Return the triangles of an embedded mesh, without unused vertices.

    Raises:
        AssetError: They cannot be loaded, or are invalid.
    """
    return without_unused_points(_require_valid_mesh("triangle mesh", mesh.surface.triangles))


def _require_valid_mesh(uri: str, triangles: MeshData) -> MeshData:
    # Invalid numbers that pass here would reach the engine, which is written in C.
    if len(triangles.faces) == 0:
        raise AssetError(uri, "contains no triangles")
    if not np.isfinite(triangles.vertices).all():
        raise AssetError(uri, "has vertices that are not finite")
    if triangles.faces.min() < 0 or triangles.faces.max() >= len(triangles.vertices):
        raise AssetError(uri, f"has triangles of other vertices than its {len(triangles.vertices)}")
    return triangles
