"""Makes names valid and unique for a document, consistently for all references of a model."""

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
    """Return valid names for the document: not empty, on one line and unique."""
    taken: dict[str, None] = {}
    for name in names:
        taken[make_unique(one_line(xml.printable(name)) or default, taken)] = None
    return list(taken)


def written_names(names: Sequence[str], default: str, path: str, ledger: Ledger) -> list[str]:
    """Return the names of elements in the document; changes are recorded in the ledger."""
    result = unique_names(names, default)
    for name, written in zip(names, result, strict=True):
        if written != name:
            for part in (name, written):
                ledger.approximated(f"{path}/{part}" if path else part, f"renamed to '{written}'")
    return result


def with_written_names(model: Model, ledger: Ledger) -> Model:
    """Return a model whose bodies and joints have their names of the document."""
    bodies = written_names(model.bodies.names(), "link", model.name, ledger)
    joints = written_names(model.joints.names(), "joint", model.name, ledger)
    if bodies == list(model.bodies.names()) and joints == list(model.joints.names()):
        return model
    changed: Model = _rename_references(
        model, _map_names(model.bodies.names(), bodies), _map_names(model.joints.names(), joints)
    )
    return dataclasses.replace(
        changed,
        bodies=NamedList([dataclasses.replace(body, name=name) for body, name in zip(changed.bodies, bodies, strict=True)]),
        joints=NamedList([dataclasses.replace(joint, name=name) for joint, name in zip(changed.joints, joints, strict=True)]),
    )


def _map_names(names: Sequence[str], written: Sequence[str]) -> dict[str, str]:
    # A duplicate name refers to the first element.
    return dict(reversed(list(zip(names, written, strict=True))))


def _rename_references(value: Any, bodies: Mapping[str, str], joints: Mapping[str, str]) -> Any:
    """Return a part of a model with references to bodies and joints replaced."""
    if isinstance(value, NamedList):
        return NamedList([_rename_references(part, bodies, joints) for part in value])
    if isinstance(value, tuple):
        return tuple([_rename_references(part, bodies, joints) for part in value])
    if not dataclasses.is_dataclass(value) or isinstance(value, type | Pose):
        return value
    fields = {}
    for item in compared_fields(type(value)):
        stated = getattr(value, item.name)
        mapping = bodies if item.name in _BODIES else joints if item.name in _JOINTS else None
        fields[item.name] = _rename_references(stated, bodies, joints) if mapping is None else _replace_names(stated, mapping)
    return dataclasses.replace(value, **fields)


def _replace_names(stated: Any, mapping: Mapping[str, str]) -> Any:
    if isinstance(stated, tuple):
        return tuple([_replace_names(part, mapping) for part in stated])
    return mapping.get(stated, stated) if isinstance(stated, str) else stated
