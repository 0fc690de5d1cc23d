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
    ``column``, ``path`` (the location_data in the model), ``hint``, and ``related``: a list of objects with ``message``,
    ``file``,
    ``line`` and ``column``.
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
        "path": finding.path,
        "hint": finding.hint,
        "related": [{"message": related.message, **location_data(related.location)} for related in finding.related],
    }


def location_data(location: Location | None) -> dict[str, Any]:
    """Return a location as plain data."""
    if location is None:
        return {"file": None, "line": None, "column": None}
    return {"file": location.file, "line": location.line, "column": location.column}
