"""What is told of elements that are kept for other programs."""

from __future__ import annotations

import difflib
from collections.abc import Iterator

from ossature.diagnostics import Report, suggestion
from ossature.formats.urdf import rules
from ossature.formats.urdf.schema import (
    CollisionElement,
    JointElement,
    LinkElement,
    RobotElement,
    VisualElement,
)
from ossature.model import Model
from ossature.syntax.schema import Element, Spelling, spellings
from ossature.syntax.xml import Node

_INSIDE: dict[str, type[Element]] = {
    "robot": RobotElement,
    "link": LinkElement,
    "joint": JointElement,
    "visual": VisualElement,
    "collision": CollisionElement,
}
_KNOWN_ABROAD = frozenset({"sensor", "self_collide", "contact", "gazebo", "actuator", "verbose", "group", "loop_joint"})
"""Tags of other programs that only look as if they were misspelt."""
_LEAST_LIKENESS = 0.75


def report_kept(root: Node, model: Model, report: Report) -> None:
    """Tell of the elements that are carried along, those that look misspelt, and those that speak of nothing."""
    for node, around in _kept_nodes(root):
        near = _near(node.tag, around)
        if near is not None:
            report.add(
                rules.MISSPELT_ELEMENT,
                f"<{around.tag}> has no element <{node.tag[:80]}>: it is kept, and not understood",
                node.location,
                hint=f"did you mean '{near}'?",
            )
        else:
            report.add(rules.KEPT_ELEMENT, f"<{node.tag[:80]}> is kept as it stands, and not understood", node.location)
        _report_dangling(node, model, report)


def _kept_nodes(root: Node) -> Iterator[tuple[Node, Node]]:
    """Yield the elements that nobody reads, each with the one around it."""
    pending = [root]
    while pending:
        around = pending.pop()
        declared = _INSIDE[around.tag]
        for node in around.children:
            spelling = _spelling(declared, node.tag)
            if spelling is None or spelling.elements[node.tag].opaque:
                yield node, around
            elif node.tag in _INSIDE:
                pending.append(node)


def _spelling(declared: type[Element], tag: str) -> Spelling | None:
    return next((spelling for spelling in spellings(declared).values() if tag in spelling.elements), None)


def _near(tag: str, around: Node) -> str | None:
    declared = _INSIDE[around.tag]
    known = [name for spelling in spellings(declared).values() for name in spelling.elements]
    if tag in known or tag in _KNOWN_ABROAD or ":" in tag:
        return None
    near = difflib.get_close_matches(tag.lower()[:80], known, n=1, cutoff=_LEAST_LIKENESS)
    return near[0] if near else None


def _report_dangling(node: Node, model: Model, report: Report) -> None:
    if node.tag == "gazebo":
        name = node.attributes.get("reference")
        names = (*model.bodies.names(), *model.joints.names(), "world")
        if name and name not in names:
            report.add(
                rules.KEPT_REFERENCE,
                f"<gazebo> is about '{name}', which is no link or joint",
                node.attribute_location("reference"),
                hint=suggestion(name, names),
            )
    elif node.tag in ("transmission", "ros2_control"):
        for child in node.children:
            name = child.attributes.get("name")
            if child.tag == "joint" and name and name not in model.joints:
                report.add(
                    rules.KEPT_REFERENCE,
                    f"<{node.tag}> is about the joint '{name}', which does not exist",
                    child.attribute_location("name"),
                    hint=suggestion(name, model.joints.names()),
                )
