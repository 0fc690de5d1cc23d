"""``ossature formats``: the supported file formats."""

from __future__ import annotations

from typing import cast

from ossature.cli.console import print_json
from ossature.cli.read_options import Json
from ossature.cli.terminal_tables import print_table


def formats(as_json: Json = False) -> None:
    """List the formats that are read and written."""
    from ossature.conversion import WRITTEN_FORMATS
    from ossature.formats import FORMATS, USDF

    listed = [
        {
            "name": name,
            "title": FORMATS[name].title if name in FORMATS else "MJCF, MuJoCo's format, from the compiled model",
            "suffixes": list(suffixes),
            "read": name in FORMATS,
            "written": True,
        }
        for name, suffixes in WRITTEN_FORMATS.items()
    ]
    listed.append({"name": USDF.name, "title": USDF.title, "suffixes": list(USDF.suffixes), "read": True, "written": True})
    if as_json:
        print_json(listed)
        return
    rows = [
        (
            str(entry["name"]),
            str(entry["title"]),
            " ".join(cast("list[str]", entry["suffixes"])),
            "yes" if entry["read"] else "no",
            "yes",
        )
        for entry in listed
    ]
    print_table(("format", "description", "suffixes", "read", "written"), rows)
