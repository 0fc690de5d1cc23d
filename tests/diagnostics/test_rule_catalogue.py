"""The catalogue: unique names, codes and earlier names, and texts that are sentences."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from ossature.diagnostics import Rule, Severity
from ossature.rule_catalogue import RuleCatalogue, all_rules, rule_catalogue

RULE = Rule(name="bad-thing", code="MDL001", severity=Severity.ERROR, summary="S.", explanation="E.", aliases=("old-thing",))


@pytest.mark.parametrize(
    "other",
    [
        replace(RULE, code="MDL002", aliases=()),
        replace(RULE, name="other-thing", aliases=()),
        replace(RULE, name="other-thing", code="MDL002"),
        replace(RULE, name="old-thing", code="MDL002", aliases=()),
    ],
    ids=["name", "code", "alias", "name and alias"],
)
def test_two_rules_of_one_name_or_code_are_refused(other: Rule) -> None:
    with pytest.raises(ValueError, match="two rules"):
        RuleCatalogue([RULE, other])


def test_a_format_may_report_a_rule_with_another_severity() -> None:
    catalogue = RuleCatalogue([RULE, RULE.with_severity(Severity.NOTE)])
    assert catalogue.rules == {"bad-thing": RULE}
    assert catalogue.severities(RULE) == (Severity.ERROR, Severity.NOTE)


@pytest.mark.parametrize("text", ["bad-thing", "old-thing", "MDL001", "mdl001"])
def test_a_rule_is_found_by_name_code_and_earlier_name(text: str) -> None:
    assert RuleCatalogue([RULE]).find(text) is RULE


@pytest.mark.parametrize("rule", all_rules().values(), ids=lambda rule: rule.name)
def test_texts_of_a_rule(rule: Rule) -> None:
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", rule.name)
    assert re.fullmatch(r"[A-Z]{3,4}\d{3}", rule.code)
    assert rule.summary.endswith(".")
    assert rule.explanation.endswith(".")
    assert not set(rule.aliases) & all_rules().keys()
    assert all(rule_catalogue().find(alias) is rule for alias in rule.aliases)
