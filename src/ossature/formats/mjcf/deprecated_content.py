"""Content of MJCF that current versions of MuJoCo refuse or ignore: it is read as it meant, in its current spelling.

See "Changelog" in MuJoCo's documentation for the versions that removed or replaced it, and how files are to be changed.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from ossature.diagnostics import Report
from ossature.diagnostics.fix import Fix
from ossature.formats.mjcf import rules
from ossature.syntax import xml_edits
from ossature.syntax.xml import XmlNode, elements_of

_RENAMED: Mapping[tuple[str, str], str] = {
    ("option", "mpr_iterations"): "ccd_iterations",
    ("option", "mpr_tolerance"): "ccd_tolerance",
    ("joint", "actuatorforcerange"): "actuatorfrcrange",
    ("joint", "actuatorforcelimited"): "actuatorfrclimited",
}
"""Attributes with another name today, by the tag of their element."""
_REPLACED: Mapping[tuple[str, str], Mapping[str, Mapping[str, str]]] = {
    ("flag", "passive"): {"disable": {"spring": "disable", "damper": "disable"}, "enable": {}},
    ("camera", "orthographic"): {"true": {"projection": "orthographic"}, "false": {}},
    ("option", "collision"): {"all": {}},
    ("compiler", "exactmeshinertia"): {"false": {}},
}
"""Attributes with other ones for each of their values."""
_MEANINGS: Mapping[tuple[str, str], Mapping[str, tuple[str, str]]] = {
    ("compiler", "exactmeshinertia"): {"true": ("exact", 'write inertia="exact" for each <mesh>')},
    ("option", "collision"): {
        "dynamic": ("dynamic", "remove it, and all <pair> elements"),
        "predefined": ("predefined", 'write contype="0" and conaffinity="0" for all geoms'),
    },
}
"""Attributes whose values mean something for other elements, with what to write."""
_WITHOUT_EFFECT: Mapping[tuple[str, str], str] = {
    ("option", "apirate"): "MuJoCo never used it in a simulation",
    ("flag", "sensornoise"): "MuJoCo adds no noise to sensors; their attribute 'noise' is only a number for users",
    ("compiler", "convexhull"): "MuJoCo computes the convex hulls that collisions need",
    ("contact", "internal"): "flexes have no such contacts; see 'selfcollide'",
}
"""Attributes that nothing replaces, with the reason."""
_OBSOLETE: Mapping[tuple[str, str], str] = {
    ("size", "njmax"): "MuJoCo allocates memory as it is needed; 'memory' states it if necessary",
    ("size", "nconmax"): "MuJoCo allocates memory as it is needed; 'memory' states it if necessary",
    ("size", "nstack"): "MuJoCo allocates memory as it is needed; 'memory' states it if necessary",
}
"""Attributes that MuJoCo accepts without any effect on the model, with the reason."""
_TAGS = {tag for tag, _ in (*_RENAMED, *_REPLACED, *_MEANINGS, *_WITHOUT_EFFECT, *_OBSOLETE)} | {"light"}
_REMOVED_ELEMENTS: Mapping[str, str] = {
    "composite": "write <flexcomp> for cloth, ropes and solids, <replicate> for particles, bodies with ball joints for a cable",
}
"""Elements that MuJoCo refuses, and without which the model would be another one, with what to write instead."""
_CLOSED = {"contype": "0", "conaffinity": "0"}


def replace_deprecated_content(root: XmlNode, report: Report) -> None:
    """Replace removed content of a document, with a finding for each, by what it meant.

    Args:
        root: The document, which is changed.
    """
    meanings: set[str] = set()
    for node in elements_of(root):
        for name in tuple(node.attributes) if node.tag in _TAGS else ():
            _replace_attribute(node, name, meanings, report)
        if node.tag in _REMOVED_ELEMENTS:
            message = f"MuJoCo has no <{node.tag}> any more"
            report.add(rules.MUJOCO_ERROR, message, node.location, hint=_REMOVED_ELEMENTS[node.tag])
        if node.tag == "equality":
            _remove_distances(node, report)
    for node in elements_of(root) if meanings else ():
        if node.tag == "mesh" and "exact" in meanings:
            node.attributes.setdefault("inertia", "exact")
        elif node.tag == "contact" and "dynamic" in meanings:
            node.children = [child for child in node.children if child.tag != "pair"]
        elif node.tag == "geom" and "predefined" in meanings:
            node.attributes |= _CLOSED


def _remove_distances(section: XmlNode, report: Report) -> None:
    for node in section.children:
        if node.tag == "distance":
            hint = "remove it; contacts with a margin, or a tendon with a range, can take its place"
            report.add(rules.REMOVED, "<distance> was removed from <equality>, and is ignored", node.location, hint=hint)
    section.children = [node for node in section.children if node.tag != "distance"]


def _replace_attribute(node: XmlNode, name: str, meanings: set[str], report: Report) -> None:
    """Replace an attribute if it was removed; add what it means for other elements to a set."""
    key, value = (node.tag, name), node.attributes[name]
    if key in _OBSOLETE:
        location = node.attribute_location(name)
        report.add(rules.OBSOLETE, f"'{name}' has no effect in MuJoCo", location, hint=_OBSOLETE[key])
    elif key == ("light", "directional") and "type" not in node.attributes:
        new = {"type": "directional" if value == "true" else "spot"}
        message, location = "'directional' of <light> is an earlier spelling", node.attribute_location(name)
        report.add(rules.OBSOLETE, message, location, hint=f"write {_shown(new)}", fix=_fix(node, name, new))
    elif key == ("compiler", "coordinate") and value == "global":
        message = "MuJoCo reads no global coordinates any more"
        hint = "load and save the file with MuJoCo 2.3.3 (pip install mujoco==2.3.3), which writes local ones"
        report.add(rules.MUJOCO_ERROR, message, node.attribute_location(name), hint=hint)
    elif key in _RENAMED:
        _replace(node, name, {_RENAMED[key]: value}, report)
    elif value in _REPLACED.get(key, {}):
        _replace(node, name, _REPLACED[key][value], report)
    elif key in _WITHOUT_EFFECT:
        _replace(node, name, {}, report, _WITHOUT_EFFECT[key])
    elif value in _MEANINGS.get(key, {}):
        meaning, reason = _MEANINGS[key][value]
        meanings.add(meaning)
        _replace(node, name, None, report, reason)


def _replace(node: XmlNode, name: str, new: Mapping[str, str] | None, report: Report, reason: str = "") -> None:
    """Replace an attribute by others, with a finding.

    Args:
        new: What is read instead, or None if that is in other elements, which the reason states.
        reason: Why there is nothing instead, or what to write.
    """
    read = "read with its meaning" if new is None else f"read as {_shown(new)}" if new else "ignored"
    hint = reason if new is None else f"write {_shown(new)}" if new else f"remove it: {reason}" if reason else "remove it"
    fix = None if new is None else _fix(node, name, new)
    message = f"'{name}' was removed from <{node.tag}>; it is {read}"
    report.add(rules.REMOVED, message, node.attribute_location(name), hint=hint, fix=fix)
    del node.attributes[name]
    for other, value in (new or {}).items():
        node.attributes.setdefault(other, value)


def _shown(attributes: Mapping[str, str]) -> str:
    return " ".join([f'{name}="{value}"' for name, value in attributes.items()])


def _fix(node: XmlNode, name: str, new: Mapping[str, str]) -> partial[Fix | None]:
    specified = XmlNode(node.tag, dict(node.attributes), node.source, node.offset)
    return partial(_make_fix, specified, name, {other: value for other, value in new.items() if other not in node.attributes})


def _make_fix(node: XmlNode, name: str, new: Mapping[str, str]) -> Fix | None:
    """Return the fix that replaces an attribute by others, or None if the text of the element cannot be located."""
    try:
        edits = xml_edits.replace_attribute(node, name, new)
    except ValueError:
        return None
    title = f"replace '{name}' by {_shown(new)}" if new else f"remove '{name}'"
    return Fix(title=title, edits=edits, keeps_model=True)
