"""``ossature state``: commands for states and recordings; one file for each command."""

from __future__ import annotations

import typer

from ossature.cli.deprecated_options import Command, Group
from ossature.cli.read_options import expand_options
from ossature.cli.state.apply import apply
from ossature.cli.state.diff import diff
from ossature.cli.state.extract import extract
from ossature.cli.state.plot import plot
from ossature.cli.state.resample import resample
from ossature.cli.state.show import show

app = typer.Typer(
    cls=Group,
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Print, compare, convert and plot states and recordings.",
)

for _command in (show, diff, apply, extract, resample, plot):
    app.command(cls=Command)(expand_options(_command))
