"""``ossature state apply``: a model file with a state as its initial state."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ossature.cli.console import EXIT_INVALID_INPUT, fail, input_errors, print_findings, print_ledger
from ossature.cli.output_path_checks import check_outputs, writing
from ossature.cli.read_model import load_world
from ossature.cli.read_options import ModelFile, ReadOptions, mesh_store, new_report
from ossature.cli.state_options import IgnoreMismatch, Sample, Time, print_mismatches, read_state

if TYPE_CHECKING:
    from ossature.model import State, World


def apply(
    state_file: Annotated[Path, typer.Argument(metavar="STATE", help="A USDF state, or any recording.")],
    file: ModelFile,
    output: Annotated[Path, typer.Argument(metavar="OUT", help="The model file to write; the suffix determines its format.")],
    read: ReadOptions,
    time: Time = None,
    number: Sample = None,
    ignore_mismatch: IgnoreMismatch = False,
) -> None:
    """Write a model file that starts in a state: its initial poses, joint positions and velocities are those of the state.

    Nothing is written if the format has no initial positions or velocities, such as URDF, unless --ignore-mismatch is given.
    """
    from ossature.conversion import ConversionError, convert
    from ossature.kinematics.apply_state import UnreachableStateError, apply_state
    from ossature.model.state_compatibility import StateMismatchError
    from ossature.model.state_frame_tree import FrameError

    check_outputs([state_file, file], [output])
    report = new_report()
    state = read_state(state_file, report, time=time, number=number, verbose=read.verbose)
    world = load_world(file, read)
    try:
        applied = _apply_fitting_part(world, state) if ignore_mismatch else apply_state(world, state)
    except (StateMismatchError, UnreachableStateError, FrameError) as error:
        fail(f"{error} (--ignore-mismatch applies the part that fits)", EXIT_INVALID_INPUT)
    failure = None
    with input_errors(), writing(output):
        try:
            done = convert(applied, output, requires_state=not ignore_mismatch, meshes=mesh_store(file, read), report=report)
        except ConversionError as error:
            done, failure = error.conversion, error
    print_findings(report, verbose=read.verbose, quiet=True)
    print_ledger(done.ledger.lines())
    if failure is not None:
        fail(f"{failure} (--ignore-mismatch applies the part that fits)", EXIT_INVALID_INPUT)


def _apply_fitting_part(world: World, state: State) -> World:
    """Return a World with the part of a state that fits, and print the rest."""
    from ossature.kinematics.apply_state import UnreachableStateError, apply_state
    from ossature.model.state_compatibility import StateDifference, restrict_state, structure_differences

    misfits = structure_differences(state, world)
    try:
        applied = apply_state(world, restrict_state(state, world))
    except UnreachableStateError as error:
        misfits += [StateDifference(problem, state.origin) for problem in error.problems]
        applied = apply_state(world, state, partial=True)
    if misfits:
        print_mismatches(misfits, state, world)
    return applied
