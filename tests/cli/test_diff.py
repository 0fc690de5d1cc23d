"""The command ``ossature diff``, also as a diff driver of git."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from conftest import PROJECT
from ossature import load, save
from ossature.cli.app import app

ARM = PROJECT / "examples" / "arm.skel"
GIT = shutil.which("git") or ""


def run(*words: object) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["diff", *map(str, words)])
    return result.exit_code, result.output


@pytest.fixture
def heavier(tmp_path: Path) -> Path:
    path = tmp_path / "heavier.skel"
    save(load(ARM).replace_at("arm/hand", mass=0.5), path)
    return path


def test_exit_codes(heavier: Path, tmp_path: Path) -> None:
    assert run(ARM, ARM)[0] == 0
    code, output = run(ARM, heavier)
    assert code == 1
    assert "hand: mass 0.4 → 0.5 kg (+25 %)" in output
    broken = tmp_path / "broken.urdf"
    broken.write_text("<robot")
    assert run(ARM, broken)[0] == 2
    assert run(ARM)[0] == 2
    assert run(ARM, ARM, "--tolerance", "-1")[0] == 2


def test_json(heavier: Path) -> None:
    code, output = run(ARM, heavier, "--json")
    data = json.loads(output)
    assert code == 1
    assert not data["equal"]
    assert [change["path_a"] for change in data["differences"]] == ["arm/hand"]
    assert data["bodies"]["arm/hand"] == "arm/hand"


def test_verbose_lists_each_difference(tmp_path: Path) -> None:
    other = load(ARM)
    for number, name in enumerate(other.models["arm"].bodies.names()):
        other = other.replace_at(f"arm/{name}", mass=10.0 + number)
    save(other, tmp_path / "other.skel")
    short, long = (run(ARM, tmp_path / "other.skel", *words)[1] for words in ((), ("-v",)))
    assert "… and 3 more" in short
    assert long.count(": mass ") == 6


@pytest.mark.skipif(not GIT, reason="git is not installed")
def test_git_prints_differences_of_robots(tmp_path: Path) -> None:
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("GIT_")},
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_SYSTEM": os.devnull,
    }

    def git(*words: str) -> str:
        settings = ["-c", "user.name=A", "-c", "user.email=a@b", "-c", f"diff.robot.command={sys.executable} -m ossature diff"]
        done = subprocess.run(
            [GIT, *settings, *words], cwd=tmp_path, env=environment, check=True, capture_output=True, encoding="utf-8"
        )
        return done.stdout

    git("init", "-q")
    (tmp_path / ".gitattributes").write_text("*.skel diff=robot\n")
    shutil.copy(ARM, tmp_path / "arm.skel")
    git("add", ".")
    git("commit", "-qm", "Add an arm")
    save(load(ARM).replace_at("arm/elbow", damping=0.25), tmp_path / "arm.skel")
    (tmp_path / "new.skel").write_bytes(ARM.read_bytes())
    git("add", "-N", "new.skel")
    output = git("diff")
    assert "--- A a/arm.skel" in output
    assert "elbow: damping 0.5 → 0.25 N·m·s/rad (-50 %)" in output
    assert "new.skel: added" in output
