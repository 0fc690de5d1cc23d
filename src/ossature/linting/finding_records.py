"""Findings as plain data, for other processes and for the cache: with positions and excerpts, so that no file is needed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ossature.diagnostics import Diagnostic, Edit, Fix, Location, Related, Rule, Safety, Severity, Source
from ossature.diagnostics.location import Excerpt


@dataclass(frozen=True)
class RecordedSource(Source):
    """A file of which only the positions of findings are known.

    Attributes:
        positions: Line, column, line and column of the end, and excerpt, by offset.
    """

    positions: dict[int, tuple[int, int, int, int, Excerpt | None]] = field(default_factory=dict, compare=False, repr=False)

    def line_of(self, offset: int) -> int:
        """Return the line, counted from one, of a byte offset."""
        return self.positions[offset][0]

    def column_of(self, offset: int) -> int:
        """Return the column, counted in characters from one, of a byte offset."""
        return self.positions[offset][1]

    def end_position(self, offset: int) -> tuple[int, int]:
        """Return line and column after the last character of what is at a byte offset."""
        return self.positions[offset][2:4]

    def excerpt_at(self, offset: int) -> Excerpt | None:
        """Return the line of a byte offset as it is shown to people."""
        return self.positions[offset][4]


def findings_to_record(findings: Iterable[Diagnostic]) -> dict[str, Any]:
    """Return findings as data that JSON can represent."""
    found = list(findings)
    rules = {finding.rule.name: finding.rule for finding in found}
    return {
        "rules": {name: [rule.code, rule.summary, rule.explanation, list(rule.aliases)] for name, rule in rules.items()},
        "findings": [_finding_to_data(finding) for finding in found],
    }


def _finding_to_data(finding: Diagnostic) -> list[Any]:
    return [
        finding.rule.name,
        finding.severity.value,
        finding.message,
        finding.path,
        finding.hint,
        _location_data(finding.location),
        [[_location_data(related.location), related.message] for related in finding.related],
        _fix_data(finding),
    ]


def _fix_data(finding: Diagnostic) -> list[Any] | None:
    fix = finding.fix
    if fix is None or finding.location is None:
        return None
    source = finding.location.source

    def position(offset: int) -> list[int]:
        return [offset, source.line_of(offset), source.column_of(offset)]

    edits = [[position(edit.start), position(edit.stop), edit.text] for edit in fix.edits]
    return [fix.title, fix.safety.value, fix.keeps_model, edits]


def _location_data(location: Location | None) -> list[Any] | None:
    if location is None:
        return None
    if location.offset is None:
        return [location.file, None]
    excerpt = location.excerpt
    end = location.end or (location.line, location.column)
    return [location.file, location.offset, location.line, location.column, *end, None if excerpt is None else list(excerpt)]


def findings_from_record(record: Mapping[str, Any]) -> list[Diagnostic]:
    """Return the findings in a record.

    Raises:
        ValueError: The record is not one of :func:`findings_to_record`.
    """
    try:
        rules = {
            _text(name): Rule(
                name=name,
                code=_text(code),
                severity=Severity.NOTE,
                summary=_text(summary),
                explanation=_text(explanation),
                aliases=tuple(map(_text, aliases)),
            )
            for name, (code, summary, explanation, aliases) in record["rules"].items()
        }
        sources: dict[str, RecordedSource] = {}
        return [_finding_from(data, rules, sources) for data in record["findings"]]
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"not a record of findings: {error!r}") from error


def _finding_from(data: Any, rules: Mapping[str, Rule], sources: dict[str, RecordedSource]) -> Diagnostic:
    name, severity, message, path, hint, location, related, fix_data = data
    rule = rules[name].with_severity(Severity(severity))
    place = _location_from(location, sources)
    fix = None if fix_data is None or place is None else _fix_from(fix_data, sources[place.file])
    return Diagnostic(
        rule=rule,
        message=_text(message),
        location=place,
        path=_text(path),
        hint=None if hint is None else _text(hint),
        related=tuple(
            Related(location=other, message=_text(text))
            for other, text in [(_location_from(each, sources), text) for each, text in related]
            if other is not None
        ),
        make_fix=None if fix is None else lambda: fix,
    )


def _fix_from(data: Any, source: RecordedSource) -> Fix:
    title, safety, keeps_model, edits = data
    for start, stop, _ in edits:
        for offset, line, column in (start, stop):
            numbers = (_number(line), _number(column))
            source.positions.setdefault(_number(offset), (*numbers, *numbers, None))
    return Fix(
        title=_text(title),
        edits=tuple([Edit(start[0], stop[0], _text(text)) for start, stop, text in edits]),
        safety=Safety(safety),
        keeps_model=bool(keeps_model),
    )


def _location_from(data: Any, sources: dict[str, RecordedSource]) -> Location | None:
    if data is None:
        return None
    file, offset, *position = data
    source = sources.setdefault(_text(file), RecordedSource(file))
    if offset is None:
        return Location(source)
    line, column, end_line, end_column, excerpt = position
    numbers = [_number(each) for each in (line, column, end_line, end_column)]
    shown = None if excerpt is None else Excerpt(_text(excerpt[0]), _number(excerpt[1]))
    source.positions[_number(offset)] = (numbers[0], numbers[1], numbers[2], numbers[3], shown)
    return Location(source, offset)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is no text")
    return value


def _number(value: Any) -> int:
    if type(value) is not int or value < 0:
        raise TypeError(f"{value!r} is no natural number")
    return value
