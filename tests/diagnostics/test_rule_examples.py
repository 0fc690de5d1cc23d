"""The example of each rule triggers it."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from ossature.cli.app import app
from ossature.diagnostics.rule_examples import example_of, parse_example
from ossature.rule_catalogue import all_rules

WITHOUT_EXAMPLE = {
    "chain-too-deep": "needs a chain of more than a thousand links",
    "engine-compile-error": "no model file is known that the checks before the engine accept and the engine rejects",
    "failed-plugin": "needs an installed package that is broken",
    "failed-metric": "needs a function, which only Python has",
    "inconsistent-compilation": "a fault of the package; none is known",
    "interrupted-check": "needs a process that is killed",
    "invalid-plugin": "needs an installed package that is broken",
    "lost-worker": "needs a run that makes a process end",
    "missing-usd-library": "depends on whether the extra usd is installed",
    "out-of-memory": "depends on the memory of the machine",
    "raycast-rendering": "depends on whether the machine can start a renderer",
    "self-collisions-dropped": "needs sixteen models whose shapes for self-collisions differ from their collision shapes",
    "unsupported-by-gpu": "needs the extra gpu",
    "unsupported-coupling": "no format states formulas and spherical joints; a World built in Python can have both",
}
"""Rules without an example, with the reason."""

NAMES = sorted(all_rules().keys() - WITHOUT_EXAMPLE.keys())


def test_every_rule_has_an_example_or_is_listed() -> None:
    assert {name for name in all_rules() if example_of(name) is None} == WITHOUT_EXAMPLE.keys()


@pytest.mark.parametrize("name", NAMES)
def test_example(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    example = example_of(name)
    assert example is not None
    for file, content in example.files.items():
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_bytes(content)
    monkeypatch.chdir(tmp_path)
    for command in example.commands:
        program, *arguments = shlex.split(command)
        assert program == "ossature"
        result = CliRunner().invoke(app, arguments)
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
        assert not missing_options(result.output, arguments[0]), result.output
    assert f"{all_rules()[name].name}]" in result.output, result.output


@pytest.mark.parametrize("name", sorted(all_rules()))
def test_options_in_explanations_exist(name: str) -> None:
    rule = all_rules()[name]
    assert not missing_options(f"{rule.summary} {rule.explanation}", None)


OPTIONS = {
    name: {option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)}
    for name, command in typer.main.get_group(app).commands.items()  # type: ignore[attr-defined]
    if not hasattr(command, "commands")
}


def missing_options(text: str, command: str | None) -> list[str]:
    """Return the options in a text that do not exist: in the command that printed it, or that a hint names before them.

    Args:
        text: Lines of output, or an explanation, whose options may be those of any command.
        command: The command that printed it, or None.
    """
    missing = []
    for line in text.splitlines():
        named = command
        for word in re.finditer(r"`ossature ([a-z]+)|(?<![\w-])(--[a-z][a-z-]+)", line):
            if word[1] is not None:
                named = word[1]
                assert named in (*OPTIONS, "state"), named
            elif named is None or named not in OPTIONS:
                missing += [word[2]] if not any(word[2] in options for options in OPTIONS.values()) else []
            elif word[2] not in OPTIONS[named]:
                missing.append(word[2])
    return missing


def test_a_missing_option_is_found() -> None:
    assert missing_options("hint: use --fix-base", "check") == ["--fix-base"]
    assert missing_options("hint: use `ossature simulate` with --fix-base", "check") == []
    assert missing_options("use --fix-bases", None) == ["--fix-bases"]


def test_binary_sections_are_decoded() -> None:
    assert parse_example("ossature check a\n-- a.base64 --\nAAEC\n").files == {"a": b"\x00\x01\x02"}
