"""Writes the libraries of sensors and actuators."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from ossature.formats.collada.model_write_context import ModelWriteContext
from ossature.formats.collada.native_extension.difference_encoding import make_extra, technique_node
from ossature.formats.collada.openrave.schema import PROFILE
from ossature.formats.collada.openrave.schema_actuators import ELECTRIC_MOTORS
from ossature.formats.collada.openrave.schema_sensors import (
    WORDS,
    SensorElements,
    StereoElements,
    StereoViewElement,
    documented_type,
)
from ossature.formats.collada.openrave.write_actuator import actuator_as_read, motor_nodes
from ossature.formats.collada.openrave.write_manipulator import inner_interface
from ossature.formats.collada.openrave.write_sensor import TYPES, read_back, sensor_elements
from ossature.formats.collada.read_context import FORMAT
from ossature.formats.collada.schema_common import ExtraElement
from ossature.formats.collada.write_context import one_line, transforms_of
from ossature.formats.collada.write_passthrough_extras import element_of
from ossature.model import (
    Actuator,
    Extension,
    OpenravePlugin,
    PinholeCamera,
    Sensor,
    SensorDescription,
    StereoCamera,
    StereoView,
)
from ossature.syntax import xml
from ossature.syntax.schema import replace_fields, spellings
from ossature.syntax.xml import XmlNode
from ossature.syntax.xml_binding import unbind

_TAG = re.compile(r"[A-Za-z_][\w.\-]*", re.ASCII)
SENSORS, ACTUATORS = "library_sensors", "library_actuators"


@dataclass(slots=True)
class DeviceLibraries:
    """The sensors and actuators of a document.

    Attributes:
        by_library: The elements of each library.
    """

    by_library: dict[str, list[XmlNode]] = field(default_factory=dict)

    def sensor(self, sensor: Sensor, model: ModelWriteContext) -> tuple[str | None, Sensor]:
        """Add a sensor; return its identifier, if it has one, and the sensor that is read from it."""
        kind = sensor.type if sensor.type is not None else _type_of(sensor.description)
        if kind is None:
            return None, replace(sensor, description=None, interface=None, hardware_id=None, settings=())
        documented = documented_type(kind)
        declared = WORDS[documented] if documented is not None else SensorElements
        words, description = self._sensor_elements(sensor.description, kind, documented, model)
        words, interface, hardware_id = _add_common(words, sensor) if documented is not None else (words, None, None)
        settings = [setting for setting in sensor.settings if _is_setting(setting, declared, description, documented)]
        identifier, written = self._add_to_library(SENSORS, "sensor", kind, settings, unbind("sensor", words).children)
        read = replace(
            sensor, type=kind, description=description, interface=interface, hardware_id=hardware_id, settings=written
        )
        return identifier, read

    def _sensor_elements(
        self, specified: SensorDescription | None, kind: str, documented: str | None, model: ModelWriteContext
    ) -> tuple[SensorElements, SensorDescription | None]:
        if documented is None:
            return SensorElements(), None
        if specified is None or TYPES[type(specified)] != documented:
            return WORDS[documented](), next(kind for kind, name in TYPES.items() if name == documented)()
        if isinstance(specified, StereoCamera):
            return self._stereo_elements(specified, model)
        words = sensor_elements(
            specified,
            kind,
            joint=lambda name: model.joint_path(name) if name in model.joints else None,
            body=lambda name: model.link_path(name) if name in model.model.bodies else None,
        )
        return words, read_back(words, specified)

    def _stereo_elements(self, specified: StereoCamera, model: ModelWriteContext) -> tuple[StereoElements, StereoCamera]:
        if specified.views is None or len(specified.views) != 2:
            return StereoElements(measurement_time=specified.measurement_time), replace(specified, views=None)
        elements, views = [], []
        for view in specified.views:
            kind = TYPES[type(view.camera)]
            words, camera = self._sensor_elements(view.camera, kind, kind, model)
            identifier, _ = self._add_to_library(SENSORS, "sensor", kind, (), unbind("sensor", words).children)
            rows = view.rectification
            elements.append(
                StereoViewElement(
                    url=f"#{identifier}",
                    transforms=() if view.pose is None else transforms_of(view.pose, at_least_one=True),
                    rectification=None if rows is None else (*rows[0], *rows[1], *rows[2]),
                )
            )
            assert isinstance(camera, PinholeCamera)  # noqa: S101  # the type does not change
            views.append(replace(view, camera=camera))
        return (
            StereoElements(instance_sensor=tuple(elements), measurement_time=specified.measurement_time),
            replace(specified, views=tuple[StereoView, ...](views)),
        )

    def actuator(self, actuator: Actuator) -> tuple[str | None, Actuator]:
        """Add an actuator; return its identifier, which is None without a type, and the actuator that is read from it."""
        if actuator.type is None:
            return None, Actuator(name=actuator.name, joint=actuator.joint)
        motor = actuator.motor if actuator.type in ELECTRIC_MOTORS else None
        fields = () if motor is None else motor_nodes(motor)
        identifier, _ = self._add_to_library(ACTUATORS, "actuator", actuator.type, actuator.settings, fields)
        return identifier, actuator_as_read(actuator, self.by_library[ACTUATORS][-1])

    def extras(self) -> Iterator[ExtraElement]:
        """Yield the libraries that are not empty."""
        for library, nodes in self.by_library.items():
            yield make_extra(library, [technique_node(PROFILE, nodes)])

    def _add_to_library(
        self, library: str, tag: str, kind: str, settings: Sequence[Extension], words: Sequence[XmlNode]
    ) -> tuple[str, tuple[Extension, ...]]:
        nodes = self.by_library.setdefault(library, [])
        identifier = f"{tag}{len(nodes)}"
        written = [(setting, node) for setting in settings if (node := _setting_node(setting)) is not None]
        device = xml.element(tag, {"type": kind, "id": identifier})
        device.children = [*words, *(node for _, node in written)]
        nodes.append(device)
        return identifier, tuple([setting for setting, _ in written])


def _type_of(description: SensorDescription | None) -> str | None:
    return None if description is None else TYPES[type(description)]


def _add_common(words: SensorElements, sensor: Sensor) -> tuple[SensorElements, OpenravePlugin | None, str | None]:
    """Return elements with those common to all sensors, and the interface and hardware identifier that are read from them."""
    interface = sensor.interface if sensor.interface is not None and _is_plain(sensor.interface.name) else None
    hardware = sensor.hardware_id if sensor.hardware_id is not None and _is_plain(sensor.hardware_id) else None
    inner = None if interface is None else inner_interface(interface)
    return replace_fields(words, interface_type=inner, hardware_id=hardware), interface, hardware


def _is_plain(text: str) -> bool:
    return bool(text) and text == one_line(text) == xml.printable(text)


def _is_setting(
    setting: Extension, declared: type[SensorElements], description: SensorDescription | None, documented: str | None
) -> bool:
    """Whether a setting is not an element of the sensor type, or is part of an unsupported distortion model."""
    if documented is None:
        return True
    known = {tag for spelling in spellings(declared).values() for tag in (spelling.elements or (spelling.name,))}
    if setting.key in ("distortion_model", "distortion_coeffs"):
        return getattr(description, "distortion", None) is None
    return setting.key.lower() not in known


def _setting_node(setting: Extension) -> XmlNode | None:
    """Return the element of a setting from COLLADA, or None for other settings."""
    if setting.format != FORMAT or not _TAG.fullmatch(setting.key):
        return None
    node = element_of(setting.value, setting.key)
    if node is not None and (node.children or node.attributes):
        return node
    return xml.element(setting.key, text=setting.value) if setting.value == xml.printable(setting.value) else None
