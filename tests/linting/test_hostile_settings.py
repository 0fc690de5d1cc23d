"""Patterns, configurations and baselines that try to take all time, or to end the program."""

from __future__ import annotations

import glob
import json
import os
import random
from pathlib import Path, PurePath

import pytest
from typer.testing import CliRunner

from ossature.cli.app import app
from ossature.linting.configuration import ConfigurationFinder
from ossature.linting.find_files import NoFileError, find_model_files
from ossature.linting.path_patterns import is_glob_match, matches
from ossature.linting.rule_selection import SettingsError

ROBOT = '<robot name="r"><link name="a"/></robot>'
NAMES = ("a", "b", "ab", ".c")
HUGE_COUNTS = json.dumps({"ossature-baseline": 1, "findings": [{"fingerprint": "a", "count": 10**4299}] * 10})
PARTS = ("a", "*", "**", "a*", "?", "b", ".c")


def test_patterns_follow_no_links_to_folders(tmp_path: Path) -> None:
    (tmp_path / "a.urdf").write_text(ROBOT)
    for name in "xyz":
        (tmp_path / name).symlink_to(tmp_path)  # 3 to the power of 40 paths, if links are followed
    finder = ConfigurationFinder(is_searched=False)
    assert find_model_files([tmp_path / "**" / "*.urdf"], finder) == [tmp_path / "a.urdf"]
    with pytest.raises(NoFileError):
        find_model_files([tmp_path / "**" / "*.skel"], finder)


def test_patterns_match_as_in_the_shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rng = random.Random(5)
    for _ in range(30):
        folder = Path(*rng.choices(NAMES, k=rng.randint(1, 4)))
        folder.mkdir(parents=True, exist_ok=True)
        (folder / rng.choice(("x.urdf", ".h.urdf"))).write_text(ROBOT)
    files = [Path(parent, name) for parent, _, names in os.walk(".") for name in names]
    for _ in range(200):
        pattern = Path(*rng.choices(PARTS, k=rng.randint(0, 3)), rng.choice(("*.urdf", "**", "x.urdf")))
        expected = {Path(each) for each in glob.glob(str(pattern), recursive=True)}  # noqa: PTH207
        found = {file for file in files if is_glob_match(file.parts, pattern.parts)}
        assert found == {each for each in expected if each.is_file()}, pattern


def test_many_folders_in_a_pattern() -> None:
    path = PurePath(*["a"] * 60)
    assert not matches(path, "/".join(["**", "a"] * 30 + ["b"]))
    assert matches(path, "/".join(["**", "a"] * 30))


@pytest.mark.parametrize(
    "content",
    [
        "exclude = ['" + "*a" * 400 + "b']",
        "exclude = ['" + "**/" * 4000 + "b']",
        "[per-file-ignores]\n'" + "*a" * 40 + "b' = ['ALL']",
        "exclude = " + "[" * 20_000,
        ".".join("a" * 20_000) + " = 1",
        ".".join("a" * 400_000) + " = 1",
        "".join(f"{'a.' * 400}x{number} = 1\n" for number in range(1000)),
        "x = {" + "a." * 100_000 + "a = 1}",
        "profile = ['ros']",
    ],
)
def test_hostile_configurations(content: str, tmp_path: Path) -> None:
    path = tmp_path / "ossature.toml"
    path.write_text(content)
    with pytest.raises(SettingsError, match=r"ossature\.toml: "):
        ConfigurationFinder(path)


def test_long_texts_are_no_keys_of_many_parts(tmp_path: Path) -> None:
    path = tmp_path / "pyproject.toml"
    path.write_text(f"# {'.' * 200}\nversion = '{'1.' * 100}0'\na = \"{'word. ' * 200}\"\n[tool.ossature]\nexclude = ['x']\n")
    assert ConfigurationFinder().of(tmp_path / "a.urdf").exclude == ("x",)
    path.write_text("tool = 1")
    assert ConfigurationFinder().of(tmp_path / "a.urdf").exclude == ()


@pytest.mark.parametrize(
    "content",
    [
        '{"ossature-baseline": 1, "findings": [{"fingerprint": "a", "count": 1e400}]}',
        "[" * 200_000,
        '{"ossature-baseline": 1, "findings": [null]}',
        '{"ossature-baseline": 1, "findings": [{"fingerprint": "a", "count": -1}]}',
        HUGE_COUNTS,
        f'{{"ossature-baseline": "{"x" * 100_000}"}}',
        "[1]",
    ],
)
def test_hostile_baselines(content: str, tmp_path: Path) -> None:
    robot, baseline = tmp_path / "a.urdf", tmp_path / "base.json"
    robot.write_text(ROBOT)
    baseline.write_text(content)
    result = CliRunner().invoke(app, ["check", str(robot), "--baseline", str(baseline)])
    assert result.exit_code == 2
    assert "not a baseline of findings" in result.output
    assert len(result.output) < 1000


def test_a_baseline_replaces_no_other_file(tmp_path: Path) -> None:
    robot, other = tmp_path / "a.urdf", tmp_path / "b.urdf"
    for path in (robot, other):
        path.write_text(ROBOT)
    result = CliRunner().invoke(app, ["check", "--update-baseline", "--baseline", str(other), str(robot)])
    assert result.exit_code == 2
    assert "not a baseline of findings" in result.output
    assert other.read_text() == ROBOT


def test_options_whose_file_names_are_not_unicode(tmp_path: Path) -> None:
    robot = tmp_path / "a.urdf"
    robot.write_text(ROBOT)
    result = CliRunner().invoke(app, ["check", str(robot), "--calibration", str(tmp_path / "\udcff")])
    assert isinstance(result.exception, SystemExit | None), result.exception
