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
from ossature.syntax.schema import Element, attribute, child, element, one_of, text
from ossature.syntax.xml_values import NUMBER, NUMBERS, STRING, VECTOR3, vector


class BoxElement(Element):
    """A box centred on its frame."""

    half_extents: tuple[float, float, float] | None = child(
        VECTOR3, required=True, unit="length", source=COLLADA, doc="Half the edge lengths."
    )


class SphereElement(Element):
    """A sphere centred on its frame."""

    radius: float | None = child(NUMBER, required=True, unit="length", source=COLLADA, doc="Radius.")


class CylinderElement(Element):
    """A cylinder along y."""

    height: float | None = child(NUMBER, required=True, unit="length", source=COLLADA, doc="Distance between the end faces.")
    radius: tuple[float, ...] | None = child(
        NUMBERS, required=True, unit="length", source=COLLADA, doc="Radius: one number, or the two semi-axes of an ellipse."
    )


class CylinderZElement(CylinderElement):
    """A cylinder along z."""


class CapsuleElement(CylinderElement):
    """A cylinder along y with hemispherical ends."""


class PlaneElement(Element):
    """A plane: a·x + b·y + c·z + d = 0, solid where that is negative."""

    equation: tuple[float, float, float, float] | None = child(
        vector(4), required=True, unit="1, 1, 1, length", source=COLLADA, doc="a, b, c and d."
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


class PhysicsMaterialTechniqueElement(Element):
    """Contact parameters of a surface."""

    dynamic_friction: float | None = child(NUMBER, source=COLLADA, doc="Coefficient of sliding friction.")
    restitution: float | None = child(NUMBER, source=COLLADA, doc="Coefficient of restitution.")
    static_friction: float | None = child(NUMBER, source=COLLADA, doc="Coefficient of static friction; ignored.")


class PhysicsMaterialElement(Element):
    """A physics material: contact parameters of a surface."""

    asset: AssetElement | None = element(AssetElement, source=COLLADA, doc="Provenance.")
    technique_common: PhysicsMaterialTechniqueElement | None = element(
        PhysicsMaterialTechniqueElement, source=COLLADA, doc="Contact parameters."
    )
    technique: tuple[TechniqueElement, ...] = techniques()
    extra: tuple[ExtraElement, ...] = extras()
    id: str | None = identifier()
    name: str | None = plain_name()


class InstancePhysicsMaterialElement(Element):
    """An instance of a physics material of a library."""

    extra: tuple[ExtraElement, ...] = extras()
    url: str | None = attribute(STRING, required=True, source=COLLADA, doc="The material.")
    sid: str | None = scoped_identifier()
    name: str | None = plain_name()


class StatedNumberElement(Element):
    """A number with an identifier."""

    value: float | None = text(NUMBER, source=COLLADA, doc="The number.")
    sid: str | None = scoped_identifier()


class StatedVectorElement(Element):
    """Three numbers with an identifier."""

    value: tuple[float, float, float] | None = text(VECTOR3, source=COLLADA, doc="The numbers.")
    sid: str | None = scoped_identifier()


class StatedBooleanElement(Element):
    """A Boolean with an identifier."""

    value: bool | None = text(BOOLEAN, source=COLLADA, doc="true or false.")
    sid: str | None = scoped_identifier()


def _declare_material() -> Any:
    return one_of(
        {"instance_physics_material": InstancePhysicsMaterialElement, "physics_material": PhysicsMaterialElement},
        source=COLLADA,
        doc="Physics material of the surface.",
    )


class ShapeElement(Element):
    """A shape of a rigid body: its collision geometry and mass distribution."""

    hollow: StatedBooleanElement | None = element(StatedBooleanElement, source=COLLADA, doc="Whether it is a shell; ignored.")
    mass: StatedNumberElement | None = element(StatedNumberElement, unit="kg", source=COLLADA, doc="Mass.")
    density: StatedNumberElement | None = element(
        StatedNumberElement, unit="kg/length³", source=COLLADA, doc="Density; 1 if neither density nor mass is stated."
    )
    material: InstancePhysicsMaterialElement | PhysicsMaterialElement | None = _declare_material()
    geometry: InstanceGeometryElement | ShapeGeometry | None = one_of(
        {**SIMPLE_SHAPES, "instance_geometry": InstanceGeometryElement}, source=COLLADA, doc="Geometry."
    )
    transforms: tuple[RotateElement | TranslateElement, ...] = rigid_transforms()
    extra: tuple[ExtraElement, ...] = extras()


class MassFrameElement(Element):
    """The frame of the centre of mass, along the principal axes."""

    transforms: tuple[RotateElement | TranslateElement, ...] = rigid_transforms()


class RigidBodyTechniqueElement(Element):
    """Dynamic properties of a rigid body."""

    dynamic: StatedBooleanElement | None = element(StatedBooleanElement, source=COLLADA, doc="Whether it is not fixed.")
    mass: StatedNumberElement | None = element(StatedNumberElement, unit="kg", source=COLLADA, doc="Mass.")
    mass_frame: MassFrameElement | None = element(MassFrameElement, source=COLLADA, doc="Inertial frame.")
    inertia: StatedVectorElement | None = element(
        StatedVectorElement, unit="kg·m²", source=COLLADA, doc="Moments of inertia about the axes of the mass frame."
    )
    material: InstancePhysicsMaterialElement | PhysicsMaterialElement | None = _declare_material()
    shape: tuple[ShapeElement, ...] = element(ShapeElement, repeated=True, source=COLLADA, doc="Shapes.")


class RigidBodyElement(Element):
    """A rigid body."""

    technique_common: RigidBodyTechniqueElement | None = element(RigidBodyTechniqueElement, source=COLLADA, doc="Dynamics.")
    technique: tuple[TechniqueElement, ...] = techniques()
    extra: tuple[ExtraElement, ...] = extras()
    id: str | None = identifier()
    sid: str | None = scoped_identifier()
    name: str | None = plain_name()


class PhysicsModelElement(Element):
    """A physics model: rigid bodies."""

    unread = frozenset({"rigid_constraint", "instance_physics_model"})
    asset: AssetElement | None = element(AssetElement, source=COLLADA, doc="Unit of length.")
    rigid_body: tuple[RigidBodyElement, ...] = element(RigidBodyElement, repeated=True, source=COLLADA, doc="Rigid bodies.")
    extra: tuple[ExtraElement, ...] = extras()
    id: str | None = identifier()
    name: str | None = plain_name()


class InstanceRigidBodyTechniqueElement(RigidBodyTechniqueElement):
    """Properties that an instance of a rigid body overrides."""

    angular_velocity: tuple[float, float, float] | None = child(
        VECTOR3, unit="degree/s", source=COLLADA, doc="Initial angular velocity."
    )
    velocity: tuple[float, float, float] | None = child(VECTOR3, unit="length/s", source=COLLADA, doc="Initial velocity.")


class InstanceRigidBodyElement(Element):
    """An instance of a rigid body, bound to the node that it moves."""

    technique_common: InstanceRigidBodyTechniqueElement | None = element(
        InstanceRigidBodyTechniqueElement, source=COLLADA, doc="Overridden properties."
    )
    technique: tuple[TechniqueElement, ...] = techniques()
    extra: tuple[ExtraElement, ...] = extras()
    body: str | None = attribute(STRING, required=True, source=COLLADA, doc="The rigid body.")
    sid: str | None = scoped_identifier()
    name: str | None = plain_name()
    target: str | None = attribute(STRING, required=True, source=COLLADA, doc="The node.")


class InstancePhysicsModelElement(Element):
    """An instance of a physics model in a scene."""

    unread = frozenset({"instance_force_field", "instance_rigid_constraint"})
    instance_rigid_body: tuple[InstanceRigidBodyElement, ...] = element(
        InstanceRigidBodyElement, repeated=True, source=COLLADA, doc="Rigid bodies, bound to nodes."
    )
    extra: tuple[ExtraElement, ...] = extras()
    url: str | None = attribute(STRING, required=True, source=COLLADA, doc="The physics model.")
    sid: str | None = scoped_identifier()
    name: str | None = plain_name()
    parent: str | None = attribute(STRING, source=COLLADA, doc="The node in whose frame the bodies are described.")


class PhysicsSceneTechniqueElement(Element):
    """Gravity and time step of a physics scene."""

    gravity: StatedVectorElement | None = element(
        StatedVectorElement, unit="m/s²", source=COLLADA, doc="Gravitational acceleration; 9.7979302 downwards if absent."
    )
    time_step: StatedNumberElement | None = element(StatedNumberElement, unit="s", source=COLLADA, doc="Time step.")


class PhysicsSceneElement(Element):
    """A physics scene: rigid bodies and gravity."""

    unread = frozenset({"instance_force_field"})
    asset: AssetElement | None = element(AssetElement, source=COLLADA, doc="Unit of length.")
    instance_physics_model: tuple[InstancePhysicsModelElement, ...] = element(
        InstancePhysicsModelElement, repeated=True, source=COLLADA, doc="Instances of physics models."
    )
    technique_common: PhysicsSceneTechniqueElement | None = element(
        PhysicsSceneTechniqueElement, source=COLLADA, doc="Gravity and time step."
    )
    technique: tuple[TechniqueElement, ...] = techniques()
    extra: tuple[ExtraElement, ...] = extras()
    id: str | None = identifier()
    name: str | None = plain_name()
