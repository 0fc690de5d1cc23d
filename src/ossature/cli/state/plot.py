"""``ossature state plot``: plot a recording."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ossature.cli.console import EXIT_INVALID_INPUT, fail, print_findings
from ossature.cli.output_path_checks import check_outputs, require_plot, writing
from ossature.cli.read_options import FileOptions
from ossature.cli.state_options import StateArgument, open_file, reading
from ossature.diagnostics import suggestion

if TYPE_CHECKING:
    from ossature.recordings import Columns


def plot(
    file: StateArgument,
    output: Annotated[Path, typer.Argument(metavar="OUT", help="A .png, .svg or .pdf file (extra: plot).")],
    read: FileOptions,
    name: Annotated[
        list[str] | None, typer.Option("--name", help="Plot columns whose name contains this; repeatable. All by default.")
    ] = None,
) -> None:
    """Plot a recording over time; one panel for each kind of quantity, constant columns are left out."""
    from ossature.recordings.plot_panels import plot_table

    check_outputs([file], [output])
    require_plot(output)
    recording, report = open_file(file, verbose=read.verbose)
    with reading(report, verbose=read.verbose):
        table = recording.table()
    print_findings(report, verbose=read.verbose, quiet=True)
    with writing(output):
        drawn = plot_table(recording.header.columns, table, output, name or ())
    if not drawn:
        fail(_why_nothing(recording.header.columns, name or []), EXIT_INVALID_INPUT)


def _why_nothing(columns: Columns, names: list[str]) -> str:
    if not names:
        return "no column changes"
    labels = [label for quantity, _ in columns.slices[1:] for label in quantity.labels]
    if any(name in label for name in names for label in labels):
        return "no column of that name changes"
    return f"no column has a name that contains '{names[0]}': {suggestion(names[0], labels)}"
