"""Paths of parameters: patterns for the names of elements, and lists without an index, which mean all their items."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from ossature.diagnostics import suggestion
from ossature.model import Body, Material, ModelError, NamedList, World
from ossature.model.element_paths import resolve, value_at
from ossature.model.model import COLLECTIONS

_PART = re.compile(r"\.(\w+)|\[(\d+|\*)\]")


def expand_path(world: World, path: str) -> list[str]:
    """Return the paths of all attributes that a path or pattern means.

    ``*`` in the name of an element means any characters: ``arm/*.mass``, ``*/spring*.stiffness``. A list of items without
    an index means all of them: ``arm/link.collisions.friction``. Elements without the attribute are passed over by a pattern.

    Args:
        path: The path or pattern.

    Raises:
        ModelError: There is no such attribute.
    """
    try:
        value_at(world, resolve(world, path))
        return [path]
    except ModelError as failure:
        error = failure
    matches = list(_matches(world, path))
    found = [full for element, rest in matches for full in _attributes(world, element, rest)]
    if found:
        return found
    if "*" not in path:
        raise error
    if matches:
        element, rest = min(matches, key=lambda match: "/" not in match[0])
        expand_path(world, f"{element}{rest}")  # raises its error
    names = [one for one in _element_paths(world) if "/" in one]
    raise ModelError(f"no element matches '{path}': {suggestion(path, names) or 'there are none'}")


def with_specified_materials(world: World) -> World:
    """Return the same World with an empty material for each shape without one, so that its attributes have paths."""

    def specified(body: Body) -> Body:
        shapes = [one if one.material is not None else replace(one, material=Material()) for one in body.collisions]
        return replace(body, collisions=tuple(shapes))

    models = [replace(model, bodies=model.bodies.map(specified)) for model in world.models]
    return replace(world, models=NamedList(models))


def _element_paths(world: World) -> list[str]:
    fields = [(model, field) for model in world.models for field in COLLECTIONS]
    found = dict.fromkeys([f"{model.name}/{name}" for model, field in fields for name in getattr(model, field).names()])
    return [*world.models.names(), *found]


def _matches(world: World, pattern: str) -> Iterator[tuple[str, str]]:
    """Yield elements that a pattern matches, each with the attribute that follows: names can contain dots."""
    ends = [match.start() for match in re.finditer(r"\.", pattern)]
    for end in ends:
        matcher = re.compile(".*".join(map(re.escape, pattern[:end].split("*"))), re.DOTALL)
        yield from [(element, pattern[end:]) for element in _element_paths(world) if matcher.fullmatch(element)]


def _attributes(world: World, element: str, rest: str) -> Iterator[str]:
    """Yield the paths of the attributes of an element; nothing if it has no such attribute."""
    if re.fullmatch(rf"(?:{_PART.pattern})+", rest) is None:
        return
    paths = [element]
    for match in _PART.finditer(rest):
        paths = [path + match[0].replace("[*]", "") for one in paths for path in _items(world, one)]
    for path in paths:
        try:
            value = value_at(world, resolve(world, path))
        except ModelError:
            continue  # of a pattern
        if value is None or (isinstance(value, float | int) and not isinstance(value, bool)):
            yield path


def _items(world: World, path: str) -> list[str]:
    """Return the paths of the items if a path is a list of elements, or the path."""
    try:
        value: Any = value_at(world, resolve(world, path))
    except ModelError:
        return [path]
    if isinstance(value, tuple) and value and not isinstance(value[0], float | int | str):
        return [f"{path}[{number}]" for number in range(len(value))]
    return [path]
