"""``ossature state apply``: a model file that begins at a state."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ossature.cli.common import (
    INPUT_AT_FAULT,
    File,
    From,
    LimitsOption,
    Verbose,
    fail,
    input_errors,
    load_world,
    mesh_store,
    new_report,
    print_findings,
)
from ossature.cli.console import errors_console
from ossature.cli.outputs import check_outputs, writing
from ossature.cli.states import Partial, Sample, StateArgument, Time, read_state, tell_misfits

if TYPE_CHECKING:
    from ossature.model import State, World


def apply(
    state_file: StateArgument,
    file: File,
    output: Annotated[Path, typer.Argument(help="The model file to write; its suffix says the format.", show_default=False)],
    time: Time = None,
    number: Sample = None,
    partial: Partial = False,
    from_: From = None,
    limit: LimitsOption = None,
    verbose: Verbose = False,
) -> None:
    """Write a model file whose models stand, and whose joints begin, as a state says."""
    from ossature.conversion import save
    from ossature.kinematics.applied_state import UnreachableStateError, at_state
    from ossature.model.frame_graph import FrameError
    from ossature.model.state_fit import StateMismatchError

    check_outputs([state_file, file], [output])
    report = new_report()
    state = read_state(state_file, report, time=time, number=number, verbose=verbose)
    world = load_world(file, from_, strict=False, verbose=verbose)
    try:
        applied = _partly_applied(world, state) if partial else at_state(world, state)
    except (StateMismatchError, UnreachableStateError, FrameError) as error:
        fail(f"{error} (--partial applies what fits)", INPUT_AT_FAULT)
    with input_errors(), writing(output):
        ledger = save(applied, output, meshes=mesh_store(file, None, None), report=report)
    print_findings(report, verbose=verbose, quiet=True)
    for line in ledger.lines():
        errors_console().print(line, markup=False)


def _partly_applied(world: World, state: State) -> World:
    """Return a World to which what fits of a state is applied, and tell what does not."""
    from ossature.kinematics.applied_state import UnreachableStateError, at_state
    from ossature.model.state_fit import fitting, structure_differences

    misfits = structure_differences(state, world)
    try:
        applied = at_state(world, fitting(state, world))
    except UnreachableStateError as error:
        misfits += error.problems
        applied = at_state(world, state, partial=True)
    if misfits:
        tell_misfits(misfits, state, world)
    return applied
