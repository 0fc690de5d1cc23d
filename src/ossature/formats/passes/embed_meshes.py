"""Pass: embeds mesh files as triangles, for formats whose files contain them."""

from __future__ import annotations

import re

from ossature.assets import AssetError, MeshStore
from ossature.diagnostics import Ledger
from ossature.formats.format import WriteContext
from ossature.formats.passes.map_shape_geometry import with_geometry
from ossature.model import Geometry, LazyMesh, Mesh, TriangleMesh, World

_APPEARANCE = {
    "dae": (b"<library_effects", b"<library_images"),
    "obj": (b"usemtl",),
    "gltf": (b'"materials"',),
    "glb": (b'"materials"',),
    "ply": (b"property uchar red",),
}
"""Content of mesh files with colours or textures, by suffix."""
_GROUP_OF_OBJ = re.compile(rb"^[ \t]*[og][ \t]+([^\r\n]+)", re.MULTILINE)


def embed_meshes(world: World, context: WriteContext) -> World:
    """Return a World with embedded, scaled meshes; a shape whose file is unavailable is left out."""
    known: dict[Mesh, LazyMesh] = {}

    def embedded(path: str, geometry: Geometry) -> Geometry | None:
        if not isinstance(geometry, Mesh):
            return geometry
        try:
            if geometry not in known:
                known[geometry] = LazyMesh(context.meshes.triangles(geometry))
        except AssetError as error:
            context.ledger.dropped(path, f"unavailable mesh: {error.reason}", before=geometry.uri)
            return None
        context.ledger.rewritten(f"{path}.geometry", "the mesh is embedded", before=geometry.uri)
        record_appearance(path, geometry, context.meshes, context.ledger)
        record_groups(path, geometry, context.meshes, context.ledger)
        return TriangleMesh(surface=known[geometry], convex=geometry.convex)

    return with_geometry(world, embedded)


def record_lost_visuals(world: World, meshes: MeshStore, ledger: Ledger) -> None:
    """Record visuals that vanish, because their mesh files are unavailable, and those that lose their colours and textures."""

    def record(path: str, geometry: Geometry) -> Geometry:
        if isinstance(geometry, Mesh) and ".visuals[" in path:
            try:
                meshes.triangles(geometry)
                record_appearance(path, geometry, meshes, ledger)
            except AssetError as error:
                ledger.dropped(path, f"unavailable mesh: {error.reason}", before=geometry.uri)
        return geometry

    with_geometry(world, record)


def record_groups(path: str, mesh: Mesh, meshes: MeshStore, ledger: Ledger) -> None:
    """Record the names of objects and groups in an OBJ file, which triangles do not have."""
    if mesh.uri.rpartition(".")[2].lower() != "obj":
        return
    names = dict.fromkeys(_GROUP_OF_OBJ.findall(meshes.resolver.read(mesh.uri, meshes.limits)))
    if names:
        stated = ", ".join([name.decode("utf-8", "replace").strip() for name in names])
        ledger.omitted(f"{path}.geometry", "names of objects and groups in the mesh file", before=stated)


def record_appearance(path: str, mesh: Mesh, meshes: MeshStore, ledger: Ledger) -> None:
    """Record that a visual shape loses the colours and textures of its mesh file, if it has any."""
    marks = _APPEARANCE.get(mesh.uri.rpartition(".")[2].lower(), ())
    if ".visuals[" not in path or not marks:
        return
    data = meshes.resolver.read(mesh.uri, meshes.limits)
    if any(mark in data for mark in marks):
        ledger.dropped(f"{path}.geometry", "colours and textures in the mesh file", before=mesh.uri)
