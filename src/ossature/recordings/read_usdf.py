"""USDF recordings → samples."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from ossature.assets.read_regular_files import file_bytes
from ossature.diagnostics import Diagnostic, Report, Source
from ossature.formats.usdf.read_recording import Series, read_series
from ossature.formats.usdf.rules import COLUMN_COUNT_MISMATCH
from ossature.kinematics.state_frame_motions import link_motions
from ossature.model import JointState, LinkState, State
from ossature.recordings.header import Header
from ossature.recordings.recording_errors import RecordingError
from ossature.recordings.recording_file import RecordingFile, Rows, group_in_blocks
from ossature.recordings.sample_columns import BODIES, JOINTS, Columns, quantities_from_data
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

    unread = [series.samples]  # of the pass over the file that has read its beginning

    def samples() -> Iterator[tuple[State, tuple[float, ...]]]:
        if unread:
            yield from unread.pop()
            return
        again = Report(limits=report.limits)
        try:
            series = read_series(source, again)
            yield from () if series is None else series.samples
        finally:
            known = {_identity(finding) for finding in report}
            report.extend(finding for finding in again if _identity(finding) not in known)

    def rows() -> Rows:
        checked = _report_missing_columns(samples(), state_columns, report)
        return group_in_blocks(
            np.concatenate((row_of(state_columns, state, link_motions(state)), values)) for state, values in checked
        )

    header = Header.of(columns, series.first, series.turns)
    return RecordingFile(path, header, report, rows, lambda: (state for state, _ in samples()))


def _report_missing_columns(
    samples: Iterable[tuple[State, tuple[float, ...]]], columns: Columns, report: Report
) -> Iterator[tuple[State, tuple[float, ...]]]:
    """Yield samples unchanged, and report each link and joint whose numbers the columns do not have."""
    counts = {(each.model, each.name): each.count for each in columns.quantities if each.group == JOINTS}
    links = {(each.model, each.name) for each in columns.quantities if each.group == BODIES}
    reported: set[tuple[str, str, str]] = set()

    def add(kind: str, model: str, element: LinkState | JointState, problem: str) -> None:
        if (kind, model, element.name) not in reported:
            reported.add((kind, model, element.name))
            message = f"{kind} '{model}/{element.name}' {problem}: tables and plots do not contain it"
            report.add(COLUMN_COUNT_MISMATCH, message, element.origin, path=f"{model}/{element.name}")

    for state, values in samples:
        for model in state.models:
            for link in model.links:
                if (model.name, link.name) not in links and link.pose is not None:
                    add("link", model.name, link, "has no pose in the first sample")
            for joint in model.joints:
                count = counts.get((model.name, joint.name))
                positions = joint.positions if joint.positions is not None else joint.velocities
                if positions is None or len(positions) == count:
                    continue
                problem = (
                    "has no positions in the first sample"
                    if count is None
                    else f"does not have {count} positions, but {len(positions)}"
                )
                add("joint", model.name, joint, problem)
        yield state, values


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
