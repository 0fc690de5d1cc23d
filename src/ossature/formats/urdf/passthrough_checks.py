"""Findings about elements that are passed through."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache, partial

from ossature.diagnostics import Report
from ossature.formats.urdf import rules, schema
from ossature.formats.urdf.read_tree import WORLD
from ossature.model import Model
from ossature.syntax import xml_fixes
from ossature.syntax.schema import Element, spellings
from ossature.syntax.xml import XmlNode

_DECLARATIONS: dict[str, type[Element]] = {
    "robot": schema.RobotElement,
    "link": schema.UrdfLinkElement,
    "joint": schema.UrdfJointElement,
    "visual": schema.VisualElement,
    "collision": schema.UrdfCollisionElement,
}
_CHILDREN: dict[str, dict[str, type[Element]]] = {
    parent: {tag: inner for spec in spellings(declared).values() for tag, inner in spec.elements.items()}
    for parent, declared in _DECLARATIONS.items()
}
"""The declared children of each of these elements, by tag."""
_REPEATABLE = ("link", "joint", "visual", "collision", "material", "transmission", "gazebo")
"""Tags that may occur several times."""
_VALID_PARENTS = dict.fromkeys(("link", "joint"), "robot") | {
    **dict.fromkeys(("inertial", "visual", "collision"), "link"),
    **dict.fromkeys(schema.SHAPES, "geometry"),
    **dict.fromkeys(("axis", "limit", "dynamics", "mimic", "parent", "child", "safety_controller", "calibration"), "joint"),
}
"""The parent of each element that has only one valid parent."""
_KNOWN_FOREIGN_NAMES = frozenset({"sensor", "self_collide", "contact", "gazebo", "actuator", "verbose", "group", "loop_joint"})
"""Tags of other programs that resemble tags of URDF."""
_ACTUATORS = ("actuator", "leftActuator", "rightActuator")
"""Tags of the actuators of a transmission."""
_MIN_SIMILARITY = 0.75


def check_passthrough(root: XmlNode, model: Model, report: Report) -> None:
    """Report elements that are passed through, probably misspelt or misplaced, and unresolved references in them."""
    known = _KnownNames.of(model)
    for node, parent in _passthrough_nodes(root):
        similar, valid_parent = _similar_tag(node.tag, parent.tag), _VALID_PARENTS.get(node.tag)
        if valid_parent is not None and valid_parent != parent.tag:
            report.add(
                rules.MISPLACED_ELEMENT,
                f"<{node.tag}> is not allowed in <{parent.tag}>: passed through, not interpreted",
                node.location,
                hint=f"move it into <{valid_parent}>",
            )
        elif similar is not None:
            report.add(
                rules.UNKNOWN_ELEMENT,
                f"unknown element <{node.tag[:80]}> in <{parent.tag}>: passed through, not interpreted",
                node.location,
                hint=f"did you mean '{similar}'?",
                fix=partial(xml_fixes.rename_element, node, parent, tuple(_CHILDREN[parent.tag]), _REPEATABLE),
            )
        else:
            report.add(rules.PASSTHROUGH_ELEMENT, f"<{node.tag[:80]}> is passed through, not interpreted", node.location)
        _report_unresolved_reference(node, known, report)
        if node.tag == "transmission" and not any(child.tag in _ACTUATORS for child in node.children):
            report.add(
                rules.TRANSMISSION_WITHOUT_ACTUATOR,
                f"transmission '{node.attributes.get('name', '')[:80]}' has no <actuator>",
                node.location,
                hint='add <actuator name="…"/>',
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class _KnownNames:
    """Names that elements for other programs can refer to."""

    joints: frozenset[str]
    joints_and_links: frozenset[str]

    @classmethod
    def of(cls, model: Model) -> _KnownNames:
        joints = frozenset(model.joints.names())
        return cls(joints=joints, joints_and_links=joints | {*model.bodies.names(), WORLD})


def _passthrough_nodes(root: XmlNode) -> Iterator[tuple[XmlNode, XmlNode]]:
    """Yield the elements that are not interpreted, each with its parent."""
    pending = [root]
    while pending:
        parent = pending.pop()
        known = _CHILDREN[parent.tag]
        for node in parent.children:
            inner = known.get(node.tag)
            if inner is None or inner.opaque:
                yield node, parent
            elif node.tag in _DECLARATIONS:
                pending.append(node)


@lru_cache(maxsize=1024)
def _similar_tag(tag: str, parent: str) -> str | None:
    known = _CHILDREN[parent]
    if tag in known or tag in _KNOWN_FOREIGN_NAMES or ":" in tag:
        return None
    similar = difflib.get_close_matches(tag.lower()[:80], known, n=1, cutoff=_MIN_SIMILARITY)
    return similar[0] if similar else None


def _report_unresolved_reference(node: XmlNode, known: _KnownNames, report: Report) -> None:
    if node.tag == "gazebo":
        name = node.attributes.get("reference")
        if name and name not in known.joints_and_links:
            report.add(
                rules.UNRESOLVED_REFERENCE,
                f"<gazebo> refers to the unknown link or joint '{name}'",
                node.attribute_location("reference"),
                hint=report.suggestion(name, known.joints_and_links),
            )
    elif node.tag in ("transmission", "ros2_control"):
        for child in node.children:
            name = child.attributes.get("name")
            if child.tag == "joint" and name and name not in known.joints:
                report.add(
                    rules.UNRESOLVED_REFERENCE,
                    f"<{node.tag}> refers to the unknown joint '{name}'",
                    child.attribute_location("name"),
                    hint=report.suggestion(name, known.joints),
                )
