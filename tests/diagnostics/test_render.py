"""Findings in every form."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

import ossature
from ossature.diagnostics import Diagnostic, Location, Related, Report, Rule, Severity, Source
from ossature.diagnostics.render import MACHINE_FORMATS, to_github, to_json, to_sarif
from ossature.diagnostics.render.text import to_grouped_text, to_text

SOURCE = Source("dir/robot.skel", b"<skel>\n  <wrold/>\r\n  <more/>\n</skel>\n")
RULE = Rule(name="some-rule", code="X001", severity=Severity.WARNING, summary="Something.", explanation="It matters.")
GRAVE = Rule(name="grave", code="X002", severity=Severity.ERROR, summary="Bad.", explanation="Mend it.")


@pytest.fixture
def findings() -> list[Diagnostic]:
    here, there = Location(SOURCE, SOURCE.data.index(b"<wrold")), Location(SOURCE, SOURCE.data.index(b"<more"))
    return [
        Diagnostic(rule=RULE, message="no <wrold>, 100%", location=here, hint="did you mean 'world'?"),
        Diagnostic(rule=GRAVE, message="twice", location=there, path="m/b", related=(Related(location=here, message="first"),)),
        Diagnostic(rule=RULE, message="nowhere"),
    ]


def test_text(findings: list[Diagnostic]) -> None:
    lines = to_text(findings).plain.splitlines()
    assert lines[0] == "dir/robot.skel:3:3: error[grave]: twice"
    assert lines[1:3] == ["  <more/>", "  ^"]
    assert lines[3] == "  dir/robot.skel:2:3: first"
    assert "dir/robot.skel:2:3: warning[some-rule]: no <wrold>, 100%" in lines
    assert "  hint: did you mean 'world'?" in lines
    assert lines[-1] == "1 error, 2 warnings"


def test_text_groups_findings_of_a_kind(findings: list[Diagnostic]) -> None:
    many = findings[:1] * 10
    assert "… and 7 more warning[some-rule]" in to_text(many).plain
    assert to_text(many, verbose=True).plain.count("no <wrold>") == 10
    assert to_text([]).plain == "no findings"


def test_json(findings: list[Diagnostic]) -> None:
    data = json.loads(to_json(findings))
    assert data[0] == {
        "rule": "some-rule",
        "code": "X001",
        "severity": "warning",
        "message": "no <wrold>, 100%",
        "file": "dir/robot.skel",
        "line": 2,
        "column": 3,
        "end_line": 2,
        "end_column": 11,
        "path": "",
        "hint": "did you mean 'world'?",
        "fix": None,
        "related": [],
    }
    assert data[1]["related"][0]["line"] == 2
    assert data[2]["file"] is None


def test_github(findings: list[Diagnostic]) -> None:
    lines = to_github(findings).splitlines()
    assert lines[0] == (
        "::warning file=dir/robot.skel,line=2,col=3,endLine=2,endColumn=11,title=some-rule"
        "::no <wrold>, 100%25%0Adid you mean 'world'?"
    )
    assert lines[2] == "::warning title=some-rule::nowhere"


def test_sarif(findings: list[Diagnostic]) -> None:
    log = json.loads(to_sarif(findings))
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert [(rule["id"], rule["name"]) for rule in rules] == [("X001", "some-rule"), ("X002", "grave")]
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["level"] in ("none", "note", "warning", "error")
        assert result["message"]["text"]
        assert len(result["locations"]) == 1
    physical = run["results"][0]["locations"][0]["physicalLocation"]
    assert physical["artifactLocation"]["uri"] == "dir/robot.skel"
    assert physical["region"] == {"startLine": 2, "startColumn": 3, "endLine": 2, "endColumn": 11}
    assert run["results"][1]["relatedLocations"][0]["message"]["text"] == "first"
    assert run["results"][1]["locations"][0]["logicalLocations"][0]["fullyQualifiedName"] == "m/b"


def at(data: bytes, needle: bytes) -> Diagnostic:
    return Diagnostic(rule=RULE, message="here", location=Location(Source("f", data), data.index(needle)))


def test_the_place_in_the_model_where_there_is_no_file() -> None:
    finding = Diagnostic(rule=RULE, message="bad", path="m/b")
    assert to_text([finding]).plain.splitlines()[0] == "m/b: warning[some-rule]: bad"


@pytest.mark.parametrize(
    ("data", "shown"),
    [
        (b"  <b/>", ["  <b/>", "  ^"]),
        (b"\t\t<a/>\t<b/>", ["  <a/> <b/>", "       ^"]),
        ("日本 <b/>".encode(), ["  日本 <b/>", "       ^"]),
        (b"<a/><b/>\r\n", ["  <a/><b/>", "      ^"]),
        (b" " * 500 + b"<b/>", ["  <b/>", "  ^"]),
        (b"x" * 500 + b"<b/>" + b"y" * 500, [f"  {'x' * 80}<b/>{'y' * 76}", f"  {' ' * 80}^"]),
        (b"\x1b[31m<b/>", []),
    ],
)
def test_the_caret_points_at_it(data: bytes, shown: list[str]) -> None:
    assert to_text([at(data, b"<b/>")]).plain.splitlines()[1:-1] == shown


def test_the_caret_points_behind_the_end() -> None:
    finding = Diagnostic(rule=RULE, message="cut off", location=Location(Source("f", b"<a>"), 3))
    assert to_text([finding]).plain.splitlines()[1:-1] == ["  <a>", "     ^"]


@pytest.mark.parametrize("render", [*MACHINE_FORMATS.values(), lambda findings: to_text(findings).plain])
@pytest.mark.parametrize("name", ["odd\udcff.skel", "odd\x1b[2J.skel", "/odd\udcff.skel", "two\r\nlines.skel"])
def test_odd_names_of_files(render: Callable[[list[Diagnostic]], str], name: str) -> None:
    here = Location(Source(name, b"<a/>"), 0)
    finding = Diagnostic(rule=RULE, message=f"in {name}", location=here, related=(Related(location=here, message=name),))
    text = render([finding])
    assert text.encode()
    assert "\x1b" not in text
    assert "\r" not in text


def test_an_annotation_is_one_line() -> None:
    finding = Diagnostic(rule=RULE, message="one\r\ntwo\n::error::three", location=Location(Source("a,b:c%.skel")))
    assert to_github([finding]) == ("::warning file=a%2Cb%3Ac%25.skel,title=some-rule::one%0D%0Atwo%0A::error::three")


def test_sarif_names_files_by_uri() -> None:
    def uri(name: str) -> str:
        log = json.loads(to_sarif([Diagnostic(rule=RULE, message="m", location=Location(Source(name)))]))
        (location,) = log["runs"][0]["results"][0]["locations"]
        assert "region" not in location["physicalLocation"]
        return str(location["physicalLocation"]["artifactLocation"]["uri"])

    assert uri("a b/ä.skel") == "a%20b/%C3%A4.skel"
    assert uri("/a b.skel") == "file:///a%20b.skel"
    assert uri("odd\udcff.skel") == "odd%FF.skel"


@pytest.mark.parametrize("name", MACHINE_FORMATS)
def test_machines_get_plain_ascii_where_escapes_exist(name: str) -> None:
    text = MACHINE_FORMATS[name]([Diagnostic(rule=RULE, message="ünïcödé")])
    assert text.isascii() or name == "github"


@pytest.mark.parametrize("name", MACHINE_FORMATS)
def test_nothing(name: str) -> None:
    MACHINE_FORMATS[name]([])


@pytest.mark.parametrize(
    ("encoding", "newline"), [("utf-8", "\n"), ("utf-8", "\r\n"), ("utf-8-sig", "\n"), ("utf-16", "\n"), ("latin-1", "\n")]
)
def test_places(encoding: str, newline: str) -> None:
    lines = ["<?xml version='1.0' encoding='latin-1'?>" if encoding == "latin-1" else "<a>", "äöü <b/> x", "end"]
    data = newline.join(lines).encode(encoding)
    source = Source("f", data)
    needle = "<b/>".encode(source.encoding)
    location = Location(source, data.index(needle))
    assert (location.line, location.column) == (2, 5)
    assert source.line_text(2) == lines[1]
    assert source.offset_of(2, 5) == location.offset
    assert source.line_text(99) == ""


def test_report_takes() -> None:
    report = Report()
    report.add(RULE, "one")
    report.add(GRAVE, "two")
    assert report.has_errors
    assert [finding.message for finding in report.take("grave")] == ["two"]
    assert not report.has_errors
    assert len(report) == 1


def test_different_defects_of_one_rule_are_listed_each_and_equal_ones_together() -> None:
    text = """<robot name="r"><link name="a"><visual/></link>
<link/>
<link/>
<joint name="j" type="fixed"><parent/><child link="b"/></joint>
<joint name="k"><parent link="a"/></joint></robot>"""
    _, report = ossature.read(text, format="urdf")
    shown = to_grouped_text(list(report)).plain
    for message in (
        "<link> has no attribute 'name'",
        "<parent> has no attribute 'link'",
        "<joint> has no attribute 'type'",
        "<joint> has no <child>",
        "<visual> has no <geometry>",
    ):
        assert shown.count(f"error[missing-element]: {message}") == 1
    assert "hint: state link=…" in shown
    assert "and 1 more: line 3" in shown


def test_misspelt_attributes_are_listed_by_name() -> None:
    axes = '<axis rpy="0 0 0" xyz="0 0 1"/>', '<axis xzy="0 0 1"/>', '<axis rpy="0 0 0" xyz="0 1 0"/>'
    links = "".join(f'<link name="b{number}"/>' for number in range(3))
    ends = '<parent link="a"/><child link="b{}"/>'
    joints = "".join(
        f'<joint name="j{number}" type="continuous">{ends.format(number)}{axis}</joint>\n' for number, axis in enumerate(axes)
    )
    _, report = ossature.read(f'<robot name="r"><link name="a"/>{links}\n{joints}</robot>', format="urdf")
    shown = to_grouped_text(list(report)).plain
    assert shown.count("unknown attribute 'rpy' of <axis>") == 1
    assert shown.count("unknown attribute 'xzy' of <axis>") == 1
