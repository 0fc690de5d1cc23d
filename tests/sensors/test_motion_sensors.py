"""What is felt: forces against statics, accelerations against closed forms, odometry against the true pose, encoders."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from ossature.diagnostics import Report
from ossature.model import (
    Actuation,
    Body,
    Coordinate,
    Encoder,
    Fixed,
    Floating,
    Force6D,
    Imu,
    Inertial,
    Joint,
    Model,
    NamedList,
    Odometry,
    Revolute,
    Sensor,
)
from ossature.simulation import Simulation
from ossature.simulation.sensors.encoder import EncoderReading
from ossature.simulation.sensors.force6d import Force6DReading
from ossature.simulation.sensors.imu import ImuReading
from ossature.simulation.sensors.noise import Noise
from ossature.simulation.sensors.odometry import OdometryReading
from ossature.spatial import Pose, quaternion_from_axis_angle, quaternion_from_rotation_vector
from sensors.sensor_scenes import UNIT_MOMENT, carrier, simulation

GRAVITY = 9.80665
DOWN = (0.0, 0.0, -GRAVITY)
DRAWS = 100_000


def body(name: str, pose: Pose, mass: float, center: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> Body:
    return Body(name=name, pose=pose, inertial=Inertial(mass=mass, center_of_mass=center, moment=UNIT_MOMENT))


def locked(name: str, parent: str | None, child: str, angle: float) -> Joint:
    return Joint(
        name=name,
        type=Revolute(axis=(0.0, 1.0, 0.0)),
        parent=parent,
        child=child,
        coordinates=(Coordinate(initial_position=angle),),
        actuation=Actuation.LOCKED,
    )


PLACE = Pose((0.1, 0.02, -0.03), quaternion_from_rotation_vector((0.4, -0.2, 0.3)))
"""Of the sensor on the wrist."""


def loaded_arm(description: Force6D) -> Model:
    """Return an arm of three bodies, held still, whose wrist senses; beyond it there is a load on a fixed joint."""
    bodies = [
        body("upper", Pose((0.0, 0.0, 1.0)), 3.0),
        body("wrist", Pose((0.5, 0.0, 1.0)), 2.0, (0.1, 0.05, 0.0)),
        body("load", Pose((0.8, 0.0, 1.1)), 4.0, (0.0, -0.2, 0.3)),
    ]
    joints = [
        locked("shoulder", None, "upper", 0.3),
        locked("elbow", "upper", "wrist", -0.7),
        Joint(name="grip", type=Fixed(), parent="wrist", child="load"),
    ]
    sensor = Sensor(name="eye", body="wrist", pose=PLACE, description=description)
    return Model(name="arm", bodies=NamedList(bodies), joints=NamedList(joints), sensors=NamedList([sensor]))


def statics(running: Simulation) -> tuple[Any, Any]:
    """Return force and torque of the weights of wrist and load at the sensor, in its axes, from poses alone."""
    poses = running.poses()["arm"]
    frame = (poses["wrist"] @ PLACE).matrix()
    force, torque = np.zeros(3), np.zeros(3)
    for name, mass, center in (("wrist", 2.0, (0.1, 0.05, 0.0)), ("load", 4.0, (0.0, -0.2, 0.3))):
        weight = mass * np.array(DOWN)
        at = np.array((poses[name] @ Pose(center)).position)
        force += weight
        torque += np.cross(at - frame[:3, 3], weight)
    return frame[:3, :3].T @ force, frame[:3, :3].T @ torque


def felt(running: Simulation) -> Force6DReading:
    reading = running.sensors["eye"].read()
    assert isinstance(reading, Force6DReading)
    return reading


def test_load_of_an_arm_agrees_with_statics() -> None:
    running = simulation(loaded_arm(Force6D()), gravity=DOWN)
    force, torque = statics(running)
    reading = felt(running)
    assert np.abs(reading.force - force).max() < 1e-6
    assert np.abs(reading.torque - torque).max() < 1e-6
    assert (reading.saturated, reading.broken) == (False, False)


def test_body_without_gravity_has_no_weight() -> None:
    arm = loaded_arm(Force6D())
    arm = replace(arm, bodies=NamedList([replace(one, gravity=False) for one in arm.bodies]))
    reading = felt(simulation(arm, gravity=DOWN))
    assert np.abs(reading.force).max() < 1e-9
    assert np.abs(reading.torque).max() < 1e-9


def test_centripetal_force_of_a_pendulum() -> None:
    speed, length, mass = 2.0, 0.5, 1.5
    arm = Model(
        name="arm",
        bodies=NamedList([body("bob", Pose((0.0, 0.0, 1.0)), mass, (0.0, 0.0, -length))]),
        joints=NamedList(
            [
                Joint(
                    name="pivot",
                    type=Revolute(axis=(0.0, 1.0, 0.0)),
                    parent=None,
                    child="bob",
                    coordinates=(Coordinate(initial_velocity=speed),),
                    actuation=Actuation.PASSIVE,
                )
            ]
        ),
        sensors=NamedList([Sensor(name="eye", body="bob", description=Force6D())]),
    )
    reading = felt(simulation(arm, gravity=DOWN))
    assert reading.force == pytest.approx([0.0, 0.0, -mass * (GRAVITY + speed**2 * length)], abs=1e-6)


def test_saturation_resolution_and_polarity(report: Report) -> None:
    exact = felt(simulation(loaded_arm(Force6D()), gravity=DOWN)).force
    largest = float(np.abs(exact).max()) * 0.75
    description = Force6D(force_range=(largest,) * 3, force_resolution=(0.5, 0.0, 0.5), polarity=-1)
    running = simulation(loaded_arm(description), gravity=DOWN, report=report)
    reading = felt(running)
    expected = -exact
    expected[[0, 2]] = np.rint(expected[[0, 2]] / 0.5) * 0.5
    assert reading.force == pytest.approx(np.clip(expected, -largest, largest), abs=1e-9)
    assert (reading.saturated, reading.broken) == (True, False)
    felt(running)
    report.take("assumed-sensor-defaults")
    assert "saturated" in report.take("sensor-saturated")[0].message, "it is reported once"


def test_overloaded_sensor_measures_nan(report: Report) -> None:
    running = simulation(loaded_arm(Force6D(force_capacity=(5.0, 5.0, 5.0))), gravity=DOWN, report=report)
    assert felt(running).broken
    assert np.isnan(felt(running).force).all()
    report.take("assumed-sensor-defaults")
    assert len(report.take("sensor-overloaded")) == 1


def test_correction_matrix_is_applied() -> None:
    matrix = np.diag([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    matrix[0, 5] = 0.5
    plain = felt(simulation(loaded_arm(Force6D()), gravity=DOWN))
    corrected = felt(simulation(loaded_arm(Force6D(correction=tuple(matrix.ravel().tolist()))), gravity=DOWN))
    expected = matrix @ np.concatenate([plain.force, plain.torque])
    assert np.concatenate([corrected.force, corrected.torque]) == pytest.approx(expected)


# Inertial measurement


def measured(running: Simulation) -> ImuReading:
    reading = running.sensors["eye"].read()
    assert isinstance(reading, ImuReading)
    return reading


def test_an_imu_at_rest_reads_gravity() -> None:
    turn = quaternion_from_rotation_vector((0.3, -0.5, 0.2))
    running = simulation(carrier(Imu(), sensor_pose=Pose((0.3, 0.2, 0.1), turn)), gravity=DOWN)
    reading = measured(running)
    upwards = Pose((0.0, 0.0, 0.0), turn).matrix()[:3, :3].T @ (0.0, 0.0, GRAVITY)
    assert reading.linear_acceleration == pytest.approx(upwards, abs=1e-9)
    assert reading.angular_velocity == pytest.approx(np.zeros(3), abs=1e-12)
    assert reading.orientation_wxyz == pytest.approx(turn, abs=1e-12)


def test_imu_in_free_fall_measures_zero() -> None:
    falling = replace(
        carrier(Imu()),
        static=False,
        bodies=NamedList([body("body", Pose(), 1.0)]),
        joints=NamedList([Joint(name="way", type=Floating(), parent=None, child="body")]),
    )
    running = simulation(falling, gravity=DOWN)
    running.step(100)
    assert measured(running).linear_acceleration == pytest.approx(np.zeros(3), abs=1e-9)


def test_an_imu_on_a_spinning_plate() -> None:
    rate, radius = 7.0, 0.4
    place = Pose((0.0, radius, 0.0), quaternion_from_axis_angle((0.0, 0.0, 1.0), 0.5 * math.pi))
    running = simulation(carrier(Imu(), turns_about=(0.0, 0.0, 1.0), speed=rate, sensor_pose=place), gravity=(0.0, 0.0, 0.0))
    for _ in range(3):
        running.step(137)
        reading = measured(running)
        assert reading.angular_velocity == pytest.approx([0.0, 0.0, rate], abs=1e-9)
        # The sensor's x is the plate's y, which points outwards there.
        assert reading.linear_acceleration == pytest.approx([-(rate**2) * radius, 0.0, 0.0], abs=1e-9)


COVARIANCE = ((4e-4, 1e-4, 0.0), (1e-4, 9e-4, -2e-4), (0.0, -2e-4, 1e-4))
"""With correlations: not only the diagonal has to be right."""


def assert_covariance(draws: Any, expected: Any) -> None:
    """Each entry of a covariance of n normal draws is within five of its own standard deviations."""
    found = np.cov(draws.T, bias=True)
    expected = np.array(expected)
    variance = (np.outer(np.diag(expected), np.diag(expected)) + expected**2) / len(draws)
    assert (np.abs(found - expected) < 5.0 * np.sqrt(variance)).all()
    assert (np.abs(draws.mean(axis=0)) < 5.0 * np.sqrt(np.diag(expected) / len(draws))).all()


def test_noise_has_its_covariance() -> None:
    random = np.random.default_rng(1)
    noise = Noise(COVARIANCE, 3)
    assert_covariance(np.array([noise.draw(random) for _ in range(DRAWS)]), COVARIANCE)


def test_noise_of_a_singular_covariance_is_in_its_plane() -> None:
    random = np.random.default_rng(1)
    noise = Noise(((1.0, 1.0, 0.0), (1.0, 1.0, 0.0), (0.0, 0.0, 0.0)), 3)
    draws = np.array([noise.draw(random) for _ in range(100)])
    assert np.abs(draws[:, 0] - draws[:, 1]).max() < 1e-12
    assert not draws[:, 2].any()


def test_the_noise_of_an_imu_has_its_covariances(monkeypatch: pytest.MonkeyPatch) -> None:
    imu = Imu(rotation_covariance=COVARIANCE, angular_velocity_covariance=COVARIANCE, linear_acceleration_covariance=COVARIANCE)
    eye = simulation(carrier(imu), gravity=DOWN).sensors["eye"]
    efforts = eye._context.efforts()
    monkeypatch.setattr(eye._context, "efforts", lambda: efforts)  # nothing moves: the engine need not be asked anew
    readings = [eye.read() for _ in range(DRAWS // 10)]
    rates = np.array([reading.angular_velocity for reading in readings])  # type: ignore[attr-defined]
    pushes = np.array([reading.linear_acceleration for reading in readings])  # type: ignore[attr-defined]
    turns = 2.0 * np.array([reading.orientation_wxyz for reading in readings])[:, 1:]  # type: ignore[attr-defined]
    assert_covariance(rates, COVARIANCE)
    assert_covariance(pushes - (0.0, 0.0, GRAVITY), COVARIANCE)
    # Half a small angle is its sine, less a share of 1e-3 / 24.
    assert_covariance(turns, COVARIANCE)


# Odometry


def test_odometry_integrates_to_the_true_pose() -> None:
    moving = replace(
        carrier(Odometry(measurement_time=0.013)),
        static=False,
        bodies=NamedList(
            [
                replace(
                    body("body", Pose((1.0, 2.0, 3.0), quaternion_from_rotation_vector((0.3, 0.1, -0.4))), 1.0), gravity=False
                )
            ]
        ),
        joints=NamedList(
            [
                Joint(
                    name="way",
                    type=Floating(),
                    parent=None,
                    child="body",
                    coordinates=tuple([Coordinate(initial_velocity=speed) for speed in (1.0, -2.0, 0.5, 0.3, -0.2, 0.7)]),
                )
            ]
        ),
    )
    running = simulation(moving, gravity=(0.0, 0.0, 0.0))
    begin = running.poses()["carrier"]["body"]
    readings = running.run(1.0, sense=["eye"]).readings["carrier/eye"]
    last = readings[-1]
    assert isinstance(last, OdometryReading)
    assert len(readings) == 77
    running.sensors["eye"].stop()
    again = Simulation(running.world)
    again.step(round(last.time / again.time_step))
    true = begin.inverse() @ again.poses()["carrier"]["body"]
    assert last.translation == pytest.approx(true.position, abs=1e-9)
    assert abs(np.dot(last.rotation_wxyz, true.wxyz)) == pytest.approx(1.0, abs=1e-12)


def test_the_drift_of_odometry_has_its_covariance() -> None:
    drift = np.diag([1e-4, 4e-4, 9e-4, 1e-6, 4e-6, 9e-6])
    description = Odometry(measurement_time=0.001, drift_covariance=tuple(drift.ravel().tolist()))
    running = simulation(carrier(description, slides_along=(1.0, 0.0, 0.0)), gravity=(0.0, 0.0, 0.0))
    readings = running.run(5.0, sense=["eye"]).readings["carrier/eye"]
    places = np.array([reading.translation for reading in readings])  # type: ignore[attr-defined]
    steps = np.diff(places, axis=0)
    assert len(steps) == 5000
    assert_covariance(steps, drift[:3, :3] * 0.001)


# Encoders


def encoded(description: Encoder, angle: float, speed: float = 0.0) -> Simulation:
    joint = Joint(
        name="way",
        type=Revolute(axis=(0.0, 0.0, 1.0)),
        parent=None,
        child="body",
        coordinates=(Coordinate(initial_position=angle, initial_velocity=speed),),
        actuation=Actuation.PASSIVE,
    )
    model = replace(carrier(description), static=False, joints=NamedList([joint]))
    return simulation(model, gravity=(0.0, 0.0, 0.0))


@pytest.mark.parametrize(
    ("description", "unit"),
    [(Encoder(joint="way", resolution=0.01), 0.01), (Encoder(joint="way", counts=1024), math.tau / 1024)],
)
@pytest.mark.parametrize("angle", [0.0, 0.777, -0.777])
def test_an_encoder_counts(description: Encoder, unit: float, angle: float) -> None:
    reading = encoded(description, angle).sensors["eye"].read()
    assert isinstance(reading, EncoderReading)
    assert reading.count == math.floor(angle / unit)
    assert reading.position == reading.count * unit
    assert 0.0 <= angle - reading.position < unit


def test_an_encoder_without_counts_is_exact() -> None:
    reading = encoded(Encoder(joint="way"), 0.777, 1.25).sensors["eye"].read()
    assert isinstance(reading, EncoderReading)
    assert (reading.position, reading.velocity, reading.count) == (pytest.approx(0.777), pytest.approx(1.25), 0)


def test_encoder_velocity_is_that_of_its_counts() -> None:
    description = Encoder(joint="way", resolution=0.01, measurement_time=0.1)
    readings = encoded(description, 0.0, 0.55).run(0.5, sense=["eye"]).readings["carrier/eye"]
    counts = [reading.count for reading in readings]  # type: ignore[attr-defined]
    assert counts == [0, 5, 11, 16, 22, 27]
    rates = [reading.velocity for reading in readings][1:]  # type: ignore[attr-defined]
    assert rates == pytest.approx([0.5, 0.6, 0.5, 0.6, 0.5])
