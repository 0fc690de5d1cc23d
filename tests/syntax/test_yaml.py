"""YAML nodes with locations: anchors, merge keys, numbers of YAML 1.2, and malicious documents."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ossature.diagnostics import Report, Source
from ossature.syntax import yaml
from ossature.syntax.yaml import NodeKind, YamlNode
from ossature.syntax.yaml_values import BOOLEAN, INTEGER, NUMBER, STRING, VECTOR3, rows, word


def parse(text: str, report: Report) -> YamlNode | None:
    return yaml.parse(Source("a.yaml", text.encode()), report)


def scalar(text: str, report: Report) -> YamlNode:
    root = parse(f"k: {text}\n", report)
    assert root is not None
    return root.entries["k"]


def test_locations(report: Report) -> None:
    root = parse("a: 1\nb:\n  - c: é\n    d: [1, 2]\n", report)
    assert root is not None
    (item,) = root.entries["b"].items
    assert (item.line, item.column) == (3, 5)
    assert str(item.field_location("d")) == "a.yaml:4:5"
    assert str(item.entries["d"].items[1].location) == "a.yaml:4:12"
    assert item.field_location("x") is None


def test_anchors_and_merge_keys(report: Report) -> None:
    root = parse("base: &b {x: 1, y: 2}\nc: {<<: *b, y: 3}\nd: {<<: [*b, {z: 4}]}\ne: *b\n", report)
    assert root is not None
    texts = {name: {key: value.text for key, value in root.entries[name].entries.items()} for name in "cde"}
    assert texts == {"c": {"y": "3", "x": "1"}, "d": {"x": "1", "y": "2", "z": "4"}, "e": {"x": "1", "y": "2"}}


def test_a_quoted_merge_key_is_a_key(report: Report) -> None:
    root = parse("a: {'<<': 1}\n", report)
    assert root is not None
    assert "<<" in root.entries["a"].entries


@pytest.mark.parametrize(
    ("text", "value"),
    [("7e7", 7e7), ("1e-4", 1e-4), ("-.5", -0.5), ("+3.", 3.0), ("0", 0.0), ("'2.5'", 2.5), ("1E+2", 100.0)],
)
def test_numbers_of_yaml_1_2(text: str, value: float, report: Report) -> None:
    assert NUMBER.parse(scalar(text, report)) == value


@pytest.mark.parametrize(
    "text", ["1_000", "0x10", ".nan", ".inf", "1e999", "1,5", "abc", "''", "", "~", "[1]", "1:30", "\u0661"]
)
def test_invalid_numbers(text: str, report: Report) -> None:
    node = scalar(text, report)
    with pytest.raises(ValueError):  # its text depends on the input
        NUMBER.parse(node)
    NUMBER.explain(node, "'k'", node.location, report)
    (finding,) = report.take("invalid-number") or report.take("wrong-type")
    assert finding.location is not None
    assert (finding.location.line, finding.hint is not None) == (1, True)


def test_other_values(report: Report) -> None:
    assert INTEGER.parse(scalar("0x1F", report)) == 31
    assert INTEGER.parse(scalar("0o17", report)) == 15
    assert [BOOLEAN.parse(scalar(text, report)) for text in ("true", "False", "yes", "off")] == [True, False, True, False]
    assert STRING.parse(scalar("a b", report)) == "a b"
    assert STRING.parse(scalar("'~'", report)) == "~"
    assert VECTOR3.parse(scalar("[1, 2, 3e0]", report)) == (1.0, 2.0, 3.0)
    assert rows(2).parse(scalar("[[1, 2], [3, 4]]", report)) == ((1.0, 2.0), (3.0, 4.0))
    assert word("LOCK", aliases={"WELD": "LOCK"}).parse(scalar("weld", report)) == "LOCK"


@pytest.mark.parametrize(
    ("text", "rule", "position"),
    [
        ("a: [1, 2\n", "malformed-yaml", "2:1"),
        ("a: b: c\n", "malformed-yaml", "1:5"),
        ("a:\n\t- 1\n", "malformed-yaml", "2:1"),
        ("", "malformed-yaml", "1:1"),
        ("a: *x\n", "invalid-yaml-alias", "1:4"),
        ("a: &x [1, *x]\n", "invalid-yaml-alias", "1:11"),
        ("a: &x {b: {c: *x}}\n", "invalid-yaml-alias", "1:15"),
        ("a: {<<: 1}\n", "invalid-yaml-alias", "1:9"),
        ("a: 1\n[1, 2]: 3\n", "non-scalar-key", "2:1"),
        ("a: 1\nb: 2\na: 3\n", "duplicate-key", "3:1"),
        ("a: 1\n---\nb: 2\n", "multiple-documents", "2:1"),
        ("[" * 300, "nesting-too-deep", "1:201"),
        ("- " * 5000 + "x", "nesting-too-deep", "1:401"),
    ],
)
def test_invalid_documents(text: str, rule: str, position: str, report: Report) -> None:
    parse(text, report)
    (finding,) = report.take(rule)
    assert str(finding.location) == f"a.yaml:{position}"


def test_alias_bomb_is_rejected(report: Report) -> None:
    lines = ["a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 12)]
    assert parse("\n".join(lines), report) is None
    assert report.take("too-many-elements")


def test_invalid_utf_8(report: Report) -> None:
    assert yaml.parse(Source("a.yaml", b"a: \xff\xfe\xfa"), report) is None
    assert report.take("malformed-yaml")


@given(
    st.recursive(
        st.floats(allow_nan=False, allow_infinity=False) | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    )
)
def test_round_trip(data: object) -> None:
    report = Report()
    root = parse(yaml.serialize({"k": data}), report)
    assert root is not None
    assert not report
    assert plain(root.entries["k"], data) == data


def plain(node: YamlNode, like: object) -> object:
    if node.kind is NodeKind.SEQUENCE:
        return [plain(item, other) for item, other in zip(node.items, like, strict=True)]  # type: ignore[call-overload]
    if node.kind is NodeKind.MAPPING:
        return {key: plain(value, like[key]) for key, value in node.entries.items()}  # type: ignore[index]
    return float(node.text) if isinstance(like, float) else node.text
