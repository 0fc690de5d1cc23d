"""CSV and JSON: their values, counted before memory is taken for them."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator
from typing import Any

from ossature.diagnostics import Budget, Location

VALUE_BYTES = 64
"""Memory that a value of a text takes while it is read, at most: its number, and its place in a list [bytes]."""
_ROWS_BETWEEN_CHECKS = 256


class TableError(ValueError):
    """A text is no CSV.

    Attributes:
        line: The line, counted from 1.
    """

    def __init__(self, message: str, line: int) -> None:
        self.line = line
        super().__init__(message)


def csv_rows(lines: Iterable[str], budget: Budget, location: Location | None = None) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows of CSV that are not empty, each with the line on which it ends, counted from 1.

    Args:
        lines: The text, line by line.
        budget: What limits the number of values and the CPU time.
        location: The text as a whole.

    Raises:
        LimitError: There are more values than fit into the largest array, or reading takes too long.
        TableError: It is no CSV.
    """
    reader = csv.reader(_counted(lines, budget, location))
    try:
        yield from ((reader.line_num, row) for row in reader if row)
    except csv.Error as error:
        raise TableError(str(error), reader.line_num) from error


def _counted(lines: Iterable[str], budget: Budget, location: Location | None) -> Iterator[str]:
    values = 0
    for number, line in enumerate(lines):
        values += 1 + line.count(",")
        budget.require_array(values, VALUE_BYTES, location)
        if not number % _ROWS_BETWEEN_CHECKS:
            budget.check_time(location)
        yield line


def json_document(data: str | bytes, budget: Budget, location: Location | None = None, **options: Any) -> Any:
    """Return what a text in JSON consists of.

    Args:
        data: The text.
        budget: What limits the number of values.
        location: The text as a whole.
        options: Further arguments of ``json.loads``.

    Raises:
        LimitError: There may be more values than fit into the largest array: brackets and commas are counted.
        json.JSONDecodeError: It is no JSON.
        RecursionError: Its values are inside one another too deeply.
    """
    marks = ("[", "{", ",") if isinstance(data, str) else (b"[", b"{", b",")
    budget.require_array(1 + sum(map(data.count, marks)), VALUE_BYTES, location)  # type: ignore[arg-type]  # of its own type
    return json.loads(data, **options)
