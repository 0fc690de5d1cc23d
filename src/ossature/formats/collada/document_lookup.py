"""Documents and the index of their elements: resolves URLs within a document and across documents."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, TypeVar
from urllib.parse import urljoin

from ossature.assets import AssetError
from ossature.assets.document_store import DocumentKey, DocumentStore, report_missing_document
from ossature.diagnostics import Location, Report, Source
from ossature.formats.collada import rules
from ossature.formats.collada.geometry.schema import LONG_TEXTS
from ossature.formats.collada.kinematics import schema
from ossature.formats.collada.openrave.schema import PROFILE, LibraryActuatorsElement, LibrarySensorsElement, OpenraveElement
from ossature.formats.collada.report_ignored_content import report_ignored_content
from ossature.formats.collada.schema import ColladaElement
from ossature.formats.collada.schema_common import AssetElement, ExtraElement, TechniqueElement
from ossature.formats.collada.visual_scene.schema import NodeElement, VisualSceneElement
from ossature.formats.root_elements import hint_for_root
from ossature.syntax import xml, xml_parser
from ossature.syntax.schema import Element
from ossature.syntax.xml_binding import bind

E = TypeVar("E", bound=Element)
O = TypeVar("O", bound=OpenraveElement)  # noqa: E741

TOOLS_THAT_WRITE_RADIANS = ("OpenRAVE Collada Writer", "URDF Collada Writer")
"""Full names of the authoring tools whose joint values, velocities and accelerations are in radians."""


@dataclass(frozen=True, slots=True)
class Item:
    """An element of a document.

    Attributes:
        meter: Length of the document's unit [m].
    """

    element: Any
    document: Document
    meter: float


@dataclass(slots=True)
class Document:
    """One document.

    Attributes:
        key: Key in the document store.
        meter: Length of the document's unit [m].
        items: Its elements, by identifier.
    """

    key: DocumentKey
    name: str
    root: ColladaElement
    meter: float
    items: dict[str, Item] = field(default_factory=dict)

    @property
    def specified_up_axis(self) -> str | None:
        """The up axis, or None if the document does not state it."""
        return None if self.root.asset is None else self.root.asset.up_axis

    @property
    def writes_radians(self) -> bool:
        """Whether its authoring tool writes joint values in radians."""
        contributors = self.root.asset.contributor if self.root.asset is not None else ()
        return any(contributor.authoring_tool in TOOLS_THAT_WRITE_RADIANS for contributor in contributors)

    def of_kind(self, kind: type[E]) -> Iterator[Item]:
        """Yield the library elements of a type in document order, with and without identifiers."""
        for library in self.root.libraries:
            for element in library.items:
                if isinstance(element, kind):
                    yield Item(element, self, unit_of(element, unit_of(library, self.meter)))


class Documents:
    """The main document and those that it refers to, each opened once.

    Args:
        store: Source of their content.
    """

    def __init__(self, store: DocumentStore, report: Report) -> None:
        self._store = store
        self._report = report
        self._opened: dict[DocumentKey, Document | None] = {}

    @property
    def first(self) -> Document | None:
        """The main document, or None if it cannot be read."""
        return self._open_document(self._store.first, self._store.read(self._store.first))

    def _open_document(self, key: DocumentKey, source: Source) -> Document | None:
        if key not in self._opened:
            self._opened[key] = self._parse_document(source, key)
        return self._opened[key]

    def find(self, url: str | None, kind: type[E], base: Document, element: Element, field: str | None = None) -> Item | None:
        """Return the element that a URL refers to, or None with a finding if there is none or it has another type.

        Args:
            url: ``#identifier``, optionally preceded by a file.
            kind: The expected type of element.
            element: The element with the URL.
            field: The field of that element, for the location of findings.
        """
        if not url:
            return None
        document, identifier = self.resolve(url, base, element, field)
        if document is None:
            return None
        item = document.items.get(identifier) if identifier else next(document.of_kind(kind), None)
        if item is None or not isinstance(item.element, kind):
            self._report_unresolved(url, kind, document, element.location(field), item)
            return None
        return item

    def resolve(self, url: str, base: Document, element: Element, field: str | None) -> tuple[Document | None, str]:
        """Return the document that a URL refers to, or None with a finding, and the identifier in it."""
        url = url.strip()
        if url.startswith("#"):
            return base, url[1:]
        try:
            key, identifier = self._store.resolve(_resolve_against_base(url, base.root.base), base.key)
            return self._opened[key] if key in self._opened else self._open_document(key, self._store.read(key)), identifier
        except AssetError as error:
            report_missing_document(error, element.location(field) or Location(Source(base.name)), self._report)
            return None, ""

    def document(self, url: str, base: Document, element: Element) -> Document | None:
        """Return another document that a document refers to, or None with a finding."""
        return self.resolve(url, base, element, None)[0]

    def companion(self, url: str, base: Document) -> Source:
        """Return a file of another format that a document refers to.

        Raises:
            AssetError: It does not exist, or may not be opened.
        """
        key, _ = self._store.resolve(_resolve_against_base(url, base.root.base), base.key)
        return self._store.read(key)

    def _parse_document(self, source: Source, key: DocumentKey) -> Document | None:
        root = xml_parser.parse(source, self._report, long_texts=LONG_TEXTS)
        if root is None:
            return None
        if root.local_tag != "COLLADA":
            self._report.add(
                rules.NOT_COLLADA,
                f"the root element is <{root.tag[:80]}>",
                root.location,
                hint=hint_for_root(root.tag, "the root element of a COLLADA document is <COLLADA>"),
            )
            return None
        _remove_prefix(root, root.tag.removesuffix("COLLADA"))
        element = bind(ColladaElement, root, self._report)
        report_ignored_content(root, self._report)
        document = Document(key, source.name, element, unit_of(element, 1.0))
        self._index_document(document)
        return document

    def _index_document(self, document: Document) -> None:
        for library in document.root.libraries:
            meter = unit_of(library, document.meter)
            for element in library.items:
                self._index_element(document, element, meter)
        for content in self.libraries_of_extensions(document):
            for element in getattr(content, "sensor", ()) or getattr(content, "actuator", ()):
                self._add_to_index(document, element, document.meter)

    def libraries_of_extensions(self, document: Document) -> Iterator[OpenraveElement]:
        """Yield the libraries of sensors and actuators of a document."""
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
            self._add_to_index(document, current, inner)
            if isinstance(current, NodeElement | VisualSceneElement):
                pending.extend((node, inner) for node in reversed(current.nodes))
            elif isinstance(current, schema.KinematicsModelElement) and current.technique_common is not None:
                joints = reversed(current.technique_common.joints)
                pending.extend((joint, inner) for joint in joints if isinstance(joint, schema.JointElement))

    def _add_to_index(self, document: Document, element: Any, meter: float) -> None:
        if element.id is None:
            return
        if element.id in document.items:
            self._report.add(
                rules.DUPLICATE_ID,
                f"duplicate id '{element.id}'",
                element.location("id"),
                hint="references use the first one; identifiers must be unique in a document",
            )
            return
        document.items[element.id] = Item(element, document, meter)

    def _report_unresolved(
        self, url: str, kind: type[Element], document: Document, location: Location | None, found: Item | None
    ) -> None:
        name = kind.__name__.removesuffix("Element")
        same_kind = (identifier for identifier, item in document.items.items() if isinstance(item.element, kind))
        found_name = None if found is None else type(found.element).__name__.removesuffix("Element")
        self._report.add(
            rules.UNRESOLVED_REFERENCE if kind in _KINDS_OF_MECHANISM else rules.UNRESOLVED_CONTENT,
            f"'{url}' refers to no {name}" if found is None else f"'{url}' refers to a {found_name}, not to a {name}",
            location,
            hint=self._report.suggestion(url.partition("#")[2], same_kind) or f"the document has no {name} with this id",
        )


_KINDS_OF_MECHANISM: tuple[type[Element], ...] = (
    schema.ArticulatedSystemElement,
    schema.FormulaElement,
    schema.JointElement,
    schema.KinematicsModelElement,
    schema.KinematicsSceneElement,
)
"""Elements without which a mechanism would move differently."""


def unit_of(element: Any, outer: float) -> float:
    """Return the length of an element's unit [m]: that of its asset, else that of the enclosing element."""
    asset: AssetElement | None = getattr(element, "asset", None)
    return outer if asset is None or asset.unit is None else asset.unit.meter


def extension(extra: ExtraElement, declared: type[O], report: Report) -> O | None:
    """Return the OpenRAVE technique of an extension, or None if it has none."""
    node = extra.node
    assert isinstance(node, xml.XmlNode)  # noqa: S101  # extensions are read from XML
    for technique in node.children:
        if technique.tag == "technique" and technique.attributes.get("profile") == PROFILE:
            return bind(declared, technique, report)
    return None


def extension_of_technique(technique: TechniqueElement, declared: type[O], report: Report) -> O | None:
    """Return the content of an OpenRAVE technique, or None for that of another program."""
    if technique.profile != PROFILE:
        return None
    assert isinstance(technique.node, xml.XmlNode)  # noqa: S101  # techniques are read from XML
    return bind(declared, technique.node, report)


def _resolve_against_base(url: str, base: str | None) -> str:
    """Return a URL, resolved against the ``xml:base`` of the document if it has one."""
    try:
        return urljoin(base, url) if base else url
    except ValueError:  # an invalid host
        return url


def _remove_prefix(root: xml.XmlNode, prefix: str) -> None:
    """Remove the prefix of COLLADA's namespace from the names of all elements."""
    pending = [root] if prefix else []
    while pending:
        node = pending.pop()
        node.tag = node.tag.removeprefix(prefix)
        pending.extend(node.children)
