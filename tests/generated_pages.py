"""The generated pages as they are in the repository, and what writes them."""

from __future__ import annotations

import sys
from functools import cache

from conftest import PROJECT

sys.path.insert(0, str(PROJECT / "docs"))
try:
    import generate
finally:
    sys.path.pop(0)

__all__ = ["first_cell", "generate", "is_on_the_page"]


@cache
def _rows_of_coverage() -> dict[str, list[str]]:
    rows: dict[str, list[str]] = {}
    for line in (generate.DOCS / "coverage.md").read_text(encoding="utf-8").splitlines():
        rows.setdefault(first_cell(line), []).append(line)
    return rows


def first_cell(line: str) -> str:
    """Return a line of a table up to the end of its first cell."""
    return line.split(" | ")[0]


def is_on_the_page(line: str) -> bool:
    """Whether the coverage page has a line; where it has not, run ``make docs``."""
    return line in _rows_of_coverage().get(first_cell(line), ())
