"""References between elements: names of bodies, joints and other elements in elements of a model."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Mapping
from typing import Any

from ossature.model.element_fields import PLAIN_TYPES, compared_fields
from ossature.model.expression import JointPosition, Number, Operation, fold_expression
from ossature.model.format_extension import Extension
from ossature.model.named_list import NamedList
from ossature.model.tendon import JointSum, SpatialPath
from ossature.model.triangle_mesh import LazyMesh
from ossature.spatial import Pose

BODY_FIELDS = frozenset({"parent", "child", "body", "body1", "body2", "base", "tip", "chain_end", "target", "ignored_pairs"})
"""Fields that name bodies."""
JOINT_FIELDS = frozenset({"joint", "joint1", "joint2"})
"""Fields that name a joint."""
REFERENCE_FIELDS: Mapping[str, str] = {
    **dict.fromkeys(BODY_FIELDS, "bodies"),
    **dict.fromkeys(JOINT_FIELDS, "joints"),
    **dict.fromkeys(("tendon", "tendon1", "tendon2"), "tendons"),
    "actuator": "actuators",
    "camera": "cameras",
    "appearance": "appearances",
    "texture": "textures",
}
"""By the name of a field that names elements: the collection of the model that contains them."""
_OPTIONAL = frozenset({"coupling", "appearance"})
"""Fields without which an element is complete."""
_INDIVISIBLE = (SpatialPath, JointSum)
"""Sequences in which no item can be missing."""

Names = Mapping[str, str]


def map_references(value: Any, names: Mapping[str, Names]) -> Any:
    """Return a model, or a part of one, in which references to elements have other names.

    Args:
        value: The model or part of it; the names of its own elements are unchanged.
        names: By collection, the new names of elements; those that are missing are unchanged.
    """
    if not any(names.values()):
        return value
    if isinstance(value, NamedList):
        return value.map(lambda part: map_references(part, names))
    if isinstance(value, tuple):
        return tuple([map_references(part, names) for part in value])
    if isinstance(value, Operation):
        return fold_expression(value, lambda leaf: map_references(leaf, names), _with_operands)
    if isinstance(value, Extension) and value.value.startswith("<"):
        changed_text = map_element_references(value.value, names.get("bodies", {}), names.get("joints", {}))
        return dataclasses.replace(value, value=changed_text)
    if not _has_references(value):
        return value
    changed = {}
    for item in compared_fields(type(value)):
        specified = getattr(value, item.name)
        collection = _collection_of(item.name, specified)
        new = map_references(specified, names) if collection is None else _map_names(specified, names.get(collection, {}))
        if new is not specified and new != specified:
            changed[item.name] = new
    return dataclasses.replace(value, **changed) if changed else value


def _collection_of(field: str, specified: Any) -> str | None:
    """Return the collection whose elements a field names, or None."""
    collection = REFERENCE_FIELDS.get(field)
    return None if collection is None or dataclasses.is_dataclass(specified) else collection


def _with_operands(operation: Operation, operands: list[Any]) -> Operation:
    return dataclasses.replace(operation, operands=tuple(operands))


def _has_references(value: Any) -> bool:
    return dataclasses.is_dataclass(value) and not isinstance(value, type | Pose | LazyMesh | Extension | Number)


def _map_names(specified: Any, names: Names) -> Any:
    if isinstance(specified, tuple):
        return tuple([_map_names(part, names) for part in specified])
    return names.get(specified, specified) if isinstance(specified, str) else specified


def references(value: Any, path: str = "") -> Iterator[tuple[str, str, str]]:
    """Yield the references of a model, or of a part of one: the path of the field, the collection, and the name."""
    pending = [(path, value)]
    while pending:
        here, part = pending.pop()
        if isinstance(part, NamedList):
            pending += [(f"{here.rpartition('.')[0]}/{item.name}", item) for item in part]
        elif isinstance(part, tuple):
            pending += [(f"{here}[{index}]", item) for index, item in enumerate(part) if type(item) not in PLAIN_TYPES]
        elif _has_references(part):
            for item in compared_fields(type(part)):
                specified = getattr(part, item.name)
                collection = _collection_of(item.name, specified)
                if collection is not None:
                    yield from [(f"{here}.{item.name}", collection, name) for name in _names_in(specified)]
                elif type(specified) not in PLAIN_TYPES:
                    pending.append((f"{here}.{item.name}", specified))


def _names_in(specified: Any) -> Iterator[str]:
    if isinstance(specified, tuple):
        for part in specified:
            yield from _names_in(part)
    elif isinstance(specified, str):
        yield specified


_REMOVED: Any = object()


def without_references(value: Any, removed: Mapping[str, frozenset[str]]) -> Any:
    """Return a model without the elements that refer to removed ones, and without couplings to removed joints.

    An item of a sequence (a sensor, an ignored pair, a joint of a gripper) is removed as a whole.

    Args:
        value: The model, or a part of it.
        removed: By collection, the names of the removed elements.
    """
    if isinstance(value, NamedList | tuple):
        items = [without_references(part, removed) for part in value]
        return type(value)([item for item in items if item is not _REMOVED])
    if isinstance(value, Operation | JointPosition):
        return _REMOVED if _refers_to(value, removed) else value
    if isinstance(value, _INDIVISIBLE) and _refers_to(value, removed):
        return _REMOVED
    if not _has_references(value):
        return value
    changed: dict[str, Any] = {}
    for item in compared_fields(type(value)):
        specified = getattr(value, item.name)
        collection = _collection_of(item.name, specified)
        if collection is not None:
            names = removed.get(collection, frozenset())
            if isinstance(specified, tuple):
                changed[item.name] = tuple([part for part in specified if names.isdisjoint(_names_in(part))])
            elif specified in names:
                if item.name not in _OPTIONAL:
                    return _REMOVED
                changed[item.name] = None
        else:
            new = without_references(specified, removed)
            if new is _REMOVED and item.name not in _OPTIONAL:
                return _REMOVED
            if new is not specified:
                changed[item.name] = None if new is _REMOVED else new
    return dataclasses.replace(value, **changed) if changed else value


def _refers_to(value: Any, removed: Mapping[str, frozenset[str]]) -> bool:
    return any(name in removed.get(collection, ()) for _, collection, name in references(value))


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

    from xml.sax.saxutils import escape, unescape  # loads modules of the standard library for networks

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
