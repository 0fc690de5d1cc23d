"""Conversion between data classes of the model and XML by their declared types, for native extensions.

A number, a string or a vector is an attribute; a structured value is a child element whose children have the names of their
classes: ``<Coordinate damping="0.5"><velocity><Range lower="-1" upper="2"/></velocity></Coordinate>``. Attributes named
in ``unset`` are None.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Collection, Iterable
from enum import Enum
from functools import cache
from types import NoneType
from typing import Any, Literal, TypeVar, get_args, get_origin

from ossature.model import NamedList, Range
from ossature.model.element_fields import compared_fields, default_value
from ossature.model.program_hints import Hint
from ossature.model.serialized_names import attributes_of, serialized_class, serialized_items, serialized_types
from ossature.spatial import Pose, normalized
from ossature.syntax import xml
from ossature.syntax.xml import XmlNode
from ossature.syntax.xml_values import format_number

T = TypeVar("T")

_UNSET = "unset"
_ITEM, _VALUE = "item", "value"


def node_of(value: Any) -> XmlNode:
    """Return an element with the fields of a data class that differ from their defaults."""
    names = [item.name for item in compared_fields(type(value)) if getattr(value, item.name) != default_value(item)]
    return fields_node(serialized_class(type(value)), value, names)


def fields_node(tag: str, value: Any, names: Collection[str], read: Any = None) -> XmlNode:
    """Return an element with the given fields of a data class, without hints that another one has too."""
    node = xml.element(tag)
    known = {} if read is None else dict(serialized_items(read, names))
    for name, specified in serialized_items(value, names):
        if name not in known or known[name] != specified:
            _add_field(node, name, specified)
    return node


def fields_of(kind: type, node: XmlNode, hints: tuple[Hint, ...] = ()) -> dict[str, Any]:
    """Return the fields of a data class that an element states, by name.

    Args:
        kind: The data class.
        hints: Hints to which those of the element are added.

    Raises:
        ValueError: A value has the wrong type, or the class has no such field.
    """
    types = _field_types(kind)
    unset = node.attributes.get(_UNSET, "").split()
    names = [*unset, *(name for name in node.attributes if name != _UNSET), *(child.tag for child in node.children)]
    unknown = [name for name in names if name not in types]
    if unknown:
        raise ValueError(f"{kind.__name__} has no '{unknown[0][:40]}'")
    return attributes_of(kind, {name: _read_field(kind, name, types[name], node, unset) for name in names}, hints)


def value_of(kinds: Iterable[type[T]], node: XmlNode) -> T:
    """Return the data class instance that an element states; its tag is the name of the class.

    Raises:
        ValueError: The element is of none of these classes, or is invalid.
    """
    known = {serialized_class(kind): kind for kind in kinds}
    kind = known.get(node.tag)
    if kind is None:
        raise ValueError(f"unknown <{node.tag[:40]}>: expected {', '.join(known)}")
    try:
        return kind(**fields_of(kind, node))
    except TypeError as error:
        raise ValueError(f"<{node.tag}> is incomplete") from error


# Writing


def _add_field(node: XmlNode, name: str, value: Any) -> None:
    text = _attribute_text(value)
    if value is None:
        node.attributes[_UNSET] = f"{node.attributes.get(_UNSET, '')} {name}".strip()
    elif text is not None:
        node.attributes[name] = text
    else:
        child = xml.element(name)
        child.children = _value_elements(value)
        node.children.append(child)


def _attribute_text(value: Any) -> str | None:
    """Return a value as the text of an attribute, or None for a structured value."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Enum):
        return str(value.value)
    if isinstance(value, int | float):
        return format_number(value) if isinstance(value, float) else str(value)
    if isinstance(value, str):
        return value
    if isinstance(value, tuple) and value and all(isinstance(part, int | float) for part in value):
        return " ".join(str(_attribute_text(part)) for part in value)
    return None


def _value_elements(value: Any) -> list[XmlNode]:
    if dataclasses.is_dataclass(value):
        return [node_of(value)]
    return [node_of(part) if dataclasses.is_dataclass(part) else _item_element(part) for part in value]


def _item_element(part: Any) -> XmlNode:
    node = xml.element(_ITEM)
    _add_field(node, _VALUE, part)
    return node


# Reading


_field_types = cache(serialized_types)


def _read_field(kind: type, name: str, hint: Any, node: XmlNode, unset: list[str]) -> Any:
    choices = _type_alternatives(hint)
    if name in unset:
        if NoneType not in choices:
            raise ValueError(f"'{name}' is required")
        return None
    text, child = node.attributes.get(name), node.find(name)
    for choice in choices:
        try:
            value = _parse_leaf(choice, text) if text is not None else _read_structure(choice, child)
        except (ValueError, OverflowError):
            continue
        if _is_finite(value) or kind is Range:
            return value
    shown = f"'{text[:40]}'" if text is not None else f"<{name}>"
    raise ValueError(f"{shown} is not a valid {name} of {kind.__name__}")


def _type_alternatives(hint: Any) -> tuple[Any, ...]:
    if get_origin(hint) is Literal or isinstance(hint, type) or get_origin(hint) in (tuple, NamedList):
        return (hint,)
    return get_args(hint)


def _is_finite(value: Any) -> bool:
    numbers = value if isinstance(value, tuple) else (value,)
    return all(math.isfinite(number) for number in numbers if isinstance(number, float))


def _parse_leaf(choice: Any, text: str) -> Any:
    """Return a text as a value of a declared type."""
    if get_origin(choice) is Literal:
        if text in get_args(choice):
            return text
        raise ValueError(text)
    if get_origin(choice) is tuple:
        return _parse_numbers(get_args(choice), text.split())
    if choice is bool:
        return {"true": True, "false": False}[text] if text in ("true", "false") else _raise_invalid(text)
    if choice is float:
        value = float(text)
        return value if value == value else _raise_invalid(text)
    if choice is int or choice is str or (isinstance(choice, type) and issubclass(choice, Enum)):
        return choice(text)
    return _raise_invalid(text)


def _parse_numbers(types: tuple[Any, ...], words: list[str]) -> tuple[Any, ...]:
    kinds = (types[0],) * len(words) if types[-1] is Ellipsis else types
    if len(kinds) != len(words) or not all(kind in (float, int) for kind in kinds):
        raise ValueError(" ".join(words))
    return tuple([_parse_leaf(kind, word) for kind, word in zip(kinds, words, strict=True)])


def _raise_invalid(text: str) -> Any:
    raise ValueError(text)


def _read_structure(choice: Any, child: XmlNode | None) -> Any:
    if child is None:
        raise ValueError("missing")
    if get_origin(choice) is NamedList:
        return NamedList([value_of(_type_alternatives(get_args(choice)[0]), part) for part in child.children])
    if get_origin(choice) is tuple:
        return _read_tuple(get_args(choice), child.children)
    if not dataclasses.is_dataclass(choice) or len(child.children) != 1:
        raise ValueError(child.tag)
    found: Any = value_of([choice], child.children[0])  # type: ignore[list-item]  # a data class is a type
    return Pose(found.position, normalized(found.wxyz)) if choice is Pose else found


def _read_tuple(types: tuple[Any, ...], parts: list[XmlNode]) -> tuple[Any, ...]:
    kinds = (types[0],) * len(parts) if types[-1] is Ellipsis else types
    if len(kinds) != len(parts):
        raise ValueError(f"{len(parts)} parts")
    return tuple([_read_part(kind, part) for kind, part in zip(kinds, parts, strict=True)])


def _read_part(kind: Any, part: XmlNode) -> Any:
    if part.tag != _ITEM:
        return value_of([choice for choice in _type_alternatives(kind) if dataclasses.is_dataclass(choice)], part)  # type: ignore[misc]
    text = part.attributes.get(_VALUE)
    if text is not None:
        return _parse_leaf(_type_alternatives(kind)[0], text)
    return _read_structure(_type_alternatives(kind)[0], part.find(_VALUE))
