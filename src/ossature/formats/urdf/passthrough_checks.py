"""What is told of elements that are kept for other programs."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from dataclasses import dataclass

from ossature.diagnostics import Report
from ossature.formats.urdf import rules
from ossature.formats.urdf.read_tree import WORLD
from ossature.formats.urdf.schema import (
    SHAPES,
    RobotElement,
    UrdfCollisionElement,
    UrdfJointElement,
    UrdfLinkElement,
    VisualElement,
)
from ossature.model import Model
from ossature.syntax.schema import Element, spellings
from ossature.syntax.xml import XmlNode

_INSIDE: dict[str, type[Element]] = {
    "robot": RobotElement,
    "link": UrdfLinkElement,
    "joint": UrdfJointElement,
    "visual": VisualElement,
    "collision": UrdfCollisionElement,
}
_INNER: dict[str, dict[str, type[Element]]] = {
    around: {tag: inner for spelling in spellings(declared).values() for tag, inner in spelling.elements.items()}
    for around, declared in _INSIDE.items()
}
"""What may stand in each of these elements, by tag."""
_HOMES = dict.fromkeys(("link", "joint"), "robot") | {
    **dict.fromkeys(("inertial", "visual", "collision"), "link"),
    **dict.fromkeys(SHAPES, "geometry"),
    **dict.fromkeys(("axis", "limit", "dynamics", "mimic", "parent", "child", "safety_controller", "calibration"), "joint"),
}
"""Where elements belong that have one place only."""
_KNOWN_FOREIGN_NAMES = frozenset({"sensor", "self_collide", "contact", "gazebo", "actuator", "verbose", "group", "loop_joint"})
"""Tags of other programs that only look as if they were misspelt."""
_LEAST_LIKENESS = 0.75


def check_passthrough(root: XmlNode, model: Model, report: Report) -> None:
    """Tell of the elements that are carried along, those that look misspelt, and those that speak of nothing."""
    known = _KnownNames.of(model)
    for node, around in _passthrough_nodes(root):
        near, home = _near(node.tag, around), _HOMES.get(node.tag)
        if home is not None and home != around.tag:
            report.add(
                rules.MISPLACED_ELEMENT,
                f"<{node.tag}> has no place inside <{around.tag}>: it is kept, and not understood",
                node.location,
                hint=f"it belongs into <{home}>",
            )
        elif near is not None:
            report.add(
                rules.MISSPELT_ELEMENT,
                f"<{around.tag}> has no element <{node.tag[:80]}>: it is kept, and not understood",
                node.location,
                hint=f"did you mean '{near}'?",
            )
        else:
            report.add(rules.KEPT_ELEMENT, f"<{node.tag[:80]}> is kept as it stands, and not understood", node.location)
        _report_dangling(node, known, report)


@dataclass(frozen=True, slots=True, kw_only=True)
class _KnownNames:
    """What elements for other programs may speak of.

    Attributes:
        joints: Names of joints.
        anything: Names of joints and links.
    """

    joints: frozenset[str]
    anything: frozenset[str]

    @classmethod
    def of(cls, model: Model) -> _KnownNames:
        """Return the names in a model."""
        joints = frozenset(model.joints.names())
        return cls(joints=joints, anything=joints | {*model.bodies.names(), WORLD})


def _passthrough_nodes(root: XmlNode) -> Iterator[tuple[XmlNode, XmlNode]]:
    """Yield the elements that nobody reads, each with the one around it."""
    pending = [root]
    while pending:
        around = pending.pop()
        known = _INNER[around.tag]
        for node in around.children:
            inner = known.get(node.tag)
            if inner is None or inner.opaque:
                yield node, around
            elif node.tag in _INSIDE:
                pending.append(node)


def _near(tag: str, around: XmlNode) -> str | None:
    known = _INNER[around.tag]
    if tag in known or tag in _KNOWN_FOREIGN_NAMES or ":" in tag:
        return None
    near = difflib.get_close_matches(tag.lower()[:80], known, n=1, cutoff=_LEAST_LIKENESS)
    return near[0] if near else None


def _report_dangling(node: XmlNode, known: _KnownNames, report: Report) -> None:
    if node.tag == "gazebo":
        name = node.attributes.get("reference")
        if name and name not in known.anything:
            report.add(
                rules.KEPT_REFERENCE,
                f"<gazebo> is about '{name}', which is no link or joint",
                node.attribute_location("reference"),
                hint=report.suggestion(name, known.anything),
            )
    elif node.tag in ("transmission", "ros2_control"):
        for child in node.children:
            name = child.attributes.get("name")
            if child.tag == "joint" and name and name not in known.joints:
                report.add(
                    rules.KEPT_REFERENCE,
                    f"<{node.tag}> is about the joint '{name}', which does not exist",
                    child.attribute_location("name"),
                    hint=report.suggestion(name, known.joints),
                )
