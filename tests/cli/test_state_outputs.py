"""Outputs of simulations and of ``ossature state``: they are examined first, and nothing is written over what is read."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.state_commands import HEAP, PENDULUM, fine, recorded, run

pytest.importorskip("pyarrow")


@pytest.mark.parametrize(
    ("option", "name", "message"),
    [
        ("--record", "nowhere/run.json", "the folder does not exist"),
        ("--save-state", "nowhere/end.usdf", "the folder does not exist"),
        ("--plot", "nowhere/run.png", "the folder does not exist"),
        ("--save-world", "nowhere/end.skel", "the folder does not exist"),
        ("--plot", "run.xyz", "plots are written as"),
        ("--record", "run.xyz", "unsupported recording format"),
        ("--save-state", "end.xml", "states are written as"),
        ("--save-world", "end.xyz", "format"),
        ("--save-state", "", "this is a folder"),
    ],
)
def test_outputs_are_looked_at_before_anything_is_simulated(option: str, name: str, message: str, tmp_path: Path) -> None:
    result = run("simulate", PENDULUM, "--duration", "1e9", option, tmp_path / name)
    assert result.exit_code == 2
    assert message in result.output


def test_nothing_is_written_over_what_is_read(tmp_path: Path) -> None:
    file = recorded(tmp_path, ".csv")
    before = file.read_bytes()
    link = tmp_path / "link.csv"
    link.hardlink_to(file)
    state = tmp_path / "state.usdf"
    run("state", "extract", file, state)
    for arguments in (
        ("state", "resample", file, link, "--sample-interval", 0.02),
        ("simulate", PENDULUM, "--initial-state", file, "--record", file),
        ("simulate", PENDULUM, "--record", state, "--save-state", state),
        ("simulate", PENDULUM, "--record", tmp_path),
        ("simulate", PENDULUM, "--record", tmp_path / "missing" / "run.csv"),
        ("simulate", PENDULUM, "--save-state", tmp_path / "missing" / "end.usdf"),
        ("state", "extract", file, link),
        ("state", "plot", file, link),
    ):
        result = run(*arguments)
        assert result.exit_code == 2, (arguments, result.stderr)
        assert "error" in result.stderr
        assert file.read_bytes() == before


@pytest.mark.parametrize("command", ["apply", "extract"])
def test_models_and_states_are_not_written_over(command: str, tmp_path: Path) -> None:
    model, state = tmp_path / "heap.skel", tmp_path / "state.usdf"
    model.write_bytes(Path(HEAP).read_bytes())
    fine("state", "extract", model, state)
    before = state.read_bytes()
    inputs = (state, model) if command == "apply" else (state,)
    for read in inputs:
        result = run("state", command, *inputs, read)
        assert result.exit_code == 2, result.output
        assert "is given twice" in result.stderr
    assert model.read_bytes() == Path(HEAP).read_bytes()
    assert state.read_bytes() == before


@pytest.mark.parametrize("options", [("--sample-interval", 0.01), ("--ignore-mismatch",), ("--no-apply-forces",)])
def test_options_that_would_do_nothing(options: tuple[object, ...]) -> None:
    result = run("simulate", PENDULUM, "--duration", 0.01, *options)
    assert result.exit_code == 2
    assert str(options[0]) in result.stderr
