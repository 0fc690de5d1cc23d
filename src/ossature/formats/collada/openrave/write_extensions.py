"""Writes the extensions of OpenRAVE: collision filters, manipulators, sensors, actuators and interfaces."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ossature.formats.collada.model_write_context import ModelWriteContext
from ossature.formats.collada.native_extension.difference_encoding import (
    OWN_PROFILE,
    encode_difference,
    make_extra,
    technique_node,
)
from ossature.formats.collada.openrave import schema
from ossature.formats.collada.openrave.write_device_libraries import DeviceLibraries
from ossature.formats.collada.openrave.write_manipulator import write_manipulator
from ossature.formats.collada.physics.write_collision_geometries import Collisions
from ossature.formats.collada.schema_common import ExtraElement
from ossature.formats.collada.write_context import transforms_of
from ossature.formats.collada.written_names import written_names
from ossature.model import Actuator, OpenravePlugin, Sensor, hint_of
from ossature.spatial import IDENTITY
from ossature.syntax.xml import XmlNode
from ossature.syntax.xml_binding import unbind


def model_extras(model: ModelWriteContext, collisions: Collisions, devices: DeviceLibraries) -> Iterator[ExtraElement]:
    """Yield OpenRAVE's extensions of a model.

    Args:
        collisions: The collision shapes of its bodies.
        devices: The libraries of sensors and actuators.
    """
    plugin = hint_of(model.model, OpenravePlugin)
    if plugin is not None:
        yield openrave_extra("interface_type", interface_element(plugin))
    yield from _collision_extra(model, collisions)
    ledger = model.writing.ledger
    names = written_names(model.model.manipulators.names(), "manipulator", model.path, ledger)
    for name, manipulator in zip(names, model.model.manipulators, strict=True):
        missing = [body for body in (manipulator.base, manipulator.tip) if body not in model.model.bodies]
        if missing:
            ledger.dropped(f"{model.path}/{manipulator.name}", f"unknown body '{missing[0]}'")
            continue
        content, own = write_manipulator(manipulator, model)
        yield openrave_extra("manipulator", content, name, own)
    names = written_names(model.model.sensors.names(), "sensor", model.path, ledger)
    for name, sensor in zip(names, model.model.sensors, strict=True):
        yield _sensor_extra(sensor, name, model, devices)
    names = written_names(model.model.actuators.names(), "actuator", model.path, ledger)
    for name, actuator in zip(names, model.model.actuators, strict=True):
        if actuator.joint is not None and actuator.joint in model.joints:
            yield _actuator_extra(actuator, name, model, devices)
        else:
            what = (
                "it drives no joint" if actuator.joint is None else f"the joint '{actuator.joint}' has no axis in the document"
            )
            ledger.dropped(f"{model.path}/{actuator.name}", what)


def openrave_extra(
    kind: str, content: schema.OpenraveElement, name: str | None = None, own: XmlNode | None = None
) -> ExtraElement:
    """Return an extension of OpenRAVE, with an additional technique of Ossature."""
    techniques = [technique_node(schema.PROFILE, unbind("technique", content).children)]
    if own is not None:
        techniques.append(technique_node(OWN_PROFILE, [own]))
    return make_extra(kind, techniques, name)


def interface_element(interface: OpenravePlugin) -> schema.InterfaceTypeElement:
    """Return the element of an OpenRAVE plugin."""
    return schema.InterfaceTypeElement(
        interface=schema.InterfaceElement(value=interface.name, type=interface.kind), plugin=interface.plugin
    )


def _collision_extra(model: ModelWriteContext, collisions: Collisions) -> Iterator[ExtraElement]:
    collision_geometry = {body.name: collisions.collision_geometry(body, model) for body in model.model.bodies}
    content = schema.CollisionElement(
        bind_instance_geometry=tuple(
            schema.BindInstanceGeometryElement(type=use, link=model.link_path(name), url=f"#{identifier}")
            for name, found in collision_geometry.items()
            for use, identifier in found.bound
        ),
        ignore_link_pair=tuple(_ignored_pair_elements(model)),
        link_collision_state=tuple(
            schema.LinkStateElement(link=model.link_path(name), bool_value=False)
            for name, found in collision_geometry.items()
            if not found.enabled
        ),
    )
    if content != schema.CollisionElement():
        yield openrave_extra("collision", content)


def _ignored_pair_elements(model: ModelWriteContext) -> Iterator[schema.IgnoreLinkPairElement]:
    path, ledger = f"{model.path}.ignored_pairs", model.writing.ledger
    pairs = dict.fromkeys(model.model.ignored_pairs)
    if len(pairs) < len(model.model.ignored_pairs):
        ledger.rewritten(path, "duplicate pairs are written once")
    for first, second in pairs:
        missing = [body for body in (first, second) if body not in model.model.bodies]
        if missing:
            ledger.dropped(path, f"a pair refers to the unknown body '{missing[0]}'")
        else:
            yield schema.IgnoreLinkPairElement(link0=model.link_path(first), link1=model.link_path(second))


def _sensor_extra(sensor: Sensor, name: str, model: ModelWriteContext, devices: DeviceLibraries) -> ExtraElement:
    has_body = sensor.body in model.model.bodies
    identifier, written = devices.sensor(sensor, model)
    read = replace(written, body=sensor.body if has_body else None, pose=sensor.pose if has_body else IDENTITY)
    frame = None
    if sensor.body is not None and has_body:
        frame = schema.FrameOriginElement(link=model.link_path(sensor.body), transforms=transforms_of(sensor.pose))
    content = schema.AttachSensorElement(instance_sensor=_instance_element(identifier), frame_origin=frame)
    own = encode_difference(f"{model.path}/{sensor.name}", sensor, read, model.writing.ledger)
    return openrave_extra("attach_sensor", content, name, own)


def _actuator_extra(actuator: Actuator, name: str, model: ModelWriteContext, devices: DeviceLibraries) -> ExtraElement:
    identifier, read = devices.actuator(actuator)
    content = schema.AttachActuatorElement(
        instance_actuator=() if identifier is None else (schema.InstanceUrlElement(url=f"#{identifier}"),),
        bind_actuator=(schema.BindActuatorElement(joint=model.joint_path(actuator.joint or "")),),
    )
    own = encode_difference(f"{model.path}/{actuator.name}", actuator, read, model.writing.ledger)
    return openrave_extra("attach_actuator", content, name, own)


def _instance_element(identifier: str | None) -> schema.InstanceUrlElement | None:
    return None if identifier is None else schema.InstanceUrlElement(url=f"#{identifier}")
