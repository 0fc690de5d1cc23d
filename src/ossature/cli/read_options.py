"""Options of reading that commands share, and the reports, limits and mesh stores that follow from them."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass, fields
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_type_hints

import typer

from ossature.cli.console import fail, fail_on
from ossature.cli.named_robots import locate_models
from ossature.cli.shell_completion import format_names
from ossature.diagnostics import Limits, Report

if TYPE_CHECKING:
    from ossature.assets import MeshStore

_LIMITS: ContextVar[Limits | None] = ContextVar("limits", default=None)  # of the command that runs


def _keep_limits(text: str | None) -> str | None:
    """Keep the limits that an option states, or the defaults, for the command that runs."""
    try:
        _LIMITS.set(Limits().with_values(text) if text is not None else None)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None
    return text


def _require_folders(parameter: typer.CallbackParam, folders: list[Path] | None) -> list[Path]:
    """Return the folders that an option states; end the command if one does not exist."""
    if not folders:
        return []
    from ossature.assets.require_folders import require_folders

    with fail_on(ValueError):
        require_folders(parameter.opts[0], folders)
    return folders


def limits_of_command() -> Limits:
    """Return the limits that the option ``--limit`` of the running command states, or the defaults."""
    return _LIMITS.get() or Limits()


def new_report() -> Report:
    """Return an empty Report with the limits of the running command."""
    return Report(limits=limits_of_command())


ModelFile = Annotated[
    Path,
    typer.Argument(metavar="FILE", help="The model file, robot:NAME for a robot by name, or a URI.", callback=locate_models),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class FileOptions:
    """How a command reads a file that is no model: the options common to all of them."""

    limit: Annotated[
        str | None,
        typer.Option(
            "--limit",
            metavar="NAME=NUMBER,…",
            callback=_keep_limits,
            help="Limits of reading, for example elements=1e6,seconds=60; see `ossature explain too-many-elements`.",
        ),
    ] = None
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Print notes too.")] = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadOptions(FileOptions):
    """How a command reads model files: the options common to all commands that read one."""

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
        typer.Option(
            "--search-path",
            metavar="FOLDER",
            callback=_require_folders,
            is_eager=True,
            help="Folder with packages and data; repeatable. Also OSSATURE_PATH.",
        ),
    ] = None
    allow_path: Annotated[
        list[Path] | None,
        typer.Option(
            "--allow-path",
            metavar="FOLDER",
            callback=_require_folders,
            help="Folder outside the model's own from which files may be opened; repeatable.",
        ),
    ] = None
    srdf: Annotated[
        Path | None,
        typer.Option(
            "--srdf", metavar="FILE|none", help="SRDF file of a URDF robot; by default the one of the same name beside it."
        ),
    ] = None
    xacro: Annotated[
        bool,
        typer.Option(
            "--xacro", help="Expand the model file with xacro, which evaluates its expressions: only if you trust it."
        ),
    ] = False
    xacro_arg: Annotated[
        list[str] | None, typer.Option("--xacro-arg", metavar="NAME:=VALUE", help="Argument of the xacro template; repeatable.")
    ] = None
    strict: Annotated[bool, typer.Option("--strict", help="Treat warnings as errors.")] = False

    @property
    def is_template(self) -> bool:
        """Whether the model file is a xacro template."""
        return self.xacro or bool(self.xacro_arg)

    @property
    def xacro_arguments(self) -> dict[str, str]:
        """The arguments of the template by name; ends the command if one is not NAME:=VALUE."""
        pairs = [(text, *text.partition(":=")) for text in self.xacro_arg or ()]
        for text, name, separator, _ in pairs:
            if not name or not separator:
                fail(f"--xacro-arg '{text}': use NAME:=VALUE")
        return {name: value for _, name, _, value in pairs}

    @property
    def semantics(self) -> Path | Literal[False] | None:
        """The SRDF file of a URDF robot; None for the one beside its URDF file, False for none."""
        return False if self.srdf is not None and str(self.srdf) == "none" else self.srdf

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
            fail(f"unknown dialect '{self.dialect}': use {' or '.join(REGISTRY.dialects())}")
        if self.input_format not in (None, known.name, self.dialect):
            fail(f"--dialect {self.dialect} is for {known.name}, not for '{self.input_format}'")
        return self.dialect


InitialState = Annotated[
    Path | None,
    typer.Option(
        "--initial-state",
        metavar="FILE|KEYFRAME",
        help="Start from the state in this USDF file, or from the keyframe of this name.",
    ),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelOptions(ReadOptions):
    """How a command that simulates, draws or converts a model reads it: what the file leaves open, and the initial state."""

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
        typer.Option("--joint", "-j", metavar="NAME=VALUE[,VALUE…]", help="Initial joint position [rad or m]; repeatable."),
    ] = None
    initial_state: InitialState = None


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
            specified = {one.name for one in _option_parameters(group)} - set(signature.parameters)
            values[name] = group(**{one: values.pop(one) for one in specified})
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


def mesh_store(file: Path, options: ReadOptions | None = None, limits: Limits | None = None) -> MeshStore:
    """Return the store of meshes that a model file refers to; the limits of reading are those of the running command."""
    from ossature.assets import MeshStore, Resolver

    search_path = (options.search_path if options is not None else None) or ()
    allowed = (options.allow_path if options is not None else None) or ()
    return MeshStore(Resolver.of_file(file, search_path, allowed), limits or limits_of_command())
