"""``ossature rules``: what can be found."""

from __future__ import annotations

import json

import typer

from ossature.cli.common import Json, output_console


def rules(as_json: Json = False) -> None:
    """List every rule with its severity and what it finds; `ossature explain RULE` says more."""
    from ossature.cli.rulebook import all_rules

    found = all_rules()
    if as_json:
        listed = [
            {"name": rule.name, "severity": rule.severity.value, "summary": rule.summary, "explanation": rule.explanation}
            for rule in found.values()
        ]
        typer.echo(json.dumps(listed, indent=1, ensure_ascii=False))
        return
    from rich.table import Table

    table = Table("rule", "severity", "finds", box=None, pad_edge=False)
    for rule in found.values():
        table.add_row(rule.name, rule.severity.value, rule.summary)
    output_console().print(table)
