"""Findings as JSON, for scripts."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from ossature.diagnostics.location import Location
from ossature.diagnostics.report import Diagnostic


def to_json(findings: Sequence[Diagnostic]) -> str:
    """Return findings as a JSON list of objects.

    Each has ``rule`` (its name), ``code``, ``severity`` (error, warning or note), ``message``, ``file``, ``line``,
    ``column``, ``end_line`` and ``end_column`` (after the last character), ``path`` (the element in the model), ``hint``,
    ``fix`` (null, or an object with ``title``, ``safety`` and ``edits``: ``text`` from ``line`` and ``column`` to their ends),
    and ``related``: a list of objects with ``message``, ``file``, ``line`` and ``column``.
    Lines and columns count from one; unknown values are null, an unknown path is empty.
    """
    # Plain ASCII: neither the encoding of a terminal nor an odd file name can spoil it.
    return json.dumps([finding_to_dict(finding) for finding in findings], indent=1)


def finding_to_dict(finding: Diagnostic) -> dict[str, Any]:
    """Return a finding as plain data."""
    return {
        "rule": finding.rule.name,
        "code": finding.rule.code,
        "severity": finding.severity.value,
        "message": finding.message,
        **location_data(finding.location),
        **_end_data(finding.location),
        "path": finding.path,
        "hint": finding.hint,
        "fix": _fix_data(finding),
        "related": [{"message": related.message, **location_data(related.location)} for related in finding.related],
    }


def _fix_data(finding: Diagnostic) -> dict[str, Any] | None:
    fix = finding.fix
    if fix is None or finding.location is None:
        return None
    source = finding.location.source
    edits = [
        {
            "line": source.line_of(edit.start),
            "column": source.column_of(edit.start),
            "end_line": source.line_of(edit.stop),
            "end_column": source.column_of(edit.stop),
            "text": edit.text,
        }
        for edit in fix.edits
    ]
    return {"title": fix.title, "safety": fix.safety.value, "edits": edits}


def _end_data(location: Location | None) -> dict[str, Any]:
    line, column = (location.end if location is not None else None) or (None, None)
    return {"end_line": line, "end_column": column}


def location_data(location: Location | None) -> dict[str, Any]:
    """Return a location as plain data."""
    if location is None:
        return {"file": None, "line": None, "column": None}
    return {"file": location.file, "line": location.line, "column": location.column}
