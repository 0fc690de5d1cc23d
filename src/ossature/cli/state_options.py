"""Options of commands about states, and reading states by them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ossature.cli.console import EXIT_INVALID_INPUT, errors_console, escape_markup, fail, print_findings
from ossature.cli.read_options import new_report
from ossature.diagnostics import Report, suggestion

if TYPE_CHECKING:
    from ossature.model import State, World
    from ossature.model.state_compatibility import StateDifference
    from ossature.recordings import RecordingFile
    from ossature.simulation import Simulation

StateArgument = Annotated[Path, typer.Argument(metavar="FILE", help="A USDF state, or any recording.")]
Time = Annotated[float | None, typer.Option("--time", "-t", help="Select the last sample at or before this time [s].")]
Sample = Annotated[int | None, typer.Option("--sample-number", "-n", help="Select this sample: 0 is the first, -1 the last.")]

IgnoreMismatch = Annotated[
    bool, typer.Option("--ignore-mismatch", help="Apply the part of a state that fits, if it is one of another model.")
]


@contextmanager
def reading(report: Report, *, verbose: bool = False) -> Iterator[None]:
    """Print the findings and end the command if a part of a recording cannot be read."""
    from ossature.recordings import RecordingError

    try:
        yield
    except RecordingError:
        print_findings(report, verbose=verbose)
        raise typer.Exit(EXIT_INVALID_INPUT) from None


def keyframe_named(option: Path | None, world: World) -> str | None:
    """Return the keyframe that the option for an initial state names, or None if it is a file, which has precedence.

    It ends the command if the option is neither one of them nor a file.
    """
    from ossature.kinematics import keyframe_names

    if option is None or option.exists():
        return None
    names = keyframe_names(world)
    if str(option) not in names:
        if option.suffix:
            return None
        hint = suggestion(str(option), names) or "the model has no keyframes"
        fail(f"there is no file and no keyframe '{option}': {hint}")
    return str(option)


def open_file(file: Path, *, verbose: bool = False) -> tuple[RecordingFile, Report]:
    """Return a file of states and the report of its reading; end the command if it cannot be read."""
    from ossature.recordings import open_recording

    report = new_report()
    with reading(report, verbose=verbose):
        return open_recording(file, report), report


def read_state(
    file: Path, report: Report, *, time: float | None = None, number: int | None = None, verbose: bool = False
) -> State:
    """Return one state of a file, by default the last one; findings are printed."""
    from ossature.recordings import MissingSampleError

    check_choice(time, number)
    recording, found = open_file(file, verbose=verbose)
    with reading(found, verbose=verbose):
        try:
            state = recording.state(time=time, number=number)
        except MissingSampleError as error:
            print_findings(found, verbose=verbose, quiet=True)
            fail(str(error), EXIT_INVALID_INPUT)
    if found.has_errors:
        print_findings(found, verbose=verbose)
        raise typer.Exit(EXIT_INVALID_INPUT)
    report.extend(found)
    return state


def check_choice(time: float | None, number: int | None) -> None:
    """End the command if options do not select one sample."""
    if time is not None and number is not None:
        fail("--time and --sample-number both select a sample: use one of them")
    if time is not None and math.isnan(time):
        fail(f"--time must be a number of seconds, not {time:g}")


def restore(simulation: Simulation, state: State, *, apply_forces: bool = True, ignore_mismatch: bool = False) -> bool:
    """Restore a state in a simulation, and return whether it is bit-exact; end the command if the state does not fit."""
    from ossature.kinematics import GraspError
    from ossature.model.state_compatibility import StateMismatchError
    from ossature.model.state_frame_tree import FrameError

    try:
        misfits = _restore_state(simulation, state, apply_forces=apply_forces, ignore_mismatch=ignore_mismatch)
    except (StateMismatchError, FrameError, GraspError) as error:
        fail(str(error), EXIT_INVALID_INPUT)
    if misfits:
        print_mismatches(misfits, state, simulation.world)
    inexact = [finding for finding in simulation.report if finding.rule.name == "approximate-restart"]
    for finding in inexact:
        errors_console().print(f"the restart is not bit-exact: {finding.message}", style="dim", markup=False)
    return not inexact


def _restore_state(
    simulation: Simulation, state: State, *, apply_forces: bool, ignore_mismatch: bool
) -> Sequence[StateDifference]:
    """Restore a state in a simulation, and return the parts that do not fit."""
    from ossature.model.state_compatibility import StateMismatchError

    try:
        simulation.restore(state, efforts=apply_forces)
    except StateMismatchError as error:
        if not ignore_mismatch:
            raise
        misfits = error.differences
    else:
        return ()
    simulation.restore(state, efforts=apply_forces, partial=True)
    return misfits


def print_mismatches(misfits: Sequence[StateDifference], state: State, world: World) -> None:
    """Print the parts of a state that are not applied because they do not fit."""
    from ossature.model.state_compatibility import MOST_SHOWN, restrict_state

    lines = [
        f"{'' if misfit.origin is None else f'{misfit.origin}: '}not applied: {misfit.message}"
        for misfit in misfits[:MOST_SHOWN]
    ]
    if len(misfits) > MOST_SHOWN:
        lines.append(f"and {len(misfits) - MOST_SHOWN} more are not applied")
    if not any(model.links or model.joints for model in restrict_state(state, world).models):
        lines.append("no body and no joint of the state fits the model")
    for line in lines:
        errors_console().print(f"[yellow]warning[/]: {escape_markup(line)}")
