"""Fast making of instances from values that are valid already.

A constructor of a frozen data class sets its attributes one by one and validates them, which takes microseconds for each
instance. A compiled module sets all of them at once, if it is installed (``_instance_maker.c``); the instances are the same.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path
from types import MemberDescriptorType, ModuleType
from typing import Any, TypeVar

from ossature.compiled_modules import compiled_module

_SOURCE = Path(__file__).parent / "_instance_maker.c"

T = TypeVar("T")


class PythonInstanceMaker:
    """Makes instances of a class with attributes of given values, without calling its constructor: nothing is validated.

    Args:
        kind: The class; its instances are made as those of ``object`` or ``tuple``.
        names: The names of the attributes in the order in which their values are given.

    Raises:
        TypeError: The class makes its instances otherwise.
    """

    def __init__(self, kind: type, names: tuple[str, ...]) -> None:
        self._kind, self._setters = kind, [_setter(kind, name) for name in names]
        self._is_tuple = issubclass(kind, tuple)
        (tuple if self._is_tuple else object).__new__(kind)  # raises for a class of another layout

    def __call__(self, *values: Any) -> Any:
        """Return an instance whose attributes have these values."""
        if len(values) != len(self._setters):
            raise TypeError(f"expected {len(self._setters)} values")
        if self._is_tuple:
            return tuple.__new__(self._kind, values)
        made: Any = object.__new__(self._kind)
        for set_value, value in zip(self._setters, values, strict=True):
            set_value(made, value)
        return made


def _setter(kind: type, name: str) -> Callable[[Any, Any], None]:
    """Return the function that sets an attribute, also of a frozen instance."""
    slot = getattr(kind, name, None)
    if isinstance(slot, MemberDescriptorType):
        return slot.__set__
    return lambda made, value: object.__setattr__(made, name, value)


def instance_maker(kind: type) -> Callable[..., Any]:
    """Return a function that makes an instance of a class from the values of its attributes, which have to be valid.

    It neither converts nor validates values: use it for values of another instance only, changed or not, or for values that a
    constructor has accepted before. The order of values is that of :func:`attribute_names`.

    Raises:
        TypeError: Instances of the class are made otherwise than those of ``object`` and ``tuple``.
    """
    return _MAKERS.get(kind) or _MAKERS.setdefault(kind, _new_maker(kind))


_MAKERS: dict[type, Callable[..., Any]] = {}


def with_attributes(instance: T, **changes: Any) -> T:
    """Return a copy of an instance with other values of attributes, as :func:`dataclasses.replace` without its constructor."""
    kind = type(instance)
    values = {name: getattr(instance, name) for name in attribute_names(kind)} | changes
    copied: T = instance_maker(kind)(*values.values())
    return copied


def compiled_instance_module() -> ModuleType | None:
    """Return the compiled module, or None if it is not installed."""
    return compiled_module("ossature._instance_maker", _SOURCE)


def _new_maker(kind: type) -> Callable[..., Any]:
    module = compiled_instance_module()
    maker: Callable[..., Any] = (PythonInstanceMaker if module is None else module.InstanceMaker)(kind, attribute_names(kind))
    return maker


def attribute_names(kind: type) -> tuple[str, ...]:
    """Return the names of the attributes of a data class, of a named tuple, or of a class with slots."""
    return _NAMES.get(kind) or _NAMES.setdefault(kind, _find_names(kind))


_NAMES: dict[type, tuple[str, ...]] = {}


def _find_names(kind: type) -> tuple[str, ...]:
    if dataclasses.is_dataclass(kind):
        return tuple([item.name for item in dataclasses.fields(kind)])
    names: tuple[str, ...] = getattr(kind, "_fields", ()) or tuple(vars(kind)["__slots__"])
    return names
