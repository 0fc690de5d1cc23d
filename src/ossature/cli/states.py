"""What commands about states share."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ossature.cli.common import INPUT_AT_FAULT, errors_console, fail, print_findings
from ossature.diagnostics import Report

if TYPE_CHECKING:
    from ossature.model import State
    from ossature.recordings import RecordingFile
    from ossature.simulation import Simulation

StateArgument = Annotated[Path, typer.Argument(help="A USDF state, or any recording.", show_default=False)]
Time = Annotated[float | None, typer.Option("--time", "-t", help="Which sample: the last one at or before a time [s].")]
Sample = Annotated[int | None, typer.Option("--sample-number", "-n", help="Which sample: 0 is the first, -1 the last.")]

Partial = Annotated[bool, typer.Option("--partial", help="Apply what fits where the state is one of another model.")]


@contextmanager
def reading(report: Report, *, verbose: bool = False) -> Iterator[None]:
    """End the command with the findings where a part of a recording cannot be read."""
    from ossature.recordings import RecordingError

    try:
        yield
    except RecordingError:
        print_findings(report, verbose=verbose)
        raise typer.Exit(INPUT_AT_FAULT) from None


def open_file(file: Path, *, verbose: bool = False) -> tuple[RecordingFile, Report]:
    """Return a file of states and the report that its reading writes to; end the command where it cannot be read."""
    from ossature.recordings import open_recording

    report = Report()
    with reading(report, verbose=verbose):
        return open_recording(file, report), report


def read_state(
    file: Path, report: Report, *, time: float | None = None, number: int | None = None, verbose: bool = False
) -> State:
    """Return one state of a file, the last one where nothing says which; findings are printed."""
    recording, found = open_file(file, verbose=verbose)
    with reading(found, verbose=verbose):
        state = pick(recording.states(), time, number)
    if found.has_errors or state is None:
        print_findings(found, verbose=verbose)
        if state is None and not found.has_errors:
            fail(f"{file}: there is no such sample", INPUT_AT_FAULT)
        raise typer.Exit(INPUT_AT_FAULT)
    report.extend(found)
    return state


def pick(states: Iterable[State], time: float | None, number: int | None) -> State | None:
    """Return the last state at or before a time, or that of a number, or the last one."""
    if number is not None and number < 0:
        kept = deque(states, maxlen=-number)
        return kept[0] if len(kept) == -number else None
    found = None
    for index, state in enumerate(states):
        if time is not None and state.time is not None and state.time > time + 1e-9:
            break
        found = state
        if index == number:
            return state
    return None if number is not None else found


def restore(simulation: Simulation, state: State, *, efforts: bool = True, partial: bool = False) -> None:
    """Let a simulation go on from a state; end the command where the state does not fit."""
    from ossature.kinematics import GraspError
    from ossature.model.frame_graph import FrameError
    from ossature.model.state_fit import StateMismatchError

    try:
        simulation.restore(state, efforts=efforts, partial=partial)
    except (StateMismatchError, FrameError, GraspError) as error:
        fail(str(error), INPUT_AT_FAULT)
    for finding in simulation.report:
        if finding.rule.name == "inexact-restart":
            errors_console().print(f"goes on to the precision of the numbers: {finding.message}", style="dim", markup=False)
