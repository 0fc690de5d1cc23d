"""``ossature fmu``: a mechanism as a unit for co-simulation."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ossature.cli.console import EXIT_INVALID_INPUT, errors_console, fail_on
from ossature.cli.output_path_checks import check_outputs, require_suffix, writing
from ossature.cli.read_model import load_world
from ossature.cli.read_options import ModelFile, ModelOptions
from ossature.diagnostics import OssatureError


def fmu(
    file: ModelFile,
    output: Annotated[Path, typer.Argument(metavar="OUT", help="The .fmu file to write.")],
    read: ModelOptions,
    inputs: Annotated[
        list[str] | None,
        typer.Option(
            "--input", metavar="MODEL/NAME", help="Joint, motor or load to command; repeatable. By default all joints."
        ),
    ] = None,
) -> None:
    """Export a mechanism as an FMI 2 unit for co-simulation; it needs Python with Ossature where it runs."""
    check_outputs([file], [output])
    require_suffix(output, ".fmu", what="units")
    world = load_world(file, read, chooses_bases=False)
    from ossature.fmu import export_fmu

    with fail_on(OssatureError, code=EXIT_INVALID_INPUT), fail_on(KeyError, ValueError), writing(output):
        export_fmu(world, output, inputs or None)
    errors_console().print(str(output), markup=False)
