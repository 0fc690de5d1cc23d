"""Schema of COLLADA 1.5 documents: the part that describes robots, with OpenRAVE's robot extensions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from ossature.formats.collada.animation.schema import AnimationElement
from ossature.formats.collada.geometry.schema import GeometryElement
from ossature.formats.collada.kinematics.schema import (
    ArticulatedSystemElement,
    FormulaElement,
    InstanceKinematicsSceneElement,
    JointElement,
    KinematicsModelElement,
    KinematicsSceneElement,
)
from ossature.formats.collada.materials.schema import EffectElement, MaterialElement
from ossature.formats.collada.openrave.schema import EXTENSIONS, FormulaEquationsElement
from ossature.formats.collada.physics.schema import PhysicsMaterialElement, PhysicsModelElement, PhysicsSceneElement
from ossature.formats.collada.schema_common import (
    COLLADA,
    AssetElement,
    ExtraElement,
    extras,
    identifier,
    plain_name,
    scoped_identifier,
)
from ossature.formats.collada.visual_scene.schema import NodeElement, VisualSceneElement
from ossature.syntax.schema import Element, attribute, element, one_of
from ossature.syntax.xml_values import STRING


def _library(declared: type[Element], tag: str, doc: str) -> type[Element]:
    """Return the declaration of a library: any number of elements of one kind."""

    class LibraryElement(Element, source=COLLADA):
        asset: AssetElement | None = element(AssetElement, doc="Unit of length.")
        items: tuple[Any, ...] = element(declared, name=tag, repeated=True, doc=doc)
        extra: tuple[ExtraElement, ...] = extras()
        id: str | None = identifier()
        name: str | None = plain_name()

    LibraryElement.__doc__ = doc
    LibraryElement.__name__ = f"Library{declared.__name__}"
    return LibraryElement


LIBRARIES: dict[str, type[Element]] = {
    "library_articulated_systems": _library(ArticulatedSystemElement, "articulated_system", "Robots and bodies."),
    "library_effects": _library(EffectElement, "effect", "Effects: the appearance of materials."),
    "library_formulas": _library(FormulaElement, "formula", "Formulas."),
    "library_geometries": _library(GeometryElement, "geometry", "Shapes."),
    "library_joints": _library(JointElement, "joint", "Joints."),
    "library_kinematics_models": _library(KinematicsModelElement, "kinematics_model", "Links and joints."),
    "library_kinematics_scenes": _library(KinematicsSceneElement, "kinematics_scene", "Kinematics scenes."),
    "library_materials": _library(MaterialElement, "material", "Materials."),
    "library_nodes": _library(NodeElement, "node", "Nodes."),
    "library_physics_materials": _library(PhysicsMaterialElement, "physics_material", "Friction and restitution of surfaces."),
    "library_physics_models": _library(PhysicsModelElement, "physics_model", "Rigid bodies."),
    "library_physics_scenes": _library(PhysicsSceneElement, "physics_scene", "Physics scenes: rigid bodies and gravity."),
    "library_visual_scenes": _library(VisualSceneElement, "visual_scene", "Visual scenes: trees of nodes."),
    "library_animations": _library(AnimationElement, "animation", "Joint trajectories."),
}
"""The supported libraries, by tag."""


class InstanceSceneElement(Element, source=COLLADA):
    """A physics scene or a visual scene."""

    extra: tuple[ExtraElement, ...] = extras()
    url: str | None = attribute(STRING, required=True, doc="The scene.")
    sid: str | None = scoped_identifier()
    name: str | None = plain_name()


class SceneElement(Element, source=COLLADA):
    """The scene of the document: instances of a visual, a kinematics and physics scenes."""

    instance_physics_scene: tuple[InstanceSceneElement, ...] = element(
        InstanceSceneElement, repeated=True, doc="The physics scene."
    )
    instance_visual_scene: InstanceSceneElement | None = element(InstanceSceneElement, doc="The visual scene.")
    instance_kinematics_scene: InstanceKinematicsSceneElement | None = element(
        InstanceKinematicsSceneElement, doc="The kinematics scene."
    )
    extra: tuple[ExtraElement, ...] = extras()


NAMESPACE = "http://www.collada.org/2008/03/COLLADASchema"
"""Of COLLADA 1.5."""


class ColladaElement(Element, source=COLLADA):
    """A COLLADA document."""

    namespaces: ClassVar[Mapping[str, str]] = {"": NAMESPACE}
    unread = frozenset(
        {
            "library_animation_clips",
            "library_cameras",
            "library_controllers",
            "library_force_fields",
            "library_images",
            "library_lights",
        }
    )
    asset: AssetElement | None = element(AssetElement, required=True, doc="Provenance and unit of length.")
    libraries: tuple[Any, ...] = one_of(LIBRARIES, repeated=True, doc="Libraries, in any order.")
    scene: SceneElement | None = element(SceneElement, doc="The scene.")
    extra: tuple[ExtraElement, ...] = extras()
    version: str | None = attribute(STRING, required=True, doc="The version of COLLADA: 1.5.0, or 1.4.1.")
    base: str | None = attribute(STRING, name="xml:base", doc="Base of relative URLs.")


ROOTS: tuple[tuple[str, type[Element]], ...] = (
    ("COLLADA", ColladaElement),
    *EXTENSIONS.items(),
    ("formula/technique", FormulaEquationsElement),
)
