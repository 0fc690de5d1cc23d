"""What can go wrong between formats."""

from __future__ import annotations

from ossature.diagnostics import Rule, Severity

NOT_WRITABLE = Rule(
    name="not-writable",
    severity=Severity.ERROR,
    summary="The output file cannot be written.",
    explanation="Nothing was written, and a file that was there before is as it was. The message says why.",
)
VERIFICATION_DIFFERS = Rule(
    name="verification-differs",
    severity=Severity.ERROR,
    summary="What was written, read again, differs from what was read in a way that the ledger does not tell.",
    explanation="This is a fault of the writer: please report it with the file.",
)

RULES = (NOT_WRITABLE, VERIFICATION_DIFFERS)
