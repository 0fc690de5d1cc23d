"""``ossature convert --json``: a conversion as JSON, for scripts."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from ossature.cli.console import EXIT_INVALID_INPUT, print_json
from ossature.cli.read_model import has_failures, read_world
from ossature.cli.read_options import ModelOptions, new_report
from ossature.diagnostics import FindingsError, OssatureError, Report

if TYPE_CHECKING:
    from ossature.conversion import Conversion
    from ossature.conversion.program_verification import ProgramVerification
    from ossature.formats import Format
    from ossature.model import World


def convert_to_json(
    file: Path, read: ModelOptions, known: Format, output: Path, convert: Callable[[World, Report], Conversion]
) -> Conversion:
    """Convert a file, print the conversion as JSON, and return it; end the command if nothing is written.

    Args:
        known: The format of the output.
        output: The file to write.
        convert: Converts a World; findings go to the report.
    """
    from ossature.conversion import ConversionError

    report, done, error = new_report(), None, None
    world = read_world(file, read, report, chooses_bases=known.specifies_bases)
    if world is None or has_failures(report, strict=read.strict):
        error = f"{file} cannot be converted: see the findings"
    else:
        try:
            done = convert(world, report)
        except ConversionError as failure:
            done, error = failure.conversion, str(failure)
        except FindingsError as failure:
            report.extend(failure.report)
            error = f"{file} cannot be converted: see the findings"
        except (OssatureError, OSError) as failure:
            error = str(failure)
    print_json({"file": str(file), "output": str(output), "format": known.name} | _conversion_data(done, report, error))
    if done is None or error is not None:
        raise typer.Exit(EXIT_INVALID_INPUT)
    return done


def _conversion_data(done: Conversion | None, report: Report, error: str | None) -> dict[str, Any]:
    from ossature.diagnostics.render import to_json

    return {
        "error": error,
        "written": [str(path) for path in done.files] if done is not None and error is None else [],
        "findings": json.loads(to_json(report.sorted())),
        "lossless": done.ledger.lossless if done is not None else None,
        "ledger": done.ledger.to_records() if done is not None else [],
        "differences": list(done.differences) if done is not None else [],
        "programs": [_program_data(found) for found in done.verifications] if done is not None else [],
    }


def _program_data(found: ProgramVerification) -> dict[str, Any]:
    return {
        "program": found.program,
        "agrees": found.is_verified,
        "refusal": found.refusal,
        "differences": list(found.differences),
        "ignored": list(found.ignored),
    }
