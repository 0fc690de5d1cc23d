"""CSV and JSON parsing with limits: values are counted before memory is allocated for them."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator
from typing import Any

from ossature.diagnostics import Budget, Location
from ossature.syntax.xml_values import has_plain_characters

VALUE_BYTES = 64
"""Maximum memory per value while a text is parsed: the number, and its entry in a list [bytes]."""
_ROWS_BETWEEN_CHECKS = 256


class TableError(ValueError):
    """A text is not valid CSV.

    Attributes:
        line: The line, counted from 1.
    """

    def __init__(self, message: str, line: int) -> None:
        self.line = line
        super().__init__(message)


def parse_number(cell: str) -> float:
    """Return the number of a text without digits of other scripts and underscores, which Python allows.

    Raises:
        ValueError: It is not a number.
    """
    if not has_plain_characters(cell):
        raise ValueError(f"'{cell[:40]}' is not a number")
    return float(cell)


def csv_rows(lines: Iterable[str], budget: Budget, location: Location | None = None) -> Iterator[tuple[int, list[str]]]:
    """Yield the non-empty rows of CSV, each with the number of its last line, counted from 1.

    Args:
        lines: The text, line by line.
        budget: Limits the number of values and the CPU time.
        location: Location of the text, for findings.

    Raises:
        LimitError: There are more values than the largest array can have, or reading takes too long.
        TableError: It is not valid CSV.
    """
    reader = csv.reader(_check_limits(lines, budget, location))
    try:
        yield from ((reader.line_num, row) for row in reader if row)
    except csv.Error as error:
        raise TableError(str(error), reader.line_num) from error


def _check_limits(lines: Iterable[str], budget: Budget, location: Location | None) -> Iterator[str]:
    values = 0
    for number, line in enumerate(lines):
        values += 1 + line.count(",")
        budget.require_array(values, VALUE_BYTES, location)
        if not number % _ROWS_BETWEEN_CHECKS:
            budget.check_time(location)
        yield line


def json_document(data: str | bytes, budget: Budget, location: Location | None = None, **options: Any) -> Any:
    """Return the parsed value of a JSON text.

    Args:
        budget: Limits the number of values.
        location: Location of the text, for findings.
        options: Further arguments of ``json.loads``.

    Raises:
        LimitError: There may be more values than the largest array can have: brackets and commas are counted.
        json.JSONDecodeError: It is not valid JSON.
        RecursionError: Its values are nested too deeply.
    """
    separators = ("[", "{", ",") if isinstance(data, str) else (b"[", b"{", b",")
    budget.require_array(1 + sum(map(data.count, separators)), VALUE_BYTES, location)  # type: ignore[arg-type]  # same type as data
    return json.loads(data, **options)
