"""The shapes, contact properties and materials of SDFormat."""

from __future__ import annotations

from ossature.formats.sdf.schema_common import COLOR, SDF, SdfElement, passed_through
from ossature.spatial import Vector3
from ossature.syntax.schema import Element, attribute, child, element, one_of
from ossature.syntax.xml_values import BOOLEAN, NUMBER, STRING, VECTOR3, vector


class SdfBoxElement(SdfElement):
    """A box."""

    size: Vector3 = child(VECTOR3, unit="m", default=(1.0, 1.0, 1.0), announce=True, doc="Edge lengths.")


class SdfSphereElement(SdfElement):
    """A sphere."""

    radius: float = child(NUMBER, unit="m", default=1.0, announce=True, doc="Radius.")


class SdfCylinderElement(SdfElement):
    """A cylinder along z."""

    radius: float = child(NUMBER, unit="m", default=1.0, announce=True, doc="Radius.")
    length: float = child(NUMBER, unit="m", default=1.0, announce=True, doc="Distance between the end faces.")


class SdfCapsuleElement(SdfCylinderElement, source=SDF):
    """A cylinder along z with half spheres at its ends, which its length does not contain."""

    radius: float = child(NUMBER, unit="m", default=0.5, announce=True, doc="Radius.")


class SdfConeElement(SdfCylinderElement, source=SDF):
    """A cone along z, centred at half its height, with its tip upwards."""

    radius: float = child(NUMBER, unit="m", default=0.5, announce=True, doc="Radius.")


class SdfEllipsoidElement(SdfElement):
    """An ellipsoid."""

    radii: Vector3 = child(VECTOR3, unit="m", default=(1.0, 1.0, 1.0), announce=True, doc="Half lengths of its axes.")


class SdfPlaneElement(SdfElement):
    """A plane: infinite as a collision shape."""

    normal: Vector3 = child(VECTOR3, default=(0.0, 0.0, 1.0), doc="Normal.")
    size: tuple[float, float] | None = child(vector(2), unit="m", doc="Edge lengths of a visual plane.")


class SubmeshElement(SdfElement):
    """A part of a mesh."""

    name: str | None = child(STRING, required=True, doc="Name of the part.")
    center: bool = child(BOOLEAN, default=False, doc="Whether its centre is moved to the origin.")


class SdfMeshElement(SdfElement):
    """A triangle mesh in a file."""

    optimization: str | None = attribute(
        STRING, doc="convex_hull: its convex hull is meant; convex_decomposition is passed through."
    )
    uri: str | None = child(STRING, required=True, doc="The file.")
    scale: Vector3 = child(VECTOR3, default=(1.0, 1.0, 1.0), doc="Factors along x, y and z.")
    submesh: SubmeshElement | None = element(SubmeshElement, doc="The part that is meant.")
    other: tuple[Element, ...] = passed_through("convex_decomposition")


class UnsupportedShapeElement(SdfElement):
    """A shape that the model cannot represent."""

    other: tuple[Element, ...] = passed_through(
        *("uri", "size", "pos", "texture", "blend", "use_terrain_paging", "sampling"),
        *("scale", "threshold", "height", "granularity", "point"),
    )


class EmptyShapeElement(SdfElement):
    """No shape."""


SHAPES: dict[str, type[Element]] = {
    "box": SdfBoxElement,
    "sphere": SdfSphereElement,
    "cylinder": SdfCylinderElement,
    "capsule": SdfCapsuleElement,
    "cone": SdfConeElement,
    "ellipsoid": SdfEllipsoidElement,
    "plane": SdfPlaneElement,
    "mesh": SdfMeshElement,
    "heightmap": UnsupportedShapeElement,
    "image": UnsupportedShapeElement,
    "empty": EmptyShapeElement,
}


class SdfGeometryElement(SdfElement):
    """One of several shapes."""

    shape: Element | None = one_of(SHAPES, doc="The shape.")
    polyline: tuple[UnsupportedShapeElement, ...] = element(
        UnsupportedShapeElement, repeated=True, doc="A polygon, or a hole in it, that is extruded; not represented."
    )


class OdeFrictionElement(SdfElement):
    """Friction of ODE."""

    mu: float | None = child(NUMBER, doc="Coefficient of sliding friction; 1 if absent.")
    mu2: float | None = child(NUMBER, doc="Coefficient along the second direction.")
    fdir1: Vector3 | None = child(VECTOR3, doc="First direction.")
    slip1: float | None = child(NUMBER, doc="Slip along the first direction.")
    slip2: float | None = child(NUMBER, doc="Slip along the second direction.")


class BulletFrictionElement(SdfElement):
    """Friction of Bullet."""

    friction: float | None = child(NUMBER, doc="Coefficient of sliding friction.")
    friction2: float | None = child(NUMBER, doc="Coefficient along the second direction.")
    fdir1: Vector3 | None = child(VECTOR3, doc="First direction.")
    rolling_friction: float | None = child(NUMBER, unit="m", doc="Coefficient of rolling friction.")


class FrictionElement(SdfElement):
    """Friction."""

    ode: OdeFrictionElement | None = element(OdeFrictionElement, doc="Friction of ODE, and of DART.")
    bullet: BulletFrictionElement | None = element(BulletFrictionElement, doc="Friction of Bullet.")
    other: tuple[Element, ...] = passed_through("torsional")


class BounceElement(SdfElement):
    """Restitution."""

    restitution_coefficient: float = child(NUMBER, default=0.0, doc="Coefficient of restitution.")
    threshold: float | None = child(NUMBER, unit="m/s", doc="Approach speed below which contacts do not bounce.")


class ContactPropertiesElement(SdfElement):
    """Elasticity of contacts."""

    poissons_ratio: float | None = child(NUMBER, doc="Poisson's ratio.")
    elastic_modulus: float | None = child(NUMBER, unit="Pa", doc="Young's modulus; negative for none.")
    other: tuple[Element, ...] = passed_through(
        "collide_without_contact",
        "collide_without_contact_bitmask",
        "collide_bitmask",
        "category_bitmask",
        "ode",
        "bullet",
    )


class SurfaceElement(SdfElement):
    """Contact properties of a collision shape."""

    friction: FrictionElement | None = element(FrictionElement, doc="Friction.")
    bounce: BounceElement | None = element(BounceElement, doc="Restitution.")
    contact: ContactPropertiesElement | None = element(ContactPropertiesElement, doc="Elasticity.")
    other: tuple[Element, ...] = passed_through("soft_contact")


class MetalElement(SdfElement):
    """A material by its metallicity and roughness."""

    albedo_map: str | None = child(STRING, doc="Image of the colour.")
    roughness: float | None = child(NUMBER, doc="Roughness: 0.5 if absent.")
    metalness: float | None = child(NUMBER, doc="Metallicity: 0.5 if absent.")
    other: tuple[Element, ...] = passed_through(
        "roughness_map",
        "metalness_map",
        "environment_map",
        "ambient_occlusion_map",
        "normal_map",
        "emissive_map",
        "light_map",
    )


class PbrElement(SdfElement):
    """A physically based material."""

    metal: MetalElement | None = element(MetalElement, doc="By metallicity and roughness.")
    other: tuple[Element, ...] = passed_through("specular")


class ScriptElement(SdfElement):
    """A material of OGRE by its name."""

    uri: tuple[str, ...] = child(STRING, repeated=True, doc="File with definitions; not read.")
    name: str | None = child(STRING, required=True, doc="Name: colours of Gazebo are known.")


class SdfMaterialElement(SdfElement):
    """How a shape is rendered."""

    script: ScriptElement | None = element(ScriptElement, doc="A material by its name.")
    ambient: tuple[float, ...] | None = child(COLOR, doc="Ambient colour.")
    diffuse: tuple[float, ...] | None = child(COLOR, doc="Colour: red, green, blue and opacity.")
    specular: tuple[float, ...] | None = child(COLOR, doc="Specular colour.")
    emissive: tuple[float, ...] | None = child(COLOR, doc="Emitted colour.")
    pbr: PbrElement | None = element(PbrElement, doc="A physically based material.")
    other: tuple[Element, ...] = passed_through("shader", "render_order", "lighting", "shininess", "double_sided")
