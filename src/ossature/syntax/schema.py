"""Schemas: the elements of a format, declared as classes for the binder, the writer and the documentation.

    class Cylinder(Element, source="SKEL"):
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
from typing import Any, ClassVar, Protocol, Self, TypeVar, dataclass_transform

from ossature.diagnostics import Location, Rule
from ossature.syntax.xml_values import STRING, ValueType


class SourceNode(Protocol):
    """The XML or YAML node from which an element was read."""

    @property
    def location(self) -> Location:
        """Location of the node."""

    def field_location(self, *names: str) -> Location | None:
        """Return the location of the first field with one of the names, or None."""


class FieldKind(Enum):
    """The syntax of a field: in XML all four kinds occur; a key of a YAML mapping is a child or an element."""

    ATTRIBUTE = "attribute"
    CHILD = "child"
    ELEMENT = "element"
    TEXT = "text"


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldSpec:
    """The syntax and meaning of one field of an element.

    Attributes:
        kind: Attribute, child element with text, child element with structure, or the text of the element.
        doc: Its meaning, for the documentation.
        value: Its type, for attributes, text, and children with text.
        elements: The possible classes by tag, for children with structure; a function that returns the class if the class
            is declared later.
        name: Its name in the file, if it differs from the name of the field.
        aliases: Deprecated names that are read, each with the reason.
        default: Its documented default, or None: then a missing field is None.
        announce: Whether using the default is a finding.
        always_written: Whether the default is written too, because readers of the format need it.
        required: Whether a missing field is an error.
        repeated: Whether it can occur several times.
        source: The documents or programs that define it; by default those of its class.
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
    always_written: bool = False
    required: bool = False
    repeated: bool = False
    source: str = ""

    def hint_for_missing(self, stated: str) -> str:
        """Return a hint with what to state, and its meaning unless the name is that."""
        meaning = self.doc.strip().rstrip(".")
        if not meaning or meaning.lower() == self.name:
            return f"state {stated}"
        return f"state {stated}: {meaning}"


def attribute(value: ValueType[Any], **details: Any) -> Any:
    """Declare an XML attribute; see :class:`FieldSpec` for the details."""
    return FieldSpec(kind=FieldKind.ATTRIBUTE, value=value, **details)


def child(value: ValueType[Any], **details: Any) -> Any:
    """Declare a child element that contains text; see :class:`FieldSpec` for the details."""
    return FieldSpec(kind=FieldKind.CHILD, value=value, **details)


def element(declared: type[Element] | Callable[[], type[Element]], **details: Any) -> Any:
    """Declare a child element with structure, whose tag is its name; see :class:`FieldSpec` for the details."""
    return FieldSpec(kind=FieldKind.ELEMENT, elements={"": declared}, **details)


def one_of(choices: Mapping[str, type[Element] | Callable[[], type[Element]]], **details: Any) -> Any:
    """Declare a choice of one of several child elements, by tag; see :class:`FieldSpec` for the details."""
    return FieldSpec(kind=FieldKind.ELEMENT, elements=dict(choices), **details)


def text(value: ValueType[Any], **details: Any) -> Any:
    """Declare the text of an element; see :class:`FieldSpec` for the details."""
    return FieldSpec(kind=FieldKind.TEXT, value=value, **details)


@dataclass_transform(frozen_default=True, kw_only_default=True)
class _Declarative:
    """Base of classes whose fields are declared by specs; instances store only the stated fields.

    Type checkers see frozen data classes. They are not data classes, because creating hundreds of data classes takes longer
    than reading a file. The default of a field is an attribute of the class.
    """

    declarations: ClassVar[Mapping[str, FieldSpec]] = {}
    """The spec of each field, as declared."""
    _own: ClassVar[Mapping[str, FieldSpec]] = {}
    """The specs of this class without those of its bases."""
    _names: ClassVar[frozenset[str]] = frozenset()
    _source: ClassVar[str] = ""
    """The documents or programs that define the fields of this class, unless a field specifies others."""
    _sources: ClassVar[Mapping[str, str]] = {}
    """The same for each field, those of the bases included."""

    def __init_subclass__(cls, source: str | None = None) -> None:
        cls._source = cls._source if source is None else source
        cls._own = {name: value for name, value in vars(cls).items() if isinstance(value, FieldSpec)}
        bases = [base for base in reversed(cls.__mro__) if issubclass(base, _Declarative)]
        cls.declarations = {name: spec for base in bases for name, spec in base._own.items()}
        cls._sources = {name: base._source for base in bases for name in base._own}
        cls._names = frozenset({*cls.declarations, "node"})
        for name, spec in cls._own.items():
            setattr(cls, name, () if spec.repeated else spec.default)

    def __init__(self, **values: Any) -> None:
        if not values.keys() <= self._names:
            raise TypeError(f"{type(self).__name__} has no field {', '.join(sorted(values.keys() - self._names))}")
        object.__setattr__(self, "__dict__", values)

    @classmethod
    def from_known_fields(cls, values: dict[str, Any]) -> Self:
        """Return an instance with values whose names are known to be those of fields; the dictionary becomes its own."""
        instance = object.__new__(cls)
        object.__setattr__(instance, "__dict__", values)
        return instance

    def __setattr__(self, name: str, value: object) -> None:
        raise dataclasses.FrozenInstanceError(name)

    def __delattr__(self, name: str) -> None:
        raise dataclasses.FrozenInstanceError(name)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Declarative) and type(other) is type(self) and self._values() == other._values()

    def __hash__(self) -> int:
        return hash(self._values())

    def __repr__(self) -> str:
        specified = ", ".join([f"{name}={value!r}" for name, value in vars(self).items() if name != "node"])
        return f"{type(self).__name__}({specified})"

    def _values(self) -> tuple[Any, ...]:
        return tuple([getattr(self, name) for name in self.declarations])


class Element(_Declarative):
    """Base of all declared elements.

    Attributes:
        node: The node of the file, or None for a new element.
    """

    node: SourceNode | None = None
    ignored: ClassVar[Mapping[str, str]] = {}
    """Child elements or keys that are known but not supported, each with the reason."""
    unread: ClassVar[frozenset[str]] = frozenset()
    """Child elements of the format that are irrelevant for a model: they are ignored, with a note."""
    has_passthrough: ClassVar[bool] = False
    """Whether unknown child elements are passed through by the reader of the format, without a finding here."""
    passes_prefixed: ClassVar[bool] = False
    """Whether child elements with the prefix of a namespace are passed through likewise."""
    missing_rule: ClassVar[Rule | None] = None
    """The rule of a missing required field, if the rest of the document can be read without the element."""
    opaque: ClassVar[bool] = False
    """Whether the content is not bound, and only available from the node."""
    namespaces: ClassVar[Mapping[str, str]] = {}
    """Of a root: the XML namespaces of its tags by prefix; that without prefix is the namespace of all tags without one."""

    def location(self, name: str | None = None) -> Location | None:
        """Return the location of the element, or of the field with that name if the file states it."""
        node = self.node
        if node is None:
            return None
        if name is not None:
            spec = spellings(type(self))[name]
            return node.field_location(*spec.elements, spec.name or name, *spec.aliases) or node.location
        return node.location


E = TypeVar("E", bound=Element)


def replace_fields(instance: E, **changes: Any) -> E:
    """Return a copy of an element with changed fields."""
    return type(instance)(**{**vars(instance), **changes})


_COMPLETE_SPECS: dict[type[Element], dict[str, FieldSpec]] = {}


def spellings(declared: type[Element]) -> Mapping[str, FieldSpec]:
    """Return the spec of each field of a declared element, in order, with complete names and tags."""
    known = _COMPLETE_SPECS.get(declared)
    if known is not None:
        return known
    result = {}
    for field_name, spec in declared.declarations.items():
        name = spec.name or field_name
        elements = {tag or name: (target if isinstance(target, type) else target()) for tag, target in spec.elements.items()}
        source = spec.source or declared._sources[field_name]
        result[field_name] = dataclasses.replace(spec, name=name, elements=elements, source=source)
    _COMPLETE_SPECS[declared] = result
    return result


def walk(root: type[Element], tag: str) -> Iterator[tuple[str, type[Element]]]:
    """Yield every declared element below a root with its path (``skel/world/physics``), in document order, once each."""
    visited: set[type[Element]] = set()
    pending: list[tuple[str, type[Element]]] = [(tag, root)]
    while pending:
        path, declared = pending.pop(0)
        if declared in visited:
            continue
        visited.add(declared)
        yield path, declared
        inner = [(f"{path}/{name}", target) for spec in spellings(declared).values() for name, target in spec.elements.items()]
        pending[:0] = inner
