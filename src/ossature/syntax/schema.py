"""Declaring a format's elements as classes; the binder, the writer and the documentation read the declarations.

    class Cylinder(Element):
        \"\"\"A cylinder along z.\"\"\"

        radius: float = child(NUMBER, unit="m", default=0.5, doc="Radius")
        height: float = child(NUMBER, unit="m", default=1.0, doc="Distance between the end faces")

A field that is absent in a file is None, unless it has a default; a repeated one is a tuple.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, ClassVar, Protocol, TypeVar, dataclass_transform

from ossature.diagnostics import Location
from ossature.syntax.xml_values import STRING, ValueType


class SourceNode(Protocol):
    """What an element knows of the place in the file that spells it."""

    @property
    def location(self) -> Location:
        """Where it begins."""

    def field_location(self, *names: str) -> Location | None:
        """Return where the first field that has one of the names stands, or None where there is none."""


class FieldKind(Enum):
    """How a field is spelled: in XML all four occur; a key of a YAML mapping is a child or an element."""

    ATTRIBUTE = "attribute"
    CHILD = "child"
    ELEMENT = "element"
    TEXT = "text"


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldSpec:
    """How one field of an element is spelled and what it means.

    Attributes:
        kind: Attribute, child element with text, child element with structure, or the element's own text.
        doc: What it means, for the documentation.
        value: Its type, for attributes, text, and children with text.
        elements: The classes that it may be, by tag, for children with structure; a function that returns the class
            where that is not declared yet.
        name: Its name in the file, where it is not the field's own.
        aliases: Other spellings that are read, each with why it is not the proper one.
        unit: Its unit.
        default: Its documented default, or None where absence means something of its own.
        announce: Whether taking the default is a finding: a file should say this.
        required: Whether its absence is an error.
        repeated: Whether it may stand several times.
        source: Which documents or programs know it.
    """

    kind: FieldKind
    doc: str
    value: ValueType[Any] = STRING
    elements: Mapping[str, Any] = field(default_factory=dict)
    name: str | None = None
    aliases: Mapping[str, str] = field(default_factory=dict)
    unit: str | None = None
    default: Any = None
    announce: bool = False
    required: bool = False
    repeated: bool = False
    source: str = ""


def attribute(value: ValueType[Any], **details: Any) -> Any:
    """Declare an XML attribute; see :class:`FieldSpec` for the details."""
    return FieldSpec(kind=FieldKind.ATTRIBUTE, value=value, **details)


def child(value: ValueType[Any], **details: Any) -> Any:
    """Declare a child element that holds text; see :class:`FieldSpec` for the details."""
    return FieldSpec(kind=FieldKind.CHILD, value=value, **details)


def element(declared: type[Element] | Callable[[], type[Element]], **details: Any) -> Any:
    """Declare a child element that is itself declared; its tag is its name. See :class:`FieldSpec` for the details."""
    return FieldSpec(kind=FieldKind.ELEMENT, elements={"": declared}, **details)


def one_of(choices: Mapping[str, type[Element] | Callable[[], type[Element]]], **details: Any) -> Any:
    """Declare a place for one of several child elements, by tag; see :class:`FieldSpec` for the details."""
    return FieldSpec(kind=FieldKind.ELEMENT, elements=dict(choices), **details)


def text(value: ValueType[Any], **details: Any) -> Any:
    """Declare the text of an element; see :class:`FieldSpec` for the details."""
    return FieldSpec(kind=FieldKind.TEXT, value=value, **details)


@dataclass_transform(frozen_default=True, kw_only_default=True)
class _Declarative:
    """Lets classes declare fields by how they are spelled, and instances hold what is stated.

    Type checkers see frozen data classes. They are none, because there are hundreds of them: making data classes of them
    takes longer than reading a file. What is not stated is found in the class, where its default is.
    """

    declarations: ClassVar[Mapping[str, FieldSpec]] = {}
    """How each field is spelled, as it was declared."""
    _own: ClassVar[Mapping[str, FieldSpec]] = {}
    """Those of this class and none of its bases."""
    _names: ClassVar[frozenset[str]] = frozenset()

    def __init_subclass__(cls) -> None:
        cls._own = {name: value for name, value in vars(cls).items() if isinstance(value, FieldSpec)}
        bases = [base for base in reversed(cls.__mro__) if issubclass(base, _Declarative)]
        cls.declarations = {name: spelling for base in bases for name, spelling in base._own.items()}
        cls._names = frozenset({*cls.declarations, "node"})
        for name, spelling in cls._own.items():
            setattr(cls, name, () if spelling.repeated else spelling.default)

    def __init__(self, **values: Any) -> None:
        if not values.keys() <= self._names:
            raise TypeError(f"{type(self).__name__} has no field {', '.join(sorted(values.keys() - self._names))}")
        object.__setattr__(self, "__dict__", values)

    def __setattr__(self, name: str, value: object) -> None:
        raise dataclasses.FrozenInstanceError(name)

    def __delattr__(self, name: str) -> None:
        raise dataclasses.FrozenInstanceError(name)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Declarative) and type(other) is type(self) and self._values() == other._values()

    def __hash__(self) -> int:
        return hash(self._values())

    def __repr__(self) -> str:
        stated = ", ".join([f"{name}={value!r}" for name, value in vars(self).items() if name != "node"])
        return f"{type(self).__name__}({stated})"

    def _values(self) -> tuple[Any, ...]:
        return tuple([getattr(self, name) for name in self.declarations])


class Element(_Declarative):
    """Base of all declared elements.

    Attributes:
        node: The element in the file, or None for one that is about to be written.
    """

    node: SourceNode | None = None
    ignored: ClassVar[Mapping[str, str]] = {}
    """Child elements or keys that are known and not read, each with the reason."""
    unread: ClassVar[frozenset[str]] = frozenset()
    """Child elements that the format has and that say nothing about a model: they are passed over with a note."""
    keeps_others: ClassVar[bool] = False
    """Whether child elements that the declaration does not know are left for the reader to keep, without a finding."""
    opaque: ClassVar[bool] = False
    """Whether what is inside is nobody's business but that of whoever asks for the node."""

    def location(self, name: str | None = None) -> Location | None:
        """Return where the element stands, or where the field of that name stands inside it if the file states it."""
        node = self.node
        if node is None:
            return None
        if name is not None:
            spelling = spellings(type(self))[name]
            found = node.field_location(*spelling.elements, spelling.name or name, *spelling.aliases)
            return found or node.location
        return node.location


E = TypeVar("E", bound=Element)


def replace_fields(instance: E, **changes: Any) -> E:
    """Return an element with some fields of another value."""
    return type(instance)(**{**vars(instance), **changes})


_SPELLINGS: dict[type[Element], dict[str, FieldSpec]] = {}


def spellings(declared: type[Element]) -> Mapping[str, FieldSpec]:
    """Return how each field of a declared element is spelled, in order, with names and tags filled in."""
    known = _SPELLINGS.get(declared)
    if known is not None:
        return known
    result = {}
    for field_name, spelling in declared.declarations.items():
        name = spelling.name or field_name
        elements = {tag or name: _declared(target) for tag, target in spelling.elements.items()}
        result[field_name] = dataclasses.replace(spelling, name=name, elements=elements)
    _SPELLINGS[declared] = result
    return result


def _declared(target: type[Element] | Callable[[], type[Element]]) -> type[Element]:
    return target if isinstance(target, type) else target()


def walk(root: type[Element], tag: str) -> Iterator[tuple[str, type[Element]]]:
    """Yield every declared element below a root with its path (``skel/world/physics``), in document order, once each."""
    seen: set[type[Element]] = set()
    pending: list[tuple[str, type[Element]]] = [(tag, root)]
    while pending:
        path, declared = pending.pop(0)
        if declared in seen:
            continue
        seen.add(declared)
        yield path, declared
        inner = [
            (f"{path}/{name}", target)
            for spelling in spellings(declared).values()
            for name, target in spelling.elements.items()
        ]
        pending[:0] = inner
