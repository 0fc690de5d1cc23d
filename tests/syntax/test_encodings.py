"""Encodings that are not read: one finding, at the first byte that is wrong, says what to do."""

from __future__ import annotations

import pytest

from ossature.diagnostics import Report, Source
from ossature.syntax import xml_parser, yaml

DECLARED = '<?xml version="1.0" encoding="{}"?>\n<a name="größe"/>\n'
PLAIN = '<a>\n<b name="größe"/></a>\n'
KEYS = "a: 1\nb: größe\n"


def the_finding(report: Report) -> tuple[str | None, str, str]:
    (finding,) = report
    assert finding.location is not None
    return finding.hint, finding.message, f"{finding.location.line}:{finding.location.column}"


@pytest.mark.parametrize(
    ("data", "hint", "place"),
    [
        (PLAIN.encode("latin-1"), "the byte 0xf6 is not UTF-8", "2:12"),
        (DECLARED.format("utf-8").encode("latin-1"), "the byte 0xf6 is not UTF-8", "2:12"),
        (b"<a>\n  \xc3", "the byte 0xc3 is not UTF-8", "2:3"),
        (b"\xff\xfe" + DECLARED.format("utf-8").encode("utf-16-le"), "the XML declaration states another encoding", "1:31"),
        (DECLARED.format("utf-16").encode(), "the XML declaration states another encoding", "1:31"),
        (PLAIN.encode("utf-32"), "the file is encoded in UTF-32", "1:1"),
        (PLAIN.encode("utf-32-be"), "the file is encoded in UTF-32", "1:1"),
        (b"<a b='\x01'/>", "a bare & or <", "1:7"),
    ],
)
def test_xml(data: bytes, hint: str, place: str) -> None:
    report = Report()
    assert xml_parser.parse(Source("a.xml", data), report) is None
    found_hint, _, found_place = the_finding(report)
    assert (found_hint or "").startswith(hint)
    assert found_place == place


@pytest.mark.parametrize(
    ("data", "message", "hint", "place"),
    [
        (KEYS.encode("latin-1"), "the file is not encoded in UTF-8", "save the file as UTF-8", "2:7"),
        (KEYS.encode("utf-16-le"), "the file is not encoded in UTF-8", "save the file as UTF-8", "1:1"),
        (KEYS.encode("utf-16-be"), "the file is not encoded in UTF-8", "save the file as UTF-8", "1:1"),
        (KEYS.encode("utf-32"), "the file is not encoded in UTF-8", "save the file as UTF-8", "1:1"),
        ("a: 1\nb: ü\x07".encode(), "control characters", "remove the character", "2:5"),
    ],
)
def test_yaml(data: bytes, message: str, hint: str, place: str) -> None:
    report = Report()
    assert yaml.parse(Source("a.yaml", data), report) is None
    found_hint, found_message, found_place = the_finding(report)
    assert found_message.startswith(message)
    assert (found_hint, found_place) == (hint, place)


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_places_in_yaml(encoding: str, newline: str, report: Report) -> None:
    root = yaml.parse(Source("a.yaml", "ä: 1\nb: {ü: 2, c: 3}\n".replace("\n", newline).encode(encoding)), report)
    assert root is not None
    assert str(root.entries["b"].field_location("c")) == "a.yaml:2:11"
    assert str(root.entries["ä"].location) == "a.yaml:1:4"
    assert str(root.field_location("ä")) == "a.yaml:1:1"
