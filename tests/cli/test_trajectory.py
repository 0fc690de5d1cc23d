"""Trajectories at the terminal."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from collada_animations import CURVED, animated
from ossature.cli.app import app
from ossature.diagnostics import Report
from ossature.formats.trajectory_files import read_trajectories, trajectory_csv


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "robot.dae"
    path.write_text(animated(kinds="BEZIER LINEAR LINEAR", **CURVED).replace("<gravity>0 0 -9.81", "<gravity>0 0 0"))
    return path


LIMITS = "<limits><min>-30</min><max>100</max></limits>"


def run(*words: object) -> tuple[int, str]:
    result = CliRunner().invoke(app, [str(word) for word in words])
    return result.exit_code, result.output


def test_show(file: Path) -> None:
    code, output = run("trajectory", "show", file)
    assert code == 0
    assert "wave: from 0 s to 2 s" in output
    assert "arm/elbow" in output
    code, output = run("trajectory", "show", file, "--json")
    (described,) = json.loads(output)
    assert described["channels"][0]["position"] == pytest.approx([-0.7853981633974483, 1.5707963267948966])


def test_resample_and_follow(file: Path, tmp_path: Path) -> None:
    table = tmp_path / "wave.csv"
    assert run("trajectory", "resample", file, table, "--sample-interval", "0.1") == (0, "")
    lines = table.read_text().splitlines()
    assert lines[0] == "time,arm/elbow"
    assert len(lines) == 22
    (again,) = read_trajectories(table, Report())
    assert trajectory_csv(again) == table.read_text()
    code, output = run("simulate", file, "--track", table, "--json")
    assert code == 0, output
    (error,) = json.loads(output[output.index("{") :])["tracking"]
    assert error["path"] == "arm/elbow"
    assert error["largest"] < 1e-6
    code, output = run("simulate", file, "--track", "-")
    assert "an ideal servo" in output
    assert "ideal-servo" in output
    assert run("simulate", file, "--track", f"{file}:wave", "--duration", "0.1")[0] == 0


SLIDER = """<robot name="r"><link name="a"/><link name="b"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="x" type="prismatic"><parent link="a"/><child link="b"/>
<limit lower="-0.5" upper="0.5" effort="1" velocity="1"/></joint></robot>"""


def test_a_tracked_trajectory_beyond_limits_is_reported(tmp_path: Path) -> None:
    model, table = tmp_path / "r.urdf", tmp_path / "t.csv"
    model.write_text(SLIDER)
    for end, is_reported in ((0.6, True), (0.4, False)):
        table.write_text(f"time,r/x\n0,0\n1,{end}\n")
        code, output = run("simulate", model, "--track", table)
        assert code == 0
        assert (f"r/x has a position of {end} at 1 s; the limit is 0.5" in output) is is_reported


def test_check(file: Path, tmp_path: Path) -> None:
    assert run("trajectory", "check", file)[0] == 0
    file.write_text(file.read_text().replace("<axis>0 0 1</axis></revolute>", f"<axis>0 0 1</axis>{LIMITS}</revolute>"))
    code, output = run("trajectory", "check", file, "--strict")
    assert code == 1
    assert "position of -0.785398 at 2 s; the limit is -0.523599" in output
    table = tmp_path / "wave.csv"
    table.write_text("time,arm/elbow\n0,0\n1,9\n")
    code, output = run("trajectory", "check", table, "--model", file)
    assert "trajectory-exceeds-limits" in output
    table.write_text("time,arm/knee\n0,0\n1,9\n")
    code, output = run("trajectory", "check", table, "--model", file)
    assert code == 1
    assert "unknown joint 'arm/knee'" in output
    assert run("trajectory", "check", table)[0] == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the first column is not 'time'"),
        ("time\n0\n", "only the column 'time'"),
        ("time,arm/elbow\n", "no rows of numbers"),
        ("time,elbow\n0,0\n", "not MODEL/JOINT"),
        ("time,arm/elbow\n0,x\n", "'x' is not a finite number"),
        ("time,arm/elbow\n0,inf\n", "'inf' is not a finite number"),
        ("time,arm/elbow\n0,1_0\n", "'1_0' is not a finite number"),
        ("time,arm/elbow\n0,0,0\n", "a row of 3 numbers"),
        ("time,arm/elbow\n1,0\n0,0\n", "do not increase"),
        ("time,arm/elbow,arm/elbow[0]\n0,0,0\n", "two columns of the same coordinate"),
    ],
)
def test_bad_tables(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.csv"
    path.write_text(text)
    code, output = run("trajectory", "show", path)
    assert code == 1
    assert message in output
    assert "invalid-trajectory-file" in output


def test_what_is_not_there(file: Path, tmp_path: Path) -> None:
    assert "choose" not in run("trajectory", "show", file, "--name", "wave")[1]
    code, output = run("trajectory", "show", file, "--name", "wive")
    assert (code, "there is no trajectory 'wive'" in output) == (2, True)
    assert run("trajectory", "show", tmp_path / "none.csv")[0] == 1
    assert run("trajectory", "resample", file, tmp_path / "wave.txt")[0] == 2
