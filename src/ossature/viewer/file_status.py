"""The versions of the files of a page: their findings, and a banner while one is invalid or missing."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ossature.diagnostics import Diagnostic
from ossature.viewer.loaded_file import LoadedFile
from ossature.viewer.properties_and_findings_html import banner

if TYPE_CHECKING:
    import viser


class FileStatus:
    """Findings of the files of a page, and why a saved version is not shown.

    Attributes:
        banner: The banner of the page.
    """

    def __init__(self) -> None:
        self.banner: Any = None
        self._failures: dict[Path, tuple[str, Sequence[Diagnostic]]] = {}
        self._known: dict[Path, set[tuple[str, str, str]]] = {}

    def add_banner(self, gui: viser.GuiApi) -> None:
        """Add the banner to a page."""
        self.banner = gui.add_html("", visible=False)
        self._update_banner()

    def findings_of(self, file: LoadedFile) -> Sequence[Diagnostic]:
        """Return the findings of a file, of an invalid saved version those of reading it; loads the meshes."""
        _, findings = self._failures.get(file.path, ("", ()))
        if findings:
            return findings
        found = file.findings()
        self._known[file.path] = {_key_of(finding) for finding in found}
        return found

    def known_findings(self, path: Path) -> set[tuple[str, str, str]] | None:
        """Return what identifies the findings of the last check of a file, or None before the first."""
        return self._known.get(path)

    def count_new_findings(self, path: Path, before: set[tuple[str, str, str]] | None) -> int:
        """Return the number of findings of the last check of a file that were not among earlier ones; 0 for None."""
        return 0 if before is None else len(self._known.get(path, set()) - before)

    def fail(self, path: Path, text: str, findings: Sequence[Diagnostic]) -> None:
        """Show why the saved version of a file is not the one on the page."""
        self._failures[path] = (f"{text}. The page shows the last valid version.", findings)
        self._update_banner()

    def forget_failure(self, path: Path) -> None:
        """Note that the page shows the saved version of a file."""
        self._failures.pop(path, None)

    def _update_banner(self) -> None:
        self.banner.content = banner([text for text, _ in self._failures.values()])
        self.banner.visible = bool(self._failures)


def summary_of_errors(file: LoadedFile) -> str:
    """Return the number of errors of a file that cannot be read, and the first one, as text."""
    errors = file.report.errors
    place = errors[0].location
    line = "" if place is None or place.line is None else f"line {place.line}: "
    return f"{file.path.name} has {len(errors)} error{'s' * (len(errors) != 1)}: {line}{errors[0].message}"


def _key_of(finding: Diagnostic) -> tuple[str, str, str]:
    """Return what is equal for a finding of two versions of a file: lines change."""
    return (finding.rule.name, finding.path or "", finding.message)
