"""Finds by itself what a writer does not carry, so that no field of the model can be lost in silence."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any

from ossature.diagnostics.ledger import Ledger
from ossature.model.collection import Named
from ossature.spatial import IDENTITY, Pose

_LONGEST_VALUE = 80


def audit(root: Any, carried: Mapping[type, frozenset[str]], ledger: Ledger) -> None:
    """Record in the ledger every stated thing that a writer does not carry.

    Args:
        root: A World, or any part of one.
        carried: For each data class of the model that the writer knows, the fields that it carries. A class that is
            missing here is dropped whole.
        ledger: Where entries go.
    """
    for path, value in elements(root):
        known = carried.get(type(value))
        if known is None:
            ledger.dropped(path or type(value).__name__, f"{type(value).__name__} cannot be said")
            continue
        for item in dataclasses.fields(value):
            if item.compare and item.name not in known:
                stated = getattr(value, item.name)
                if stated != _default(item):
                    ledger.dropped(f"{path}.{item.name}".lstrip("."), _shown(stated))


def elements(root: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield every data class instance in a World with its path (``arm/elbow.coordinates[0]``), parents first.

    What is equal to a default by identity (an identity pose, a plain coordinate) is yielded like the rest.
    """
    pending: list[tuple[str, Any]] = [(path, root)]
    while pending:
        here, value = pending.pop()
        yield here, value
        inner = [
            found
            for item in dataclasses.fields(value)
            if item.compare
            for found in _inside(_join(here, item.name), here, getattr(value, item.name))
        ]
        pending.extend(reversed(inner))


def _inside(path: str, parent: str, value: Any) -> Iterator[tuple[str, Any]]:
    if value is IDENTITY or isinstance(value, str | float | int | bool | None):
        return
    if isinstance(value, Named):
        for element in value:
            yield (f"{parent}/{element.name}" if parent else element.name, element)
    elif isinstance(value, tuple):
        for index, element in enumerate(value):
            if dataclasses.is_dataclass(element):
                yield f"{path}[{index}]", element
    elif dataclasses.is_dataclass(value) and not isinstance(value, Pose):
        yield path, value


def _join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _default(item: dataclasses.Field[Any]) -> Any:
    if item.default is not dataclasses.MISSING:
        return item.default
    return item.default_factory() if item.default_factory is not dataclasses.MISSING else dataclasses.MISSING


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= _LONGEST_VALUE else text[:_LONGEST_VALUE] + "…"
