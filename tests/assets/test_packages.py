"""Packages of ROS: the model's own, by its package.xml, and those of the environment; nothing outside of them is opened."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ossature.assets import AssetError, Resolver, search_path_from_environment

URI = "package://my_robot/meshes/hand.obj"


def package(folder: Path, *, name: str | None = "my_robot", models: str = "models") -> Resolver:
    """Return the resolver of a model that lies in a folder of a package."""
    (folder / "meshes").mkdir(parents=True)
    (folder / models / "deep").mkdir(parents=True)
    (folder / "meshes" / "hand.obj").write_text("v 0 0 0\n")
    if name is not None:
        (folder / "package.xml").write_text(f'<?xml version="1.0"?><package format="3">\n<name> {name}\n</name></package>')
    return Resolver(folder=folder / models / "deep")


def test_the_package_of_a_model(tmp_path: Path) -> None:
    resolver = package(tmp_path / "called otherwise")
    assert resolver.locate(URI) == tmp_path / "called otherwise" / "meshes" / "hand.obj"


def test_the_package_of_a_model_is_not_left(tmp_path: Path) -> None:
    resolver = package(tmp_path / "robot")
    (tmp_path / "secret.obj").write_text("v 0 0 0\n")
    (tmp_path / "robot" / "meshes" / "link.obj").symlink_to(tmp_path / "secret.obj")
    for uri in ("package://my_robot/../secret.obj", "package://my_robot/meshes/link.obj"):
        with pytest.raises(AssetError, match="lies outside"):
            resolver.locate(uri)


def test_files_of_the_package_may_be_named_by_another_package_or_a_path(tmp_path: Path) -> None:
    resolver = package(tmp_path / "robot")
    hand = tmp_path / "robot" / "meshes" / "hand.obj"
    assert resolver.locate("package://other/meshes/hand.obj") == hand
    assert resolver.guessed_package("package://other/meshes/hand.obj") == tmp_path / "robot"
    assert resolver.specified_package_name() == "my_robot"
    assert resolver.locate("../../meshes/hand.obj") == hand


def test_a_folder_of_the_name_alone_is_told_and_not_opened(tmp_path: Path) -> None:
    resolver = package(tmp_path / "my_robot", name=None)
    with pytest.raises(AssetError, match="lies outside") as caught:
        resolver.locate(URI)
    assert tmp_path / "my_robot" / "meshes" / "hand.obj" in caught.value.tried


def test_the_environment_of_ros(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package(tmp_path / "src" / "my_robot")
    package(tmp_path / "install" / "share" / "my_robot")
    monkeypatch.setenv("ROS_PACKAGE_PATH", os.pathsep.join([str(tmp_path / "src"), ""]))
    assert Resolver(search_path=search_path_from_environment()).locate(URI).is_relative_to(tmp_path / "src")
    monkeypatch.delenv("ROS_PACKAGE_PATH")
    monkeypatch.setenv("AMENT_PREFIX_PATH", str(tmp_path / "install"))
    assert Resolver(search_path=search_path_from_environment()).locate(URI).is_relative_to(tmp_path / "install")


def test_models_of_gazebo_lie_in_the_search_path(tmp_path: Path) -> None:
    package(tmp_path / "my_robot")
    assert Resolver(search_path=(tmp_path,)).locate(URI.replace("package", "model")).is_file()


@pytest.mark.parametrize("folder", ["worlds", "models/arm"])
def test_models_of_the_same_collection_of_gazebo(folder: str, tmp_path: Path) -> None:
    for name in ("arm", "table"):
        (tmp_path / "models" / name / "meshes").mkdir(parents=True)
        (tmp_path / "models" / name / "model.config").write_text("<model><sdf>model.sdf</sdf></model>")
        (tmp_path / "models" / name / "meshes" / "top.obj").write_text("v 0 0 0\n")
    (tmp_path / "worlds").mkdir()
    resolver = Resolver(folder=tmp_path / folder)
    assert resolver.locate("model://table/meshes/top.obj") == tmp_path / "models" / "table" / "meshes" / "top.obj"
    (tmp_path / "secret.obj").write_text("v 0 0 0\n")
    with pytest.raises(AssetError, match="lies outside"):
        resolver.locate("model://table/../../secret.obj")
    with pytest.raises(AssetError) as caught:
        resolver.locate("model://other/meshes/top.obj")
    assert "GZ_SIM_RESOURCE_PATH" in (caught.value.hint or "")


def test_the_environment_of_gazebo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package(tmp_path / "my_robot")
    for variable in ("GZ_SIM_RESOURCE_PATH", "IGN_GAZEBO_RESOURCE_PATH", "GAZEBO_MODEL_PATH"):
        monkeypatch.setenv(variable, str(tmp_path))
        assert Resolver(search_path=search_path_from_environment()).locate(URI.replace("package", "model")).is_file()
        monkeypatch.delenv(variable)
