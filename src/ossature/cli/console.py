"""Printing on terminals and into logs: what files say is shown, and never obeyed.

Names come from files of strangers. Everything that commands print goes through here, so that no name moves the cursor, hides
text, turns its direction, begins a line of its own, or is taken for a command by a system that reads the log of a workflow.
"""

from __future__ import annotations

import json
import os
import re
from typing import TYPE_CHECKING, Any

import typer

from ossature.diagnostics.printable import printable

if TYPE_CHECKING:
    from rich.console import Console

_WIDTH_OF_PIPES = 1000
"""Programs that read the output want whole lines."""
WORKFLOW_COMMAND = re.compile(r"##(?=(?:vso)?\[)")
"""What Azure Pipelines, and GitHub for its sake, take for a command wherever in a line it is."""
WORKFLOW_LINE = re.compile(r"\s*::")
"""What GitHub takes for a command at the beginning of a line."""


def errors_console() -> Console:
    """Return the console for messages."""
    from ossature.cli.safe_console import SafeConsole  # loads rich, which not every command needs

    return SafeConsole(stderr=True, highlight=False, soft_wrap=True, emoji=False)


def output_console() -> Console:
    """Return the console for results."""
    from ossature.cli.safe_console import SafeConsole

    console = SafeConsole(highlight=False, soft_wrap=True, emoji=False)
    if not console.is_terminal and "COLUMNS" not in os.environ:
        console.width = _WIDTH_OF_PIPES
    return console


def in_markup(text: str) -> str:
    """Return text that may come from a file, to be put into a string with rich's markup."""
    from rich.markup import escape

    return escape(printable(text, line_breaks=False))


def print_json(data: Any) -> None:
    """Print data as JSON."""
    print_json_text(json.dumps(data, indent=1, ensure_ascii=False))


def print_json_text(text: str) -> None:
    """Print JSON; characters that a terminal would obey are escaped as JSON does, others are left as they are."""
    lines = [line if line.isprintable() else "".join(map(_in_json, line)) for line in text.split("\n")]
    typer.echo(WORKFLOW_COMMAND.sub(r"\\u0023#", "\n".join(lines)))


def _in_json(character: str) -> str:
    return character if character.isprintable() else json.dumps(character)[1:-1]
