"""CSV and JSON → samples."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ossature.diagnostics import Report
from ossature.formats.files import file_bytes
from ossature.recordings.columns import columns_from_labels
from ossature.recordings.file import RecordingError, RecordingFile, Rows, in_blocks, tell_torn
from ossature.recordings.header import Header


def read_csv(path: Path, report: Report) -> RecordingFile:
    """Return a recording in CSV.

    Raises:
        OSError: It cannot be read.
        ValueError: It is none.
    """
    with path.open(encoding="utf-8", newline="") as file:
        labels = _labels(file)
    columns = columns_from_labels(labels)

    def rows() -> Rows:
        with path.open(encoding="utf-8", newline="") as file:
            _labels(file)
            yield from in_blocks(_csv_rows(file, len(labels), path, report))

    return RecordingFile(path, Header(columns=columns), report, rows)


def _labels(file: io.TextIOWrapper) -> list[str]:
    try:
        labels = next(csv.reader(file), None)
    except csv.Error as error:
        raise ValueError(str(error)) from error
    if labels is None:
        raise ValueError("the file is empty")
    return labels


def _csv_rows(file: io.TextIOWrapper, width: int, path: Path, report: Report) -> Rows:
    for line in file:
        words = line.rstrip("\r\n").split(",")
        if not line.endswith("\n") or len(words) != width:
            tell_torn(path, report)
            return
        yield np.array(words, dtype=float)


def read_json(path: Path, report: Report) -> RecordingFile:
    """Return a recording in JSON.

    Raises:
        RecordingError: It cannot be read; the report says why.
        ValueError: It is none.
    """
    data = file_bytes(path, report)
    if data is None:
        raise RecordingError(report)
    samples = _json_samples(data, path, report)
    if not samples:
        raise ValueError("there is no sample in it")
    columns = columns_from_labels([label for label, _ in _flat(samples[0])])

    def rows() -> Rows:
        return in_blocks(_json_rows(samples, columns.labels))

    return RecordingFile(path, Header(columns=columns), report, rows)


def _json_rows(samples: list[Any], labels: list[str]) -> Rows:
    for sample in samples:
        row = dict(_flat(sample))
        if list(row) != labels:
            raise ValueError("a sample has other quantities than the first one")
        yield np.array(list(row.values()))


def _json_samples(data: bytes, path: Path, report: Report) -> list[Any]:
    try:
        return list(json.loads(data)["samples"])
    except json.JSONDecodeError:
        pass
    samples = []
    for line in data.splitlines()[1:]:
        try:
            samples.append(json.loads(line.rstrip(b",")))
        except json.JSONDecodeError:
            break  # here it was cut off
    if not samples:
        raise ValueError("this is no JSON")
    tell_torn(path, report)
    return samples


def _flat(sample: Any) -> Iterator[tuple[str, float]]:
    """Yield the numbers of a sample with the names of their columns."""
    if not isinstance(sample, dict):
        raise ValueError("a sample is no object")
    yield "time", float(sample["time"])
    for group in ("bodies", "joints", "elements", "reactions"):
        prefix = "reaction_" if group == "reactions" else ""
        for model, names in _items(sample.get(group, {})):
            for name, fields in _items(names):
                for field, values in _items(fields):
                    yield from _values(f"{model}/{name}.{prefix}{field}", values)
    yield from ((f"energy.{field}", float(value)) for field, value in _items(sample.get("energy", {})))
    if "violation" in sample:
        yield "violation", float(sample["violation"])


def _items(group: Any) -> Iterator[tuple[str, Any]]:
    if not isinstance(group, dict):
        raise ValueError("a sample has something else where names should be")
    yield from group.items()


def _values(label: str, values: Any) -> Iterator[tuple[str, float]]:
    if isinstance(values, list):
        yield from ((f"{label}[{number}]", float(value)) for number, value in enumerate(values))
    else:
        yield label, float(values)
