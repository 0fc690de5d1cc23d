"""How commands read model files: their common options, and reading by them."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass, fields
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from ossature.cli.console import EXIT_INVALID_INPUT, errors_console, fail, print_findings
from ossature.cli.shell_completion import format_names
from ossature.diagnostics import Limits, Report

if TYPE_CHECKING:
    from ossature.assets import MeshStore
    from ossature.model import World

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


ModelFile = Annotated[Path, typer.Argument(help="The model file.", show_default=False)]


@dataclass(frozen=True, slots=True, kw_only=True)
class FileOptions:
    """How a command reads a file that is no model: the options common to all of them.

    Attributes:
        limit: Limits of reading; :func:`new_report` and :func:`limits_of_command` use them.
        verbose: Whether notes are printed too.
    """

    limit: Annotated[
        str | None,
        typer.Option(
            "--limit",
            metavar="NAME=NUMBER,…",
            callback=_keep_limits,
            help="Limits of reading, for example elements=1e6,seconds=60; see `ossature explain too-many-elements`.",
            show_default=False,
        ),
    ] = None
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Print notes too.")] = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadOptions(FileOptions):
    """How a command reads model files: the options common to all commands that read one.

    Attributes:
        input_format: Name of the format, or None if the file's suffix or content determines it.
        dialect: Name of the program whose interpretation is used, or None for that of the specification.
        calibration: File with the calibration of this robot, or None.
        motor_speed_unit: Unit of the speeds of electric motors in COLLADA files, or None if it follows from their constants.
        search_path: Folders with packages and data.
        allow_path: Folders outside the model's own from which files may be opened.
        strict: Whether warnings count as errors.
    """

    input_format: Annotated[
        str | None,
        typer.Option(
            "--input-format",
            help="Format of the model file; by default its suffix or content determines it.",
            autocompletion=format_names,
        ),
    ] = None
    dialect: Annotated[
        str | None,
        typer.Option("--dialect", help="Read COLLADA as this program does if it differs from the specification: openrave."),
    ] = None
    calibration: Annotated[Path | None, typer.Option("--calibration", help="YAML file with the calibration of this robot.")] = (
        None
    )
    motor_speed_unit: Annotated[
        str | None,
        typer.Option(
            "--motor-speed-unit", help="Unit of motor speeds, rev/s or rev/min; by default it follows from the motor constants."
        ),
    ] = None
    search_path: Annotated[
        list[Path] | None,
        typer.Option("--search-path", help="Folder with packages and data; repeatable. Also OSSATURE_PATH."),
    ] = None
    allow_path: Annotated[
        list[Path] | None,
        typer.Option("--allow-path", help="Folder outside the model's own from which files may be opened; repeatable."),
    ] = None
    strict: Annotated[bool, typer.Option("--strict", help="Treat warnings as errors.")] = False

    @property
    def format_name(self) -> str | None:
        """The format or dialect to read, or None if the file determines it; ends the command if the options contradict."""
        if self.dialect is None:
            return self.input_format
        from ossature.formats import REGISTRY

        try:
            known, _ = REGISTRY.named(self.dialect)
        except ValueError:
            known = None
        if known is None or self.dialect not in known.dialects:
            dialects = [dialect for each in REGISTRY.all() for dialect in each.dialects]
            fail(f"unknown dialect '{self.dialect}': use {' or '.join(dialects)}")
        if self.input_format not in (None, known.name, self.dialect):
            fail(f"--dialect {self.dialect} is for {known.name}, not for '{self.input_format}'")
        return self.dialect


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelOptions(ReadOptions):
    """How a command that simulates, draws or converts a model reads it: what the file leaves open, and the initial state.

    Attributes:
        fix_base: Whether floating bases of robots are fixed to the world.
        float_base: Whether the bases of robots float.
        infer_inertia: Density by which bodies without inertia get it from their shapes [kg/m³], or None.
        ground: Whether a floor is added.
        gravity: Gravitational acceleration [m/s²], or None for that of the file.
        joint: Initial joint positions.
        initial_state: File with the initial state, or None.
    """

    fix_base: Annotated[
        bool, typer.Option("--fix-base", help="Fix floating bases to the world; arms of URDF and COLLADA are by default.")
    ] = False
    float_base: Annotated[bool, typer.Option("--float-base", help="Let the bases of robots float.")] = False
    infer_inertia: Annotated[
        float | None,
        typer.Option(
            "--infer-inertia",
            metavar="[=DENSITY]",
            help="Give bodies without inertia that of their shapes, at this density [kg/m³]; 1000 without a number.",
        ),
    ] = None
    ground: Annotated[bool, typer.Option("--ground", help="Add a floor if the model has none.")] = False
    gravity: Annotated[
        tuple[float, float, float] | None,
        typer.Option("--gravity", metavar="X Y Z", help="Gravitational acceleration [m/s²]; by default that of the file."),
    ] = None
    joint: Annotated[
        list[str] | None,
        typer.Option("--joint", "-j", help="NAME=VALUE[,VALUE…]: initial joint position [rad or m]; repeatable."),
    ] = None
    initial_state: Annotated[Path | None, typer.Option("--initial-state", help="Start from the state in this USDF file.")] = (
        None
    )


Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def expand_options(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command whose parameters of type FileOptions or ReadOptions are expanded into one option for each field."""
    signature = inspect.signature(command, eval_str=True)
    own: list[inspect.Parameter] = []
    common: list[inspect.Parameter] = []
    groups: dict[str, type[FileOptions]] = {}
    for parameter in signature.parameters.values():
        group = parameter.annotation
        if isinstance(group, type) and issubclass(group, FileOptions):
            groups[parameter.name] = group
            common += _option_parameters(group)
        else:
            own.append(parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY))
    # Options of one command come first in its help, those that all commands have come last.
    parameters = [*own, *(one for one in common if one.name not in signature.parameters)]

    @wraps(command)
    def run(**values: Any) -> None:
        for name, group in groups.items():
            stated = {one.name for one in _option_parameters(group)} - set(signature.parameters)
            values[name] = group(**{one: values.pop(one) for one in stated})
        command(**values)

    run.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {one.name: one.annotation for one in parameters}
    return run


def _option_parameters(group: type[FileOptions]) -> list[inspect.Parameter]:
    """Return the options of a group, those of all groups last."""
    hints = get_type_hints(group, include_extras=True)
    shared = {one.name for one in fields(FileOptions)}
    return [
        inspect.Parameter(one.name, inspect.Parameter.KEYWORD_ONLY, default=one.default, annotation=hints[one.name])
        for one in sorted(fields(group), key=lambda one: one.name in shared)
    ]


def read_world(file: Path, options: ReadOptions, report: Report, *, chooses_bases: bool = True) -> World | None:
    """Return the World in a file as the options state; findings go to the report.

    Args:
        file: The file.
        options: The options.
        report: Receives the findings.
        chooses_bases: Whether a rule chooses the bases of robots whose file does not state whether they are fixed.
    """
    from ossature.formats.load_file import read_file

    try:
        world = read_file(file, report, format_name=options.format_name, resolver=mesh_store(file, options).resolver)
    except ValueError as error:
        fail(str(error))
    return adapt_world(world, options, report, file, chooses_bases=chooses_bases)


def adapt_world(
    world: World | None, options: ReadOptions, report: Report, file: Path, *, chooses_bases: bool = True
) -> World | None:
    """Return a World with the calibration, motor speeds, bases, inertia, floor and initial state that the options state."""
    world = _with_calibration(world, options, report)
    if world is None or report.has_errors or not isinstance(options, ModelOptions):
        return world
    from ossature.cli.model_options import apply_model_options  # loads kinematics

    return apply_model_options(world, options, report, file, chooses_bases=chooses_bases)


def _with_calibration(world: World | None, options: ReadOptions, report: Report) -> World | None:
    """Return a World with the calibration and the unit of motor speeds that the options state."""
    if world is not None and options.calibration is not None:
        from ossature.formats.calibration import read_calibration, with_calibration

        calibration = read_calibration(options.calibration, report)
        world = None if calibration is None else with_calibration(world, calibration, report)
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
        file: The file.
        options: The options.
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
                errors_console().print(f"note: {finding.message}", markup=False)
    return world


def has_failures(report: Report, *, strict: bool) -> bool:
    """Whether findings make a command fail: errors, and warnings if it is strict."""
    from ossature.diagnostics import Severity

    failing = (Severity.ERROR, Severity.WARNING) if strict else (Severity.ERROR,)
    return any(finding.severity in failing for finding in report)


def mesh_store(file: Path, options: ReadOptions | None = None, limits: Limits | None = None) -> MeshStore:
    """Return the store of meshes that a model file refers to; the limits of reading are those of the running command."""
    from ossature.assets import MeshStore, Resolver, data_path_from_environment, search_path_from_environment

    search_path = (options.search_path if options is not None else None) or ()
    allowed = (options.allow_path if options is not None else None) or ()
    return MeshStore(
        Resolver(
            folder=file.resolve().parent,
            search_path=(*search_path, *search_path_from_environment()),
            data_path=data_path_from_environment(),
            allowed=tuple(allowed),
        ),
        limits or limits_of_command(),
    )
