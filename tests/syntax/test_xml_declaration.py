"""XML declarations that are not at the beginning of a file."""

from __future__ import annotations

import pytest

from ossature.diagnostics import Report, Source
from ossature.syntax import xml, xml_parser

BODY = '<robot name="r"><!-- <?xml --></robot>'


def parsed(text: str, encoding: str = "utf-8") -> tuple[xml.XmlNode | None, list[str]]:
    report = Report()
    root = xml_parser.parse(Source("robot.urdf", text.encode(encoding)), report)
    return root, [finding.rule.name for finding in report]


@pytest.mark.parametrize(
    "declaration",
    ['<?xml version="1.0"?>', "<?xml version='1.0' encoding='UTF-8' standalone=\"yes\"?>", '<?xml version="1.0" ?>'],
)
@pytest.mark.parametrize("space", ["\n", " \t\r\n  "])
def test_white_space_before_the_declaration_is_a_warning(space: str, declaration: str) -> None:
    root, rules = parsed(f"{space}{declaration}\n{BODY}")
    assert root is not None
    assert root.tag == "robot"
    assert root.offset == len(f"{space}{declaration}\n")
    assert rules == ["misplaced-xml-declaration"]
    assert parsed(f"{declaration}\n{BODY}")[1] == []


@pytest.mark.parametrize("text", [f'x<?xml version="1.0"?>{BODY}', f'\n<?xml version="1.0" encoding="latin-1"?>{BODY}'])
def test_other_declarations_are_errors(text: str) -> None:
    assert parsed(text) == (None, ["malformed-xml"])
