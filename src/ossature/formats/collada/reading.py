"""What every part of the reader knows."""

from __future__ import annotations

from dataclasses import dataclass, field

from ossature.diagnostics import Location, Report
from ossature.formats.collada import rules
from ossature.formats.collada.documents import Document, Documents

FORMAT = "collada"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """One reading of a document.

    Attributes:
        report: Where findings go.
        documents: Where references lead.
        document: The document that is read.
        as_openrave: Whether to read as the program does where it differs from COLLADA.
    """

    report: Report
    documents: Documents
    document: Document
    as_openrave: bool = False

    @property
    def values_in_radians(self) -> bool:
        """Whether joint values, speeds and accelerations of turns are in radians."""
        return self.document.writes_radians


@dataclass(slots=True)
class Names:
    """Gives unique names."""

    report: Report
    what: str
    taken: set[str] = field(default_factory=set)

    def take(self, name: str | None, default: str, location: Location | None) -> str:
        """Return the name, or another one like it where it is missing or taken, with a finding."""
        wanted = name or default
        unique, count = wanted, 1
        while unique in self.taken:
            count += 1
            unique = f"{wanted}_{count}"
        self.taken.add(unique)
        if unique != name:
            problem = f"the name '{name}' is taken" if name else "there is no name"
            self.report.add(rules.RENAMED_BODY, f"{problem}: this {self.what} is called '{unique}'", location)
        return unique
