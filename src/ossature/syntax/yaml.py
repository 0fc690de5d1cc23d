"""YAML text ⇄ a tree of nodes that know where they stand. No robot knowledge.

The tree is built from the parser's events: scalars stay text, so that a format decides what is a number (as YAML 1.2
does, and YAML 1.1 readers do not); aliases are followed here, where their cost can be counted and a cycle be seen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import Enum
from typing import Any

import yaml

from ossature.diagnostics import Location, Related, Report, Source, within_limits
from ossature.syntax import rules

_COUNTED_AT_ONCE = 64
_MERGE_KEY = "<<"
_LONGEST_KEY = 80


class NodeKind(Enum):
    """What a node is."""

    SCALAR = "a single value"
    SEQUENCE = "a list"
    MAPPING = "a mapping"


class YamlNode:
    """One value.

    Attributes:
        kind: Scalar, sequence or mapping.
        text: A scalar's text.
        is_plain: Whether a scalar stands without quotes.
        items: A sequence's items.
        entries: A mapping's values by key, in file order.
        keys: A mapping's keys.
        source: The file.
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
        """Where it begins."""
        return Location(self.source, self.source.offset_of(self.line, self.column))

    @property
    def is_null(self) -> bool:
        """Whether it says nothing: an empty value, ``~`` or ``null``."""
        return self.kind is NodeKind.SCALAR and self.is_plain and self.text in ("", "~", "null", "Null", "NULL")

    def field_location(self, *names: str) -> Location | None:
        """Return where the first of the keys that it has stands."""
        return next((self.keys[name].location for name in names if name in self.keys), None)

    def __iter__(self) -> Iterator[YamlNode]:
        return iter(self.items)


class _YamlRejectedError(Exception):
    """The document is not read further; the report says why."""


@within_limits
def parse(source: Source, report: Report) -> YamlNode | None:
    """Return the root of a document, or None with a finding where it cannot be read."""
    try:
        root = _NodeBuilder(source, report).build()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        report.add(
            rules.MALFORMED_YAML,
            error.problem or error.context or "not YAML",
            Location(source, 0 if mark is None else source.offset_of(mark.line + 1, mark.column + 1)),
            hint="indent with blanks, give every key a colon, and close every bracket and quote",
        )
        return None
    except (yaml.YAMLError, UnicodeError, ValueError) as error:
        report.add(rules.MALFORMED_YAML, " ".join(str(error).split())[:200], Location(source, 0), hint="save it as UTF-8 text")
        return None
    except _YamlRejectedError:
        return None
    if root is None:
        report.add(rules.MALFORMED_YAML, "the file is empty", Location(source, 0))
    return root


class _Open:
    """A collection that has not ended."""

    __slots__ = ("anchor", "key", "merges", "node")

    def __init__(self, node: YamlNode, anchor: str | None) -> None:
        self.node = node
        self.anchor = anchor
        self.key: YamlNode | None = None
        self.merges: list[YamlNode] = []


class _NodeBuilder:
    """Turns the parser's events into nodes."""

    def __init__(self, source: Source, report: Report) -> None:
        self._source = source
        self._report = report
        self._stack: list[_Open] = []
        self._anchors: dict[str, YamlNode | None] = {}
        self._root: YamlNode | None = None
        self._uncounted = 0

    def build(self) -> YamlNode | None:
        """Return the root of the first document, or None where there is none."""
        loader = yaml.CSafeLoader(self._source.data)
        try:
            self._take(loader.get_event)
        finally:
            loader.dispose()
        return self._root

    def _take(self, next_event: Callable[[], Any]) -> None:
        """Take the events of the first document; the types are compared in the order of how often they come."""
        while True:
            event = next_event()
            kind = type(event)
            if kind is yaml.ScalarEvent:
                self._add(self._scalar(event), event.anchor)
            elif kind is yaml.MappingStartEvent:
                self._open(NodeKind.MAPPING, event)
            elif kind is yaml.SequenceStartEvent:
                self._open(NodeKind.SEQUENCE, event)
            elif kind is yaml.MappingEndEvent or kind is yaml.SequenceEndEvent:
                self._close()
            elif kind is yaml.AliasEvent:
                self._add(self._alias(event), None)
            elif kind is yaml.DocumentStartEvent and self._root is not None:
                self._report.add(rules.SECOND_DOCUMENT, "only the first document is read", self._location(event))
                return
            elif kind is yaml.StreamEndEvent:
                return

    def _location(self, event: Any) -> Location:
        mark = event.start_mark
        return Location(self._source, self._source.offset_of(mark.line + 1, mark.column + 1))

    def _count(self, nodes: int, event: Any) -> None:
        self._uncounted += nodes
        if self._uncounted >= _COUNTED_AT_ONCE:
            self._report.budget.add_elements(self._uncounted, self._location(event))
            self._uncounted = 0

    def _node(self, kind: NodeKind, event: Any) -> YamlNode:
        self._count(1, event)
        mark = event.start_mark
        return YamlNode(kind, self._source, mark.line + 1, mark.column + 1)

    def _scalar(self, event: Any) -> YamlNode:
        node = self._node(NodeKind.SCALAR, event)
        node.text = event.value
        node.is_plain = not event.style
        return node

    def _open(self, kind: NodeKind, event: Any) -> None:
        if len(self._stack) >= self._report.limits.depth:
            self._report.budget.require_depth(len(self._stack) + 1, self._location(event))
        self._stack.append(_Open(self._node(kind, event), event.anchor))
        if event.anchor is not None:
            self._anchors[event.anchor] = None  # until it ends, an alias to it is a cycle

    def _close(self) -> None:
        done = self._stack.pop()
        for merged in done.merges:
            self._merge(done.node, merged)
        self._add(done.node, done.anchor)

    def _alias(self, event: Any) -> YamlNode:
        known = self._anchors.get(event.anchor, self)
        if isinstance(known, YamlNode):
            self._count(known.size, event)
            return known
        problem = "stands inside what it refers to" if known is None else "refers to an anchor that does not exist"
        self._report.add(rules.BAD_ALIAS, f"*{event.anchor[:_LONGEST_KEY]} {problem}", self._location(event))
        raise _YamlRejectedError

    def _add(self, node: YamlNode, anchor: str | None) -> None:
        if anchor is not None:
            self._anchors[anchor] = node
        if not self._stack:
            self._root = node
            return
        around = self._stack[-1]
        around.node.size += node.size
        if around.node.kind is NodeKind.SEQUENCE:
            around.node.items.append(node)
        elif around.key is None:
            around.key = node
        else:
            key, around.key = around.key, None
            self._enter(around, key, node)

    def _enter(self, around: _Open, key: YamlNode, value: YamlNode) -> None:
        if key.kind is not NodeKind.SCALAR:
            self._report.add(rules.BAD_KEY, f"a key is {key.kind.value}", key.location, hint="keys are single words here")
            return
        mapping = around.node
        if key.text == _MERGE_KEY and key.is_plain:
            around.merges.append(value)
        elif key.text in mapping.entries:
            self._report.add(
                rules.DUPLICATE_KEY,
                f"'{key.text[:_LONGEST_KEY]}' stands here a second time",
                key.location,
                hint="the first one counts; remove this one",
                related=(Related(location=mapping.keys[key.text].location, message="the first one"),),
            )
        else:
            mapping.entries[key.text] = value
            mapping.keys[key.text] = key

    def _merge(self, mapping: YamlNode, merged: YamlNode) -> None:
        """Take over what another mapping says and this one does not."""
        for other in merged.items if merged.kind is NodeKind.SEQUENCE else [merged]:
            if other.kind is not NodeKind.MAPPING:
                self._report.add(rules.BAD_ALIAS, "<< takes a mapping or a list of mappings", other.location)
                continue
            for name, value in other.entries.items():
                mapping.entries.setdefault(name, value)
                mapping.keys.setdefault(name, other.keys[name])


class _Dumper(yaml.CSafeDumper):
    """Writes what mappings share out in full: an alias says nothing to a reader of a model."""

    def ignore_aliases(self, data: Any) -> bool:
        """Return True: nothing is written as an alias."""
        return True


def serialize(data: Any) -> str:
    """Return plain data (mappings, lists, words, numbers) as a document; lists of plain values stand on one line."""
    text: str = yaml.dump(data, Dumper=_Dumper, default_flow_style=None, sort_keys=False, allow_unicode=True, width=120)
    return text
