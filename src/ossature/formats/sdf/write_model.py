"""Writer of SDFormat models, with the nested models of links whose names have ``::``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from ossature.diagnostics.ledger import Ledger
from ossature.formats.passes.joints_between_bodies import joints_between_bodies
from ossature.formats.sdf.frame_graph import SEPARATOR
from ossature.formats.sdf.schema import SdfFrameElement, SdfModelElement
from ossature.formats.sdf.schema_common import PoseElement
from ossature.formats.sdf.write_joint import JointNames, write_joint
from ossature.formats.sdf.write_light import is_in_link, write_light
from ossature.formats.sdf.write_link import LinkContext, write_link
from ossature.formats.sdf.write_material import MaterialWriter
from ossature.formats.sdf.write_passthrough import can_contain, element_of
from ossature.formats.sdf.write_pose import write_pose
from ossature.formats.sdf.write_sensor import is_in_joint, unsupported_reason, write_sensor
from ossature.formats.sdf.written_names import ScopedName, ScopePath, WrittenNames
from ossature.model import Joint, Model, NamedList, Sensor
from ossature.model.unique_names import take_unique_name
from ossature.model.unsupported_fields import drop_extension
from ossature.spatial import IDENTITY
from ossature.syntax import xml
from ossature.syntax.xml import XmlNode
from ossature.syntax.xml_binding import unbind


def write_model(model: Model, name: str, ledger: Ledger, folder: Path | None) -> XmlNode:
    """Return the ``<model>`` element of a model.

    Args:
        name: Its name in the file.
        folder: The folder of the file, to which mesh paths are made relative; None leaves the paths unchanged.
    """
    return _ModelWriter(model, ledger, folder).write(name)


@dataclass(frozen=True, slots=True)
class _PlacedSensor:
    """A sensor that is written, its name, and the joint that contains it, or None for the link."""

    sensor: Sensor
    name: ScopedName
    joint: Joint | None


class _ModelWriter:
    def __init__(self, model: Model, ledger: Ledger, folder: Path | None) -> None:
        self._model, self._ledger = model, ledger
        self._joints = list(joints_between_bodies(model, ledger))
        parents: dict[str, Joint] = {}
        for joint in self._joints:
            parents.setdefault(joint.child, joint)
        sensors = list(_written_sensors(model, parents, ledger))
        self._links = LinkContext(
            model=model.name, materials=MaterialWriter(model, ledger, folder), folder=folder, ledger=ledger
        )
        self._lights = [light for light in model.lights if is_in_link(light, model)]
        self._names = WrittenNames(model, self._joints, sensors, ledger)
        self._sensors = [
            _PlacedSensor(sensor, name, parents[sensor.body or ""] if is_in_joint(sensor) else None)
            for sensor, name in zip(sensors, self._names.sensors, strict=True)
        ]

    def write(self, name: str) -> XmlNode:
        """Return the element of the model."""
        if not self._model.bodies and not self._model.static:
            detail = "a model of SDFormat without links is static"
            self._ledger.rewritten(f"{self._model.name}.static", detail, location=self._model.origin)
        nodes = {scope: self._scope(scope, name) for scope in self._names.scopes}
        self._write_frames(nodes)
        self._write_joints(nodes)
        self._write_extensions(nodes)
        for scope in self._names.scopes[1:]:
            nodes[scope[:-1]].children.append(nodes[scope])
        self._links.materials.record_unused()
        self._record_order()
        return nodes[()]

    def _scope(self, scope: ScopePath, name: str) -> XmlNode:
        """Return the element of the model, or of a nested one, with its links."""
        model = self._model
        bodies = [body for body in model.bodies if model.bodies[body.name] is body]
        bodies = [body for body in bodies if self._names.bodies[body.name].scope == scope]
        collide = bool(bodies) and all(body.self_collide for body in bodies)
        node = unbind(
            "model",
            SdfModelElement(
                name=scope[-1] if scope else name,
                pose=None if scope else write_pose(model.pose, PoseElement),
                static=(model.static or not model.bodies) and not scope,
                self_collide=collide,
            ),
        )
        for body in bodies:
            local = self._names.bodies[body.name].name
            link = write_link(body, local, self._links, models_collide=collide)
            link.children += [self._sensor(one) for one in self._sensors if one.joint is None and one.sensor.body == body.name]
            taken: set[str] = set()
            for light in self._lights:
                if light.body == body.name:
                    name_of_light = take_unique_name(xml.printable(light.name) or "light", taken)
                    link.children.append(write_light(light, name_of_light, model.name, self._ledger))
            node.children.append(link)
        return node

    def _sensor(self, placed: _PlacedSensor) -> XmlNode:
        frame = IDENTITY if placed.joint is None else placed.joint.pose
        path = f"{self._model.name}/{placed.sensor.name}"
        return write_sensor(placed.sensor, placed.name.name, frame, path, self._ledger)

    def _write_frames(self, nodes: Mapping[ScopePath, XmlNode]) -> None:
        for (body, index), name in self._names.frames.items():
            frame = self._model.bodies[body].frames[index]
            element = SdfFrameElement(
                name=name.name,
                attached_to=self._names.bodies[body].seen_from(name.scope),
                pose=write_pose(frame.pose, PoseElement),
            )
            nodes[name.scope].children.append(unbind("frame", element))

    def _write_joints(self, nodes: Mapping[ScopePath, XmlNode]) -> None:
        written = replace(self._model, joints=NamedList(self._joints))
        by_name: dict[str, ScopedName] = {}
        for joint, name in zip(self._joints, self._names.joints, strict=True):
            by_name.setdefault(joint.name, name)
        for joint, name in zip(self._joints, self._names.joints, strict=True):
            names = JointNames(own=name, bodies=self._names.bodies, joints=by_name)
            node = write_joint(joint, written, names, self._ledger)
            node.children += [self._sensor(one) for one in self._sensors if one.joint is joint]
            nodes[name.scope].children.append(node)

    def _write_extensions(self, nodes: Mapping[ScopePath, XmlNode]) -> None:
        prefixes = {scope: "".join([f"{name}{SEPARATOR}" for name in scope]) for scope in nodes}
        for index, extension in enumerate(self._model.extensions):
            scope = max((one for one in nodes if extension.key.startswith(prefixes[one])), key=len)
            node = element_of(extension, prefixes[scope])
            if node is None or not can_contain(SdfModelElement, node):
                drop_extension(extension, f"{self._model.name}.extensions[{index}]", self._ledger, self._model.origin)
            else:
                nodes[scope].children.append(node)

    def _record_order(self) -> None:
        """Record the lists whose order differs, because the links of a nested model follow those of the one around it."""
        places = {scope: index for index, scope in enumerate(_in_file_order(self._names.scopes))}
        written = {
            "bodies": [(places[name.scope], False) for name in self._names.bodies.values()],
            "joints": [(places[name.scope], False) for name in self._names.joints],
            "sensors": [(places[one.name.scope], one.joint is not None) for one in self._sensors],
        }
        for field, found in written.items():
            if found != sorted(found):
                self._ledger.rewritten(f"{self._model.name}.{field} (order)", "the order of nested models")


def _in_file_order(scopes: list[ScopePath]) -> Iterator[ScopePath]:
    """Yield scopes as a reader finds them: each before those in it, and these before the next ones."""
    inner: dict[ScopePath, list[ScopePath]] = {}
    for scope in scopes[1:]:
        inner.setdefault(scope[:-1], []).append(scope)
    pending: list[ScopePath] = [()]
    while pending:
        scope = pending.pop()
        yield scope
        pending += reversed(inner.get(scope, []))


def _written_sensors(model: Model, parents: Mapping[str, Joint], ledger: Ledger) -> Iterator[Sensor]:
    for sensor in model.sensors:
        reason = unsupported_reason(sensor)
        if reason is None and sensor.body not in model.bodies:
            reason = "it is attached to an unknown body"
        elif reason is None and is_in_joint(sensor) and sensor.body not in parents:
            reason = "SDFormat measures forces in joints, and its body is the child of none"
        if reason is None:
            yield sensor
        else:
            ledger.dropped(f"{model.name}/{sensor.name}", reason, location=sensor.origin)
