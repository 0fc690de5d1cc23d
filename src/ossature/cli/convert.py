"""``ossature convert``: from one format to another."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ossature.cli.console import EXIT_INVALID_INPUT, errors_console, fail, input_errors, print_findings
from ossature.cli.output_files import writing
from ossature.cli.read_options import ModelOptions, load_world, mesh_store, new_report
from ossature.cli.shell_completion import written_format_names
from ossature.diagnostics import Ledger, OssatureError

if TYPE_CHECKING:
    from ossature.model import World


def convert(
    file: Annotated[Path, typer.Argument(metavar="IN", help="The model file.", show_default=False)],
    output: Annotated[Path, typer.Argument(metavar="OUT", help="The file to write.", show_default=False)],
    read: ModelOptions,
    to: Annotated[
        str | None,
        typer.Option(
            "--output-format",
            help="Format to write; by default the suffix of OUT determines it.",
            autocompletion=written_format_names,
        ),
    ] = None,
    ledger_file: Annotated[Path | None, typer.Option("--ledger", help="Write the ledger to this JSON file.")] = None,
    verify: Annotated[bool, typer.Option("--verify", help="Read the output again and compare it with the input.")] = False,
    reference: Annotated[
        list[str] | None,
        typer.Option(
            "--reference",
            metavar="MODEL=FILE",
            help="Reference the COLLADA file of a model instead of writing the model; repeatable.",
        ),
    ] = None,
) -> None:
    """Convert a model and print the ledger: what is rewritten, approximated or dropped in OUT.

    With --strict nothing is written if something would be approximated or dropped. OUT is written whole or not at all.
    """
    from ossature.assets import write_file_atomically
    from ossature.conversion import companions, format_to_write, to_text, write_files
    from ossature.conversion.scene_reference import scene_reference_text

    try:
        name = format_to_write(output, to)
    except OssatureError as error:
        fail(str(error))
    world = load_world(file, read, chooses_bases=name != "urdf")
    ledger, report = Ledger(), new_report()
    meshes = mesh_store(file, read)
    with input_errors():
        companion_files = companions(world, name, output) if not reference else {}
        if reference:
            text = scene_reference_text(world, ledger, name=name, path=output, robots=_parse_references(reference))
        else:
            text = to_text(world, ledger, report, name=name, path=output, meshes=meshes, companion_files=companion_files)
    print_findings(report, verbose=read.verbose, quiet=True)
    _print_ledger(ledger)
    if read.strict and not ledger.lossless:
        fail(f"{output} is not written: the conversion is not lossless, and --strict is given", EXIT_INVALID_INPUT)
    if verify:
        _verify(world, text, name, output, ledger)
    with writing(output):
        write_files(output, text, companion_files)
        if ledger_file is not None:
            write_file_atomically(ledger_file, json.dumps(ledger.to_json(), indent=1) + "\n")


def _parse_references(stated: list[str]) -> dict[str, str]:
    """Return the files that the option --reference states, by model."""
    pairs = [pair.partition("=") for pair in stated]
    wrong = [text for text, (model, _, file) in zip(stated, pairs, strict=True) if not model or not file]
    if wrong:
        fail(f"--reference '{wrong[0]}': use MODEL=FILE")
    return {model: file for model, _, file in pairs}


def _print_ledger(ledger: Ledger) -> None:
    console = errors_console()
    for line in ledger.lines():
        action, _, rest = line.partition(":")
        style = {"dropped": "bold red", "approximated": "yellow"}.get(action, "cyan")
        console.print(f"[{style}]{action}[/]:", end="")
        console.print(rest, markup=False)
    if not len(ledger):
        console.print("conversion is lossless", style="green")


def _verify(world: World, text: str, name: str, output: Path, ledger: Ledger) -> None:
    from ossature.comparison import compare
    from ossature.diagnostics import Source
    from ossature.formats import FORMATS

    if name not in FORMATS:
        fail(f"--verify reads the output again, but {name} can only be written")
    again = FORMATS[name].reader(Source(str(output), text.encode()), new_report(), folder=output.resolve().parent)
    found = compare(world, again, tolerance=FORMATS[name].rounding)
    differences = [difference for difference in found if not ledger.covers(difference.path)]
    for difference in differences:
        errors_console().print(f"differs: {difference}", markup=False)
    if differences:
        fail(f"{output} is not written: read again, it differs from the input beyond the ledger", EXIT_INVALID_INPUT)
    errors_console().print("verified: read again, the output equals the input except for the ledger", style="green")
