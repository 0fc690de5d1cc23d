"""Findings as text for people."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from rich.cells import cell_len
from rich.text import Text

from ossature.diagnostics.fix import Safety
from ossature.diagnostics.location import Location
from ossature.diagnostics.report import Diagnostic
from ossature.diagnostics.rule import Severity
from ossature.diagnostics.text_escaping import printable

_STYLES = {Severity.ERROR: "bold red", Severity.WARNING: "yellow", Severity.NOTE: "cyan"}
_SHOWN_OF_A_KIND = 3
_SHOWN_LINES = 12
_SHOWN_NOTES = 8
_NAMES = re.compile(r"(?<!attribute )'[^']*'")
"""Quoted names, except those of attributes."""


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


def to_grouped_text(findings: Sequence[Diagnostic], *, notes: bool = False, summary: bool = True) -> Text:
    """Return findings as styled text in the order of files, errors first: one of each kind in a file, and lines of others.

    Those of a kind have the same rule, and messages that differ only in names, paths and numbers.

    Args:
        notes: Whether notes are listed, not only counted.
        summary: Whether notes are counted and all findings summed up in the last lines.
    """
    groups: dict[tuple[str, Severity, str, str], list[Diagnostic]] = {}
    for finding in findings:
        if notes or finding.severity is not Severity.NOTE:
            file = finding.location.file if finding.location is not None else ""
            groups.setdefault((file, finding.severity, finding.rule.name, _shape_of(finding.message)), []).append(finding)
    lines: list[Text] = []
    positions = {file: index for index, file in enumerate(dict.fromkeys(file for file, *_ in groups))}
    for _, (first, *others) in sorted(groups.items(), key=lambda each: (positions[each[0][0]], each[0][1].rank)):
        lines.extend(_finding_lines(first))
        if others:
            lines.append(Text(f"  and {len(others)} more{_lines_of(others)}", "dim"))
    if summary:
        if not notes:
            lines.extend(_note_summary([finding for finding in findings if finding.severity is Severity.NOTE]))
        lines.append(_summary_text(findings))
        lines.extend(_fix_summary(findings))
    return Text("\n").join(lines)


def _shape_of(message: str) -> str:
    """Return a message without its names, paths and numbers, in time proportional to its length."""
    words = _NAMES.sub("", message).split()
    return " ".join(word for word in words if not any(character in "/\\" or character.isdigit() for character in word))


def _fix_summary(findings: Sequence[Diagnostic]) -> Iterator[Text]:
    counts = Counter(fix.safety for finding in findings if (fix := finding.fix) is not None)
    safe, unsafe = counts[Safety.SAFE], counts[Safety.UNSAFE]
    if safe:
        yield Text(f"{safe} can be fixed with --fix{f', {unsafe} more with --unsafe-fixes' if unsafe else ''}", "dim")
    elif unsafe:
        yield Text(f"{unsafe} can be fixed with --fix --unsafe-fixes", "dim")


def _lines_of(findings: Sequence[Diagnostic]) -> str:
    lines = sorted({finding.location.line or 0 for finding in findings if finding.location is not None} - {0})
    if not lines:
        return ""
    shown = ", ".join(map(str, lines[:_SHOWN_LINES]))
    return f": line{'s' if len(lines) > 1 else ''} {shown}{', …' if len(lines) > _SHOWN_LINES else ''}"


def _note_summary(notes: Sequence[Diagnostic]) -> Iterator[Text]:
    if notes:
        counts = Counter(finding.rule.name for finding in notes)
        kinds = [f"note[{name}]{f' ({count})' if count > 1 else ''}" for name, count in counts.most_common(_SHOWN_NOTES)]
        more = f" and {len(counts) - _SHOWN_NOTES} more kinds" if len(counts) > _SHOWN_NOTES else ""
        yield Text(f"not shown without --notes: {', '.join(kinds)}{more}", "dim")


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
    excerpt = location.excerpt
    if excerpt is not None:
        yield Text(f"  {excerpt.text}", "dim")
        # Some characters are two cells wide.
        yield Text(f"  {' ' * cell_len(excerpt.text[: excerpt.start])}^", style)


def _summary_text(findings: Sequence[Diagnostic]) -> Text:
    counts = Counter(finding.severity for finding in findings)
    parts = [
        Text(f"{counts[severity]} {severity.value}{'' if counts[severity] == 1 else 's'}", _STYLES[severity])
        for severity in Severity
        if counts[severity]
    ]
    return Text(", ").join(parts) if parts else Text("no findings", "green")
