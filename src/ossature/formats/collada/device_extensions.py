"""What sensors and actuators of a library say that the model has no field for: kept in the document's words."""

from __future__ import annotations

from collections.abc import Iterable

from ossature.formats.collada.read_context import FORMAT
from ossature.model import Extension
from ossature.syntax import xml


def settings_of(nodes: Iterable[xml.XmlNode]) -> tuple[Extension, ...]:
    """Return what elements of a sensor or an actuator of a library say, in the document's words."""
    return tuple([Extension(format=FORMAT, key=node.tag, value=_setting(node)) for node in nodes])


def _setting(node: xml.XmlNode) -> str:
    """Return what an element says: its text, or all of it where it has more than that."""
    return xml.compact(node) if node.children or node.attributes else node.text.strip()
