"""URIs as models: files in folders of the search path, and a message with a hint where there is none."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

import ossature
from conftest import PROJECT
from ossature.cli.app import app
from ossature.diagnostics import LoadError


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of samples, with the package that contains it."""
    samples = tmp_path / "data"
    (samples / "skel").mkdir(parents=True)
    shutil.copy(PROJECT / "examples" / "double_pendulum.skel", samples / "skel" / "cubes.skel")
    return samples


@pytest.mark.parametrize(
    "uri", ["dart://sample/skel/cubes.skel", "package://data/skel/cubes.skel", "openrave:/skel/cubes.skel"]
)
@pytest.mark.parametrize("comes_first", [False, True])
def test_a_file_of_the_search_path(folder: Path, uri: str, comes_first: bool) -> None:
    option = ["--search-path", str(folder)]
    result = CliRunner().invoke(app, ["info", *(option if comes_first else ()), uri, *(() if comes_first else option)])
    assert result.exit_code == 0, result.output
    assert f"{uri} is {folder / 'skel' / 'cubes.skel'}" in result.stderr
    assert len(ossature.load(uri, search_path=[folder]).models) == 1


def test_a_file_of_the_environment(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OSSATURE_PATH", str(folder))
    result = CliRunner().invoke(app, ["check", "dart://sample/skel/cubes.skel"])
    assert result.exit_code == 0, result.output
    assert ossature.load(f"file://{folder / 'skel' / 'cubes.skel'}") == ossature.load("dart://sample/skel/cubes.skel")


@pytest.mark.parametrize(
    ("uri", "hint"),
    [
        ("dart://sample/skel/nil.skel", "add the folder of DART's samples, which contains skel, with --search-path"),
        ("package://nil/arm.urdf", "add the folder that contains the package with --search-path"),
        ("https://example.org/arm.urdf", "nothing is fetched from a network"),
    ],
)
def test_a_uri_that_names_no_file(folder: Path, uri: str, hint: str) -> None:
    result = CliRunner().invoke(app, ["info", uri, "--search-path", str(folder)])
    assert result.exit_code != 0
    assert uri in result.output
    assert hint in " ".join(result.output.split())
    with pytest.raises(LoadError, match="unreadable-file"):
        ossature.load(uri, search_path=[folder])


def test_a_file_with_the_name_of_a_uri(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    (folder / "dart:" / "sample").mkdir(parents=True)
    shutil.copy(folder / "skel" / "cubes.skel", folder / "dart:" / "sample" / "own.skel")
    result = CliRunner().invoke(app, ["info", "dart:/sample/own.skel"])
    assert result.exit_code == 0, result.output
    assert " is " not in result.stderr
