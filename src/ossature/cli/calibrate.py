"""``ossature calibrate``: how one robot differs from its model file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ossature.cli.common import (
    INPUT_AT_FAULT,
    From,
    LimitsOption,
    OpenRave,
    Strict,
    Verbose,
    fail,
    format_named,
    load_world,
)
from ossature.cli.console import errors_console
from ossature.cli.outputs import writing
from ossature.diagnostics import Ledger, OssatureError

calibrate_app = typer.Typer(no_args_is_help=True, help="Compare and apply calibrations: overlays for one robot of a kind.")


@calibrate_app.command()
def diff(
    drawn: Annotated[Path, typer.Argument(help="The model file of the kind.", show_default=False)],
    built: Annotated[Path, typer.Argument(help="The model file of one robot.", show_default=False)],
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write the calibration to this .yaml file.")] = None,
    from_: From = None,
    openrave: OpenRave = False,
    limit: LimitsOption = None,
    verbose: Verbose = False,
) -> None:
    """Print the calibration that makes one robot of another: places, offsets, sensors and gains that differ."""
    from ossature.assets import write_whole
    from ossature.formats.calibration import calibration_between, write_calibration

    name = format_named(from_, openrave)
    worlds = [load_world(file, name, strict=False, verbose=verbose) for file in (drawn, built)]
    text = write_calibration(calibration_between(worlds[0], worlds[1]))
    if output is None:
        typer.echo(text, nl=False)
        return
    with writing(output):
        write_whole(output, text)


@calibrate_app.command()
def apply(
    file: Annotated[Path, typer.Argument(help="The model file.", show_default=False)],
    calibration: Annotated[Path, typer.Argument(help="The calibration, a .yaml file.", show_default=False)],
    output: Annotated[Path, typer.Argument(metavar="OUT", help="The model file to write.", show_default=False)],
    from_: From = None,
    openrave: OpenRave = False,
    strict: Strict = False,
    limit: LimitsOption = None,
    verbose: Verbose = False,
) -> None:
    """Write a model file with the numbers of a calibration in place of its own, and print the ledger."""
    from ossature.conversion import save

    name = format_named(from_, openrave)
    world = load_world(file, name, strict=strict, verbose=verbose, calibration=calibration)
    try:
        with writing(output):
            ledger: Ledger = save(world, output)
    except (OssatureError, ValueError) as error:
        fail(str(error), INPUT_AT_FAULT)
    for line in ledger.lines():
        errors_console().print(line, markup=False)
