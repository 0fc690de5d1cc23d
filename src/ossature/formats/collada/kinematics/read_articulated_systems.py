"""Instantiates kinematics scenes, articulated systems and kinematics models."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from ossature.diagnostics import Location
from ossature.formats.collada import rules
from ossature.formats.collada.document_lookup import Document, Item
from ossature.formats.collada.kinematics import schema
from ossature.formats.collada.read_context import ColladaReadContext
from ossature.formats.collada.schema_common import ExtraElement, ValueElement
from ossature.formats.collada.sid_resolution import AxisTarget, ModelScope, Scope, split_sid_path
from ossature.formats.collada.visual_scene.node_instances import NodeInstance


@dataclass(slots=True, eq=False)
class AxisState:
    """Data of systems and scenes about one joint axis.

    Attributes:
        kinematics: The axis_info of the kinematics system, the scope of its parameters, and the system.
        motion: The axis_info of the motion system, the scope of its parameters, and the system.
        target: The node with the transform that the axis is bound to, and the index of the transform.
        value: Initial position in the unit of the scene that states it, or None.
        specified_by: The document of that scene.
        meter: Length of the document's unit [m].
        bound: Whether a scene binds it.
    """

    kinematics: tuple[schema.KinematicsAxisInfoElement, Scope, Item] | None = None
    motion: tuple[schema.MotionAxisInfoElement, Scope, Item] | None = None
    target: tuple[NodeInstance, int] | None = None
    value: float | None = None
    specified_by: Document | None = None
    meter: float = 1.0
    bound: bool = False


@dataclass(slots=True, eq=False)
class JointInstance:
    """An instantiated joint.

    Attributes:
        sid: Its scoped identifier in the model.
        meter: Length of the document's unit [m].
        axes: Data about its axes.
    """

    element: schema.JointElement
    sid: str
    meter: float
    axes: list[AxisState]


@dataclass(slots=True, eq=False)
class ModelInstance:
    """An instantiated kinematics model.

    Attributes:
        instance: The element that instantiates it, or None.
        scope: The scope of its parameters and axes.
        joints: Its joints, by their identifiers.
        node: The node that shows its first link, or None.
    """

    item: Item
    instance: schema.InstanceKinematicsModelElement | None
    scope: ModelScope
    joints: dict[str, JointInstance]
    node: NodeInstance | None = None

    @property
    def names(self) -> tuple[str | None, ...]:
        """Candidates for its name, in order of preference."""
        return (self.instance.name if self.instance is not None else None, self.element.name)

    @property
    def element(self) -> schema.KinematicsModelElement:
        """The model element."""
        assert isinstance(self.item.element, schema.KinematicsModelElement)  # noqa: S101
        return self.item.element


@dataclass(frozen=True, slots=True)
class Level:
    """An element that contributes extensions to a robot.

    Attributes:
        meter: Length of the document's unit [m].
        is_instance: Whether it is an instance in a scene.
    """

    extras: tuple[ExtraElement, ...]
    document: Document
    meter: float
    is_instance: bool = False


@dataclass(slots=True, eq=False)
class System:
    """A robot or a body that a scene instantiates.

    Attributes:
        names: Candidates for its name, in order of preference.
        identifiers: Identifiers as candidates if there is no name.
        scope: The scope of its parameters and axes.
        levels: The elements with its extensions, the innermost first.
    """

    names: tuple[str | None, ...]
    identifiers: tuple[str | None, ...]
    scope: Scope | ModelScope
    instances: list[ModelInstance] = field(default_factory=list)
    levels: list[Level] = field(default_factory=list)
    location: Location | None = None

    def axes(self) -> Iterator[tuple[ModelInstance, JointInstance, int]]:
        """Yield every axis of every joint."""
        for instance in self.instances:
            for joint in instance.joints.values():
                for index in range(len(joint.axes)):
                    yield instance, joint, index

    def axis(self, target: AxisTarget) -> AxisState | None:
        """Return the data about an axis, or None if it belongs to another system."""
        for instance in self.instances:
            if instance.scope is target.model:
                return instance.joints[target.joint].axes[target.axis]
        return None


def read_scene_systems(scene: Item, scope: Scope, reading: ColladaReadContext) -> list[System]:
    """Return the systems that a kinematics scene instantiates; their scopes are added to the given scope."""
    element = scene.element
    assert isinstance(element, schema.KinematicsSceneElement)  # noqa: S101
    systems = [read_system(instance, scene, scope, reading) for instance in element.instance_articulated_system]
    models = [read_bare_model(instance, scene, scope, reading) for instance in element.instance_kinematics_model]
    return [system for system in (*systems, *models) if system is not None]


def read_system(
    instance: schema.InstanceArticulatedSystemElement, parent: Item, scope: Scope, reading: ColladaReadContext
) -> System | None:
    """Return the system that an element instantiates, or None with a finding."""
    item = reading.documents.find(instance.url, schema.ArticulatedSystemElement, parent.document, instance, "url")
    if item is None:
        return None
    system = _build_system(item, instance.sid, reading)
    assert isinstance(system.scope, Scope)  # noqa: S101
    scope.inner.append(system.scope)
    scope.declare((*instance.bind, *instance.newparam), system.scope)
    system.scope.override(instance.setparam)
    models = [name for model in system.instances for name in model.names]
    system.names = (instance.name, *models, *system.names)
    system.identifiers = (instance.sid, *system.identifiers)
    system.levels.append(Level(instance.extra, parent.document, parent.meter, is_instance=True))
    system.location = instance.location()
    return system


def read_bare_model(
    instance: schema.InstanceKinematicsModelElement, parent: Item, scope: Scope, reading: ColladaReadContext
) -> System | None:
    """Return the system of a kinematics model that is instantiated without an articulated system."""
    model = _read_model_instance(instance, parent, scope, reading)
    if model is None:
        return None
    identifiers = (instance.sid, model.element.id)
    level = Level(instance.extra, parent.document, parent.meter, is_instance=True)
    return System(model.names, identifiers, model.scope, [model], [_extras_level(model.item), level], instance.location())


def system_of_articulated_system(item: Item, reading: ColladaReadContext) -> System:
    """Return the system of an articulated system that no scene instantiates."""
    return _build_system(item, None, reading)


def system_of_kinematics_model(item: Item, reading: ColladaReadContext) -> System:
    """Return the system of a kinematics model that nothing instantiates."""
    model = ModelInstance(item, None, *_instantiate_joints(item, None, reading))
    return System(model.names, (item.element.id,), model.scope, [model], [_extras_level(item)], item.element.location())


def _build_system(item: Item, sid: str | None, reading: ColladaReadContext) -> System:
    """Return a system with its nested systems, built from the innermost one outwards."""
    chain = _nested_systems(item, reading)
    innermost, _ = chain[-1]
    system = _read_kinematics(innermost, chain[-1][1], reading)
    for level, instance in reversed(chain[:-1]):
        system = _read_motion(level, instance, system, reading)
    assert isinstance(system.scope, Scope)  # noqa: S101
    if sid:
        system.scope.identifiers |= {sid}
    return system


def _nested_systems(
    item: Item, reading: ColladaReadContext
) -> list[tuple[Item, schema.InstanceArticulatedSystemElement | None]]:
    """Return the nested systems, the outermost first, each with its instance of the next one."""
    chain: list[tuple[Item, schema.InstanceArticulatedSystemElement | None]] = []
    current: Item | None = item
    while current is not None:
        system = current.element.system
        if any(current.element is known.element for known, _ in chain):
            reading.report.add(
                rules.CYCLIC_REFERENCE, f"the system '{current.element.id}' instantiates itself", current.element.location()
            )
            break
        instance = system.instance_articulated_system if isinstance(system, schema.MotionElement) else None
        chain.append((current, instance))
        if instance is None:
            break
        current = reading.documents.find(instance.url, schema.ArticulatedSystemElement, current.document, instance, "url")
    return chain


def _read_kinematics(
    item: Item, instance: schema.InstanceArticulatedSystemElement | None, reading: ColladaReadContext
) -> System:
    element = item.element
    scope = Scope(frozenset(name for name in (element.id,) if name))
    system = System((element.name,), (element.id,), scope, location=element.location())
    kinematics = element.system
    if isinstance(kinematics, schema.KinematicsElement):
        for inner in kinematics.instance_kinematics_model:
            model = _read_model_instance(inner, item, scope, reading)
            if model is not None:
                system.instances.append(model)
                system.levels.append(_extras_level(model.item))
                system.levels.append(Level(inner.extra, item.document, item.meter))
        if kinematics.technique_common is not None:
            for info in kinematics.technique_common.axis_info:
                _add_kinematics_info(info, item, scope, system, reading)
    system.levels.append(_extras_level(item))
    return system


def _add_kinematics_info(
    info: schema.KinematicsAxisInfoElement, item: Item, scope: Scope, system: System, reading: ColladaReadContext
) -> None:
    found = scope.find(split_sid_path(info.axis or ""))
    state = system.axis(found) if isinstance(found, AxisTarget) else None
    if state is None:
        _report_axis(info, reading)
    else:
        state.kinematics = (info, scope, item)


def _read_motion(
    item: Item, instance: schema.InstanceArticulatedSystemElement | None, inner: System, reading: ColladaReadContext
) -> System:
    element = item.element
    scope = Scope(frozenset(name for name in (element.id, instance.sid if instance is not None else None) if name))
    assert isinstance(inner.scope, Scope)  # noqa: S101
    scope.inner.append(inner.scope)
    if instance is not None:
        scope.declare((*instance.bind, *instance.newparam), inner.scope)
        inner.scope.override(instance.setparam)
        inner.levels.append(Level(instance.extra, item.document, item.meter))
    motion = element.system
    if isinstance(motion, schema.MotionElement) and motion.technique_common is not None:
        by_sid = {state.kinematics[0].sid: state for state in _axis_states(inner) if state.kinematics is not None}
        for info in motion.technique_common.axis_info:
            _add_motion_info(info, by_sid, (scope, item), inner, reading)
    levels = [*inner.levels, _extras_level(item)]
    return System(
        (element.name, *inner.names), (element.id, *inner.identifiers), scope, inner.instances, levels, element.location()
    )


def _add_motion_info(
    info: schema.MotionAxisInfoElement,
    by_sid: dict[str | None, AxisState],
    parent: tuple[Scope, Item],
    inner: System,
    reading: ColladaReadContext,
) -> None:
    parts = split_sid_path(info.axis or "")
    state = by_sid.get(parts[-1]) if parts else None
    if state is None:
        found = parent[0].find(parts) if parts else None  # some documents refer to the axis itself
        state = inner.axis(found) if isinstance(found, AxisTarget) else None
    if state is None:
        _report_axis(info, reading)
    else:
        state.motion = (info, *parent)


def _report_axis(info: schema.KinematicsAxisInfoElement | schema.MotionAxisInfoElement, reading: ColladaReadContext) -> None:
    reading.report.add(
        rules.UNRESOLVED_BINDING,
        f"'{info.axis}' refers to no axis",
        info.location("axis"),
        hint="a SID path of model, joint and axis",
    )


def _axis_states(system: System) -> Iterator[AxisState]:
    for _, joint, index in system.axes():
        yield joint.axes[index]


def _read_model_instance(
    instance: schema.InstanceKinematicsModelElement, parent: Item, scope: Scope, reading: ColladaReadContext
) -> ModelInstance | None:
    item = reading.documents.find(instance.url, schema.KinematicsModelElement, parent.document, instance, "url")
    if item is None:
        return None
    model = ModelInstance(item, instance, *_instantiate_joints(item, instance.sid, reading))
    scope.inner.append(model.scope)
    scope.declare((*instance.bind, *instance.newparam), model.scope)
    scope.override(instance.setparam)
    model.scope.override(instance.setparam)
    return model


def _instantiate_joints(
    item: Item, sid: str | None, reading: ColladaReadContext
) -> tuple[ModelScope, dict[str, JointInstance]]:
    element = item.element
    joints: dict[str, JointInstance] = {}
    content = element.technique_common
    for joint in content.joints if content is not None else ():
        state = _instantiate_joint(joint, item, reading)
        if state is not None:
            joints.setdefault(state.sid, state)
    axes = {name: tuple(axis.sid for axis in joint.element.axes) for name, joint in joints.items()}
    names: dict[str, ValueElement] = {
        parameter.sid: parameter for parameter in (content.newparam if content is not None else ()) if parameter.sid
    }
    return ModelScope(frozenset(name for name in (element.id, sid) if name), axes, names), joints


def _instantiate_joint(
    joint: schema.JointElement | schema.InstanceJointElement, item: Item, reading: ColladaReadContext
) -> JointInstance | None:
    element, meter, sid = joint, item.meter, joint.sid
    if isinstance(element, schema.InstanceJointElement):
        found = reading.documents.find(element.url, schema.JointElement, item.document, element, "url")
        if found is None:
            return None
        element, meter = found.element, found.meter
        assert isinstance(element, schema.JointElement)  # noqa: S101
    sid = sid or element.sid or element.id or element.name
    return None if sid is None else JointInstance(element, sid, meter, [AxisState() for _ in element.axes])


def _extras_level(item: Item) -> Level:
    return Level(item.element.extra, item.document, item.meter)
