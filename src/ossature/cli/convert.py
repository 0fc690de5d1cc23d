"""``ossature convert``: from one format to another."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

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
    fail,
    format_named,
    input_errors,
    load_world,
    mesh_store,
    new_report,
    print_findings,
)
from ossature.cli.completion import written_format_names
from ossature.cli.console import errors_console
from ossature.cli.outputs import writing
from ossature.diagnostics import Ledger, OssatureError

if TYPE_CHECKING:
    from ossature.model import World


def convert(
    file: Annotated[Path, typer.Argument(metavar="IN", help="The model file.", show_default=False)],
    output: Annotated[Path, typer.Argument(metavar="OUT", help="The file to write.", show_default=False)],
    from_: From = None,
    openrave: OpenRave = False,
    calibration: CalibrationFile = None,
    motor_speeds: MotorSpeeds = None,
    to: Annotated[
        str | None,
        typer.Option(
            "--to", help="Format to write, where the suffix of OUT does not tell.", autocompletion=written_format_names
        ),
    ] = None,
    ledger_file: Annotated[Path | None, typer.Option("--ledger", help="Write the ledger to this JSON file.")] = None,
    verify: Annotated[bool, typer.Option("--verify", help="Read the result again and compare.")] = False,
    reference: Annotated[
        list[str] | None,
        typer.Option(
            "--reference", metavar="MODEL=FILE", help="Refer to the COLLADA file of a model instead of writing it; repeat it."
        ),
    ] = None,
    search_path: SearchPath = None,
    allow_path: AllowPath = None,
    strict: Strict = False,
    limit: LimitsOption = None,
    verbose: Verbose = False,
) -> None:
    """Convert a model and print the ledger: what OUT says differently, nearly, or not at all.

    With --strict nothing is written where something would be approximated or dropped. OUT is written whole or not at all.
    """
    from ossature.assets import write_whole
    from ossature.conversion import companions, format_to_write, to_text, write_files
    from ossature.conversion.reference import referring_text

    try:
        name = format_to_write(output, to)
    except OssatureError as error:
        fail(str(error))
    world = load_world(
        file, format_named(from_, openrave), strict=strict, verbose=verbose, motor_speeds=motor_speeds, calibration=calibration
    )
    ledger, report = Ledger(), new_report()
    meshes = mesh_store(file, search_path, allow_path)
    with input_errors():
        beside = companions(world, name, output) if not reference else {}
        if reference:
            text = referring_text(world, ledger, name=name, path=output, robots=_robots(reference))
        else:
            text = to_text(world, ledger, report, name=name, path=output, meshes=meshes, beside=beside)
    print_findings(report, verbose=verbose, quiet=True)
    _print(ledger)
    if strict and not ledger.lossless:
        fail(f"{output} is not written: --strict, and the ledger is not empty of losses", INPUT_AT_FAULT)
    if verify:
        _verify(world, text, name, output, ledger)
    with writing(output):
        write_files(output, text, beside)
        if ledger_file is not None:
            write_whole(ledger_file, json.dumps(ledger.to_json(), indent=1) + "\n")


def _robots(stated: list[str]) -> dict[str, str]:
    """Return the file of each model that an option names."""
    pairs = [pair.partition("=") for pair in stated]
    wrong = [text for text, (model, _, file) in zip(stated, pairs, strict=True) if not model or not file]
    if wrong:
        fail(f"--reference '{wrong[0]}' is no MODEL=FILE")
    return {model: file for model, _, file in pairs}


def _print(ledger: Ledger) -> None:
    console = errors_console()
    for line in ledger.lines():
        action, _, rest = line.partition(":")
        style = {"dropped": "bold red", "approximated": "yellow"}.get(action, "cyan")
        console.print(f"[{style}]{action}[/]:", end="")
        console.print(rest, markup=False)
    if not len(ledger):
        console.print("ledger: everything is said as it was", style="green")


def _verify(world: World, text: str, name: str, output: Path, ledger: Ledger) -> None:
    from ossature.comparison import compare
    from ossature.diagnostics import Source
    from ossature.formats import FORMATS

    if name not in FORMATS:
        fail(f"{name} files are written and not read: nothing to verify")
    again = FORMATS[name].reader(Source(str(output), text.encode()), new_report(), folder=output.resolve().parent)
    found = compare(world, again, tolerance=FORMATS[name].rounding)
    differences = [difference for difference in found if not ledger.covers(difference.path)]
    for difference in differences:
        errors_console().print(f"differs: {difference}", markup=False)
    if differences:
        fail(f"{output} is not written: read again, it differs in a way that the ledger does not tell", INPUT_AT_FAULT)
    errors_console().print("verified: read again, it differs by what the ledger says and nothing else", style="green")
