"""Passthrough of elements of library sensors and actuators for which the model has no field."""

from __future__ import annotations

from collections.abc import Iterable

from ossature.formats.collada.read_context import FORMAT
from ossature.model import Extension
from ossature.syntax import xml


def passthrough_settings(nodes: Iterable[xml.XmlNode]) -> tuple[Extension, ...]:
    """Return elements of a library sensor or actuator as extensions, with the tag as key and the content as text."""
    return tuple([Extension(format=FORMAT, key=node.tag, value=_element_content(node)) for node in nodes])


def _element_content(node: xml.XmlNode) -> str:
    """Return the text of an element, or its XML if it has children or attributes."""
    return xml.compact(node) if node.children or node.attributes else node.text.strip()
