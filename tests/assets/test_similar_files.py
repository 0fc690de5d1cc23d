"""Hints that name files which exist, in place of those that a user or a model misspells."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from ossature.assets.similar_files import file_with_similar_name, same_file_in_other_spelling
from ossature.assets.uri_resolver import AssetError, Resolver
from ossature.cli.app import app


@pytest.mark.parametrize(
    ("inside", "expected"),
    [
        ("Meshes/Base.STL", "meshes/base.stl"),
        ("meshes/base.dae", "meshes/base.stl"),
        ("meshes/link_2.stl", None),
        ("other/base.stl", None),
        ("meshes", None),
    ],
)
def test_other_case_and_suffix_are_recognised_but_no_other_names(inside: str, expected: str | None, tmp_path: Path) -> None:
    (tmp_path / "meshes").mkdir()
    for name in ("base.stl", "link_1.stl"):
        (tmp_path / "meshes" / name).touch()
    found = same_file_in_other_spelling(tmp_path, Path(inside))
    assert found == (None if expected is None else tmp_path / expected)


def test_no_name_is_similar_in_a_folder_that_does_not_exist(tmp_path: Path) -> None:
    assert file_with_similar_name(tmp_path / "none" / "arm.skel") is None
    assert file_with_similar_name(tmp_path / "a\0b" / "arm.skel") is None


def test_no_files_outside_the_folders_of_a_model_are_named(tmp_path: Path) -> None:
    (tmp_path / "secret.stl").touch()
    (tmp_path / "model").mkdir()
    resolver = Resolver(folder=tmp_path / "model")
    for uri in ("../Secret.stl", str(tmp_path / "Secret.stl")):
        with pytest.raises(AssetError) as raised:
            resolver.locate(uri)
        assert "secret.stl" not in (raised.value.hint or "")


def test_a_misspelt_model_file_is_suggested(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("arm.skel").write_text("<skel version='1.0'/>")
    for command in (["check", "--no-cache"], ["info"], ["pose"]):
        result = CliRunner().invoke(app, [*command, "arm.skl"])
        assert result.exit_code == 1
        assert "did you mean 'arm.skel'?" in result.output


def test_a_mesh_in_other_case_is_suggested_and_its_path_is_printed_once(tmp_path: Path) -> None:
    (tmp_path / "base.stl").touch()
    mesh = '<visual><geometry><mesh filename="Base.STL"/></geometry></visual>'
    (tmp_path / "r.urdf").write_text(f'<robot name="r"><link name="a">{mesh}</link></robot>')
    output = CliRunner().invoke(app, ["check", "--no-cache", str(tmp_path / "r.urdf")]).output
    assert f"did you mean '{tmp_path / 'base.stl'}'?" in output
    assert output.count(str(tmp_path / "Base.STL")) == 1
