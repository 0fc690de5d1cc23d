"""Each example script runs; mypy checks them strictly as a part of ``make lint``."""

from __future__ import annotations

import importlib.util
import os
import re
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from conftest import PROJECT
from generated_pages import generate

SCRIPTS = sorted((PROJECT / "examples").glob("*.py"))
LONGER = {"pick_up"}


def run(name: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Run a script in a folder, and return its names; skip it if a package that it needs is not installed."""
    path = PROJECT / "examples" / f"{name}.py"
    for package in re.findall(r"^(?:import|from) (\w+)", path.read_text(), re.MULTILINE):
        if importlib.util.find_spec(package) is None:
            pytest.skip(f"{package} is not installed")
    monkeypatch.chdir(folder)
    if "fmpy" in path.read_text():  # units embed Python, and may not be loaded into the process of the tests
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        subprocess.run([sys.executable, str(path)], check=True, capture_output=True, env=environment)
        return {}
    return runpy.run_path(str(path), run_name="__main__")


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_scripts_are_short(path: Path) -> None:
    assert path.stem in LONGER or len(path.read_text().splitlines()) <= generate.MOST_LINES_OF_EXAMPLE


@pytest.mark.parametrize("name", [path.stem for path in SCRIPTS if path.stem not in LONGER])
def test_the_script_runs(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run(name, tmp_path, monkeypatch)


def test_the_pole_stays_upright(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    angles = run("control_loop", tmp_path, monkeypatch)["angles"]
    assert max(map(abs, angles)) < 0.25  # from a start at 0.2 rad
    assert abs(angles[-1]) < 1e-3


@pytest.mark.filterwarnings("ignore::UserWarning:gymnasium")
def test_the_environment_passes_the_checks_of_gymnasium(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    environment = run("gymnasium_environment", tmp_path, monkeypatch)["CartPole"]()
    from gymnasium.utils.env_checker import check_env

    check_env(environment, skip_render_check=True)
    first = environment.reset(seed=4)[0]
    assert (environment.reset(seed=4)[0] == first).all()
    assert (environment.reset(seed=5)[0] != first).any()
