"""``ossature check``: what is wrong with model files."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from ossature.cli.common import (
    INPUT_AT_FAULT,
    AllowPath,
    CalibrationFile,
    From,
    LimitsOption,
    MotorSpeeds,
    OpenRave,
    SearchPath,
    Strict,
    Verbose,
    format_named,
    mesh_store,
    new_report,
    read_world,
    with_overlay,
    with_speeds,
    worst_fails,
)
from ossature.cli.console import output_console, print_json_text
from ossature.diagnostics import Report


class OutputFormat(StrEnum):
    """How findings are printed."""

    TEXT = "text"
    JSON = "json"
    SARIF = "sarif"
    GITHUB = "github"


def check(
    files: Annotated[list[Path], typer.Argument(help="The model files.", show_default=False)],
    format: Annotated[OutputFormat, typer.Option("--format", help="How to print the findings.")] = OutputFormat.TEXT,
    from_: From = None,
    openrave: OpenRave = False,
    calibration: CalibrationFile = None,
    motor_speeds: MotorSpeeds = None,
    search_path: SearchPath = None,
    allow_path: AllowPath = None,
    strict: Strict = False,
    limit: LimitsOption = None,
    verbose: Verbose = False,
) -> None:
    """Check model files: spelling, structure, and sense. Exit code 1 where there is an error."""
    from ossature.checks import check as check_world

    report = new_report()
    for file in files:
        found = new_report()
        world = with_overlay(read_world(file, format_named(from_, openrave), found), calibration, found)
        if world is not None:
            world = with_speeds(world, motor_speeds)
            check_world(world, report=found, meshes=mesh_store(file, search_path, allow_path))
        report.extend(found.sorted())
    _print(report, format, verbose=verbose)
    if worst_fails(report, strict=strict):
        raise typer.Exit(INPUT_AT_FAULT)


def _print(report: Report, output: OutputFormat, *, verbose: bool) -> None:
    if output is OutputFormat.TEXT:
        from ossature.diagnostics.render.text import to_text

        output_console().print(to_text(list(report), verbose=verbose))
        return
    from ossature.diagnostics.render import MACHINE_FORMATS

    text = MACHINE_FORMATS[output.value](list(report))
    if output is OutputFormat.GITHUB:
        typer.echo(text)  # commands that are meant; names in them are escaped
    else:
        print_json_text(text)
