"""Capsules in URDF files: shapes of URDF 1.0 that form the same solid, or capsules if the file states a later version."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import ossature
from format_conversion import read_as
from ossature.model import Capsule, Cylinder, Sphere, World
from ossature.spatial import Pose

SCENE = """
<mujoco model="pill"><worldbody><body name="a"><joint name="j" axis="0 1 0"/>
  <geom name="rod" type="capsule" size="0.1" fromto="0 0 0 0.3 0 0.4"/>
  <geom name="ball" type="sphere" size="0.2" pos="0 1 0"/>
</body></worldbody></mujoco>
"""
ROBOT = """
<robot name="pill" {version}><link name="a"><collision>
  <geometry><capsule radius="0.1" length="{length}"/></geometry>
</collision></link></robot>
"""


def _read(text: str, name: str) -> World:
    world = read_as(name, text.strip().encode(), None)
    assert world is not None
    return world


def _inside(world: World, points: np.ndarray) -> np.ndarray:
    """Return which points in the frame of the body are inside one of its collision shapes."""
    inside = np.zeros(len(points), dtype=bool)
    for shape in world.models[0].bodies[0].collisions:
        matrix = np.linalg.inv(shape.pose.matrix())
        x, y, z = (points @ matrix[:3, :3].T + matrix[:3, 3]).T
        geometry = shape.geometry
        assert isinstance(geometry, Capsule | Cylinder | Sphere)
        half = 0.0 if isinstance(geometry, Sphere) else 0.5 * geometry.length
        beyond = np.maximum(np.abs(z) - half, 0.0)
        round_ends = x**2 + y**2 + beyond**2 < geometry.radius**2
        inside |= round_ends & ((beyond == 0.0) | (not isinstance(geometry, Cylinder)))
    return inside


def test_a_capsule_is_written_as_shapes_of_the_same_solid(tmp_path: Path) -> None:
    world = _read(SCENE, "mjcf")
    result = ossature.convert(world, tmp_path / "pill.urdf", verify=True)
    again = ossature.load(tmp_path / "pill.urdf")
    points = np.random.default_rng(0).uniform((-0.2, -0.2, -0.2), (0.5, 1.3, 0.6), (20000, 3))
    np.testing.assert_array_equal(_inside(again, points), _inside(world, points))
    assert 0 < _inside(world, points).sum() < 20000
    about = [entry.path for entry in result.ledger if entry.after == "a cylinder and two spheres"]
    assert about == ["pill/a.visuals[0]", "pill/a.collisions[0]"]


@pytest.mark.parametrize("program", ["pinocchio", "dartpy", "mujoco"])
def test_programs_open_the_shapes_of_a_capsule(program: str, tmp_path: Path) -> None:
    module = pytest.importorskip(program)
    path = tmp_path / "pill.urdf"
    ossature.save(_read(SCENE, "mjcf"), path)
    if program == "pinocchio":
        shapes = module.buildGeomFromUrdf(module.buildModelFromUrdf(str(path)), str(path), module.GeometryType.COLLISION).ngeoms
    elif program == "dartpy":
        body = module.utils.DartLoader().parseSkeleton(str(path)).getBodyNode("a")
        shapes = sum(node.hasCollisionAspect() for node in body.getShapeNodes())
    else:
        shapes = int(module.MjSpec.from_file(str(path)).compile().ngeom)
    assert shapes == 4


@pytest.mark.parametrize("version", ["1.1", "1.2"])
def test_a_capsule_of_a_version_with_capsules_stays(version: str, tmp_path: Path) -> None:
    world = _read(ROBOT.format(version=f'version="{version}"', length=0.3), "urdf")
    ossature.convert(world, tmp_path / "pill.urdf", verify=True)
    assert f'version="{version}"' in (tmp_path / "pill.urdf").read_text()
    assert ossature.load(tmp_path / "pill.urdf").models[0].bodies[0].collisions == world.models[0].bodies[0].collisions


@pytest.mark.parametrize("version", ["", 'version="1.0"', 'version="x"'])
def test_a_capsule_without_length_is_a_sphere(version: str, tmp_path: Path) -> None:
    ossature.save(_read(ROBOT.format(version=version, length=0), "urdf"), tmp_path / "pill.urdf")
    (shape,) = ossature.load(tmp_path / "pill.urdf").models[0].bodies[0].collisions
    assert (shape.geometry, shape.pose) == (Sphere(radius=0.1), Pose())
