"""``ossature state plot``: plot a recording."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ossature.cli.console import EXIT_INVALID_INPUT, fail, print_findings
from ossature.cli.output_files import check_outputs, require_plot, writing
from ossature.cli.read_options import FileOptions
from ossature.cli.state_options import StateArgument, open_file, reading


def plot(
    file: StateArgument,
    output: Annotated[Path, typer.Argument(help="A .png, .svg or .pdf file (extra: plot).", show_default=False)],
    read: FileOptions,
    name: Annotated[
        list[str] | None, typer.Option("--name", help="Plot columns whose name contains this; repeatable. All by default.")
    ] = None,
) -> None:
    """Plot a recording over time, one panel for each kind of quantity; constant columns are left out."""
    from ossature.recordings.plots import plot_table

    check_outputs([file], [output])
    require_plot(output)
    recording, report = open_file(file, verbose=read.verbose)
    with reading(report, verbose=read.verbose):
        table = recording.table()
    print_findings(report, verbose=read.verbose, quiet=True)
    with writing(output):
        drawn = plot_table(recording.header.columns, table, output, name or ())
    if not drawn:
        fail("no column of that name changes" if name else "no column changes", EXIT_INVALID_INPUT)
