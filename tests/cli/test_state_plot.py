"""``ossature state plot``."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest

from cli.state_commands import PENDULUM, fine, run
from ossature.recordings.plot_panels import draw_panels

pytest.importorskip("pyarrow")


def test_plot(crank: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    fine("state", "plot", crank / "run.usdf", tmp_path / "run.svg", "--name", "slider")
    assert "joint position" in (tmp_path / "run.svg").read_text()
    assert run("state", "plot", crank / "run.usdf", tmp_path / "no.svg", "--name", "nobody").exit_code == 1


def test_a_picture_of_nothing(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    fine("simulate", PENDULUM, "--duration", 0, "--record", tmp_path / "short.csv")
    result = run("state", "plot", tmp_path / "short.csv", tmp_path / "out.svg")
    assert result.exit_code == 1
    assert result.stderr == "error: no column changes\n"
    result = run("state", "plot", tmp_path / "short.csv", tmp_path / "out.svg", "--name", "x")
    assert "no column of that name changes" in result.stderr
    result = run("state", "plot", tmp_path / "short.csv", tmp_path / "out.svg", "--name", "*")
    assert "no column has a name that contains '*': valid: " in result.stderr


def test_a_picture_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"nowhere/run\.png"):
        draw_panels(np.zeros(2), {"x": [("y", np.zeros(2))]}, tmp_path / "nowhere" / "run.png")
    with pytest.raises(ValueError, match="xyz"):
        draw_panels(np.zeros(2), {}, tmp_path / "run.xyz")
    assert not list(tmp_path.iterdir())


def test_names_that_a_font_lacks_are_drawn_in_silence(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        draw_panels(np.arange(2.0), {"x": [("腕/肘", np.arange(2.0))]}, tmp_path / "run.png")
    assert (tmp_path / "run.png").exists()
