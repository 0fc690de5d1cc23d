"""What is written as SARIF has the structure that the standard's schema demands."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ossature.checks import RULES
from ossature.diagnostics import Diagnostic, Location, Related, Rule, Source
from ossature.diagnostics.render import to_sarif

Check = Callable[[Any], None]


def valid(condition: Callable[[Any], bool]) -> Check:
    def check(value: Any) -> None:
        assert condition(value), value

    return check


def an_object(required: dict[str, Check], optional: dict[str, Check] | None = None) -> Check:
    """An object with these properties and, as everywhere in the schema, no others."""
    known = required | (optional or {})

    def check(value: Any) -> None:
        assert isinstance(value, dict)
        assert required.keys() <= value.keys() <= known.keys(), value
        for name, part in value.items():
            known[name](part)

    return check


def a_list(item: Check, *, unique: bool = False) -> Check:
    def check(value: Any) -> None:
        assert isinstance(value, list)
        for part in value:
            item(part)
        spelled = [json.dumps(part, sort_keys=True) for part in value]
        assert not unique or len(set(spelled)) == len(spelled)

    return check


def is_uri_reference(value: Any) -> bool:
    return (
        isinstance(value, str) and value.isascii() and value.isprintable() and " " not in value and bool(urlsplit(value).path)
    )


text = valid(lambda value: isinstance(value, str))
index = valid(lambda value: type(value) is int and value >= 0)
count = valid(lambda value: type(value) is int and value >= 1)
level = valid(lambda value: value in ("none", "note", "warning", "error"))
message = an_object({"text": text})
region = an_object({"startLine": count, "startColumn": count, "endLine": count, "endColumn": count})
physical = an_object({"artifactLocation": an_object({"uri": valid(is_uri_reference)})}, {"region": region})
logical = a_list(an_object({"fullyQualifiedName": text}), unique=True)
location = an_object({}, {"id": index, "message": message, "physicalLocation": physical, "logicalLocations": logical})
descriptor = an_object(
    {
        "id": text,
        "name": text,
        "deprecatedIds": a_list(text, unique=True),
        "shortDescription": message,
        "fullDescription": message,
        "help": message,
        "defaultConfiguration": an_object({"level": level}),
    }
)
result = an_object(
    {
        "ruleId": text,
        "ruleIndex": index,
        "level": level,
        "message": message,
        "locations": a_list(location),
        "partialFingerprints": an_object({"ossature/v1": text}),
    },
    {"relatedLocations": a_list(location, unique=True)},
)
run = an_object(
    {
        "tool": an_object({"driver": an_object({"name": text, "rules": a_list(descriptor, unique=True)})}),
        "columnKind": valid(lambda value: value in ("utf16CodeUnits", "unicodeCodePoints")),
        "results": a_list(result),
    }
)
log = an_object({"$schema": text, "version": valid(lambda value: value == "2.1.0"), "runs": a_list(run)})

sources = st.builds(Source, st.text(min_size=1), st.binary(max_size=30))
locations = st.builds(Location, sources, st.none() | st.integers(0, 30))
related = st.builds(Related, location=locations, message=st.text())
findings = st.builds(
    Diagnostic,
    rule=st.sampled_from(RULES),
    message=st.text(),
    location=st.none() | locations,
    path=st.text(),
    hint=st.none() | st.text(),
    related=st.lists(related, max_size=3).map(tuple),
)


@settings(deadline=None)
@given(st.lists(findings, max_size=4))
def test_any_findings(some: list[Diagnostic]) -> None:
    written = json.loads(to_sarif(some))
    log(written)
    (only,) = written["runs"]
    rules = only["tool"]["driver"]["rules"]
    assert [rules[found["ruleIndex"]]["id"] for found in only["results"]] == [finding.rule.code for finding in some]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_every_rule_tells_what_to_do(rule: Rule) -> None:
    (only,) = json.loads(to_sarif([Diagnostic(rule=rule, message="here")]))["runs"]
    (described,) = only["tool"]["driver"]["rules"]
    assert described["help"]["text"] == rule.explanation
