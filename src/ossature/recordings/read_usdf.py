"""USDF recordings → samples."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from ossature.assets.read_regular_files import file_bytes
from ossature.diagnostics import Diagnostic, Report, Source
from ossature.formats.usdf.read_recording import Series, read_series
from ossature.kinematics.state_frame_motions import link_motions
from ossature.model import State
from ossature.recordings.header import Header
from ossature.recordings.recording_errors import RecordingError
from ossature.recordings.recording_file import RecordingFile, Rows, group_in_blocks
from ossature.recordings.sample_columns import Columns, quantities_from_data
from ossature.recordings.state_conversion import columns_of, row_of


def read_usdf(path: Path, report: Report) -> RecordingFile:
    """Return a recording in USDF.

    Raises:
        RecordingError: It cannot be read; the report states the reason.
        ValueError: The values do not match the quantities.
    """
    data = file_bytes(path, report)
    source = Source(str(path), data or b"")
    series = None if data is None else read_series(source, report)
    if series is None or report.has_errors:
        raise RecordingError(report)
    state_columns = columns_of(series.first)
    columns = _with_quantities(state_columns, series)

    def samples() -> Iterator[tuple[State, tuple[float, ...]]]:
        again = Report(limits=report.limits)
        try:
            series = read_series(source, again)
            yield from () if series is None else series.samples
        finally:
            known = {_identity(finding) for finding in report}
            report.extend(finding for finding in again if _identity(finding) not in known)

    def rows() -> Rows:
        return group_in_blocks(
            np.concatenate((row_of(state_columns, state, link_motions(state)), values)) for state, values in samples()
        )

    header = Header.of(columns, series.first, series.turns)
    return RecordingFile(path, header, report, rows, lambda: (state for state, _ in samples()))


def _identity(finding: Diagnostic) -> tuple[str, str, str]:
    """Return what equal findings of several passes over a file have in common."""
    return finding.rule.name, finding.message, str(finding.location)


def _with_quantities(state_columns: Columns, series: Series) -> Columns:
    additional = [(one.group, one.model, one.name, one.field, one.width) for one in series.quantities]
    columns = Columns((*state_columns.quantities, *quantities_from_data(additional)))
    if columns.count != state_columns.count + len(series.values):
        raise ValueError(
            f"a sample has {len(series.values)} additional values instead of {columns.count - state_columns.count}"
        )
    return columns
