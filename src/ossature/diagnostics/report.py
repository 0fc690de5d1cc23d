"""The Report: what every reader, check and writer is given to speak into."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ossature.diagnostics.location import Location
from ossature.diagnostics.printable import printable
from ossature.diagnostics.rule import Rule, Severity
from ossature.diagnostics.secrets import without_passwords


@dataclass(frozen=True, slots=True, kw_only=True)
class Related:
    """Another place that a finding speaks of, and what stands there."""

    location: Location
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnostic:
    """One finding.

    Attributes:
        rule: Which kind of finding.
        message: What was found here, in words for somebody who did not write the code.
        location: Where, or None where it concerns no file.
        path: Where inside the model, for example ``arm/elbow`` (model, then element).
        hint: What to do, with the valid choices.
        related: Other places it speaks of.
    """

    rule: Rule
    message: str
    location: Location | None = None
    path: str = ""
    hint: str | None = None
    related: tuple[Related, ...] = ()

    @property
    def severity(self) -> Severity:
        """The rule's severity."""
        return self.rule.severity

    def __str__(self) -> str:
        where = f"{self.location}: " if self.location is not None else ""
        hint = f" ({self.hint})" if self.hint else ""
        return printable(f"{where}{self.severity}[{self.rule.name}]: {self.message}{hint}", line_breaks=False)


class Report:
    """Collects findings. The callee adds and goes on; whoever made the Report decides what follows from them."""

    def __init__(self, diagnostics: Iterable[Diagnostic] = ()) -> None:
        self._diagnostics = list(diagnostics)

    def add(
        self,
        rule: Rule,
        message: str,
        location: Location | None = None,
        *,
        path: str = "",
        hint: str | None = None,
        related: tuple[Related, ...] = (),
    ) -> None:
        """Add a finding; see :class:`Diagnostic` for the arguments. Passwords of URIs are hidden."""
        message = without_passwords(message)
        hint = without_passwords(hint) if hint is not None else None
        self._diagnostics.append(
            Diagnostic(rule=rule, message=message, location=location, path=path, hint=hint, related=related)
        )

    def extend(self, diagnostics: Iterable[Diagnostic]) -> None:
        """Add findings that were made elsewhere."""
        self._diagnostics.extend(diagnostics)

    def take(self, name: str) -> list[Diagnostic]:
        """Remove and return the findings of the rule with that name."""
        taken = [finding for finding in self._diagnostics if finding.rule.name == name]
        self._diagnostics = [finding for finding in self._diagnostics if finding.rule.name != name]
        return taken

    def sorted(self) -> list[Diagnostic]:
        """Return the findings by file and place, those without a place last, each group in order of discovery."""
        return sorted(self._diagnostics, key=_place)

    def __iter__(self) -> Iterator[Diagnostic]:
        return iter(self._diagnostics)

    def __len__(self) -> int:
        return len(self._diagnostics)

    def __bool__(self) -> bool:
        """True where there is a finding."""
        return bool(self._diagnostics)

    @property
    def errors(self) -> list[Diagnostic]:
        """The findings that are errors."""
        return [finding for finding in self._diagnostics if finding.severity is Severity.ERROR]

    @property
    def has_errors(self) -> bool:
        """Whether one finding or more is an error."""
        return any(finding.severity is Severity.ERROR for finding in self._diagnostics)

    def __str__(self) -> str:
        return "\n".join(map(str, self.sorted()))


def _place(finding: Diagnostic) -> tuple[int, str, int]:
    location = finding.location
    if location is None:
        return (1, "", 0)
    return (0, location.file, -1 if location.offset is None else location.offset)


class OssatureError(Exception):
    """Base of the package's exceptions."""


class LoadError(OssatureError):
    """A file could not be read without errors.

    Attributes:
        report: Every finding.
    """

    def __init__(self, report: Report) -> None:
        self.report = report
        super().__init__(str(report))
