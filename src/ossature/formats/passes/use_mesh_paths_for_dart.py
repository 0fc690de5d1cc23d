"""Pass: states mesh files by paths that DART opens, and leaves out meshes that it cannot open."""

from __future__ import annotations

from pathlib import PurePath

from ossature.assets import AssetError
from ossature.formats.format import WriteContext
from ossature.formats.passes.map_shape_geometry import with_geometry
from ossature.model import Geometry, LazyMesh, Mesh, TriangleMesh, World


def use_mesh_paths_for_dart(world: World, context: WriteContext) -> World:
    """Return a World whose mesh files are stated by absolute paths.

    DART has no search path for packages, and terminates if a mesh of a file is missing, empty or invalid; so these are left
    out. Compressed COLLADA, which it cannot open, becomes an embedded mesh.
    """
    meshes, ledger = context.meshes, context.ledger

    def located(shape: str, geometry: Geometry) -> Geometry | None:
        if not isinstance(geometry, Mesh) or geometry.uri.startswith("dart://sample/"):
            return geometry
        try:
            triangles = meshes.triangles(geometry)
            path = str(meshes.resolver.locate(geometry.uri))
        except AssetError as error:
            ledger.dropped(shape, f"mesh that DART cannot open: {error.reason}", before=geometry.uri)
            return None
        if PurePath(path).suffix.lower() == ".zae":
            return TriangleMesh(surface=LazyMesh(triangles), convex=geometry.convex)
        if path == geometry.uri:
            return geometry
        detail = "a path instead of a URI, because DART finds no packages"
        ledger.rewritten(f"{shape}.geometry.uri", detail, before=geometry.uri, after=path)
        return Mesh(uri=path, scale=geometry.scale, convex=geometry.convex)

    return with_geometry(world, located)
