"""``ossature explain``: the meaning of a rule."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from ossature.cli.console import fail, output_console, print_findings, print_json
from ossature.cli.read_options import Json, new_report
from ossature.cli.shell_completion import rule_names
from ossature.diagnostics import suggestion


def explain(
    rule: Annotated[str, typer.Argument(metavar="RULE", help="Name or code of the rule.", autocompletion=rule_names)],
    as_json: Json = False,
) -> None:
    """Explain a rule: what it finds, why it matters, what to do, and an example that triggers it."""
    from rich.text import Text

    from ossature.diagnostics.rule_examples import example_of
    from ossature.rule_catalogue import catalogue_with_plugins, rule_catalogue

    catalogue = rule_catalogue()
    found = catalogue.find(rule)
    if found is None:
        report = new_report()
        catalogue = catalogue_with_plugins(report)
        print_findings(report, verbose=False, quiet=True)
        found = catalogue.find(rule)
    if found is None:
        fail(f"there is no rule '{rule}': {suggestion(rule, catalogue.rules)}")
    severities = [severity.value for severity in catalogue.severities(found)]
    example = example_of(found.name)
    if as_json:
        print_json(asdict(found) | {"severities": severities, "example": None if example is None else example.text})
        return
    console = output_console()
    if rule in found.aliases:
        console.print(f"'{rule}' is now named '{found.name}'.", markup=False)
        console.print()
    console.print(f"[bold]{found.name}[/] {found.code} ({' or '.join(severities)})")
    console.print()
    console.print(found.summary, markup=False)
    console.print()
    console.print(Text(found.explanation), soft_wrap=False)
    if found.fixes:
        console.print()
        console.print(f"`ossature check --fix`: {' or '.join(found.fixes)} fix.", markup=False)
    if example is not None:
        console.print()
        console.print("Example:")
        console.print()
        console.print(Text(example.text.rstrip("\n")), soft_wrap=True)
