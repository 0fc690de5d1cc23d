"""Reader of SDFormat links."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ossature.assets import MeshStore
from ossature.diagnostics import Report, shared_rules
from ossature.formats.sdf import rules
from ossature.formats.sdf.frame_graph import FrameGraph, Vertex
from ossature.formats.sdf.passthrough import FORMAT, extensions_of, unrepresented
from ossature.formats.sdf.read_pose import pose_of
from ossature.formats.sdf.read_shapes import read_color, read_geometry, read_material
from ossature.formats.sdf.schema import SdfCollisionElement, SdfInertialElement, SdfLinkElement, SdfVisualElement
from ossature.formats.sdf.schema_shapes import FrictionElement, SdfMeshElement, SdfPlaneElement, SurfaceElement
from ossature.kinematics.inertia_inference import inertial_of_solids
from ossature.model import Body, Collision, Extension, Frame, Inertial, Visual
from ossature.model.unique_names import take_unique_name
from ossature.spatial import Matrix3, Pose, rotated_tensor
from ossature.syntax import rules as syntax_rules
from ossature.syntax import xml_fixes
from ossature.syntax.xml_fixes import fix_of
from ossature.syntax.xml_values import format_number

_DENSITY = 1000.0
"""Density of shapes from which inertia is computed, if the file states none [kg/m³]."""
_UNIT_TENSOR: Matrix3 = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkPlacement:
    """What the outermost model determines about a link.

    Attributes:
        name: Its name there.
        pose: Its frame in that of the model.
        frames: The named frames that are fixed to it.
        self_collide: Whether links of its model collide with each other.
    """

    name: str
    pose: Pose
    frames: Sequence[Frame]
    self_collide: bool


class LinkReader:
    """Reads links.

    Args:
        folder: The folder of the main file; None leaves relative paths of meshes unchanged.
        meshes: The meshes, for an inertia that is computed.
        graph: The frames, for poses of shapes.
    """

    def __init__(self, folder: Path | None, meshes: MeshStore, graph: FrameGraph, report: Report) -> None:
        self._folder = folder
        self._meshes = meshes
        self._graph = graph
        self._report = report

    def body(self, vertex: Vertex, placement: LinkPlacement) -> Body:
        """Return the body of a ``<link>``."""
        element = vertex.element
        assert isinstance(element, SdfLinkElement)  # noqa: S101  # the caller passes links
        for elements in (element.visual, element.collision):
            self._report_duplicates(elements)
        visuals = [visual for one in element.visual if (visual := self._visual(vertex, one)) is not None]
        pairs = [(one, shape) for one in element.collision if (shape := self._collision(vertex, one)) is not None]
        return Body(
            name=placement.name,
            pose=placement.pose,
            inertial=self._inertial(element.inertial, pairs),
            visuals=tuple(visuals),
            collisions=tuple([shape for _, shape in pairs]),
            frames=tuple(placement.frames),
            gravity=element.gravity,
            self_collide=placement.self_collide if element.self_collide is None else element.self_collide,
            extensions=_extensions(element),
            origin=element.location(),
        )

    def _report_duplicates(self, elements: Sequence[SdfVisualElement | SdfCollisionElement]) -> None:
        taken = {element.name for element in elements if element.name is not None}
        seen: set[str | None] = set()
        for element in elements:
            if element.name is not None and element.name in seen:
                self._report.add(
                    rules.DUPLICATE_NAME,
                    f"duplicate name '{element.name}'",
                    element.location("name"),
                    hint="give each shape of a link a unique name",
                    fix=fix_of(element.node, xml_fixes.replace_value, "name", take_unique_name(element.name, taken)),
                )
            seen.add(element.name)

    def _visual(self, vertex: Vertex, element: SdfVisualElement) -> Visual | None:
        geometry = read_geometry(element, self._folder, self._report)
        if geometry is None:
            return None
        return Visual(
            geometry=geometry,
            pose=self._graph.pose_inside(vertex, element),
            color=read_color(element.material, element.transparency),
            name=element.name or None,
            origin=element.location(),
        )

    def _collision(self, vertex: Vertex, element: SdfCollisionElement) -> Collision | None:
        geometry = read_geometry(element, self._folder, self._report)
        if geometry is None:
            return None
        return Collision(
            geometry=geometry,
            pose=self._graph.pose_inside(vertex, element),
            material=read_material(element.surface),
            name=element.name or None,
            origin=element.location(),
        )

    def _inertial(
        self, element: SdfInertialElement | None, shapes: Sequence[tuple[SdfCollisionElement, Collision]]
    ) -> Inertial:
        if element is None:
            return Inertial(mass=1.0, moment=_UNIT_TENSOR)
        if element.auto and shapes:
            default = _DENSITY if element.density is None else element.density
            densities = [default if one.density is None else one.density for one, _ in shapes]
            computed, unavailable = inertial_of_solids([shape for _, shape in shapes], densities, self._meshes)
            for problem in unavailable:
                message, hint = f"the computed inertia is {problem}", "add --search-path, or state the inertia"
                self._report.add(shared_rules.MISSING_FILE, message, element.location(), hint=hint)
            if computed is not None:
                return computed if element.mass is None else _with_mass(computed, element.mass)
            if not unavailable:
                message = "the shapes have no volume: using the stated inertia, or 1 kg and 1 kg·m²"
                self._report.add(syntax_rules.DEFAULT_USED, message, element.location(), hint="state <mass> and <inertia>")
        frame = pose_of(element.pose, self._report)
        return Inertial(
            mass=1.0 if element.mass is None else element.mass,
            center_of_mass=frame.position,
            moment=rotated_tensor(_tensor(element), frame.wxyz),
        )


def _tensor(element: SdfInertialElement) -> Matrix3:
    specified = element.inertia
    if specified is None:
        return _UNIT_TENSOR
    return (
        (specified.ixx, specified.ixy, specified.ixz),
        (specified.ixy, specified.iyy, specified.iyz),
        (specified.ixz, specified.iyz, specified.izz),
    )


def _with_mass(inertial: Inertial, mass: float) -> Inertial:
    factor = mass / inertial.mass
    rows = [tuple([factor * value for value in row]) for row in inertial.moment or _UNIT_TENSOR]
    return Inertial(mass=mass, center_of_mass=inertial.center_of_mass, moment=(rows[0], rows[1], rows[2]))  # type: ignore[arg-type]


def _extensions(element: SdfLinkElement) -> tuple[Extension, ...]:
    found = [*extensions_of(element), *extensions_of(element.inertial, "inertial/")]
    for visual in element.visual:
        prefix, material = f"visual {visual.name}/", visual.material
        pbr = material.pbr if material is not None else None
        metal = pbr.metal if pbr is not None else None
        found += extensions_of(visual, prefix)
        found += _transparency(visual, prefix)
        found += _plane_size(visual, prefix)
        found += _mesh_in_part(visual, prefix)
        has_color = read_color(material, 0.0) is not None
        found += unrepresented(material, ("specular", "emissive", *(() if has_color else ("script",))), prefix)
        found += unrepresented(metal, ("albedo_map", "roughness", "metalness"), f"{prefix}pbr/")
        found += extensions_of(material, f"{prefix}material/")
        found += extensions_of(pbr, f"{prefix}pbr/")
        found += extensions_of(metal, f"{prefix}metal/")
    for collision in element.collision:
        prefix, surface = f"collision {collision.name}/", collision.surface
        friction = surface.friction if surface is not None else None
        found += extensions_of(collision, prefix)
        found += _plane_size(collision, prefix)
        found += _mesh_in_part(collision, prefix)
        found += extensions_of(surface, f"{prefix}surface/")
        found += extensions_of(friction, f"{prefix}friction/")
        found += extensions_of(surface.contact if surface is not None else None, f"{prefix}contact/")
        found += _bounce_with_threshold(surface, prefix)
        found += _friction_by_direction(friction, prefix)
    return tuple(found)


def _bounce_with_threshold(surface: SurfaceElement | None, prefix: str) -> tuple[Extension, ...]:
    """Return restitution that acts above a speed as text, because that of the model acts at each."""
    bounce = surface.bounce if surface is not None else None
    return unrepresented(bounce, ("threshold",), prefix) if bounce is not None and bounce.threshold != 0.0 else ()


def _friction_by_direction(friction: FrictionElement | None, prefix: str) -> tuple[Extension, ...]:
    """Return friction that states more than one equal coefficient of both directions as text."""
    if friction is None:
        return ()
    ode, bullet, prefix = friction.ode, friction.bullet, f"{prefix}friction/"
    is_isotropic = ode is not None and ode.mu2 == ode.mu
    found = unrepresented(ode, ("fdir1", "slip1", "slip2", *(() if is_isotropic else ("mu2",))), prefix)
    is_isotropic = bullet is not None and bullet.friction2 == bullet.friction
    return found + unrepresented(bullet, ("fdir1", *(() if is_isotropic else ("friction2",))), prefix)


def _plane_size(element: SdfVisualElement | SdfCollisionElement, prefix: str) -> tuple[Extension, ...]:
    """Return a plane that states a size as text, because the planes of the model are infinite."""
    shape = element.geometry.shape if element.geometry is not None else None
    return unrepresented(shape if isinstance(shape, SdfPlaneElement) else None, ("size",), prefix)


def _mesh_in_part(element: SdfVisualElement | SdfCollisionElement, prefix: str) -> tuple[Extension, ...]:
    """Return a mesh of which the file means a part, or convex parts, as text, because the model does not compute them."""
    shape = element.geometry.shape if element.geometry is not None else None
    if not isinstance(shape, SdfMeshElement):
        return ()
    is_decomposed = isinstance(element, SdfCollisionElement) and shape.optimization == "convex_decomposition"
    return unrepresented(shape, ("submesh", *(("optimization",) if is_decomposed else ())), prefix)


def _transparency(visual: SdfVisualElement, prefix: str) -> tuple[Extension, ...]:
    """Return the transparency of a visual without a colour, whose mesh has its own, as text."""
    if not visual.transparency or read_color(visual.material, visual.transparency) is not None:
        return ()
    return (Extension(format=FORMAT, key=f"{prefix}transparency", value=format_number(visual.transparency)),)
