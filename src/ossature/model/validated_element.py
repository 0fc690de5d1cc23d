"""Validation of the model's data classes: values are converted to the declared types, or refused with the element and field."""

from __future__ import annotations

import dataclasses
import numbers
from collections.abc import Callable, Iterable
from enum import Enum
from operator import attrgetter
from types import FunctionType, ModuleType, NoneType
from typing import Any, Literal, get_args, get_origin, get_type_hints

from ossature.diagnostics import OssatureError
from ossature.diagnostics.suggestions import suggestion
from ossature.instance_maker import compiled_instance_module
from ossature.model.named_list import NamedList
from ossature.spatial import Pose


class ModelError(OssatureError, ValueError):
    """A value does not fit into the model; the message names the element and the field."""


class Element:
    """Base of the model's data classes, whose constructors convert values to the declared types.

    Numbers become floats, sequences and arrays become tuples or a :class:`NamedList`, three numbers become a :class:`Pose`
    without rotation, two numbers a range, and a text the member of an enumeration.

    Raises:
        ModelError: A value cannot be converted.
    """

    __slots__ = ()

    def __post_init__(self) -> None:
        kind = type(self)
        fields = _FIELDS.get(kind) or _new_fields(kind)
        values = fields.values(self)
        if tuple(map(type, values)) not in fields.accepted or not fields.accept_items(values):
            _convert_fields(self, fields, values)
        if fields.finish is not None:
            fields.finish(self)

    def _finish(self) -> None:
        """Refuse or change values of the declared types; for classes that require more than types."""


class _ValidatedFields:
    """The fields of a class that are validated, with the signatures of types that were found valid.

    Most elements of a class have one of a few signatures, so that an element is validated in about a microsecond.
    """

    def __init__(self, kind: type[Element]) -> None:
        hints = get_type_hints(kind)
        fields = [item for item in dataclasses.fields(kind) if item.compare]  # type: ignore[arg-type]  # elements are data classes
        self.names = [item.name for item in fields]
        self.kinds = [_alternatives(hints[name]) for name in self.names]
        self.accepted: set[tuple[type, ...]] = set()
        items = [_item_types(kinds) for kinds in self.kinds]
        self.sequences = [(n, field.default, kind) for n, (field, kind) in enumerate(zip(fields, items, strict=True)) if kind]
        self.values: Callable[[Any], tuple[Any, ...]] = (
            attrgetter(*self.names) if len(self.names) > 1 else lambda element: tuple([getattr(element, n) for n in self.names])
        )
        self.finish: Callable[[Any], None] | None = None if kind._finish is Element._finish else kind._finish

    def accept_items(self, values: tuple[Any, ...]) -> bool:
        """Whether the items of all sequences have a declared type."""
        for index, default, items in self.sequences:
            value = values[index]
            if value is not default and not items.accept(value):
                return False
        return True


_FIELDS: dict[type, _ValidatedFields] = {}
_MAX_SIGNATURES = 1000  # optional fields have very many combinations, of which files state few


def _new_fields(kind: type[Element]) -> _ValidatedFields:
    """Return the fields of a class, whose constructor is compiled from now on, because they are known."""
    fields = _FIELDS.setdefault(kind, _ValidatedFields(kind))
    module = compiled_instance_module()
    constructor = vars(kind).get("__init__")
    if module is not None and isinstance(constructor, FunctionType) and _is_usual(kind, constructor):
        type.__setattr__(kind, "__init__", _compiled_constructor(module, kind, constructor, fields))
    return fields


def _is_usual(kind: type[Element], constructor: FunctionType) -> bool:
    """Whether a constructor is that of a data class, with all its fields and nothing else, by keywords or by positions."""
    stated = dataclasses.fields(kind)  # type: ignore[arg-type]  # elements are data classes
    code = constructor.__code__
    return (
        "__dataclass_fields__" in vars(kind)
        and code.co_filename == "<string>"  # made by the decorator, which keeps a constructor that the class defines
        and code.co_varnames[1 : code.co_argcount + code.co_kwonlyargcount] == tuple([item.name for item in stated])
        and kind.__post_init__ is Element.__post_init__
        and len({item.kw_only for item in stated}) <= 1
    )


def _compiled_constructor(module: ModuleType, kind: type[Element], constructor: FunctionType, fields: _ValidatedFields) -> Any:
    stated = dataclasses.fields(kind)  # type: ignore[arg-type]  # elements are data classes
    return module.Constructor(
        kind,
        tuple([item.name for item in stated]),
        constructor,
        tuple([_compiled_default(item) for item in stated]),
        tuple([item.compare for item in stated]),
        fields.accepted,
        tuple([(index, default, items.as_tuple()) for index, default, items in fields.sequences]),
        None if fields.finish is None else fields.finish.__name__,
        0 if any(item.kw_only for item in stated) else len(stated),
        NamedList,
    )


def _compiled_default(item: dataclasses.Field[Any]) -> Any:
    if item.default_factory is not dataclasses.MISSING:
        return item.default_factory
    return () if item.default is dataclasses.MISSING else (item.default,)


def _convert_fields(element: Any, fields: _ValidatedFields, values: tuple[Any, ...]) -> None:
    converted = [_converted(element, *field) for field in zip(fields.names, values, fields.kinds, strict=True)]
    for name, before, after in zip(fields.names, values, converted, strict=True):
        if after is not before:
            object.__setattr__(element, name, after)
    if len(fields.accepted) < _MAX_SIGNATURES:
        fields.accepted.add(tuple(map(type, converted)))


_SEQUENCES = (tuple, NamedList)
"""As a tuple: a union would be made anew for each value."""


class _Items:
    """The exact types of the items of a sequence: of a fixed number, or of any number if ``length`` is None.

    Args:
        length: The number of items, or None.
        inner: For items that are tuples themselves, their items.
    """

    def __init__(self, types: frozenset[type], length: int | None, inner: _Items | None) -> None:
        self._types, self._length, self._inner = types, length, inner

    def as_tuple(self) -> tuple[Any, ...]:
        """Return the types, the number of items or -1, and the items of items or None."""
        length = -1 if self._length is None else self._length
        return tuple(self._types), length, None if self._inner is None else self._inner.as_tuple()

    def accept(self, value: Any) -> bool:
        """Whether all items of a sequence have a declared type."""
        if not isinstance(value, _SEQUENCES):
            return True
        if self._length is not None and len(value) != self._length:
            return False
        return self._types.issuperset(map(type, value)) and (self._inner is None or all(map(self._inner.accept, value)))


def _alternatives(hint: Any) -> tuple[Any, ...]:
    if isinstance(hint, type) or get_origin(hint) in (Literal, tuple, NamedList):
        return (hint,)
    return get_args(hint) or (hint,)


def _item_types(kinds: tuple[Any, ...]) -> _Items | None:
    """Return the items of a field that holds a sequence, or None for another field."""
    for kind in kinds:
        if get_origin(kind) in (tuple, NamedList):
            arguments = get_args(kind)
            parts = [part for argument in arguments if argument is not Ellipsis for part in _alternatives(argument)]
            is_fixed = get_origin(kind) is tuple and Ellipsis not in arguments
            return _Items(frozenset(map(_plain, parts)), len(arguments) if is_fixed else None, _item_types(tuple(parts)))
    return None


def _plain(kind: Any) -> type:
    origin = get_origin(kind)
    return str if origin is Literal else origin or kind


def _converted(element: Any, name: str, value: Any, kinds: tuple[Any, ...]) -> Any:
    try:
        return _convert(value, kinds)
    except (TypeError, ValueError) as error:
        raise ModelError(f"{_shown(element)}.{name}: {error}") from None


def to_pose(value: Any, name: str = "pose") -> Pose:
    """Return a pose, or the pose without rotation at a position of three numbers.

    Raises:
        ModelError: The value is neither; the message has the name of the argument.
    """
    try:
        pose: Pose = _convert(value, (Pose,))
    except ValueError as error:
        raise ModelError(f"{name}: {error}") from None
    return pose


def _shown(element: Any) -> str:
    name = getattr(element, "name", None)
    return f"{type(element).__name__} '{name}'" if isinstance(name, str) else type(element).__name__


def _convert(value: Any, kinds: tuple[Any, ...]) -> Any:
    """Return a value as one of several declared types."""
    problem = None
    for kind in kinds:
        try:
            found = _convert_to(value, kind)
        except _ItemError as error:
            problem = error
        else:
            if found is not _NO:
                return found
    if problem is not None:
        raise problem
    members = [str(member.value) for kind in kinds if isinstance(kind, type) and issubclass(kind, Enum) for member in kind]
    members += [member for kind in kinds if get_origin(kind) is Literal for member in get_args(kind)]
    hint = suggestion(value, members) if isinstance(value, str) and members else None
    raise ValueError(f"expected {_described(kinds)}, not {_value_text(value)}" + (f": {hint}" if hint else ""))


class _ItemError(ValueError):
    """An item of a sequence has the wrong type."""


_NO: Any = object()
"""A value is not of a kind."""


def _convert_to(value: Any, kind: Any) -> Any:
    origin = get_origin(kind)
    if origin is tuple or origin is NamedList:
        return _converted_sequence(value, kind)
    if origin is Literal:
        return value if value in get_args(kind) else _NO
    if kind is float:
        return float(value) if isinstance(value, numbers.Real) and not isinstance(value, bool) else _NO
    if kind is int:
        return int(value) if isinstance(value, numbers.Integral) and not isinstance(value, bool) else _NO
    if kind is bool and type(value).__name__ == "bool_":
        return bool(value)
    if isinstance(value, kind):
        return value
    if issubclass(kind, Enum):
        return kind(value) if value in [member.value for member in kind] else _NO
    return _from_numbers(value, kind)


def _from_numbers(value: Any, kind: type) -> Any:
    """Return a pose at a position, or a range of two numbers."""
    length = 3 if kind is Pose else 2 if kind.__name__ == "Range" else 0
    if not length or not _is_iterable(value):
        return _NO
    items = [_convert_to(item, float) for item in value]
    if len(items) != length or _NO in items:
        return _NO
    return Pose((items[0], items[1], items[2])) if kind is Pose else kind(*items)


def _converted_sequence(value: Any, kind: Any) -> Any:
    if not _is_iterable(value):
        return _NO
    arguments = get_args(kind)
    items = list(value)
    is_fixed = get_origin(kind) is tuple and Ellipsis not in arguments
    if (
        not is_fixed
        and isinstance(value, get_origin(kind))
        and set(map(type, items)) == {_alternatives(arguments[0])[0]} & _PLAIN
    ):
        return value
    types = arguments if is_fixed else (arguments[0],) * len(items)
    if len(types) != len(items):
        raise _ItemError(f"expected {len(types)} items, not {len(items)}")
    converted = [
        _converted_item(item, number, _alternatives(part)) for number, (item, part) in enumerate(zip(items, types, strict=True))
    ]
    if all(new is old for new, old in zip(converted, items, strict=True)) and isinstance(value, tuple | NamedList):
        return value if isinstance(value, get_origin(kind)) else get_origin(kind)(items)
    return get_origin(kind)(converted)


_PLAIN = frozenset((float, int, str, bool))
"""Types of which a value is returned as it is; sequences of millions of them are checked at once."""


def _converted_item(item: Any, number: int, kinds: tuple[Any, ...]) -> Any:
    try:
        return _convert(item, kinds)
    except ValueError as error:
        raise _ItemError(f"item {number}: {error}") from None


def _is_iterable(value: Any) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, str | bytes | dict | set)


def _described(kinds: tuple[Any, ...]) -> str:
    words = [_word(kind) for kind in kinds]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


def _word(kind: Any) -> str:
    if kind is NoneType:
        return "None"
    if kind is Pose:
        return "a Pose or the three numbers of a position"
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Literal:
        return " or ".join(repr(choice) for choice in arguments)
    if origin is tuple and Ellipsis not in arguments:
        return f"{len(arguments)} {'numbers' if set(arguments) == {float} else 'items'}"
    if origin is not None:
        return f"a sequence of {_described(_alternatives(arguments[0]))}"
    return {float: "a number", int: "a whole number", str: "a text", bool: "True or False"}.get(kind, f"a {kind.__name__}")


def _value_text(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"a {type(value).__name__}"
