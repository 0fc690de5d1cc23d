"""Findings as annotations of a GitHub workflow."""

from __future__ import annotations

from collections.abc import Sequence

from ossature.diagnostics.report import Diagnostic
from ossature.diagnostics.rule import Severity
from ossature.diagnostics.text_escaping import printable

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}


def to_github(findings: Sequence[Diagnostic]) -> str:
    """Return one workflow command a line: ``::error file=…,line=…,col=…,endLine=…,endColumn=…,title=…::message``."""
    return "\n".join(map(_annotation, findings))


def _annotation(finding: Diagnostic) -> str:
    properties = []
    location = finding.location
    if location is not None:
        properties.append(f"file={_escaped_property(location.file)}")
        if location.line is not None:
            properties += [f"line={location.line}", f"col={location.column}"]
            end_line, end_column = location.end or (location.line, location.column)
            properties += [f"endLine={end_line}"]
            if end_line == location.line:  # columns are shown within one line only
                properties += [f"endColumn={end_column}"]
    properties.append(f"title={_escaped_property(finding.rule.name)}")
    message = finding.message if finding.hint is None else f"{finding.message}\n{finding.hint}"
    return f"::{_COMMANDS[finding.severity]} {','.join(properties)}::{_escaped(message)}"


def _escaped(text: str) -> str:
    return printable(text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A"))


def _escaped_property(text: str) -> str:
    return _escaped(text).replace(":", "%3A").replace(",", "%2C")
