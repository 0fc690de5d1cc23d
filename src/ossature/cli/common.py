"""What commands share: options, reading, and printing findings."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from ossature.cli.completion import format_names
from ossature.cli.console import errors_console, in_markup
from ossature.diagnostics import Limits, OssatureError, Report

if TYPE_CHECKING:
    from ossature.assets import MeshStore
    from ossature.model import World

INPUT_AT_FAULT = 1
COMMAND_LINE_AT_FAULT = 2

_LIMITS: ContextVar[Limits | None] = ContextVar("limits", default=None)  # of the command that runs


def _keep_limits(text: str | None) -> str | None:
    """Keep the limits that an option states, or the defaults, for the command that runs."""
    try:
        _LIMITS.set(Limits().with_values(text) if text is not None else None)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None
    return text


def limits_of_command() -> Limits:
    """Return the limits that the option ``--limit`` of the running command states, or the defaults."""
    return _LIMITS.get() or Limits()


def new_report() -> Report:
    """Return an empty Report with the limits of the running command."""
    return Report(limits=limits_of_command())


File = Annotated[Path, typer.Argument(help="The model file.", show_default=False)]
From = Annotated[
    str | None,
    typer.Option("--from", help="Format of the file, where its suffix does not tell.", autocompletion=format_names),
]
OpenRave = Annotated[
    bool, typer.Option("--openrave", help="Read COLLADA as OpenRAVE does where that differs; the same as --from openrave.")
]
SearchPath = Annotated[
    list[Path] | None,
    typer.Option("--search-path", help="Folder with packages and sample data; repeatable. Also OSSATURE_PATH."),
]
AllowPath = Annotated[
    list[Path] | None,
    typer.Option("--allow-path", help="Folder outside the model's own from which files may be opened; repeatable."),
]
Strict = Annotated[bool, typer.Option("--strict", help="Let warnings count as errors.")]
MotorSpeeds = Annotated[
    str | None,
    typer.Option("--motor-speeds", help="Take speeds of motors in rev/s or rev/min; by default as their constants fit."),
]
CalibrationFile = Annotated[
    Path | None, typer.Option("--calibration", help="YAML file that says how this robot differs from the model file.")
]
LimitsOption = Annotated[
    str | None,
    typer.Option(
        "--limit",
        metavar="NAME=NUMBER,…",
        callback=_keep_limits,
        help="What reading may use at most, for example elements=1e6,seconds=60; `ossature explain too-many-elements`.",
        show_default=False,
    ),
]
"""Limits of reading; :func:`new_report` and :func:`limits_of_command` use them."""
Json = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]
Verbose = Annotated[bool, typer.Option("--verbose", "-v", help="Show every finding, notes too.")]


def fail(message: str, code: int = COMMAND_LINE_AT_FAULT) -> NoReturn:
    """Print a message and end with an exit code."""
    for line in message.split("\n"):
        errors_console().print(f"[bold red]error[/]: {in_markup(line)}")
    raise typer.Exit(code)


def roll_pitch_yaw_degrees(wxyz: Sequence[float]) -> str:
    """Return a rotation for a table, as turns about the fixed axes x, y and z [°]."""
    from ossature.spatial import euler_from_quaternion

    w, x, y, z = wxyz
    yaw, pitch, roll = euler_from_quaternion((w, x, y, z), "zyx")
    return " ".join(f"{math.degrees(angle) + 0.0:6.1f}" for angle in (roll, pitch, yaw))


def numbers(values: Iterable[float]) -> str:
    """Return numbers for a table."""
    return " ".join(number_in_table(value) for value in values)


def number_in_table(value: float) -> str:
    """Return a number for a table, short even where it is huge."""
    return f"{value:.10g}" if abs(value) >= _HUGE else f"{value:7.4f}"


_HUGE = 1e6
"""From here on decimal places say nothing."""


def format_named(from_: str | None, openrave: bool) -> str | None:
    """Return the format that the options name, or None where they leave it open."""
    if openrave and from_ not in (None, "collada", "openrave"):
        fail(f"--openrave is about COLLADA, not '{from_}'")
    return "openrave" if openrave else from_


def read_world(file: Path, format_name: str | None, report: Report) -> World | None:
    """Return the World in a file; findings go to the report."""
    from ossature.formats.files import read_file

    try:
        return read_file(file, report, format_name=format_name)
    except ValueError as error:
        fail(str(error))


def with_speeds(world: World, unit: str | None) -> World:
    """Return a World with the speeds of its motors in the unit that an option names."""
    if unit is None:
        return world
    from ossature.model import SpeedUnit
    from ossature.model.motor_speeds import with_motor_speeds

    if unit not in list(SpeedUnit):
        fail(f"--motor-speeds is {' or '.join(SpeedUnit)}, not '{unit}'")
    return with_motor_speeds(world, SpeedUnit(unit))


def with_overlay(world: World | None, calibration: Path | None, report: Report) -> World | None:
    """Return a World with the calibration that an option names; findings go to the report."""
    if world is None or calibration is None:
        return world
    from ossature.formats.calibration import read_calibration, with_calibration

    read = read_calibration(calibration, report)
    return None if read is None else with_calibration(world, read, report)


def load_world(
    file: Path,
    format_name: str | None,
    *,
    strict: bool,
    verbose: bool,
    motor_speeds: str | None = None,
    calibration: Path | None = None,
) -> World:
    """Return the World in a file with its findings printed; end the command where it cannot be used."""
    report = new_report()
    world = with_overlay(read_world(file, format_name, report), calibration, report)
    if world is None or (strict and worst_fails(report, strict=True)):
        print_findings(report, verbose=verbose)
        raise typer.Exit(INPUT_AT_FAULT)
    print_findings(report, verbose=verbose, quiet=True)
    if report.has_errors:
        raise typer.Exit(INPUT_AT_FAULT)
    return with_speeds(world, motor_speeds)


def worst_fails(report: Report, *, strict: bool) -> bool:
    """Whether the findings make a command fail."""
    from ossature.diagnostics import Severity

    failing = (Severity.ERROR, Severity.WARNING) if strict else (Severity.ERROR,)
    return any(finding.severity in failing for finding in report)


def print_findings(report: Report, *, verbose: bool, quiet: bool = False) -> None:
    """Print findings to standard error.

    Args:
        report: The findings.
        verbose: Whether all of them are shown.
        quiet: Whether nothing is said where there are only notes, which are shown on demand.
    """
    from ossature.diagnostics import Severity
    from ossature.diagnostics.render.text import to_text

    findings = report.sorted()
    if quiet and not verbose:
        findings = [finding for finding in findings if finding.severity is not Severity.NOTE]
    if findings or not quiet:
        errors_console().print(to_text(findings, verbose=verbose))


def mesh_store(
    file: Path, search_path: list[Path] | None, allow_path: list[Path] | None, limits: Limits | None = None
) -> MeshStore:
    """Return where the meshes of a file are looked for; the limits of their reading are those of the running command."""
    from ossature.assets import MeshStore, Resolver, data_path_from_environment, search_path_from_environment

    return MeshStore(
        Resolver(
            folder=file.resolve().parent,
            search_path=(*(search_path or ()), *search_path_from_environment()),
            data_path=data_path_from_environment(),
            allowed=tuple(allow_path or ()),
        ),
        limits or limits_of_command(),
    )


@contextmanager
def input_errors() -> Iterator[None]:
    """Turn the package's own errors into a message and exit code 1."""
    try:
        yield
    except OssatureError as error:
        from ossature.simulation.compiling.compiled import SimulationError  # loads the engine, which not every command needs

        if not isinstance(error, SimulationError):
            fail(str(error), INPUT_AT_FAULT)
        print_findings(error.report, verbose=False)
        raise typer.Exit(INPUT_AT_FAULT) from error


@contextmanager
def progress_bar(what: str) -> Iterator[Callable[[float], None] | None]:
    """Show a bar while something takes long, where messages go to a terminal; yields what takes the share that is done."""
    console = errors_console()
    if not console.is_terminal:
        yield None
        return
    from rich.progress import Progress

    with Progress(console=console, transient=True) as bar:
        task = bar.add_task(what, total=1.0)
        yield lambda share: bar.update(task, completed=share)
