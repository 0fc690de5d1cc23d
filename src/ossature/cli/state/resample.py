"""``ossature state resample``: a recording at other times, or as another kind of file."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ossature.cli.common import INPUT_AT_FAULT, LimitsOption, Verbose, fail, print_findings
from ossature.cli.console import errors_console
from ossature.cli.outputs import check_outputs, writing
from ossature.cli.states import StateArgument, open_file, reading
from ossature.diagnostics import OssatureError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ossature.model import State
    from ossature.recordings import RecordingFile

SHORTEST_INTERVAL = 1e-6
"""Between samples that are asked for [s]."""


def resample(
    file: StateArgument,
    output: Annotated[Path, typer.Argument(help="The recording to write; its suffix says which kind.", show_default=False)],
    interval: Annotated[float | None, typer.Option(help="Interval between samples [s]; as they are if not given.")] = None,
    start: Annotated[float | None, typer.Option(help="First time [s].")] = None,
    end: Annotated[float | None, typer.Option(help="Last time [s].")] = None,
    limit: LimitsOption = None,
    verbose: Verbose = False,
) -> None:
    """Write a recording at other times, or as another kind of file; also what a killed program left.

    Between samples numbers go along straight lines, and rotations the shortest way.
    """
    _check_times(interval, start, end)
    recording, report = open_file(file, verbose=verbose)
    check_outputs([file, recording.path], [output])
    with reading(report, verbose=verbose):
        _write(recording, output, _rows(recording, interval, start, end))
    print_findings(report, verbose=verbose, quiet=True)
    for what in _left_out(recording):
        errors_console().print(f"left out: {what}", style="dim")
    if interval is not None:
        errors_console().print("between samples: straight lines, and rotations the shortest way", style="dim")
    if report.has_errors:
        raise typer.Exit(INPUT_AT_FAULT)


def _check_times(interval: float | None, start: float | None, end: float | None) -> None:
    if interval is not None and not SHORTEST_INTERVAL <= interval < math.inf:
        fail(f"--interval must be a number of seconds from {SHORTEST_INTERVAL:g} on, not {interval:g}")
    for name, value in (("--start", start), ("--end", end)):
        if value is not None and not math.isfinite(value):
            fail(f"{name} must be a number of seconds, not {value:g}")


def _rows(
    recording: RecordingFile, interval: float | None, start: float | None, end: float | None
) -> Iterator[NDArray[np.float64]]:
    from ossature.recordings.resampling import ROUNDING, resampled

    rows = (row for block in recording.rows() for row in block)
    if interval is not None:
        _check_count(recording, interval, start, end)
        return resampled(recording.header, rows, interval, start=start, end=end)
    first, last = -math.inf if start is None else start - ROUNDING, math.inf if end is None else end + ROUNDING
    return (row for row in rows if not (row[0] < first or row[0] > last))


def _check_count(recording: RecordingFile, interval: float, start: float | None, end: float | None) -> None:
    from ossature.recordings.resampling import check_samples

    times = recording.times_from_to()
    if math.isnan(times[0]):
        return  # of a state without a time, or of a file without samples, something else is said
    try:
        check_samples(times, interval, start, end)
    except ValueError as error:
        fail(f"{recording.path}: {error}")


def _left_out(recording: RecordingFile) -> list[str]:
    """Return what the recording's first state says besides the numbers of samples."""
    state = next(recording.states())
    joints = [joint for model in state.models for joint in model.joints]
    links = [link for model in state.models for link in model.links]
    said = {
        "frames, whose places in the world the models keep": bool(len(state.frames)),
        "velocities of models": any(model.twist is not None for model in state.models),
        "torques of joints": any(joint.efforts for joint in joints),
        "wrenches of links": any(link.wrench is not None for link in links),
        "what hands hold": bool(state.held),
    }
    return [what for what, is_said in said.items() if is_said]


def _write(recording: RecordingFile, output: Path, rows: Iterator[NDArray[np.float64]]) -> None:
    from ossature.recordings import RecordingError, open_writer

    first = next(rows, None)
    if first is None:
        fail(f"{recording.path}: there is no sample between these times", INPUT_AT_FAULT)
    if math.isnan(first[0]):
        fail(f"{recording.path}: its state says no time, so it is no recording", INPUT_AT_FAULT)
    state = _state(recording, first)
    try:
        with writing(output), _taking_the_place_of(output) as target, open_writer(target, recording.header, state) as writer:
            writer.write(first)
            for row in rows:
                writer.write(row)
    except RecordingError:
        raise
    except OssatureError as error:
        fail(str(error))


def _state(recording: RecordingFile, row: NDArray[np.float64]) -> State:
    from ossature.recordings.states import states_of

    return next(states_of(recording.header, row[None]))


@contextmanager
def _taking_the_place_of(path: Path) -> Iterator[Path]:
    """Let a recording be written beside another one, and take its place when it is whole; nothing is left of it otherwise."""
    from ossature.assets import FileLock, replacing
    from ossature.assets.output_files import is_stream
    from ossature.recordings.writing import file_of

    if is_stream(path):
        yield path
        return
    lock = FileLock(path)
    try:
        with replacing(path) as target:
            try:
                yield target
            except BaseException:
                file_of(target).unlink(missing_ok=True)
                raise
    finally:
        lock.release()
