"""What can be found: rules with a name for people, a severity and an explanation."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Severity(StrEnum):
    """How much a finding matters."""

    ERROR = "error"
    """The input is at fault: something in it cannot be taken as it stands."""
    WARNING = "warning"
    """Very probably not what the author meant, or a choice made where the file leaves one open."""
    NOTE = "note"
    """Worth knowing."""

    @property
    def rank(self) -> int:
        """Zero for the gravest."""
        return list(Severity).index(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One kind of finding.

    Attributes:
        name: Its name, the thing found, in lower case with hyphens (``unknown-element``).
        severity: The severity of its findings.
        summary: One sentence: what is found.
        explanation: What it means, why it matters, and what to do; plain paragraphs, shown by ``ossature explain``.
    """

    name: str
    severity: Severity
    summary: str
    explanation: str
