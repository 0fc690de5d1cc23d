"""Pass: embeds mesh files as triangles, for formats whose files contain them."""

from __future__ import annotations

from ossature.assets import AssetError
from ossature.formats.format import WriteContext
from ossature.formats.passes.geometry_mapping import with_geometry
from ossature.model import Geometry, LazyMesh, Mesh, TriangleMesh, World


def embed_meshes(world: World, context: WriteContext) -> World:
    """Return a World with embedded, scaled meshes; one whose file is unavailable is unchanged."""
    known: dict[Mesh, LazyMesh] = {}

    def embedded(path: str, geometry: Geometry) -> Geometry:
        if not isinstance(geometry, Mesh):
            return geometry
        try:
            if geometry not in known:
                known[geometry] = LazyMesh(context.meshes.triangles(geometry))
        except AssetError as error:
            context.ledger.dropped(f"{path}.geometry", f"unavailable mesh: {error}")
            return geometry
        context.ledger.rewritten(f"{path}.geometry", f"the mesh {geometry.uri} is embedded")
        return TriangleMesh(surface=known[geometry], convex=geometry.convex)

    return with_geometry(world, embedded)
