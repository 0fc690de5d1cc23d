"""Rigid bodies of COLLADA → mass, what is touched, and what never moves."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from ossature.assets import AssetError
from ossature.diagnostics import Location
from ossature.formats.collada import rules
from ossature.formats.collada.document_lookup import Item
from ossature.formats.collada.node_instances import NodeInstance, VisualTree
from ossature.formats.collada.read_context import ColladaReadContext
from ossature.formats.collada.read_kinematic_graph import LinkFrame
from ossature.formats.collada.read_scene import DocumentScene
from ossature.formats.collada.read_shape import ShapePart, read_geometry, simple_shape
from ossature.formats.collada.read_visual import NodeOwners
from ossature.formats.collada.schema import InstanceSceneElement
from ossature.formats.collada.schema_common import ExtraElement
from ossature.formats.collada.schema_physics import (
    InstancePhysicsModelElement,
    InstanceRigidBodyElement,
    PhysicsMaterialElement,
    PhysicsModelElement,
    RigidBodyElement,
    RigidBodyTechniqueElement,
    ShapeElement,
)
from ossature.formats.collada.schema_visual import GeometryElement, InstanceGeometryElement
from ossature.formats.collada.transforms import pose_of, split
from ossature.model import Collision, Geometry, Inertial, Material, TriangleMesh
from ossature.model.solid_inertia import principal_moments, volume
from ossature.spatial import IDENTITY, ZERO3, Matrix3, Pose, Vector3, rotated_tensor, rotation_matrix, scale
from ossature.syntax.schema import replace_fields

if TYPE_CHECKING:
    from numpy.typing import NDArray

M = TypeVar("M")

MASS_OF_NOTHING = 1e-10
"""Mass of a link that has none [kg]: OpenRAVE's."""
MOMENT_OF_NOTHING = 1e-7
"""Moments of inertia of a link that has none [kg·m²]: OpenRAVE's."""
DEFAULT_DENSITY = 1.0
"""Density of a shape that states neither mass nor density [kg/m³]: COLLADA's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RigidBody:
    """A rigid body of a scene, in the frame of the visual scene.

    Attributes:
        path: The sids of its physics model's and its own instance, by which extensions name it.
        node: The node that it moves, or None.
        inertial: Its mass, with the centre and moments in the frame of the visual scene, or None where nothing tells.
        dynamic: Whether it moves.
        collisions: What is touched, in the frame of the visual scene.
        velocity: How it moves at the start, in the frame of the visual scene [m/s].
        angular_velocity: How it turns at the start, in the frame of the visual scene [rad/s].
        name: Its name.
        extra: Its extensions.
        location: Where it stands.
    """

    path: tuple[str, str]
    node: NodeInstance | None
    inertial: Inertial | None
    dynamic: bool
    collisions: tuple[Collision, ...]
    velocity: Vector3
    angular_velocity: Vector3
    name: str | None
    extra: tuple[ExtraElement, ...]
    location: Location | None


@dataclass(slots=True)
class Physics:
    """All rigid bodies of a scene.

    Attributes:
        by_link: Those that move links.
        by_node: Those that move nodes where nothing shows links.
        by_path: What each path of sids means: a link or a node.
    """

    by_link: dict[LinkFrame, RigidBody] = field(default_factory=dict)
    by_node: dict[NodeInstance, RigidBody] = field(default_factory=dict)
    by_path: dict[tuple[str, str], LinkFrame | NodeInstance] = field(default_factory=dict)


def read_physics(scene: DocumentScene, owners: NodeOwners, links: list[LinkFrame], reading: ColladaReadContext) -> Physics:
    """Return which rigid bodies move which links."""
    physics = Physics()
    links_by_name: dict[str | None, list[LinkFrame]] = {}
    for link in reversed(links):
        links_by_name.setdefault(link.name, []).append(link)
    for item, _ in scene.physics:
        for instance in item.element.instance_physics_model:
            model = reading.documents.find(instance.url, PhysicsModelElement, item.document, instance, "url")
            if model is None:
                continue
            reader = _PhysicsReader(scene.visual, item, instance, model, reading)
            for body in instance.instance_rigid_body:
                rigid = reader.read(body, owners, physics)
                if rigid is not None:
                    _assign(rigid, owners, links_by_name, physics, reading)
    return physics


def _assign(
    rigid: RigidBody,
    owners: NodeOwners,
    links_by_name: dict[str | None, list[LinkFrame]],
    physics: Physics,
    reading: ColladaReadContext,
) -> None:
    link = owners.link_of(rigid.node) if rigid.node is not None else None
    if link is None and rigid.node is not None and rigid.node.root not in owners.roots:
        _put(rigid, rigid.node, physics.by_node, reading)
        physics.by_path[rigid.path] = rigid.node
        return
    if link is None:
        same_name = links_by_name.get(rigid.name, [])
        while same_name and same_name[-1] in physics.by_link:
            same_name.pop()
        link = same_name[-1] if same_name else None
        what = f"'{rigid.name}' moves no node that is seen"
        found = "the link of its name has its mass" if link is not None else "it is left out"
        reading.report.add(rules.UNKNOWN_TARGET, f"{what}: {found}", rigid.location)
    if link is not None:
        _put(rigid, link, physics.by_link, reading)
        physics.by_path[rigid.path] = link


def _put(rigid: RigidBody, moved: M, known: dict[M, RigidBody], reading: ColladaReadContext) -> None:
    if known.setdefault(moved, rigid) is not rigid:
        reading.report.add(
            rules.SECOND_BODY, f"'{rigid.name}' moves what '{known[moved].name}' moves already: it is left out", rigid.location
        )


@dataclass(frozen=True)
class _PhysicsReader:
    """Reads the bodies of one instance of a physics model."""

    visual: VisualTree
    scene: Item
    instance: InstancePhysicsModelElement
    model: Item
    reading: ColladaReadContext

    @cached_property
    def bodies(self) -> dict[str | None, RigidBodyElement]:
        """The bodies of the model by sid and by id; of several with one name, the first."""
        found: dict[str | None, RigidBodyElement] = {}
        for body in self.model.element.rigid_body:
            found.setdefault(body.sid, body)
            found.setdefault(body.id, body)
        return found

    def read(self, stated: InstanceRigidBodyElement, owners: NodeOwners, physics: Physics) -> RigidBody | None:
        """Return one rigid body, or None with a finding where the model has none of its name."""
        element = self.bodies.get(stated.body)
        if element is None:
            self.reading.report.add(
                rules.UNRESOLVED_REFERENCE,
                f"the physics model has no rigid body '{stated.body}'",
                stated.location("body"),
                hint=self.reading.report.suggestion(stated.body or "", filter(None, self.bodies)) or "it has none at all",
            )
            return None
        node = self._node(stated, owners, physics)
        technique = _merged(element.technique_common, stated.technique_common)
        frame = self._frame(node, owners)
        parts = list(self._shapes(technique)) if technique is not None else []
        return RigidBody(
            path=(self.instance.sid or "", stated.sid or ""),
            node=node,
            inertial=self._inertial(technique, parts, frame, element),
            dynamic=technique is None or technique.dynamic is None or technique.dynamic.value is not False,
            collisions=tuple(
                [
                    replace(
                        Collision(
                            geometry=part.geometry,
                            pose=frame @ part.pose,
                            material=material,
                            name=None,
                            origin=shape.location(),
                        ),
                        **part.collision,
                    )
                    for shape, part, material in parts
                ]
            ),
            velocity=self._at_start(stated, "velocity", self.scene.meter),
            angular_velocity=self._at_start(stated, "angular_velocity", math.radians(1.0)),
            name=element.name or element.sid,
            extra=element.extra,
            location=stated.location(),
        )

    def _at_start(self, stated: InstanceRigidBodyElement, name: str, factor: float) -> Vector3:
        value = getattr(stated.technique_common, name, None)
        return ZERO3 if value is None else scale(value, factor)

    def _node(self, stated: InstanceRigidBodyElement, owners: NodeOwners, physics: Physics) -> NodeInstance | None:
        nodes = self.visual.with_id((stated.target or "").removeprefix("#"))
        # Copies of one node share its identifier; the first copy without a body is meant.
        free = (node for node in nodes if owners.link_of(node) not in physics.by_link and node not in physics.by_node)
        return next(free, nodes[0] if nodes else None)

    def _frame(self, node: NodeInstance | None, owners: NodeOwners) -> Pose:
        """Return the frame in which the bodies are described: the parent node's, or the one of the robot's first link."""
        parent = (self.instance.parent or "").removeprefix("#")
        nodes = self.visual.with_id(parent) if parent else []
        chain = [] if node is None else list(node.upwards())
        if nodes:
            around = (one for one in chain if one.id == parent)
            return split(self.visual.matrix(next(around, nodes[0])))[0]
        links = [owners.by_node[one] for one in chain if one in owners.by_node]
        return links[-1].pose_scene if links else IDENTITY

    def _shapes(self, technique: RigidBodyTechniqueElement) -> Iterator[tuple[ShapeElement, ShapePart, Material | None]]:
        for shape in technique.shape:
            pose = pose_of(shape.transforms, self.model.meter, self.reading.report)
            material = self._material(shape.material or technique.material)
            for part in self._parts(shape):
                yield shape, replace(part, pose=pose @ part.pose), material

    def _parts(self, shape: ShapeElement) -> tuple[ShapePart, ...]:
        geometry = shape.geometry
        if geometry is None:
            return ()
        if not isinstance(geometry, InstanceGeometryElement):
            simple = simple_shape(geometry, self.model.meter, self.reading)
            return () if simple is None else (ShapePart(geometry=simple[0], pose=simple[1]),)
        item = self.reading.documents.find(geometry.url, GeometryElement, self.model.document, geometry, "url")
        return () if item is None else read_geometry(item, None, self.reading).parts

    def _material(self, stated: Any) -> Material | None:
        element = stated
        if stated is not None and not isinstance(stated, PhysicsMaterialElement):
            item = self.reading.documents.find(stated.url, PhysicsMaterialElement, self.model.document, stated, "url")
            element = None if item is None else item.element
        technique = element.technique_common if element is not None else None
        if technique is None:
            return None
        return Material(name=element.name, friction=technique.dynamic_friction, restitution=technique.restitution)

    def _inertial(
        self,
        technique: RigidBodyTechniqueElement | None,
        parts: list[tuple[ShapeElement, ShapePart, Material | None]],
        frame: Pose,
        element: RigidBodyElement,
    ) -> Inertial | None:
        mass = technique.mass.value if technique is not None and technique.mass is not None else None
        if technique is None or (mass is None and not parts):
            return None
        from_shapes = None
        if mass is None or ((technique.mass_frame is None or technique.inertia is None) and parts):
            from_shapes = self._of_shapes([(shape, part) for shape, part, _ in parts], mass)
        if mass is None:
            return None if from_shapes is None else moved(from_shapes, frame)
        if technique.mass_frame is None and from_shapes is None:
            self.reading.report.add(
                rules.NO_MASS_FRAME, f"'{element.name or element.sid}' does not say where its mass is", element.location()
            )
        stated = technique.mass_frame
        mass_frame = (
            pose_of(stated.transforms, self.model.meter, self.reading.report)
            if stated is not None
            else Pose(from_shapes.center_of_mass)
            if from_shapes is not None
            else IDENTITY
        )
        moments = technique.inertia.value if technique.inertia is not None else None
        moment: Matrix3 | None
        if moments is not None:
            moment = rotated_tensor(_diagonal(moments), mass_frame.wxyz)
        else:
            moment = from_shapes.moment if from_shapes is not None else None
        return moved(Inertial(mass=mass, center_of_mass=mass_frame.position, moment=moment), frame)

    def _of_shapes(self, parts: list[tuple[ShapeElement, ShapePart]], mass: float | None) -> Inertial | None:
        """Return mass, centre and moments of shapes; a stated mass of all is shared by their volumes and densities."""
        solids = []
        for shape, part in parts:
            try:
                solids.append(_solid(part.geometry, part.pose, _mass_of(shape), self._density(shape)))
            except AssetError as error:
                self.reading.report.add(rules.NO_MASS, f"a shape has no mass: {error}", shape.location())
        total = sum(solid[0] for solid in solids)
        if not 0.0 < total < math.inf:
            return None
        center = sum((solid[0] * solid[1] for solid in solids), np.zeros(3)) / total
        moment = np.zeros((3, 3))
        for part_mass, part_center, part_moment in solids:
            d = part_center - center
            moment += part_moment + part_mass * (d @ d * np.eye(3) - np.outer(d, d))
        factor = 1.0 if mass is None else mass / total
        rows = (moment * factor).tolist()
        x, y, z = center.tolist()
        return Inertial(mass=total * factor, center_of_mass=(x, y, z), moment=(tuple(rows[0]), tuple(rows[1]), tuple(rows[2])))

    def _density(self, shape: ShapeElement) -> float:
        stated = shape.density.value if shape.density is not None else None
        meter = self.model.meter
        return (DEFAULT_DENSITY if stated is None else stated) / meter / meter / meter


def _mass_of(shape: ShapeElement) -> float | None:
    return shape.mass.value if shape.mass is not None else None


def _solid(
    geometry: Geometry, pose: Pose, mass: float | None, density: float
) -> tuple[float, NDArray[np.float64], NDArray[np.float64]]:
    """Return mass, centre and moment about it of a homogeneous solid, in the frame around it."""
    R = np.array(rotation_matrix(pose.wxyz))
    if isinstance(geometry, TriangleMesh):
        size, center, moment = _of_mesh(geometry)
    else:
        size, center = volume(geometry), np.zeros(3)
        moment = np.diag(principal_moments(geometry, size))
    own_mass = density * size if mass is None else mass
    factor = own_mass / size if size > 0.0 else 0.0
    return own_mass, np.array(pose.position) + R @ center, factor * R @ moment @ R.T


def _of_mesh(mesh: TriangleMesh) -> tuple[float, NDArray[np.float64], NDArray[np.float64]]:
    """Return volume, centre, and moment about it at unit density of a closed mesh, as sums over tetrahedra."""
    triangles = mesh.surface.triangles
    corners = triangles.vertices[triangles.faces]
    six_volumes = np.einsum("ni,ni->n", corners[:, 0], np.cross(corners[:, 1], corners[:, 2]))
    size = float(six_volumes.sum()) / 6.0
    if not abs(size) > 0.0:
        return 0.0, np.zeros(3), np.zeros((3, 3))
    center = np.einsum("n,nij->j", six_volumes, corners) / (24.0 * size)
    sums = corners.sum(axis=1)
    products = np.einsum("n,nki,nkj->ij", six_volumes, corners, corners) + np.einsum("n,ni,nj->ij", six_volumes, sums, sums)
    covariance = products / 120.0 - size * np.outer(center, center)
    moment = np.trace(covariance) * np.eye(3) - covariance
    return (size, center, moment) if size > 0.0 else (-size, center, -moment)


def _diagonal(values: tuple[float, float, float]) -> Matrix3:
    x, y, z = values
    return ((x, 0.0, 0.0), (0.0, y, 0.0), (0.0, 0.0, z))


def moved(inertial: Inertial, pose: Pose) -> Inertial:
    """Return mass and its distribution, given in a frame, in the frame around that."""
    moment = inertial.moment
    return Inertial(
        mass=inertial.mass,
        center_of_mass=pose.transform(inertial.center_of_mass),
        moment=None if moment is None else rotated_tensor(moment, pose.wxyz),
    )


def _merged(
    stated: RigidBodyTechniqueElement | None, instance: RigidBodyTechniqueElement | None
) -> RigidBodyTechniqueElement | None:
    """Return what holds for an instance: what it says itself, else what its rigid body says."""
    if stated is None or instance is None:
        return stated if instance is None else instance
    return replace_fields(
        stated,
        dynamic=_first(instance.dynamic, stated.dynamic),
        mass=_first(instance.mass, stated.mass),
        mass_frame=_first(instance.mass_frame, stated.mass_frame),
        inertia=_first(instance.inertia, stated.inertia),
        material=_first(instance.material, stated.material),
        shape=instance.shape or stated.shape,
    )


def _first(first: Any, second: Any) -> Any:
    return second if first is None else first


def time_step_of(scenes: list[tuple[Item, InstanceSceneElement | None]]) -> float | None:
    """Return the step of a simulation that physics scenes state [s], or None."""
    for item, _ in scenes:
        technique = item.element.technique_common
        if technique is not None and technique.time_step is not None and technique.time_step.value is not None:
            value: float = technique.time_step.value
            return value
    return None


def gravity_of(scenes: list[tuple[Item, InstanceSceneElement | None]]) -> tuple[float, float, float] | None:
    """Return the gravitational acceleration that physics scenes state, in the document's axes, or None."""
    for item, _ in scenes:
        technique = item.element.technique_common
        if technique is not None and technique.gravity is not None and technique.gravity.value is not None:
            value: tuple[float, float, float] = technique.gravity.value
            return value
    return None
