"""Robots as people have them: meshes beside the folder of the robot, packages with other names, links named world."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import ossature
from ossature.assets import AssetError, MeshStore
from ossature.model import Fixed, Mesh, NamedList, World
from ossature.spatial import Pose

TETRAHEDRON = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n"


def robot_with(mesh: str, folder: Path) -> World:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "robot.urdf"
    text = f'<robot name="r"><link name="a"><visual><geometry><mesh filename="{mesh}"/></geometry></visual></link></robot>'
    path.write_text(text)
    return ossature.load(path)


def count(world: World) -> int:
    geometry = world.models[0].bodies[0].visuals[0].geometry
    assert isinstance(geometry, Mesh)
    return len(MeshStore.of(world).triangles(geometry).faces)


def write_mesh(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(TETRAHEDRON)


def test_a_mesh_beside_the_folder_urdf_is_opened(tmp_path: Path) -> None:
    write_mesh(tmp_path / "robot" / "meshes" / "x.obj")
    assert count(robot_with("../meshes/x.obj", tmp_path / "robot" / "urdf")) == 4


def test_a_mesh_in_the_package_or_repository_is_opened(tmp_path: Path) -> None:
    for number, marker in enumerate(("package.xml", ".git/HEAD", "__init__.py")):
        root = tmp_path / str(number)
        write_mesh(root / "other" / "x.obj")
        (root / marker).parent.mkdir(parents=True, exist_ok=True)
        (root / marker).write_text("<package><name>p</name></package>")
        assert count(robot_with("../../other/x.obj", root / "models" / "deep")) == 4


def test_a_mesh_of_the_outermost_python_package_is_opened(tmp_path: Path) -> None:
    write_mesh(tmp_path / "collection" / "assets" / "x.obj")
    for package in (tmp_path / "collection", tmp_path / "collection" / "robots"):
        package.mkdir(exist_ok=True)
        (package / "__init__.py").touch()
    assert count(robot_with("../../../assets/x.obj", tmp_path / "collection" / "robots" / "data" / "arm")) == 4


def test_a_mesh_of_a_package_is_opened_from_a_folder_inside_urdf(tmp_path: Path) -> None:
    write_mesh(tmp_path / "robot" / "meshes" / "x.obj")
    assert count(robot_with("package://robot/meshes/x.obj", tmp_path / "robot" / "urdf" / "arm")) == 4


@pytest.mark.parametrize("folder", ["urdf", "models"])
def test_a_mesh_outside_the_project_is_refused(tmp_path: Path, folder: str) -> None:
    write_mesh(tmp_path / "x.obj")
    world = robot_with("../../x.obj", tmp_path / "robot" / folder)
    with pytest.raises(AssetError, match="outside"):
        count(world)


def test_a_link_that_leads_out_of_the_project_is_refused(tmp_path: Path) -> None:
    write_mesh(tmp_path / "secret.obj")
    (tmp_path / "robot" / "meshes").mkdir(parents=True)
    (tmp_path / "robot" / "meshes" / "x.obj").symlink_to(tmp_path / "secret.obj")
    with pytest.raises(AssetError, match="outside"):
        count(robot_with("../meshes/x.obj", tmp_path / "robot" / "urdf"))


def test_a_package_name_that_contradicts_the_manifest_is_a_warning(tmp_path: Path) -> None:
    write_mesh(tmp_path / "robot" / "meshes" / "x.obj")
    (tmp_path / "robot" / "package.xml").write_text("<package><name>arm_description</name></package>")
    world = robot_with("package://old_description/meshes/x.obj", tmp_path / "robot" / "model")
    assert count(world) == 4
    (finding,) = [finding for finding in ossature.check(world) if finding.rule.name == "guessed-package"]
    assert finding.severity == "warning"
    assert "arm_description" in finding.message


def test_a_link_named_world_with_an_origin_is_the_world(tmp_path: Path) -> None:
    path = tmp_path / "robot.urdf"
    path.write_text(
        '<robot name="r"><link name="world"><origin xyz="0 0 0" rpy="0 0 0"/></link><link name="a"/>'
        '<joint name="j" type="fixed"><parent link="world"/><child link="a"/></joint></robot>'
    )
    (model,) = ossature.load(path).models
    assert list(model.bodies.names()) == ["a"]
    assert [(joint.parent, joint.type) for joint in model.joints] == [(None, Fixed())]


def test_load_continues_after_errors(tmp_path: Path) -> None:
    path = tmp_path / "robot.urdf"
    path.write_text(
        '<robot name="r"><link name="a"/><joint name="j" type="fixed"><parent link="a"/><child link="b"/></joint></robot>'
    )
    with pytest.raises(ossature.LoadError):
        ossature.load(path)
    assert ossature.load(path, ignore_errors=True).models[0].bodies.names()


def test_a_free_base_is_written_without_a_floating_joint(tmp_path: Path) -> None:
    path = tmp_path / "robot.urdf"
    path.write_text(
        '<robot name="r"><link name="a"/><link name="b"/><joint name="j" type="continuous"><origin xyz="0 0 1"/>'
        '<parent link="a"/><child link="b"/></joint></robot>'
    )
    world = ossature.load(path)
    turned = Pose.from_euler((1.0, 2.0, 3.0), (0.1, 0.2, 0.3), "zyx")
    moved = replace(world, models=NamedList([replace(world.models[0], pose=turned)]))
    ledger = ossature.save(moved, path)
    text = path.read_text()
    assert "floating" not in text
    assert '<axis xyz="1 0 0"/>' in text
    assert any("free base" in line for line in ledger.lines())
    assert ossature.load(path) == world
