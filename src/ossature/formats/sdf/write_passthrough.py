"""Elements of SDFormat that the model keeps as text, written where they were read: the opposite of ``passthrough``."""

from __future__ import annotations

from collections.abc import Mapping

from ossature.formats.sdf.passthrough import FORMAT
from ossature.formats.sdf.schema_common import PassedThroughElement
from ossature.model import Extension
from ossature.syntax import xml, xml_parser
from ossature.syntax.schema import Element, spellings
from ossature.syntax.xml import XmlNode
from ossature.syntax.xml_values import NUMBERS

_CONTAINERS: Mapping[str, tuple[str, ...]] = {
    "material/": ("material",),
    "pbr/": ("material", "pbr"),
    "metal/": ("material", "pbr", "metal"),
    "surface/": ("surface",),
    "friction/": ("surface", "friction"),
    "contact/": ("surface", "contact"),
    "inertial/": ("inertial",),
}
"""The element that contains what has a prefix in its key, from the shape or link."""
_PARTS: Mapping[str, tuple[str, ...]] = {
    "material": ("material",),
    "pbr/metal": ("material", "pbr", "metal"),
    "plane": ("geometry", "plane"),
    "mesh": ("geometry", "mesh"),
    "bounce": ("surface", "bounce"),
    "friction/ode": ("surface", "friction", "ode"),
    "friction/bullet": ("surface", "friction", "bullet"),
}
"""Elements that the model represents in part, by their key: what it does not represent is added to them."""


def element_of(extension: Extension, prefix: str = "") -> XmlNode | None:
    """Return the element that an extension keeps as text, or None if it does not."""
    if extension.format != FORMAT or not extension.key.startswith(prefix) or not extension.value.startswith("<"):
        return None
    node = xml_parser.parse_text(extension.value)
    tag = extension.key.removeprefix(prefix).rpartition("/")[2].partition(" ")[0]
    return node if node is not None and node.tag == tag and xml.compact(node) == extension.value else None


def can_contain(kind: type[Element], node: XmlNode) -> bool:
    """Whether an element of a class can contain another one that is passed through."""
    if ":" in node.tag:
        return True
    allowed = [spec.elements for spec in spellings(kind).values()]
    return any(elements.get(node.tag) is PassedThroughElement for elements in allowed if elements)


def write_in_shape(shape: XmlNode, key: str, node: XmlNode) -> XmlNode:
    """Write an element that is passed through into a visual, a collision or a link, and return what is written.

    Args:
        key: The key of its extension, without the part that names the shape.
    """
    if key in _PARTS:
        part = _inner(shape, _PARTS[key])
        complete(part, node)
        return part
    prefix = next((prefix for prefix in _CONTAINERS if key.startswith(prefix)), "")
    container = _inner(shape, _CONTAINERS.get(prefix, ()))
    if not prefix or xml.compact(node) not in map(xml.compact, container.children):
        container.children.append(node)
    return node


def is_part(key: str) -> bool:
    """Whether a key without the name of a shape is that of an element that a shape contains, at any depth."""
    return key in _PARTS or any(key.startswith(prefix) for prefix in _CONTAINERS)


def _inner(node: XmlNode, path: tuple[str, ...]) -> XmlNode:
    """Return an element at a path in another one; it is added if it does not exist."""
    for tag in path:
        found = node.find(tag)
        if found is None:
            found = xml.element(tag)
            node.children.append(found)
        node = found
    return node


def complete(target: XmlNode, source: XmlNode) -> None:
    """Make an element what another one states, except for values that the model represents and that differ."""
    written = {child.tag: child for child in target.children}
    stated = {child.tag for child in source.children}
    is_changed = any(_is_changed(written.get(child.tag), child) for child in source.children)
    children = [_merged(written.get(child.tag), child, is_changed=is_changed) for child in source.children]
    added = [child for child in target.children if child.tag not in stated and child.tag not in _ASSUMED]
    target.attributes.update({name: value for name, value in source.attributes.items() if name not in target.attributes})
    target.children = [*children, *added]


_ASSUMED = ("ambient", "mu2", "friction2", "threshold")
"""What the writer states besides the values of the model, unless an element that is passed through states it or not."""


def _merged(written: XmlNode | None, stated: XmlNode, *, is_changed: bool) -> XmlNode:
    if written is None or (stated.tag in _ASSUMED and not (stated.tag == "ambient" and is_changed)):
        return stated
    if written.children:
        complete(written, stated)
        return written
    return written if stated.tag in _ASSUMED or _is_changed(written, stated) else stated


def _is_changed(written: XmlNode | None, stated: XmlNode) -> bool:
    """Whether the model has another value than an element that is passed through."""
    if written is None or written.children or stated.tag in _ASSUMED:
        return False
    return _values(written) != _values(stated)


def _values(node: XmlNode) -> tuple[float, ...] | str:
    try:
        values = NUMBERS.parse(node.text)
    except ValueError:
        return node.text.strip()
    return (*values, 1.0) if len(values) == 3 and node.tag in _COLORS else values


_COLORS = ("diffuse", "specular", "emissive")
