"""Meshes of files as triangles inside the model, for formats whose files hold them."""

from __future__ import annotations

from ossature.assets import AssetError, MeshStore
from ossature.conversion.passes.map_geometry import with_geometry
from ossature.diagnostics import Ledger
from ossature.model import Geometry, LazyMesh, Mesh, TriangleMesh, World


def embed_meshes(world: World, meshes: MeshStore, ledger: Ledger) -> World:
    """Return a World whose meshes hold their triangles themselves, scaled.

    A mesh whose file cannot be had stays what it is.

    Args:
        world: The World.
        meshes: Where the files come from.
        ledger: Where goes what was taken into the model, and what could not be.
    """
    known: dict[Mesh, LazyMesh] = {}

    def embedded(path: str, geometry: Geometry) -> Geometry:
        if not isinstance(geometry, Mesh):
            return geometry
        try:
            if geometry not in known:
                known[geometry] = LazyMesh(meshes.triangles(geometry))
        except AssetError as error:
            ledger.dropped(f"{path}.geometry", f"its triangles, which cannot be had: {error}")
            return geometry
        ledger.rewritten(f"{path}.geometry", f"it holds the triangles of {geometry.uri}")
        return TriangleMesh(surface=known[geometry], convex=geometry.convex)

    return with_geometry(world, embedded)
