"""Reading a model file as the options of a command state."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from ossature.cli.console import EXIT_INVALID_INPUT, errors_console, fail, fail_on, print_findings
from ossature.cli.read_options import ModelOptions, ReadOptions, mesh_store, new_report
from ossature.diagnostics import Report

if TYPE_CHECKING:
    from ossature.model import World


def read_world(
    file: Path, options: ReadOptions, report: Report, *, chooses_bases: bool = True, beside: Path | None = None
) -> World | None:
    """Return the World in a file as the options state; findings go to the report.

    Args:
        chooses_bases: Whether a rule chooses the bases of robots whose file does not state whether they are fixed.
        beside: The path to which references to other files are relative; the file if None.
    """
    from ossature.formats.load_file import read_file

    if options.is_template:
        return adapt_world(_read_template(file, options, report), options, report, file, chooses_bases=chooses_bases)
    with fail_on(ValueError):
        resolver = mesh_store(beside or file, options).resolver
        world = read_file(
            file,
            report,
            format_name=options.format_name,
            resolver=resolver,
            srdf=options.semantics,
            strict_options=True,
        )
    return adapt_world(world, options, report, file, chooses_bases=chooses_bases)


def _read_template(file: Path, options: ReadOptions, report: Report) -> World | None:
    """Return the World in a xacro template; the locations of findings are in its expansion, and in the template if known."""
    from ossature.formats.urdf.xacro_expansion import read_template

    resolver = mesh_store(file, options).resolver
    arguments, packages = options.xacro_arguments, options.search_path or ()
    try:
        return read_template(file, arguments, report, search_path=packages, resolver=resolver, srdf=options.semantics)
    except ImportError as error:
        fail(str(error))


def adapt_world(
    world: World | None, options: ReadOptions, report: Report, file: Path, *, chooses_bases: bool = True
) -> World | None:
    """Return a World with the calibration, motor speeds, bases, inertia, floor and initial state that the options state."""
    world = _with_calibration(world, options, report)
    if world is None or report.has_errors or not isinstance(options, ModelOptions):
        return world
    from ossature.cli.apply_model_options import apply_model_options  # loads kinematics

    return apply_model_options(world, options, report, file, chooses_bases=chooses_bases)


def _with_calibration(world: World | None, options: ReadOptions, report: Report) -> World | None:
    """Return a World with the calibration and the unit of motor speeds that the options state."""
    from ossature.io import calibrated

    world = calibrated(world, report, options.calibration)
    if world is None or options.motor_speed_unit is None:
        return world
    from ossature.model import SpeedUnit
    from ossature.model.reinterpret_motor_speeds import world_with_motor_speeds

    if options.motor_speed_unit not in list(SpeedUnit):
        fail(f"--motor-speed-unit is {' or '.join(SpeedUnit)}, not '{options.motor_speed_unit}'")
    return world_with_motor_speeds(world, SpeedUnit(options.motor_speed_unit))


def load_world(file: Path, options: ReadOptions, *, chooses_bases: bool = True, prints_bases: bool = False) -> World:
    """Return the World in a file with its findings printed; end the command if it cannot be used.

    Args:
        chooses_bases: Whether a rule chooses the bases of robots; see :func:`read_world`.
        prints_bases: Whether the chosen bases are printed.
    """
    report = new_report()
    world = read_world(file, options, report, chooses_bases=chooses_bases)
    if world is None or (options.strict and has_failures(report, strict=True)):
        print_findings(report, verbose=options.verbose)
        raise typer.Exit(EXIT_INVALID_INPUT)
    print_findings(report, verbose=options.verbose, quiet=True)
    if report.has_errors:
        raise typer.Exit(EXIT_INVALID_INPUT)
    if prints_bases and not options.verbose:
        for finding in report:
            if finding.rule.name == "free-base":
                hint = f" ({finding.hint})" if finding.hint else ""
                errors_console().print(f"note: {finding.message}{hint}", markup=False)
    return world


def has_failures(report: Report, *, strict: bool) -> bool:
    """Whether findings make a command fail: errors, and warnings if it is strict."""
    from ossature.diagnostics import Severity

    failing = (Severity.ERROR, Severity.WARNING) if strict else (Severity.ERROR,)
    return any(finding.severity in failing for finding in report)
