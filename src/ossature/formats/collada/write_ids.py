"""Names as a document can carry them, for a whole model at once, so that everything that is written agrees on them."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from ossature.diagnostics.ledger import Ledger
from ossature.formats.collada.write_context import one_line
from ossature.formats.unique_names import make_unique
from ossature.model import Model, NamedList
from ossature.model.writer_audit import compared_fields
from ossature.spatial import Pose
from ossature.syntax import xml

_BODIES = frozenset({"parent", "child", "body", "body1", "body2", "base", "tip", "ignored_pairs"})
_JOINTS = frozenset({"joint"})


def unique_names(names: Sequence[str], default: str) -> list[str]:
    """Return names as the document can carry them: present, on one line and unique."""
    taken: dict[str, None] = {}
    for name in names:
        taken[make_unique(one_line(xml.printable(name)) or default, taken)] = None
    return list(taken)


def written_names(names: Sequence[str], default: str, path: str, ledger: Ledger) -> list[str]:
    """Return what elements are called in the document; changes are in the ledger."""
    result = unique_names(names, default)
    for name, written in zip(names, result, strict=True):
        if written != name:
            for place in (name, written):
                ledger.approximated(f"{path}/{place}" if path else place, f"the name is written as '{written}'")
    return result


def with_written_names(model: Model, ledger: Ledger) -> Model:
    """Return a model whose bodies and joints have the names that they get in the document."""
    bodies = written_names(model.bodies.names(), "link", model.name, ledger)
    joints = written_names(model.joints.names(), "joint", model.name, ledger)
    if bodies == list(model.bodies.names()) and joints == list(model.joints.names()):
        return model
    changed: Model = _renamed(model, _mapping(model.bodies.names(), bodies), _mapping(model.joints.names(), joints))
    return dataclasses.replace(
        changed,
        bodies=NamedList([dataclasses.replace(body, name=name) for body, name in zip(changed.bodies, bodies, strict=True)]),
        joints=NamedList([dataclasses.replace(joint, name=name) for joint, name in zip(changed.joints, joints, strict=True)]),
    )


def _mapping(names: Sequence[str], written: Sequence[str]) -> dict[str, str]:
    # A name that several elements have means the first of them.
    return dict(reversed(list(zip(names, written, strict=True))))


def _renamed(value: Any, bodies: Mapping[str, str], joints: Mapping[str, str]) -> Any:
    """Return a part of a model with the names by which it refers to others replaced."""
    if isinstance(value, NamedList):
        return NamedList([_renamed(part, bodies, joints) for part in value])
    if isinstance(value, tuple):
        return tuple([_renamed(part, bodies, joints) for part in value])
    if not dataclasses.is_dataclass(value) or isinstance(value, type | Pose):
        return value
    fields = {}
    for item in compared_fields(type(value)):
        stated = getattr(value, item.name)
        known = bodies if item.name in _BODIES else joints if item.name in _JOINTS else None
        fields[item.name] = _renamed(stated, bodies, joints) if known is None else _replaced(stated, known)
    return dataclasses.replace(value, **fields)


def _replaced(stated: Any, known: Mapping[str, str]) -> Any:
    if isinstance(stated, tuple):
        return tuple([_replaced(part, known) for part in stated])
    return known.get(stated, stated) if isinstance(stated, str) else stated
