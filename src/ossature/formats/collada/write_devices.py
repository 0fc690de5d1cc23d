"""Sensors and actuators → libraries of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from ossature.formats.collada.kept_extras import element_of
from ossature.formats.collada.own_extra import extra_of, technique
from ossature.formats.collada.reading import FORMAT
from ossature.formats.collada.schema_actuator import ELECTRIC_MOTORS
from ossature.formats.collada.schema_common import ExtraElement
from ossature.formats.collada.schema_openrave import PROFILE
from ossature.formats.collada.write_actuator import actuator_as_read, motor_nodes
from ossature.model import Actuator, Extension
from ossature.syntax import xml
from ossature.syntax.xml import Node

_TAG = re.compile(r"[A-Za-z_][\w.\-]*", re.ASCII)
SENSORS, ACTUATORS = "library_sensors", "library_actuators"


@dataclass(slots=True)
class Devices:
    """The sensors and actuators of a document.

    Attributes:
        by_library: What each library holds.
    """

    by_library: dict[str, list[Node]] = field(default_factory=dict)

    def sensor(self, kind: str | None, settings: Sequence[Extension]) -> tuple[str | None, tuple[Extension, ...]]:
        """Add a sensor; return its identifier, and the settings that it says. There is none without a type."""
        return self._add(SENSORS, "sensor", kind, settings)

    def actuator(self, actuator: Actuator) -> tuple[str | None, Actuator]:
        """Add what an actuator is; return its identifier, and the actuator as it will be read. There is none without a type."""
        motor = actuator.motor if actuator.type in ELECTRIC_MOTORS else None
        fields = () if motor is None else motor_nodes(motor)
        identifier, _ = self._add(ACTUATORS, "actuator", actuator.type, actuator.settings, fields)
        if identifier is None:
            return None, Actuator(name=actuator.name, joint=actuator.joint)
        return identifier, actuator_as_read(actuator, self.by_library[ACTUATORS][-1])

    def extras(self) -> Iterator[ExtraElement]:
        """Yield the libraries that hold something."""
        for library, nodes in self.by_library.items():
            yield extra_of(library, [technique(PROFILE, nodes)])

    def _add(
        self, library: str, tag: str, kind: str | None, settings: Sequence[Extension], fields: Sequence[Node] = ()
    ) -> tuple[str | None, tuple[Extension, ...]]:
        if kind is None:
            return None, ()
        nodes = self.by_library.setdefault(library, [])
        identifier = f"{tag}{len(nodes)}"
        said = [(setting, node) for setting in settings if (node := _setting(setting)) is not None]
        device = xml.element(tag, {"type": kind, "id": identifier})
        device.children = [*fields, *(node for _, node in said)]
        nodes.append(device)
        return identifier, tuple([setting for setting, _ in said])


def _setting(setting: Extension) -> Node | None:
    """Return the element that says a setting in the format's own words, or None where it is none of those."""
    if setting.format != FORMAT or not _TAG.fullmatch(setting.key):
        return None
    node = element_of(setting.value, setting.key)
    if node is not None and (node.children or node.attributes):
        return node
    return xml.element(setting.key, text=setting.value) if setting.value == xml.printable(setting.value) else None
