"""Snapshots of what users read: help texts, and the messages of findings, ledger entries and errors.

``python tests/cli/test_texts.py`` writes them anew after an intended change.
"""

from __future__ import annotations

import ast
import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))

import pytest
import typer
from typer.testing import CliRunner

from conftest import PROJECT
from ossature.cli.app import app

FOLDER = Path(__file__).parent / "texts"
REPORTING = {"add", "approximated", "dropped", "extension", "fail", "refuse", "rewritten", "BadParameter"}
"""Functions and methods that are given messages."""


def help_texts() -> str:
    """Return the help of each command."""

    def pages(command: object, words: list[str]) -> list[str]:
        result = CliRunner().invoke(app, [*words, "--help"], terminal_width=100, prog_name="ossature")
        inner = getattr(command, "commands", {})
        return [result.output, *[page for name in sorted(inner) for page in pages(inner[name], [*words, name])]]

    return "\n".join(pages(typer.main.get_command(app), []))


def messages() -> str:
    """Return the messages of the source with placeholders for values, by file."""
    lines = []
    for path in sorted((PROJECT / "src").rglob("*.py")):
        found = [text for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) for text in _texts(call)]
        lines += [f"{path.relative_to(PROJECT / 'src').as_posix()}: {text}" for text in sorted(set(found))]
    return "\n".join(lines) + "\n"


def _texts(call: ast.AST) -> list[str]:
    if not isinstance(call, ast.Call):
        return []
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    given = call.args if name in REPORTING else []
    hints = [keyword.value for keyword in call.keywords if keyword.arg in ("hint", "message", "detail")]
    return [text for value in (*given, *hints) if (text := _template(value)) and " " in text]


def _template(value: ast.expr) -> str:
    if isinstance(value, ast.Constant) and isinstance(value.value, str):
        return value.value.replace("\n", "\\n")
    if isinstance(value, ast.JoinedStr):
        return "".join(_template(part) if isinstance(part, ast.Constant) else "{}" for part in value.values)
    return ""


SNAPSHOTS = {"help.txt": help_texts, "messages.txt": messages}


@pytest.mark.parametrize("name", SNAPSHOTS)
def test_texts_are_as_recorded(name: str) -> None:
    assert SNAPSHOTS[name]() == (FOLDER / name).read_text(encoding="utf-8"), "write them anew: python tests/cli/test_texts.py"


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for file, text in SNAPSHOTS.items():
        (FOLDER / file).write_text(text(), encoding="utf-8")
