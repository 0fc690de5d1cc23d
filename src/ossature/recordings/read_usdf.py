"""USDF recordings → samples."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from ossature.assets.regular_files import file_bytes
from ossature.diagnostics import Report, Source
from ossature.formats.usdf.recording_reader import Series, read_series
from ossature.kinematics.state_kinematics import link_motions
from ossature.model import State
from ossature.recordings.header import Header
from ossature.recordings.recording_file import RecordingError, RecordingFile, Rows, in_blocks
from ossature.recordings.sample_columns import Columns, quantities_from_data
from ossature.recordings.state_conversion import columns_of, row_of


def read_usdf(path: Path, report: Report) -> RecordingFile:
    """Return a recording in USDF.

    Raises:
        RecordingError: It cannot be read; the report says why.
        ValueError: Its values and its quantities do not fit.
    """
    data = file_bytes(path, report)
    source = Source(str(path), data or b"")
    series = None if data is None else read_series(source, report)
    if series is None or report.has_errors:
        raise RecordingError(report)
    of_states = columns_of(series.first)
    columns = _with_quantities(of_states, series)

    def samples() -> Iterator[tuple[State, tuple[float, ...]]]:
        again = read_series(source, report)
        return iter(()) if again is None else again.samples

    def rows() -> Rows:
        return in_blocks(np.concatenate((row_of(of_states, state, link_motions(state)), values)) for state, values in samples())

    header = Header.of(columns, series.first, series.turns)
    return RecordingFile(path, header, report, rows, lambda: (state for state, _ in samples()))


def _with_quantities(of_states: Columns, series: Series) -> Columns:
    besides = [(one.group, one.model, one.name, one.field, one.width) for one in series.quantities]
    columns = Columns((*of_states.quantities, *quantities_from_data(besides)))
    if columns.count != of_states.count + len(series.values):
        raise ValueError(f"it has {len(series.values)} values besides its state, and its quantities another number")
    return columns
