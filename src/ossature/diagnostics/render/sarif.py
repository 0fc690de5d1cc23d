"""Findings as SARIF 2.1.0 (OASIS standard), for code scanning services and editors."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

from ossature.diagnostics.finding_fingerprints import fingerprints
from ossature.diagnostics.fix import Fix
from ossature.diagnostics.location import Location, Source
from ossature.diagnostics.report import Diagnostic
from ossature.diagnostics.rule import Rule


def to_sarif(findings: Sequence[Diagnostic]) -> str:
    """Return findings as one SARIF run."""
    rules = list({finding.rule.name: finding.rule for finding in findings}.values())
    positions = {rule.name: index for index, rule in enumerate(rules)}
    log = {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": {"name": "ossature", "rules": [_rule_data(rule) for rule in rules]}},
                "columnKind": "unicodeCodePoints",
                "results": [
                    _result_data(finding, positions[finding.rule.name], fingerprint)
                    for finding, fingerprint in zip(findings, fingerprints(findings), strict=True)
                ],
            }
        ],
    }
    return json.dumps(log, indent=1)


def _rule_data(rule: Rule) -> dict[str, Any]:
    return {
        "id": rule.code,
        "name": rule.name,
        "deprecatedIds": [rule.name, *rule.aliases],  # results of earlier versions have the name as their id
        "shortDescription": {"text": rule.summary},
        "fullDescription": {"text": rule.explanation},
        "help": {"text": rule.explanation},
        "defaultConfiguration": {"level": rule.severity.value},
    }


def _result_data(finding: Diagnostic, rule_index: int, fingerprint: str) -> dict[str, Any]:
    message = finding.message if finding.hint is None else f"{finding.message} ({finding.hint})"
    result: dict[str, Any] = {
        "ruleId": finding.rule.code,
        "ruleIndex": rule_index,
        "level": finding.severity.value,
        "message": {"text": message},
        "locations": [_location_data(finding.location, finding.path)],
        "partialFingerprints": {"ossature/v1": fingerprint},
    }
    fix = finding.fix
    if fix is not None and finding.location is not None:
        result["fixes"] = [_fix_data(fix, finding.location.source)]
    if finding.related:
        result["relatedLocations"] = [
            {"id": number, "message": {"text": related.message}, **_location_data(related.location, "")}
            for number, related in enumerate(finding.related)
        ]
    return result


def _fix_data(fix: Fix, source: Source) -> dict[str, Any]:
    replacements = [
        {
            "deletedRegion": {
                "startLine": source.line_of(edit.start),
                "startColumn": source.column_of(edit.start),
                "endLine": source.line_of(edit.stop),
                "endColumn": source.column_of(edit.stop),
            },
            "insertedContent": {"text": edit.text},
        }
        for edit in fix.edits
    ]
    changes = [{"artifactLocation": {"uri": _file_uri(source.name)}, "replacements": replacements}]
    return {"description": {"text": f"{fix.title} ({fix.safety.value})"}, "artifactChanges": changes}


def _location_data(location: Location | None, path: str) -> dict[str, Any]:
    result: dict[str, Any] = {}
    if location is not None:
        physical: dict[str, Any] = {"artifactLocation": {"uri": _file_uri(location.file)}}
        if location.line is not None:
            end_line, end_column = location.end or (location.line, location.column)
            physical["region"] = {
                "startLine": location.line,
                "startColumn": location.column,
                "endLine": end_line,
                "endColumn": end_column,
            }
        result["physicalLocation"] = physical
    if path:
        result["logicalLocations"] = [{"fullyQualifiedName": path}]
    return result


def _file_uri(file: str) -> str:
    path = PurePath(file)
    return path.as_uri() if path.is_absolute() else quote(path.as_posix(), errors="surrogateescape")
