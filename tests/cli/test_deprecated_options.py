"""Former names of commands and options work, with a warning on standard error that names the current one."""

from __future__ import annotations

from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from conftest import PROJECT
from ossature.cli.app import app
from ossature.cli.deprecated_options import FORMER_COMMANDS, FORMER_OPTIONS

ARM = str(PROJECT / "examples" / "arm.skel")
PICKER = str(PROJECT / "examples" / "picker.dae")


@pytest.mark.parametrize(
    ("former", "current"),
    [
        (["info", "--from", "skel", ARM], ["info", "--input-format", "skel", ARM]),
        (["info", "--from=skel", ARM], ["info", "--input-format=skel", ARM]),
        (["info", "--openrave", PICKER], ["info", "--dialect", "openrave", PICKER]),
        (["pose", PICKER, "--close", "arm"], ["pose", PICKER, "--close-gripper", "arm"]),
        (
            ["ik", ARM, "--tip", "hand", "--translation3d", "0.3,0.1,0.6", "--json"],
            ["ik", ARM, "--tip", "hand", "--target", "translation3d:0.3,0.1,0.6", "--json"],
        ),
        (
            ["ik", ARM, "--tip", "hand", "--translation3d=0.3,0.1,0.6", "--json"],
            ["ik", ARM, "--tip", "hand", "--target=translation3d:0.3,0.1,0.6", "--json"],
        ),
        (["ik", PICKER, "--suggest"], ["ik", PICKER, "--list-target-types"]),
        (["sense", ARM], ["sensor", "read", ARM]),
        (["calibrate", "diff", ARM, ARM], ["calibration", "diff", ARM, ARM]),
    ],
)
def test_a_former_spelling_gives_the_same_output_and_a_warning(former: list[str], current: list[str]) -> None:
    old, new = (CliRunner().invoke(app, words) for words in (former, current))
    assert old.exit_code == new.exit_code == 0, old.stderr
    assert old.stdout == new.stdout
    assert "deprecated" in old.stderr
    assert "deprecated" not in new.stderr


def test_the_value_of_an_option_is_never_taken_for_a_former_option() -> None:
    result = CliRunner().invoke(app, ["info", ARM, "--input-format", "--from"])
    assert "deprecated" not in result.stderr


def test_each_current_name_exists_and_no_former_one_is_in_the_help() -> None:
    root: Any = typer.main.get_command(app)
    commands = list(_commands(root))
    options = {name for command in commands for one in command.params for name in (*one.opts, *one.secondary_opts)}
    assert {current.split()[0] for current in FORMER_OPTIONS.values()} <= options
    assert options & set(FORMER_OPTIONS) <= {"--open"}  # that of `view` opens a browser
    assert not set(FORMER_COMMANDS) & set(root.commands)


def _commands(group: Any) -> list[Any]:
    children = getattr(group, "commands", {}).values()
    return [group, *(found for child in children for found in _commands(child))]
