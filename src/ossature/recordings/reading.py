"""Reading recordings of every kind, those that are still growing and those that were cut off among them."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ossature.diagnostics import Location, OssatureError, Report, Rule, Severity, Source
from ossature.formats.files import file_bytes
from ossature.formats.usdf.rules import TORN_RECORDING
from ossature.formats.usdf.series import read_series
from ossature.kinematics.frames import link_motions
from ossature.model import State
from ossature.recordings.columns import Columns, columns_from_data, columns_from_labels
from ossature.recordings.header import Header, header_from_json
from ossature.recordings.journal import SUFFIX, Journal
from ossature.recordings.links import Links
from ossature.recordings.states import columns_of, row_of, states_of
from ossature.recordings.tables import METADATA_KEY, NPZ_HEADER, NPZ_SAMPLES

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Rows = Iterator[NDArray[np.float64]]

BAD_RECORDING = Rule(
    name="bad-recording",
    severity=Severity.ERROR,
    summary="A file is no recording.",
    explanation=(
        "Recordings are what `ossature simulate --record` writes: .usdf, .parquet, .npz, .csv and .json, and the journals "
        "(.parquet.part, .npz.part) that tables leave where a simulation did not come to its end."
    ),
)
RULES = (BAD_RECORDING,)


class RecordingError(OssatureError):
    """A recording cannot be read.

    Attributes:
        report: Why not.
    """

    def __init__(self, report: Report) -> None:
        self.report = report
        super().__init__(str(report))


@dataclass(frozen=True, slots=True)
class RecordingFile:
    """A recording that can be read, again and again.

    Attributes:
        path: The file that is read.
        header: What it says once.
        rows: Yields samples in blocks, of shape (samples, columns).
        states: Yields the state of each sample.
    """

    path: Path
    header: Header
    rows: Callable[[], Rows]
    states: Callable[[], Iterator[State]]

    def times_from_to(self) -> tuple[float, float]:
        """Return the times of the first and the last sample [s]; not a number where there is none."""
        first, last = math.nan, math.nan
        for block in self.rows():
            first = float(block[0, 0]) if math.isnan(first) else first
            last = float(block[-1, 0])
        return first, last

    def table(self) -> NDArray[np.float64]:
        """Return all samples, of shape (samples, columns)."""
        blocks = list(self.rows())
        return np.concatenate(blocks) if blocks else np.zeros((0, len(self.header.columns.labels)))


def open_recording(path: Path, report: Report) -> RecordingFile:
    """Return a recording; where a table is not there yet, that of the journal beside it.

    Raises:
        RecordingError: It cannot be read.
    """
    journal = path if path.name.endswith(SUFFIX) else path.with_name(path.name + SUFFIX)
    if journal.exists() and (journal == path or not path.exists()):
        path = journal
    reader = _READERS.get(path.suffix.lower())
    if reader is None:
        return _refused(path, report, f"the suffix '{path.suffix}' is none of a recording")
    try:
        return reader(path, report)
    except OSError as error:
        return _refused(path, report, (error.strerror or str(error)).lower())
    except ImportError:
        return _refused(path, report, "Parquet needs pyarrow: pip install 'ossature[tables]'")
    except (ValueError, KeyError, RecursionError) as error:
        return _refused(path, report, str(error.args[0] if error.args else error))


def _refused(path: Path, report: Report, message: str) -> RecordingFile:
    report.add(BAD_RECORDING, message, Location(Source(str(path))), hint="name a recording or its journal")
    raise RecordingError(report)


def _of_rows(path: Path, header: Header, rows: Callable[[], Rows]) -> RecordingFile:
    Links(header)  # tells what is missing
    return RecordingFile(path, header, rows, lambda: (state for block in rows() for state in states_of(header, block)))


def _usdf(path: Path, report: Report) -> RecordingFile:
    data = file_bytes(path, report)
    source = Source(str(path), data or b"")
    series = None if data is None else read_series(source, report)
    if series is None or report.has_errors:
        raise RecordingError(report)
    of_states = columns_of(series.first)
    besides = [(one.group, one.model, one.name, one.field, one.width) for one in series.quantities]
    columns = Columns((*of_states.quantities, *columns_from_data(besides).quantities))
    if len(columns.labels) != len(of_states.labels) + len(series.values):
        raise ValueError(f"it has {len(series.values)} values besides its state, and its quantities another number")
    header = Header.of(columns, series.first)

    def samples() -> Iterator[tuple[State, tuple[float, ...]]]:
        series = read_series(source, report)
        return iter(()) if series is None else series.samples

    def rows() -> Rows:
        yield from _in_blocks(
            np.concatenate((row_of(of_states, state, link_motions(state)), values)) for state, values in samples()
        )

    return RecordingFile(path, header, rows, lambda: (state for state, _ in samples()))


def _in_blocks(rows: Iterable[NDArray[np.float64]], length: int = 1024) -> Rows:
    block: list[NDArray[np.float64]] = []
    for row in rows:
        block.append(row)
        if len(block) == length:
            yield np.array(block)
            block = []
    if block:
        yield np.array(block)


def _csv(path: Path, report: Report) -> RecordingFile:
    with path.open(encoding="utf-8", newline="") as file:
        labels = next(csv.reader(file), None)
    if labels is None:
        raise ValueError("the file is empty")
    columns = columns_from_labels(labels)

    def rows() -> Rows:
        with path.open(encoding="utf-8", newline="") as file:
            next(csv.reader(file))
            yield from _in_blocks(_csv_rows(file, len(labels), path, report))

    return _of_rows(path, Header(columns=columns), rows)


def _csv_rows(file: io.TextIOBase | Any, width: int, path: Path, report: Report) -> Rows:
    for line in file:
        words = line.rstrip("\r\n").split(",")
        if not line.endswith("\n") or len(words) != width:
            _tell_torn(path, report)
            return
        yield np.array(words, dtype=float)


def _json(path: Path, report: Report) -> RecordingFile:
    data = file_bytes(path, report)
    if data is None:
        raise RecordingError(report)
    samples = _json_samples(data, path, report)
    if not samples:
        raise ValueError("there is no sample in it")
    columns = columns_from_labels([label for label, _ in _flat(samples[0])])

    def rows() -> Rows:
        yield from _in_blocks(np.array([value for _, value in _flat(sample)]) for sample in samples)

    return _of_rows(path, Header(columns=columns), rows)


def _json_samples(data: bytes, path: Path, report: Report) -> list[dict[str, Any]]:
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
    _tell_torn(path, report)
    return samples


def _flat(sample: dict[str, Any]) -> Iterator[tuple[str, float]]:
    yield "time", float(sample["time"])
    for group in ("bodies", "joints", "elements", "reactions"):
        prefix = "reaction_" if group == "reactions" else ""
        for model, names in sample.get(group, {}).items():
            for name, fields in names.items():
                for field, values in fields.items():
                    label = f"{model}/{name}.{prefix}{field}"
                    if not isinstance(values, list):
                        yield label, float(values)
                        continue
                    yield from ((f"{label}[{number}]", float(value)) for number, value in enumerate(values))
    for field, value in sample.get("energy", {}).items():
        yield f"energy.{field}", float(value)
    if "violation" in sample:
        yield "violation", float(sample["violation"])


def _tell_torn(path: Path, report: Report) -> None:
    if not any(finding.rule is TORN_RECORDING for finding in report):
        report.add(TORN_RECORDING, "the last sample is not whole and left out", Location(Source(str(path))))


def _npz(path: Path, report: Report) -> RecordingFile:
    with np.load(path, allow_pickle=False) as archive:
        header, samples = header_from_json(str(archive[NPZ_HEADER])), archive[NPZ_SAMPLES]
    if samples.ndim != 2 or samples.shape[1] != len(header.columns.labels):
        raise ValueError("its samples and its columns do not fit")
    return _of_rows(path, header, lambda: iter([samples]))


def _parquet(path: Path, report: Report) -> RecordingFile:
    import pyarrow
    import pyarrow.parquet

    try:
        metadata = pyarrow.parquet.read_schema(str(path)).metadata or {}
    except pyarrow.ArrowInvalid as error:
        raise ValueError(str(error).splitlines()[0]) from error
    if METADATA_KEY not in metadata:
        raise ValueError("this table is no recording")
    header = header_from_json(metadata[METADATA_KEY])

    def rows() -> Rows:
        with pyarrow.parquet.ParquetFile(str(path)) as file:
            for batch in file.iter_batches(batch_size=16384):
                yield np.column_stack([column.to_numpy() for column in batch.columns])

    return _of_rows(path, header, rows)


def _journal(path: Path, report: Report) -> RecordingFile:
    journal = Journal(path)
    return _of_rows(path, journal.header, journal.blocks)


_READERS: dict[str, Callable[[Path, Report], RecordingFile]] = {
    ".usdf": _usdf,
    ".csv": _csv,
    ".json": _json,
    ".npz": _npz,
    ".parquet": _parquet,
    SUFFIX: _journal,
}
