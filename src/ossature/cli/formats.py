"""``ossature formats``: the supported file formats."""

from __future__ import annotations

from ossature.cli.console import print_findings, print_json
from ossature.cli.read_options import Json, new_report
from ossature.cli.terminal_tables import print_table


def formats(as_json: Json = False) -> None:
    """List the formats that are read and written: their suffixes, and what their files contain."""
    from ossature.formats import REGISTRY

    report = new_report()
    listed = [
        {
            "name": known.name,
            "title": known.title,
            "content": known.content.value,
            "suffixes": list(known.suffixes),
            "dialects": list(known.dialects),
            "read": known.read is not None,
            "written": known.is_written,
        }
        for known in REGISTRY.all(report=report)
    ]
    print_findings(report, verbose=False, quiet=True)
    if as_json:
        print_json(listed)
        return
    rows = [tuple(_cell(value) for value in entry.values()) for entry in listed]
    print_table(("format", "description", "content", "suffixes", "dialects", "read", "written"), rows)


def _cell(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return " ".join(value) if isinstance(value, list) else str(value)
