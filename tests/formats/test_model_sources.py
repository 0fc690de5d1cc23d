"""Loading from paths, texts, bytes and open files, with the folders of packages, and writing to texts."""

from __future__ import annotations

import io
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ossature
from conftest import PROJECT
from ossature import LoadError, OssatureError
from ossature.assets import MeshStore

EXAMPLES = PROJECT / "examples"
ARM = (EXAMPLES / "arm.skel").read_text()
ROBOT = """
<?xml version="1.0" encoding="iso-8859-1"?>
<robot name="Gelenk-Ärmchen"><link name="base">
  <inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
  <visual><geometry><mesh filename="package://arm_description/meshes/base.obj"/></geometry></visual></link></robot>
"""
OBJ = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n"


@pytest.fixture
def packages(tmp_path: Path) -> Path:
    """A folder with a package, which contains a mesh."""
    meshes = tmp_path / "packages" / "arm_description" / "meshes"
    meshes.mkdir(parents=True)
    (meshes / "base.obj").write_text(OBJ)
    (meshes.parent / "package.xml").write_text("<package><name>arm_description</name></package>")
    return tmp_path / "packages"


def test_all_sources_give_the_same_world() -> None:
    path = EXAMPLES / "arm.skel"
    expected = ossature.load(path)
    with path.open() as text, path.open("rb") as binary:
        for source in (str(path), ARM, ARM.encode(), io.StringIO(ARM), io.BytesIO(ARM.encode()), text, binary):
            assert ossature.load(source) == expected
    world, report = ossature.read(ARM)
    assert world == expected
    assert not report.has_errors
    assert ossature.load((EXAMPLES / "slider_crank.yaml").read_text()) == ossature.load(EXAMPLES / "slider_crank.yaml")


def test_a_robot_description_finds_its_meshes(packages: Path) -> None:
    world = ossature.load(ROBOT, search_path=[packages])
    assert world.models[0].name == "Gelenk-Ärmchen"
    mesh = world.models[0].bodies[0].visuals[0].geometry
    assert len(MeshStore.of(pickle.loads(pickle.dumps(world))).triangles(mesh).faces) == 4  # noqa: S301  # type: ignore[arg-type]
    assert not ossature.check(ROBOT, search_path=[packages], open_meshes=True).has_errors
    assert "missing-mesh" in str(ossature.check(ROBOT))


def test_files_elsewhere_are_opened_if_allowed(packages: Path, tmp_path: Path) -> None:
    text = ROBOT.replace("package://arm_description", str(packages / "arm_description"))
    file = tmp_path / "robot" / "robot.urdf"
    file.parent.mkdir()
    file.write_bytes(text.strip().encode("latin-1"))
    for source in (file, text):
        for allow, opened in (((), False), ((packages,), True)):
            world = ossature.load(source, allow=allow)
            mesh = world.models[0].bodies[0].visuals[0].geometry
            try:
                MeshStore.of(world).triangles(mesh)  # type: ignore[arg-type]
            except OssatureError:
                assert not opened
            else:
                assert opened


def test_open_files_find_meshes_beside_them(packages: Path) -> None:
    file = packages / "arm_description" / "robot.urdf"
    file.write_bytes(ROBOT.replace("package://arm_description/", "").strip().encode("latin-1"))
    with file.open("rb") as opened:
        world = ossature.load(opened)
    assert MeshStore.of(world).triangles(world.models[0].bodies[0].visuals[0].geometry)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("arm.skle", "did you mean 'arm.skel'"),
        ("<robot", "malformed-xml"),
        ("quadruped", "begins with '<'"),
        ("", "the path is empty"),
        (b"", "empty"),
        ("no/such/folder/arm.skel", "no such file"),
        ("a\0b", "null"),
    ],
)
def test_what_cannot_be_read_is_explained(source: str | bytes, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(EXAMPLES)
    with pytest.raises(LoadError, match=message):
        ossature.load(source)
    world, report = ossature.read(source)
    assert world is None
    assert report.has_errors
    assert ossature.check(source).has_errors


def test_other_types_and_large_files_are_refused() -> None:
    with pytest.raises(TypeError, match=r"source is a path, bytes or an open file, not \{\}"):
        ossature.load({})  # type: ignore[arg-type]
    limits = ossature.Limits(file_bytes=100)
    for source in (ARM, io.StringIO(ARM), ARM.encode()):
        assert "100" in str(ossature.read(source, limits=limits)[1])


def test_a_world_as_text_is_what_save_writes(tmp_path: Path) -> None:
    world = ossature.load(EXAMPLES / "palletizer.urdf")
    for name in ("urdf", "skel"):
        file = tmp_path / f"model.{name}"
        ossature.save(world, file)
        text = ossature.dumps(world, name)
        assert text == file.read_text()
        again = ossature.load(text)
        poses, expected = ossature.poses(again), ossature.poses(world)
        for body, pose in next(iter(expected.values())).items():
            np.testing.assert_allclose(next(iter(poses.values()))[body].matrix(), pose.matrix(), atol=1e-9)
    with pytest.raises(ValueError, match="unknown format 'urfd'"):
        ossature.dumps(world, "urfd")


@pytest.mark.parametrize("source", [None, 3, ["arm.skel"]])
def test_other_objects_are_refused_by_their_type(source: Any) -> None:
    with pytest.raises(TypeError, match="source is a path, bytes or an open file, not "):
        ossature.load(source)
