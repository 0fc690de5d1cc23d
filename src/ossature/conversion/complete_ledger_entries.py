"""The values in the World of what a ledger states to be dropped or approximated, and where the source file states them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from typing import Any

from ossature.diagnostics import Action, Ledger, Location
from ossature.diagnostics.ledger import LedgerEntry
from ossature.model import Collision, Coordinate, Joint, Mesh, Model, Visual, World
from ossature.model.element_fields import elements, join_path
from ossature.model.joint import JointType
from ossature.model.unsupported_fields import is_rotation_at
from ossature.model.value_text import coordinate_text, field_text, value_text

_UNSCALED = (1.0, 1.0, 1.0)
_INEXACT = (Action.APPROXIMATED, Action.DROPPED)


@dataclass(frozen=True, slots=True, kw_only=True)
class _StatedValue:
    """A value of the World as text, or None if nothing is stated, and where it comes from.

    Attributes:
        origin: Where the file states it.
        details: Of a shape: what it has besides its geometry.
    """

    text: str | None
    origin: Location | None
    details: str = ""


def complete_entries(world: World, ledger: Ledger) -> None:
    """Give each entry of something dropped or approximated the value that the World states, and its location."""
    wanted = {entry.path for entry in ledger if entry.action in _INEXACT}
    found: dict[str, list[_StatedValue]] = {}
    for path, specified in _specified_values(world, wanted) if wanted else ():
        found.setdefault(path, []).append(specified)

    def completed(entry: LedgerEntry) -> LedgerEntry:
        specified = found.get(entry.path, ())
        # A body and a joint can have one name: a path then has two values.
        if entry.action not in _INEXACT or len(specified) != 1:
            return entry
        before = specified[0].text if entry.before is None else f"{entry.before}{specified[0].details}"
        return replace(entry, before=before, location=entry.location or specified[0].origin)

    ledger.change_entries(completed)


def _specified_values(world: World, wanted: set[str]) -> Iterator[tuple[str, _StatedValue]]:
    owners = {path.rpartition(".")[0] for path in wanted}
    joint_type: JointType | None = None
    known: set[str] = set()  # the value of a field can be an element itself, which comes after its owner
    for path, element, origin in elements(world):
        if isinstance(element, Joint):
            joint_type = element.type
        rotates = not isinstance(element, Coordinate) or is_rotation_at(joint_type, path)
        if path in wanted and path not in known:
            details = _shape_details(element) if isinstance(element, Visual | Collision) else ""
            yield path, _StatedValue(text=_element_text(element, rotation=rotates), origin=origin, details=details)
        if path in owners:
            for name in [name for name in element.__dataclass_fields__ if getattr(element, name) not in (None, ())]:
                if (field := join_path(path, name)) in wanted:
                    known.add(field)
                    yield field, _StatedValue(text=field_text(element, name, rotation=rotates), origin=origin)


def _element_text(element: Any, *, rotation: bool) -> str | None:
    """Return an element with its content as text; the parts of a model have entries of their own."""
    if isinstance(element, Model):
        return None
    if isinstance(element, Coordinate):
        return coordinate_text(element, rotation=rotation) or None
    return value_text(element, longest=None)


def _shape_details(shape: Visual | Collision) -> str:
    """Return what a shape has besides its geometry and the defaults, after a comma."""
    default, geometry = type(shape)(geometry=shape.geometry), shape.geometry
    scale = [f", scale {value_text(geometry.scale)}"] if isinstance(geometry, Mesh) and geometry.scale != _UNSCALED else []
    names = [item.name for item in fields(shape) if item.compare and getattr(shape, item.name) != getattr(default, item.name)]
    return "".join([*scale, *[f", {name.replace('_', ' ')} {field_text(shape, name)}" for name in names]])
