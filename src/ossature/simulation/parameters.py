"""Numbers of a World by path, such as ``arm/link.mass`` or ``arm/elbow.damping``."""

from __future__ import annotations

import numbers
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any

from ossature.diagnostics import suggestion
from ossature.model import Body, Joint, Model, NamedList, World

_STEPS = re.compile(r"\.(?P<attribute>[A-Za-z_]\w*)|\[(?P<index>\d+)\]")


def with_parameters(world: World, parameters: Mapping[str, object]) -> World:
    """Return a World with other values of parameters.

    Args:
        world: The World, which is not changed.
        parameters: The values by path: ``MODEL/ELEMENT.ATTRIBUTE``, or an attribute of the World. Attributes of attributes
            and numbers of tuples follow as ``.ATTRIBUTE`` and ``[INDEX]``; those of the inertia of a body, and of the
            coordinate of a joint with one, may be used without ``inertial`` and ``coordinates[0]``.

    Raises:
        KeyError: There is no such element or attribute; the message suggests a similar name.
        ValueError: A path has no attribute, or names several elements.
        TypeError: A value has another type than the present one.
    """
    for path, value in parameters.items():
        world = _with_parameter(world, path, value)
    return world


def _with_parameter(world: World, path: str, value: object) -> World:
    model = _longest(path, world.models, "/")
    if model is None:
        if "/" in path:
            raise KeyError(
                f"there is no model '{path.partition('/')[0]}': {suggestion(path.partition('/')[0], world.models.names())}"
            )
        changed: World = _replaced(world, _steps(f".{path}", path), value, path)
        return changed
    rest = path[len(model.name) + 1 :]
    found = list(_elements(model, rest))
    if not found:
        names = [item.name for group in _groups(model).values() for item in group]
        name = rest.partition(".")[0]
        raise KeyError(f"model '{model.name}' has no element '{name}': {suggestion(name, names)}")
    longest = max(len(element.name) for _, element in found)
    candidates = [(group, element) for group, element in found if len(element.name) == longest]
    steps = _steps(rest[longest:], path)
    if not steps:
        raise ValueError(f"'{path}' names an element; append an attribute, such as '.{_attributes(candidates[0][1])[0]}'")
    able = [(group, element) for group, element in candidates if _full_steps(element, steps)[0] in _attributes(element)]
    if len(able) > 1:
        raise ValueError(f"'{path}' is ambiguous: it is in {' and in '.join(group for group, _ in able)}")
    if not able:
        element = candidates[0][1]
        raise KeyError(
            f"'{model.name}/{element.name}' has no attribute '{steps[0]}': {suggestion(str(steps[0]), _attributes(element))}"
        )
    group, element = able[0]
    replaced = _replaced(element, _full_steps(element, steps), value, path)
    groups: dict[str, Any] = {group: NamedList([replaced if item is element else item for item in getattr(model, group)])}
    models = NamedList([replace(model, **groups) if one is model else one for one in world.models])
    return replace(world, models=models)


def _longest(path: str, items: NamedList[Any], separator: str) -> Any | None:
    """Return the element with the longest name that a path begins with."""
    found = [item for item in items if path.startswith(item.name + separator)]
    return max(found, key=lambda item: len(item.name), default=None)


def _groups(model: Model) -> dict[str, NamedList[Any]]:
    values = {one.name: getattr(model, one.name) for one in fields(model)}
    return {name: value for name, value in values.items() if isinstance(value, NamedList)}


def _elements(model: Model, rest: str) -> Iterator[tuple[str, Any]]:
    """Yield the elements whose name a path begins with, and the attributes of the model that contain them."""
    for group, items in _groups(model).items():
        for item in items:
            if rest == item.name or rest.startswith((item.name + ".", item.name + "[")):
                yield group, item


def _steps(text: str, path: str) -> list[str | int]:
    steps: list[str | int] = []
    position = 0
    for step in _STEPS.finditer(text):
        if step.start() != position:
            break
        position = step.end()
        steps.append(step["attribute"] if step["index"] is None else int(step["index"]))
    if position != len(text):
        raise ValueError(f"'{path}': '{text[position:]}' is neither an attribute nor an index")
    return steps


def _attributes(element: object) -> list[str]:
    """Return the attributes that a path may have after an element."""
    own = [one.name for one in fields(element)] if is_dataclass(element) else []
    if isinstance(element, Body):
        return [*[one.name for one in fields(element.inertial)], *own]
    if isinstance(element, Joint) and len(element.coordinates) == 1:
        return [*[one.name for one in fields(element.coordinates[0])], *own]
    return own


def _full_steps(element: object, steps: Sequence[str | int]) -> list[str | int]:
    """Return the steps from an element to a value, with those that a path may omit."""
    if not steps or steps[0] in [one.name for one in fields(element)]:  # type: ignore[arg-type]  # elements are data classes
        return list(steps)
    if isinstance(element, Body) and steps[0] in [one.name for one in fields(element.inertial)]:
        return ["inertial", *steps]
    if isinstance(element, Joint) and len(element.coordinates) == 1:
        return ["coordinates", 0, *steps]
    return list(steps)


def _replaced(target: Any, steps: Sequence[str | int], value: object, path: str) -> Any:
    """Return a copy of a value in which the value after some steps is replaced."""
    if not steps:
        return _converted(target, value, path)
    first, rest = steps[0], steps[1:]
    if isinstance(first, int):
        if not isinstance(target, tuple) or first >= len(target):
            raise KeyError(f"'{path}': there is no value with the index {first}")
        return (*target[:first], _replaced(target[first], rest, value, path), *target[first + 1 :])
    if not is_dataclass(target) or first not in (names := [one.name for one in fields(target)]):
        hint = suggestion(first, names) if is_dataclass(target) else "it is a number or a tuple"
        raise KeyError(f"'{path}': there is no attribute '{first}': {hint}")
    return replace(target, **{first: _replaced(getattr(target, first), rest, value, path)})  # type: ignore[type-var]


def _converted(present: object, value: object, path: str) -> object:
    """Return a value with the type of the present one.

    Raises:
        TypeError: It has another type.
    """
    if isinstance(present, bool) or present is None:
        return _tuple_of(value)
    if isinstance(present, int | float) and isinstance(value, numbers.Real) and not isinstance(value, bool):
        return float(value)
    if isinstance(present, tuple):
        converted = _tuple_of(value)
        if isinstance(converted, tuple):
            return converted
    if isinstance(value, type(present)) or (is_dataclass(present) and is_dataclass(value)):
        return value
    raise TypeError(f"'{path}': expected {_kind(present)}, not {value!r}")


def _kind(value: object) -> str:
    if isinstance(value, int | float):
        return "a number"
    return "numbers" if isinstance(value, tuple) else f"a {type(value).__name__}"


def _tuple_of(value: Any) -> Any:
    """Return sequences as tuples of floats, as the model has them; other values as they are."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return tuple([_tuple_of(item) for item in value])
    is_number = isinstance(value, numbers.Real) and not isinstance(value, bool)
    return float(value) if is_number else value
