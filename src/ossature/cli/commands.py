"""The commands; a program that runs one of them loads no others."""

from __future__ import annotations

from collections.abc import Collection
from importlib import import_module
from typing import Annotated

import typer

from ossature.cli.deprecated_options import Command, Group
from ossature.cli.read_options import expand_options

_COMMANDS = (
    "info",
    "check",
    "diff",
    "convert",
    "attach",
    "pose",
    "ik",
    "simulate",
    "fit",
    "doctor",
    "view",
    "render",
    "fmu",
    "formats",
    "rules",
    "explain",
    "schema",
)
"""The functions of modules of the same name, in the order of the help."""
_GROUPS = ("state", "calibration", "sensor", "sweep", "trajectory")
"""Modules that have a ``typer.Typer`` of their own, with several commands."""
ALL = (*_COMMANDS, *_GROUPS)


def make_app(names: Collection[str] = ALL) -> typer.Typer:
    """Return the command line with the commands of some names."""
    app = typer.Typer(
        name="ossature",
        cls=Group,
        no_args_is_help=True,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_root)
    for name in ALL:
        if name in names:
            module = import_module(f"ossature.cli.{name}")
            if name in _GROUPS:
                app.add_typer(module.app, name=name)
            else:
                app.command(cls=Command)(expand_options(getattr(module, name)))
    return app


def named_commands(arguments: list[str]) -> Collection[str]:
    """Return the command that the arguments of the program name, or all if an answer may depend on the others."""
    return arguments[:1] if arguments and arguments[0] in ALL else ALL


def _root(version: Annotated[bool, typer.Option("--version", "-V", help="Print the version.")] = False) -> None:
    """Read, check, convert, write and simulate robot and mechanism models.

    Exit codes: 0 success, 1 invalid input, 2 invalid usage, 130 interrupted.
    """
    if version:
        from ossature import __version__

        typer.echo(f"ossature {__version__}")
        raise typer.Exit
