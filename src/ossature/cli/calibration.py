"""``ossature calibration``: compare and apply the calibrations of single robots."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from ossature.cli.console import EXIT_INVALID_INPUT, errors_console, escape_markup, fail, fail_on, print_ledger
from ossature.cli.deprecated_options import Command, Group
from ossature.cli.output_path_checks import check_outputs, writing
from ossature.cli.read_model import load_world
from ossature.cli.read_options import ModelFile, ReadOptions, expand_options
from ossature.diagnostics import OssatureError

_MOST_NAMES = 12

app = typer.Typer(cls=Group, no_args_is_help=True, help="Compare and apply calibrations of single robots.")


def diff(
    nominal: Annotated[Path, typer.Argument(metavar="NOMINAL", help="The nominal model file.")],
    calibrated: Annotated[Path, typer.Argument(metavar="CALIBRATED", help="The model file of one robot.")],
    read: ReadOptions,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write the calibration to this .yaml file.")] = None,
) -> None:
    """Print the calibration between a nominal and a calibrated model: poses, offsets, sensors and gains that differ."""
    from ossature.assets import write_file_atomically
    from ossature.formats.calibration import calibration_between, uncompared_elements, write_calibration

    check_outputs([nominal, calibrated], [output])
    worlds = [load_world(file, read) for file in (nominal, calibrated)]
    names = [[model.name for model in world.models] for world in worlds]
    if set(names[0]).isdisjoint(names[1]):
        fail(f"the files have no model in common: {', '.join(names[0])}; {', '.join(names[1])}", EXIT_INVALID_INPUT)
    single = uncompared_elements(worlds[0], worlds[1])
    if single:
        shown = ", ".join(single[:_MOST_NAMES]) + f" and {len(single) - _MOST_NAMES} more" * (len(single) > _MOST_NAMES)
        errors_console().print(
            f"[cyan]note[/]: not compared, because only one of the files has it: {escape_markup(shown)}", soft_wrap=True
        )
    text = write_calibration(calibration_between(worlds[0], worlds[1]))
    if output is None:
        typer.echo(text, nl=False)
        return
    with writing(output):
        write_file_atomically(output, text)


def apply(
    file: ModelFile,
    calibration: Annotated[Path, typer.Argument(metavar="CALIBRATION", help="The calibration, a .yaml file.")],
    output: Annotated[Path, typer.Argument(metavar="OUT", help="The model file to write.")],
    read: ReadOptions,
) -> None:
    """Write a model file with the values of a calibration; print the ledger."""
    from ossature.conversion import save

    check_outputs([file, calibration], [output])
    world = load_world(file, replace(read, calibration=calibration))
    with fail_on(OssatureError, ValueError, code=EXIT_INVALID_INPUT), writing(output):
        ledger = save(world, output, allow_dangling=True)
    print_ledger(ledger.lines())


for _command in (diff, apply):
    app.command(cls=Command)(expand_options(_command))
