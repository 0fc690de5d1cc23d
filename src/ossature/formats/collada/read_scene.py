"""Reads the scenes of a document, or its libraries without a scene, and binds kinematics to visual nodes."""

from __future__ import annotations

from dataclasses import dataclass, field

from ossature.formats.collada import rules
from ossature.formats.collada.document_lookup import Document, Item, unit_of
from ossature.formats.collada.kinematics.read_articulated_systems import (
    AxisState,
    System,
    read_scene_systems,
    system_of_articulated_system,
    system_of_kinematics_model,
)
from ossature.formats.collada.kinematics.schema import (
    ArticulatedSystemElement,
    BindJointAxisElement,
    BindKinematicsModelElement,
    InstanceKinematicsSceneElement,
    KinematicsModelElement,
    KinematicsSceneElement,
)
from ossature.formats.collada.physics.schema import PhysicsSceneElement
from ossature.formats.collada.read_context import ColladaReadContext
from ossature.formats.collada.schema import InstanceSceneElement
from ossature.formats.collada.sid_resolution import (
    AxisTarget,
    ModelTarget,
    Scope,
    resolve_number,
    resolve_value,
    split_sid_path,
)
from ossature.formats.collada.visual_scene.node_instances import VisualTree
from ossature.formats.collada.visual_scene.schema import VisualSceneElement


@dataclass(slots=True)
class DocumentScene:
    """The scenes of a document.

    Attributes:
        physics: The physics scenes, each with its instance.
    """

    visual: VisualTree
    systems: list[System] = field(default_factory=list)
    physics: list[tuple[Item, InstanceSceneElement | None]] = field(default_factory=list)


def read_scene(reading: ColladaReadContext) -> DocumentScene:
    """Return the scenes of the document."""
    scene = DocumentScene(VisualTree(reading.report))
    specified = reading.document.root.scene
    if specified is not None:
        if specified.instance_visual_scene is not None:
            _add_visual(specified.instance_visual_scene, reading, scene)
        scene.physics = [
            (item, instance)
            for instance in specified.instance_physics_scene
            if (item := _find_item(instance, PhysicsSceneElement, reading)) is not None
        ]
        if specified.instance_kinematics_scene is not None:
            _add_kinematics(specified.instance_kinematics_scene, reading, scene)
    if not scene.systems:
        _add_libraries(reading, scene)
    _bind_by_names(scene, reading)
    return scene


def _bind_by_names(scene: DocumentScene, reading: ColladaReadContext) -> None:
    """Bind unbound models to the nodes that have the names of their first links."""
    bound = {instance.node for system in scene.systems for instance in system.instances}
    named = {
        node.element.name: node
        for root in reversed(scene.visual.roots)
        for node in root.self_and_descendants()
        if node not in bound
    }
    for system in scene.systems:
        for instance in system.instances:
            content = instance.element.technique_common
            link = content.link[0] if content is not None and content.link else None
            # Further models of a system are attached to the first one.
            if instance.node is not None or link is None or instance is not system.instances[0]:
                continue
            instance.node = named.pop(link.name, None) if link.name else None
            if scene.visual.roots:
                reading.report.add(
                    rules.UNBOUND_MODEL,
                    f"the model '{instance.element.name or instance.element.id}' is not bound to a node: "
                    + ("the node with the name of its first link is used" if instance.node else "it has no shapes"),
                    instance.element.location(),
                    hint="add a <bind_kinematics_model> to <instance_kinematics_scene>",
                )


def _find_item(
    instance: InstanceSceneElement | InstanceKinematicsSceneElement,
    kind: type[PhysicsSceneElement] | type[VisualSceneElement] | type[KinematicsSceneElement],
    reading: ColladaReadContext,
) -> Item | None:
    return reading.documents.find(instance.url, kind, reading.document, instance, "url")


def _add_visual(instance: InstanceSceneElement, reading: ColladaReadContext, scene: DocumentScene) -> None:
    item = _find_item(instance, VisualSceneElement, reading)
    if item is not None:
        scene.visual.add_scene(item, reading.documents, instance.sid)


def _add_libraries(reading: ColladaReadContext, scene: DocumentScene) -> None:
    """Add the content of the libraries, for a document without a kinematics scene."""
    document = reading.document
    reading.report.add(
        rules.EMPTY_SCENE,
        "the scene has no kinematics: the libraries are used"
        if document.root.scene is not None
        else "the document has no <scene>: the libraries are used",
        (document.root.scene or document.root).location(),
        hint="add a <scene> with <instance_visual_scene> and <instance_kinematics_scene>",
    )
    if not scene.visual.roots:
        for item in document.of_kind(VisualSceneElement):
            scene.visual.add_scene(item, reading.documents)
    if not scene.physics:
        scene.physics = [(item, None) for item in document.of_kind(PhysicsSceneElement)]
    for item in document.of_kind(KinematicsSceneElement):
        scene.systems.extend(read_scene_systems(item, _instance_scope(item, None), reading))
    if not scene.systems:
        systems = list(document.of_kind(ArticulatedSystemElement))
        inner = {split_sid_path((_inner_url(item) or "").removeprefix("#")) for item in systems}
        scene.systems = [system_of_articulated_system(item, reading) for item in systems if (item.element.id,) not in inner]
    if not scene.systems:
        scene.systems = [system_of_kinematics_model(item, reading) for item in document.of_kind(KinematicsModelElement)]


def _inner_url(item: Item) -> str | None:
    instance = getattr(item.element.system, "instance_articulated_system", None)
    return None if instance is None else instance.url


def _instance_scope(item: Item, instance: InstanceKinematicsSceneElement | None) -> Scope:
    names = (item.element.id, None if instance is None else instance.sid)
    return Scope(frozenset(name for name in names if name))


def _add_kinematics(instance: InstanceKinematicsSceneElement, reading: ColladaReadContext, scene: DocumentScene) -> None:
    item = _find_item(instance, KinematicsSceneElement, reading)
    if item is None:
        return
    scope = _instance_scope(item, instance)
    scope.declare(instance.newparam, None)
    scene.systems = read_scene_systems(item, scope, reading)
    scope.override(instance.setparam)
    own = _own_instance(item)
    if own is not None and own is not instance:
        scope.declare(own.newparam, None)
    _Binding(reading, scene, scope, reading.document).bind(instance)
    if own is not None and own is not instance:
        _Binding(reading, scene, scope, item.document).bind(own)


def _own_instance(item: Item) -> InstanceKinematicsSceneElement | None:
    """Return the instance of a kinematics scene in its own document, whose bindings apply unless overridden."""
    scene = item.document.root.scene
    instance = None if scene is None else scene.instance_kinematics_scene
    return instance if instance is not None and (instance.url or "").strip() == f"#{item.element.id}" else None


@dataclass(frozen=True, slots=True)
class _Binding:
    """Binds models and axes to nodes and transforms of the visual scene; existing bindings are not replaced."""

    reading: ColladaReadContext
    scene: DocumentScene
    scope: Scope
    document: Document

    def bind(self, instance: InstanceKinematicsSceneElement) -> None:
        for model in instance.bind_kinematics_model:
            self._bind_model(model)
        for axis in instance.bind_joint_axis:
            self._bind_axis(axis, unit_of(instance, self.document.meter))

    def _bind_model(self, specified: BindKinematicsModelElement) -> None:
        path = (specified.param.target if specified.param is not None else specified.sidref) or ""
        target = self.scope.find(split_sid_path(path)) if path else None
        if not isinstance(target, ModelTarget):
            self._report(specified, "the bound kinematics model does not exist")
            return
        for system in self.scene.systems:
            for instance in system.instances:
                if instance.scope is target.model and instance.node is None and specified.target:
                    instance.node = self.scene.visual.find_node(specified.target)
                    if instance.node is None and self.scene.visual.roots:
                        self._report(specified, f"the node '{specified.target}' does not exist", "target")

    def _bind_axis(self, specified: BindJointAxisElement, meter: float) -> None:
        target = resolve_value(specified.axis, self.scope)
        state = self._find_axis_state(target) if isinstance(target, AxisTarget) else None
        if state is None:
            self._report(specified, "the bound axis does not exist")
            return
        if not state.bound:
            state.value = resolve_number(specified.value, self.scope, (), self.reading.report)
            state.specified_by, state.meter = self.document, meter
            state.bound = True
        if state.target is None and specified.target:
            state.target = self.scene.visual.find_transform(specified.target)
            if state.target is None and self.scene.visual.roots:
                self._report(specified, f"the transform '{specified.target}' does not exist", "target")
            elif state.target is not None:
                state.target[0].moved.add(state.target[1])

    def _find_axis_state(self, target: AxisTarget) -> AxisState | None:
        for system in self.scene.systems:
            state = system.axis(target)
            if state is not None:
                return state
        return None

    def _report(
        self, specified: BindKinematicsModelElement | BindJointAxisElement, message: str, attribute: str | None = None
    ) -> None:
        self.reading.report.add(
            rules.UNRESOLVED_BINDING,
            message,
            specified.location(attribute),
            hint="a path is an id or a sid, followed by sids, separated by /",
        )
