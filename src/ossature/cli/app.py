"""The commands."""

from __future__ import annotations

from typing import Annotated

import typer

from ossature.cli.calibrate import calibrate_app
from ossature.cli.check import check
from ossature.cli.compose import compose
from ossature.cli.convert import convert
from ossature.cli.explain import explain
from ossature.cli.formats import formats
from ossature.cli.ik import ik
from ossature.cli.info import info
from ossature.cli.pose import pose
from ossature.cli.render import render
from ossature.cli.rules import rules
from ossature.cli.schema import schema
from ossature.cli.sense import sense
from ossature.cli.simulate import simulate
from ossature.cli.state import app as state_app
from ossature.cli.trajectory import trajectory_app
from ossature.cli.view import view

app = typer.Typer(
    name="ossature",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

for _command in (info, check, convert, compose, pose, ik, simulate, sense, view, render, formats, rules, explain, schema):
    app.command()(_command)
app.add_typer(state_app)

app.add_typer(calibrate_app, name="calibrate")
app.add_typer(trajectory_app, name="trajectory")


@app.callback()
def _root(
    version: Annotated[bool, typer.Option("--version", "-V", help="Print the version.")] = False,
) -> None:
    """Read, check, convert, write and simulate robot and mechanism models.

    Exit codes: 0 fine, 1 the input is at fault, 2 the command line is.
    """
    if version:
        from ossature import __version__

        typer.echo(f"ossature {__version__}")
        raise typer.Exit
