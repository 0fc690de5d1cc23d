"""References between elements: names of bodies and joints in other elements of a model."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any

from ossature.model.expression import JointPosition, Number, Operation, fold_expression
from ossature.model.extension_references import map_element_references
from ossature.model.format_extension import Extension
from ossature.model.hints import Hint
from ossature.model.named_list import NamedList
from ossature.model.triangle_mesh import LazyMesh
from ossature.model.writer_audit import compared_fields
from ossature.spatial import Pose

BODY_FIELDS = frozenset({"parent", "child", "body", "body1", "body2", "base", "tip", "chain_end", "target", "ignored_pairs"})
"""Fields that name bodies."""
JOINT_FIELDS = frozenset({"joint"})
"""Fields that name a joint."""

Names = Mapping[str, str]


def map_references(value: Any, bodies: Names, joints: Names) -> Any:
    """Return a model, or a part of one, in which references to bodies and joints have other names.

    Args:
        value: The model or part of it; the names of its own elements are unchanged.
        bodies: New names of bodies; those that are missing are unchanged.
        joints: New names of joints, likewise.
    """
    if not (bodies or joints):
        return value
    if isinstance(value, NamedList):
        return value.map(lambda part: map_references(part, bodies, joints))
    if isinstance(value, tuple):
        return tuple([map_references(part, bodies, joints) for part in value])
    if isinstance(value, Operation):
        return fold_expression(value, lambda leaf: map_references(leaf, bodies, joints), _with_operands)
    if isinstance(value, Extension) and value.value.startswith("<"):
        return dataclasses.replace(value, value=map_element_references(value.value, bodies, joints))
    if not _has_references(value):
        return value
    changed = {}
    for item in compared_fields(type(value)):
        stated = getattr(value, item.name)
        names = bodies if item.name in BODY_FIELDS else joints if item.name in JOINT_FIELDS else None
        new = map_references(stated, bodies, joints) if names is None else _map_names(stated, names)
        if new is not stated and new != stated:
            changed[item.name] = new
    return dataclasses.replace(value, **changed) if changed else value


def _with_operands(operation: Operation, operands: list[Any]) -> Operation:
    return dataclasses.replace(operation, operands=tuple(operands))


def _has_references(value: Any) -> bool:
    return dataclasses.is_dataclass(value) and not isinstance(value, type | Pose | LazyMesh | Extension | Hint | Number)


def _map_names(stated: Any, names: Names) -> Any:
    if isinstance(stated, tuple):
        return tuple([_map_names(part, names) for part in stated])
    return names.get(stated, stated) if isinstance(stated, str) else stated


def references(value: Any, path: str = "") -> Iterator[tuple[str, bool, str]]:
    """Yield the references of a model, or of a part of one: the path of the field, whether it names a body, and the name."""
    pending = [(path, value)]
    while pending:
        here, part = pending.pop()
        if isinstance(part, NamedList):
            pending += [(f"{here.rpartition('.')[0]}/{item.name}", item) for item in part]
        elif isinstance(part, tuple):
            pending += [(f"{here}[{index}]", item) for index, item in enumerate(part)]
        elif _has_references(part):
            for item in compared_fields(type(part)):
                stated, inner = getattr(part, item.name), f"{here}.{item.name}"
                if item.name in BODY_FIELDS | JOINT_FIELDS:
                    yield from [(inner, item.name in BODY_FIELDS, name) for name in _names_in(stated)]
                else:
                    pending.append((inner, stated))


def _names_in(stated: Any) -> Iterator[str]:
    if isinstance(stated, tuple):
        for part in stated:
            yield from _names_in(part)
    elif isinstance(stated, str):
        yield stated


_REMOVED: Any = object()


def without_references(value: Any, bodies: frozenset[str], joints: frozenset[str]) -> Any:
    """Return a model without the elements that refer to some bodies and joints, and without couplings to these joints.

    An item of a sequence (a sensor, an ignored pair, a joint of a gripper) is removed as a whole.
    """
    if isinstance(value, NamedList | tuple):
        items = [without_references(part, bodies, joints) for part in value]
        return type(value)([item for item in items if item is not _REMOVED])
    if isinstance(value, Operation | JointPosition):
        return _REMOVED if any(name in joints for _, is_body, name in references(value) if not is_body) else value
    if not _has_references(value):
        return value
    changed: dict[str, Any] = {}
    for item in compared_fields(type(value)):
        stated = getattr(value, item.name)
        if item.name in BODY_FIELDS | JOINT_FIELDS:
            removed = bodies if item.name in BODY_FIELDS else joints
            if isinstance(stated, tuple):
                changed[item.name] = tuple([part for part in stated if removed.isdisjoint(_names_in(part))])
            elif stated in removed:
                return _REMOVED
        else:
            new = without_references(stated, bodies, joints)
            if new is _REMOVED and item.name != "coupling":
                return _REMOVED
            if new is not stated:
                changed[item.name] = None if new is _REMOVED else new
    return dataclasses.replace(value, **changed) if changed else value
