"""Replacement of the names of earlier versions of SDFormat by those of the present one."""

from __future__ import annotations

import math
import re

from ossature.diagnostics import Report
from ossature.formats.sdf import rules
from ossature.formats.sdf.frame_graph import MODEL_FRAME
from ossature.syntax import xml
from ossature.syntax.xml import XmlNode
from ossature.syntax.xml_values import format_number, shown

OLDEST, NEWEST = (1, 4), (1, 12)
_WITHOUT_FRAMES = (1, 7)
"""The first version with frame semantics: before, ``<frame>`` and the attribute ``frame`` had no effect on most programs."""
_WITH_OLD_FRAMES = ("link", "collision", "visual", "inertial", "sensor", "joint", "light", "camera", "projector")


def upgrade_document(root: XmlNode, report: Report) -> None:
    """Replace old names in a document, in place."""
    version = _version_of(root, report)
    for node in xml.elements_of(root):
        if version < _WITHOUT_FRAMES:
            _upgrade_frames(node, version)
        if node.tag == "pose" and node.attributes.get("relative_to") == "":
            del node.attributes["relative_to"]  # names no frame, also in poses that cannot name one
        if node.tag == "joint":
            _upgrade_thread(node)
        elif node.tag == "world":
            _upgrade_world(node)


def _version_of(root: XmlNode, report: Report) -> tuple[int, int]:
    specified = root.attributes.get("version")
    if specified is None:  # the binder reports it
        return NEWEST
    match = re.fullmatch(r"\s*(\d{1,4})\.(\d{1,4})(\.\d+)?\s*", specified)
    version = (int(match[1]), int(match[2])) if match else None
    if version is None or not OLDEST <= version <= NEWEST:
        report.add(
            rules.UNKNOWN_VERSION,
            f"version {shown(specified)} of SDFormat is not known",
            root.attribute_location("version"),
            hint=f"known: {OLDEST[0]}.{OLDEST[1]} to {NEWEST[0]}.{NEWEST[1]}",
        )
    return version or NEWEST


def _upgrade_frames(node: XmlNode, version: tuple[int, int]) -> None:
    if node.tag in _WITH_OLD_FRAMES:
        node.children = [child for child in node.children if child.tag != "frame"]
    if node.tag == "pose" and "frame" in node.attributes:
        node.attributes["relative_to"] = node.attributes.pop("frame")
    if node.tag in ("axis", "axis2"):
        _upgrade_axis(node, version)


def _upgrade_axis(node: XmlNode, version: tuple[int, int]) -> None:
    """Express an axis in the frame of the model: until version 1.4 always, until 1.6 if the file states it."""
    specified = node.find("use_parent_model_frame")
    node.children = [child for child in node.children if child.tag != "use_parent_model_frame"]
    is_in_model = version <= OLDEST if specified is None else specified.text.strip().lower() in ("1", "true")
    if not is_in_model:
        return
    direction = node.find("xyz")
    if direction is None:
        direction = XmlNode("xyz", {}, node.source, node.offset)
        direction.text = "0 0 1"
        node.children.append(direction)
    direction.attributes["expressed_in"] = MODEL_FRAME


def _upgrade_thread(node: XmlNode) -> None:
    """State the translation of a screw for each revolution, instead of the negative rotation for each metre."""
    old = node.find("thread_pitch")
    if old is None or node.find("screw_thread_pitch") is not None:
        return
    try:
        rotation = float(old.text)
    except ValueError:
        return
    if rotation and math.isfinite(rotation):
        new = XmlNode("screw_thread_pitch", {}, old.source, old.offset)
        new.text = format_number(-math.tau / rotation)
        node.children.append(new)


def _upgrade_world(node: XmlNode) -> None:
    """Move what was stated in ``<physics>`` to the world."""
    for physics in node.children:
        if physics.tag == "physics":
            moved = [child for child in physics.children if child.tag in ("gravity", "magnetic_field")]
            physics.children = [child for child in physics.children if child not in moved]
            node.children += [child for child in moved if node.find(child.tag) is None]
            return
