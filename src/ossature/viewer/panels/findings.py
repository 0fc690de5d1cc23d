"""The panel "Findings": the findings of reading and checking each file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from ossature.diagnostics import Diagnostic, Severity
from ossature.viewer.detail_html import finding_details, findings_summary, paragraph
from ossature.viewer.finding_targets import subject_of
from ossature.viewer.model_view import ModelView
from ossature.viewer.panels.list_row_style import as_list

if TYPE_CHECKING:
    import viser

OnSelect = Callable[[ModelView, str, str], None]

_MOST = 100
_MOST_UNGROUPED = 3
"""Number of findings of one rule from which they are in a folder of their own."""
_MOST_EXPANDED = 12
"""Number of findings up to which these folders are open."""
_SIGNS = {Severity.ERROR: "✖", Severity.WARNING: "▲", Severity.NOTE: "•"}
_ALL, _WARNINGS, _ERRORS = "all", "errors and warnings", "errors"
_SEVERITIES = {
    _ALL: tuple(_SIGNS),
    _WARNINGS: (Severity.ERROR, Severity.WARNING),
    _ERRORS: (Severity.ERROR,),
}


class FindingsPanel:
    """A row for each finding, errors first; a click highlights the body that it is about."""

    def __init__(self, gui: viser.GuiApi, views: Sequence[ModelView], on_select: OnSelect) -> None:
        self._gui, self._views, self._on_select = gui, views, on_select
        self._found: list[Sequence[Diagnostic] | None] = [None] * len(views)
        self._shown = gui.add_dropdown("Show", tuple(_SEVERITIES), initial_value=_ALL, hint="Severities of the findings")
        self._search = gui.add_text("Filter", "", hint="Part of a message, an element or the name of a rule")
        self._details = gui.add_html("")
        self._folders = [gui.add_folder(view.name if len(views) > 1 else "Findings") for view in views]
        for folder in self._folders:
            with folder:
                gui.add_html(paragraph("Checking …"))
        for control in (self._shown, self._search):
            control.on_update(lambda _: self._list_all())

    def fill(self, number: int, findings: Sequence[Diagnostic]) -> None:
        """List the findings of a file."""
        self._found[number] = findings
        self._list(number)

    def _list_all(self) -> None:
        for number in range(len(self._views)):
            self._list(number)

    def _list(self, number: int) -> None:
        folder, found = self._folders[number], self._found[number]
        if found is None:
            return
        for child in list(folder._children.values()):
            child.remove()
        wanted, severities = self._search.value.strip().casefold(), _SEVERITIES[self._shown.value]
        listed = [finding for finding in found if finding.severity in severities and wanted in _searched_text(finding)]
        with folder:
            self._gui.add_html(findings_summary(Counter(finding.severity for finding in found), len(listed)))
            self._gui.add_html(as_list("ossature-findings", wrapped=True))
            ordered = sorted(listed, key=lambda finding: (list(_SIGNS).index(finding.severity), finding.rule.name))[:_MOST]
            for rule, group in groupby(ordered, key=lambda finding: finding.rule):
                self._add_group(self._views[number], rule.name, list(group), is_open=len(listed) <= _MOST_EXPANDED)
            if len(listed) > _MOST:
                self._gui.add_html(paragraph(f"… and {len(listed) - _MOST} more: use the filter, or `ossature check`"))

    def _add_group(self, view: ModelView, rule: str, findings: Sequence[Diagnostic], *, is_open: bool) -> None:
        if len(findings) <= _MOST_UNGROUPED:
            for finding in findings:
                self._add_row(view, finding)
            return
        label = f"{_SIGNS[findings[0].severity]} {rule} ({len(findings)})"
        with self._gui.add_folder(label, expand_by_default=is_open):
            self._gui.add_html(as_list("ossature-findings", wrapped=True))
            for finding in findings:
                self._add_row(view, finding)

    def _add_row(self, view: ModelView, finding: Diagnostic) -> None:
        line = "" if finding.location is None or finding.location.line is None else f"line {finding.location.line}: "
        text = f"{_SIGNS[finding.severity]}  {line}{finding.path or finding.rule.name}: {finding.message}"
        button = self._gui.add_button(text if len(text) < 110 else f"{text[:108]}…", hint=str(finding))
        button.on_click(lambda _: self._show_finding(view, finding))

    def _show_finding(self, view: ModelView, finding: Diagnostic) -> None:
        self._details.content = finding_details(finding)
        subject = subject_of(finding, view.world)
        if subject is not None:
            self._on_select(view, *subject)


def _searched_text(finding: Diagnostic) -> str:
    return f"{finding.rule.name} {finding.path} {finding.message}".casefold()
