"""Parser and writer of YAML, as a tree of nodes with source locations.

The tree is built from the events of the parser. Scalars remain text, so that the format decides what is a number (by YAML
1.2, unlike readers of YAML 1.1). Aliases are resolved here, to limit their expansion and to detect cycles.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import Enum
from typing import Any

import yaml

from ossature.diagnostics import Location, Related, Report, Source, within_limits
from ossature.syntax import rules

_COUNTING_INTERVAL = 64
_MAX_SHOWN_KEY = 80


class NodeKind(Enum):
    """The kind of a node."""

    SCALAR = "a single value"
    SEQUENCE = "a list"
    MAPPING = "a mapping"


class YamlNode:
    """One value.

    Attributes:
        kind: Scalar, sequence or mapping.
        is_plain: Whether a scalar has no quotes.
        entries: A mapping's values by key, in file order.
        line: Its line, counted from one.
        column: Its column, counted from one.
    """

    __slots__ = ("column", "entries", "is_plain", "items", "keys", "kind", "line", "size", "source", "text")

    def __init__(self, kind: NodeKind, source: Source, line: int, column: int) -> None:
        self.kind = kind
        self.source = source
        self.line = line
        self.column = column
        self.text = ""
        self.is_plain = True
        self.items: list[YamlNode] = []
        self.entries: dict[str, YamlNode] = {}
        self.keys: dict[str, YamlNode] = {}
        self.size = 1

    @property
    def location(self) -> Location:
        """Location of its start."""
        return Location(self.source, self.source.offset_of(self.line, self.column))

    @property
    def is_null(self) -> bool:
        """Whether it is null: an empty value, ``~`` or ``null``."""
        return self.kind is NodeKind.SCALAR and self.is_plain and self.text in ("", "~", "null", "Null", "NULL")

    def field_location(self, *names: str) -> Location | None:
        """Return the location of the first existing key."""
        return next((self.keys[name].location for name in names if name in self.keys), None)

    def __iter__(self) -> Iterator[YamlNode]:
        return iter(self.items)


class _YamlRejectedError(Exception):
    """The document is rejected, with a finding."""


_CONTROL_CHARACTER = "control characters are not allowed"
"""The message of the parser, also for the zero bytes of UTF-16 without a byte order mark and of UTF-32."""


@within_limits
def parse(source: Source, report: Report) -> YamlNode | None:
    """Return the root of a document, or None, with a finding, if it is not valid."""
    try:
        root = _NodeBuilder(source, report).build()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        report.add(
            rules.MALFORMED_YAML,
            error.problem or error.context or "not YAML",
            Location(source, 0 if mark is None else source.offset_of(mark.line + 1, mark.column + 1)),
            hint="check indentation (blanks only), the colon after each key, brackets and quotes",
        )
        return None
    except yaml.reader.ReaderError as error:
        has_other_encoding = b"\0" in source.data[:4]
        is_utf_8 = error.reason == _CONTROL_CHARACTER and not has_other_encoding
        report.add(
            rules.MALFORMED_YAML,
            error.reason if is_utf_8 else f"the file is not encoded in UTF-8: {error.reason}",
            Location(source, 0 if has_other_encoding else max(error.position, 0)),
            hint="remove the character" if is_utf_8 else "save the file as UTF-8",
        )
        return None
    except (yaml.YAMLError, UnicodeError, ValueError) as error:
        report.add(rules.MALFORMED_YAML, " ".join(str(error).split())[:200], Location(source, 0), hint="save the file as UTF-8")
        return None
    except _YamlRejectedError:
        return None
    if root is None:
        report.add(rules.MALFORMED_YAML, "the file is empty", Location(source, 0))
    return root


class _OpenNode:
    """A sequence or mapping that is not complete."""

    __slots__ = ("anchor", "key", "merges", "node")

    def __init__(self, node: YamlNode, anchor: str | None) -> None:
        self.node = node
        self.anchor = anchor
        self.key: YamlNode | None = None
        self.merges: list[YamlNode] = []


class _NodeBuilder:
    def __init__(self, source: Source, report: Report) -> None:
        self._source = source
        self._report = report
        self._stack: list[_OpenNode] = []
        self._anchors: dict[str, YamlNode | None] = {}
        self._root: YamlNode | None = None
        self._uncounted = 0

    def build(self) -> YamlNode | None:
        """Return the root of the first document, or None if there is no document."""
        loader = yaml.CSafeLoader(self._source.data)
        try:
            self._process_events(loader.get_event)
        finally:
            loader.dispose()
        return self._root

    def _process_events(self, next_event: Callable[[], Any]) -> None:
        """Process the events of the first document; the most frequent types are compared first."""
        while True:
            event = next_event()
            kind = type(event)
            if kind is yaml.ScalarEvent:
                self._add_node(self._make_scalar(event), event.anchor)
            elif kind is yaml.MappingStartEvent:
                self._open_collection(NodeKind.MAPPING, event)
            elif kind is yaml.SequenceStartEvent:
                self._open_collection(NodeKind.SEQUENCE, event)
            elif kind is yaml.MappingEndEvent or kind is yaml.SequenceEndEvent:
                self._close_collection()
            elif kind is yaml.AliasEvent:
                self._add_node(self._resolve_alias(event), None)
            elif kind is yaml.DocumentStartEvent and self._root is not None:
                self._report.add(rules.MULTIPLE_DOCUMENTS, "only the first document is read", self._location(event))
                return
            elif kind is yaml.StreamEndEvent:
                return

    def _location(self, event: Any) -> Location:
        mark = event.start_mark
        return Location(self._source, self._source.offset_of(mark.line + 1, mark.column + 1))

    def _count_nodes(self, nodes: int, event: Any) -> None:
        self._uncounted += nodes
        if self._uncounted >= _COUNTING_INTERVAL:
            self._report.budget.add_elements(self._uncounted, self._location(event))
            self._uncounted = 0

    def _make_node(self, kind: NodeKind, event: Any) -> YamlNode:
        self._count_nodes(1, event)
        mark = event.start_mark
        return YamlNode(kind, self._source, mark.line + 1, mark.column + 1)

    def _make_scalar(self, event: Any) -> YamlNode:
        node = self._make_node(NodeKind.SCALAR, event)
        node.text = event.value
        node.is_plain = not event.style
        return node

    def _open_collection(self, kind: NodeKind, event: Any) -> None:
        if len(self._stack) >= self._report.limits.depth:
            self._report.budget.require_depth(len(self._stack) + 1, self._location(event))
        self._stack.append(_OpenNode(self._make_node(kind, event), event.anchor))
        if event.anchor is not None:
            self._anchors[event.anchor] = None  # until it is complete, an alias to it is a cycle

    def _close_collection(self) -> None:
        done = self._stack.pop()
        for merged in done.merges:
            self._merge_mapping(done.node, merged)
        self._add_node(done.node, done.anchor)

    def _resolve_alias(self, event: Any) -> YamlNode:
        known = self._anchors.get(event.anchor, self)
        if isinstance(known, YamlNode):
            self._count_nodes(known.size, event)
            return known
        problem = "refers to a node that contains it" if known is None else "refers to an unknown anchor"
        self._report.add(rules.INVALID_YAML_ALIAS, f"*{event.anchor[:_MAX_SHOWN_KEY]} {problem}", self._location(event))
        raise _YamlRejectedError

    def _add_node(self, node: YamlNode, anchor: str | None) -> None:
        if anchor is not None:
            self._anchors[anchor] = node
        if not self._stack:
            self._root = node
            return
        parent = self._stack[-1]
        parent.node.size += node.size
        if parent.node.kind is NodeKind.SEQUENCE:
            parent.node.items.append(node)
        elif parent.key is None:
            parent.key = node
        else:
            key, parent.key = parent.key, None
            self._add_entry(parent, key, node)

    def _add_entry(self, parent: _OpenNode, key: YamlNode, value: YamlNode) -> None:
        if key.kind is not NodeKind.SCALAR:
            self._report.add(
                rules.NON_SCALAR_KEY, f"a key is {key.kind.value}, not a name", key.location, hint="replace it by a name"
            )
            return
        mapping = parent.node
        if key.text == "<<" and key.is_plain:
            parent.merges.append(value)
        elif key.text in mapping.entries:
            self._report.add(
                rules.DUPLICATE_KEY,
                f"duplicate key '{key.text[:_MAX_SHOWN_KEY]}'",
                key.location,
                hint="the first one is used; remove this one",
                related=(Related(location=mapping.keys[key.text].location, message="first occurrence"),),
            )
        else:
            mapping.entries[key.text] = value
            mapping.keys[key.text] = key

    def _merge_mapping(self, mapping: YamlNode, merged: YamlNode) -> None:
        """Add the entries of another mapping whose keys are not in this one."""
        for other in merged.items if merged.kind is NodeKind.SEQUENCE else [merged]:
            if other.kind is not NodeKind.MAPPING:
                self._report.add(rules.INVALID_YAML_ALIAS, "<< requires a mapping or a list of mappings", other.location)
                continue
            for name, value in other.entries.items():
                mapping.entries.setdefault(name, value)
                mapping.keys.setdefault(name, other.keys[name])


class _Dumper(yaml.CSafeDumper):
    """Writes shared objects in full, without aliases."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def serialize(data: Any) -> str:
    """Return plain data (mappings, lists, strings, numbers) as a document; lists of scalars are on one line."""
    return yaml.dump(data, Dumper=_Dumper, default_flow_style=None, sort_keys=False, allow_unicode=True, width=120)
