"""CSV and JSON → samples."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from ossature.assets.read_regular_files import file_bytes
from ossature.diagnostics import Budget, Location, Report, Source
from ossature.recordings.header import Header, header_from_json
from ossature.recordings.recording_errors import RecordingError
from ossature.recordings.recording_file import RecordingFile, Rows, group_in_blocks, warn_truncated
from ossature.recordings.sample_columns import Columns, columns_from_labels, columns_from_sample
from ossature.syntax.csv_and_json import csv_rows, json_document, parse_number

T = TypeVar("T")


def read_csv(path: Path, report: Report) -> RecordingFile:
    """Return a recording in CSV.

    Raises:
        OSError: It cannot be read.
        ValueError: It is not a recording.
    """
    budget, location = report.budget, Location(Source(str(path)))
    with path.open(encoding="utf-8-sig", newline="") as file:
        budget.require_file(os.fstat(file.fileno()).st_size, location)
        labels = _read_labels(file, budget, location)
    columns = columns_from_labels(labels)

    def rows() -> Rows:
        with path.open(encoding="utf-8-sig", newline="") as file:
            _read_labels(file, budget, location)
            yield from group_in_blocks(_csv_rows(file, len(labels), path, report))

    return RecordingFile(path, Header(columns=columns), report, rows)


def _read_labels(file: io.TextIOWrapper, budget: Budget, location: Location) -> list[str]:
    row = next(csv_rows(file, budget, location), None)
    if row is None:
        raise ValueError("the file is empty")
    return row[1]


def _csv_rows(file: io.TextIOWrapper, width: int, path: Path, report: Report) -> Rows:
    for number, (line, is_last) in enumerate(_mark_last(file), 2):
        words = line.rstrip("\r\n").split(",")
        if is_last and not line.endswith("\n"):
            warn_truncated(path, report)
            return
        if len(words) != width:
            raise ValueError(f"line {number} has {len(words)} numbers, but the header has {width} columns")
        try:
            row = np.array(list(map(parse_number, words)))
        except ValueError as error:
            raise ValueError(f"line {number}: {error}") from error
        yield row


def _mark_last(lines: Iterable[T]) -> Iterator[tuple[T, bool]]:
    """Yield items, and whether each is the last one."""
    nothing = object()
    items = iter(lines)
    item: Any = next(items, nothing)
    while item is not nothing:
        following: Any = next(items, nothing)
        yield item, following is nothing
        item = following


def read_json(path: Path, report: Report) -> RecordingFile:
    """Return a recording in JSON.

    Raises:
        RecordingError: It cannot be read; the report states the reason.
        ValueError: It is not a recording.
    """
    data = file_bytes(path, report)
    if data is None:
        raise RecordingError(report)
    document = _read_document(data, path, report)
    samples = document.get("samples") if isinstance(document, dict) else None
    if not isinstance(samples, list) or not samples:
        raise ValueError("the recording has no samples")
    header_data = document.get("header")
    columns = columns_from_sample(samples[0])
    header = Header(columns=columns) if header_data is None else header_from_json(json.dumps(header_data))
    return RecordingFile(path, header, report, lambda: group_in_blocks(_json_rows(samples, header.columns)))


def _json_rows(samples: list[Any], columns: Columns) -> Rows:
    for number, sample in enumerate(samples):
        try:
            row = columns.row(sample)
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"sample {number} has different quantities than the first one") from error
        yield row


def _read_document(data: bytes, path: Path, report: Report) -> Any:
    """Return the content of a file; of a truncated one, all complete samples."""
    try:
        return json_document(data, report.budget, Location(Source(str(path))))
    except json.JSONDecodeError as error:
        syntax_error = error
    head, _, lines = data.partition(b"\n")
    try:
        document = json.loads(head + b"]}")
    except json.JSONDecodeError:
        raise ValueError(f"invalid JSON: {syntax_error}") from None
    samples = []
    for line, is_last in _mark_last(lines.splitlines()):
        try:
            samples.append(json.loads(line.rstrip(b",")))
        except json.JSONDecodeError:
            if not is_last:
                raise ValueError(f"invalid JSON: {syntax_error}") from None
    warn_truncated(path, report)
    return document | {"samples": samples}
