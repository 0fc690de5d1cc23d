"""Findings as text for people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from rich.cells import cell_len
from rich.text import Text

from ossature.diagnostics.location import Location
from ossature.diagnostics.password_redaction import may_contain_password
from ossature.diagnostics.report import Diagnostic
from ossature.diagnostics.rule import Severity
from ossature.diagnostics.text_escaping import printable

_STYLES = {Severity.ERROR: "bold red", Severity.WARNING: "yellow", Severity.NOTE: "cyan"}
_SHOWN_OF_A_KIND = 3
_LONGEST_LINE = 160


def to_text(findings: Sequence[Diagnostic], *, verbose: bool = False) -> Text:
    """Return findings as styled text: gravest first, at most a few of each kind unless ``verbose``, then a summary.

    Each has ``file:line:column: severity[rule]: message``, its source line, and a hint.
    """
    lines: list[Text] = []
    shown: Counter[str] = Counter()
    counts = Counter(finding.rule.name for finding in findings)
    for finding in sorted(findings, key=lambda finding: finding.severity.rank):
        name = finding.rule.name
        shown[name] += 1
        if verbose or shown[name] <= _SHOWN_OF_A_KIND:
            lines.extend(_finding_lines(finding))
        elif shown[name] == _SHOWN_OF_A_KIND + 1:
            more = counts[name] - _SHOWN_OF_A_KIND
            lines.append(Text(f"  … and {more} more {finding.severity.value}[{name}]", "dim"))
    lines.append(_summary_text(findings))
    return Text("\n").join(lines)


def _finding_lines(finding: Diagnostic) -> Iterator[Text]:
    style = _STYLES[finding.severity]
    place = str(finding.location) if finding.location is not None else finding.path
    where = f"{_join_lines(place)}: " if place else ""
    yield Text.assemble(where, (f"{finding.severity.value}[{finding.rule.name}]", style), f": {_join_lines(finding.message)}")
    if finding.location is not None:
        yield from _excerpt_lines(finding.location, style)
    if finding.hint:
        yield Text.assemble(("  hint: ", "green"), _join_lines(finding.hint))
    for related in finding.related:
        yield Text.assemble((f"  {_join_lines(str(related.location))}: ", "dim"), _join_lines(related.message))


def _join_lines(text: str) -> str:
    return printable(text, line_breaks=False)


def _excerpt_lines(location: Location, style: str) -> Iterator[Text]:
    line, column = location.line, location.column
    if line is None or column is None:
        return
    text = location.source.line_text(line).replace("\t", " ")
    start = len(text) - len(text.lstrip())
    if column > start + _LONGEST_LINE:
        start = column - 1 - _LONGEST_LINE // 2
    shown = text[start : start + _LONGEST_LINE].rstrip()
    if shown and shown.isprintable() and not may_contain_password(text):
        yield Text(f"  {shown}", "dim")
        # Some characters are two cells wide.
        yield Text(f"  {' ' * cell_len(text[start : column - 1])}^", style)


def _summary_text(findings: Sequence[Diagnostic]) -> Text:
    counts = Counter(finding.severity for finding in findings)
    parts = [
        Text(f"{counts[severity]} {severity.value}{'' if counts[severity] == 1 else 's'}", _STYLES[severity])
        for severity in Severity
        if counts[severity]
    ]
    return Text(", ").join(parts) if parts else Text("no findings", "green")
