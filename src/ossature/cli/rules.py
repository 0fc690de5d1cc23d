"""``ossature rules``: the list of rules."""

from __future__ import annotations

from dataclasses import asdict

from ossature.cli.console import print_findings, print_json
from ossature.cli.read_options import Json, new_report
from ossature.cli.terminal_tables import print_table


def rules(as_json: Json = False) -> None:
    """List every rule with its code, severity and summary; `ossature explain RULE` explains one."""
    from ossature.rule_catalogue import catalogue_with_plugins

    report = new_report()
    found = catalogue_with_plugins(report).rules
    print_findings(report, verbose=False, quiet=True)
    if as_json:
        print_json([asdict(rule) for rule in found.values()])
        return
    rows = [(rule.code, rule.name, rule.severity.value, rule.summary) for rule in found.values()]
    print_table(("code", "rule", "severity", "summary"), rows)
