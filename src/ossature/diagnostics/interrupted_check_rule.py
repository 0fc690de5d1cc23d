"""Rules about the check of a file itself."""

from __future__ import annotations

from ossature.diagnostics.rule import Rule

INTERRUPTED_CHECK = Rule.error(
    "interrupted-check",
    "LINT003",
    "The process that checked a file ended unexpectedly.",
    "The file is not checked. The process was killed, usually because the memory of the machine is exhausted, or a library "
    "crashed. Lower the limits of reading with `--limit`, use fewer processes with `--jobs`, and report the file if it happens "
    "again.",
)
RULES = (INTERRUPTED_CHECK,)
