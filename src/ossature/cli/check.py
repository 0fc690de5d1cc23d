"""``ossature check``: report errors in model files."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from ossature.cli.console import EXIT_INVALID_INPUT, output_console, print_json_text
from ossature.cli.read_model import has_failures, read_world
from ossature.cli.read_options import ReadOptions, mesh_store, new_report
from ossature.diagnostics import Report


class Profile(StrEnum):
    """A purpose, which chooses severities; see :data:`ossature.rule_catalogue.PROFILES`."""

    ROS = "ros"
    SIM = "sim"
    STRICT = "strict"


class OutputFormat(StrEnum):
    """Format in which findings are printed."""

    TEXT = "text"
    JSON = "json"
    SARIF = "sarif"
    GITHUB = "github"


def check(
    files: Annotated[list[Path], typer.Argument(help="The model files.", show_default=False)],
    read: ReadOptions,
    profile: Annotated[
        Profile | None,
        typer.Option(
            help="Severities for a purpose: ros (errors are what the parser of ROS rejects), sim (what a simulation rejects or "
            "leaves out), strict (all warnings).",
            show_default=False,
        ),
    ] = None,
    format: Annotated[OutputFormat, typer.Option("--format", help="Format of the findings.")] = OutputFormat.TEXT,
) -> None:
    """Check model files: spelling, structure, and physical plausibility. Exit code 1 if there is an error."""
    from ossature.checks import check as check_world
    from ossature.rule_catalogue import apply_profile

    report = new_report()
    for file in files:
        found = new_report()
        world = read_world(file, read, found)
        if world is not None:
            check_world(world, report=found, meshes=mesh_store(file, read))
        report.extend(found.sorted() if profile is None else apply_profile(profile.value, found.sorted()))
    _print_report(report, format, verbose=read.verbose)
    if has_failures(report, strict=read.strict):
        raise typer.Exit(EXIT_INVALID_INPUT)


def _print_report(report: Report, output: OutputFormat, *, verbose: bool) -> None:
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
