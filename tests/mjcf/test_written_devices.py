"""Sensors of robots, written as MuJoCo's: the same readings, and the same pixels of a point."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest

from format_conversion import written
from ossature.conversion import convert
from ossature.diagnostics import Ledger
from ossature.model import (
    Actuator,
    Box,
    Coordinate,
    ElectricMotor,
    Encoder,
    Fixed,
    Force6D,
    Imu,
    Joint,
    Keyframe,
    KeyframeJoint,
    Laser2D,
    Model,
    PinholeCamera,
    Prismatic,
    Revolute,
    Sensor,
    World,
    make_body,
)
from ossature.sensor_models.camera_projection import CameraProjection
from ossature.simulation import Simulation
from ossature.spatial import Pose, quaternion_from_rotation_vector

MOUNTING = Pose((0.3, -0.2, 0.1), quaternion_from_rotation_vector((0.4, -0.7, 1.1)))
INTRINSIC = ((300.0, 0.0, 90.0), (0.0, 280.0, 70.0))


def arm() -> World:
    """Return two moving links with a sensor of each kind on the second one."""
    bodies = [
        make_body("upper", Box(size=(0.2, 0.1, 0.3)), mass=2.0, pose=Pose((0.0, 0.3, 1.0))),
        make_body("lower", Box(size=(0.1, 0.2, 0.4)), mass=1.0, pose=Pose((0.4, 0.1, 0.6))),
    ]
    joints = [
        Joint(
            name="shoulder",
            type=Revolute(axis=(0.0, 0.6, 0.8)),
            parent=None,
            child="upper",
            coordinates=[Coordinate(initial_position=0.4, initial_velocity=1.3)],
        ),
        Joint(
            name="slide",
            type=Prismatic(axis=(1.0, 0.0, 0.0)),
            parent="upper",
            child="lower",
            pose=Pose((0.0, 0.0, 0.1), quaternion_from_rotation_vector((0.2, 0.3, -0.5))),
            coordinates=[Coordinate(initial_position=-0.2, initial_velocity=-0.7)],
        ),
    ]
    descriptions = {
        "imu": Imu(),
        "wrist": Force6D(),
        "encoder": Encoder(joint="slide"),
        "camera": PinholeCamera(width=200, height=120, intrinsic=INTRINSIC),
        "scanner": Laser2D(),
    }
    sensors = [Sensor(name=name, body="lower", pose=MOUNTING, description=each) for name, each in descriptions.items()]
    return World(models=[Model(name="arm", pose=Pose((1.0, 2.0, 0.0)), bodies=bodies, joints=joints, sensors=sensors)])


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, Any]:
    """Return MuJoCo's model and data of the written arm at its initial state."""
    target = tmp_path_factory.mktemp("devices") / "arm.xml"
    done = convert(arm(), target, actuators="none", verify=True)
    assert [entry.path for entry in done.ledger if entry.action == "dropped"].count("arm/scanner") == 1
    model = mujoco.MjModel.from_xml_path(str(target))
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    mujoco.mj_forward(model, data)
    return model, data


def test_readings_of_sensors(started: tuple[Any, Any]) -> None:
    _, data = started
    running = Simulation(arm())
    imu, wrist, encoder = (running.sensors[name].read() for name in ("imu", "wrist", "encoder"))
    expected = {
        "imu_framequat": imu.orientation_wxyz,
        "imu_gyro": imu.angular_velocity,
        "imu_accelerometer": imu.linear_acceleration,
        "wrist_force": -wrist.force,
        "wrist_torque": -wrist.torque,
        "encoder": encoder.position,
    }
    for name, values in expected.items():
        assert data.sensor(name).data == pytest.approx(np.atleast_1d(values), abs=1e-6), name


def test_pixels_of_cameras(started: tuple[Any, Any]) -> None:
    model, data = started
    scene, view = mujoco.MjvScene(model, 10), mujoco.MjvCamera()
    view.type, view.fixedcamid = mujoco.mjtCamera.mjCAMERA_FIXED, model.camera("camera").id
    mujoco.mjv_updateScene(model, data, mujoco.MjvOption(), None, view, 0, scene)
    frustum = scene.camera[0]
    rotation = data.cam("camera").xmat.reshape(3, 3)
    point = data.cam("camera").xpos + rotation @ (0.3, -0.2, -1.5)
    in_sensor = Pose(wxyz=(0.0, 1.0, 0.0, 0.0)).matrix()[:3, :3] @ (0.3, -0.2, -1.5)
    expected = CameraProjection(200, 120, np.array(INTRINSIC)).project(np.array([in_sensor]))[0]
    x, y, z = rotation.T @ (point - data.cam("camera").xpos)
    at_x, at_y = (value * frustum.frustum_near / -z for value in (x, y))
    left = frustum.frustum_center - frustum.frustum_width
    column = 200 * (at_x - left) / (2.0 * frustum.frustum_width)
    row = 120 * (frustum.frustum_top - at_y) / (frustum.frustum_top - frustum.frustum_bottom)
    assert (column, row) == pytest.approx(expected, abs=1e-4)


def test_a_camera_is_where_the_sensor_is(started: tuple[Any, Any], tmp_path: Path) -> None:
    _, data = started
    sensor = np.array(Simulation(arm()).poses()["arm"]["lower"].matrix()) @ np.array(MOUNTING.matrix())
    assert data.cam("camera").xpos == pytest.approx(sensor[:3, 3], abs=1e-9)
    assert -data.cam("camera").xmat.reshape(3, 3)[:, 2] == pytest.approx(sensor[:3, 2], abs=1e-9)


@pytest.mark.parametrize("resistance", [2.0, None])
def test_an_electric_motor_is_verified_and_turns_as_its_data_sheet_states(resistance: float | None, tmp_path: Path) -> None:
    sheet = ElectricMotor(
        nominal_voltage=24.0,
        resistance=resistance,
        torque_constant=0.05,
        stall_torque=0.6,
        rotor_inertia=1e-5,
        gear_ratio=50.0,
        coulomb_friction=0.2,
        viscous_friction=0.01,
    )
    turning = Joint(name="turn", type=Revolute(axis=(0.0, 0.0, 1.0)), parent=None, child="wheel", coordinates=[Coordinate()])
    wheel = make_body("wheel", Box(size=(0.1, 0.1, 0.1)), mass=1.0)
    motor = Actuator(name="motor", joint="turn", type="electric_motor", motor=sheet)
    path = tmp_path / "wheel.xml"
    world = World(models=[Model(name="robot", bodies=[wheel], joints=[turning], actuators=[motor])])
    assert convert(world, path, verify=True).differences == ()
    if resistance is None:
        return
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    data.ctrl[0] = 24.0
    while data.time < 5.0:
        mujoco.mj_step(model, data)
    # At the final speed w the torque n·k·(U - k·n·w)/R of the motor equals its friction c + b·w.
    torque, slope = 50.0 * 0.05 * 24.0 / 2.0, (50.0 * 0.05) ** 2 / 2.0
    assert data.qvel[0] == pytest.approx((torque - 0.2) / (slope + 0.01), rel=1e-4)


def test_joints_of_a_keyframe_that_are_not_written_are_recorded_in_its_order() -> None:
    names = [f"bracket {number}" for number in range(8)]
    model = Model(
        name="m",
        bodies=[make_body(name, Box(size=(0.1, 0.1, 0.1)), mass=1.0) for name in names],
        joints=[Joint(name=name, type=Fixed(), parent=None, child=name) for name in names],
        keyframes=[Keyframe(name="k", joints=tuple(KeyframeJoint(joint=name, positions=()) for name in names))],
    )
    ledger = Ledger()
    written(World(models=[model]), "mjcf", Path("m.xml"), ledger)
    assert [entry.detail for entry in ledger if entry.path == "m/k.joints" and entry.action == "dropped"] == [
        f"the file does not have joint '{name}'" for name in names
    ]
