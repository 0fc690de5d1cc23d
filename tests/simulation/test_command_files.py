"""Invalid command files: every problem is a finding with its location, not an exception."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ossature.diagnostics import Report
from ossature.model import Actuation, Body, Fixed, Joint, Model, NamedList, Revolute, Universal, World
from ossature.simulation import SampledSignal, read_commands

HEADER = "time,m/u[0],m/u[1]\n"


def world() -> World:
    names = ("a", "b", "c", "d", "e")
    joints = [
        Joint(name="u", type=Universal(), parent=None, child="a"),
        Joint(name="r", type=Revolute(), parent="a", child="b"),
        Joint(name="r[0]", type=Revolute(), parent="b", child="c"),
        Joint(name="held", type=Revolute(), parent="c", child="d", actuation=Actuation.LOCKED),
        Joint(name="welded", type=Fixed(), parent="d", child="e"),
    ]
    return World(
        models=NamedList([Model(name="m", bodies=NamedList(Body(name=name) for name in names), joints=NamedList(joints))])
    )


def read(folder: Path, name: str, text: str | bytes, report: Report) -> dict[tuple[str, str], SampledSignal]:
    data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    (folder / name).write_bytes(data)
    return read_commands(folder / name, world(), report)


@pytest.mark.parametrize(
    ("name", "text", "line", "message"),
    [
        ("c.csv", HEADER, 1, "no row"),
        ("c.csv", HEADER + '0,1,"2\n"\nx,1,1\n', 4, "'x'"),
        ("c.csv", HEADER + '0,1,"' + "x" * 200_000 + '"\n', 2, "field limit"),
        ("c.csv", HEADER + "0,1,2\0\n", 2, "not a finite number"),
        ("c.csv", "time,m/u[0],m/u[1],m/u[0]\n0,1,2,3\n", 1, "duplicate column"),
        ("c.csv", f"time,m/u[{'9' * 5000}]\n0,1\n", 1, "no joint"),
        ("c.csv", "time,m/held\n0,1\n", 1, "locked"),
        ("c.csv", "time,m/welded\n0,1\n", 1, "no degrees of freedom"),
        ("c.csv", '<?xml encoding="zlib"?>\n', 1, "first column"),
        ("c.csv", b"\xff\xfe\x00", 1, "first column"),
        ("c.json", '{"m/u": [[0, 1, ' + "9" * 5000 + "]]}", 1, "finite"),
        ("c.json", '{\n"m/u": [[0, 1, NaN]]}', 2, "finite"),
        ("c.json", '{"m/u": []}', 1, "at least one"),
        ("c.json", '{"m/u": ["123"]}', 1, "not a list of"),
        ("c.json", '{"m/u": [[0, true, 1]]}', 1, "not a list of"),
        ("c.json", '{"m/u": [[0, {}, 1]]}', 1, "not a list of"),
        ("c.json", '{"m/u": {}}', 1, "not a list of"),
        ("c.json", '{"m/u": [[0, 1, 2]],\n"m/u": [[0, 3, 4]]}', 2, "duplicate name"),
        ("c.json", "[" * 100_000, 1, "deep"),
        ("c.json", '{"\\ud800": 1}', 1, "no joint"),
    ],
)
def test_problems_are_found(name: str, text: str | bytes, line: int, message: str, tmp_path: Path, report: Report) -> None:
    read(tmp_path, name, text, report)
    findings = report.take("invalid-command-file")
    assert any(message in finding.message for finding in findings), findings
    assert {finding.location.line for finding in findings if finding.location} == {line}


def test_missing_file(tmp_path: Path, report: Report) -> None:
    assert not read_commands(tmp_path / "none.csv", world(), report)
    assert report.take("invalid-command-file")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_byte_order_marks_and_line_ends_of_spreadsheets(encoding: str, tmp_path: Path, report: Report) -> None:
    text = HEADER.replace("\n", "\r\n") + "0, 1, 2\r\n\r\n1, 3, 4\r\n"
    table = read(tmp_path, "c.csv", text.encode(encoding), report)["m", "u"]
    np.testing.assert_allclose(table.at(0.5), [2.0, 3.0])


def test_a_joint_may_look_like_a_coordinate(tmp_path: Path, report: Report) -> None:
    commands = read(tmp_path, "c.csv", "time,m/r[0]\n0,1\n", report)
    assert list(commands) == [("m", "r[0]")]
