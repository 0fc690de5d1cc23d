"""Findings in every form."""

from __future__ import annotations

import json

import pytest

from ossature.diagnostics import Diagnostic, Location, Related, Report, Rule, Severity, Source
from ossature.diagnostics.render import MACHINE_FORMATS, to_github, to_json, to_sarif
from ossature.diagnostics.render.text import to_text

SOURCE = Source("dir/robot.skel", b"<skel>\n  <wrold/>\r\n  <more/>\n</skel>\n")
RULE = Rule(name="some-rule", severity=Severity.WARNING, summary="Something.", explanation="It matters.")
GRAVE = Rule(name="grave", severity=Severity.ERROR, summary="Bad.", explanation="Mend it.")


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
    assert to_text([]).plain == "nothing found"


def test_json(findings: list[Diagnostic]) -> None:
    data = json.loads(to_json(findings))
    assert data[0] == {
        "rule": "some-rule",
        "severity": "warning",
        "message": "no <wrold>, 100%",
        "file": "dir/robot.skel",
        "line": 2,
        "column": 3,
        "path": "",
        "hint": "did you mean 'world'?",
        "related": [],
    }
    assert data[1]["related"][0]["line"] == 2
    assert data[2]["file"] is None


def test_github(findings: list[Diagnostic]) -> None:
    lines = to_github(findings).splitlines()
    assert lines[0] == (
        "::warning file=dir/robot.skel,line=2,col=3,title=some-rule::no <wrold>, 100%25%0Adid you mean 'world'?"
    )
    assert lines[2] == "::warning title=some-rule::nowhere"


def test_sarif(findings: list[Diagnostic]) -> None:
    log = json.loads(to_sarif(findings))
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == ["some-rule", "grave"]
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["level"] in ("none", "note", "warning", "error")
        assert result["message"]["text"]
        assert len(result["locations"]) == 1
    physical = run["results"][0]["locations"][0]["physicalLocation"]
    assert physical["artifactLocation"]["uri"] == "dir/robot.skel"
    assert physical["region"] == {"startLine": 2, "startColumn": 3}
    assert run["results"][1]["relatedLocations"][0]["message"]["text"] == "first"
    assert run["results"][1]["locations"][0]["logicalLocations"][0]["fullyQualifiedName"] == "m/b"


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
