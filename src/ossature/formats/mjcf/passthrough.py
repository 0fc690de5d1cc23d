"""Content of MJCF files that the model does not represent, kept as text in extensions: sections and elements."""

from __future__ import annotations

from collections.abc import Iterable

from ossature.diagnostics.ledger import Ledger
from ossature.model import Extension
from ossature.model.unsupported_fields import drop_extension
from ossature.syntax import xml, xml_parser
from ossature.syntax.xml import XmlNode, element

FORMAT = "mjcf"
"""Format of the extensions."""
UNUSED_ASSETS = "unused asset"
"""Key of the extension with the meshes and height fields that no element of the file uses."""


def content_nodes(extensions: Iterable[Extension], path: str, ledger: Ledger) -> list[XmlNode]:
    """Return the elements of extensions; those of other formats are recorded in the ledger."""
    nodes = []
    for number, extension in enumerate(extensions):
        node = _element(extension)
        if node is not None and extension.key == UNUSED_ASSETS:
            for asset in node.children:
                ledger.omitted(path, f"<{asset.tag}> that no element uses", before=xml.compact(asset))
        elif node is None:
            drop_extension(extension, f"{path}[{number}]", ledger)
        else:
            nodes.append(node)
    return nodes


def add_sections(root: XmlNode, sections: Iterable[XmlNode]) -> None:
    """Add sections of a document; the content of those that exist is appended to them, as MuJoCo reads several of one kind."""
    for section in sections:
        existing = root.find(section.tag)
        if existing is None:
            root.children.append(section)
        else:
            existing.attributes |= section.attributes
            for child in section.children:
                twin = existing.find(child.tag) if section.tag == "visual" else None
                if twin is None:
                    existing.children.append(child)
                else:
                    twin.attributes |= child.attributes


def _element(extension: Extension) -> XmlNode | None:
    if extension.format != FORMAT or not extension.value.startswith("<"):
        return None
    return xml_parser.parse_text(extension.value)


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
    plugin = xml_parser.parse_text(text, "<plugin>")
    if plugin is not None:
        node.attributes |= {name: plugin.attributes[name] for name in _REFERENCES if name in plugin.attributes}
        node.children += plugin.children
