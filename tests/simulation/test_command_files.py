"""Invalid command files: every problem is a finding with its location, not an exception."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from ossature import model as m
from ossature.diagnostics import Report
from ossature.model import Actuation, Body, Fixed, Joint, Model, NamedList, Revolute, Universal, World
from ossature.simulation import SampledSignal, read_commands
from small_worlds import one_joint

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
        ("c.csv", HEADER + "0,1,1_0\n", 2, "not a finite number"),
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


class TestCommandsOfOneJoint:
    def read(self, tmp_path: Path, name: str, text: str, report: Report) -> dict[tuple[str, str], SampledSignal]:
        (tmp_path / name).write_text(text)
        return read_commands(tmp_path / name, one_joint(m.Universal()), report)

    def test_csv_and_json_say_the_same(self, tmp_path: Path, report: Report) -> None:
        csv = self.read(tmp_path, "c.csv", "time,m/j[0],m/j[1]\n0,1,2\n1,3,4\n", report)
        as_json = self.read(tmp_path, "c.json", '{"m/j": [[0, 1, 2], [1, 3, 4]]}', report)
        for time in (-1.0, 0.0, 0.25, 1.0, 2.0):
            np.testing.assert_array_equal(csv["m", "j"].at(time), as_json["m", "j"].at(time))
            np.testing.assert_array_equal(csv["m", "j"].integral(0, time), as_json["m", "j"].integral(0, time))

    @pytest.mark.parametrize(
        ("name", "text"),
        [
            ("c.csv", ""),
            ("c.csv", "t,m/j\n"),
            ("c.csv", "time,m/k\n0,1\n"),
            ("c.csv", "time,m/j\n0,1\n"),
            ("c.csv", "time,m/j[0],m/j[1]\n0,1\n"),
            ("c.csv", "time,m/j[0],m/j[1]\n0,1,x\n"),
            ("c.csv", "time,m/j[0],m/j[1]\n1,1,1\n0,1,1\n"),
            ("c.csv", "time,m/j[0],m/j[1]\n0,nan,1\n"),
            ("c.json", "{"),
            ("c.json", "[]"),
            ("c.json", '{"m/j": [[0, 1]]}'),
            ("c.json", '{"m/j": 3}'),
            ("c.json", '{"m/nobody": []}'),
            ("c.json", '{"m/j": []}'),
            ("c.csv", "time,m/j[0],m/j[1]\n0,1," + "1" * 200_000 + "\n"),
            ("c.csv", "time,m/j[" + "9" * 5000 + "]\n0,1\n"),
            ("c.json", '{"m/j": [[0, 1, 1' + "0" * 400 + "]]}"),
            ("c.json", '{"m/j": [[0, 1, 1' + "0" * 5000 + "]]}"),
            ("c.json", '{"m/j": [[0, true, 1]]}'),
            ("c.json", '{"m/j": [[0, "1", 1]]}'),
            ("c.json", '{"m/j": {"0": [1, 2]}}'),
            ("c.json", "[" * 100_000),
        ],
    )
    def test_bad_files(self, name: str, text: str, tmp_path: Path, report: Report) -> None:
        assert not self.read(tmp_path, name, text, report)
        findings = report.take("invalid-command-file")
        assert findings
        assert all(finding.location is not None for finding in findings)

    @pytest.mark.parametrize(
        ("name", "text"),
        [
            ("c.csv", "time,m/j[0],m/j[1],m/j[1]\n0,1,2,3\n"),
            ("c.json", '{"m/j": [[0, 1, 2]], "m/j": [[0, 3, 4]]}'),
        ],
    )
    def test_a_coordinate_that_is_commanded_twice(self, name: str, text: str, tmp_path: Path, report: Report) -> None:
        self.read(tmp_path, name, text, report)
        assert len(report.take("invalid-command-file")) == 1

    def test_a_bad_row_is_told_with_its_line(self, tmp_path: Path, report: Report) -> None:
        self.read(tmp_path, "c.csv", "time,m/j[0],m/j[1]\n\n0,1,2\n1,x,2\n", report)
        (finding,) = report.take("invalid-command-file")
        assert finding.location is not None
        assert finding.location.line == 4

    def test_a_joint_whose_name_ends_in_brackets(self, tmp_path: Path, report: Report) -> None:
        world = one_joint(m.Revolute())
        model = world.models["m"]
        joint = replace(model.joints["j"], name="j[1]")
        world = replace(world, models=NamedList([replace(model, joints=NamedList([joint]))]))
        (tmp_path / "c.csv").write_text("time,m/j[1]\n0,1\n")
        assert read_commands(tmp_path / "c.csv", world, report)["m", "j[1]"].at(0.0)[0] == 1.0

    def test_table_areas(self) -> None:
        table = SampledSignal([0.0, 1.0, 3.0], [0.0, 2.0, 0.0])
        assert table.integral(-1.0, 4.0)[0] == pytest.approx(3.0)
        assert table.integral(0.5, 2.0)[0] == pytest.approx(0.75 + 1.5)
