"""Electric motors at the terminal."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from collada_documents import robot, technique
from ossature.cli.app import app

FIELDS = {
    "no_load_speed": 3990,
    "nominal_voltage": 24,
    "rotor_inertia": 2.3e-6,
    "terminal_resistance": 41.5,
    "torque_constant": 0.0552,
}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    fields = "".join(f"<{name}>{value}</{name}>" for name, value in FIELDS.items())
    attached = technique(
        "attach_actuator", '<instance_actuator url="#m"/><bind_actuator joint="elbow"/>', attributes='name="drive"'
    )
    library = technique("library_actuators", f'<actuator type="motor" id="m">{fields}</actuator>')
    path = tmp_path / "robot.dae"
    path.write_text(robot(motion_extra=attached, extra=library))
    return path


def test_info_tells_by_what_a_motor_is_chosen(file: Path) -> None:
    result = CliRunner().invoke(app, ["info", str(file)])
    assert "drive  motor on elbow: 24 V, 0.0319 N·m, 3990 rev/min" in result.output


def test_speeds_can_be_taken_by_the_letter(file: Path) -> None:
    result = CliRunner().invoke(app, ["info", str(file), "--motor-speed-unit", "rev/s"])
    assert "2.394e+05 rev/min" in result.output
    result = CliRunner().invoke(app, ["info", str(file), "--motor-speed-unit", "rpm"])
    assert result.exit_code == 2
    assert "--motor-speed-unit is rev/s or rev/min" in result.output
    result = CliRunner().invoke(app, ["check", str(file), "--motor-speed-unit", "rev/s"])
    assert "inconsistent-motor-datasheet" in result.output


def test_a_voltage_is_commanded_by_a_table(file: Path, tmp_path: Path) -> None:
    table = tmp_path / "voltage.csv"
    table.write_text("time,arm/drive:voltage\n0,24\n")
    recorded = tmp_path / "run.json"
    options = [
        "--command",
        str(table),
        "--record",
        str(recorded),
        "--sample-interval",
        "0.1",
        "--duration",
        "0.1",
        "--time-step",
        "1e-3",
    ]
    result = CliRunner().invoke(app, ["simulate", str(file), *options])
    assert result.exit_code == 0, result.output
    sample = json.loads(recorded.read_text())["samples"][0]
    assert sample["elements"]["arm"]["drive"]["voltage"] == pytest.approx(24.0)
