"""Refusal of arguments of the wrong type: one sentence that names the argument and what it must be."""

from __future__ import annotations

import functools
import math
import os
import typing
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from pathlib import Path
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

if TYPE_CHECKING:
    from ossature.array_types import Array

P = ParamSpec("P")
R = TypeVar("R")
C = TypeVar("C")


def typed_arguments(function: Callable[P, R]) -> Callable[P, R]:
    """Decorate a function so that it refuses arguments that are not of the types of its annotations.

    Numbers may be of NumPy, truth values are no numbers, and a text or a path is no sequence. An argument is left to the
    function if its annotation names arrays, or a type that the module imports for type-checking only.

    Raises:
        TypeError: By the decorated function: an argument has another type.
    """
    code = function.__code__
    names = code.co_varnames[: code.co_argcount]

    @functools.cache
    def kinds() -> dict[str, _Kind]:
        found = {name: _annotated_kind(text, function.__globals__) for name, text in function.__annotations__.items()}
        return {name: kind for name, kind in found.items() if kind is not None and name != "return"}

    @functools.wraps(function)
    def checked(*arguments: P.args, **options: P.kwargs) -> R:
        known = kinds()
        for name, value in (*zip(names, arguments, strict=False), *options.items()):
            if name in known and not known[name].accepts(value):
                raise TypeError(f"{name} is {known[name]}, not {_shortened(value)}")
        return function(*arguments, **options)

    return checked


def typed_fields(cls: type[C]) -> type[C]:
    """Decorate a data class so that its constructor refuses values that are not of the types of its fields.

    Raises:
        TypeError: By the constructor: a value has another type.
    """
    cls.__init__ = typed_arguments(cls.__init__)  # type: ignore[method-assign]
    return cls


def number_array(name: str, values: Any) -> Array:
    """Return an argument as an array of numbers.

    Raises:
        TypeError: It is something else.
    """
    import numpy as np  # not every command needs it

    try:
        return np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise TypeError(f"{name} is an array of numbers, not {_shortened(values)}") from None


def whole_number(name: str, value: int) -> int:
    """Return an argument as a whole number.

    Raises:
        TypeError: It is something else.
    """
    if not _is_whole_number(value):
        raise TypeError(f"{name} is a whole number, not {_shortened(value)}")
    return int(value)


def require_not_negative(name: str, value: float) -> None:
    """Require that a number is zero or positive, and finite.

    Raises:
        ValueError: It is not.
    """
    if not 0.0 <= value < math.inf:
        raise ValueError(f"{name} must be zero or positive, and finite, not {value}")


def _shortened(value: object) -> str:
    return f"{' '.join(repr(value).split()):.80}"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kind:
    """The values that an annotation permits.

    Attributes:
        accepts: Whether a value is one of them.
        words: What they are: one entry for each type.
        plural: What several of them are.
    """

    accepts: Callable[[Any], bool]
    words: tuple[str, ...]
    plural: str

    def __str__(self) -> str:
        *others, last = self.words
        return f"{', '.join(others)} or {last}" if others else last


def _is_number(value: Any) -> bool:
    return type(value) is float or (isinstance(value, Real) and not isinstance(value, bool)) or _is_scalar(value, "fiu")


def _is_whole_number(value: Any) -> bool:
    return (isinstance(value, Integral) and not isinstance(value, bool)) or _is_scalar(value, "iu")


def _is_truth_value(value: Any) -> bool:
    return isinstance(value, bool) or _is_scalar(value, "b")


def _is_scalar(value: Any, kinds: str) -> bool:
    """Whether a value is a single one of some kinds of data of NumPy."""
    return getattr(value, "ndim", None) == 0 and value.dtype.kind in kinds


_NONE = _Kind(accepts=lambda value: value is None, words=("None",), plural="None")
_TEXT = _Kind(accepts=lambda value: isinstance(value, str), words=("a text",), plural="texts")
_PATH = _Kind(accepts=lambda value: isinstance(value, os.PathLike), words=("a path",), plural="paths")
_ANY = _Kind(accepts=lambda _: True, words=("an object",), plural="objects")
_PLAIN: Mapping[Any, _Kind] = {
    None: _NONE,
    NoneType: _NONE,
    bool: _Kind(accepts=_is_truth_value, words=("True", "False"), plural="truth values"),
    int: _Kind(accepts=_is_whole_number, words=("a whole number",), plural="whole numbers"),
    float: _Kind(accepts=_is_number, words=("a number",), plural="numbers"),
    str: _TEXT,
    Path: _PATH,
    Any: _ANY,
    object: _ANY,
    bytes: _Kind(accepts=lambda value: isinstance(value, bytes | bytearray | memoryview), words=("bytes",), plural="bytes"),
    Callable: _Kind(accepts=callable, words=("a function",), plural="functions"),
    typing.IO: _Kind(accepts=lambda value: hasattr(value, "read"), words=("an open file",), plural="open files"),
}
_SOURCES: Mapping[str, str] = {
    "ContactOptions": "ossature.simulation.ContactOptions",
    "Generator": "numpy.random.default_rng",
    "Limits": "ossature.Limits",
    "MeshStore": "MeshStore.of",
    "Run": "ossature.sweeps.Run",
    "State": "Simulation.state",
    "World": "ossature.load",
}
"""What returns the objects of a class, by the name of the class."""


def _annotated_kind(annotation: str, names: Mapping[str, Any]) -> _Kind | None:
    """Return the values that an annotation in a module with these names permits, or None if that is unknown."""
    try:
        return _kind(eval(annotation, dict(names)))  # noqa: S307  # code of this package
    except (NameError, TypeError):  # types that are imported for type-checking only, and aliases that are texts
        return None


def _kind(annotation: Any) -> _Kind | None:
    origin, parts = typing.get_origin(annotation), typing.get_args(annotation)
    if (plain := _PLAIN.get(origin or annotation)) is not None:
        return plain
    if origin is typing.Literal:
        return _choice(parts)
    kinds = [_kind(part) for part in parts if part is not Ellipsis]
    if origin in (UnionType, typing.Union):
        return _union(kinds)
    if origin is Mapping:
        return _mapping(kinds)
    if origin in _SEQUENCES and len(kinds) == 1:
        return _sequence(kinds[0])
    of_class = origin or annotation
    return _instance(of_class) if isinstance(of_class, type) else None


_SEQUENCES = (Sequence, Collection, Iterable, list, tuple)
_NO_SEQUENCES = (str, bytes, os.PathLike, Mapping)


def _choice(values: tuple[Any, ...]) -> _Kind:
    """Return the values that are listed; which texts are valid is left to the function, whose message may suggest one."""
    texts = any(isinstance(one, str) for one in values)

    def accepts(value: Any) -> bool:
        return (texts and isinstance(value, str)) or any(value is one for one in values)

    return _Kind(accepts=accepts, words=tuple(map(repr, values)), plural="choices")


def _union(kinds: Sequence[_Kind | None]) -> _Kind | None:
    known = [kind for kind in kinds if kind is not None]
    if len(known) < len(kinds):
        return None
    named = [kind for kind in known if kind is not _NONE and not (kind is _TEXT and _PATH in known)]  # a text can be a path
    return _Kind(
        accepts=lambda value: any(kind.accepts(value) for kind in known),
        words=tuple(dict.fromkeys(word for kind in [*named, *([_NONE] if _NONE in known else [])] for word in kind.words)),
        plural=" or ".join(kind.plural for kind in named),
    )


def _mapping(kinds: Sequence[_Kind | None]) -> _Kind:
    key, content = (kind or _ANY for kind in kinds)

    def accepts(value: Any) -> bool:
        return isinstance(value, Mapping) and all(key.accepts(one) and content.accepts(value[one]) for one in value)

    plural = f"of {key.plural} to {content.plural}"
    return _Kind(accepts=accepts, words=(f"a mapping {plural}",), plural=f"mappings {plural}")


def _sequence(of: _Kind | None) -> _Kind:
    of = of or _ANY

    def accepts(value: Any) -> bool:
        if not isinstance(value, Iterable) or isinstance(value, _NO_SEQUENCES) or getattr(value, "ndim", 1) == 0:
            return False
        return not isinstance(value, Collection) or all(map(of.accepts, value))  # the others can be read only once

    return _Kind(accepts=accepts, words=(f"a sequence of {of.plural}",), plural=f"sequences of {of.plural}")


def _instance(of_class: type) -> _Kind:
    """Return the instances of a class, or what has the public names of a protocol."""
    name = of_class.__name__
    is_protocol = getattr(of_class, "_is_protocol", False)
    needed = [each for each in vars(of_class) if each == "__call__" or not each.startswith("_")]

    def accepts(value: Any) -> bool:
        return all(hasattr(value, each) for each in needed) if is_protocol else isinstance(value, of_class)

    source = f" (see {_SOURCES[name]})" if name in _SOURCES else ""
    word = f"{'an' if name[0] in 'AEIOU' else 'a'} {name}{source}"
    return _Kind(accepts=accepts, words=(word,), plural=f"{name}s")
