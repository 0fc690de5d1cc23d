"""References to links and joints in elements of other programs: ``<transmission>``, ``<gazebo>``, ``<ros2_control>``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from xml.sax.saxutils import escape, unescape

_JOINT_NAME = re.compile(r'(?P<start><(?P<word>joint)\b[^>]*?\bname=")(?P<name>[^"]*)(?P<end>")')
_REFERENCE = re.compile(r'(?P<start>\b(?P<word>reference|link|joint|body|parent|child)=")(?P<name>[^"]*)(?P<end>")')
_TEXT = re.compile(r"(?P<start><(?P<word>[A-Za-z_][\w:.-]*)[^<>]*(?<!/)>\s*)(?P<name>[^<>]*[^<>\s])(?P<end>\s*</(?P=word)>)")
_BODY_WORDS = ("link", "body", "frame", "reference", "parent", "child")
_QUOTES = {'"': "&quot;"}


def map_element_references(element: str, bodies: Mapping[str, str], joints: Mapping[str, str]) -> str:
    """Return the text of an XML element in which links and joints have other names.

    Names are recognised in ``<joint name="…">``, in attributes such as ``reference`` and ``link``, and as the whole text of
    elements whose tags contain joint, link, body or frame.

    Args:
        element: The text.
        bodies: New names of links; those that are missing are unchanged.
        joints: New names of joints, likewise.
    """

    def replaced(match: re.Match[str]) -> str:
        name = unescape(match["name"], {quote: mark for mark, quote in _QUOTES.items()})
        new = _new_name(match["word"].lower(), name, bodies, joints)
        return match[0] if new is None else f"{match['start']}{escape(new, _QUOTES)}{match['end']}"

    for pattern in (_JOINT_NAME, _REFERENCE, _TEXT):
        element = pattern.sub(replaced, element)
    return element


def _new_name(word: str, name: str, bodies: Mapping[str, str], joints: Mapping[str, str]) -> str | None:
    """Return the new name in an attribute or element, or None if it is unchanged."""
    if "joint" in word:
        return joints.get(name)
    if not any(known in word for known in _BODY_WORDS):
        return None
    return bodies.get(name, joints.get(name) if word == "reference" else None)
