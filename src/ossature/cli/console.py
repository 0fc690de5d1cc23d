"""Printing on terminals and into logs: the content of files is printed, never interpreted.

Names come from untrusted files. All output of commands goes through this module, so that no name moves the cursor, hides
text, reverses its direction, starts a line of its own, or is executed as a command by a CI system that reads the log.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NoReturn

import typer

from ossature.diagnostics import FindingsError, OssatureError, Report
from ossature.diagnostics.text_escaping import WORKFLOW_COMMAND, printable

if TYPE_CHECKING:
    from rich.console import Console

EXIT_INVALID_INPUT = 1
EXIT_INVALID_USAGE = 2

_WIDTH_OF_PIPES = 1000
"""Programs that read the output need unbroken lines."""


def errors_console() -> Console:
    """Return the console for messages."""
    from ossature.cli.escaping_console import SafeConsole  # loads rich, which not every command needs

    return SafeConsole(stderr=True, highlight=False, soft_wrap=True, emoji=False)


def output_console() -> Console:
    """Return the console for results."""
    from ossature.cli.escaping_console import SafeConsole

    console = SafeConsole(highlight=False, soft_wrap=True, emoji=False)
    if not console.is_terminal and "COLUMNS" not in os.environ:
        console.width = _WIDTH_OF_PIPES
    return console


def escape_markup(text: str) -> str:
    """Return text from a file, escaped for a string with rich markup."""
    from rich.markup import escape

    return escape(printable(text, line_breaks=False))


def print_json(data: Any) -> None:
    """Print data as JSON."""
    print_json_text(json.dumps(data, indent=1, ensure_ascii=False))


def print_json_text(text: str) -> None:
    """Print JSON; characters that a terminal would obey, or that the output cannot encode, are escaped as JSON does."""
    lines = [line if line.isprintable() else "".join(map(_escape_json_character, line)) for line in text.split("\n")]
    if not _is_encodable("".join(lines)):
        lines = ["".join([each if each.isascii() else json.dumps(each)[1:-1] for each in line]) for line in lines]
    typer.echo(WORKFLOW_COMMAND.sub(r"\\u0023#", "\n".join(lines)))


def _escape_json_character(character: str) -> str:
    return character if character.isprintable() else json.dumps(character)[1:-1]


def _is_encodable(text: str) -> bool:
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        return False
    return True


def fail(message: str, code: int = EXIT_INVALID_USAGE) -> NoReturn:
    """Print an error message and end the command with an exit code."""
    for line in message.split("\n"):
        errors_console().print(f"[bold red]error[/]: {escape_markup(line)}")
    raise typer.Exit(code)


def print_findings(report: Report, *, verbose: bool, quiet: bool = False) -> None:
    """Print findings to standard error.

    Args:
        verbose: Whether all of them are printed.
        quiet: Whether nothing is printed if there are only notes, which are printed if `verbose`.
    """
    from ossature.diagnostics import Severity
    from ossature.diagnostics.render.text import to_text

    findings = report.sorted()
    if quiet and not verbose:
        findings = [finding for finding in findings if finding.severity is not Severity.NOTE]
    if findings or not quiet:
        errors_console().print(to_text(findings, verbose=verbose))


def print_ledger(lines: list[str]) -> None:
    """Print the lines of a ledger to standard error."""
    for line in lines:
        errors_console().print(line, markup=False)


@contextmanager
def fail_on(*kinds: type[Exception], code: int = EXIT_INVALID_USAGE) -> Iterator[None]:
    """End the command with the message of an exception of some types, and with an exit code."""
    try:
        yield
    except kinds as error:
        fail(str(error.args[0]) if isinstance(error, KeyError) else str(error), code)


@contextmanager
def input_errors() -> Iterator[None]:
    """Print errors of the package as messages, and end the command with the exit code of invalid input."""
    try:
        yield
    except FindingsError as error:
        print_findings(error.report, verbose=False)
        raise typer.Exit(EXIT_INVALID_INPUT) from error
    except OssatureError as error:
        fail(str(error), EXIT_INVALID_INPUT)


@contextmanager
def progress_bar(description: str) -> Iterator[Callable[[float], None] | None]:
    """Show a progress bar on a terminal; yields a function of the fraction done, or None if messages go elsewhere."""
    console = errors_console()
    if not console.is_terminal:
        yield None
        return
    from rich.progress import Progress

    with Progress(console=console, transient=True) as bar:
        task = bar.add_task(description, total=1.0)
        yield lambda fraction: bar.update(task, completed=fraction)
