"""Fields and inner elements of the data classes of the model, with their paths."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ossature.diagnostics import Location
from ossature.model.named_list import NamedList
from ossature.spatial import Pose

PLAIN_TYPES = frozenset({str, float, int, bool, type(None)})
"""Types of the values of fields that contain no others; most values have one of them."""
_COMPARED_FIELDS: dict[type, tuple[dataclasses.Field[Any], ...]] = {}  # inspecting a class for each element is slow


def elements(
    root: Any, *, fields: Callable[[Any], Iterable[dataclasses.Field[Any]]] | None = None
) -> Iterator[tuple[str, Any, Location | None]]:
    """Yield every data class instance in a World, parents first.

    Poses are values, not elements: they are not yielded.

    Args:
        root: A World, or any part of one.
        fields: Fields of an element to visit; by default all that take part in equality.

    Yields:
        The path (``arm/elbow.coordinates[0]``), the element, and its origin or that of the nearest element around it.
    """
    pending: list[tuple[str, Any, Location | None]] = [("", root, None)]
    while pending:
        here, value, around = pending.pop()
        origin = getattr(value, "origin", None) or around
        yield here, value, origin
        inner = [
            (path, found, origin)
            for item in (compared_fields(type(value)) if fields is None else fields(value))
            if type(inside := getattr(value, item.name)) not in PLAIN_TYPES
            for path, found in _inner_elements(item.name, here, inside)
        ]
        pending.extend(reversed(inner))


def compared_fields(kind: type) -> tuple[dataclasses.Field[Any], ...]:
    """Return the fields of a data class that take part in equality; the others are its origin."""
    if kind not in _COMPARED_FIELDS:
        _COMPARED_FIELDS[kind] = tuple([item for item in dataclasses.fields(kind) if item.compare])
    return _COMPARED_FIELDS[kind]


def _inner_elements(name: str, parent: str, value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, NamedList):
        for element in value:
            yield (f"{parent}/{element.name}" if parent else element.name, element)
    elif isinstance(value, tuple):
        kinds = {kind for kind in set(map(type, value)) if dataclasses.is_dataclass(kind)}
        for index, element in enumerate(value) if kinds else ():
            if type(element) in kinds:
                yield f"{join_path(parent, name)}[{index}]", element
    elif dataclasses.is_dataclass(value) and not isinstance(value, Pose):
        yield join_path(parent, name), value


def join_path(path: str, name: str) -> str:
    """Return the path of a field of an element."""
    return f"{path}.{name}" if path else name


def default_value(item: dataclasses.Field[Any]) -> Any:
    """Return the default of a field, or ``dataclasses.MISSING``."""
    if item.default is not dataclasses.MISSING:
        return item.default
    return item.default_factory() if item.default_factory is not dataclasses.MISSING else dataclasses.MISSING
