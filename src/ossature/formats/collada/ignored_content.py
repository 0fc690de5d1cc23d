"""What a document says for which models have no place: told, so that nothing is left out in silence."""

from __future__ import annotations

from collections.abc import Iterator

from ossature.diagnostics import Report
from ossature.formats.collada import rules
from ossature.formats.collada.schema_openrave import EXTENSIONS, PROFILE
from ossature.syntax.xml import XmlNode
from ossature.syntax.xml_values import shown

OWN_PROFILE = "Ossature"
"""The profile of what this package says itself; whoever wrote it knows where to look for it."""

_LEVELS = ("COLLADA", "articulated_system", "instance_articulated_system", "instance_kinematics_model", "kinematics_model")
"""Elements whose extensions are read or kept, whatever they are."""
_READ = {
    "geometry": ("geometry_info",),
    "instance_node": ("idsuffix",),
    "instance_physics_scene": ("dynamic_rigid_constraints",),
}
"""Types of the extensions that are read elsewhere, by the element that they stand in."""
_PASSED_THROUGH = ("sensor", "actuator", "math")
_UNSUPPORTED = {
    ("axis_info", "deceleration"): "deceleration has no limit of its own",
    ("technique_common", "static_friction"): "a surface has one coefficient of friction, the one of sliding",
}
"""Elements that are not read, by the one around them and their own tag, each with the reason."""


def report_passed_over(root: XmlNode, report: Report) -> None:
    """Tell what is not read of a document, although COLLADA allows it there."""
    pending = [root]
    while pending:
        around = pending.pop()
        for node in around.children:
            if node.tag == "extra":
                _report_extra(around, node, report)
                pending.extend(_techniques(node))
            elif node.tag == "technique" and "profile" in node.attributes:
                _report_technique(node, report)
            elif node.tag not in _PASSED_THROUGH:
                _report_element(around, node, report)
                pending.append(node)


def _techniques(extra: XmlNode) -> Iterator[XmlNode]:
    """Yield what is read of an extension."""
    if extra.attributes.get("type") in EXTENSIONS:
        yield from (inner for inner in extra.children if inner.attributes.get("profile") == PROFILE)


def _report_extra(around: XmlNode, node: XmlNode, report: Report) -> None:
    kind = node.attributes.get("type")
    own = any(technique.attributes.get("profile") == OWN_PROFILE for technique in node.children)
    if around.tag not in _LEVELS and kind not in _READ.get(around.tag, ()) and not own:
        report.add(rules.NOT_CARRIED, f"the extension '{kind or ''}' of <{around.tag}> is passed over", node.location)


def _report_technique(node: XmlNode, report: Report) -> None:
    profile = node.attributes["profile"]
    if profile not in (PROFILE, OWN_PROFILE):
        report.add(rules.NOT_CARRIED, f"the technique of '{profile}' is passed over", node.location)


def _report_element(around: XmlNode, node: XmlNode, report: Report) -> None:
    reason = _UNSUPPORTED.get((around.tag, node.tag))
    if reason is not None:
        value = f" of {shown(node.text.strip())}" if node.text.strip() else ""
        report.add(rules.NOT_CARRIED, f"the <{node.tag}>{value} is passed over: {reason}", node.location)
    elif (around.tag, node.tag) == ("shape", "hollow") and node.text.strip() in ("true", "1"):
        report.add(rules.NOT_CARRIED, "that the shape is hollow is passed over: its mass fills it", node.location)
