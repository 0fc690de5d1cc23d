"""The commands."""

from __future__ import annotations

from typing import Annotated

import typer

from ossature.cli.attach import attach
from ossature.cli.calibration import calibration_app
from ossature.cli.check import check
from ossature.cli.convert import convert
from ossature.cli.deprecated_options import Command, Group
from ossature.cli.diff import diff
from ossature.cli.doctor import doctor
from ossature.cli.explain import explain
from ossature.cli.fit import fit
from ossature.cli.fmu import fmu
from ossature.cli.formats import formats
from ossature.cli.ik import ik
from ossature.cli.info import info
from ossature.cli.pose import pose
from ossature.cli.read_options import expand_options
from ossature.cli.render import render
from ossature.cli.rules import rules
from ossature.cli.schema import schema
from ossature.cli.sensor import sensor_app
from ossature.cli.simulate import simulate
from ossature.cli.state import app as state_app
from ossature.cli.sweep import sweep_app
from ossature.cli.trajectory import trajectory_app
from ossature.cli.view import view

app = typer.Typer(
    name="ossature",
    cls=Group,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

for _command in (
    info,
    check,
    diff,
    convert,
    attach,
    pose,
    ik,
    simulate,
    fit,
    doctor,
    view,
    render,
    fmu,
    formats,
    rules,
    explain,
    schema,
):
    app.command(cls=Command)(expand_options(_command))
app.add_typer(state_app)

app.add_typer(calibration_app, name="calibration")
app.add_typer(sensor_app, name="sensor")
app.add_typer(sweep_app, name="sweep")
app.add_typer(trajectory_app, name="trajectory")


@app.callback()
def _root(version: Annotated[bool, typer.Option("--version", "-V", help="Print the version.")] = False) -> None:
    """Read, check, convert, write and simulate robot and mechanism models.

    Exit codes: 0 success, 1 invalid input, 2 invalid usage, 130 interrupted.
    """
    if version:
        from ossature import __version__

        typer.echo(f"ossature {__version__}")
        raise typer.Exit
