"""Calibrations: a robot with one differs from the same without by exactly what it says."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import Result
from typer.testing import CliRunner

import ossature
from collada_documents import robot as document
from complete_robot import TURNED as TURNED_POSE
from complete_robot import robot
from conftest import PROJECT
from ossature.cli.app import app
from ossature.comparison import compare
from ossature.diagnostics import Ledger, Report, Severity, Source
from ossature.formats.calibration import calibration_between, parse_calibration, with_calibration, write_calibration
from ossature.formats.collada import write_collada
from ossature.kinematics import poses
from ossature.model import Controller, Laser2D, NamedList, PinholeCamera, Prismatic, Screw, Sensor, Spherical, World
from ossature.model.calibration import Calibration, JointOffset

ROUNDING = 1e-12
ALL = """
ossature-calibration: 1
links:
  - link: arm/hand
    position: [0.01, 0.0, 0.5]
    wxyz: [1, 0, 0, 0]
sensors:
  - sensor: arm/eye
    position: [0.125, 0.25, 0.625]
    intrinsic: [[500, 0, 320], [0, 510, 240]]
    focal_length: 0.004
    distortion: plumb_bob
    distortion_coefficients: [0.1, -0.02]
actuators:
  - actuator: arm/motor
    proportional: 60
    derivative: 6
"""
NAMED = """
<extra type="calibration"><technique profile="Ossature"><instance_calibration url="own.yaml"/></technique></extra>
"""
TURNED = "ossature-calibration: 1\njoints:\n  - joint: arm/elbow\n    offset: 0.25\n"


def seeing() -> World:
    """Return the robot of the tests with a camera in its eye."""
    world = robot()
    eye = Sensor(name="eye", body="hand", pose=TURNED_POSE, type="camera", description=PinholeCamera())
    return replace(
        world, models=NamedList([replace(m, sensors=NamedList([eye])) if m.name == "arm" else m for m in world.models])
    )


def parsed(text: str, report: Report) -> Calibration:
    found = parse_calibration(Source("own.yaml", text.encode()), report)
    assert found is not None
    return found


def test_a_calibrated_robot_differs_by_exactly_its_calibration(report: Report) -> None:
    world = seeing()
    calibration = parsed(ALL, report)
    calibrated = with_calibration(world, calibration, report)
    changed = {found.path for found in compare(world, calibrated, tolerance=ROUNDING)}
    assert changed == {
        "arm/hand.pose.position",
        "arm/eye.pose.position",
        "arm/eye.pose.wxyz",
        "arm/eye.description.intrinsic",
        "arm/eye.description.focal_length",
        "arm/eye.description.distortion",
        "arm/motor.controller.proportional",
        "arm/motor.controller.derivative",
        "arm/motor.controller.integral",
    }
    assert calibrated.models["arm"].actuators["motor"].controller == Controller(proportional=60.0, derivative=6.0)
    assert calibrated.models["arm"].bodies["hand"].pose.position == pytest.approx((0.01, 0.0, 1.0))


def test_what_differs_is_the_calibration_again(report: Report) -> None:
    world = seeing()
    calibrated = with_calibration(world, parsed(ALL, report), report)
    between = calibration_between(world, calibrated)
    again = with_calibration(world, parsed(write_calibration(between), report), report)
    assert not compare(calibrated, again, tolerance=ROUNDING)
    assert not calibration_between(world, world)


@pytest.mark.parametrize("kind", [None, Prismatic(axis=(0.6, 0.0, 0.8)), Screw(axis=(0.0, 0.0, 1.0), pitch=0.25)])
def test_an_offset_is_a_displaced_joint(kind: object, report: Report) -> None:
    """At a coordinate q everything stands where the drawing stands at q + offset."""
    world = ossature.formats.collada.read_collada(Source("r.dae", document().encode()), Report())
    assert world is not None
    model = world.models["arm"]
    elbow = model.joints["elbow"] if kind is None else replace(model.joints["elbow"], type=kind)  # type: ignore[arg-type]
    others = [elbow if joint.name == "elbow" else joint for joint in model.joints]
    world = replace(world, models=NamedList([replace(model, joints=NamedList(others))]))
    calibration = Calibration(joints=(JointOffset(model="arm", joint="elbow", offset=0.25),))
    calibrated = with_calibration(world, calibration, report)
    for value in (-0.5, 0.0, 0.75):
        here = poses(calibrated, {"arm": {"elbow": [value]}})["arm"]["hand"].matrix()
        there = poses(world, {"arm": {"elbow": [value + 0.25]}})["arm"]["hand"].matrix()
        assert np.allclose(here, there, atol=ROUNDING)
    (offset,) = calibration_between(world, calibrated).joints
    assert offset.offset == pytest.approx(0.25, abs=1e-12)


@pytest.mark.parametrize(
    ("text", "rule", "message"),
    [
        ("models: []", "invalid-calibration", "missing 'ossature-calibration'"),
        ("ossature-calibration: 2", "invalid-calibration", "unsupported version 2"),
        ("ossature-calibration: 1\njoints:\n  - {joint: elbow, offset: 0}", "invalid-calibration", "not MODEL/NAME"),
        (
            "ossature-calibration: 1\nlinks:\n  - {link: arm/hand, position: [0, 0, 0], wxyz: [2, 0, 0, 0]}",
            "invalid-calibration",
            "norm 2",
        ),
        (
            "ossature-calibration: 1\nsensors:\n  - {sensor: arm/eye, intrinsic: [[1, 0, 0]]}",
            "invalid-calibration",
            "1 instead of 2 rows",
        ),
        (
            "ossature-calibration: 1\nsensors:\n  - {sensor: arm/eye, wxyz: [1, 0, 0, 0]}",
            "invalid-calibration",
            "without a position",
        ),
        (
            "ossature-calibration: 1\nsensors:\n  - {sensor: arm/eye, distortion_coefficients: [1]}",
            "invalid-calibration",
            "no distortion model",
        ),
        (
            "ossature-calibration: 1\njoints:\n  - {joint: arm/wrest, offset: 0}",
            "unknown-calibration-target",
            "unknown 'arm/wrest'",
        ),
        (
            "ossature-calibration: 1\njoints:\n  - {joint: arm/wrist, offset: 1}\n  - {joint: arm/wrist, offset: 2}",
            "unknown-calibration-target",
            "twice",
        ),
        ("ossature-calibration: 1\njoints:\n  - {joint: arm/shoulder, offset: 0}", "uncalibratable-joint", "compound"),
        (
            "ossature-calibration: 1\nlinks:\n  - {link: arm/base, position: [0, 0, 0]}",
            "uncalibratable-joint",
            "no parent joint",
        ),
        ("ossature-calibration: 1\njoint: []", "unknown-key", ""),
    ],
)
def test_invalid_calibrations(text: str, rule: str, message: str, report: Report) -> None:
    found = parse_calibration(Source("own.yaml", text.encode()), report)
    if found is not None:
        with_calibration(seeing(), found, report)
    (finding,) = report.take(rule)
    assert message in finding.message


def test_a_sensor_without_intrinsics_is_reported(report: Report) -> None:
    world = robot()
    laser = Sensor(name="eye", body="hand", description=Laser2D())
    model = replace(world.models["arm"], sensors=NamedList([laser]))
    text = "ossature-calibration: 1\nsensors:\n  - {sensor: arm/eye, focal_length: 0.1}"
    calibrated = with_calibration(replace(world, models=NamedList([model])), parsed(text, report), report)
    (finding,) = report.take("uncalibratable-sensor")
    assert "focal_length" in finding.message
    assert calibrated.models["arm"].sensors["eye"] == laser


def test_spherical_joints_have_no_offset(report: Report) -> None:
    world = robot()
    model = world.models["arm"]
    wrist = replace(model.joints["wrist"], type=Spherical(), coordinates=())
    world = replace(world, models=NamedList([replace(model, joints=NamedList([model.joints["shoulder"], wrist]))]))
    with_calibration(world, Calibration(joints=(JointOffset(model="arm", joint="wrist", offset=1.0),)), report)
    assert report.take("uncalibratable-joint")


def test_a_document_names_its_calibration(tmp_path: Path) -> None:
    """Without the file there is one finding and no failure; with it the robot is calibrated."""
    path = tmp_path / "robot.dae"
    path.write_text(document(extra=NAMED))
    plain, report = ossature.read(path)
    assert plain is not None
    (missing,) = [finding for finding in report if finding.rule.name == "missing-file"]
    assert missing.severity is Severity.WARNING
    assert not report.has_errors
    # The name is written again.
    assert 'instance_calibration url="own.yaml"' in write_collada(plain, Ledger())
    (tmp_path / "own.yaml").write_text(TURNED)
    calibrated, report = ossature.read(path)
    assert calibrated is not None
    assert [finding.rule.name for finding in report if "calibrat" in finding.rule.name] == ["calibration-applied"]
    assert {found.path for found in compare(plain, calibrated)} == {"arm/hand.pose.wxyz", "extensions"}
    # What is written is calibrated for good.
    assert "instance_calibration" not in write_collada(calibrated, Ledger())


def test_the_example_of_the_page(report: Report) -> None:
    page = (PROJECT / "docs" / "calibration.md").read_text(encoding="utf-8")
    example = (PROJECT / "examples" / "scanner_calibration.yaml").read_text(encoding="utf-8")
    assert f"```yaml\n{example}```" in page
    found = parsed(example, report)
    assert (len(found.links), len(found.joints), len(found.sensors)) == (0, 1, 1)


def test_from_python(tmp_path: Path) -> None:
    path, overlay = tmp_path / "robot.dae", tmp_path / "turned.yaml"
    path.write_text(document())
    overlay.write_text(TURNED)
    plain, calibrated = ossature.load(path), ossature.load(path, calibration=overlay)
    assert {found.path for found in compare(plain, calibrated)} == {"arm/hand.pose.wxyz"}
    overlay.write_text("ossature-calibration: 1\nlinks: 3\n")
    with pytest.raises(ossature.LoadError, match=r"turned\.yaml"):
        ossature.load(path, calibration=overlay)


def test_a_calibration_outside_the_folder_is_not_opened(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    (tmp_path / "own.yaml").write_text(TURNED)
    path = tmp_path / "inner" / "robot.dae"
    path.write_text(document(extra=NAMED.replace("own.yaml", "../own.yaml")))
    _, report = ossature.read(path)
    assert "missing-file" in {finding.rule.name for finding in report}


def test_at_the_terminal(tmp_path: Path) -> None:
    path, overlay, built = tmp_path / "robot.dae", tmp_path / "turned.yaml", tmp_path / "built.dae"
    path.write_text(document())
    overlay.write_text(TURNED)
    run = CliRunner().invoke
    plain = run(app, ["pose", str(path), "--json", "--joint", "elbow=0.25"]).stdout
    turned = run(app, ["pose", str(path), "--json", "--calibration", str(overlay)]).stdout
    assert np.allclose(list(_numbers(plain)), list(_numbers(turned)), atol=ROUNDING)
    result = run(app, ["calibration", "apply", str(path), str(overlay), str(built)])
    assert result.exit_code == 0, result.output
    result = run(app, ["calibration", "diff", str(path), str(built)])
    assert result.exit_code == 0, result.output
    assert "joint: arm/elbow" in result.stdout
    for command in ("info", "check"):
        assert run(app, [command, str(path), "--calibration", str(overlay)]).exit_code == 0
        missing = run(app, [command, str(path), "--calibration", str(tmp_path / "none.yaml")])
        assert missing.exit_code == 1
        assert "unreadable-file" in missing.output


def _numbers(text: str) -> list[float]:
    import json

    return [number for bodies in json.loads(text).values() for rows in bodies.values() for row in rows for number in row]


def test_the_difference_of_unlike_files_names_what_it_leaves_out() -> None:
    def difference(*names: str) -> Result:
        return CliRunner().invoke(app, ["calibration", "diff", *(str(PROJECT / "examples" / name) for name in names)])

    unlike = difference("arm.skel", "cart_pole.urdf")
    assert unlike.exit_code == 1
    assert "no model in common: table, arm; cart_pole" in unlike.stderr
    larger = difference("picker.dae", "pick_and_place.dae")
    assert larger.exit_code == 0
    assert "only one of the files has it: cube, pillar" in larger.stderr
    assert not difference("picker.dae", "picker.dae").stderr
