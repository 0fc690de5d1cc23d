"""The panel "Findings": the findings of reading and checking each file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from ossature.diagnostics import Diagnostic, Severity
from ossature.viewer.panels.list_row_style import as_list
from ossature.viewer.properties_and_findings_html import finding_details, findings_summary, paragraph

if TYPE_CHECKING:
    import viser

OnFinding = Callable[[int, Diagnostic], None]
"""Gets the index of a file and one of its findings."""

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
    """A row for each finding, errors first; a click shows all of it.

    Args:
        gui: The controls of the page.
        on_finding: Called with a finding that was clicked, to highlight what it is about.
    """

    def __init__(self, gui: viser.GuiApi, names: Sequence[str], on_finding: OnFinding = lambda number, finding: None) -> None:
        self._gui, self._on_finding = gui, on_finding
        self._found: list[Sequence[Diagnostic] | None] = [None] * len(names)
        self._shown = gui.add_dropdown("Show", tuple(_SEVERITIES), initial_value=_ALL, hint="Severities of the findings")
        self._search = gui.add_text("Filter", "", hint="Text in the message, the element or the rule")
        self._details = gui.add_html("")
        self._folders = [gui.add_folder(name if len(names) > 1 else "Findings") for name in names]
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
        for number in range(len(self._found)):
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
                self._add_group(number, rule.name, list(group), is_open=len(listed) <= _MOST_EXPANDED)
            if len(listed) > _MOST:
                self._gui.add_html(paragraph(f"… and {len(listed) - _MOST} more: use the filter, or `ossature check`"))

    def _add_group(self, number: int, rule: str, findings: Sequence[Diagnostic], *, is_open: bool) -> None:
        if len(findings) <= _MOST_UNGROUPED:
            for finding in findings:
                self._add_row(number, finding)
            return
        label = f"{_SIGNS[findings[0].severity]} {rule} ({len(findings)})"
        with self._gui.add_folder(label, expand_by_default=is_open):
            self._gui.add_html(as_list("ossature-findings", wrapped=True))
            for finding in findings:
                self._add_row(number, finding, is_grouped=True)

    def _add_row(self, number: int, finding: Diagnostic, *, is_grouped: bool = False) -> None:
        line = "" if finding.location is None or finding.location.line is None else f"line {finding.location.line}: "
        subject = finding.path or ("" if is_grouped else finding.rule.name)
        text = f"{_SIGNS[finding.severity]}  {line}{f'{subject}: ' if subject else ''}{finding.message}"
        button = self._gui.add_button(text if len(text) < 110 else f"{text[:108]}…", hint=str(finding))
        button.on_click(lambda _: self._show_finding(number, finding))

    def _show_finding(self, number: int, finding: Diagnostic) -> None:
        self._details.content = finding_details(finding)
        self._on_finding(number, finding)


def _searched_text(finding: Diagnostic) -> str:
    return f"{finding.rule.name} {finding.path} {finding.message}".casefold()
