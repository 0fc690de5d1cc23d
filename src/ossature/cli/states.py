"""What commands about states share."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from ossature.cli.common import INPUT_AT_FAULT, fail, new_report, print_findings
from ossature.cli.console import errors_console, in_markup
from ossature.diagnostics import Report

if TYPE_CHECKING:
    from ossature.model import State, World
    from ossature.recordings import RecordingFile
    from ossature.simulation import Simulation

StateArgument = Annotated[Path, typer.Argument(help="A USDF state, or any recording.", show_default=False)]
Time = Annotated[float | None, typer.Option("--time", "-t", help="Which sample: the last one at or before a time [s].")]
Sample = Annotated[int | None, typer.Option("--sample-number", "-n", help="Which sample: 0 is the first, -1 the last.")]

Partial = Annotated[
    bool,
    typer.Option(
        "--partial", help="Apply what fits where the state is one of another model, or followed a program's functions of time."
    ),
]


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

    report = new_report()
    with reading(report, verbose=verbose):
        return open_recording(file, report), report


def read_state(
    file: Path, report: Report, *, time: float | None = None, number: int | None = None, verbose: bool = False
) -> State:
    """Return one state of a file, the last one where nothing says which; findings are printed."""
    check_choice(time, number)
    recording, found = open_file(file, verbose=verbose)
    with reading(found, verbose=verbose):
        state = pick(recording.states(), time, number)
    if found.has_errors or state is None:
        print_findings(found, verbose=verbose)
        if state is None and not found.has_errors:
            fail_without_sample(recording)
        raise typer.Exit(INPUT_AT_FAULT)
    report.extend(found)
    return state


def check_choice(time: float | None, number: int | None) -> None:
    """End the command where options do not say which sample."""
    if time is not None and number is not None:
        fail("--time and --sample-number both say which sample: give one of them")
    if time is not None and math.isnan(time):
        fail(f"--time must be a number of seconds, not {time:g}")


def fail_without_sample(recording: RecordingFile) -> NoReturn:
    """End the command with which samples a file has, where one was asked for that it has not."""
    report = new_report()
    with reading(report):
        count = sum(len(block) for block in recording.rows())
        first, last = recording.times_from_to()
    there = f"samples 0 to {count - 1}, from {first:g} to {last:g} s" if count > 1 else f"sample 0 alone, at {first:g} s"
    if count and math.isnan(first):
        there = "one state alone, which says no time"
    fail(f"{recording.path}: there is no such sample; it has {there if count else 'none'}", INPUT_AT_FAULT)


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


def restore(simulation: Simulation, state: State, *, efforts: bool = True, partial: bool = False) -> bool:
    """Let a simulation go on from a state, and return whether to the last bit; end the command where the state does not fit."""
    from ossature.kinematics import GraspError
    from ossature.model.frame_graph import FrameError
    from ossature.model.state_fit import StateMismatchError

    try:
        misfits = _restore(simulation, state, efforts=efforts, partial=partial)
    except (StateMismatchError, FrameError, GraspError) as error:
        fail(str(error), INPUT_AT_FAULT)
    if misfits:
        tell_misfits(misfits, state, simulation.world)
    inexact = [finding for finding in simulation.report if finding.rule.name == "inexact-restart"]
    for finding in inexact:
        errors_console().print(f"goes on to the precision of the numbers: {finding.message}", style="dim", markup=False)
    return not inexact


def _restore(simulation: Simulation, state: State, *, efforts: bool, partial: bool) -> tuple[str, ...]:
    """Let a simulation go on from a state, and return what of it does not fit."""
    from ossature.model.state_fit import StateMismatchError

    try:
        simulation.restore(state, efforts=efforts)
    except StateMismatchError as error:
        if not partial:
            raise
        misfits = error.differences
    else:
        return ()
    simulation.restore(state, efforts=efforts, partial=True)
    return misfits


def tell_misfits(misfits: Sequence[str], state: State, world: World) -> None:
    """Tell what of a state is not applied, as it does not fit."""
    from ossature.model.state_fit import MOST_SHOWN, fitting

    lines = [f"does not fit: {misfit}" for misfit in misfits[:MOST_SHOWN]]
    if len(misfits) > MOST_SHOWN:
        lines.append(f"and {len(misfits) - MOST_SHOWN} more do not fit")
    if not any(model.links or model.joints for model in fitting(state, world).models):
        lines.append("nothing that the state says of bodies and joints fits")
    for line in lines:
        errors_console().print(f"[yellow]warning[/]: {in_markup(line)}")
