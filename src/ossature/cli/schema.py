"""``ossature schema``: every element of a format."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from ossature.cli.console import fail, fail_on, output_console, print_json
from ossature.cli.read_options import Json
from ossature.cli.shell_completion import format_names

if TYPE_CHECKING:
    from ossature.formats import Format


def schema(
    format: Annotated[str, typer.Argument(metavar="FORMAT", help="Name of the format.", autocompletion=format_names)],
    as_json: Json = False,
    json_schema: Annotated[
        bool, typer.Option("--json-schema", help="Print a JSON Schema of a YAML format, for editors and validators.")
    ] = False,
    relax_ng: Annotated[
        bool, typer.Option("--relax-ng", help="Print a RELAX NG schema of an XML format, for editors and validators.")
    ] = False,
) -> None:
    """Print every element and attribute of a format: its type, unit and default."""
    from ossature.formats import REGISTRY
    from ossature.syntax.schema_as_data import as_data

    with fail_on(ValueError):
        known, _ = REGISTRY.named(format, lambda each: bool(each.schema()))
    roots = known.schema()
    if not roots:
        fail(f"the format '{known.name}' has no schema")
    if json_schema or relax_ng:
        _print_for_editors(known, json_schema, relax_ng)
        return
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


def _print_for_editors(known: Format, as_json_schema: bool, as_relax_ng: bool) -> None:
    """Print the schema of a format in the language that its option states; end the command if it is for another syntax."""
    if as_json_schema and as_relax_ng:
        fail("--json-schema and --relax-ng contradict each other")
    if as_json_schema:
        from ossature.syntax.json_schema import json_schema

        if known.syntax != "yaml":
            fail(f"{known.name} is XML: use --relax-ng")
        print_json(json_schema(known.title, known.schema()))
        return
    from ossature.syntax.relax_ng import relax_ng

    if known.syntax != "xml":
        fail(f"{known.name} is YAML: use --json-schema")
    tag, root = known.schema()[0]
    typer.echo(relax_ng(root, tag), nl=False)
