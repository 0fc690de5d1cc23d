"""Declaring a format's elements as data classes; the binder, the writer and the documentation read the declarations.

    @dataclass(frozen=True, slots=True, kw_only=True)
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
from typing import Any, ClassVar, Protocol

from ossature.diagnostics import Location
from ossature.syntax.values import STRING, ValueType

_METADATA_KEY = "ossature"


class Node(Protocol):
    """What an element knows of the place in the file that spells it."""

    @property
    def location(self) -> Location:
        """Where it begins."""

    def field_location(self, *names: str) -> Location | None:
        """Return where the first field that has one of the names stands, or None where there is none."""


class Kind(Enum):
    """How a field is spelled: in XML all four occur; a key of a YAML mapping is a child or an element."""

    ATTRIBUTE = "attribute"
    CHILD = "child"
    ELEMENT = "element"
    TEXT = "text"


@dataclass(frozen=True, slots=True, kw_only=True)
class Spelling:
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

    kind: Kind
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Element:
    """Base of all declared elements.

    Attributes:
        node: The element in the file, or None for one that is about to be written.
    """

    node: Node | None = field(default=None, compare=False, repr=False)
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


def attribute(value: ValueType[Any], **details: Any) -> Any:
    """Declare an XML attribute; see :class:`Spelling` for the details."""
    return _declare(Kind.ATTRIBUTE, value=value, **details)


def child(value: ValueType[Any], **details: Any) -> Any:
    """Declare a child element that holds text; see :class:`Spelling` for the details."""
    return _declare(Kind.CHILD, value=value, **details)


def element(declared: type[Element] | Callable[[], type[Element]], **details: Any) -> Any:
    """Declare a child element that is itself declared; its tag is its name. See :class:`Spelling` for the details."""
    return _declare(Kind.ELEMENT, elements={"": declared}, **details)


def one_of(choices: Mapping[str, type[Element] | Callable[[], type[Element]]], **details: Any) -> Any:
    """Declare a place for one of several child elements, by tag; see :class:`Spelling` for the details."""
    return _declare(Kind.ELEMENT, elements=dict(choices), **details)


def text(value: ValueType[Any], **details: Any) -> Any:
    """Declare the text of an element; see :class:`Spelling` for the details."""
    return _declare(Kind.TEXT, value=value, **details)


def _declare(kind: Kind, **details: Any) -> Any:
    spelling = Spelling(kind=kind, **details)
    default = () if spelling.repeated else spelling.default
    return field(default=default, metadata={_METADATA_KEY: spelling})


_SPELLINGS: dict[type[Element], dict[str, Spelling]] = {}


def spellings(declared: type[Element]) -> Mapping[str, Spelling]:
    """Return how each field of a declared element is spelled, in order, with names and tags filled in."""
    known = _SPELLINGS.get(declared)
    if known is not None:
        return known
    result = {}
    for item in dataclasses.fields(declared):
        spelling = item.metadata.get(_METADATA_KEY)
        if spelling is not None:
            name = spelling.name or item.name
            elements = {tag or name: _declared(target) for tag, target in spelling.elements.items()}
            result[item.name] = dataclasses.replace(spelling, name=name, elements=elements)
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
