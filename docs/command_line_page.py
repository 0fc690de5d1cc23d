"""The page of all commands with their arguments and options, from the application itself."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import click
import typer

from ossature.cli.app import app

_INTRODUCTION = (
    "# Command line",
    "",
    "All commands, as `ossature COMMAND --help` prints them.",
    "Exit codes: 0 success, 1 invalid input, 2 invalid usage, 130 interrupted.",
    "Output files are written whole or not at all. `ossature check -` reads standard input.",
    "",
)


def command_line_page(notice: str) -> str:
    """Return the page."""
    lines = [notice, *_INTRODUCTION]
    for words, command in _commands("ossature", typer.main.get_command(app)):
        lines += _section(words, command)
    return "\n".join(lines)


def _commands(words: str, command: Any) -> Iterator[tuple[str, Any]]:
    members = getattr(command, "commands", None)
    if members is None:
        yield words, command
        return
    for name, member in members.items():
        if not member.hidden:
            yield from _commands(f"{words} {name}", member)


def _section(words: str, command: Any) -> Iterator[str]:
    context = click.Context(command, info_name=words)
    yield f"## `{words}`"
    yield ""
    yield _plain(command.help or "")
    yield ""
    usage = " ".join(command.collect_usage_pieces(context))
    yield from ("```text", f"{words} {usage}", "```", "")
    rows = [(param, record) for param in command.params if (record := param.get_help_record(context)) is not None]
    if rows:
        yield from ("| argument or option | |", "|---|---|")
        yield from (f"| `{_cell(_value_type(names))}` | {_cell(_plain(text))} |" for _, (names, text) in rows)
        yield ""


def _value_type(names: str) -> str:
    return re.sub(r"<list\[(\w+)\]>", lambda match: f"<{match[1].lower()}>", names).replace("<str>", "<text>")


def _plain(text: str) -> str:
    return re.sub(r"(?<!\n)\n(?!\n)", " ", text.replace("``", "`")).strip()


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())
