"""What every part of the reader knows."""

from __future__ import annotations

from dataclasses import dataclass, field

from ossature.assets.document_store import DocumentKey
from ossature.diagnostics import Location, Report
from ossature.formats.collada import rules
from ossature.formats.collada.document_lookup import Document, Documents
from ossature.formats.collada.read_mesh import MeshPoints, surface_of
from ossature.formats.collada.schema_visual import MeshElement, Primitive
from ossature.model import LazyMesh
from ossature.model.unique_names import unique_name

FORMAT = "collada"


@dataclass(frozen=True, slots=True, kw_only=True)
class ColladaReadContext:
    """One reading of a document.

    Attributes:
        report: Where findings go.
        documents: Where references lead.
        document: The document that is read.
        as_openrave: Whether to read as the program does where it differs from COLLADA.
        around: By what the store knows the documents of which this one is a part.
        surfaces: The surfaces of groups of faces, so that those who use the same faces have the same surface.
        points: The points of meshes, by the identity of the mesh.
    """

    report: Report
    documents: Documents
    document: Document
    as_openrave: bool = False
    around: tuple[DocumentKey, ...] = ()
    surfaces: dict[int, tuple[Primitive, LazyMesh]] = field(default_factory=dict, repr=False)
    points: dict[int, tuple[MeshElement, MeshPoints]] = field(default_factory=dict, repr=False)

    def surface(self, mesh: MeshElement, primitive: Primitive, meter: float, name: str) -> LazyMesh:
        """Return the surface of a group of faces, the same one for the same group; see :func:`surface_of`."""
        known = self.surfaces.get(id(primitive))  # the group stays, and with it its identity
        if known is None:
            points = self.points.setdefault(id(mesh), (mesh, MeshPoints(mesh, meter, self.report.budget)))[1]
            known = self.surfaces[id(primitive)] = (primitive, surface_of(points, primitive, name))
        return known[1]

    @property
    def values_in_radians(self) -> bool:
        """Whether joint values, speeds and accelerations of turns are in radians."""
        return self.document.writes_radians


@dataclass(slots=True)
class Names:
    """Gives unique names."""

    report: Report
    what: str
    taken: set[str] = field(default_factory=set)

    def take(self, name: str | None, default: str, location: Location | None) -> str:
        """Return the name, or another one like it where it is missing or taken, with a finding."""
        wanted = name or default
        unique = unique_name(wanted, self.taken, lambda count: f"{wanted}_{count}", first=2)
        self.taken.add(unique)
        if unique != name:
            problem = f"the name '{name}' is taken" if name else "there is no name"
            self.report.add(rules.RENAMED_BODY, f"{problem}: this {self.what} is called '{unique}'", location)
        return unique
