"""The shapes, contact properties and materials of SDFormat."""

from __future__ import annotations

from ossature.formats.sdf.schema_values import COLOR, SDF, SdfElement, passed_through
from ossature.syntax.schema import Element, attribute, child, element, one_of
from ossature.syntax.xml_values import BOOLEAN, NUMBER, STRING, VECTOR3, vector


class SdfBoxElement(SdfElement):
    """A box."""

    size: tuple[float, float, float] = child(
        VECTOR3, unit="m", default=(1.0, 1.0, 1.0), announce=True, source=SDF, doc="Edge lengths."
    )


class SdfSphereElement(SdfElement):
    """A sphere."""

    radius: float = child(NUMBER, unit="m", default=1.0, announce=True, source=SDF, doc="Radius.")


class SdfCylinderElement(SdfElement):
    """A cylinder along z."""

    radius: float = child(NUMBER, unit="m", default=1.0, announce=True, source=SDF, doc="Radius.")
    length: float = child(NUMBER, unit="m", default=1.0, announce=True, source=SDF, doc="Distance between the end faces.")


class SdfCapsuleElement(SdfCylinderElement):
    """A cylinder along z with half spheres at its ends, which its length does not contain."""

    radius: float = child(NUMBER, unit="m", default=0.5, announce=True, source=SDF, doc="Radius.")


class SdfConeElement(SdfCylinderElement):
    """A cone along z, centred at half its height, with its tip upwards."""

    radius: float = child(NUMBER, unit="m", default=0.5, announce=True, source=SDF, doc="Radius.")


class SdfEllipsoidElement(SdfElement):
    """An ellipsoid."""

    radii: tuple[float, float, float] = child(
        VECTOR3, unit="m", default=(1.0, 1.0, 1.0), announce=True, source=SDF, doc="Half lengths of its axes."
    )


class SdfPlaneElement(SdfElement):
    """A plane: infinite as a collision shape."""

    normal: tuple[float, float, float] = child(VECTOR3, default=(0.0, 0.0, 1.0), source=SDF, doc="Normal.")
    size: tuple[float, float] | None = child(vector(2), unit="m", source=SDF, doc="Edge lengths of a visual plane.")


class SubmeshElement(SdfElement):
    """A part of a mesh."""

    name: str | None = child(STRING, required=True, source=SDF, doc="Name of the part.")
    center: bool = child(BOOLEAN, default=False, source=SDF, doc="Whether its centre is moved to the origin.")


class SdfMeshElement(SdfElement):
    """A triangle mesh in a file."""

    optimization: str | None = attribute(STRING, source=SDF, doc="convex_hull or convex_decomposition; not used.")
    uri: str | None = child(STRING, required=True, source=SDF, doc="The file.")
    scale: tuple[float, float, float] = child(VECTOR3, default=(1.0, 1.0, 1.0), source=SDF, doc="Factors along x, y and z.")
    submesh: SubmeshElement | None = element(SubmeshElement, source=SDF, doc="The part that is meant.")
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

    shape: Element | None = one_of(SHAPES, source=SDF, doc="The shape.")
    polyline: tuple[UnsupportedShapeElement, ...] = element(
        UnsupportedShapeElement, repeated=True, source=SDF, doc="A polygon, or a hole in it, that is extruded; not represented."
    )


class OdeFrictionElement(SdfElement):
    """Friction of ODE."""

    mu: float | None = child(NUMBER, source=SDF, doc="Coefficient of sliding friction; 1 if absent.")
    mu2: float | None = child(NUMBER, source=SDF, doc="Coefficient along the second direction.")
    fdir1: tuple[float, float, float] | None = child(VECTOR3, source=SDF, doc="First direction.")
    slip1: float | None = child(NUMBER, source=SDF, doc="Slip along the first direction.")
    slip2: float | None = child(NUMBER, source=SDF, doc="Slip along the second direction.")


class BulletFrictionElement(SdfElement):
    """Friction of Bullet."""

    friction: float | None = child(NUMBER, source=SDF, doc="Coefficient of sliding friction.")
    friction2: float | None = child(NUMBER, source=SDF, doc="Coefficient along the second direction.")
    fdir1: tuple[float, float, float] | None = child(VECTOR3, source=SDF, doc="First direction.")
    rolling_friction: float | None = child(NUMBER, unit="m", source=SDF, doc="Coefficient of rolling friction.")


class FrictionElement(SdfElement):
    """Friction."""

    ode: OdeFrictionElement | None = element(OdeFrictionElement, source=SDF, doc="Friction of ODE, and of DART.")
    bullet: BulletFrictionElement | None = element(BulletFrictionElement, source=SDF, doc="Friction of Bullet.")
    other: tuple[Element, ...] = passed_through("torsional")


class BounceElement(SdfElement):
    """Restitution."""

    restitution_coefficient: float = child(NUMBER, default=0.0, source=SDF, doc="Coefficient of restitution.")
    threshold: float | None = child(NUMBER, unit="m/s", source=SDF, doc="Approach speed below which contacts do not bounce.")


class ContactPropertiesElement(SdfElement):
    """Elasticity of contacts."""

    poissons_ratio: float | None = child(NUMBER, source=SDF, doc="Poisson's ratio.")
    elastic_modulus: float | None = child(NUMBER, unit="Pa", source=SDF, doc="Young's modulus; negative for none.")
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

    friction: FrictionElement | None = element(FrictionElement, source=SDF, doc="Friction.")
    bounce: BounceElement | None = element(BounceElement, source=SDF, doc="Restitution.")
    contact: ContactPropertiesElement | None = element(ContactPropertiesElement, source=SDF, doc="Elasticity.")
    other: tuple[Element, ...] = passed_through("soft_contact")


class MetalElement(SdfElement):
    """A material by its metallicity and roughness."""

    albedo_map: str | None = child(STRING, source=SDF, doc="Image of the colour.")
    roughness: float | None = child(NUMBER, source=SDF, doc="Roughness: 0.5 if absent.")
    metalness: float | None = child(NUMBER, source=SDF, doc="Metallicity: 0.5 if absent.")
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

    metal: MetalElement | None = element(MetalElement, source=SDF, doc="By metallicity and roughness.")
    other: tuple[Element, ...] = passed_through("specular")


class ScriptElement(SdfElement):
    """A material of OGRE by its name."""

    uri: tuple[str, ...] = child(STRING, repeated=True, source=SDF, doc="File with definitions; not read.")
    name: str | None = child(STRING, required=True, source=SDF, doc="Name: colours of Gazebo are known.")


class SdfMaterialElement(SdfElement):
    """How a shape is rendered."""

    script: ScriptElement | None = element(ScriptElement, source=SDF, doc="A material by its name.")
    ambient: tuple[float, ...] | None = child(COLOR, source=SDF, doc="Ambient colour.")
    diffuse: tuple[float, ...] | None = child(COLOR, source=SDF, doc="Colour: red, green, blue and opacity.")
    specular: tuple[float, ...] | None = child(COLOR, source=SDF, doc="Specular colour.")
    emissive: tuple[float, ...] | None = child(COLOR, source=SDF, doc="Emitted colour.")
    pbr: PbrElement | None = element(PbrElement, source=SDF, doc="A physically based material.")
    other: tuple[Element, ...] = passed_through("shader", "render_order", "lighting", "shininess", "double_sided")
