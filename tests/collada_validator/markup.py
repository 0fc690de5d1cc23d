"""A document as a tree of elements that know their lines; nothing of COLLADA is known here but its namespaces."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.parsers import expat

NAMESPACES = {
    "http://www.collada.org/2008/03/COLLADASchema": "",
    "http://www.w3.org/1998/Math/MathML": "math:",
    "http://www.w3.org/XML/1998/namespace": "xml:",
    "http://www.w3.org/2001/XMLSchema-instance": "xsi:",
}
"""How names of a namespace are prefixed here, whatever prefix a document uses."""


class MarkupError(Exception):
    """The document is not well-formed.

    Args:
        line: Where, counted from one.
        message: Why.
    """

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line


@dataclass(slots=True, eq=False)
class Element:
    """An element.

    Attributes:
        name: Its name, prefixed as :data:`NAMESPACES` says.
        attributes: Its attributes; those without a namespace have no prefix.
        line: Where it begins, counted from one.
        parent: The element around it, None for the root.
        position: Its place among its parent's children of the same name, counted from zero.
        children: The elements in it.
        text: All its characters outside of its children.
        type: The name of its type, once the schema has told it; empty for what the schema says nothing of.
    """

    name: str
    attributes: dict[str, str]
    line: int
    parent: Element | None
    position: int = 0
    children: list[Element] = field(default_factory=list)
    text: str = ""
    type: str = ""

    @property
    def path(self) -> str:
        """Its path from the root."""
        return "".join(f"/{element._step}" for element in reversed([self, *self.ancestors()]))

    @property
    def _step(self) -> str:
        return f"{self.name}[{self.position + 1}]" if self.position else self.name

    @property
    def sid(self) -> str | None:
        """Its scoped identifier."""
        return self.attributes.get("sid")

    def child(self, name: str) -> Element | None:
        """Return its first child of a name, or None."""
        return next(self.named(name), None)

    def named(self, *names: str) -> Iterator[Element]:
        """Yield its children of some names."""
        return (child for child in self.children if child.name in names)

    def ancestors(self) -> Iterator[Element]:
        """Yield the elements around it, the nearest first."""
        around = self.parent
        while around is not None:
            yield around
            around = around.parent

    def walk(self) -> Iterator[Element]:
        """Yield it and all in it, in the order of the document."""
        pending = [self]
        while pending:
            element = pending.pop()
            yield element
            pending.extend(reversed(element.children))


def parse(data: bytes) -> Element:
    """Return the root of a document.

    Raises:
        MarkupError: It is not well-formed.
    """
    builder = _Builder()
    try:
        builder.parser.Parse(data, True)
    except expat.ExpatError as error:
        raise MarkupError(error.lineno, expat.ErrorString(error.code)) from None
    except (LookupError, ValueError) as error:  # an encoding that is unknown, or more than the parser can do
        raise MarkupError(1, str(error)) from None
    assert builder.root is not None
    return builder.root


class _Builder:
    def __init__(self) -> None:
        self.root: Element | None = None
        self.parser = expat.ParserCreate(namespace_separator=" ")
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._characters
        self._open: list[Element] = []
        self._texts: list[list[str]] = []
        self._counts: list[Counter[str]] = []

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        parent = self._open[-1] if self._open else None
        element = Element(
            _prefixed(name),
            {_attribute(key): value for key, value in attributes.items()},
            self.parser.CurrentLineNumber,
            parent,
        )
        if parent is None:
            self.root = element
        else:
            element.position = self._counts[-1][element.name]
            self._counts[-1][element.name] += 1
            parent.children.append(element)
        self._open.append(element)
        self._texts.append([])
        self._counts.append(Counter())

    def _end(self, name: str) -> None:
        self._counts.pop()
        self._open.pop().text = "".join(self._texts.pop())

    def _characters(self, text: str) -> None:
        self._texts[-1].append(text)


def _prefixed(name: str) -> str:
    namespace, _, local = name.rpartition(" ")
    return NAMESPACES.get(namespace, f"{{{namespace}}}") + local


def _attribute(name: str) -> str:
    return _prefixed(name) if " " in name else name
