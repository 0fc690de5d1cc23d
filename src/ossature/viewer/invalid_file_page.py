"""The page of files that cannot be read: their findings, until all are valid."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ossature.viewer.file_status import summary_of_errors
from ossature.viewer.loaded_file import LoadedFile
from ossature.viewer.page_overlay import add_overlay
from ossature.viewer.panels.findings import FindingsPanel
from ossature.viewer.properties_and_findings_html import banner
from ossature.viewer.server import LocalServer, address_of, clear_panel

if TYPE_CHECKING:
    from ossature.viewer.app import ViewerApp

_ADVICE = "The page shows the model when the file is saved without errors."


class InvalidFilePage:
    """Lists findings instead of a model; becomes the page of the model when all files are valid.

    Args:
        files: The files, of which at least one has errors.
        open_page: Shows the files when all are valid; returns None if they cannot be shown for another reason.

    Attributes:
        app: The page of the model, or None while a file has errors.
    """

    def __init__(
        self, server: LocalServer, files: Sequence[LoadedFile], open_page: Callable[[Sequence[LoadedFile]], ViewerApp | None]
    ) -> None:
        self._server, self._files, self._open_page = server, list(files), open_page
        self.app: ViewerApp | None = None
        self._list_findings()

    @property
    def url(self) -> str:
        """Address of the page."""
        return address_of(self._server)

    def reload(self, file: LoadedFile) -> None:
        """Show a changed file: its findings, or the model."""
        if self.app is not None:
            self.app.reload(file)
            return
        self._files = [file if shown.path == file.path else shown for shown in self._files]
        if all(shown.world is not None for shown in self._files):
            self.app = self._open_page(self._files)
            if self.app is None:
                self._show_messages(["The model cannot be shown: see the terminal."])
        else:
            self._list_findings()

    def report_missing_file(self, path: Path) -> None:
        """Say that a file was deleted, until it exists again."""
        if self.app is not None:
            self.app.report_missing_file(path)
        else:
            self._show_messages([f"{path.name} does not exist any more. {_ADVICE}"])

    def close(self) -> None:
        """Stop serving."""
        if self.app is not None:
            self.app.close()
        else:
            self._server.stop()

    def _show_messages(self, messages: Sequence[str]) -> None:
        clear_panel(self._server.gui)
        self._server.gui.add_html(banner(messages))
        add_overlay(self._server.gui, f"{' and '.join(file.path.name for file in self._files)} - Ossature", {})

    def _list_findings(self) -> None:
        invalid = [file for file in self._files if file.world is None]
        with self._server.atomic():
            self._show_messages([f"{summary_of_errors(file)}. {_ADVICE}" for file in invalid])
            panel = FindingsPanel(self._server.gui, [file.path.name for file in invalid])
            for number, file in enumerate(invalid):
                panel.fill(number, file.report.sorted())
