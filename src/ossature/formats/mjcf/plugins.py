"""Plugins of MuJoCo that actuators and sensors use, which a World keeps as text."""

from __future__ import annotations

from ossature.diagnostics import Report, Source
from ossature.syntax import xml
from ossature.syntax.xml import XmlNode, element

_REFERENCES = ("plugin", "instance")


def plugin_text(node: XmlNode | None) -> str | None:
    """Return the plugin or its instance, and the settings, of an actuator or sensor ``<plugin>``; None for other elements."""
    if node is None or node.tag != "plugin":
        return None
    plugin = element("plugin", {name: node.attributes[name] for name in _REFERENCES if name in node.attributes})
    plugin.children = list(node.children)
    return xml.compact(plugin)


def add_plugin(node: XmlNode, text: str) -> None:
    """Add a plugin to an actuator or sensor ``<plugin>``; a text that is no element adds nothing."""
    plugin = xml.parse(Source("<plugin>", text.encode("utf-8", "replace")), Report())
    if plugin is not None:
        node.attributes |= {name: plugin.attributes[name] for name in _REFERENCES if name in plugin.attributes}
        node.children += plugin.children
