"""``ossature convert``: from one format to another."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ossature.cli.console import EXIT_INVALID_INPUT, errors_console, fail, fail_on, input_errors, print_findings
from ossature.cli.convert_to_json import convert_to_json
from ossature.cli.named_robots import locate_models
from ossature.cli.output_path_checks import check_outputs, writing
from ossature.cli.read_model import load_world
from ossature.cli.read_options import Json, ModelOptions, mesh_store, new_report
from ossature.cli.shell_completion import written_format_names
from ossature.diagnostics import Action, Ledger, OssatureError, Report
from ossature.diagnostics.counted_nouns import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ossature.conversion import Conversion
    from ossature.conversion.program_verification import ProgramVerification
    from ossature.model import World


def convert(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", help="The model file, robot:NAME for a robot by name, or a URI.", callback=locate_models
        ),
    ],
    output: Annotated[Path, typer.Argument(metavar="OUT", help="The file to write.")],
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
    verify: Annotated[
        bool,
        typer.Option(
            "--verify",
            help="Read the output again, here and with the installed programs that read it, and compare it with the input.",
        ),
    ] = False,
    reference: Annotated[
        list[str] | None,
        typer.Option(
            "--reference",
            metavar="MODEL=FILE",
            help="Reference the COLLADA file of a model instead of writing the model; repeatable.",
        ),
    ] = None,
    actuators: Annotated[
        str | None,
        typer.Option(
            "--actuators",
            metavar="KIND",
            help="MJCF: position, velocity, motor or none, for all joints; by default those of transmissions and motors.",
        ),
    ] = None,
    compiled: Annotated[
        bool, typer.Option("--compiled", help="MJCF: write the compiled model, with the dynamics of simulation.")
    ] = False,
    overwrite: Annotated[
        bool,
        typer.Option("--overwrite", help="URDF: also replace an SRDF file beside OUT that no earlier conversion has written."),
    ] = False,
    as_json: Json = False,
) -> None:
    """Convert a model and print the ledger: what is rewritten, approximated or dropped in OUT.

    With --strict nothing is written if something would be approximated or dropped. OUT is written whole or not at all.
    With --json the findings, as of `check`, and the ledger are printed as JSON, also if nothing is written.
    """
    from ossature.assets import write_file_atomically
    from ossature.conversion import convert as convert_world
    from ossature.formats import REGISTRY, ActuatorKind
    from ossature.formats.builtin_formats import COMPILED

    check_outputs([file], [output, ledger_file])
    robots = _parse_references(reference) if reference else None
    if actuators is not None and actuators not in list(ActuatorKind):
        fail(f"--actuators is {', '.join(ActuatorKind)}, not '{actuators}'")
    if compiled:
        to = _compiled_format(output, to)
    with fail_on(OssatureError):
        known = REGISTRY.to_write(output, to)
    if actuators is not None and (compiled or not known.has_actuator_kinds):
        fail(f"--actuators is for MJCF that is not compiled, not for {COMPILED if compiled else known.name}")
    if verify and known.read is None:
        fail(f"--verify reads the output again, but {known.name} can only be written")
    meshes = mesh_store(file, read)

    def convert_it(world: World, report: Report) -> Conversion:
        return convert_world(
            world,
            output,
            format=to,
            verify=verify,
            strict=read.strict,
            reference=robots,
            meshes=meshes,
            report=report,
            allow_dangling=True,
            actuators=actuators,
            overwrite=overwrite,
        )

    if as_json:
        done = convert_to_json(file, read, known, output, convert_it)
    else:
        done = _convert_with_text(load_world(file, read, chooses_bases=known.specifies_bases), read, output, convert_it)
        if verify:
            errors_console().print("verified: read again, the output equals the input except for the ledger", style="green")
            _print_verifications(done)
    if ledger_file is not None:
        with writing(ledger_file):
            write_file_atomically(ledger_file, json.dumps(done.ledger.to_records(), indent=1) + "\n")


def _convert_with_text(
    world: World, read: ModelOptions, output: Path, convert_it: Callable[[World, Report], Conversion]
) -> Conversion:
    """Convert a World, print findings and the ledger, and return the conversion; end the command if nothing is written."""
    from ossature.conversion import ConversionError

    report, failure = new_report(), None
    with input_errors(), writing(output):
        try:
            done = convert_it(world, report)
        except ConversionError as error:
            done, failure = error.conversion, error
    print_findings(report, verbose=read.verbose, quiet=True)
    _print_ledger(done.ledger)
    for difference in done.differences:
        errors_console().print(f"differs: {difference}", markup=False)
    _print_disagreements(done.verifications)
    if failure is not None:
        fail(str(failure), EXIT_INVALID_INPUT)
    return done


def _compiled_format(output: Path, specified: str | None) -> str:
    """Return the format of a compiled model; end the command if the options or the suffix of the output state another one."""
    from ossature.formats import REGISTRY
    from ossature.formats.builtin_formats import COMPILED

    mjcf, _ = REGISTRY.named(COMPILED)
    if specified not in (None, mjcf.name, COMPILED):
        fail(f"--compiled writes MJCF: it contradicts --output-format {specified}")
    if specified is None and output.suffix.lower() not in mjcf.suffixes:
        fail(f"--compiled writes MJCF, to files with the suffix {' or '.join(mjcf.suffixes)}, not '{output.suffix}'")
    return COMPILED


def _print_disagreements(verifications: Sequence[ProgramVerification]) -> None:
    for found in verifications:
        for difference in found.differences:
            errors_console().print(f"differs in {found.program}: {difference}", markup=False)
        if found.refusal is not None:
            errors_console().print(f"not verified by {found.program}: {found.refusal}", markup=False)


def _print_verifications(done: Conversion) -> None:
    for found in done.verifications:
        if found.is_verified:
            matrices = counted(found.mass_matrices, "model")
            text = f"verified by {found.program}: it computes the same poses of {counted(found.bodies, 'body')}"
            text += f", and the same mass matrices of {matrices}" if found.mass_matrices else "; no mass matrix is compared"
            errors_console().print(text, style="green")
            for content in found.ignored:
                errors_console().print(f"{found.program} ignores {content}", markup=False)
    if not done.verifications:
        errors_console().print(f"no other program that reads {done.format} files is installed: only our own reader verified it")


def _parse_references(specified: list[str]) -> dict[str, str]:
    """Return the files that the option --reference states, by model."""
    pairs = [pair.partition("=") for pair in specified]
    wrong = [text for text, (model, _, file) in zip(specified, pairs, strict=True) if not model or not file]
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
    if all(entry.action is Action.OMITTED for entry in ledger):
        console.print("conversion is lossless", style="green")
