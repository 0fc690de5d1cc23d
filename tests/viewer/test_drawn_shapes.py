"""Which shapes of MJCF robots are drawn: as their programs do, without the geoms for collisions in another group."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("viser")

import ossature
from ossature.assets import MeshStore
from ossature.kinematics import add_ground
from ossature.viewer.scene_builder import elements_of_layer
from ossature.viewer.scene_elements import Primitive
from ossature.viewer.scene_layers import Layer
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
    drawn = [one for layer in layers for one in elements_of_layer(world, layer, 0.1, MeshStore())]
    shapes = [one for one in drawn if isinstance(one, Primitive)]
    assert sum(shape.is_infinite for shape in shapes) == 1


MATERIALS = "newmtl red\nKd 1 0 0\nnewmtl glass\nKd 0 0 1\nd 0.5\n"
TWO_COLORS = "mtllib shell.mtl\n" + TETRAHEDRON.replace("f 1 3 2", "usemtl red\nf 1 3 2").replace(
    "f 1 4 3", "usemtl glass\nf 1 4 3"
)
LINK = """<robot name="r"><link name="a"><visual>
  <geometry><mesh filename="shell.obj" scale="{scale}"/></geometry>{material}
</visual></link></robot>"""


def parts_of(
    folder: Path, scale: str = "1 1 1", material: str = "", materials: str = MATERIALS
) -> tuple[Primitive, list[Primitive]]:
    (folder / "shell.obj").write_text(TWO_COLORS)
    (folder / "shell.mtl").write_text(materials)
    path = folder / "robot.urdf"
    path.write_text(LINK.format(scale=scale, material=material))
    world = ossature.load(path)
    (shape,) = [one for one in elements_of_layer(world, Layer.VISUALS, 0.1, MeshStore.of(world)) if isinstance(one, Primitive)]
    return shape, shape.parts()


@pytest.mark.parametrize("scale", ["1 1 1", "2 -1 0.5"])
def test_mesh_files_are_drawn_in_the_colours_of_their_materials(scale: str, tmp_path: Path) -> None:
    shape, parts = parts_of(tmp_path, scale)
    assert [part.color for part in parts] == [(1.0, 0.0, 0.0, 1.0), (0.0, 0.0, 1.0, 0.5)]
    whole, drawn = shape.surface.triangles, [part.surface.triangles for part in parts]
    assert sorted(map(tuple, whole.vertices[whole.faces].reshape(-1, 9).round(9).tolist())) == sorted(
        tuple(row) for one in drawn for row in one.vertices[one.faces].reshape(-1, 9).round(9).tolist()
    )


def test_a_colour_of_the_model_or_none_at_all_is_one_part(tmp_path: Path) -> None:
    material = '<material name="m"><color rgba="0 1 0 1"/></material>'
    shape, parts = parts_of(tmp_path, material=material)
    assert parts == [shape]
    assert shape.color == (0.0, 1.0, 0.0, 1.0)
    shape, parts = parts_of(tmp_path, materials="newmtl red\nnewmtl glass\n")
    assert parts == [shape]
