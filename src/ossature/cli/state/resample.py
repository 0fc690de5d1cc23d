"""``ossature state resample``: a recording at other times, or as another kind of file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ossature.cli.common import INPUT_AT_FAULT, Verbose, errors_console, fail, print_findings
from ossature.cli.states import StateArgument, open_file
from ossature.diagnostics import OssatureError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ossature.recordings import RecordingFile

_ROUNDING = 1e-9
"""What times gather by being added up [s]."""


def resample(
    file: StateArgument,
    output: Annotated[Path, typer.Argument(help="The recording to write; its suffix says which kind.", show_default=False)],
    interval: Annotated[float | None, typer.Option(help="Interval between samples [s]; as they are if not given.")] = None,
    start: Annotated[float | None, typer.Option(help="First time [s].")] = None,
    end: Annotated[float | None, typer.Option(help="Last time [s].")] = None,
    verbose: Verbose = False,
) -> None:
    """Write a recording at other times, or as another kind of file; also what a killed program left.

    Between samples numbers go along straight lines, and rotations of bodies the shortest way.
    """
    from ossature.recordings import open_writer
    from ossature.recordings.states import states_of

    if interval is not None and not interval > 0.0:
        fail(f"--interval must be positive, not {interval:g}")
    recording, report = open_file(file, verbose=verbose)
    if output.exists() and output.resolve() == recording.path.resolve():
        fail("the output is the file itself")
    rows = _rows(recording, interval, start, end)
    first = next(rows, None)
    if first is None:
        fail(f"{file}: there is no sample between these times", INPUT_AT_FAULT)
    try:
        with closing(open_writer(output, recording.header, next(states_of(recording.header, first[None])))) as writer:
            writer.write(first)
            for row in rows:
                writer.write(row)
    except OssatureError as error:
        fail(str(error))
    except OSError as error:
        fail(f"{output}: {(error.strerror or str(error)).lower()}", INPUT_AT_FAULT)
    print_findings(report, verbose=verbose, quiet=True)
    if interval is not None:
        errors_console().print("between samples: straight lines, and rotations the shortest way", style="dim")


def _rows(
    recording: RecordingFile, interval: float | None, start: float | None, end: float | None
) -> Iterator[NDArray[np.float64]]:
    from ossature.recordings.resampling import resampled

    first, last = recording.times_from_to()
    first, last = first if start is None else start, last if end is None else min(end, last)
    if interval is None:
        return (row for block in recording.rows() for row in block if first - _ROUNDING <= row[0] <= last + _ROUNDING)
    count = int((last - first) / interval + 1e-9) + 1
    return resampled(recording.header.columns, recording.rows(), (first + number * interval for number in range(count)))
