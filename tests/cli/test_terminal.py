"""Names of strangers' files on the terminal: nothing in them is obeyed, and nothing begins a line of its own."""

from __future__ import annotations

import errno
import io
import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from rich.text import Text
from rich.tree import Tree
from typer.testing import CliRunner, Result

from conftest import PROJECT
from ossature.cli import main
from ossature.cli.app import app
from ossature.cli.console import errors_console, escape_markup, output_console
from ossature.cli.escaping_console import SafeConsole
from ossature.diagnostics import Diagnostic, Rule, Severity

HOSTILE = (
    "a\x1b[2Jb\x1b]0;title\x07c\x08d\x7fe\x9b31mf\x85g\u202eh\u2066i\u200fj\u2028k\u2029l"
    "\n::error file=x::owned\r\n  ::stop-commands::x\n##[error]owned\n##vso[task.setvariable variable=x]owned\rz"
)
"""Moves the cursor, sets a title, rings, goes back, turns the direction, breaks lines, commands workflows."""


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """A model of which everything is named like that; YAML alone can state all of these characters."""
    inertia = {"moments": [1.0, 1.0, 1.0]}
    bodies = [
        {"name": f"{HOSTILE} ground", "fixed": True, "location": [0, 0, 0]},
        {"name": f"{HOSTILE} arm", "mass": 1.0, "location": [1, 0, 0], "inertia": inertia},
    ]
    joints = [
        {
            "name": HOSTILE,
            "type": "REVOLUTE",
            "body1": bodies[1]["name"],
            "body2": bodies[0]["name"],
            "location": [0, 0, 0],
            "axis": [0, 1, 0],
        }
    ]
    content = {"chrono-version": "10.0", "model": {"name": HOSTILE, "bodies": bodies, "joints": joints, HOSTILE: 1}}
    path = tmp_path / "model.yaml"
    path.write_text(yaml.safe_dump(content))
    return path


def assert_harmless(text: str) -> None:
    for line in text.split("\n"):
        assert line.isprintable(), [character for character in line if not character.isprintable()]
        assert not line.lstrip().startswith("::"), line
        assert "##[" not in line
        assert "##vso[" not in line
        assert not line.startswith("owned"), line


FEW: list[tuple[object, ...]] = [
    ("info", "MODEL"),
    ("info", "MODEL", "--json"),
    ("check", "MODEL", "-v"),
    ("pose", "MODEL"),
    ("simulate", "MODEL", "--duration", "0.002", "-v"),
    ("convert", "MODEL", "out.urdf", "-v"),
    ("state", "show", "STATE"),
    ("explain", HOSTILE),
    ("info", HOSTILE),
]
OTHERS: list[tuple[object, ...]] = [
    ("check", "MODEL", "--format", "json"),
    ("check", "MODEL", "--format", "sarif"),
    ("pose", "MODEL", "--json"),
    ("pose", "MODEL", "--joint", "nothing=1"),
    ("pose", "MODEL", "--joint", f"{HOSTILE}=1"),
    ("simulate", "MODEL", "--duration", "0.002", "--json"),
    ("simulate", "MODEL", "--duration", "0.002", "--record", "run.csv", "--save-state", "state.usdf"),
    ("simulate", "MODEL", "--duration", "0.002", "--grasp", "nothing:nothing@0"),
    ("convert", "MODEL", "out.skel"),
    ("convert", "MODEL", "out.dae", "--verify"),
    ("convert", "MODEL", "out.mjcf"),
    ("convert", "MODEL", f"{HOSTILE}/x"),
    ("state", "show", "STATE", "--json"),
    ("state", "diff", "STATE", "OTHER"),
    ("calibration", "diff", "MODEL", "MODEL"),
    ("trajectory", "show", "MODEL"),
    ("ik", "MODEL", "--target", "translation3d:0,0,0"),
    ("sensor", "read", "MODEL"),
    ("sensor", "read", "MODEL", "--sensor", HOSTILE),
    ("schema", HOSTILE),
    ("render", "MODEL", "out.png", "--size", "32x32"),
    ("render", "MODEL", HOSTILE),
]


@pytest.mark.parametrize("commands", [FEW, pytest.param(OTHERS, marks=pytest.mark.slow)], ids=["few", "others"])
def test_no_command_passes_on_what_a_terminal_or_a_workflow_obeys(
    commands: list[tuple[object, ...]], model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, duration in (("state", 0.0), ("other", 0.01))[: 1 if commands is FEW else 2]:
        assert run("simulate", model, "--duration", duration, "--save-state", f"{name}.usdf").exit_code == 0
    words = {"MODEL": model, "STATE": "state.usdf", "OTHER": "other.usdf"}
    names_shown = 0
    for arguments in commands:
        result = run(*(words.get(str(argument), argument) for argument in arguments))
        assert result.exception is None or isinstance(result.exception, SystemExit), (arguments, result.exception)
        is_usage = "Usage: " in result.stderr  # of the library that reads the command line, and of what the user typed
        for text in (result.stdout, "" if is_usage else result.stderr):
            assert_harmless(text)
            names_shown += "u202e" in text
    assert names_shown >= 5


def test_annotations_are_those_of_the_findings_alone(model: Path) -> None:
    findings = json.loads(run("check", model, "--format", "json").stdout)
    assert any("\x1b" in finding["message"] for finding in findings)
    lines = run("check", model, "--format", "github").stdout.splitlines()
    assert len(lines) == len(findings)
    assert all(line.isprintable() and line.startswith(("::error ", "::warning ", "::notice ")) for line in lines)


def test_json_holds_names_as_they_are(model: Path) -> None:
    data = json.loads(run("info", model, "--json").stdout)
    assert (
        HOSTILE in json.dumps(data, ensure_ascii=False).encode().decode("unicode_escape")
        or data["models"][0]["name"] == HOSTILE
    )
    assert data["models"][0]["name"] == HOSTILE


def test_every_kind_of_output_is_spelled_out() -> None:
    output = io.StringIO()
    console = SafeConsole(file=output, highlight=False, soft_wrap=True, emoji=False, width=200)
    tree = Tree(escape_markup(HOSTILE))
    tree.add(Text(HOSTILE))
    console.print(HOSTILE, markup=False)
    console.print(f"[bold]{escape_markup(HOSTILE)}[/]", style="dim")
    console.print("::error::owned", markup=False)
    console.print("   ::error::owned", markup=False)
    console.print("[cyan]:[/]:error::owned")
    console.print(Text("::error::owned"), HOSTILE, markup=False)
    console.print(":smile: fine: ##", markup=False)
    console.print(tree)
    text = output.getvalue()
    for line in text.split("\n"):
        assert line.isprintable()
        assert not line.lstrip().startswith("::")
        assert "##[" not in line
    assert ":smile: fine: ##" in text
    assert r"\x1b[2J" in text


def test_colours_are_the_only_escape_sequences() -> None:
    output = io.StringIO()
    console = SafeConsole(file=output, force_terminal=True, color_system="standard", soft_wrap=True, highlight=False)
    console.print(f"[red]{escape_markup(HOSTILE)}[/]")
    assert output.getvalue().count("\x1b") == 2
    assert output.getvalue().startswith("\x1b[31m")


def test_both_consoles_are_such() -> None:
    assert isinstance(output_console(), SafeConsole)
    assert isinstance(errors_console(), SafeConsole)


def test_a_finding_as_text_is_one_line() -> None:
    rule = Rule(name="some-rule", code="X001", severity=Severity.ERROR, summary="", explanation="")
    text = str(Diagnostic(rule=rule, message=HOSTILE, hint=HOSTILE))
    assert text.isprintable()
    assert "\\n::error" in text


@pytest.mark.parametrize("words", [["info", "--limit", HOSTILE], ["info", "x.skel", HOSTILE], [HOSTILE], ["sensor", HOSTILE]])
def test_arguments_in_errors_of_usage(words: list[str]) -> None:
    result = run(*words)
    assert result.exit_code == 2
    assert all(line.isprintable() for line in result.output.splitlines())
    assert not any(line.startswith(("::", "##")) for line in result.output.splitlines())


@pytest.mark.parametrize("words", [["check", "9" * 400], ["pose", "arm.skel", "--initial-state", "9" * 400]])
def test_names_of_files_that_are_too_long(
    words: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(PROJECT / "examples")
    monkeypatch.setattr(sys, "argv", ["ossature", *words])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 1
    assert "too long" in capsys.readouterr().err.lower()


def test_a_folder_without_permission(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    stat = os.stat

    def refuse(path: Any, *arguments: Any, **options: Any) -> os.stat_result:
        if "locked" in str(path):
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return stat(path, *arguments, **options)

    monkeypatch.setattr(os, "stat", refuse)
    monkeypatch.setattr(sys, "argv", ["ossature", "check", "locked/arm\n.urdf"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 1
    assert capsys.readouterr().err == "error: locked/arm\\n.urdf: permission denied\n"
