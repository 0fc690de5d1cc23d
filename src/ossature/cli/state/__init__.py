"""``ossature state``: what can be done with states and recordings; one file a command."""

from __future__ import annotations

import typer

from ossature.cli.state.apply import apply
from ossature.cli.state.diff import diff
from ossature.cli.state.extract import extract
from ossature.cli.state.plot import plot
from ossature.cli.state.resample import resample
from ossature.cli.state.show import show

app = typer.Typer(
    name="state",
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Look into states and recordings; apply, extract, compare and resample them.",
)

for _command in (show, diff, apply, extract, resample, plot):
    app.command()(_command)
