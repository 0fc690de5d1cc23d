"""The example of each rule triggers it."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from ossature.cli.app import app
from ossature.diagnostics.examples import example_of, parse_example
from ossature.rule_catalogue import all_rules

WITHOUT_EXAMPLE = {
    "chain-too-deep": "needs a chain of more than a thousand links",
    "engine-compile-error": "no model file is known that the checks before the engine accept and the engine rejects",
    "invalid-plugin": "needs an installed package that is broken",
    "out-of-memory": "depends on the memory of the machine",
    "raycast-rendering": "depends on whether the machine can start a renderer",
    "self-collisions-dropped": "needs sixteen models whose shapes for self-collisions differ from their collision shapes",
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
    assert f"{all_rules()[name].name}]" in result.output, result.output


def test_binary_sections_are_decoded() -> None:
    assert parse_example("ossature check a\n-- a.base64 --\nAAEC\n").files == {"a": b"\x00\x01\x02"}
