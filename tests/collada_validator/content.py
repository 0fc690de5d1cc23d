"""Content models: which children an element may have, in which order and how many.

A model is written as a line: ``asset? (mesh|spline) extra*`` is a sequence with an alternative; ``a & b?`` may come in any
order; ``min=float?`` is an element ``min`` of the type ``float`` (otherwise an element's type is called as the element);
``{3,}`` is three or more; a leading ``...`` lets elements that are not named stand anywhere.

Children are matched one by one: what is left of a model after a child is a model again (its derivative).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Name:
    """One element of a name and a type."""

    name: str
    type: str


@dataclass(frozen=True, slots=True)
class Sequence:
    """Parts one after the other."""

    parts: tuple[Model, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several parts; of none, it matches nothing at all."""

    parts: tuple[Model, ...]


@dataclass(frozen=True, slots=True)
class Mixture:
    """All parts, their elements in any order."""

    parts: tuple[Model, ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    """A part several times; ``most`` is None for without end."""

    part: Model
    least: int
    most: int | None


Model: TypeAlias = Name | Sequence | Choice | Mixture | Repeat

EMPTY = Sequence(())
NOTHING = Choice(())


def fits_empty(model: Model) -> bool:
    """Return whether no child at all fits a model."""
    if isinstance(model, Name):
        return False
    if isinstance(model, Repeat):
        return model.least == 0 or fits_empty(model.part)
    return (any if isinstance(model, Choice) else all)(map(fits_empty, model.parts))


@cache
def after(model: Model, name: str) -> Model:
    """Return what is left of a model after a child of a name; :data:`NOTHING` where it may not come first."""
    if isinstance(model, Name):
        return EMPTY if model.name == name else NOTHING
    if isinstance(model, Choice):
        return next((rest for part in model.parts if (rest := after(part, name)) != NOTHING), NOTHING)
    if isinstance(model, Mixture):
        return _after_mixture(model, name)
    if isinstance(model, Sequence):
        return _after_sequence(model, name)
    rest = after(model.part, name) if model.most != 0 else NOTHING
    if rest == NOTHING:
        return NOTHING
    most = None if model.most is None else model.most - 1
    return _sequence((rest, Repeat(model.part, max(model.least - 1, 0), most)))


def _after_sequence(model: Sequence, name: str) -> Model:
    for index, part in enumerate(model.parts):
        rest = after(part, name)
        if rest != NOTHING:
            return _sequence((rest, *model.parts[index + 1 :]))
        if not fits_empty(part):
            break
    return NOTHING


def _after_mixture(model: Mixture, name: str) -> Model:
    for index, part in enumerate(model.parts):
        rest = after(part, name)
        if rest != NOTHING:
            return Mixture((*model.parts[:index], rest, *model.parts[index + 1 :]))
    return NOTHING


def _sequence(parts: Iterable[Model]) -> Model:
    flat = [inner for part in parts for inner in (part.parts if isinstance(part, Sequence) else (part,))]
    return flat[0] if len(flat) == 1 else Sequence(tuple(flat))


def expected(model: Model) -> Iterator[str]:
    """Yield the names with which a model can go on."""
    if isinstance(model, Name):
        yield model.name
    elif isinstance(model, Repeat):
        if model.most != 0:
            yield from expected(model.part)
    else:
        for part in model.parts:
            yield from expected(part)
            if isinstance(model, Sequence) and not fits_empty(part):
                break


def required(model: Model) -> list[str]:
    """Return the names of which a model needs one next; none where it may end."""
    if fits_empty(model):
        return []
    if isinstance(model, Sequence | Mixture):
        return required(next(part for part in model.parts if not fits_empty(part)))
    return sorted(set(expected(model)))


def types(model: Model) -> dict[str, str]:
    """Return the type of every element of a model, by its name."""
    if isinstance(model, Name):
        return {model.name: model.type}
    if isinstance(model, Repeat):
        return types(model.part)
    return {name: kind for part in model.parts for name, kind in types(part).items()}


@dataclass(frozen=True, slots=True)
class Content:
    """What an element may contain.

    Attributes:
        model: The model of its children.
        types: The type of each child, by its name.
        is_open: Whether elements that the model does not name may stand anywhere.
    """

    model: Model
    types: dict[str, str]
    is_open: bool


_TOKEN = re.compile(r"\s*([\w:]+(?:=[\w:]+)?|\{\d+,\}|[()|&?*+])")
_OFTEN: dict[str, tuple[int, int | None]] = {"?": (0, 1), "*": (0, None), "+": (1, None)}


def content(line: str) -> Content:
    """Return the content model that a line spells."""
    is_open = line.startswith("...")
    tokens = _TOKEN.findall(line.removeprefix("..."))
    model = _alternatives(tokens) if tokens else EMPTY
    assert not tokens, f"cannot read '{line}' from '{tokens}'"
    return Content(model, types(model), is_open)


def _alternatives(tokens: list[str]) -> Model:
    parts = [_mixture(tokens)]
    while tokens and tokens[0] == "|":
        tokens.pop(0)
        parts.append(_mixture(tokens))
    return parts[0] if len(parts) == 1 else Choice(tuple(parts))


def _mixture(tokens: list[str]) -> Model:
    parts = [_sequence_of(tokens)]
    while tokens and tokens[0] == "&":
        tokens.pop(0)
        parts.append(_sequence_of(tokens))
    return parts[0] if len(parts) == 1 else Mixture(tuple(parts))


def _sequence_of(tokens: list[str]) -> Model:
    parts = []
    while tokens and tokens[0] not in "|&)":
        parts.append(_repeated(tokens))
    return _sequence(parts)


def _repeated(tokens: list[str]) -> Model:
    first = tokens.pop(0)
    part: Model
    if first == "(":
        part = _alternatives(tokens)
        assert tokens.pop(0) == ")"
    else:
        name, _, kind = first.partition("=")
        part = Name(name, kind or name)
    if tokens and tokens[0] in _OFTEN:
        return Repeat(part, *_OFTEN[tokens.pop(0)])
    if tokens and tokens[0].startswith("{"):
        return Repeat(part, int(tokens.pop(0)[1:-2]), None)
    return part
