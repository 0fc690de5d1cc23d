"""``ossature state diff``: the differences between two states."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ossature.cli.console import EXIT_INVALID_INPUT, fail, output_console, print_findings, print_json
from ossature.cli.read_options import FileOptions, Json, new_report
from ossature.cli.state_options import Sample, Time, read_state


def diff(
    first: Annotated[Path, typer.Argument(metavar="A", help="A USDF state, or any recording.")],
    second: Annotated[Path, typer.Argument(metavar="B", help="A USDF state, or any recording.")],
    read: FileOptions,
    time: Time = None,
    number: Sample = None,
    tolerance: Annotated[float, typer.Option(help="Differences up to this are ignored [m, rad, s, …].", min=0.0)] = 0.0,
    as_json: Json = False,
) -> None:
    """Print the differences between two states; poses of links are compared in the world frame.

    Exit code 1 if there are differences.

    Of recordings the last samples are compared, or those at a time.
    """
    from ossature.kinematics.state_diff import state_differences
    from ossature.model.state_frame_tree import FrameError

    report = new_report()
    one, other = (read_state(file, report, time=time, number=number, verbose=read.verbose) for file in (first, second))
    print_findings(report, verbose=read.verbose, quiet=True)
    try:
        found = state_differences(one, other, tolerance)
    except FrameError as error:
        fail(str(error), EXIT_INVALID_INPUT)
    if as_json:
        print_json([{"path": each.path, "quantity": each.quantity, "amount": each.amount, "unit": each.unit} for each in found])
    else:
        for each in found:
            output_console().print(str(each), markup=False)
        if not found:
            output_console().print("no differences")
    if found:
        raise typer.Exit(EXIT_INVALID_INPUT)
