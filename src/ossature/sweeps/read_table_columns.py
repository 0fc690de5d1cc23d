"""Tables with values of parameters: columns of CSV and Parquet files."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

from ossature.assets.read_regular_files import file_bytes, require_regular
from ossature.diagnostics import Location, OssatureError, Report, Source, suggestion
from ossature.syntax.csv_and_json import TableError, csv_rows, parse_number


class ParameterTableError(OssatureError):
    """A table cannot be read, or has no such column."""


def read_columns(path: Path, names: Sequence[str], report: Report) -> dict[str, tuple[float, ...]]:
    """Return columns of a .csv or .parquet table by name.

    Raises:
        ParameterTableError: The table has another suffix or cannot be read, a column does not exist, or a value is not a finite
            number.
        LimitError: The table is too large.
    """
    read = _READERS.get(path.suffix.lower())
    if read is None:  # messages quote names of columns and values, but not those of any file of the system
        raise ParameterTableError(f"{path}: a table is a {' or '.join(_READERS)} file")
    columns = read(path, names, report)
    for name, values in columns.items():
        wrong = next((row for row, value in enumerate(values) if not math.isfinite(value)), None)
        if wrong is not None:
            raise ParameterTableError(f"{path}: row {wrong + 1} of the column '{name}' is not a finite number")
    return columns


def _read_csv(path: Path, names: Sequence[str], report: Report) -> dict[str, tuple[float, ...]]:
    data = file_bytes(path, report)
    if data is None:
        raise ParameterTableError(f"{path} cannot be read")
    location = Location(Source(str(path)))
    try:
        rows = csv_rows(data.decode("utf-8-sig").splitlines(), report.budget, location)
        header = [name.strip() for name in next(rows, (0, []))[1]]
        places = {name: _place(name, header, path) for name in names}
        cells = [(line, [row[place] if place < len(row) else "" for place in places.values()]) for line, row in rows]
    except (TableError, UnicodeDecodeError) as error:
        raise ParameterTableError(f"{path}: {error}") from error
    numbers = [[_number(cell, path, line) for cell in row] for line, row in cells]
    return {name: tuple([row[number] for row in numbers]) for number, name in enumerate(places)}


def _place(name: str, header: list[str], path: Path) -> int:
    if name not in header:
        raise ParameterTableError(f"{path} has no column '{name}': {suggestion(name, header) or 'it is empty'}")
    return header.index(name)


def _number(cell: str, path: Path, line: int) -> float:
    try:
        return parse_number(cell)
    except ValueError as error:
        raise ParameterTableError(f"{path}:{line}: '{cell[:40]}' is not a number") from error


def _read_parquet(path: Path, names: Sequence[str], report: Report) -> dict[str, tuple[float, ...]]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise ParameterTableError("Parquet needs pyarrow: pip install 'ossature[tables]'") from error
    try:
        require_regular(path)
        file = pyarrow.parquet.ParquetFile(path)
        header = file.schema_arrow.names
        for name in names:
            _place(name, header, path)
        report.budget.require_array(file.metadata.num_rows * len(names), 64, Location(Source(str(path))))
        table = file.read(columns=list(names))
        return {name: tuple([float(value) for value in table.column(name).to_pylist()]) for name in names}
    except (OSError, ValueError, TypeError, pyarrow.ArrowException) as error:
        raise ParameterTableError(f"{path}: {error}") from error


_READERS = {".csv": _read_csv, ".parquet": _read_parquet}
