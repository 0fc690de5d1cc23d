"""Reads rigid bodies of COLLADA: inertia, collision shapes and whether they are dynamic."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from ossature.array_types import Array
from ossature.assets import AssetError
from ossature.diagnostics import Location, Report, Severity
from ossature.formats.collada import rules
from ossature.formats.collada.convert_transforms import polar_decomposition, pose_of
from ossature.formats.collada.document_lookup import Item
from ossature.formats.collada.geometry.read_shape import ShapePart, collision_parts, read_geometry, read_primitive
from ossature.formats.collada.geometry.schema import GeometryElement
from ossature.formats.collada.kinematics.read_kinematic_graph import LinkFrame
from ossature.formats.collada.physics.schema import (
    InstancePhysicsModelElement,
    InstanceRigidBodyElement,
    PhysicsMaterialElement,
    PhysicsModelElement,
    RigidBodyElement,
    RigidBodyTechniqueElement,
    ShapeElement,
)
from ossature.formats.collada.read_context import ColladaReadContext
from ossature.formats.collada.read_scene import DocumentScene
from ossature.formats.collada.schema import InstanceSceneElement
from ossature.formats.collada.schema_common import ExtraElement
from ossature.formats.collada.visual_scene.node_instances import NodeInstance, VisualTree
from ossature.formats.collada.visual_scene.read import NodeOwners
from ossature.formats.collada.visual_scene.schema import InstanceGeometryElement
from ossature.model import Collision, Geometry, Inertial, Material, TriangleMesh
from ossature.model.shape_mass_properties import mesh_integrals
from ossature.model.solid_inertia import principal_moments, volume
from ossature.spatial import (
    IDENTITY,
    ZERO3,
    Matrix3,
    Pose,
    Vector3,
    matrix_from,
    rotated_tensor,
    rotation_matrix,
    scale,
    vector_from,
)
from ossature.syntax.schema import Element, replace_fields

M = TypeVar("M")

MASS_OF_NOTHING = 1e-10
"""Mass of a link without mass [kg], as in OpenRAVE."""
MOMENT_OF_NOTHING = 1e-7
"""Principal moments of inertia of a link without mass [kg·m²], as in OpenRAVE."""
DEFAULT_DENSITY = 1.0
"""Density of a shape without mass and density [kg/m³], as in COLLADA."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RigidBody:
    """A rigid body of a physics scene; poses and vectors are expressed in the frame of the visual scene.

    Attributes:
        path: The sids of the instances of its physics model and of itself; extensions refer to it by this path.
        node: The target node, or None.
        inertial: Mass, centre of mass and moments of inertia, or None if unspecified.
        velocity: Initial velocity [m/s].
        angular_velocity: Initial angular velocity [rad/s].
        location: The location of the instance in the document.
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
        by_node: The rigid body of each node that belongs to no link.
        by_path: The link or node of each path of sids.
    """

    by_link: dict[LinkFrame, RigidBody] = field(default_factory=dict)
    by_node: dict[NodeInstance, RigidBody] = field(default_factory=dict)
    by_path: dict[tuple[str, str], LinkFrame | NodeInstance] = field(default_factory=dict)


def read_physics(scene: DocumentScene, owners: NodeOwners, links: list[LinkFrame], reading: ColladaReadContext) -> Physics:
    """Return the rigid bodies of a scene, assigned to links and nodes."""
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
                    _assign_rigid_body(rigid, owners, links_by_name, physics, reading)
    return physics


def _assign_rigid_body(
    rigid: RigidBody,
    owners: NodeOwners,
    links_by_name: dict[str | None, list[LinkFrame]],
    physics: Physics,
    reading: ColladaReadContext,
) -> None:
    link = owners.link_of(rigid.node) if rigid.node is not None else None
    if link is None and rigid.node is not None and rigid.node.root not in owners.roots:
        _add_unique(rigid, rigid.node, physics.by_node, reading)
        physics.by_path[rigid.path] = rigid.node
        return
    if link is None:
        same_name = links_by_name.get(rigid.name, [])
        while same_name and same_name[-1] in physics.by_link:
            same_name.pop()
        link = same_name[-1] if same_name else None
        problem = f"the target of rigid body '{rigid.name}' belongs to no link"
        result = "the link of the same name is used" if link is not None else "the rigid body is ignored"
        reading.report.add(rules.RIGID_BODY_WITHOUT_LINK, f"{problem}: {result}", rigid.location)
    if link is not None:
        _add_unique(rigid, link, physics.by_link, reading)
        physics.by_path[rigid.path] = link


def _add_unique(rigid: RigidBody, target: M, assigned: dict[M, RigidBody], reading: ColladaReadContext) -> None:
    if assigned.setdefault(target, rigid) is not rigid:
        message = f"rigid body '{rigid.name}' has the same target as '{assigned[target].name}': it is ignored"
        reading.report.add(rules.MULTIPLE_RIGID_BODIES, message, rigid.location)


@dataclass(frozen=True)
class _PhysicsReader:
    """Reads the rigid bodies of one instance of a physics model."""

    visual: VisualTree
    scene: Item
    instance: InstancePhysicsModelElement
    model: Item
    reading: ColladaReadContext

    @cached_property
    def bodies(self) -> dict[str | None, RigidBodyElement]:
        """The rigid bodies of the model by sid and by id; the first one of each name."""
        found: dict[str | None, RigidBodyElement] = {}
        for body in self.model.element.rigid_body:
            found.setdefault(body.sid, body)
            found.setdefault(body.id, body)
        return found

    def read(self, specified: InstanceRigidBodyElement, owners: NodeOwners, physics: Physics) -> RigidBody | None:
        """Return one rigid body, or None with a finding if the model does not define it."""
        element = self.bodies.get(specified.body)
        if element is None:
            self.reading.report.add(
                rules.UNRESOLVED_REFERENCE,
                f"the physics model has no rigid body '{specified.body}'",
                specified.location("body"),
                hint=self.reading.report.suggestion(specified.body or "", filter(None, self.bodies)) or "it has no bodies",
            )
            return None
        node = self._find_node(specified, owners, physics)
        technique = _merge_techniques(element.technique_common, specified.technique_common)
        frame = self._reference_frame(node, owners)
        shapes = self._container(specified, "shape")
        parts = (
            list(self._read_shapes(technique, shapes, self._container(specified, "material"))) if technique is not None else []
        )
        return RigidBody(
            path=(self.instance.sid or "", specified.sid or ""),
            node=node,
            inertial=self._read_inertial(technique, parts, frame, specified, element),
            dynamic=technique is None or technique.dynamic is None or technique.dynamic.value is not False,
            collisions=tuple(
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
            ),
            velocity=_initial_vector(specified, "velocity", self.scene.meter),
            angular_velocity=_initial_vector(specified, "angular_velocity", math.radians(1.0)),
            name=element.name or element.sid,
            extra=element.extra,
            location=specified.location(),
        )

    def _find_node(self, specified: InstanceRigidBodyElement, owners: NodeOwners, physics: Physics) -> NodeInstance | None:
        nodes = self._nodes_of_url(specified.target, specified, "target")
        # Copies of a node share its identifier: the first copy without a rigid body is the target.
        free = (node for node in nodes if owners.link_of(node) not in physics.by_link and node not in physics.by_node)
        return next(free, nodes[0] if nodes else None)

    def _nodes_of_url(self, url: str | None, element: Element, field: str) -> list[NodeInstance]:
        """Return the nodes that a URL of the physics scene refers to."""
        file, mark, identifier = (url or "").strip().partition("#")
        if not mark:
            return self.visual.with_id(file)  # OpenRAVE reads identifiers too
        document = self.scene.document
        if file:
            other, _ = self.reading.documents.resolve(f"{file}#{identifier}", document, element, field)
            return [node for node in self.visual.with_id(identifier) if node.document is other]
        nodes = self.visual.with_id(identifier)
        return [node for node in nodes if node.document is document] or nodes

    def _reference_frame(self, node: NodeInstance | None, owners: NodeOwners) -> Pose:
        """Return the pose of the reference frame of the rigid bodies: the parent node, or the first link of the robot."""
        nodes = self._nodes_of_url(self.instance.parent, self.instance, "parent")
        chain = [] if node is None else list(node.self_and_ancestors())
        if nodes:
            ancestors = (one for one in chain if one in nodes)
            return polar_decomposition(self.visual.matrix(next(ancestors, nodes[0])))[0]
        links = [owners.by_node[one] for one in chain if one in owners.by_node]
        return links[-1].pose_scene if links else IDENTITY

    def _container(self, specified: InstanceRigidBodyElement, name: str) -> Item:
        """Return what has the unit and the document of a property: the scene if the instance states it, else the model."""
        own = specified.technique_common
        return self.scene if own is not None and getattr(own, name) else self.model

    def _read_shapes(
        self, technique: RigidBodyTechniqueElement, shapes: Item, materials: Item
    ) -> Iterator[tuple[ShapeElement, ShapePart, Material | None]]:
        for shape in technique.shape:
            pose = pose_of(shape.transforms, shapes.meter, self.reading.report)
            material = (
                self._read_material(technique.material, materials)
                if shape.material is None
                else self._read_material(shape.material, shapes)
            )
            for part in self._shape_parts(shape, shapes):
                yield shape, replace(part, pose=pose @ part.pose), material

    def _shape_parts(self, shape: ShapeElement, container: Item) -> tuple[ShapePart, ...]:
        geometry = shape.geometry
        if geometry is None:
            return ()
        if not isinstance(geometry, InstanceGeometryElement):
            simple = read_primitive(geometry, container.meter, self.reading)
            return () if simple is None else (ShapePart(geometry=simple[0], pose=simple[1]),)
        item = self.reading.documents.find(geometry.url, GeometryElement, container.document, geometry, "url")
        return () if item is None else collision_parts(read_geometry(item, None, self.reading).parts)

    def _read_material(self, specified: Any, container: Item) -> Material | None:
        element = specified
        if specified is not None and not isinstance(specified, PhysicsMaterialElement):
            item = self.reading.documents.find(specified.url, PhysicsMaterialElement, container.document, specified, "url")
            element = None if item is None else item.element
        technique = element.technique_common if element is not None else None
        if technique is None:
            return None
        return Material(name=element.name, friction=technique.dynamic_friction, restitution=technique.restitution)

    def _read_inertial(
        self,
        technique: RigidBodyTechniqueElement | None,
        parts: list[tuple[ShapeElement, ShapePart, Material | None]],
        frame: Pose,
        instance: InstanceRigidBodyElement,
        element: RigidBodyElement,
    ) -> Inertial | None:
        mass = technique.mass.value if technique is not None and technique.mass is not None else None
        if technique is None or (mass is None and not parts):
            return None
        from_shapes = None
        if mass is None or ((technique.mass_frame is None or technique.inertia is None) and parts):
            meter = self._container(instance, "shape").meter
            from_shapes = self._compute_shape_inertia([(shape, part) for shape, part, _ in parts], mass, meter)
        if mass is None:
            return None if from_shapes is None else transform_inertial(from_shapes, frame)
        if technique.mass_frame is None and from_shapes is None:
            self.reading.report.add(
                rules.MISSING_MASS_FRAME, f"rigid body '{element.name or element.sid}' has no <mass_frame>", element.location()
            )
        specified = technique.mass_frame
        mass_frame = (
            pose_of(specified.transforms, self._container(instance, "mass_frame").meter, self.reading.report)
            if specified is not None
            else Pose(from_shapes.center_of_mass)
            if from_shapes is not None
            else IDENTITY
        )
        moments = technique.inertia.value if technique.inertia is not None else None
        moment: Matrix3 | None
        if moments is not None:
            moment = rotated_tensor(_diagonal_matrix(moments), mass_frame.wxyz)
        else:
            moment = from_shapes.moment if from_shapes is not None else None
        return transform_inertial(Inertial(mass=mass, center_of_mass=mass_frame.position, moment=moment), frame)

    def _compute_shape_inertia(
        self, parts: list[tuple[ShapeElement, ShapePart]], mass: float | None, meter: float
    ) -> Inertial | None:
        """Return the inertia of shapes; a given total mass is distributed in proportion to their masses."""
        solids = []
        for shape, part in parts:
            try:
                solids.append(_compute_solid_inertia(part.geometry, part.pose, _shape_mass(shape), _read_density(shape, meter)))
            except AssetError as error:
                self.reading.report.add(
                    rules.MISSING_MASS, f"the mass of a shape cannot be computed: {error}", shape.location()
                )
        total = sum(solid[0] for solid in solids)
        if not 0.0 < total < math.inf:
            return None
        center = sum((solid[0] * solid[1] for solid in solids), np.zeros(3)) / total
        moment = np.zeros((3, 3))
        for part_mass, part_center, part_moment in solids:
            d = part_center - center
            moment += part_moment + part_mass * (d @ d * np.eye(3) - np.outer(d, d))
        factor = 1.0 if mass is None else mass / total
        return Inertial(mass=total * factor, center_of_mass=vector_from(center), moment=matrix_from(moment * factor))


def _read_density(shape: ShapeElement, meter: float) -> float:
    specified = shape.density.value if shape.density is not None else None
    return (DEFAULT_DENSITY if specified is None else specified) / meter / meter / meter


def _initial_vector(specified: InstanceRigidBodyElement, name: str, factor: float) -> Vector3:
    value = getattr(specified.technique_common, name, None)
    return ZERO3 if value is None else scale(value, factor)


def _shape_mass(shape: ShapeElement) -> float | None:
    return shape.mass.value if shape.mass is not None else None


def _compute_solid_inertia(geometry: Geometry, pose: Pose, mass: float | None, density: float) -> tuple[float, Array, Array]:
    """Return mass, centre of mass and the moment about it of a homogeneous solid, in the reference frame of its pose."""
    R = np.array(rotation_matrix(pose.wxyz))
    if isinstance(geometry, TriangleMesh):
        size, center, moment = mesh_integrals(geometry.surface.triangles)
        size, moment = abs(size), moment if size > 0.0 else -moment
    else:
        size, center = volume(geometry), np.zeros(3)
        moment = np.diag(principal_moments(geometry, size))
    own_mass = density * size if mass is None else mass
    factor = own_mass / size if size > 0.0 else 0.0
    return own_mass, np.array(pose.position) + R @ center, factor * R @ moment @ R.T


def _diagonal_matrix(values: Vector3) -> Matrix3:
    x, y, z = values
    return ((x, 0.0, 0.0), (0.0, y, 0.0), (0.0, 0.0, z))


def transform_inertial(inertial: Inertial, pose: Pose) -> Inertial:
    """Return an inertia that is expressed in the frame of a pose in the reference frame of that pose."""
    moment = inertial.moment
    return Inertial(
        mass=inertial.mass,
        center_of_mass=pose.transform(inertial.center_of_mass),
        moment=None if moment is None else rotated_tensor(moment, pose.wxyz),
    )


def _merge_techniques(
    specified: RigidBodyTechniqueElement | None, instance: RigidBodyTechniqueElement | None
) -> RigidBodyTechniqueElement | None:
    """Return the properties of an instance: its own, else those of its rigid body."""
    if specified is None or instance is None:
        return specified if instance is None else instance
    return replace_fields(
        specified,
        dynamic=_coalesce(instance.dynamic, specified.dynamic),
        mass=_coalesce(instance.mass, specified.mass),
        mass_frame=_coalesce(instance.mass_frame, specified.mass_frame),
        inertia=_coalesce(instance.inertia, specified.inertia),
        material=_coalesce(instance.material, specified.material),
        shape=instance.shape or specified.shape,
    )


def _coalesce(first: Any, second: Any) -> Any:
    return second if first is None else first


def scene_value(scenes: list[tuple[Item, InstanceSceneElement | None]], name: str, report: Report) -> Any:
    """Return ``gravity``, in the axes of the document, or ``time_step`` [s] of the first physics scene with it, or None."""
    stated = [found for item, _ in scenes if (found := getattr(item.element.technique_common, name, None)) is not None]
    first, *others = [element for element in stated if element.value is not None] or [None]
    for other in others:
        if other.value != first.value:
            message = f"the <{name}> of several physics scenes differs: that of the first one is used for all bodies"
            report.add(rules.UNSUPPORTED_CONTENT.with_severity(Severity.WARNING), message, other.location())
    return None if first is None else first.value
