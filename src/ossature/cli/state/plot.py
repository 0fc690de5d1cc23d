"""``ossature state plot``: a recording as a picture."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ossature.cli.common import INPUT_AT_FAULT, LimitsOption, Verbose, fail, print_findings
from ossature.cli.outputs import check_outputs, require_plot, writing
from ossature.cli.states import StateArgument, open_file, reading


def plot(
    file: StateArgument,
    output: Annotated[Path, typer.Argument(help="A .png, .svg or .pdf file (extra: plot).", show_default=False)],
    name: Annotated[
        list[str] | None, typer.Option("--name", help="Draw columns whose name holds this; repeatable. All if not given.")
    ] = None,
    limit: LimitsOption = None,
    verbose: Verbose = False,
) -> None:
    """Draw what changes in a recording over time, one panel for each kind of quantity."""
    from ossature.recordings.pictures import plot_table

    check_outputs([file], [output])
    require_plot(output)
    recording, report = open_file(file, verbose=verbose)
    with reading(report, verbose=verbose):
        table = recording.table()
    print_findings(report, verbose=verbose, quiet=True)
    with writing(output):
        drawn = plot_table(recording.header.columns, table, output, name or ())
    if not drawn:
        fail("nothing of that name changes" if name else "nothing changes", INPUT_AT_FAULT)
