"""``ossature rules``: what can be found."""

from __future__ import annotations

from ossature.cli.console import print_json
from ossature.cli.read_options import Json
from ossature.cli.tables import print_table


def rules(as_json: Json = False) -> None:
    """List every rule with its severity and what it finds; `ossature explain RULE` says more."""
    from ossature.cli.rulebook import all_rules

    found = all_rules()
    if as_json:
        listed = [
            {"name": rule.name, "severity": rule.severity.value, "summary": rule.summary, "explanation": rule.explanation}
            for rule in found.values()
        ]
        print_json(listed)
        return
    print_table(("rule", "severity", "finds"), [(rule.name, rule.severity.value, rule.summary) for rule in found.values()])
