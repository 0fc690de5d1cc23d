"""Findings in the XML form of JUnit, which continuous-integration services show as tests."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from ossature.diagnostics.report import Diagnostic
from ossature.diagnostics.rule import Severity
from ossature.diagnostics.text_escaping import printable


def to_junit(findings: Sequence[Diagnostic], files: Sequence[str] = ()) -> str:
    """Return one test suite for each file, with one test for each finding, or one that succeeds if there is none.

    Errors and warnings are failures; notes are tests that succeed, with the message as their output.
    """
    by_file: dict[str, list[Diagnostic]] = {file: [] for file in files}
    for finding in findings:
        by_file.setdefault(finding.location.file if finding.location is not None else "", []).append(finding)
    failures = sum(map(_is_failure, findings))
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<testsuites name="ossature" tests="{sum(max(len(each), 1) for each in by_file.values())}" failures="{failures}">',
    ]
    for file, found in by_file.items():
        lines += _suite_lines(file, found)
    text = "\n".join([*lines, "</testsuites>"])
    return text.encode("ascii", "xmlcharrefreplace").decode("ascii")  # whatever the encoding of a terminal or file is


def _suite_lines(file: str, findings: Sequence[Diagnostic]) -> Iterator[str]:
    name = _quoted(file)
    failures = sum(map(_is_failure, findings))
    yield f'<testsuite name={name} tests="{max(len(findings), 1)}" failures="{failures}" errors="0">'
    if not findings:
        yield f'<testcase name="no findings" classname={name}/>'
    for finding in findings:
        line = finding.location.line if finding.location is not None else None
        place = f' line="{line}"' if line is not None else ""
        title = _quoted(f"{finding.rule.code} {finding.rule.name}{f' line {line}' if line is not None else ''}")
        yield f"<testcase name={title} classname={name} file={name}{place}>"
        text = escape(printable(str(finding)))
        if _is_failure(finding):
            yield f'<failure type="{finding.severity.value}" message={_quoted(finding.message)}>{text}</failure>'
        else:
            yield f"<system-out>{text}</system-out>"
        yield "</testcase>"
    yield "</testsuite>"


def _is_failure(finding: Diagnostic) -> bool:
    return finding.severity is not Severity.NOTE


def _quoted(text: str) -> str:
    return f'"{escape(printable(text, line_breaks=False))}"'
