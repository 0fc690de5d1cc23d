"""``ossature state diff``: what differs between two states."""

from __future__ import annotations

from typing import Annotated

import typer

from ossature.cli.common import INPUT_AT_FAULT, Json, LimitsOption, Verbose, fail, new_report, print_findings
from ossature.cli.console import output_console, print_json
from ossature.cli.states import Sample, StateArgument, Time, read_state


def diff(
    first: StateArgument,
    second: StateArgument,
    time: Time = None,
    number: Sample = None,
    tolerance: Annotated[float, typer.Option(help="What does not count [m, rad, s and so on].", min=0.0)] = 0.0,
    as_json: Json = False,
    limit: LimitsOption = None,
    verbose: Verbose = False,
) -> None:
    """Print what differs between two states, links compared in the world; exit code 1 where something does.

    Of recordings the last samples are compared, or those at a time.
    """
    from ossature.kinematics.state_differences import state_differences
    from ossature.model.frame_graph import FrameError

    report = new_report()
    one, other = (read_state(file, report, time=time, number=number, verbose=verbose) for file in (first, second))
    print_findings(report, verbose=verbose, quiet=True)
    try:
        found = state_differences(one, other, tolerance)
    except FrameError as error:
        fail(str(error), INPUT_AT_FAULT)
    if as_json:
        rows = [{"path": each.path, "quantity": each.quantity, "amount": each.amount} for each in found]
        print_json(rows)
    else:
        for each in found:
            output_console().print(str(each), markup=False)
        if not found:
            output_console().print("nothing differs")
    if found:
        raise typer.Exit(INPUT_AT_FAULT)
