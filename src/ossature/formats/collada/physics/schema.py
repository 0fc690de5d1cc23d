"""Schema of COLLADA's physics: rigid bodies, their mass and shapes, and the nodes that they are bound to."""

from __future__ import annotations

from typing import Any

from ossature.formats.collada.schema_common import (
    BOOLEAN,
    COLLADA,
    AssetElement,
    ExtraElement,
    RotateElement,
    TechniqueElement,
    TranslateElement,
    extras,
    identifier,
    plain_name,
    rigid_transforms,
    scoped_identifier,
    techniques,
)
from ossature.formats.collada.visual_scene.schema import InstanceGeometryElement
from ossature.spatial import Vector3
from ossature.syntax.schema import Element, attribute, child, element, one_of, text
from ossature.syntax.xml_values import NUMBER, NUMBERS, STRING, VECTOR3, vector


class BoxElement(Element, source=COLLADA):
    """A box centred on its frame."""

    half_extents: Vector3 | None = child(VECTOR3, required=True, unit="length", doc="Half the edge lengths.")


class SphereElement(Element, source=COLLADA):
    """A sphere centred on its frame."""

    radius: float | None = child(NUMBER, required=True, unit="length", doc="Radius.")


class CylinderElement(Element, source=COLLADA):
    """A cylinder along y."""

    height: float | None = child(NUMBER, required=True, unit="length", doc="Distance between the end faces.")
    radius: tuple[float, ...] | None = child(
        NUMBERS, required=True, unit="length", doc="Radius: one number, or the two semi-axes of an ellipse."
    )


class CylinderZElement(CylinderElement):
    """A cylinder along z."""


class CapsuleElement(CylinderElement):
    """A cylinder along y with hemispherical ends."""


class PlaneElement(Element, source=COLLADA):
    """A plane: a·x + b·y + c·z + d = 0, solid on the side on which that is negative."""

    equation: tuple[float, float, float, float] | None = child(
        vector(4), required=True, unit="1, 1, 1, length", doc="a, b, c and d."
    )


ShapeGeometry = BoxElement | SphereElement | CylinderElement | CylinderZElement | CapsuleElement | PlaneElement

SIMPLE_SHAPES: dict[str, Any] = {
    "box": BoxElement,
    "capsule": CapsuleElement,
    "cylinder": CylinderElement,
    "plane": PlaneElement,
    "sphere": SphereElement,
}
"""The primitive shapes of COLLADA, by tag."""


class PhysicsMaterialTechniqueElement(Element, source=COLLADA):
    """Contact parameters of a surface."""

    dynamic_friction: float | None = child(NUMBER, doc="Coefficient of sliding friction.")
    restitution: float | None = child(NUMBER, doc="Coefficient of restitution.")
    static_friction: float | None = child(NUMBER, doc="Coefficient of static friction; ignored.")


class PhysicsMaterialElement(Element, source=COLLADA):
    """A physics material: contact parameters of a surface."""

    asset: AssetElement | None = element(AssetElement, doc="Provenance.")
    technique_common: PhysicsMaterialTechniqueElement | None = element(
        PhysicsMaterialTechniqueElement, doc="Contact parameters."
    )
    technique: tuple[TechniqueElement, ...] = techniques()
    extra: tuple[ExtraElement, ...] = extras()
    id: str | None = identifier()
    name: str | None = plain_name()


class InstancePhysicsMaterialElement(Element, source=COLLADA):
    """An instance of a physics material of a library."""

    extra: tuple[ExtraElement, ...] = extras()
    url: str | None = attribute(STRING, required=True, doc="The material.")
    sid: str | None = scoped_identifier()
    name: str | None = plain_name()


class StatedNumberElement(Element, source=COLLADA):
    """A number with an identifier."""

    value: float | None = text(NUMBER, doc="The number.")
    sid: str | None = scoped_identifier()


class StatedVectorElement(Element, source=COLLADA):
    """Three numbers with an identifier."""

    value: Vector3 | None = text(VECTOR3, doc="The numbers.")
    sid: str | None = scoped_identifier()


class StatedBooleanElement(Element, source=COLLADA):
    """A Boolean with an identifier."""

    value: bool | None = text(BOOLEAN, doc="true or false.")
    sid: str | None = scoped_identifier()


def _declare_material() -> Any:
    return one_of(
        {"instance_physics_material": InstancePhysicsMaterialElement, "physics_material": PhysicsMaterialElement},
        source=COLLADA,
        doc="Physics material of the surface.",
    )


class ShapeElement(Element, source=COLLADA):
    """A shape of a rigid body: its collision geometry and mass distribution."""

    hollow: StatedBooleanElement | None = element(StatedBooleanElement, doc="Whether it is a shell; ignored.")
    mass: StatedNumberElement | None = element(StatedNumberElement, unit="kg", doc="Mass.")
    density: StatedNumberElement | None = element(
        StatedNumberElement, unit="kg/length³", doc="Density; 1 if neither density nor mass is stated."
    )
    material: InstancePhysicsMaterialElement | PhysicsMaterialElement | None = _declare_material()
    geometry: InstanceGeometryElement | ShapeGeometry | None = one_of(
        {**SIMPLE_SHAPES, "instance_geometry": InstanceGeometryElement}, doc="Geometry."
    )
    transforms: tuple[RotateElement | TranslateElement, ...] = rigid_transforms()
    extra: tuple[ExtraElement, ...] = extras()


class MassFrameElement(Element):
    """The frame of the centre of mass, along the principal axes."""

    transforms: tuple[RotateElement | TranslateElement, ...] = rigid_transforms()


class RigidBodyTechniqueElement(Element, source=COLLADA):
    """Dynamic properties of a rigid body."""

    dynamic: StatedBooleanElement | None = element(StatedBooleanElement, doc="Whether it is not fixed.")
    mass: StatedNumberElement | None = element(StatedNumberElement, unit="kg", doc="Mass.")
    mass_frame: MassFrameElement | None = element(MassFrameElement, doc="Inertial frame.")
    inertia: StatedVectorElement | None = element(
        StatedVectorElement, unit="kg·m²", doc="Moments of inertia about the axes of the mass frame."
    )
    material: InstancePhysicsMaterialElement | PhysicsMaterialElement | None = _declare_material()
    shape: tuple[ShapeElement, ...] = element(ShapeElement, repeated=True, doc="Shapes.")


class RigidBodyElement(Element, source=COLLADA):
    """A rigid body."""

    technique_common: RigidBodyTechniqueElement | None = element(RigidBodyTechniqueElement, doc="Dynamics.")
    technique: tuple[TechniqueElement, ...] = techniques()
    extra: tuple[ExtraElement, ...] = extras()
    id: str | None = identifier()
    sid: str | None = scoped_identifier()
    name: str | None = plain_name()


class PhysicsModelElement(Element, source=COLLADA):
    """A physics model: rigid bodies."""

    unread = frozenset({"rigid_constraint", "instance_physics_model"})
    asset: AssetElement | None = element(AssetElement, doc="Unit of length.")
    rigid_body: tuple[RigidBodyElement, ...] = element(RigidBodyElement, repeated=True, doc="Rigid bodies.")
    extra: tuple[ExtraElement, ...] = extras()
    id: str | None = identifier()
    name: str | None = plain_name()


class InstanceRigidBodyTechniqueElement(RigidBodyTechniqueElement, source=COLLADA):
    """Properties that an instance of a rigid body overrides."""

    angular_velocity: Vector3 | None = child(VECTOR3, unit="degree/s", doc="Initial angular velocity.")
    velocity: Vector3 | None = child(VECTOR3, unit="length/s", doc="Initial velocity.")


class InstanceRigidBodyElement(Element, source=COLLADA):
    """An instance of a rigid body, bound to the node that it moves."""

    technique_common: InstanceRigidBodyTechniqueElement | None = element(
        InstanceRigidBodyTechniqueElement, doc="Overridden properties."
    )
    technique: tuple[TechniqueElement, ...] = techniques()
    extra: tuple[ExtraElement, ...] = extras()
    body: str | None = attribute(STRING, required=True, doc="The rigid body.")
    sid: str | None = scoped_identifier()
    name: str | None = plain_name()
    target: str | None = attribute(STRING, required=True, doc="The node.")


class InstancePhysicsModelElement(Element, source=COLLADA):
    """An instance of a physics model in a scene."""

    unread = frozenset({"instance_force_field", "instance_rigid_constraint"})
    instance_rigid_body: tuple[InstanceRigidBodyElement, ...] = element(
        InstanceRigidBodyElement, repeated=True, doc="Rigid bodies, bound to nodes."
    )
    extra: tuple[ExtraElement, ...] = extras()
    url: str | None = attribute(STRING, required=True, doc="The physics model.")
    sid: str | None = scoped_identifier()
    name: str | None = plain_name()
    parent: str | None = attribute(STRING, doc="The node in whose frame the bodies are described.")


class PhysicsSceneTechniqueElement(Element, source=COLLADA):
    """Gravity and time step of a physics scene."""

    gravity: StatedVectorElement | None = element(
        StatedVectorElement, unit="m/s²", doc="Gravitational acceleration; 9.7979302 downwards if absent."
    )
    time_step: StatedNumberElement | None = element(StatedNumberElement, unit="s", doc="Time step.")


class PhysicsSceneElement(Element, source=COLLADA):
    """A physics scene: rigid bodies and gravity."""

    unread = frozenset({"instance_force_field"})
    asset: AssetElement | None = element(AssetElement, doc="Unit of length.")
    instance_physics_model: tuple[InstancePhysicsModelElement, ...] = element(
        InstancePhysicsModelElement, repeated=True, doc="Instances of physics models."
    )
    technique_common: PhysicsSceneTechniqueElement | None = element(PhysicsSceneTechniqueElement, doc="Gravity and time step.")
    technique: tuple[TechniqueElement, ...] = techniques()
    extra: tuple[ExtraElement, ...] = extras()
    id: str | None = identifier()
    name: str | None = plain_name()
