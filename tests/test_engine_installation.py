"""The engine that runs is the one that is installed, and the package declares what it needs."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import ossature
from conftest import PROJECT
from ossature.formats.mjcf.engine_installation_check import EngineInstallationError, require_one_engine


@pytest.mark.parametrize(
    ("installed", "running", "message"),
    [
        (["mujoco_core-4.0.1"], "4.0.1", None),
        (["mujoco_core-4.0.0", "mujoco-4.0.0", "mujoco_warp-3.17.0"], "4.0.0", None),
        (["mujoco-3.17.0", "mujoco_warp-3.17.0"], "3.17.0", None),
        (
            ["mujoco-3.16.0", "mujoco_core-4.0.1"],
            "4.0.1",
            "3.16.0 and mujoco-core 4.0.1 .* 4.0.1 runs: .* mujoco==3.16.0",
        ),
        (["mujoco-3.17.0", "mujoco_core-4.0.1"], "3.17.0", "installed over each other, and 3.17.0 runs"),
        (["mujoco-3.12.0"], "3.12.0", "MuJoCo 3.12.0 is too old: run `pip install 'mujoco>=3.16'`"),
    ],
)
def test_engines(installed: list[str], running: str, message: str | None, tmp_path: Path) -> None:
    for name in installed:
        (tmp_path / f"{name}.dist-info").mkdir()
    if message is None:
        require_one_engine(running, tmp_path)
    else:
        with pytest.raises(EngineInstallationError, match=message) as error:
            require_one_engine(running, tmp_path)
        assert "\n" not in str(error.value)


TOO_LARGE = ("search", "cluster", "gpu")
"""Extras with packages of hundreds of megabytes."""


def project() -> dict[str, dict[str, list[str]]]:
    return tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]


def test_all_extras_are_documented_and_in_the_extra_all() -> None:
    extras = project()["optional-dependencies"]
    documented = re.findall(r"^\| `(\w+)` \|", (PROJECT / "docs" / "installation.md").read_text(), re.MULTILINE)
    assert documented == list(extras)
    included = [name for name in extras if name not in ("all", *TOO_LARGE)]
    assert extras["all"] == [f"ossature[{','.join(included)}]"]


def test_the_lowest_versions_are_printed() -> None:
    command = [sys.executable, str(PROJECT / "tools" / "lowest_versions.py"), "tables"]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    assert len(lines) == len(project()["dependencies"]) + 1
    assert all(re.fullmatch(r"[\w-]+==[\d.]+", line) for line in lines)


def test_the_version_is_specified_once() -> None:
    assert ossature.__version__ not in (PROJECT / "pyproject.toml").read_text().partition("[tool")[0]
    assert not re.search(r"^version", (PROJECT / "CITATION.cff").read_text(), re.MULTILINE)


@pytest.mark.parametrize("command", ["simulate", "doctor"])
def test_a_command_states_an_unsuitable_engine_in_one_line(command: str) -> None:
    program = "import sys, mujoco; mujoco.__version__ = '3.12.0'; from ossature.cli import main; main()"
    result = subprocess.run(
        [
            sys.executable,
            "-c",
            program,
            command,
            str(PROJECT / "examples" / "palletizer.urdf"),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 1
    assert result.stderr == "error: MuJoCo 3.12.0 is too old: run `pip install 'mujoco>=3.16'`\n"
