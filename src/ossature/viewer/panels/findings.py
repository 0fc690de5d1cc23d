"""The panel "Findings": the findings of reading and checking each file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ossature.diagnostics import Diagnostic, Severity
from ossature.viewer.detail_html import finding_details, paragraph
from ossature.viewer.finding_targets import subject_of
from ossature.viewer.model_view import ModelView
from ossature.viewer.panels.list_row_style import as_list

if TYPE_CHECKING:
    import viser

OnSelect = Callable[[ModelView, str, str], None]

_MOST = 100
_SIGNS = {Severity.ERROR: "✖", Severity.WARNING: "▲", Severity.NOTE: "•"}


class FindingsPanel:
    """A row for each finding; a click highlights the body that it is about."""

    def __init__(self, gui: viser.GuiApi, views: Sequence[ModelView], on_select: OnSelect) -> None:
        self._gui, self._on_select = gui, on_select
        self._details = gui.add_html("")
        self._folders = [gui.add_folder(view.name if len(views) > 1 else "Findings") for view in views]
        for folder in self._folders:
            with folder:
                gui.add_html(paragraph("Checking …"))
        self._views = views

    def fill(self, number: int, findings: Sequence[Diagnostic]) -> None:
        """List the findings of a file by severity, errors first."""
        folder = self._folders[number]
        for child in list(folder._children.values()):
            child.remove()
        ordered = sorted(findings, key=lambda finding: list(_SIGNS).index(finding.severity))
        with folder:
            self._gui.add_html(as_list("ossature-findings", wrapped=True))
            if not ordered:
                self._gui.add_html(paragraph("No findings."))
            for finding in ordered[:_MOST]:
                self._add_row(self._views[number], finding)
            if len(ordered) > _MOST:
                self._gui.add_html(paragraph(f"… and {len(ordered) - _MOST} more: run `ossature check`"))

    def _add_row(self, view: ModelView, finding: Diagnostic) -> None:
        text = f"{_SIGNS[finding.severity]}  {finding.path or finding.rule.name}: {finding.message}"
        button = self._gui.add_button(text if len(text) < 110 else f"{text[:108]}…", hint=str(finding))
        button.on_click(lambda _: self._show_finding(view, finding))

    def _show_finding(self, view: ModelView, finding: Diagnostic) -> None:
        self._details.content = finding_details(finding)
        subject = subject_of(finding, view.world)
        if subject is not None:
            self._on_select(view, *subject)
