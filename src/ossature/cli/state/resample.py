"""``ossature state resample``: a recording with another sample interval or in another format."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ossature.array_types import Array
from ossature.cli.console import EXIT_INVALID_INPUT, errors_console, fail, print_findings
from ossature.cli.output_path_checks import check_outputs, writing
from ossature.cli.read_options import FileOptions
from ossature.cli.state_options import StateArgument, open_file, reading
from ossature.diagnostics import OssatureError

if TYPE_CHECKING:
    from ossature.model import State
    from ossature.recordings import RecordingFile

SHORTEST_INTERVAL = 1e-6
"""Between samples that are asked for [s]."""


def resample(
    file: StateArgument,
    output: Annotated[Path, typer.Argument(metavar="OUT", help="The recording to write; its suffix determines the format.")],
    read: FileOptions,
    sample_interval: Annotated[float | None, typer.Option(help="Time between samples [s]; unchanged by default.")] = None,
    start: Annotated[float | None, typer.Option(help="Start time [s].")] = None,
    end: Annotated[float | None, typer.Option(help="End time [s].")] = None,
) -> None:
    """Write a recording with another sample interval or format; also recovers recordings of killed programs.

    Between samples numbers are interpolated linearly, and rotations by slerp.
    """
    _check_times(sample_interval, start, end)
    recording, report = open_file(file, verbose=read.verbose)
    check_outputs([file, recording.path], [output])
    with reading(report, verbose=read.verbose):
        _write_recording(recording, output, _resample_rows(recording, sample_interval, start, end))
    print_findings(report, verbose=read.verbose, quiet=True)
    for omission in _omitted_parts(recording):
        errors_console().print(f"left out: {omission}", style="dim")
    if sample_interval is not None:
        errors_console().print("interpolated between samples: numbers linearly, rotations by slerp", style="dim")
    if report.has_errors:
        raise typer.Exit(EXIT_INVALID_INPUT)


def _check_times(interval: float | None, start: float | None, end: float | None) -> None:
    if interval is not None and not SHORTEST_INTERVAL <= interval < math.inf:
        fail(f"--sample-interval must be at least {SHORTEST_INTERVAL:g} s, not {interval:g}")
    for name, value in (("--start", start), ("--end", end)):
        if value is not None and not math.isfinite(value):
            fail(f"{name} must be a finite number of seconds, not {value:g}")


def _resample_rows(recording: RecordingFile, interval: float | None, start: float | None, end: float | None) -> Iterator[Array]:
    from ossature.recordings.sample_interpolation import ROUNDING, resample_rows

    rows = (row for block in recording.rows() for row in block)
    if interval is not None:
        _check_count(recording, interval, start, end)
        return resample_rows(recording.header, rows, interval, start=start, end=end)
    first, last = -math.inf if start is None else start - ROUNDING, math.inf if end is None else end + ROUNDING
    return (row for row in rows if not (row[0] < first or row[0] > last))


def _check_count(recording: RecordingFile, interval: float, start: float | None, end: float | None) -> None:
    from ossature.recordings.sample_interpolation import check_samples

    times = recording.time_range()
    if math.isnan(times[0]):
        return  # a state without a time, or a file without samples, gets another message
    try:
        check_samples(times, interval, start, end)
    except ValueError as error:
        fail(f"{recording.path}: {error}")


def _omitted_parts(recording: RecordingFile) -> list[str]:
    """Return the parts of a recording's first state that samples do not contain."""
    state = next(recording.states())
    joints = [joint for model in state.models for joint in model.joints]
    links = [link for model in state.models for link in model.links]
    parts = {
        "frames; the poses of models are given in the world": bool(len(state.frames)),
        "velocities of models": any(model.twist is not None for model in state.models),
        "torques of joints": any(joint.efforts for joint in joints),
        "wrenches of links": any(link.wrench is not None for link in links),
        "grasps": bool(state.grasps),
    }
    return [part for part, is_present in parts.items() if is_present]


def _write_recording(recording: RecordingFile, output: Path, rows: Iterator[Array]) -> None:
    from ossature.recordings import RecordingError, open_writer
    from ossature.recordings.recording_errors import raising_recording_error

    first = next(rows, None)
    if first is None:
        fail(f"{recording.path}: there is no sample between these times", EXIT_INVALID_INPUT)
    if math.isnan(first[0]):
        fail(f"{recording.path}: the state has no time stamp", EXIT_INVALID_INPUT)
    try:
        with raising_recording_error(recording.path, recording.report):  # numbers of bodies can overflow
            state = _state_of_row(recording, first)
        with writing(output), _replacing_recording(output) as target, open_writer(target, recording.header, state) as writer:
            writer.write(first)
            for row in rows:
                writer.write(row)
    except RecordingError:
        raise
    except OssatureError as error:
        fail(str(error))


def _state_of_row(recording: RecordingFile, row: Array) -> State:
    from ossature.recordings.state_conversion import states_of_rows

    return next(states_of_rows(recording.header, row[None]))


@contextmanager
def _replacing_recording(path: Path) -> Iterator[Path]:
    """Write a recording into a temporary file, which replaces the other one when it is complete; else nothing remains of it."""
    from ossature.assets import FileLock, replacing
    from ossature.assets.atomic_write import is_stream
    from ossature.recordings.write import sample_file

    if is_stream(path):
        yield path
        return
    lock = FileLock(path)
    try:
        with replacing(path) as target:
            try:
                yield target
            except BaseException:
                sample_file(target).unlink(missing_ok=True)
                raise
    finally:
        lock.release()
