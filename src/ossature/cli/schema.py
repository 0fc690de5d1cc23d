"""``ossature schema``: every element of a format."""

from __future__ import annotations

from typing import Annotated

import typer

from ossature.cli.console import fail, output_console, print_json
from ossature.cli.read_options import Json
from ossature.cli.shell_completion import format_names


def schema(
    format: Annotated[str, typer.Argument(help="Name of the format.", show_default=False, autocompletion=format_names)],
    as_json: Json = False,
) -> None:
    """Print every element and attribute of a format, with types, units and defaults."""
    from ossature.formats import REGISTRY
    from ossature.syntax.schema_as_data import as_data

    try:
        known, _ = REGISTRY.named(format)
    except ValueError as error:
        fail(str(error))
    roots = known.schema()
    if not roots:
        fail(f"the format '{known.name}' has no schema")
    elements = [element for tag, root in roots for element in as_data(root, tag, syntax=known.syntax)]
    if as_json:
        print_json(elements)
        return
    console = output_console()
    for element in elements:
        console.print(f"[bold]{element['path']}[/]  [dim]{element['doc']}[/]")
        for field in element["fields"]:
            facts = ", ".join(str(fact) for fact in (field["type"], field["unit"], field["occurrence"]) if fact)
            default = f"; default {field['default']}" if field["default"] is not None else ""
            console.print(f"  {field['spelled']}  ({facts}{default})  {field['doc']}", markup=False)
