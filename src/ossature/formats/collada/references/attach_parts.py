"""Composes robots of parts in other documents."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ossature.diagnostics import Location
from ossature.formats.collada import rules
from ossature.formats.collada.native_extension.difference_encoding import OWN_PROFILE, own_content, technique_node
from ossature.formats.collada.read_context import FORMAT, ColladaReadContext
from ossature.formats.collada.schema_common import ExtraElement
from ossature.model import Extension, World
from ossature.model.attach import attach
from ossature.spatial import Pose, normalized
from ossature.syntax import xml
from ossature.syntax.xml import XmlNode
from ossature.syntax.xml_values import format_numbers

EXTRA = "composition"
"""Type of the extension of a document that refers to the parts of its robots."""
_PART = "part"

Read = Callable[[ColladaReadContext], World]


def composition_extension(*, url: str, model: str, onto: str, root: str, pose: Pose) -> Extension:
    """Return the extension of a document that attaches a part to one of its robots.

    Args:
        url: The document of the part.
        model: The robot that it is attached to.
        onto: The link of that robot.
        root: The link of the part that is merged with it.
        pose: The frame of the link of the part in that of the other link.
    """
    numbers = {"position": pose.position, "wxyz": pose.wxyz}
    part = xml.element(_PART, {"url": url, "model": model, "onto": onto, "root": root})
    part.attributes |= {name: format_numbers(values) for name, values in numbers.items()}
    extra = xml.element("extra", {"type": EXTRA})
    extra.children = [technique_node(OWN_PROFILE, [part])]
    return Extension(format=FORMAT, key=f"extra {EXTRA}", value=xml.compact(extra))


def attach_parts(world: World, reading: ColladaReadContext, read: Read) -> World:
    """Return a World with the parts of its document attached to its robots.

    Args:
        world: The World without parts.
        read: Reads another document.
    """
    for extra in reading.document.root.extra:
        if extra.type == EXTRA:
            for node in own_content(extra):
                if node.tag == _PART:
                    world = _attach_part(world, node, extra, reading, read)
    return world


def _attach_part(world: World, node: XmlNode, extra: ExtraElement, reading: ColladaReadContext, read: Read) -> World:
    specified, location = node.attributes, extra.location()
    document = reading.documents.document(specified.get("url", ""), reading.document, extra)
    if document is None:
        return world
    if document.key in (*reading.ancestors, reading.document.key):
        reading.report.add(rules.CYCLIC_REFERENCE, f"'{specified.get('url', '')}' contains itself as a part", location)
        return world
    inner = replace(reading, document=document, ancestors=(*reading.ancestors, reading.document.key), surfaces={})
    parts = read(inner).models
    base = world.models.get(specified.get("model", ""))
    try:
        if base is None:
            raise ValueError(f"there is no robot '{specified.get('model', '')}' to attach a part to")
        if len(parts) != 1:
            raise ValueError(f"the document of a part has {len(parts)} robots, not one")
        composed = attach(
            base, parts[0], onto=specified.get("onto", ""), root=specified.get("root"), pose=_parse_pose(specified)
        )
    except ValueError as error:
        reading.report.add(rules.INVALID_ATTACHMENT, str(error), location)
        return world
    _report_renamed(composed.renamed, location, reading)
    return replace(world, models=world.models.replaced(composed.model))


def _report_renamed(renamed: tuple[tuple[str, str], ...], location: Location | None, reading: ColladaReadContext) -> None:
    for old, new in renamed:
        reading.report.add(rules.PART_RENAMED, f"'{old}' of the part is renamed to '{new}'", location)


def _parse_pose(specified: dict[str, str]) -> Pose:
    position = [float(word) for word in specified.get("position", "0 0 0").split()]
    wxyz = [float(word) for word in specified.get("wxyz", "1 0 0 0").split()]
    if len(position) != 3 or len(wxyz) != 4 or not any(wxyz):
        raise ValueError("the pose of a part has to be a position of 3 numbers and a quaternion of 4")
    return Pose((position[0], position[1], position[2]), normalized((wxyz[0], wxyz[1], wxyz[2], wxyz[3])))
