"""Reports content of documents that the model cannot represent and that is ignored."""

from __future__ import annotations

from collections.abc import Iterator

from ossature.diagnostics import Report
from ossature.formats.collada import rules
from ossature.formats.collada.openrave.schema import EXTENSIONS, PROFILE
from ossature.syntax.xml import XmlNode
from ossature.syntax.xml_values import shown

OWN_PROFILE = "Ossature"
"""Profile of the techniques of this package, which are read elsewhere."""

_LEVELS = ("COLLADA", "articulated_system", "instance_articulated_system", "instance_kinematics_model", "kinematics_model")
"""Elements whose extensions of all types are read or passed through."""
_READ = {
    "geometry": ("geometry_info",),
    "instance_node": ("idsuffix",),
    "instance_physics_scene": ("dynamic_rigid_constraints",),
}
"""Types of extensions that are read elsewhere, by their parent element."""
_UNSUPPORTED = {
    ("axis_info", "deceleration"): "there is no separate deceleration limit",
    ("technique_common", "static_friction"): "only the coefficient of sliding friction is used",
}
"""Ignored elements, by the tags of their parent and their own, each with the reason."""
_EXAMINED = {"hollow", *(tag for _, tag in _UNSUPPORTED)}
"""Tags of the elements of which some are ignored; a document has many elements, and few of these."""


def report_ignored_content(root: XmlNode, report: Report) -> None:
    """Report content of a document that COLLADA allows and that is ignored."""
    pending = [root]
    while pending:
        parent = pending.pop()
        for node in parent.children:
            if node.tag == "extra":
                _report_extra(parent, node, report)
                pending.extend(_techniques(node))
            elif node.tag == "technique" and "profile" in node.attributes:
                _report_technique(node, report)
            elif node.tag not in ("sensor", "actuator", "math"):
                if node.tag in _EXAMINED:
                    _report_element(parent, node, report)
                if node.children:
                    pending.append(node)


def _techniques(extra: XmlNode) -> Iterator[XmlNode]:
    if extra.attributes.get("type") in EXTENSIONS:
        yield from (inner for inner in extra.children if inner.attributes.get("profile") == PROFILE)


def _report_extra(parent: XmlNode, node: XmlNode, report: Report) -> None:
    kind = node.attributes.get("type")
    own = any(technique.attributes.get("profile") == OWN_PROFILE for technique in node.children)
    if parent.tag not in _LEVELS and kind not in _READ.get(parent.tag, ()) and not own:
        report.add(rules.UNSUPPORTED_CONTENT, f"the extension '{kind or ''}' of <{parent.tag}> is ignored", node.location)


def _report_technique(node: XmlNode, report: Report) -> None:
    profile = node.attributes["profile"]
    if profile not in (PROFILE, OWN_PROFILE):
        report.add(rules.UNSUPPORTED_CONTENT, f"the technique of '{profile}' is ignored", node.location)


def _report_element(parent: XmlNode, node: XmlNode, report: Report) -> None:
    reason = _UNSUPPORTED.get((parent.tag, node.tag))
    if reason is not None:
        value = f" of {shown(node.text.strip())}" if node.text.strip() else ""
        report.add(rules.UNSUPPORTED_CONTENT, f"the <{node.tag}>{value} is ignored: {reason}", node.location)
    elif (parent.tag, node.tag) == ("shape", "hollow") and node.text.strip() in ("true", "1"):
        report.add(
            rules.UNSUPPORTED_CONTENT, "<hollow> is ignored: the mass of a shape is distributed over its volume", node.location
        )
