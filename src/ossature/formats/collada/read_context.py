"""Context of the reader, and unique names."""

from __future__ import annotations

from dataclasses import dataclass, field

from ossature.assets.document_store import DocumentKey
from ossature.diagnostics import Location, Report
from ossature.formats.collada import rules
from ossature.formats.collada.document_lookup import Document, Documents
from ossature.formats.collada.geometry.read_mesh import MeshPoints, surface_of
from ossature.formats.collada.geometry.schema import MeshElement, Primitive
from ossature.model import LazyMesh
from ossature.model.unique_names import take_unique_name

FORMAT = "collada"


@dataclass(frozen=True, slots=True, kw_only=True)
class ColladaReadContext:
    """Context for reading one document.

    Attributes:
        as_openrave: Whether to read as OpenRAVE does where it differs from COLLADA.
        ancestors: Keys of the documents of which this one is a part.
        surfaces: Meshes of groups of faces, so that instances of the same group share a mesh.
        points: Points of meshes, by the id of the mesh element.
    """

    report: Report
    documents: Documents
    document: Document
    as_openrave: bool = False
    ancestors: tuple[DocumentKey, ...] = ()
    surfaces: dict[int, tuple[Primitive, LazyMesh]] = field(default_factory=dict, repr=False)
    points: dict[int, tuple[MeshElement, MeshPoints]] = field(default_factory=dict, repr=False)

    def surface(self, mesh: MeshElement, primitive: Primitive, meter: float, name: str) -> LazyMesh:
        """Return the mesh of a group of faces, the same object for the same group; see :func:`surface_of`."""
        known = self.surfaces.get(id(primitive))  # the entry refers to the group, which keeps its id unique
        if known is None:
            points = self.points.setdefault(id(mesh), (mesh, MeshPoints(mesh, meter, self.report.budget)))[1]
            known = self.surfaces[id(primitive)] = (primitive, surface_of(points, primitive, name))
        return known[1]


@dataclass(slots=True)
class Names:
    """Makes names unique."""

    report: Report
    what: str
    taken: set[str] = field(default_factory=set)

    def claim_unique(self, name: str | None, default: str, location: Location | None) -> str:
        """Return the name, or a unique variant of it with a finding if it is missing or in use."""
        unique = take_unique_name(name or default, self.taken)
        if unique != name:
            problem = f"duplicate name '{name}'" if name else "missing name"
            self.report.add(rules.RENAMED_BODY, f"{problem}: this {self.what} is named '{unique}'", location)
        return unique
