"""Writes bodies as rigid bodies with inertia and collision shapes, and the physics scene with gravity and time step."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from ossature.diagnostics.ledger import Ledger
from ossature.formats.collada.model_write_context import ModelWriteContext
from ossature.formats.collada.native_extension.codec import fields_node
from ossature.formats.collada.native_extension.difference_encoding import BODY_EXTRA, encode_difference, own_extras
from ossature.formats.collada.openrave.write_link_joint_info import representable_infos
from ossature.formats.collada.physics import schema
from ossature.formats.collada.physics.write_collision_geometries import CollisionGeometry, Collisions, physics_material
from ossature.formats.collada.schema_common import ExtraElement
from ossature.formats.collada.visual_scene.schema import InstanceGeometryElement
from ossature.formats.collada.write_context import ColladaWriteContext, transforms_of
from ossature.model import Body, BodyPath, Frame, Inertial, Material, World
from ossature.spatial import IDENTITY_WXYZ, Matrix3, Pose, Quaternion, Vector3, matrix_from, quaternion_from_matrix, vector_from
from ossature.syntax.schema import replace_fields

SCENE = "pscene"
_ROUNDING = 1e-12
_NO_COLLISION_SHAPE = schema.ShapeElement(geometry=schema.SphereElement(radius=0.0))
"""The shape of a body without collision shapes, because COLLADA requires one."""
_WORLD_INERTIAL = Inertial(moment=((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)))
"""The inertia of the link that represents the world, which is static."""


@dataclass(slots=True)
class Bodies:
    """Writes rigid bodies.

    Attributes:
        materials: The identifier of each physics material.
    """

    writing: ColladaWriteContext
    collisions: Collisions
    materials: dict[Material, str] = field(default_factory=dict)

    def write(self, model: ModelWriteContext) -> schema.InstancePhysicsModelElement:
        """Add the physics model of a model to the document, and return its instance."""
        names: list[str | None] = [body.name for body in model.model.bodies]
        if model.has_world_link:
            names.insert(0, None)
        bodies = [
            self._world_element(model) if name is None else self._rigid_body_element(model.model.bodies[name], model)
            for name in names
        ]
        element = schema.PhysicsModelElement(id=model.physics, name=model.name, rigid_body=tuple(bodies))
        self.writing.define("library_physics_models", element)
        return schema.InstancePhysicsModelElement(
            url=f"#{model.physics}",
            sid=physics_instance(model),
            parent=f"#{model.visual}",
            instance_rigid_body=tuple(
                schema.InstanceRigidBodyElement(
                    body=model.rigid(name),
                    sid=model.rigid(name),  # OpenRAVE requires them to be equal
                    target=f"#{model.node_id(name)}",
                    technique_common=schema.InstanceRigidBodyTechniqueElement(),
                )
                for name in names
            ),
        )

    def _world_element(self, model: ModelWriteContext) -> schema.RigidBodyElement:
        technique = replace_fields(_technique_element(_WORLD_INERTIAL, Pose(), dynamic=False), shape=(_NO_COLLISION_SHAPE,))
        return schema.RigidBodyElement(sid=model.rigid(None), name=model.world_link, technique_common=technique)

    def _rigid_body_element(self, body: Body, model: ModelWriteContext) -> schema.RigidBodyElement:
        collision_geometry = self.collisions.collision_geometry(body, model)
        _record_asymmetry(body.inertial, f"{model.path}/{body.name}.inertial.moment", self.writing.ledger)
        technique = _technique_element(body.inertial, body.pose, dynamic=not is_fixed_to_world(body, model))
        shapes = tuple([self._shape_element(identifier, material, body) for identifier, material in collision_geometry.shapes])
        return schema.RigidBodyElement(
            sid=model.rigid(body.name),
            name=body.name,
            technique_common=replace_fields(technique, shape=shapes or (_NO_COLLISION_SHAPE,)),
            extra=_native_extras(body, collision_geometry, f"{model.path}/{body.name}", self.writing.ledger),
        )

    def _shape_element(self, identifier: str, material: Material | None, body: Body) -> schema.ShapeElement:
        return schema.ShapeElement(
            material=self._material_instance(physics_material(material)),
            geometry=InstanceGeometryElement(url=f"#{identifier}"),
            transforms=transforms_of(body.pose),
        )

    def _material_instance(self, material: Material | None) -> schema.InstancePhysicsMaterialElement | None:
        if material is None:
            return None
        if material not in self.materials:
            self.materials[material] = f"pmat{len(self.materials)}"
            technique = schema.PhysicsMaterialTechniqueElement(
                dynamic_friction=material.friction, restitution=material.restitution, static_friction=material.friction
            )
            element = schema.PhysicsMaterialElement(id=self.materials[material], name=material.name, technique_common=technique)
            self.writing.define("library_physics_materials", element)
        return schema.InstancePhysicsMaterialElement(url=f"#{self.materials[material]}")


def physics_instance(model: ModelWriteContext) -> str:
    """Return the sid of the instance of the physics model of a model."""
    return f"{model.physics}_inst"


def is_fixed_to_world(body: Body, model: ModelWriteContext) -> bool:
    """Whether a body is static or has a fixed joint to the world."""
    fixed = (joint for joint in model.forest.extension_joints if joint.is_fixed_to_world)
    return model.model.static or any(joint.child == body.name for joint in fixed)


def _technique_element(inertial: Inertial, pose: Pose, *, dynamic: bool) -> schema.RigidBodyTechniqueElement:
    """Return the technique of a rigid body; its pose and its mass frame are expressed in the model frame."""
    moments, wxyz = (None, IDENTITY_WXYZ) if inertial.moment is None else principal_axes(inertial.moment)
    frame = pose @ Pose(inertial.center_of_mass, wxyz)
    return schema.RigidBodyTechniqueElement(
        dynamic=schema.StatedBooleanElement(value=dynamic),
        mass=schema.StatedNumberElement(value=inertial.mass),
        mass_frame=schema.MassFrameElement(transforms=transforms_of(frame, at_least_one=True)),
        inertia=None if moments is None else schema.StatedVectorElement(value=moments),
    )


def _record_asymmetry(inertial: Inertial, path: str, ledger: Ledger) -> None:
    """Record in the ledger that an inertia tensor is not symmetric."""
    rows = np.array(inertial.moment or np.zeros((3, 3)))
    gap = np.abs(rows - rows.T).max() / 2.0
    if gap > _ROUNDING * np.abs(rows).max():
        ledger.approximated(path, "the tensor is not symmetric: its symmetric part is written", error=float(gap))


def principal_axes(moment: Matrix3) -> tuple[Vector3, Quaternion]:
    """Return the principal moments of a symmetric tensor and the rotation of their axes: the identity for a diagonal one."""
    rows = np.array(moment)
    largest = np.abs(rows).max()
    if np.count_nonzero(rows - np.diag(np.diag(rows))) == 0 or not np.isfinite(largest):
        return (moment[0][0], moment[1][1], moment[2][2]), IDENTITY_WXYZ
    scaled = rows / largest  # avoids overflow of large entries
    values, axes = np.linalg.eigh(0.5 * (scaled + scaled.T))
    if np.linalg.det(axes) < 0.0:
        axes[:, 2] = -axes[:, 2]
    return vector_from(values * largest), quaternion_from_matrix(matrix_from(axes))


def _native_extras(body: Body, collision_geometry: CollisionGeometry, path: str, ledger: Ledger) -> tuple[ExtraElement, ...]:
    missing = [] if collision_geometry.is_written else ["collisions"]
    if not collision_geometry.is_self_written:
        missing.append("self_collisions")
    if body.inertial.moment is None:
        missing.append("inertial")
    # Collision shapes are omitted if none of them could be written.
    without_shapes = replace(body, collisions=(), self_collisions=() if body.self_collisions is not None else None)
    written = {name: getattr(body, name) for name in _WRITTEN_ELSEWHERE}
    frames = tuple([Frame(name=frame.name, pose=frame.pose) for frame in body.frames])
    read = Body(self_collide=True, extensions=representable_infos(body.extensions), frames=frames, **written)
    own = fields_node(Body.__name__, without_shapes, missing) if missing else None
    return own_extras(BODY_EXTRA, [own, encode_difference(path, body, read, ledger)])


_WRITTEN_ELSEWHERE = ("name", "pose", "inertial", "visuals", "collisions", "self_collisions")


def rigid_paths(world: World, models: list[ModelWriteContext]) -> dict[BodyPath, str]:
    """Return the path of each rigid body: the sids of the instances of its physics model and of itself."""
    paths: dict[BodyPath, str] = {}
    for name, model in zip(world.models.names(), models, strict=True):
        for specified, body in zip(world.models[name].bodies.names(), model.model.bodies.names(), strict=True):
            paths.setdefault(BodyPath(model=name, body=specified), f"{physics_instance(model)}/{model.rigid(body)}")
    return paths


def write_physics_scene(
    world: World, instances: list[schema.InstancePhysicsModelElement], writing: ColladaWriteContext
) -> None:
    """Add the physics scene to the document."""
    writing.define("library_physics_scenes", physics_scene(world, instances))


def physics_scene(world: World, instances: list[schema.InstancePhysicsModelElement]) -> schema.PhysicsSceneElement:
    """Return the physics scene of a World."""
    technique = schema.PhysicsSceneTechniqueElement(
        gravity=schema.StatedVectorElement(value=world.gravity), time_step=schema.StatedNumberElement(value=world.time_step)
    )
    return schema.PhysicsSceneElement(id=SCENE, instance_physics_model=tuple(instances), technique_common=technique)
