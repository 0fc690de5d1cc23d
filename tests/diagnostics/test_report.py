"""A report lists its findings by severity."""

from __future__ import annotations

from ossature.diagnostics import Report, Rule


def test_findings_are_listed_by_severity_in_order_of_discovery() -> None:
    report = Report()
    arguments = ("A summary.", "An explanation.")
    error, warning, note = (
        make(f"{make.__name__}-rule", f"TST00{number}", *arguments)
        for number, make in enumerate((Rule.error, Rule.warning, Rule.note), 1)
    )
    for rule in (note, warning, error, warning):
        report.add(rule, str(len(report)))
    assert [finding.message for finding in report.errors] == ["2"]
    assert [finding.message for finding in report.warnings] == ["1", "3"]
    assert [finding.message for finding in report.notes] == ["0"]
