"""Options that command joints, motors, loads and actuators: a file of tables, or ``NAME=VALUE``."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ossature.cli.console import EXIT_INVALID_INPUT, fail, print_findings
from ossature.diagnostics import Report, suggestion

if TYPE_CHECKING:
    from ossature.simulation import Simulation
    from ossature.simulation.stepping.command_names import CommandKey, CommandNames

Commands = Annotated[
    list[str] | None,
    typer.Option(
        "--command",
        metavar="NAME=VALUE|FILE",
        help="Command a joint, motor, load or actuator: NAME=VALUE[,VALUE…] or MODEL/NAME=…, or a CSV or JSON file with "
        "commands over simulation time (see `ossature explain invalid-command-file`); repeatable. Commands stored in the "
        "state of --initial-state continue; those for others are added.",
    ),
]


def command_files(commands: Iterable[str] | None) -> list[Path]:
    """Return the files among the values of the option."""
    return [Path(text) for text in commands or () if _is_file(text)]


def _is_file(text: str) -> bool:
    return "=" not in text or Path(text).exists()


def apply_commands(simulation: Simulation, commands: Sequence[str] | None, report: Report) -> None:
    """Command what the values of the option state; end the command if they do not fit."""
    if not commands:
        return
    from ossature.simulation.stepping.command_names import CommandNames

    names = CommandNames(simulation.world)
    commanded: set[CommandKey] = set()
    for text in commands:
        given = _apply_file(simulation, Path(text), report) if _is_file(text) else [_apply_constant(simulation, text, names)]
        for key in given:
            if key in commanded:
                fail(f"'{text}': '{'/'.join(key)}' is commanded twice")
            commanded.add(key)


def _apply_constant(simulation: Simulation, text: str, names: CommandNames) -> CommandKey:
    path, _, numbers = text.rpartition("=")
    try:
        values = [float(number) for number in numbers.split(",")]
    except ValueError:
        fail(f"'{text}': use NAME=VALUE[,VALUE…]")
    if not all(map(math.isfinite, values)):
        fail(f"'{text}': a command must be finite")
    found = names.find(path)
    if not found:
        hint = suggestion(path, names.choices(path)) or "the model has nothing to command"
        fail(f"there is no joint, motor, load or actuator '{path}': {hint}")
    if len(found) > 1:
        fail(f"several models have '{path}': {', '.join(map('/'.join, found))}")
    (key,) = found
    try:
        simulation.command(*key, values)
    except ValueError as error:
        fail(f"'{text}': {error}")
    return key


def _apply_file(simulation: Simulation, file: Path, report: Report) -> list[CommandKey]:
    from ossature.simulation import read_commands

    commands = read_commands(file, simulation.world, report)
    if report.has_errors:
        print_findings(report, verbose=False)
        raise typer.Exit(EXIT_INVALID_INPUT)
    for (model, name), table in commands.items():
        try:
            simulation.command(model, name, table)
        except ValueError as error:
            fail(f"{file}: {error}", EXIT_INVALID_INPUT)
    return list(commands)
