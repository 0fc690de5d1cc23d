"""The Ledger: what a writer did with each element that its format cannot represent as the model does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from ossature.diagnostics.location import Location
from ossature.diagnostics.password_redaction import without_passwords
from ossature.diagnostics.report import OssatureError
from ossature.html_table import html_table

_EXAMPLES = 3
_LONGEST_VALUE = 70


class Action(StrEnum):
    """What a writer did with an element."""

    REWRITTEN = "rewritten"
    """Written in another form with exactly the same meaning."""
    APPROXIMATED = "approximated"
    """Written approximately; the entry contains the error if it is known."""
    EXTENSION = "extension"
    """Written to an extension, which other programs ignore."""
    DROPPED = "dropped"
    """Not written."""
    OMITTED = "omitted"
    """Not written, and without meaning for the model: a comment."""


_EMPTY = "''"
"""An empty text between others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerEntry:
    """One line of the ledger.

    Attributes:
        action: What the writer did.
        path: The element: model, element, field (``arm/elbow.coordinates[0].damping``).
        detail: How, in words.
        error: Error of an approximation in the field's unit (rotations: rad), or None if unknown.
        before: The value in the model, with its unit; None if the detail is enough.
        after: The value in the file, or None.
        location: Its location in the file that the World was read from, or None if unknown.
        is_added: Whether the element is one of the file that the World does not have; another one may have its path.
        is_replaced: Whether the file has other elements for the element, and not the element itself; another one, which the
            file has, may have its path.
    """

    action: Action
    path: str
    detail: str
    error: float | None = None
    before: str | None = None
    after: str | None = None
    location: Location | None = None
    is_added: bool = False
    is_replaced: bool = False

    def __str__(self) -> str:
        error = f" (error {self.error:.2g})" if self.error is not None else ""
        return f"{self.action}: {self.path_with_values()}: {self.detail}{error}"

    def path_with_values(self, longest: int | None = None) -> str:
        """Return the path with the values, each cut after a number of characters.

        An empty text is written as two quotes beside another one, and left out alone.
        """
        values = [value for value in (self.before, self.after) if value is not None]
        shown = [value if longest is None or len(value) <= longest else f"{value[:longest]}…" for value in values]
        return f"{self.path} ({' → '.join([value or _EMPTY for value in shown])})" if any(shown) else self.path


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenName:
    """A model, or an element of one, that has another name in the file.

    Attributes:
        model: Name of the model of an element, else empty.
        collection: The field with it: ``models`` of the World, a field of the model such as ``bodies``, or ``frames`` or
            ``shapes`` of a body.
        body: Name of the body of a frame or shape, else None.
        occurrence: Number of elements of this name before it.
        written: Its name in the file.
    """

    model: str
    collection: str
    body: str | None = None
    name: str
    occurrence: int = 0
    written: str

    @property
    def path(self) -> str:
        """Path of the element in the World."""
        return f"{self.model}/{self.name}" if self.model else self.name


class Ledger:
    """Collects the entries of one conversion; an argument of every writer.

    Attributes:
        names: Elements that have another name in the file.
        joined_model: The name in the file of the one model that all models become, or None if they remain.
    """

    def __init__(self) -> None:
        self.names: list[WrittenName] = []
        self.joined_model: str | None = None
        self._entries: list[LedgerEntry] = []
        self._paths: set[str] = set()
        self._added_paths: set[str] = set()
        self._replaced_paths: set[str] = set()
        self._dropped_paths: set[str] = set()
        self._contents: set[tuple[str | None, ...]] = set()

    def __repr__(self) -> str:
        counts = Counter(entry.action.value for entry in self._entries)
        return f"Ledger({', '.join(f'{count} {action}' for action, count in counts.items()) or 'empty'})"

    def _repr_html_(self) -> str:
        rows = [
            (one.action.value, one.path_with_values(), one.detail, "" if one.error is None else f"{one.error:.2g}")
            for one in self._entries
        ]
        return html_table(("action", "path", "detail", "error"), rows) if rows else "<p>nothing to report</p>"

    def add(self, entry: LedgerEntry) -> None:
        """Add an entry, unless there is an equal one; passwords of URIs are hidden."""
        before, after = [text and without_passwords(text) for text in (entry.before, entry.after)]
        content = entry.action, entry.path, entry.detail, before, after
        self._paths_of(entry).add(entry.path)
        if content in self._contents:
            return
        self._contents.add(content)
        self._entries.append(replace(entry, detail=without_passwords(entry.detail), before=before, after=after))
        if entry.action is Action.DROPPED and entry.path.endswith("]"):
            self._paths.add(entry.path[: entry.path.rindex("[")])  # the others have other indices in the file

    def _paths_of(self, entry: LedgerEntry) -> set[str]:
        if entry.is_added:
            return self._added_paths
        if entry.is_replaced:
            return self._replaced_paths
        return self._dropped_paths if entry.action is Action.DROPPED else self._paths

    def change_entries(self, change: Callable[[LedgerEntry], LedgerEntry]) -> None:
        """Replace each entry by another one about the same element."""
        entries, self._entries = self._entries, []
        self._contents.clear()
        for entry in entries:
            self.add(change(entry))

    def rewritten(self, path: str, detail: str, **values: Any) -> None:
        """Record that an element is written in another form with the same meaning; see :class:`LedgerEntry` for the values."""
        self.add(LedgerEntry(action=Action.REWRITTEN, path=path, detail=detail, **values))

    def added(self, path: str, detail: str) -> None:
        """Record that the file has an element that the World does not have, and which other elements it represents."""
        self.add(LedgerEntry(action=Action.REWRITTEN, path=path, detail=detail, is_added=True))

    def replaced(self, path: str, detail: str) -> None:
        """Record that the file has other elements for an element, with the same meaning."""
        self.add(LedgerEntry(action=Action.REWRITTEN, path=path, detail=detail, is_replaced=True))

    def approximated(self, path: str, detail: str, **values: Any) -> None:
        """Record that an element is written approximately; see :class:`LedgerEntry` for the values."""
        self.add(LedgerEntry(action=Action.APPROXIMATED, path=path, detail=detail, **values))

    def extension(self, path: str, detail: str, **values: Any) -> None:
        """Record that an element is written to an extension, which other programs ignore."""
        self.add(LedgerEntry(action=Action.EXTENSION, path=path, detail=detail, **values))

    def dropped(self, path: str, detail: str, **values: Any) -> None:
        """Record that an element is not written; see :class:`LedgerEntry` for the values."""
        self.add(LedgerEntry(action=Action.DROPPED, path=path, detail=detail, **values))

    def omitted(self, path: str, detail: str, **values: Any) -> None:
        """Record that something without meaning for the model is not written, such as a comment."""
        self.add(LedgerEntry(action=Action.OMITTED, path=path, detail=detail, **values))

    def renamed(self, changed: WrittenName, detail: str = "the name is changed") -> None:
        """Record that an element has another name in the file, as have all references to it."""
        self.names.append(changed)
        self.approximated(f"{changed.path}.name", detail, before=changed.name, after=changed.written)

    def __iter__(self) -> Iterator[LedgerEntry]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    @property
    def lossless(self) -> bool:
        """Whether nothing was approximated or dropped."""
        return not any(entry.action in (Action.APPROXIMATED, Action.DROPPED) for entry in self._entries)

    def covers(self, path: str, shared: Collection[str] = ()) -> bool:
        """Whether an entry is about the path, or about an element of the World that contains it.

        Args:
            path: The path.
            shared: Paths that several elements have, of which the file may have one although another one is dropped.
        """
        return any(one in self._paths or (one in self._dropped_paths and one not in shared) for one in _containing_paths(path))

    def covers_added(self, path: str) -> bool:
        """Whether an entry is about an element of the file that the World does not have, or about what contains it."""
        return path in self._added_paths or self.covers(path)

    def covers_absent(self, path: str) -> bool:
        """Whether an entry is about an element of the World that the file does not have, or about what contains it."""
        return path in self._replaced_paths or self.covers(path)

    def to_records(self) -> list[dict[str, Any]]:
        """Return the entries as plain data."""
        return [_to_dict(entry) for entry in self._entries]

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Return the entries as a table for pandas, Polars and other libraries: the Arrow PyCapsule interface."""
        try:
            import pyarrow
        except ImportError as error:
            raise OssatureError("Arrow needs pyarrow: pip install 'ossature[tables]'") from error
        types = {"error": pyarrow.float64(), "line": pyarrow.int64()}
        names = ("action", "path", "detail", "error", "before", "after", "file", "line")
        schema = pyarrow.schema([(name, types.get(name, pyarrow.string())) for name in names])
        return pyarrow.Table.from_pylist(self.to_records(), schema=schema).__arrow_c_stream__(requested_schema)

    def lines(self) -> list[str]:
        """Return the entries for people: those of one action and detail together, counted, with the first few paths."""
        groups: dict[tuple[Action, str], list[LedgerEntry]] = {}
        for entry in self._entries:
            groups.setdefault((entry.action, entry.detail), []).append(entry)
        return [_entry_line(action, detail, group) for (action, detail), group in groups.items()]


def _to_dict(entry: LedgerEntry) -> dict[str, Any]:
    location = entry.location
    return {
        "action": entry.action.value,
        "path": entry.path,
        "detail": entry.detail,
        "error": entry.error,
        "before": entry.before,
        "after": entry.after,
        "file": location.file if location is not None else None,
        "line": location.line if location is not None else None,
    }


def _entry_line(action: Action, detail: str, group: list[LedgerEntry]) -> str:
    paths = ", ".join(entry.path_with_values(_LONGEST_VALUE) for entry in group[:_EXAMPLES])
    more = f" and {len(group) - _EXAMPLES} more" if len(group) > _EXAMPLES else ""
    errors = [entry.error for entry in group if entry.error is not None]
    error = f" (error {max(errors):.2g} at most)" if errors else ""
    return f"{action}: {paths}{more}: {detail}{error}"


def _containing_paths(path: str) -> Iterator[str]:
    """Yield a path and those of all elements that contain it."""
    yield path
    yield from (path[:end] for end, mark in enumerate(path) if mark in "./[")
