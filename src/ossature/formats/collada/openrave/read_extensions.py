"""Reads OpenRAVE's extensions of a robot: collision filters, manipulators, sensors, actuators, and passthrough."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from ossature.formats.collada import rules
from ossature.formats.collada.convert_transforms import pose_of
from ossature.formats.collada.document_lookup import extension
from ossature.formats.collada.kinematics.read_articulated_systems import JointInstance, Level, System
from ossature.formats.collada.kinematics.read_kinematic_graph import Linkage, LinkFrame
from ossature.formats.collada.native_extension.difference_encoding import apply_difference, own_content
from ossature.formats.collada.openrave import schema
from ossature.formats.collada.openrave.device_passthrough import passthrough_settings
from ossature.formats.collada.openrave.find_links_and_joints import ElementPaths
from ossature.formats.collada.openrave.read_actuator import read_motor
from ossature.formats.collada.openrave.read_manipulator import interface_of, read_manipulator
from ossature.formats.collada.openrave.read_sensor import SensorReader
from ossature.formats.collada.read_context import FORMAT, ColladaReadContext, Names
from ossature.formats.collada.schema_common import ExtraElement
from ossature.formats.collada.sid_resolution import resolve_boolean, split_sid_path
from ossature.model import Actuator, Extension, Manipulator, OpenravePlugin, Sensor
from ossature.syntax import xml

P = TypeVar("P", LinkFrame, JointInstance)


@dataclass(slots=True)
class Extras:
    """Content of the extensions of a robot.

    Attributes:
        interface: The OpenRAVE interface of the robot.
        ignored_pairs: Pairs of links that never collide.
        colliding: Whether a link collides, if stated.
        visible: Whether a link is visible, if stated.
        geometries: Collision geometries with their link and the level that refers to them.
        link_infos: Named numbers and texts of links.
        joint_infos: Named numbers and texts of joints.
        unknown: Extensions of unknown types, passed through.
    """

    interface: OpenravePlugin | None = None
    ignored_pairs: dict[tuple[str, str], None] = field(default_factory=dict)
    colliding: dict[str, bool] = field(default_factory=dict)
    visible: dict[str, bool] = field(default_factory=dict)
    geometries: list[tuple[str, schema.BindInstanceGeometryElement, Level]] = field(default_factory=list)
    manipulators: dict[str, Manipulator] = field(default_factory=dict)
    sensors: list[Sensor] = field(default_factory=list)
    actuators: list[Actuator] = field(default_factory=list)
    link_infos: dict[str, list[Extension]] = field(default_factory=dict)
    joint_infos: dict[str, list[Extension]] = field(default_factory=dict)
    unknown: list[Extension] = field(default_factory=list)
    own: list[ExtraElement] = field(default_factory=list)


def read_extras(system: System, linkage: Linkage, joint_names: dict[JointInstance, str], reading: ColladaReadContext) -> Extras:
    """Return the content of the extensions on all levels of a robot, inner levels first."""
    reader = ExtrasReader(system, linkage, joint_names, reading)
    for level in system.levels:
        for extra in level.extras:
            reader.read(extra, level)
    return reader.extras


class ExtrasReader(ElementPaths):
    """Reads the extensions of one robot."""

    def __init__(
        self, system: System, linkage: Linkage, joint_names: dict[JointInstance, str], reading: ColladaReadContext
    ) -> None:
        self.extras = Extras()
        super().__init__(system, linkage, joint_names, reading.report)
        self._reading = reading
        self._unnamed_manipulators = 0
        self._sensors = SensorReader(self, reading)
        self._sensor_names = Names(reading.report, "sensor")
        self._actuator_names = Names(reading.report, "actuator")

    def read(self, extra: ExtraElement, level: Level) -> None:
        """Read one extension."""
        known = _READERS.get(extra.type or "")
        if known is None:
            self._pass_through(extra)
            return
        declared, read = known
        content = extension(extra, declared, self._reading.report)
        if content is not None:
            read(self, extra, content, level)

    def _pass_through(self, extra: ExtraElement) -> None:
        if own_content(extra):
            self.extras.own.append(extra)
            return
        self._reading.report.add(rules.UNKNOWN_EXTENSION, f"the extension '{extra.type}' is passed through", extra.location())
        self.extras.unknown.append(as_extension(extra))

    def _read_interface(self, extra: ExtraElement, content: schema.InterfaceTypeElement, level: Level) -> None:
        self.extras.interface = interface_of(content) or self.extras.interface

    def _read_collision(self, extra: ExtraElement, content: schema.CollisionElement, level: Level) -> None:
        for pair in content.ignore_link_pair:
            first, second = (self.link(name, pair.location()) for name in (pair.link0, pair.link1))
            if first is not None and second is not None:
                self.extras.ignored_pairs.setdefault((first.name, second.name))
        for geometry in content.bind_instance_geometry:
            link = self.link(geometry.link, geometry.location())
            if link is not None:
                self.extras.geometries.append((link.name, geometry, level))
        self._read_states(content.link_collision_state, self.extras.colliding, level)
        self._read_states(content.link_visible_state, self.extras.visible, level)

    def _read_visible(self, extra: ExtraElement, content: schema.VisibleElement, level: Level) -> None:
        self._read_states(content.link_visible_state, self.extras.visible, level)

    def _read_states(self, states: Iterable[schema.LinkStateElement], known: dict[str, bool], level: Level) -> None:
        for state in states:
            link = self.link(state.link, state.location())
            value = resolve_boolean(state, self.scope, (), self._reading.report)
            if link is None or value is None:
                continue
            # An instance can disable a state that its system enables, but not enable it.
            known[link.name] = (value and known.get(link.name, True)) if level.is_instance else value

    def _read_manipulator(self, extra: ExtraElement, content: schema.ManipulatorElement, level: Level) -> None:
        manipulator = read_manipulator(extra, content, level, self, self._reading, self._unnamed_manipulator())
        if manipulator is not None:
            # A later one of the same name replaces it.
            self.extras.manipulators[manipulator.name] = apply_difference(manipulator, own_content(extra), self._reading.report)

    def _read_sensor(self, extra: ExtraElement, content: schema.AttachSensorElement, level: Level) -> None:
        url = content.instance_sensor.url if content.instance_sensor is not None else None
        item = self._reading.documents.find(url, schema.SensorElement, level.document, content, "instance_sensor")
        origin = content.frame_origin
        link = self.link(origin.link, origin.location()) if origin is not None else None
        written = self._sensors.read(item)
        name = self._sensor_names.claim_unique(extra.name, "sensor", extra.location())
        if origin is None and not own_content(extra):
            message = f"sensor '{name}' has no <frame_origin>: it is on no link, and not simulated"
            self._reading.report.add(rules.UNKNOWN_LINK, message, extra.location(), hint="state the link of the sensor")
        sensor = Sensor(
            name=name,
            body=None if link is None else link.name,
            pose=self.pose(origin, level),
            type=None if item is None else item.element.type,
            description=written.description,
            interface=written.interface,
            hardware_id=written.hardware_id,
            settings=written.settings,
            origin=extra.location(),
        )
        self.extras.sensors.append(apply_difference(sensor, own_content(extra), self._reading.report))

    def _read_actuator(self, extra: ExtraElement, content: schema.AttachActuatorElement, level: Level) -> None:
        for number, (instance, bound) in enumerate(self._actuator_bindings(content)):
            joint = self.joint(bound.joint, bound.location())
            if joint is None:
                continue
            name = self._actuator_names.claim_unique(_numbered_name(extra.name, number), "actuator", extra.location())
            specified = Actuator(name=name, joint=self.joint_name(joint), origin=extra.location())
            url = instance.url if instance is not None else None
            item = self._reading.documents.find(url, schema.ActuatorElement, level.document, content, "instance_actuator")
            if item is not None:
                report, as_openrave = self._reading.report, self._reading.as_openrave
                motor, others = read_motor(item.element, item.meter, report, as_openrave=as_openrave)
                specified = replace(specified, type=item.element.type, motor=motor, settings=passthrough_settings(others))
            self.extras.actuators.append(apply_difference(specified, own_content(extra), self._reading.report))

    def _actuator_bindings(
        self, content: schema.AttachActuatorElement
    ) -> list[tuple[schema.InstanceUrlElement | None, schema.BindActuatorElement]]:
        """Return pairs of an actuator and the joint that it drives."""
        instances: list[schema.InstanceUrlElement | None] = list(content.instance_actuator) or [None]
        bounds = list(content.bind_actuator)
        if len(instances) == 1 or len(bounds) == 1:
            count = max(len(instances), len(bounds)) if bounds else 0
            return [(instances[min(n, len(instances) - 1)], bounds[min(n, len(bounds) - 1)]) for n in range(count)]
        if len(instances) != len(bounds):
            message = f"{len(instances)} actuators for {len(bounds)} joints: pairs are formed in order, the rest is ignored"
            self._reading.report.add(rules.ACTUATOR_COUNT_MISMATCH, message, content.location())
        return list(zip(instances, bounds, strict=False))

    def _read_link_info(self, extra: ExtraElement, content: schema.InfoElement, level: Level) -> None:
        for array in content.arrays:
            link = self.link(self._owner_name(extra, array, array.link), array.location())
            if link is not None:
                self.extras.link_infos.setdefault(link.name, []).append(_info_extension(array))

    def _read_joint_info(self, extra: ExtraElement, content: schema.InfoElement, level: Level) -> None:
        for array in content.arrays:
            joint = self.joint(self._owner_name(extra, array, array.joint), array.location())
            if joint is not None:
                self.extras.joint_infos.setdefault(self.joint_name(joint), []).append(_info_extension(array))

    def _owner_name(self, extra: ExtraElement, array: schema.InfoArrayElement, inner: str | None) -> str | None:
        """Return the link or joint that an array belongs to: as stated by the array, else by its extension."""
        if inner and extra.name and split_sid_path(inner)[-1:] != split_sid_path(extra.name)[-1:]:
            message = f"the extension refers to '{extra.name}', but its array to '{inner}'"
            self._reading.report.add(rules.CONFLICTING_NAMES, message, array.location())
        return inner or extra.name

    def pose(self, frame: schema.FrameOriginElement | None, level: Level) -> Any:
        """Return the pose of a frame in that of its link."""
        return pose_of(frame.transforms if frame is not None else (), level.meter, self._reading.report)

    def _unnamed_manipulator(self) -> str:
        """Return the name that OpenRAVE gives to a manipulator without one."""
        while f"manipulator{self._unnamed_manipulators}" in self.extras.manipulators:
            self._unnamed_manipulators += 1
        return f"manipulator{self._unnamed_manipulators}"


def _numbered_name(name: str | None, number: int) -> str | None:
    """Return the name of one of several actuators of an extension."""
    return f"{name}_{number + 1}" if name and number else name


def _info_extension(array: schema.InfoArrayElement) -> Extension:
    kind = (
        "float"
        if isinstance(array, schema.FloatInfoElement)
        else "int"
        if isinstance(array, schema.IntInfoElement)
        else "string"
    )
    return Extension(format=FORMAT, key=f"{kind} {array.name}", value=" ".join((array.value or "").split()))


def as_extension(extra: ExtraElement) -> Extension:
    """Return an ``<extra>`` as text, to be written unchanged."""
    assert isinstance(extra.node, xml.XmlNode)  # noqa: S101  # extensions are read from XML
    return Extension(format=FORMAT, key=f"extra {extra.type or ''}".strip(), value=xml.compact(extra.node))


_READERS: dict[str, tuple[type[schema.OpenraveElement], Callable[[ExtrasReader, ExtraElement, Any, Level], None]]] = {
    "interface_type": (schema.InterfaceTypeElement, ExtrasReader._read_interface),
    "collision": (schema.CollisionElement, ExtrasReader._read_collision),
    "visible": (schema.VisibleElement, ExtrasReader._read_visible),
    "manipulator": (schema.ManipulatorElement, ExtrasReader._read_manipulator),
    "attach_sensor": (schema.AttachSensorElement, ExtrasReader._read_sensor),
    "attach_actuator": (schema.AttachActuatorElement, ExtrasReader._read_actuator),
    "link_info": (schema.InfoElement, ExtrasReader._read_link_info),
    "joint_info": (schema.InfoElement, ExtrasReader._read_joint_info),
}

UNDERSTOOD = frozenset(_READERS)
"""Types of extensions of a robot that are read and not passed through."""
