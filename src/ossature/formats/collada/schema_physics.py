"""COLLADA's physics as data: rigid bodies, their mass and shapes, and where they belong."""

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
from ossature.formats.collada.schema_visual import InstanceGeometryElement
from ossature.syntax.schema import Element, attribute, child, element, one_of, text
from ossature.syntax.xml_values import NUMBER, NUMBERS, STRING, VECTOR3, vector


class BoxElement(Element):
    """A box centred on its frame."""

    half_extents: tuple[float, float, float] | None = child(
        VECTOR3, required=True, unit="length", source=COLLADA, doc="Half its edge lengths."
    )


class SphereElement(Element):
    """A sphere centred on its frame."""

    radius: float | None = child(NUMBER, required=True, unit="length", source=COLLADA, doc="Its radius.")


class CylinderElement(Element):
    """A cylinder along y."""

    height: float | None = child(NUMBER, required=True, unit="length", source=COLLADA, doc="Distance of its end faces.")
    radius: tuple[float, ...] | None = child(
        NUMBERS, required=True, unit="length", source=COLLADA, doc="Its radius, once or along both axes of an ellipse."
    )


class CylinderZElement(CylinderElement):
    """A cylinder along z."""


class CapsuleElement(CylinderElement):
    """A cylinder along y with half spheres at its ends."""


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
"""The simple shapes of COLLADA, by tag."""


class PhysicsMaterialTechniqueElement(Element):
    """How a surface touches."""

    dynamic_friction: float | None = child(NUMBER, source=COLLADA, doc="Coefficient of friction while sliding.")
    restitution: float | None = child(NUMBER, source=COLLADA, doc="Coefficient of restitution.")
    static_friction: float | None = child(NUMBER, source=COLLADA, doc="Coefficient of friction while sticking.")


class PhysicsMaterialElement(Element):
    """How a surface touches."""

    asset: AssetElement | None = element(AssetElement, source=COLLADA, doc="Where it comes from.")
    technique_common: PhysicsMaterialTechniqueElement | None = element(
        PhysicsMaterialTechniqueElement, source=COLLADA, doc="How it touches."
    )
    technique: tuple[TechniqueElement, ...] = techniques()
    extra: tuple[ExtraElement, ...] = extras()
    id: str | None = identifier()
    name: str | None = plain_name()


class InstancePhysicsMaterialElement(Element):
    """A physics material of a library."""

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
    """A truth value with an identifier."""

    value: bool | None = text(BOOLEAN, source=COLLADA, doc="The truth value.")
    sid: str | None = scoped_identifier()


def _material() -> Any:
    return one_of(
        {"instance_physics_material": InstancePhysicsMaterialElement, "physics_material": PhysicsMaterialElement},
        source=COLLADA,
        doc="How its surface touches.",
    )


class ShapeElement(Element):
    """A part of a rigid body: what is touched, and where its mass is."""

    hollow: StatedBooleanElement | None = element(StatedBooleanElement, source=COLLADA, doc="Whether it is a shell.")
    mass: StatedNumberElement | None = element(StatedNumberElement, unit="kg", source=COLLADA, doc="Its mass.")
    density: StatedNumberElement | None = element(
        StatedNumberElement, unit="kg/length³", source=COLLADA, doc="Its density; 1 where neither it nor a mass is stated."
    )
    material: InstancePhysicsMaterialElement | PhysicsMaterialElement | None = _material()
    geometry: InstanceGeometryElement | ShapeGeometry | None = one_of(
        {**SIMPLE_SHAPES, "instance_geometry": InstanceGeometryElement}, source=COLLADA, doc="Its form."
    )
    transforms: tuple[RotateElement | TranslateElement, ...] = rigid_transforms()
    extra: tuple[ExtraElement, ...] = extras()


class MassFrameElement(Element):
    """The frame of the centre of mass, along the principal axes."""

    transforms: tuple[RotateElement | TranslateElement, ...] = rigid_transforms()


class RigidBodyTechniqueElement(Element):
    """How a rigid body moves."""

    dynamic: StatedBooleanElement | None = element(StatedBooleanElement, source=COLLADA, doc="Whether it moves at all.")
    mass: StatedNumberElement | None = element(StatedNumberElement, unit="kg", source=COLLADA, doc="Its mass.")
    mass_frame: MassFrameElement | None = element(MassFrameElement, source=COLLADA, doc="Where its mass is.")
    inertia: StatedVectorElement | None = element(
        StatedVectorElement, unit="kg·m²", source=COLLADA, doc="Moments about the axes of its mass frame."
    )
    material: InstancePhysicsMaterialElement | PhysicsMaterialElement | None = _material()
    shape: tuple[ShapeElement, ...] = element(ShapeElement, repeated=True, source=COLLADA, doc="Its parts.")


class RigidBodyElement(Element):
    """A rigid body."""

    technique_common: RigidBodyTechniqueElement | None = element(RigidBodyTechniqueElement, source=COLLADA, doc="How it moves.")
    technique: tuple[TechniqueElement, ...] = techniques()
    extra: tuple[ExtraElement, ...] = extras()
    id: str | None = identifier()
    sid: str | None = scoped_identifier()
    name: str | None = plain_name()


class PhysicsModelElement(Element):
    """Rigid bodies."""

    unread = frozenset({"rigid_constraint", "instance_physics_model"})
    asset: AssetElement | None = element(AssetElement, source=COLLADA, doc="Its unit.")
    rigid_body: tuple[RigidBodyElement, ...] = element(RigidBodyElement, repeated=True, source=COLLADA, doc="Its bodies.")
    extra: tuple[ExtraElement, ...] = extras()
    id: str | None = identifier()
    name: str | None = plain_name()


class InstanceRigidBodyTechniqueElement(RigidBodyTechniqueElement):
    """What an instance of a rigid body says differently."""

    angular_velocity: tuple[float, float, float] | None = child(
        VECTOR3, unit="degree/s", source=COLLADA, doc="How it turns at the start."
    )
    velocity: tuple[float, float, float] | None = child(
        VECTOR3, unit="length/s", source=COLLADA, doc="How it moves at the start."
    )


class InstanceRigidBodyElement(Element):
    """A rigid body, bound to the node that it moves."""

    technique_common: InstanceRigidBodyTechniqueElement | None = element(
        InstanceRigidBodyTechniqueElement, source=COLLADA, doc="What it says differently."
    )
    technique: tuple[TechniqueElement, ...] = techniques()
    extra: tuple[ExtraElement, ...] = extras()
    body: str | None = attribute(STRING, required=True, source=COLLADA, doc="The rigid body.")
    sid: str | None = scoped_identifier()
    name: str | None = plain_name()
    target: str | None = attribute(STRING, required=True, source=COLLADA, doc="The node.")


class InstancePhysicsModelElement(Element):
    """A physics model in a scene."""

    unread = frozenset({"instance_force_field", "instance_rigid_constraint"})
    instance_rigid_body: tuple[InstanceRigidBodyElement, ...] = element(
        InstanceRigidBodyElement, repeated=True, source=COLLADA, doc="Its bodies, bound to nodes."
    )
    extra: tuple[ExtraElement, ...] = extras()
    url: str | None = attribute(STRING, required=True, source=COLLADA, doc="The physics model.")
    sid: str | None = scoped_identifier()
    name: str | None = plain_name()
    parent: str | None = attribute(STRING, source=COLLADA, doc="The node in whose frame its bodies are described.")


class PhysicsSceneTechniqueElement(Element):
    """What holds for all bodies."""

    gravity: StatedVectorElement | None = element(
        StatedVectorElement, unit="m/s²", source=COLLADA, doc="Gravitational acceleration; 9.7979302 downwards if absent."
    )
    time_step: StatedNumberElement | None = element(StatedNumberElement, unit="s", source=COLLADA, doc="Step of a simulation.")


class PhysicsSceneElement(Element):
    """Bodies under gravity."""

    unread = frozenset({"instance_force_field"})
    asset: AssetElement | None = element(AssetElement, source=COLLADA, doc="Its unit.")
    instance_physics_model: tuple[InstancePhysicsModelElement, ...] = element(
        InstancePhysicsModelElement, repeated=True, source=COLLADA, doc="The bodies."
    )
    technique_common: PhysicsSceneTechniqueElement | None = element(
        PhysicsSceneTechniqueElement, source=COLLADA, doc="What holds for all."
    )
    technique: tuple[TechniqueElement, ...] = techniques()
    extra: tuple[ExtraElement, ...] = extras()
    id: str | None = identifier()
    name: str | None = plain_name()
