"""The Report: collects the findings of readers, checks and writers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from ossature.argument_types import typed_arguments
from ossature.diagnostics.fix import Fix, MakeFix
from ossature.diagnostics.location import Location
from ossature.diagnostics.password_redaction import without_passwords
from ossature.diagnostics.resource_limits import TOO_MANY_FINDINGS, Budget, LimitError, Limits, raising_hint
from ossature.diagnostics.rule import Rule, Severity
from ossature.diagnostics.suggestions import Suggestions
from ossature.diagnostics.text_escaping import printable
from ossature.html_table import html_table
from ossature.instance_maker import instance_maker


@dataclass(frozen=True, slots=True, kw_only=True)
class Related:
    """Another location related to a finding, with its description."""

    location: Location
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnostic:
    """One finding.

    Attributes:
        rule: Which kind of finding.
        message: The problem, for users who do not know the code.
        location: Its location, or None if it is not about a file.
        path: The element of the model, for example ``arm/elbow`` (model, then element).
        hint: What to do, with the valid choices.
        related: Other related locations.
        make_fix: Returns its fix, or None if it has none.
    """

    rule: Rule
    message: str
    location: Location | None = None
    path: str = ""
    hint: str | None = None
    related: tuple[Related, ...] = ()
    make_fix: MakeFix | None = field(default=None, compare=False, repr=False)

    @property
    def fix(self) -> Fix | None:
        """The edits that remove the finding, or None if there are none; computed at each call."""
        return None if self.make_fix is None else self.make_fix()

    @property
    def severity(self) -> Severity:
        """The rule's severity."""
        return self.rule.severity

    def __str__(self) -> str:
        where = f"{self.location}: " if self.location is not None else ""
        hint = f" ({self.hint})" if self.hint else ""
        return printable(f"{where}{self.severity}[{self.rule.name}]: {self.message}{hint}", line_breaks=False)


_DEFAULT_LIMITS = Limits()


class Report:
    """Collects findings. Functions add findings and continue; their caller decides what follows.

    Args:
        diagnostics: Initial findings.
        limits: Limits of readers with this Report; the documented defaults if None.

    Attributes:
        budget: Counts their resource use.

    Raises:
        TypeError: The diagnostics or the limits are something else.
    """

    @typed_arguments
    def __init__(self, diagnostics: Iterable[Diagnostic] = (), *, limits: Limits | None = None) -> None:
        self._diagnostics: list[Diagnostic] = []
        self._error_count = 0
        self.extend(diagnostics)
        self.budget = Budget(limits if limits is not None else _DEFAULT_LIMITS)
        self._suggestions = Suggestions()

    def __repr__(self) -> str:
        counts = Counter(found.severity.value for found in self._diagnostics)
        texts = [f"{count} {word}" + "s" * (count > 1) for word, count in counts.items()]
        return f"Report({', '.join(texts) or 'no findings'})"

    def _repr_html_(self) -> str:
        rows = [
            (one.severity.value, one.rule.name, "" if one.location is None else str(one.location), one.message, one.hint or "")
            for one in self.sorted()
        ]
        return html_table(("severity", "rule", "location", "message", "hint"), rows) if rows else "<p>no findings</p>"

    @property
    def limits(self) -> Limits:
        """The limits of readers with this Report."""
        return self.budget.limits

    def add(
        self,
        rule: Rule,
        message: str,
        location: Location | None = None,
        *,
        path: str = "",
        hint: str | None = None,
        related: tuple[Related, ...] = (),
        fix: MakeFix | None = None,
    ) -> None:
        """Add a finding; see :class:`Diagnostic` for the arguments. Passwords of URIs are hidden.

        Raises:
            TypeError: The rule, the message or the location is none, which would fail only when the findings are shown.
        """
        if not (isinstance(rule, Rule) and isinstance(message, str) and (location is None or isinstance(location, Location))):
            raise TypeError("a finding has a Rule, a text, and a Location or None")
        if len(self._diagnostics) >= self.limits.findings:
            self._refuse_findings()
            return
        message = without_passwords(_shortened(message))
        hint = without_passwords(_shortened(hint)) if hint is not None else None
        self._diagnostics.append(instance_maker(Diagnostic)(rule, message, location, path, hint, related, fix))
        self._error_count += rule.severity is Severity.ERROR

    def suggestion(self, name: str, choices: Iterable[str]) -> str | None:
        """Return a hint that names the choice nearest to a misspelt name, or lists choices; None if there are none.

        The time for all hints of a report is bounded: after many of them the first choices are listed only.
        """
        return self._suggestions.hint(name, choices)

    def refuse(self, refusal: LimitError) -> None:
        """Add the finding about an exceeded limit; it is added even if there are too many findings."""
        found = Diagnostic(rule=refusal.rule, message=refusal.message, location=refusal.location, hint=refusal.hint or None)
        self.extend([found])

    def _refuse_findings(self) -> None:
        if len(self._diagnostics) == self.limits.findings:
            most = self.limits.findings
            self.refuse(LimitError(TOO_MANY_FINDINGS, f"more than {most} findings", None, raising_hint("findings", 4 * most)))

    @typed_arguments
    def extend(self, diagnostics: Iterable[Diagnostic]) -> None:
        """Add existing findings."""
        added = list(diagnostics)
        self._diagnostics.extend(added)
        self._error_count += _count_errors(added)

    @typed_arguments
    def take(self, name: str) -> list[Diagnostic]:
        """Remove and return the findings of the rule with that name."""
        taken = [finding for finding in self._diagnostics if finding.rule.name == name]
        self._diagnostics = [finding for finding in self._diagnostics if finding.rule.name != name]
        self._error_count -= _count_errors(taken)
        return taken

    def replace(self, earlier: Diagnostic, later: Diagnostic) -> None:
        """Replace a finding by one of the same rule, for example of a larger value; add the later one if it was removed."""
        if earlier in self._diagnostics:
            self._diagnostics[self._diagnostics.index(earlier)] = later
        else:
            self.add(later.rule, later.message, later.location, path=later.path, hint=later.hint, related=later.related)

    def sorted(self) -> list[Diagnostic]:
        """Return the findings sorted by file and location, those without location last, each group in order of discovery."""
        return sorted(self._diagnostics, key=_location_text)

    def __iter__(self) -> Iterator[Diagnostic]:
        return iter(self._diagnostics)

    def __len__(self) -> int:
        return len(self._diagnostics)

    def __bool__(self) -> bool:
        """Whether there is a finding."""
        return bool(self._diagnostics)

    @property
    def errors(self) -> list[Diagnostic]:
        """The findings that are errors."""
        return self._of_severity(Severity.ERROR)

    @property
    def warnings(self) -> list[Diagnostic]:
        """The findings that are warnings."""
        return self._of_severity(Severity.WARNING)

    @property
    def notes(self) -> list[Diagnostic]:
        """The findings that are notes."""
        return self._of_severity(Severity.NOTE)

    def _of_severity(self, severity: Severity) -> list[Diagnostic]:
        return [finding for finding in self._diagnostics if finding.severity is severity]

    @property
    def has_errors(self) -> bool:
        """Whether one finding or more is an error."""
        return self._error_count > 0

    def __str__(self) -> str:
        return "\n".join(map(str, self.sorted())) or "no findings"


def _count_errors(findings: Sequence[Diagnostic]) -> int:
    return sum(1 for finding in findings if finding.rule.severity is Severity.ERROR)


_LONGEST_MESSAGE = 4000
"""Characters of a message: names in files may be as long as the file."""


def _shortened(text: str) -> str:
    if len(text) <= _LONGEST_MESSAGE:
        return text
    half = _LONGEST_MESSAGE // 2
    return f"{text[:half]} … {text[-half:]}"


def _location_text(finding: Diagnostic) -> tuple[int, str, int]:
    location = finding.location
    if location is None:
        return (1, "", 0)
    return (0, location.file, -1 if location.offset is None else location.offset)


class OssatureError(Exception):
    """Base of the package's exceptions."""


class FindingsError(OssatureError):
    """Findings prevent an operation.

    Attributes:
        report: Every finding; the errors are the reasons.
    """

    def __init__(self, report: Report) -> None:
        self.report = report
        super().__init__(str(report))


class LoadError(FindingsError):
    """A file could not be read without errors."""
