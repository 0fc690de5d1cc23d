"""What is seen first: bodies without shapes, and which bodies the camera follows."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from conftest import PROJECT

pytest.importorskip("viser")

from ossature import load
from ossature.assets import MeshStore
from ossature.viewer.app import ViewerApp
from ossature.viewer.camera_framing import FIELD_OF_VIEW
from ossature.viewer.camera_tracking import follows_by_default
from ossature.viewer.fitted_cameras import WIDE
from ossature.viewer.loaded_file import open_file
from ossature.viewer.scene_builder import default_layers, elements_of_layer
from ossature.viewer.scene_elements import Connector, Primitive
from ossature.viewer.scene_layers import Layer
from ossature.viewer.server import LOOPBACK, serve

PENDULUM = """chrono-version: '10.0'
model:
  name: pendulum
  bodies:
    - {name: ground, location: [0, 0, 0], fixed: true}
    - {name: bob, location: [0.5, 0, 0], mass: %s, inertia: {moments: [%s]}}
  joints:
    - {name: hinge, type: REVOLUTE, body1: bob, body2: ground, location: [0, 0, 0], axis: [0, 0, 1]}
"""
BALL = """<skeleton name="ball"><transformation>0 0 1 0 0 0</transformation>
<body name="ball"><transformation>0 0 0 0 0 0</transformation>
<inertia><mass>1</mass></inertia><collision_shape><geometry><sphere><radius>0.1</radius></sphere></geometry></collision_shape>
</body><joint type="free" name="free"><parent>world</parent><child>ball</child></joint></skeleton>"""
GROUND = """<skeleton name="ground"><mobile>false</mobile><body name="slab"><transformation>0 0 0 0 0 0</transformation>
<collision_shape><geometry><box><size>9 9 0.1</size></box></geometry></collision_shape></body></skeleton>"""
DOOR = """<skeleton name="door"><body name="leaf"><transformation>2 0 1 0 0 0</transformation>
<inertia><mass>1</mass></inertia></body>
<joint type="revolute" name="hinge"><parent>world</parent><child>leaf</child><axis><xyz>0 0 1</xyz></axis></joint></skeleton>"""


@pytest.mark.parametrize(
    ("mass", "moment", "names"),
    [
        (1.0, 9.0, {"bob mass"}),
        (1.0, 0.001, {"bob inertia box"}),
        (0.01, 0.01 * 0.28**2 / 6.0, {"bob mass"}),  # a cube of 0.28 m, lighter than air
    ],
)
def test_a_body_without_shapes_is_seen_also_with_placeholder_moments(
    tmp_path: Path, mass: float, moment: float, names: set[str]
) -> None:
    path = tmp_path / "pendulum.yaml"
    path.write_text(PENDULUM % (mass, f"{moment}, {moment}, {moment}"))
    elements = list(elements_of_layer(load(path), Layer.SKELETON, 1.0, MeshStore()))
    assert {each.name for each in elements if isinstance(each, Primitive)} - {"hinge", "ground_fixed"} == names
    rods = [each for each in elements if isinstance(each, Connector) and "mass" in each.name]
    if "bob mass" in names:
        (rod,) = rods
        assert [end.point for end in rod.ends] == [(-0.5, 0.0, 0.0), (0.0, 0.0, 0.0)]
    else:
        assert not rods


@pytest.mark.parametrize(
    ("skeletons", "expected"), [(BALL, True), (BALL + GROUND, True), (BALL + GROUND + DOOR, False), (DOOR, False)]
)
def test_the_camera_follows_floating_bodies_if_nothing_else_moves(tmp_path: Path, skeletons: str, expected: bool) -> None:
    path = tmp_path / "scene.skel"
    path.write_text(f'<skel version="1.0"><world name="world">{skeletons}</world></skel>')
    assert follows_by_default(load(path)) is expected


@pytest.mark.parametrize(("joint", "shown"), [("fixed", False), ("revolute", True)])
def test_a_body_fixed_to_a_visible_one_needs_no_skeleton(tmp_path: Path, joint: str, shown: bool) -> None:
    inertial = '<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'
    drawn = f'<link name="cover">{inertial}<visual><geometry><box size="1 1 1"/></geometry></visual></link>'
    swing = '<joint name="j" type="continuous"><parent link="base"/><child link="drive"/><axis xyz="0 0 1"/></joint>'
    fixed = (
        f'<joint name="k" type="{joint}"><parent link="drive"/><child link="cover"/><limit effort="1" velocity="1"/></joint>'
    )
    path = tmp_path / "robot.urdf"
    path.write_text(f'<robot name="r"><link name="base"/><link name="drive">{inertial}</link>{drawn}{swing}{fixed}</robot>')
    world = load(path)
    assert (Layer.SKELETON in default_layers(world, MeshStore.of(world))) is shown


def test_a_robot_moved_before_the_page_is_opened_is_in_the_first_picture() -> None:
    loaded = open_file(PROJECT / "examples" / "palletizer.urdf", lambda found: MeshStore())
    page = ViewerApp(serve(LOOPBACK, 0, "test", shadows=False), [loaded], shadows=False)

    def largest_offset_from_middle() -> float:
        camera = page.server.initial_camera
        eye = np.array(camera.position, dtype=float)
        ahead = np.array(camera.look_at) - eye
        ahead /= np.linalg.norm(ahead)
        right = np.cross(ahead, (0.0, 0.0, 1.0))
        right /= np.linalg.norm(right)
        offsets = page.views[0].moving_points() - eye
        halves = np.outer(offsets @ ahead, [WIDE, 1.0]) * math.tan(FIELD_OF_VIEW / 2.0)  # of the width and the height
        return float(np.abs(offsets @ np.stack([right, np.cross(right, ahead)], axis=1) / halves).max())

    assert largest_offset_from_middle() <= 1.0
    before = page.server.initial_camera.position
    page.set_positions({"palletizer": {"shoulder": [1.4], "elbow": [-1.5]}})
    page.close()
    assert largest_offset_from_middle() <= 1.0
    assert not np.allclose(page.server.initial_camera.position, before), "else the test shows nothing"
