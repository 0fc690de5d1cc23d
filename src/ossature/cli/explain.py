"""``ossature explain``: what a finding means."""

from __future__ import annotations

from typing import Annotated

import typer

from ossature.cli.completion import rule_names
from ossature.cli.console import fail, output_console
from ossature.diagnostics import suggestion


def explain(
    rule: Annotated[str, typer.Argument(help="Name of the rule.", show_default=False, autocompletion=rule_names)],
) -> None:
    """Explain a rule: what it finds, why that matters, what to do."""
    from rich.text import Text

    from ossature.cli.rulebook import all_rules

    rules = all_rules()
    if rule not in rules:
        fail(f"there is no rule '{rule}': {suggestion(rule, rules)}")
    found = rules[rule]
    console = output_console()
    console.print(f"[bold]{found.name}[/] ({found.severity.value})")
    console.print()
    console.print(found.summary, markup=False)
    console.print()
    console.print(Text(found.explanation), soft_wrap=False)
