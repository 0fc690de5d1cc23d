"""When sensors sense, what they remember, and how robots' own files, commands and bad values are dealt with."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import ossature
from collada_documents import read, robot, technique
from ossature.checks import check
from ossature.cli.app import app
from ossature.diagnostics import OssatureError, Report, Source
from ossature.formats.collada import read_collada
from ossature.model import Encoder, Imu, Laser2D, Odometry, Plane
from ossature.simulation import Simulation
from ossature.simulation.sensors.export_readings import save_reading
from ossature.spatial import Pose
from sensors.sensor_scenes import carrier, simulation, thing

WALL = Plane(normal=(-1.0, 0.0, 0.0), offset=-7.0)
EYES = {
    "laser": Laser2D(
        angle_increment=0.1, time_increment=0.0013, measurement_time=0.05, distance_deviation=0.01, max_distance=50.0
    ),
    "imu": Imu(measurement_time=0.02, linear_acceleration_covariance=((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))),
    "odometry": Odometry(drift_covariance=tuple(np.eye(6).ravel().tolist())),
    "encoder": Encoder(joint="way", resolution=0.01),
}


def moving(description: Any, report: Report | None = None) -> Simulation:
    model = carrier(description, slides_along=(1.0, 0.0, 0.0), speed=1.5)
    return simulation(model, thing("wall", WALL), gravity=(0.0, 0.0, 0.0), report=report)


def test_readings_are_taken_at_measurement_times() -> None:
    recording = moving(Imu(measurement_time=0.02)).run(0.1, sense=["eye"])
    assert [reading.time for reading in recording.readings["carrier/eye"]] == pytest.approx([0.0, 0.02, 0.04, 0.06, 0.08, 0.1])


def test_measurement_time_between_steps_is_that_of_the_next_step() -> None:
    recording = moving(Imu(measurement_time=0.0025)).run(0.01, sense=["eye"])
    times = [reading.time for reading in recording.readings["carrier/eye"]]
    assert times == pytest.approx([0.0, 0.003, 0.005, 0.008, 0.01])


def test_sampling_changes_no_motion() -> None:
    plain = moving(Imu())
    plain.step(200)
    sensed = moving(Imu())
    sensed.run(0.2, sense=["eye"])
    assert (plain.data.qpos == sensed.data.qpos).all()
    assert (plain.data.qvel == sensed.data.qvel).all()


def test_read_is_the_last_reading_of_a_sensor_that_is_on() -> None:
    running = moving(Imu(measurement_time=0.05))
    eye = running.sensors["eye"]
    running.step(10)
    assert eye.read().time == pytest.approx(0.01), "what it senses now"
    eye.start()
    running.step(30)
    assert eye.read().time == pytest.approx(0.01), "its last reading"
    running.step(30)
    assert eye.read().time == pytest.approx(0.06)
    eye.stop()
    assert eye.read().time == pytest.approx(0.07)


@pytest.mark.parametrize("name", EYES)
def test_the_same_seed_gives_the_same_readings(name: str) -> None:
    def arrays(seed: int) -> list[dict[str, Any]]:
        running = moving(EYES[name])
        running.sensors.seed(seed)
        return [reading.arrays() for reading in running.run(0.2, sense=["eye"]).readings["carrier/eye"]]

    first, second, other = arrays(1), arrays(1), arrays(2)
    assert len(first) > 2
    assert all(same(a, b) for a, b in zip(first, second, strict=True))
    if name != "encoder":
        assert not all(same(a, b) for a, b in zip(first, other, strict=True))


def same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    return all(np.array_equal(one[name], other[name], equal_nan=one[name].dtype.kind == "f") for name in one)


@pytest.mark.parametrize("name", EYES)
def test_restart_is_bit_exact(name: str) -> None:
    """Also in the middle of a scan, and in a simulation of its own."""
    whole = moving(EYES[name])
    whole.sensors["eye"].start()
    whole.step(117)
    state, sensors = whole.state(), whole.sensors.state()
    rest = whole.run(0.2, sense=["eye"]).readings["carrier/eye"]
    another = moving(EYES[name])
    another.restore(state)
    assert another.sensors.state().keys() == sensors.keys()
    went_on = another.run(0.2, sense=["eye"]).readings["carrier/eye"]
    assert len(rest) == len(went_on) > 2
    assert all(same(a.arrays(), b.arrays()) for a, b in zip(rest, went_on, strict=True))


@pytest.mark.parametrize("name", EYES)
@pytest.mark.parametrize("has_checkpoint", [True, False])
def test_an_episode_that_is_repeated_has_the_same_readings(name: str, has_checkpoint: bool, report: Report) -> None:
    """Also of sensors that were not built yet when the state was taken, whose times are then later than the state."""
    whole = moving(EYES[name], report)
    start = whole.state() if has_checkpoint else replace(whole.state(), checkpoint=None)
    first = whole.run(0.2, sense=["eye"]).readings["carrier/eye"]
    whole.sensors["eye"].start()
    whole.restore(start)
    assert not whole.sensors["eye"].is_on
    second = whole.run(0.2, sense=["eye"]).readings["carrier/eye"]
    report.take("approximate-restart")
    report.take("assumed-sensor-defaults")
    assert [reading.time for reading in first] == [reading.time for reading in second]
    assert len(first) > 2
    if has_checkpoint:
        assert all(same(a.arrays(), b.arrays()) for a, b in zip(first, second, strict=True))


def test_a_state_of_other_sensors_is_refused() -> None:
    one = moving(Imu())
    with pytest.raises(ValueError, match="sensors"):
        one.sensors.restore_bytes(simulation(carrier(Imu()), carrier_named("other")).sensors.to_bytes())
    with pytest.raises(ValueError, match="cannot be read"):
        one.sensors.restore_bytes(b"nonsense")


def carrier_named(name: str) -> Any:
    return replace(carrier(Imu()), name=name)


def test_unknown_and_ambiguous_names() -> None:
    with pytest.raises(KeyError, match="carrier/eye"):
        moving(Imu()).sensors["eyes"]
    two = simulation(carrier(Imu()), carrier_named("other"))
    with pytest.raises(KeyError, match="several models"):
        two.sensors["eye"]
    assert two.sensors["other/eye"].path == "other/eye"


# A robot's own file


def test_empty_sensors_get_documented_defaults(corpus: Path, report: Report) -> None:
    world = ossature.load(corpus / "corpus" / "openrave" / "barrett-wam-sensors.zae")
    check(world, report=report)
    told = {str(finding.path): finding for finding in report.take("assumed-sensor-defaults")}
    laser = told["BarrettWAM/base_laser"]
    for words in ("min_angle = -1.5708 rad", "angle_increment = 0.01 rad", "max_distance = 100 m", "measurement_time = 0.1 s"):
        assert words in laser.message
    assert laser.location is not None
    assert "barrett-wam-sensors.dae:3315" in str(laser.location)
    assert "format = uint8" in told["BarrettWAM/base_camera"].message
    report.take("implausible-inertia")
    for rule in {finding.rule.name for finding in report}:
        report.take(rule)
    simulated = Simulation(world, report=Report()).sensors
    assert set(simulated) == {"BarrettWAM/base_laser", "BarrettWAM/base_camera"}
    scan: Any = simulated["base_laser"].read()
    assert len(scan.angles) == 315
    assert (scan.angles[0], scan.angles[1] - scan.angles[0]) == (-0.5 * np.pi, pytest.approx(0.01))


BAD = {
    "invalid-sensor-range": ("base_laser2d", "<distance_range>-1 4</distance_range>"),
    "invalid-sensor-increment": ("base_laser2d", "<angle_increment>0</angle_increment>"),
    "singular-intrinsics": ("base_pinhole_camera", "<intrinsic>0 0 320 0 0 240</intrinsic>"),
    "sensor-resolution-out-of-range": ("base_laser2d", "<angle_increment>0.0001</angle_increment>"),
    "unknown-sensor-target": ("base_odometry", "<target>foot</target>"),
    "invalid-covariance": ("base_imu", "<rotation_covariance>-1 0 0 0 1 0 0 0 1</rotation_covariance>"),
}


@pytest.mark.parametrize("rule", BAD)
def test_invalid_parameters_are_reported_with_file_and_line(rule: str) -> None:
    kind, words = BAD[rule]
    attached = technique("attach_sensor", '<instance_sensor url="#s"/><frame_origin link="hand"/>', attributes='name="eye"')
    text = robot(motion_extra=attached, extra=technique("library_sensors", f'<sensor type="{kind}" id="s">{words}</sensor>'))
    world = read_collada(Source("robot.dae", text.encode()), Report())
    assert world is not None
    report = Report()
    check(world, report=report)
    (finding,) = report.take(rule)
    line = text[: text.index(f'<sensor type="{kind}"')].count("\n") + 1
    assert str(finding.location).startswith(f"robot.dae:{line}:")
    simulated = Report()
    assert not Simulation(world, report=simulated).sensors, "it is not simulated, and a finding says so"
    assert simulated.take("unsupported-sensor")


EXTREME = {
    "base_imu": "<measurement_time>1e308</measurement_time>",
    "base_pinhole_camera": "<image_dimensions>99999999999999999 9999999999 3</image_dimensions>",
    "BaseCamera": "<framerate>1e-320</framerate><image_dimensions>8 8 3</image_dimensions>",
    "base_laser2d": "<angle_increment>1e-320</angle_increment><distance_range>0 1e308</distance_range>",
    "base_laser3d": "<turn_increment>1e-300</turn_increment><angle_range>-1e308 1e308</angle_range>",
    "base_flash_laser": "<image_dimensions>8 8</image_dimensions><intrinsic>1e300 0 1e300 0 1e-300 4</intrinsic>",
    "base_encoder": "<target>elbow</target><resolution>1e-320</resolution>",
    "base_force6d": "<load_range_force>1e308 1e308 1e308</load_range_force>"
    "<load_resolution_force>1e-320 0 0</load_resolution_force>",
    "base_odometry": f"<drift_covariance>{' '.join(['1e308'] * 36)}</drift_covariance>",
}


@pytest.mark.parametrize("kind", EXTREME)
def test_extreme_parameters_give_findings_or_readings(kind: str) -> None:
    attached = technique("attach_sensor", '<instance_sensor url="#s"/><frame_origin link="hand"/>', attributes='name="eye"')
    inside = f'<sensor type="{kind}" id="s">{EXTREME[kind]}</sensor>'
    world = read(robot(motion_extra=attached, extra=technique("library_sensors", inside)))
    check(world, report=Report())
    report = Report()
    running = Simulation(world, report=report)
    if running.sensors:
        running.run(0.01, sense=["eye"])
        assert running.sensors["eye"].read().to_dict()
    else:
        assert report.take("unsupported-sensor")


def test_sensor_on_an_unknown_link_is_reported(report: Report) -> None:
    attached = technique("attach_sensor", '<instance_sensor url="#s"/><frame_origin link="foot"/>', attributes='name="eye"')
    library = technique("library_sensors", '<sensor type="base_imu" id="s"/>')
    world = read(robot(motion_extra=attached, extra=library), report)
    (finding,) = report.take("unknown-link")
    assert "foot" in finding.message
    assert not Simulation(world, report=Report()).sensors


# The command


@pytest.fixture
def room(tmp_path: Path) -> Path:
    """A file with a laser, a camera and an IMU."""
    attached = "".join(
        technique("attach_sensor", f'<instance_sensor url="#{kind}"/><frame_origin link="hand"/>', attributes=f'name="{kind}"')
        for kind in ("laser", "camera", "imu")
    )
    library = technique(
        "library_sensors",
        '<sensor type="base_laser2d" id="laser"/><sensor type="base_imu" id="imu"/>'
        '<sensor type="base_pinhole_camera" id="camera"><image_dimensions>32 24 3</image_dimensions></sensor>',
    )
    path = tmp_path / "robot.dae"
    path.write_text(robot(motion_extra=attached, extra=library))
    return path


def run(*arguments: object) -> Any:
    return CliRunner().invoke(app, ["sensor", "read", *map(str, arguments)])


def test_sensors_are_listed(room: Path) -> None:
    rows = json.loads(run(room, "--json").stdout)
    assert [(row["sensor"], row["senses"]) for row in rows] == [
        ("arm/laser", "Laser2D"),
        ("arm/camera", "PinholeCamera"),
        ("arm/imu", "Imu"),
    ]


def test_a_reading_is_printed(room: Path) -> None:
    result = run(room, "--sensor", "imu", "--time", "0.1", "--fix-base")
    assert result.exit_code == 0, result.output
    assert "linear_acceleration" in result.stdout
    data = json.loads(run(room, "--sensor", "imu", "--json", "--fix-base").stdout)
    assert data["sensor"] == "arm/imu"
    assert len(data["linear_acceleration"]) == 3


def test_a_camera_writes_an_image_and_a_laser_a_plot(room: Path, tmp_path: Path) -> None:
    image = pytest.importorskip("matplotlib.image")
    assert run(room, "-s", "camera", "-o", tmp_path / "seen.png").exit_code == 0
    assert image.imread(tmp_path / "seen.png").shape[:2] == (24, 32)
    assert run(room, "-s", "laser", "-o", tmp_path / "scan.png").exit_code == 0
    assert min(image.imread(tmp_path / "scan.png").shape[:2]) > 300


def test_data_files_are_written(room: Path, tmp_path: Path) -> None:
    for suffix in ("npz", "json"):
        assert run(room, "-s", "laser", "-o", tmp_path / f"scan.{suffix}").exit_code == 0
    with np.load(tmp_path / "scan.npz") as arrays:
        assert arrays["distances"].shape == arrays["angles"].shape == (315,)
    assert len(json.loads((tmp_path / "scan.json").read_text())["angles"]) == 315


def test_invalid_arguments_are_errors(room: Path, tmp_path: Path) -> None:
    for arguments, words in (
        (("-s", "lasr"), "did you mean"),
        (("-s", "laser", "--model", "leg"), "there is no sensor"),
        (("-s", "imu", "-o", tmp_path / "x.png"), "cannot be plotted"),
        (("-s", "imu", "-o", tmp_path / "x.txt"), "unsupported suffix '.txt'"),
        (("-s", "imu", "--time-step", "-1"), "must be positive"),
    ):
        result = run(room, *arguments)
        assert result.exit_code == 2, arguments
        assert words in result.stderr.replace("\n", " ")


def test_simulate_writes_all_readings(room: Path, tmp_path: Path) -> None:
    file = tmp_path / "all.npz"
    arguments = [
        "simulate",
        str(room),
        "--duration",
        "0.1",
        "--sensor",
        "imu",
        "--sensor",
        "laser",
        "--sensor-output",
        str(file),
    ]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    with np.load(file) as arrays:
        assert arrays["arm/imu/angular_velocity"].shape == (11, 3)
        assert arrays["arm/laser/distances"].shape == (2, 315)
    assert CliRunner().invoke(app, ["simulate", str(room), "--sensor", "imu"]).exit_code == 2


def test_reading_without_a_plot_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(OssatureError, match="cannot be plotted"):
        save_reading(moving(Imu()).sensors["eye"].read(), tmp_path / "x.png")


def test_the_pose_of_a_reading_is_the_sensors(tmp_path: Path) -> None:
    place = Pose((0.1, 0.2, 0.3))
    reading = simulation(carrier(Imu(), pose=Pose((1.0, 0.0, 0.0)), sensor_pose=place)).sensors["eye"].read()
    assert reading.pose_world_sensor.position == pytest.approx((1.1, 0.2, 0.3))
