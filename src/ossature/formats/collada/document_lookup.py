"""Documents and what they define: looking up what a URL means, also in other files."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, TypeVar
from urllib.parse import urljoin

from ossature.assets import AssetError
from ossature.assets.document_store import DocumentKey, DocumentStore, report_missing_document
from ossature.diagnostics import Location, Report, Source
from ossature.formats.collada import rules
from ossature.formats.collada.ignored_content import report_passed_over
from ossature.formats.collada.schema import ColladaElement
from ossature.formats.collada.schema_common import AssetElement, ExtraElement, TechniqueElement
from ossature.formats.collada.schema_openrave import PROFILE, LibraryActuatorsElement, LibrarySensorsElement, OpenraveElement
from ossature.formats.collada.schema_visual import LONG_TEXTS, NodeElement, VisualSceneElement
from ossature.syntax import xml
from ossature.syntax.schema import Element
from ossature.syntax.xml_binding import bind

E = TypeVar("E", bound=Element)
O = TypeVar("O", bound=OpenraveElement)  # noqa: E741

TOOLS_THAT_WRITE_RADIANS = ("OpenRAVE Collada Writer", "URDF Collada Writer")
"""Authoring tools whose joint values, speeds and accelerations are in radians, by their whole names."""


@dataclass(frozen=True, slots=True)
class Item:
    """Something that a document defines.

    Attributes:
        element: What stands there.
        document: The document.
        meter: Length of its unit [m].
    """

    element: Any
    document: Document
    meter: float


@dataclass(slots=True)
class Document:
    """One document.

    Attributes:
        key: By what the store knows it.
        name: By what people know it.
        root: What stands in it.
        meter: Length of its unit [m].
        items: What it defines, by identifier.
    """

    key: DocumentKey
    name: str
    root: ColladaElement
    meter: float
    items: dict[str, Item] = field(default_factory=dict)

    @property
    def stated_up_axis(self) -> str | None:
        """The axis that points upwards, or None where the document does not say."""
        return None if self.root.asset is None else self.root.asset.up_axis

    @property
    def writes_radians(self) -> bool:
        """Whether it comes from a tool that writes joint values in radians."""
        contributors = self.root.asset.contributor if self.root.asset is not None else ()
        return any(contributor.authoring_tool in TOOLS_THAT_WRITE_RADIANS for contributor in contributors)

    def of_kind(self, kind: type[E]) -> Iterator[Item]:
        """Yield what it defines of one kind, in document order, whether it has an identifier or not."""
        for library in self.root.libraries:
            for element in library.items:
                if isinstance(element, kind):
                    yield Item(element, self, unit_of(element, unit_of(library, self.meter)))


class Documents:
    """The document that is read, and those that it refers to.

    Args:
        store: Where their bytes come from.
        report: Where findings go.
    """

    def __init__(self, store: DocumentStore, report: Report) -> None:
        self._store = store
        self._report = report
        self._opened: dict[DocumentKey, Document | None] = {}

    @property
    def first(self) -> Document | None:
        """The document with which reading begins, or None where it cannot be read."""
        return self._open(self._store.first, self._store.read(self._store.first))

    def _open(self, key: DocumentKey, source: Source) -> Document | None:
        if key not in self._opened:
            self._opened[key] = self._parse(source, key)
        return self._opened[key]

    def find(self, url: str | None, kind: type[E], base: Document, element: Element, field: str | None = None) -> Item | None:
        """Return what a URL means, or None with a finding where it means nothing, or something of another kind.

        Args:
            url: What the document says: ``#identifier``, or a file before it.
            kind: What is expected there.
            base: The document that says so.
            element: The element of it that says so.
            field: The field of that element.
        """
        if not url:
            return None
        document, identifier = self._document(url.strip(), base, element, field)
        if document is None:
            return None
        item = document.items.get(identifier) if identifier else next(document.of_kind(kind), None)
        if item is None or not isinstance(item.element, kind):
            self._report_unresolved(url, kind, document, element.location(field), item)
            return None
        return item

    def _document(self, url: str, base: Document, element: Element, field: str | None) -> tuple[Document | None, str]:
        """Return the document that a URL means, and the identifier in it."""
        if url.startswith("#"):
            return base, url[1:]
        try:
            key, identifier = self._store.resolve(_based(url, base.root.base), base.key)
            return self._opened[key] if key in self._opened else self._open(key, self._store.read(key)), identifier
        except AssetError as error:
            report_missing_document(error, element.location(field) or Location(Source(base.name)), self._report)
            return None, ""

    def document(self, url: str, base: Document, element: Element) -> Document | None:
        """Return another document that a document names, or None with a finding."""
        return self._document(url, base, element, None)[0]

    def companion(self, url: str, base: Document) -> Source:
        """Return a file that a document names and that is no document of its kind.

        Raises:
            AssetError: There is none, or it may not be opened.
        """
        key, _ = self._store.resolve(_based(url, base.root.base), base.key)
        return self._store.read(key)

    def _parse(self, source: Source, key: DocumentKey) -> Document | None:
        root = xml.parse(source, self._report, long_texts=LONG_TEXTS)
        if root is None:
            return None
        if _local_name(root.tag) != "COLLADA":
            self._report.add(
                rules.NOT_COLLADA,
                f"the root element is <{root.tag[:80]}>",
                root.location,
                hint="a COLLADA document begins with <COLLADA>",
            )
            return None
        element = bind(ColladaElement, root, self._report)
        report_passed_over(root, self._report)
        document = Document(key, source.name, element, unit_of(element, 1.0))
        self._index(document)
        return document

    def _index(self, document: Document) -> None:
        for library in document.root.libraries:
            meter = unit_of(library, document.meter)
            for element in library.items:
                self._index_element(document, element, meter)
        for content in self.libraries_of_extensions(document):
            for element in getattr(content, "sensor", ()) or getattr(content, "actuator", ()):
                self._put(document, element, document.meter)

    def libraries_of_extensions(self, document: Document) -> Iterator[OpenraveElement]:
        """Yield what stands in a document's libraries of sensors and actuators."""
        kinds = {"library_sensors": LibrarySensorsElement, "library_actuators": LibraryActuatorsElement}
        for extra in document.root.extra:
            if extra.type in kinds:
                content = extension(extra, kinds[extra.type], self._report)
                if content is not None:
                    yield content

    def _index_element(self, document: Document, element: Any, meter: float) -> None:
        pending = [(element, meter)]
        while pending:
            current, outer = pending.pop()
            inner = unit_of(current, outer)
            self._put(document, current, inner)
            if isinstance(current, NodeElement | VisualSceneElement):
                pending.extend((node, inner) for node in reversed(current.nodes))

    def _put(self, document: Document, element: Any, meter: float) -> None:
        if element.id is None:
            return
        if element.id in document.items:
            self._report.add(
                rules.DUPLICATE_ID,
                f"the id '{element.id}' is taken already",
                element.location("id"),
                hint="the first one counts; identifiers are unique in a document",
            )
            return
        document.items[element.id] = Item(element, document, meter)

    def _report_unresolved(
        self, url: str, kind: type[Element], document: Document, location: Location | None, found: Item | None
    ) -> None:
        name = kind.__name__.removesuffix("Element")
        same_kind = (identifier for identifier, item in document.items.items() if isinstance(item.element, kind))
        what = f"'{url}' means a {type(found.element).__name__.removesuffix('Element')}" if found else f"'{url}' means nothing"
        self._report.add(
            rules.UNRESOLVED_REFERENCE,
            f"{what}, not a {name}" if found else what,
            location,
            hint=self._report.suggestion(url.partition("#")[2], same_kind) or f"there is no {name} in the document",
        )


def unit_of(element: Any, outer: float) -> float:
    """Return the length of an element's unit [m]: its own asset's, else the one around it."""
    asset: AssetElement | None = getattr(element, "asset", None)
    return outer if asset is None or asset.unit is None else asset.unit.meter


def extension(extra: ExtraElement, declared: type[O], report: Report) -> O | None:
    """Return what OpenRAVE says in an extension, or None where it says nothing there."""
    node = extra.node
    assert isinstance(node, xml.XmlNode)  # noqa: S101  # extensions are read from XML
    for technique in node.children:
        if technique.tag == "technique" and technique.attributes.get("profile") == PROFILE:
            return bind(declared, technique, report)
    return None


def extension_of_technique(technique: TechniqueElement, declared: type[O], report: Report) -> O | None:
    """Return what OpenRAVE says in a technique, or None for one of another program."""
    if technique.profile != PROFILE:
        return None
    assert isinstance(technique.node, xml.XmlNode)  # noqa: S101  # techniques are read from XML
    return bind(declared, technique.node, report)


def _based(url: str, base: str | None) -> str:
    """Return a URL with what the document says about where relative ones begin."""
    try:
        return urljoin(base, url) if base else url
    except ValueError:  # a host that none can have
        return url


def _local_name(tag: str) -> str:
    return tag.rpartition(":")[2]
