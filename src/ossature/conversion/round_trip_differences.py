"""A World with the names that its elements have in a written file, to compare it with what is read from that file."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any

from ossature.comparison import ABSENT, Difference, compare
from ossature.diagnostics import Ledger
from ossature.model import Body, FrameReference, MeasuredElement, Model, NamedList, ShapeReference, World
from ossature.model.element_fields import compared_fields
from ossature.model.model import COLLECTIONS
from ossature.model.name_references import map_references
from ossature.model.validated_element import Element

WORLD = "world"
_Names = dict[tuple[str, int], str]
"""The name in the file by the name in the model, and the number of elements of that name before it."""
_PartNames = dict[tuple[str, str, str], str]
"""The name in the file of a part of a body by collection (frames or shapes), body and name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenWorld:
    """A World with the names of a written file.

    Attributes:
        world: The World; its models are one if the file has one.
        paths: By the path of each element in it, the paths in the original World of the elements that have it.
        models: The names of the original models by the name that they have in it.
    """

    world: World
    paths: Mapping[str, list[str]]
    models: Mapping[str, tuple[str, ...]]

    def original_paths(self, path: str) -> Iterator[str]:
        """Yield the paths that something with a path in this World has in the original one.

        The path of an element, which possibly only the file has, is yielded for each of the original models.
        """
        yield path
        ends = [end for end, mark in enumerate(path) if mark in "./["]
        for end in (len(path), *reversed(ends)):
            if path[:end] in self.paths:
                yield from (original + path[end:] for original in self.paths[path[:end]])
                if end < len(path):
                    return
        for name, originals in self.models.items():
            if path.startswith(name):
                yield from (original + path[len(name) :] for original in originals)


def uncovered_differences(world: World, again: World | None, ledger: Ledger, *, tolerance: float) -> list[Difference]:
    """Return how a World that is read from a written file differs from the original beyond what the ledger states.

    Args:
        again: What is read from the file.
        ledger: The ledger of the written file.
        tolerance: Largest absolute difference of numbers, or relative to the larger one.
    """
    written, shared = with_written_names(world, ledger), _shared_paths(world)

    def is_covered(found: Difference) -> bool:
        paths = written.original_paths(found.path)
        if found.a is ABSENT:
            return any(map(ledger.covers_added, paths))
        if found.b is ABSENT:
            return any(map(ledger.covers_absent, paths))
        return any(ledger.covers(path, shared) for path in paths)

    return [found for found in compare(written.world, again, tolerance=tolerance) if not is_covered(found)]


def _shared_paths(world: World) -> set[str]:
    """Return the paths that elements of several kinds have, such as a joint and the motor that drives it."""
    counts: Counter[str] = Counter()
    for model in world.models:
        for field in COLLECTIONS:
            counts.update(f"{model.name}/{name}" for name in set(getattr(model, field).names()))
    return {path for path, count in counts.items() if count > 1}


def with_written_names(world: World, ledger: Ledger) -> WrittenWorld:
    """Return a World with the names that the ledger of a written file states for its models and elements."""
    changes: defaultdict[tuple[str, str], _Names] = defaultdict(dict)
    parts: defaultdict[str, _PartNames] = defaultdict(dict)
    for one in ledger.names:
        if one.body is not None:
            parts[one.model][one.collection, one.body, one.name] = one.written
        else:
            changes[one.model, one.collection][one.name, one.occurrence] = one.written
    paths: defaultdict[str, list[str]] = defaultdict(list)
    models: list[Model] = []
    originals: defaultdict[str, list[str]] = defaultdict(list)
    for model, name in zip(world.models, _written(world.models, changes["", "models"]), strict=True):
        name = ledger.joined_model or name
        changed = _with_part_names(model, parts[model.name])
        changed = _with_names(changed, {field: changes[model.name, field] for field in COLLECTIONS})
        originals[name].append(model.name)
        for field in COLLECTIONS:
            pairs = zip(getattr(changed, field).names(), getattr(model, field).names(), strict=True)
            for new, old in pairs:
                paths[f"{name}/{new}"].append(f"{model.name}/{old}")
        models.append(replace(changed, name=name))
    for one in ledger.names:  # also elements that are added for the file
        name = ledger.joined_model or one.model
        paths[f"{name}/{one.written}"].append(one.path)
    if ledger.joined_model is not None:
        models = [_joined(models, ledger.joined_model)]
    named = {name: tuple(specified) for name, specified in originals.items()}
    return WrittenWorld(world=replace(world, models=NamedList(models)), paths=paths, models=named)


def _with_names(model: Model, changes: Mapping[str, _Names]) -> Model:
    if not any(changes.values()):
        return model
    first = {field: {name: new for (name, number), new in names.items() if not number} for field, names in changes.items()}
    changed: Model = map_references(model, first)
    lists: dict[str, Any] = {}
    for field in COLLECTIONS:
        elements = getattr(changed, field)
        names = _written(elements, changes[field])
        lists[field] = NamedList([replace(element, name=name) for element, name in zip(elements, names, strict=True)])
    return replace(changed, **lists)


def _with_part_names(model: Model, names: _PartNames) -> Model:
    """Return a model in which frames and shapes of bodies have other names, with all references to them."""
    if not names:
        return model
    lists: dict[str, Any] = {field: getattr(model, field).map(lambda one: _with_parts(one, names)) for field in COLLECTIONS}
    lists["bodies"] = NamedList([_body_with_parts(body, names) for body in model.bodies])
    return replace(model, **lists)


def _body_with_parts(body: Body, names: _PartNames) -> Body:
    def renamed(collection: str, items: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple([replace(item, name=names.get((collection, body.name, item.name), item.name)) for item in items])

    shapes: dict[str, Any] = {field: renamed("shapes", getattr(body, field)) for field in ("visuals", "collisions")}
    return replace(body, frames=renamed("frames", body.frames), **shapes)


def _with_parts(value: Any, names: _PartNames) -> Any:
    """Return an element whose references to frames and shapes of bodies have other names."""
    if isinstance(value, tuple):
        return tuple([_with_parts(item, names) for item in value])
    if isinstance(value, FrameReference):
        return replace(value, frame=names.get(("frames", value.body, value.frame), value.frame))
    if isinstance(value, ShapeReference):
        return replace(value, shape=names.get(("shapes", value.body, value.shape), value.shape))
    if isinstance(value, MeasuredElement) and value.body is not None:
        frame = value.frame and names.get(("frames", value.body, value.frame), value.frame)
        return replace(value, frame=frame, shape=value.shape and names.get(("shapes", value.body, value.shape), value.shape))
    if not isinstance(value, Element):
        return value
    specified = {item.name: getattr(value, item.name) for item in compared_fields(type(value))}
    changed = {name: _with_parts(part, names) for name, part in specified.items()}
    different = {name: part for name, part in changed.items() if part is not specified[name] and part != specified[name]}
    return replace(value, **different) if different else value  # type: ignore[type-var]  # all elements are data classes


def _written(elements: NamedList[Any], names: _Names) -> list[str]:
    occurrences: Counter[str] = Counter()
    written = []
    for name in elements.names():
        written.append(names.get((name, occurrences[name]), name))
        occurrences[name] += 1
    return written


def _united(first: Body, second: Body) -> Body:
    parts: dict[str, Any] = {name: getattr(first, name) + getattr(second, name) for name in ("visuals", "collisions", "frames")}
    return replace(first, **parts)


def _joined(models: list[Model], name: str) -> Model:
    """Return one model with the elements of all. Bodies named ``world`` are one body, as in MJCF."""
    lists: dict[str, Any] = {
        field: NamedList([item for model in models for item in getattr(model, field)]) for field in COLLECTIONS
    }
    worlds = [body for body in lists["bodies"] if body.name == WORLD]
    if len(worlds) > 1:
        others = [body for body in lists["bodies"] if body.name != WORLD]
        lists["bodies"] = NamedList([reduce(_united, worlds), *others])
        fixing = [index for index, joint in enumerate(lists["joints"]) if joint.child == WORLD]
        lists["joints"] = NamedList([joint for index, joint in enumerate(lists["joints"]) if index not in fixing[1:]])
    return Model(
        name=name,
        static=bool(models) and all(model.static for model in models),
        joined_bodies_collide=any(model.joined_bodies_collide for model in models),
        ignored_pairs=tuple([pair for model in models for pair in model.ignored_pairs]),
        extensions=tuple([extension for model in models for extension in model.extensions]),
        **lists,
    )
