"""Editing values on the page: applied at once, undone, and saved as a copy of the file or as a calibration."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from ossature.diagnostics import OssatureError
from ossature.model import ModelError
from ossature.viewer.editable_values_with_undo import EditedValue, ValueEdits
from ossature.viewer.loaded_file import LoadedFile

if TYPE_CHECKING:
    from ossature.viewer.model_view import ModelView
    from ossature.viewer.server import LocalServer

_SUFFIXES_OF_TEMPLATES = {".xacro": ".urdf"}
_MOST_COPIES = 1000
_LOSSES = ("approximated", "dropped")
_MOST_NAMED = 3
"""Number of entries of a ledger that are named on the page."""


class _Page(Protocol):
    """The part of a page that editing uses."""

    server: LocalServer
    views: list[ModelView]

    @property
    def files(self) -> Sequence[LoadedFile]: ...

    def apply_edits(self) -> int: ...

    def notify(self, title: str, text: str, color: str = "red", /) -> None: ...


class ValueEditor:
    """The edited values of the files of a page. The files are not changed."""

    def __init__(self, page: _Page) -> None:
        self._page = page
        self._edits: dict[Path, ValueEdits] = {}

    @property
    def was_used(self) -> bool:
        """Whether a value was edited, also if that is undone."""
        return bool(self._edits)

    def of_file(self, path: Path) -> ValueEdits:
        """Return the edits of a file."""
        return self._edits.get(path, ValueEdits())

    def edited(self, file: LoadedFile) -> LoadedFile:
        """Return a file with the edited values; edits that its current version does not have any more are discarded."""
        edits = self.of_file(file.path)
        if file.world is None or not edits.values:
            return file
        try:
            return replace(file, world=edits.apply(file.world))
        except ModelError as error:
            del self._edits[file.path]
            self._page.notify("Edited values discarded", f"{file.path.name}: {error}")
            return file

    def change(self, view: ModelView, values: Mapping[str, EditedValue]) -> None:
        """Apply edited values by path; if one does not fit, nothing is changed."""
        file = self._file_of(view)
        edits = self.of_file(file.path).with_step(values)
        assert file.world is not None  # noqa: S101  # it is shown
        try:
            edits.apply(file.world)
        except ModelError as error:
            self._page.notify("Not applied", str(error))
            return
        self._set(file, edits, ", ".join(edits.changes(file.world)[-len(values) :]))

    def undo(self, view: ModelView) -> None:
        """Undo the last step of a file."""
        file = self._file_of(view)
        edits = self.of_file(file.path)
        if edits.done:
            self._set(file, edits.undo(), f"undone: {', '.join(edits.steps[edits.done - 1])}")

    def redo(self, view: ModelView) -> None:
        """Redo the step of a file that was undone last."""
        file = self._file_of(view)
        edits = self.of_file(file.path)
        if edits.can_redo:
            self._set(file, edits.redo(), f"redone: {', '.join(edits.steps[edits.done])}")

    def _set(self, file: LoadedFile, edits: ValueEdits, text: str) -> None:
        self._edits[file.path] = edits
        added = self._page.apply_edits()
        if added:
            self._page.notify("Edited", f"{text}. {added} new finding{'s' * (added != 1)}: see Findings.")
        else:
            self._page.notify("Edited", text, "green")

    def _file_of(self, view: ModelView) -> LoadedFile:
        return self._page.files[self._page.views.index(view)]

    def changes(self, view: ModelView) -> list[str]:
        """Return the edited values of a file beside its own, as text."""
        file = self._file_of(view)
        return [] if file.world is None else self.of_file(file.path).changes(file.world)

    def save_copy(self, view: ModelView) -> Path | None:
        """Write a copy of the file with the edited values beside it, without what the page or options add, and return its path.

        The ledger of the writer is summarised on the page.
        """
        from ossature.conversion import convert

        file = self._file_of(view)
        try:
            path = _unused_path(file.path, _SUFFIXES_OF_TEMPLATES.get(file.path.suffix.lower(), file.path.suffix))
            source = file.as_read or file.world
            assert source is not None  # noqa: S101  # it is shown
            ledger = convert(
                self.of_file(file.path).apply(source), path, format=_format_to_write(file), meshes=file.meshes
            ).ledger
        except (OssatureError, OSError, ValueError) as error:
            self._page.notify("No copy was written", str(error))
            return None
        counts = Counter(entry.action.value for entry in ledger)
        summary = ", ".join(f"{count} {action}" for action, count in counts.items()) or "nothing approximated or dropped"
        losses = [str(entry) for entry in ledger if entry.action.value in _LOSSES]
        named = [*losses, *(str(entry) for entry in ledger if entry.action.value not in _LOSSES)][:_MOST_NAMED]
        text = "; ".join([f"{path.name} beside the file ({summary})", *named])
        self._page.notify("Copy written", text, "red" if losses else "green")
        return path

    def save_calibration(self, view: ModelView) -> None:
        """Send the edited values to all clients as a calibration, which each command applies to the file."""
        from ossature.formats.calibration.write import write_calibration

        file = self._file_of(view)
        assert file.world is not None  # noqa: S101  # it is shown
        try:
            calibration = self.of_file(file.path).to_calibration(file.world)
        except ModelError as error:
            self._page.notify("No calibration was written", str(error))
            return
        if not calibration:
            self._page.notify("Nothing to save", "No value is edited.")
            return
        name = f"{file.path.stem}_calibration.yaml"
        self._page.server.send_file_download(name, write_calibration(calibration).encode(), save_immediately=True)
        self._page.notify("Calibration", f"ossature view {file.path.name} --calibration {name}", "green")


def _unused_path(path: Path, suffix: str) -> Path:
    """Return the path of a new file beside another one.

    Raises:
        OssatureError: There are too many copies.
    """
    for number in range(1, _MOST_COPIES):
        found = path.with_name(f"{path.stem}_edited{number if number > 1 else ''}{suffix}")
        if not found.exists():
            return found
    raise OssatureError(f"there are {_MOST_COPIES} copies beside {path}")


def _format_to_write(file: LoadedFile) -> str | None:
    """Return the name of the format of a file, which its suffix does not always determine."""
    from ossature.formats import REGISTRY

    if file.format is not None:
        return file.format
    if not file.path.is_file():
        return None
    with file.path.open("rb") as opened:
        found = REGISTRY.find(file.path, opened.read(4096))
    return None if found is None else found.name
