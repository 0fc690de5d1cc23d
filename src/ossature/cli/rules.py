"""``ossature rules``: the list of rules."""

from __future__ import annotations

from dataclasses import asdict

from ossature.cli.console import print_json
from ossature.cli.read_options import Json
from ossature.cli.terminal_tables import print_table


def rules(as_json: Json = False) -> None:
    """List every rule with its code, severity and summary; `ossature explain RULE` explains one."""
    from ossature.rule_catalogue import all_rules

    found = all_rules()
    if as_json:
        print_json([asdict(rule) for rule in found.values()])
        return
    rows = [(rule.code, rule.name, rule.severity.value, rule.summary) for rule in found.values()]
    print_table(("code", "rule", "severity", "summary"), rows)
