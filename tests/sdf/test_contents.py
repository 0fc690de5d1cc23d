"""What the reader makes of each element, by closed forms and the conventions of SDFormat."""

from __future__ import annotations

import math

import numpy as np
import pytest

import ossature
from conftest import PROJECT
from ossature.model import Force6D, Imu, Laser2D, Model, PinholeCamera, Screw

FILE = PROJECT / "tests" / "sdf" / "files" / "everything.sdf"


@pytest.fixture(scope="module")
def machine() -> Model:
    """The machine of the file."""
    return ossature.load(FILE).models["machine"]


def test_inertia_of_solids(machine: Model) -> None:
    """A box and a ball above it, by the formulas of textbooks and the parallel axis theorem."""
    box, ball, radius, height = 700.0 * 0.1 * 0.2 * 0.3, 500.0 * 4.0 / 3.0 * math.pi * 0.05**3, 0.05, 0.2
    inertial = machine.bodies["a"].inertial
    center = ball * height / (box + ball)
    across = box * center**2 + ball * (height - center) ** 2
    moments = (
        box * (0.2**2 + 0.3**2) / 12.0 + 0.4 * ball * radius**2 + across,
        box * (0.1**2 + 0.3**2) / 12.0 + 0.4 * ball * radius**2 + across,
        box * (0.1**2 + 0.2**2) / 12.0 + 0.4 * ball * radius**2,
    )
    assert inertial.mass == pytest.approx(box + ball)
    assert inertial.center_of_mass == pytest.approx((0.0, 0.0, center))
    assert np.allclose(inertial.moment, np.diag(moments), rtol=1e-12)


def test_a_camera_looks_along_the_x_axis_of_its_link(machine: Model) -> None:
    sensor = machine.sensors["camera"]
    rotation = sensor.pose.matrix()[:3, :3]
    assert np.allclose(rotation @ (0.0, 0.0, 1.0), (1.0, 0.0, 0.0))  # the view
    assert np.allclose(rotation @ (0.0, 1.0, 0.0), (0.0, 0.0, -1.0))  # downwards in the image
    assert isinstance(sensor.description, PinholeCamera)
    assert sensor.description.intrinsic is not None
    focal = sensor.description.intrinsic[0][0]
    assert 2.0 * math.atan(32.0 / focal) == pytest.approx(1.2)


def test_sensors(machine: Model) -> None:
    scan, imu, load = (machine.sensors[name].description for name in ("scan", "imu", "load"))
    assert isinstance(scan, Laser2D)
    assert (scan.angle_increment, scan.distance_deviation) == (pytest.approx(0.2), 0.01)
    assert isinstance(imu, Imu)
    assert imu.angular_velocity_covariance == ((pytest.approx(4e-4), 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    assert isinstance(load, Force6D)
    assert load.polarity == -1
    assert machine.sensors["height"].description is None


def test_joints(machine: Model) -> None:
    assert machine.joints["thread"].type == Screw(axis=(0.0, 0.0, 1.0), pitch=0.02)
    assert machine.joints["tool_weld"].child == "tip::point"
    assert machine.bodies["tip::point"].pose.position == pytest.approx((3.5, 0.0, 0.2))


def test_what_is_no_mechanism_is_kept_as_text() -> None:
    world = ossature.load(FILE)
    assert [extension.key for extension in world.extensions] == ["gz:note", "light sun", "physics/real_time_factor"]
    assert world.time_step == 0.002
    (collision,) = world["ground/plane"].collisions
    assert (collision.material.friction, collision.material.restitution) == (0.8, 0.1)
