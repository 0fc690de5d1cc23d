"""Makes names valid and unique for a document, consistently for all references of a model."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from ossature.diagnostics.ledger import Ledger
from ossature.formats.collada.write_context import one_line
from ossature.model import Model, NamedList
from ossature.model.name_references import map_references
from ossature.model.unique_names import unique_name
from ossature.syntax import xml


def unique_names(names: Sequence[str], default: str) -> list[str]:
    """Return valid names for the document: not empty, on one line and unique."""
    taken: dict[str, None] = {}
    for name in names:
        taken[unique_name(one_line(xml.printable(name)) or default, taken)] = None
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
    changed: Model = map_references(
        model, {"bodies": _map_names(model.bodies.names(), bodies), "joints": _map_names(model.joints.names(), joints)}
    )
    return dataclasses.replace(
        changed,
        bodies=NamedList([dataclasses.replace(body, name=name) for body, name in zip(changed.bodies, bodies, strict=True)]),
        joints=NamedList([dataclasses.replace(joint, name=name) for joint, name in zip(changed.joints, joints, strict=True)]),
    )


def _map_names(names: Sequence[str], written: Sequence[str]) -> dict[str, str]:
    # A duplicate name refers to the first element.
    return dict(reversed(list(zip(names, written, strict=True))))
