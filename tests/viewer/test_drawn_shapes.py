"""Which shapes of MJCF robots are drawn: as their programs do, without the geoms for collisions in another group."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("viser")

import ossature
from ossature.assets import MeshStore
from ossature.kinematics import add_ground
from ossature.viewer.layers import Layer
from ossature.viewer.scene_builder import build
from ossature.viewer.scene_elements import Primitive
from ossature.viewer.shape_primitives import drawn_visuals

TETRAHEDRON = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
ROBOT = """<mujoco><asset><mesh name="shell" file="shell.obj"/></asset><worldbody><body name="link"><freejoint/>
  <geom name="hull" type="box" size=".5 .5 .5" {hull}/>
  <geom name="skin" type="mesh" mesh="shell" {skin}/>
</body></worldbody></mujoco>"""


@pytest.mark.parametrize(
    ("hull", "skin", "drawn"),
    [
        ("", 'contype="0" conaffinity="0" group="1"', ["skin"]),
        ('group="1"', 'contype="0" conaffinity="0"', ["skin"]),
        ("", 'contype="0" conaffinity="0"', ["hull", "skin"]),  # one group: both are shown
        ("", 'group="1"', ["hull", "skin"]),  # both collide
        ('contype="0" conaffinity="0"', 'contype="0" conaffinity="0" group="1"', ["hull", "skin"]),  # neither does
    ],
)
def test_geoms_for_collisions_are_hidden_by_visual_meshes_of_another_group(
    hull: str, skin: str, drawn: list[str], tmp_path: Path
) -> None:
    (tmp_path / "shell.obj").write_text(TETRAHEDRON)
    path = tmp_path / "robot.xml"
    path.write_text(ROBOT.format(hull=hull, skin=skin))
    body = ossature.load(path).models[0].bodies["link"]
    assert sorted(str(shape.name) for shape in drawn_visuals(body)) == drawn


def test_a_floor_is_drawn_once(tmp_path: Path) -> None:
    path = tmp_path / "robot.urdf"
    path.write_text(
        '<robot name="r"><link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
        '</inertial><collision><geometry><box size="1 1 1"/></geometry></collision></link></robot>'
    )
    world = add_ground(ossature.load(path), MeshStore())
    layers = (Layer.VISUALS, Layer.COLLISIONS)
    shapes = [shape for layer in layers for shape in build(world, layer, 0.1, MeshStore()) if isinstance(shape, Primitive)]
    assert sum(shape.is_infinite for shape in shapes) == 1
