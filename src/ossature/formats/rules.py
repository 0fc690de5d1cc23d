"""What can be wrong with a file before its format is known."""

from __future__ import annotations

from ossature.diagnostics import Rule, Severity

UNKNOWN_FORMAT = Rule(
    name="unknown-format",
    severity=Severity.ERROR,
    summary="Neither the suffix nor the beginning of a file tells its format.",
    explanation="Name the format with --from; `ossature formats` lists those that are read and written.",
)

RULES = (UNKNOWN_FORMAT,)
