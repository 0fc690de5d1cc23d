"""Pass: exports embedded meshes as OBJ files, for formats whose files contain no triangles."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

from ossature.assets import AssetError, embedded_triangles
from ossature.formats.format import WriteContext
from ossature.formats.passes.map_shape_geometry import with_geometry
from ossature.model import Geometry, Mesh, MeshData, TriangleMesh, World
from ossature.syntax.number_arrays import rows_of

_LONGEST_NAME = 80


def export_meshes(world: World, context: WriteContext) -> World:
    """Return a World whose meshes are all in files: an OBJ file for each distinct embedded mesh, with exact numbers.

    A shape is left out if its mesh is unavailable. Files of other outputs are not overwritten.
    """
    header = _header(context.path)
    names, ledger = _FileNames(context.path, header.encode()), context.ledger

    def exported(shape: str, geometry: Geometry) -> Geometry | None:
        if not (isinstance(geometry, TriangleMesh) and _are_supported(shape)):
            return geometry
        triangles = _triangles_of(geometry)
        if not isinstance(triangles, MeshData):
            ledger.dropped(shape, f"unavailable mesh: {triangles}")
            return None
        file = names.of(shape, triangles)
        name = f"{file.parent.name}/{file.name}"
        if file not in context.side_files:
            context.side_files[file] = (header + obj_text(triangles)).encode()
        ledger.rewritten(f"{shape}.geometry", f"the mesh is written to {name}")
        return Mesh(uri=str(context.folder / name), convex=geometry.convex)

    return with_geometry(world, exported)


class _FileNames:
    """Names of mesh files: equal meshes have one file.

    Args:
        header: The first bytes of each mesh file that an earlier output of this name wrote, and that is replaced.
    """

    def __init__(self, path: Path, header: bytes) -> None:
        self._folder = path.with_name(f"{path.stem}_meshes")
        self._header = header
        self._files: dict[MeshData, Path] = {}
        self._counts: Counter[str] = Counter()

    def of(self, shape: str, triangles: MeshData) -> Path:
        """Return the file of a mesh, named after the first body that has it."""
        if triangles not in self._files:
            body = re.sub(r"[^\w-]+", "_", shape.rpartition(".")[0].partition("/")[2])[:_LONGEST_NAME]
            self._files[triangles] = self._next_file(body)
        return self._files[triangles]

    def _next_file(self, body: str) -> Path:
        while True:
            # Some file systems ignore case.
            number = self._counts[body.lower()]
            self._counts[body.lower()] += 1
            file = self._folder / f"{body}_{number}.obj"
            if not file.exists() or self._is_own(file):
                return file

    def _is_own(self, file: Path) -> bool:
        if not file.is_file():
            return False
        with file.open("rb") as stream:
            return stream.read(len(self._header)) == self._header


def _are_supported(shape: str) -> bool:
    """Whether the formats without triangles support a shape: they have no separate shapes for self-collisions."""
    return not shape.rpartition(".")[2].startswith("self_collisions")


def _triangles_of(mesh: TriangleMesh) -> MeshData | str:
    try:
        return embedded_triangles(mesh)
    except AssetError as error:
        return str(error)


def _header(path: Path) -> str:
    return f"# Triangles of {path.name!r}, written with it by Ossature.\n"


def obj_text(triangles: MeshData) -> str:
    """Return the text of an OBJ file."""
    vertices = [f"v {vertex}\n" for vertex in rows_of(triangles.vertices)]
    # OBJ indices are one-based.
    faces = [f"f {face}\n" for face in rows_of(triangles.faces + 1)]
    return "".join([*vertices, *faces])
