"""Robots by name instead of a file: of a package that is made here, and names of the real one, which downloads nothing."""

from __future__ import annotations

import importlib
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from conftest import PROJECT
from ossature.cli import named_robots
from ossature.cli.app import app

DESCRIPTIONS = {
    "arm": "URDF_PATH = {path!r}\nPACKAGE_PATH = '.'",
    "arm_mj": "MJCF_PATH = {path!r}",
    "hand": "URDF_PATH_LEFT = '/left.urdf'\nURDF_PATH_RIGHT = '/right.urdf'",
    "fer": "XACRO_PATH = '/fer.xacro'\nXACRO_ARGS = {{'hand': 'no one'}}\nXACRO_PACKAGE_PATHS = {{'p': '/packages/p'}}",
    "offline": "raise OSError('network is\\nunreachable')",
    "_empty": "",
}


@pytest.fixture
def robots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Install a package of descriptions; yields the file of the arm."""
    path = Path(shutil.copy(PROJECT / "examples" / "palletizer.urdf", tmp_path))
    package = tmp_path / "robot_descriptions"
    package.mkdir()
    (package / "__init__.py").write_text("")
    for name, content in DESCRIPTIONS.items():
        (package / f"{name}_description.py").write_text(content.format(path=str(path)))
    monkeypatch.syspath_prepend(str(tmp_path))
    known = {name: sys.modules.pop(name) for name in list(sys.modules) if name.partition(".")[0] == "robot_descriptions"}
    importlib.invalidate_caches()
    yield path
    for name in [name for name in sys.modules if name.partition(".")[0] == "robot_descriptions"]:
        del sys.modules[name]
    sys.modules.update(known)


@pytest.mark.parametrize("name", ["robot:arm", "robot:arm_description", "robot:arm_mj"])
def test_a_robot_is_opened_by_name(robots: Path, name: str) -> None:
    result = CliRunner().invoke(app, ["info", name])
    assert result.exit_code == 0, result.output
    assert "palletizer" in result.stdout
    assert f"{name} is {robots}" in result.stderr


def test_two_robots_are_compared_and_a_file_of_that_name_is_a_file(robots: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert CliRunner().invoke(app, ["diff", "robot:arm", str(robots)]).exit_code == 0
    shutil.copy(robots, robots.with_name("robot:arm"))
    monkeypatch.chdir(robots.parent)
    assert "is" not in CliRunner().invoke(app, ["info", "robot:arm", "--input-format", "urdf"]).stderr


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("amr", "no robot 'amr' in the package robot_descriptions: did you mean 'arm'?"),
        ("_empty", "no robot '_empty'"),
        ("../arm", "no robot '../arm'"),
        ("hand", "has several models: open /left.urdf or /right.urdf"),
        ("fer", "open /fer.xacro --xacro --search-path /packages --xacro-arg 'hand:=no one'"),
        ("offline", "'robot:offline' cannot be downloaded: network is unreachable"),
    ],
)
def test_a_robot_that_cannot_be_opened_is_explained(robots: Path, name: str, message: str) -> None:
    result = CliRunner().invoke(app, ["view", "--no-open", f"robot:{name}"])
    assert result.exit_code != 0
    assert message in " ".join(result.stderr.split())


def test_the_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(named_robots, "find_spec", lambda name: None)
    result = CliRunner().invoke(app, ["check", "robot:panda"])
    assert result.exit_code == 2
    assert named_robots.NEEDS_ROBOTS in result.stderr


def test_names_of_the_real_package_are_found_without_downloading() -> None:
    package = pytest.importorskip("robot_descriptions")
    names = named_robots._names(package.__path__)
    assert {"panda", "panda_mj", "ur5e"} <= set(names)
    assert "robot_descriptions.panda_description" not in sys.modules
