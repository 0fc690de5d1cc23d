"""Any content of a file results in a World or in findings."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

import ossature
from ossature.diagnostics import Limits, Report, Source
from ossature.formats.load_file import read_file
from ossature.formats.skel import read_skel

BOMB = b"""<?xml version="1.0"?><!DOCTYPE lolz [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">
<!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;">]><skel>&c;</skel>"""
EXTERNAL = b'<?xml version="1.0"?><!DOCTYPE skel [<!ENTITY x SYSTEM "file:///etc/passwd">]><skel>&x;</skel>'
PARAMETER = b'<!DOCTYPE skel [<!ENTITY % p SYSTEM "http://localhost/x.dtd"> %p;]><skel/>'

BAD = {
    "empty": (b"", "malformed-xml"),
    "blank": (b"   \n", "malformed-xml"),
    "text": (b"hello", "malformed-xml"),
    "binary": (bytes(range(256)) * 10, "malformed-xml"),
    "zip": (b"PK\x03\x04" + bytes(100), "malformed-xml"),
    "unclosed": (b"<skel><world>", "malformed-xml"),
    "two roots": (b"<skel/><skel/>", "malformed-xml"),
    "bad utf-8": (b"<skel><world name='\xff\xfe'/></skel>", "malformed-xml"),
    "unknown encoding": (b'<?xml version="1.0" encoding="klingon"?><skel/>', "malformed-xml"),
    "wrong encoding": (b'<?xml version="1.0" encoding="utf-16"?><skel/>', "malformed-xml"),
    "bare ampersand": (b"<skel><world name='a & b'/></skel>", "malformed-xml"),
    "undefined entity": (b"<skel>&nbsp;</skel>", "malformed-xml"),
    "entity bomb": (BOMB, "forbidden-entity"),
    "external entity": (EXTERNAL, "forbidden-entity"),
    "parameter entity": (PARAMETER, "forbidden-entity"),
    "deep": (b"<skel>" + b"<world>" * 100_000, "nesting-too-deep"),
}


@pytest.mark.parametrize("name", BAD)
def test_unreadable(name: str, report: Report) -> None:
    data, rule = BAD[name]
    assert read_skel(Source("bad.skel", data), report) is None
    (finding,) = report.take(rule)
    assert finding.location is not None
    assert finding.location.line is not None


def test_missing_file(report: Report, tmp_path: Path) -> None:
    assert read_file(tmp_path / "absent.skel", report) is None
    assert report.take("unreadable-file")


def test_folder(report: Report, tmp_path: Path) -> None:
    assert read_file(tmp_path, report) is None
    assert report.take("unreadable-file")


@pytest.mark.parametrize("name", ["a\0b.skel", "x" * 5000])
def test_odd_paths(name: str, report: Report) -> None:
    assert read_file(name, report) is None
    assert report.take("unreadable-file")


def test_unknown_suffix(report: Report, tmp_path: Path) -> None:
    path = tmp_path / "robot.unknown"
    path.write_text("nothing")
    assert read_file(path, report) is None
    (finding,) = report.take("unknown-format")
    assert "--input-format" in (finding.hint or "")


def test_format_is_detected_by_content(report: Report, tmp_path: Path) -> None:
    path = tmp_path / "robot.xml"
    path.write_text('<skel version="1.0"><world name="w"/></skel>')
    assert read_file(path, report) is not None
    for name in ("empty-file", "default-used"):
        report.take(name)


def test_load_raises_with_the_report(tmp_path: Path) -> None:
    path = tmp_path / "bad.skel"
    path.write_text("<skel>")
    with pytest.raises(ossature.LoadError) as caught:
        ossature.load(path)
    assert [finding.rule.name for finding in caught.value.report] == ["malformed-xml"]
    assert str(path) in str(caught.value)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "latin-1"])
def test_encodings(encoding: str, report: Report) -> None:
    declared = {"utf-8-sig": "utf-8"}.get(encoding, encoding)
    text = f'<?xml version="1.0" encoding="{declared}"?>\n<skel version="1.0"><world name="Tür"/><wörld/></skel>'
    world = read_skel(Source("bad.skel", text.encode(encoding)), report)
    assert world is not None
    assert world.name == "Tür"
    (finding,) = report.take("unknown-element")
    assert str(finding.location) == "bad.skel:2:40"
    for name in ("empty-file", "default-used"):
        report.take(name)


def test_a_huge_element_is_one_finding() -> None:
    report = Report()
    data = (
        b"<skel version='1.0'><world name='w'><physics><time_step>"
        + b"7" * 100_000_000
        + b"</time_step></physics></world></skel>"
    )
    started = time.process_time()
    assert read_skel(Source("huge.skel", data), report) is not None
    assert time.process_time() - started < 30.0
    (finding,) = report.take("invalid-number")
    assert len(str(finding)) < 500


def test_a_hundred_thousand_elements() -> None:
    report = Report(limits=Limits(findings=200_000))
    data = b"<skel version='1.0'><world name='w'>" + b"<nothing/>" * 100_000 + b"</world></skel>"
    assert read_skel(Source("many.skel", data), report) is not None
    assert len(report.take("unknown-element")) == 100_000
