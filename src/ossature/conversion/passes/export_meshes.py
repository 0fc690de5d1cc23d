"""Triangles inside the model as files beside the one that is written, for formats whose files hold none."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection
from pathlib import Path

from ossature.assets import AssetError, own_triangles
from ossature.conversion.passes.map_geometry import with_geometry
from ossature.diagnostics import Ledger
from ossature.model import Geometry, Mesh, MeshData, TriangleMesh, World
from ossature.syntax.number_arrays import rows_of

_LONGEST_NAME = 80


def mesh_texts(world: World, path: Path) -> dict[Path, str]:
    """Return the texts of the OBJ files that belong beside a file, one for each different mesh that the World holds itself.

    Their numbers read back to the same bits. A mesh whose triangles cannot be had has none, and neither has one whose file
    would overwrite one that was not written for the same file.
    """
    names = _FileNames(path)
    texts: dict[Path, str] = {}
    header = _header(path)

    def collect(shape: str, geometry: Geometry) -> Geometry:
        if isinstance(geometry, TriangleMesh) and _are_supported(shape):
            triangles = _had(geometry)
            if isinstance(triangles, MeshData):
                file = names.of(shape, triangles)
                if file not in texts:
                    texts[file] = header + _obj(triangles)
        return geometry

    with_geometry(world, collect)
    return {file: text for file, text in texts.items() if not _is_foreign(file, header)}


def with_mesh_files(world: World, path: Path, written: Collection[Path], ledger: Ledger) -> World:
    """Return a World whose meshes all lie in files of their own.

    Args:
        world: The World.
        path: The file beside which they lie.
        written: Which files :func:`mesh_texts` has found and the caller writes; shapes whose file is not among them are left
            out.
        ledger: Where entries go.
    """
    names = _FileNames(path)

    def named(shape: str, geometry: Geometry) -> Geometry | None:
        if not (isinstance(geometry, TriangleMesh) and _are_supported(shape)):
            return geometry
        shapes, _, number = shape.rpartition("[")
        triangles = _had(geometry)
        if not isinstance(triangles, MeshData):
            ledger.dropped(shapes, f"[{number} has triangles that cannot be had: {triangles}")
            return None
        file = names.of(shape, triangles)
        name = f"{file.parent.name}/{file.name}"
        if file not in written:
            ledger.dropped(shapes, f"[{number} has triangles that belong into {name}, which is not written")
            return None
        ledger.rewritten(f"{shape}.geometry", f"its triangles are in {name}")
        return Mesh(uri=str(path.resolve().parent / name), convex=geometry.convex)

    return with_geometry(world, named)


class _FileNames:
    """Names of files: the same ones whenever the meshes of a World are asked for in the same order."""

    def __init__(self, path: Path) -> None:
        self._folder = path.with_name(f"{path.stem}_meshes")
        self._files: dict[MeshData, Path] = {}
        self._counts: Counter[str] = Counter()

    def of(self, shape: str, triangles: MeshData) -> Path:
        """Return the file of a mesh, which bears the name of the first body that has it."""
        if triangles not in self._files:
            body = re.sub(r"[^\w-]+", "_", shape.rpartition(".")[0].partition("/")[2])[:_LONGEST_NAME]
            # Some file systems do not tell capitals from small letters.
            number = self._counts[body.lower()]
            self._counts[body.lower()] += 1
            self._files[triangles] = self._folder / f"{body}_{number}.obj"
        return self._files[triangles]


def _are_supported(shape: str) -> bool:
    """Whether these formats have such shapes at all: they know none that touch their own model alone."""
    return not shape.rpartition(".")[2].startswith("self_collisions")


def _had(mesh: TriangleMesh) -> MeshData | str:
    """Return a mesh's triangles, or why they cannot be had."""
    try:
        return own_triangles(mesh)
    except AssetError as error:
        return str(error)


def _header(path: Path) -> str:
    return f"# Triangles of {path.name!r}, written with it by Ossature.\n"


def _is_foreign(file: Path, header: str) -> bool:
    return file.exists() and not file.read_text("utf-8", "replace").startswith(header)


def _obj(triangles: MeshData) -> str:
    vertices = [f"v {vertex}\n" for vertex in rows_of(triangles.vertices)]
    # OBJ counts from one.
    faces = [f"f {face}\n" for face in rows_of(triangles.faces + 1)]
    return "".join([*vertices, *faces])
