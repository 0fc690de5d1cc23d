"""Rules: types of findings, with name, code, severity and explanation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TypedDict, Unpack

from ossature.diagnostics.fix import Safety


class Severity(StrEnum):
    """The severity of a finding."""

    ERROR = "error"
    """The input is invalid."""
    WARNING = "warning"
    """Probably not intended by the author, or an assumption if the file is ambiguous."""
    NOTE = "note"
    """Worth knowing."""

    @property
    def rank(self) -> int:
        """Zero for the gravest."""
        return list(Severity).index(self)


class RuleOptions(TypedDict, total=False):
    """Fields of a rule that most rules do not state."""

    aliases: tuple[str, ...]
    fixes: tuple[Safety, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One kind of finding.

    Attributes:
        name: Its name, after the problem, in lower case with hyphens (``unknown-element``).
        code: Letters for the area and a number (``URDF003``). A code never changes, and is never used again.
        severity: The severity of its findings.
        summary: The problem in one sentence.
        explanation: What it means, why it matters, and what to do; plain paragraphs, shown by ``ossature explain``.
        aliases: Earlier names.
        fixes: How safe the fixes of its findings are, best first; empty if they have none.
    """

    name: str
    code: str
    severity: Severity
    summary: str
    explanation: str
    aliases: tuple[str, ...] = ()
    fixes: tuple[Safety, ...] = ()

    @classmethod
    def error(cls, name: str, code: str, summary: str, explanation: str, **options: Unpack[RuleOptions]) -> Rule:
        """Return a rule whose findings are errors."""
        return cls(name=name, code=code, severity=Severity.ERROR, summary=summary, explanation=explanation, **options)

    @classmethod
    def warning(cls, name: str, code: str, summary: str, explanation: str, **options: Unpack[RuleOptions]) -> Rule:
        """Return a rule whose findings are warnings."""
        return cls(name=name, code=code, severity=Severity.WARNING, summary=summary, explanation=explanation, **options)

    @classmethod
    def note(cls, name: str, code: str, summary: str, explanation: str, **options: Unpack[RuleOptions]) -> Rule:
        """Return a rule whose findings are notes."""
        return cls(name=name, code=code, severity=Severity.NOTE, summary=summary, explanation=explanation, **options)

    def with_severity(self, severity: Severity) -> Rule:
        """Return the rule with the severity that it has in one format."""
        return replace(self, severity=severity)


def rules_in(module: Mapping[str, object]) -> tuple[Rule, ...]:
    """Return the rules in the global variables of a module: those that it defines, and those of others that it renames."""
    return tuple(dict.fromkeys(value for value in list(module.values()) if isinstance(value, Rule)))
