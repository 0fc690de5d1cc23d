"""Fields of view and readings of sensors."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ossature.assets import MeshStore
from ossature.model import (
    Body,
    Box,
    Collision,
    FlashLaser,
    Joint,
    Laser2D,
    Laser3D,
    Model,
    NamedList,
    PinholeCamera,
    Prismatic,
    Sensor,
    StereoCamera,
    Visual,
    World,
)
from ossature.spatial import Pose
from ossature.viewer.live_simulation import LiveSimulation
from ossature.viewer.scene_builder import elements_of_layer
from ossature.viewer.scene_elements import Primitive
from ossature.viewer.scene_layers import Layer
from ossature.viewer.sensor_reading_display import image_as_rgb

LASER = Laser2D(min_angle=-0.4, max_angle=0.4, angle_increment=0.1, max_distance=10.0)


def with_sensor(description: object) -> World:
    """Return a World with a sensor on a slider along y in front of a wall at x = 3."""
    wall = Box(size=(0.2, 8.0, 8.0))
    shapes = {"collisions": (Collision(geometry=wall),), "visuals": (Visual(geometry=wall),)}
    bodies = [Body(name="wall", pose=Pose((3.1, 0.0, 0.0)), **shapes), Body(name="cart")]
    joint = Joint(name="slide", type=Prismatic(axis=(0.0, 1.0, 0.0)), parent=None, child="cart")
    sensor = Sensor(name="eye", body="cart", description=description)
    room = Model(name="room", bodies=NamedList(bodies[:1]), static=True)
    robot = Model(name="robot", bodies=NamedList(bodies[1:]), joints=NamedList([joint]), sensors=NamedList([sensor]))
    return World(gravity=(0.0, 0.0, 0.0), models=NamedList([room, robot]))


@pytest.mark.parametrize(
    "description",
    [None, LASER, Laser3D(), PinholeCamera(), StereoCamera(), FlashLaser()],
    ids=lambda description: type(description).__name__,
)
def test_sensor_has_frame_and_field_of_view(description: object) -> None:
    drawn = [
        element
        for element in elements_of_layer(with_sensor(description), Layer.SENSORS, 0.1, MeshStore())
        if isinstance(element, Primitive)
    ]
    sights = {type(None): 0, StereoCamera: 2}
    assert len(drawn) == 3 + sights.get(type(description), 1)
    assert all(np.isfinite(element.surface.triangles.vertices).all() for element in drawn)


def test_frustum_has_the_field_of_view_of_the_lens() -> None:
    camera = PinholeCamera(width=200, height=100, intrinsic=((100.0, 0.0, 100.0), (0.0, 100.0, 50.0)))
    *_, frustum = elements_of_layer(with_sensor(camera), Layer.SENSORS, 0.1, MeshStore())
    lower, upper = frustum.surface.triangles.bounds
    depth = 0.4
    assert upper == pytest.approx([depth * 1.0, depth * 0.5, depth], rel=0.03)
    assert lower == pytest.approx([-depth * 1.0, -depth * 0.5, 0.0], rel=0.03, abs=0.01)


@pytest.mark.parametrize("shift", [0.0, 0.7])
def test_rays_end_on_the_wall_at_joint_position(shift: float) -> None:
    shown = LiveSimulation(with_sensor(LASER), MeshStore(), {"robot": {"slide": [shift]}})
    points = shown.read_sensor("robot/eye").points
    assert points is not None
    assert points[:, 0] == pytest.approx(np.full(9, 3.0), abs=1e-6)
    assert points[:, 1] == pytest.approx(shift + 3.0 * np.tan(np.arange(-4, 5) / 10.0), abs=1e-6)


def test_camera_has_image_and_unknown_sensor_is_refused() -> None:
    shown = LiveSimulation(with_sensor(PinholeCamera(width=16, height=12)), MeshStore(), {})
    image = shown.read_sensor("robot/eye").image
    assert image is not None
    assert (image.shape, image.dtype) == ((12, 16, 3), np.uint8)
    with pytest.raises(KeyError):
        shown.read_sensor("robot/nose")


@pytest.mark.parametrize(
    ("image", "expected"),
    [
        (np.array([[[0.5]]]), 128),
        (np.array([[[65535]]], np.uint16), 255),
        (np.array([[[255, 255, 255, 0]]], np.uint8), 255),
        (np.array([[math.nan]]), 0),
    ],
)
def test_images_of_any_data_type_become_rgb(image: np.ndarray, expected: int) -> None:
    assert (image_as_rgb(image) == expected).all()
    assert image_as_rgb(image).shape == (1, 1, 3)
