"""Writes a World as a COLLADA document.

Bodies and joints are sorted into trees (``link_forest``), written as kinematics (``write_kinematics``), as nodes
(``write_visual``) and as rigid bodies (``write_physics``), and bound to each other in scenes (``write_systems``). The rest is
written to extensions of OpenRAVE (``write_extensions``) and Ossature (``native_extension``).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

from ossature.assets import write_archive
from ossature.diagnostics.ledger import Ledger
from ossature.formats.collada.animation.write import write_animations
from ossature.formats.collada.custom_extra_handlers import registered_nodes
from ossature.formats.collada.geometry.write_shape import Geometries
from ossature.formats.collada.kinematics.schema import InstanceKinematicsSceneElement, KinematicsSceneElement
from ossature.formats.collada.kinematics.write_articulated_systems import axis_bindings, model_bindings, write_systems
from ossature.formats.collada.kinematics.write_formula import remove_deep_formulas
from ossature.formats.collada.kinematics.write_kinematics_model import write_kinematics_model
from ossature.formats.collada.materials.write import MaterialLibrary
from ossature.formats.collada.model_write_context import ModelWriteContext, make_model_write_context
from ossature.formats.collada.native_extension.model import fixed_base_joint, model_extra
from ossature.formats.collada.native_extension.world import world_extra
from ossature.formats.collada.openrave.read_extensions import UNDERSTOOD
from ossature.formats.collada.openrave.write_device_libraries import DeviceLibraries
from ossature.formats.collada.openrave.write_extensions import model_extras
from ossature.formats.collada.openrave.write_grasped_bodies import write_grasps
from ossature.formats.collada.physics.write import SCENE as PHYSICS_SCENE
from ossature.formats.collada.physics.write import Bodies, rigid_paths, write_physics_scene
from ossature.formats.collada.physics.write_collision_geometries import Collisions
from ossature.formats.collada.read import in_order_of_actuators
from ossature.formats.collada.schema import LIBRARIES, NAMESPACE, ColladaElement, InstanceSceneElement, SceneElement
from ossature.formats.collada.schema_common import ExtraElement
from ossature.formats.collada.supported_fields import SUPPORTED_FIELDS
from ossature.formats.collada.visual_scene.schema import NodeElement, VisualSceneElement
from ossature.formats.collada.visual_scene.write import Visuals
from ossature.formats.collada.write_asset import write_asset
from ossature.formats.collada.write_context import ColladaWriteContext
from ossature.formats.collada.write_passthrough_extras import SortedExtensions, extra_element, sorted_extensions
from ossature.formats.collada.written_names import with_written_names, written_names
from ossature.formats.format import WriteContext, WrittenFiles
from ossature.kinematics import spanning_tree
from ossature.model import Body, Capsule, Joint, Model, NamedList, Plane, Trajectory, World
from ossature.model.unsupported_fields import audit
from ossature.model.value_text import kind_with_article, value_text
from ossature.syntax import xml
from ossature.syntax.xml_binding import unbind

VERSION = "1.5.0"
ARCHIVE_SUFFIX = ".zae"
"""Suffix of files that are written as archives of one document."""
VISUAL_SCENE, KINEMATICS_SCENE = "vscene", "kscene"
"""Identifiers of the scenes."""
SUPPORTED_ELSEWHERE = ("library_sensors", "library_actuators")
"""Types of extensions of a document that are read, and not passed through."""
_LIBRARY_ORDER = (
    "library_animations",
    "library_visual_scenes",
    "library_geometries",
    "library_effects",
    "library_materials",
    "library_kinematics_models",
    "library_articulated_systems",
    "library_kinematics_scenes",
    "library_physics_scenes",
    "library_physics_materials",
    "library_physics_models",
)


def write(world: World, context: WriteContext) -> WrittenFiles:
    """Return a World as a COLLADA document, or as an archive of one if that is the suffix of the file."""
    if context.dialect == OPENRAVE:
        record_ignored(world, context.ledger)
    return output_of(write_collada(world, context.ledger), context)


def output_of(document: str, context: WriteContext) -> WrittenFiles:
    """Return a document as a file, or as an archive with a manifest if that is the suffix of the file."""
    is_archive = context.path.suffix.lower() == ARCHIVE_SUFFIX
    return context.main_file(write_archive(f"{context.path.stem}.dae", document) if is_archive else document)


def write_collada(world: World, ledger: Ledger) -> str:
    """Return a World as the text of a COLLADA document.

    Args:
        ledger: Receives what COLLADA cannot represent, or represents differently.
    """
    audit(world, SUPPORTED_FIELDS, ledger)
    return _Document(world, ledger).text()


def document_text(document: ColladaElement) -> str:
    """Return a document as text."""
    root = unbind("COLLADA", document)
    root.attributes = {"xmlns": NAMESPACE, **root.attributes}
    return xml.serialize(root)


class _Document:
    def __init__(self, world: World, ledger: Ledger) -> None:
        self._world, self._ledger = world, ledger
        self._writing = ColladaWriteContext(ledger)
        geometries = Geometries(self._writing)
        self._visuals = Visuals(geometries, MaterialLibrary(self._writing))
        self._collisions = Collisions(geometries)
        self._bodies = Bodies(self._writing, self._collisions)
        self._devices = DeviceLibraries()

    def text(self) -> str:
        names = written_names(self._world.models.names(), "model", "", self._ledger)
        models = [
            make_model_write_context(self._writing, self._writable_model(model), number, name)
            for number, (model, name) in enumerate(zip(self._world.models, names, strict=True), 1)
        ]
        root_nodes = [self._visuals.root_node(model, model.model.pose) for model in models]
        instances = [write_systems(model, self._write_model(model)) for model in models]
        write_physics_scene(self._world, [self._bodies.write(model) for model in models], self._writing)
        # A visual scene needs at least one node.
        nodes = tuple(root_nodes) or (NodeElement(id="nothing"),)
        name = written_names([self._world.name], "world", "", self._ledger)[0]
        self._writing.define("library_visual_scenes", VisualSceneElement(id=VISUAL_SCENE, name=name, nodes=nodes))
        scene = KinematicsSceneElement(id=KINEMATICS_SCENE, instance_articulated_system=tuple(instances))
        self._writing.define("library_kinematics_scenes", scene)
        trajectories = written_names(self._world.trajectories.names(), "trajectory", "", self._ledger)
        animations = write_animations(self._world, models, trajectories)
        for animation in animations.elements:
            self._writing.define("library_animations", animation)
        self._world = replace(self._world, trajectories=animations.specified)
        return document_text(self._root_element(models, animations.read))

    def _writable_model(self, model: Model) -> Model:
        return remove_deep_formulas(with_written_names(model, self._ledger), self._ledger)

    def _write_model(self, model: ModelWriteContext) -> tuple[ExtraElement, ...]:
        """Add the kinematics of a model to the document, and return its extensions."""
        specified = model.model
        path = f"{model.path}.extensions"
        passthrough = sorted_extensions(specified.extensions, UNDERSTOOD, path, self._ledger, has_subject=True)
        for tree in model.forest.trees:
            write_kinematics_model(tree, model, passthrough.subject)
        openrave = model_extras(model, self._collisions, self._devices)
        registered = [extra_element(node) for node in registered_nodes(specified)]
        return (*openrave, *self._native_extras(model, passthrough), *passthrough.extras, *registered)

    def _native_extras(self, model: ModelWriteContext, passthrough: SortedExtensions) -> tuple[ExtraElement, ...]:
        outside = [joint for joint in model.forest.extension_joints if not _is_implied(joint, model.model)]
        world_link = model.world_link if model.has_world_link else None
        read = _model_as_read(model, outside)
        return model_extra(model.model, outside, passthrough.others, world_link, read, self._ledger)

    def _root_element(self, models: list[ModelWriteContext], trajectories: NamedList[Trajectory]) -> ColladaElement:
        filled = [(tag, items) for tag in _LIBRARY_ORDER if (items := self._writing.libraries.get(tag))]
        libraries = [cast(Any, LIBRARIES[tag])(items=tuple(items)) for tag, items in filled]
        specified = self._world.extensions
        passthrough = sorted_extensions(specified, SUPPORTED_ELSEWHERE, "extensions", self._ledger, has_subject=False)
        own = world_extra(self._world, passthrough.others, self._ledger, trajectories=trajectories)
        return ColladaElement(
            version=VERSION,
            asset=write_asset(),
            libraries=tuple(libraries),
            scene=self._scene_element(models),
            extra=(*self._devices.extras(), *own, *passthrough.extras),
        )

    def _scene_element(self, models: list[ModelWriteContext]) -> SceneElement:
        return SceneElement(
            instance_physics_scene=(
                InstanceSceneElement(
                    url=f"#{PHYSICS_SCENE}",
                    sid=f"{PHYSICS_SCENE}_inst",
                    extra=tuple(write_grasps(self._world, rigid_paths(self._world, models), self._ledger)),
                ),
            ),
            instance_visual_scene=InstanceSceneElement(url=f"#{VISUAL_SCENE}", sid=f"{VISUAL_SCENE}_inst"),
            instance_kinematics_scene=InstanceKinematicsSceneElement(
                url=f"#{KINEMATICS_SCENE}",
                sid=f"{KINEMATICS_SCENE}_inst",
                bind_kinematics_model=tuple([binding for model in models for binding in model_bindings(model)]),
                bind_joint_axis=tuple([binding for model in models for binding in axis_bindings(model)]),
            ),
        )


def _is_implied(joint: Joint, model: Model) -> bool:
    """Whether a joint is implied by a rigid body that is not dynamic."""
    base_joints = [other for other in model.joints if other.child == joint.child and other.parent is None]
    return not model.static and base_joints == [joint] and joint == fixed_base_joint(joint.child)


def _model_as_read(model: ModelWriteContext, outside: list[Joint]) -> Model:
    specified = model.model
    trees = model.forest.trees
    bodies = [body for tree in trees for body in tree.bodies() if body is not None]
    joints = [joint for tree in trees for joint in tree.joints()]
    joints += [joint for tree in trees for body in tree.bodies() for joint in tree.loop_joints if joint.child == body]
    joints = in_order_of_actuators(joints, [actuator.joint or "" for actuator in specified.actuators])
    implied = [joint for joint in model.forest.extension_joints if all(joint is not other for other in outside)]
    order = {body: number for number, body in reversed(list(enumerate(bodies)))}
    joints += sorted(implied, key=lambda joint: order[joint.child])
    return Model(
        name=specified.name,
        bodies=NamedList([specified.bodies[body] for body in bodies]),
        joints=NamedList([*joints, *outside]),
    )


OPENRAVE = "openrave"
"""The dialect."""


def record_ignored(world: World, ledger: Ledger) -> None:
    """Record joints and shapes of a World that OpenRAVE ignores, although the document contains them."""
    for model in world.models:
        _record_loops(model, ledger)
        for body in model.bodies:
            _record_shapes(body, f"{model.name}/{body.name}", ledger)


def _record_loops(model: Model, ledger: Ledger) -> None:
    for joint in spanning_tree(model).loop_joints:
        detail = "it closes a loop: OpenRAVE ignores <attachment_start> and <attachment_end>, and leaves the loop open"
        ledger.approximated(f"{model.name}/{joint.name}", detail, location=joint.origin)


def _record_shapes(body: Body, path: str, ledger: Ledger) -> None:
    for field in ("visuals", "collisions"):
        for index, shape in enumerate(getattr(body, field)):
            if isinstance(shape.geometry, Capsule | Plane):
                detail = f"OpenRAVE ignores {kind_with_article(type(shape.geometry))}"
                before = value_text(shape.geometry, longest=None)
                ledger.approximated(f"{path}.{field}[{index}]", detail, before=before, location=shape.origin)
