"""Writes the generated pages: the formats, their coverage, and the rules. Run it with ``make docs``."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from ossature.formats import FORMATS, USDF
from ossature.formats.calibration.schema import CalibrationFile
from ossature.rule_catalogue import rule_catalogue
from ossature.syntax.schema import Element
from ossature.syntax.schema_export import as_data

DOCS = Path(__file__).resolve().parent
sys.path[:0] = [str(DOCS), str(DOCS.parent / "tests")]

from sensors_page import sensors_page  # noqa: E402

import collada_coverage  # noqa: E402  # the measurements are the tests' own
from chrono import coverage as chrono_coverage  # noqa: E402
from skel import coverage  # noqa: E402

_NOTICE = "<!-- Written by `make docs` from the code; edit that instead. -->\n"


_RULES = (
    "# Rules\n",
    "A finding names its rule. `ossature explain RULE` prints a rule and an example that triggers it; RULE is a name, a code "
    "or an earlier name. JSON and SARIF output contain the code and the name.\n",
    "A code consists of letters for the area and a number. Codes never change and are never used again. Names can change, and "
    "earlier names continue to work. The areas are FILE (files, archives, limits), XML, YAML, DOC (content of any syntax), MDL "
    "(the model), URDF, SKEL, CHR (Chrono), DAE (COLLADA), USDF, CAL (calibration), REC (recordings), SEN (sensors) and SIM "
    "(simulation).\n",
    "Some rules have two severities. A reader that corrects a value reports a warning, and a check of a World an error.\n",
)

_INTRODUCTIONS = {
    "skel": (
        "# SKEL, element by element\n",
        "What each element and attribute means, as Ossature reads it. *Source* tells who knows it: the older document, the",
        "newer one, or DART itself and its sample files. A default that is announced is a finding when it is taken.\n",
    ),
    "chrono": (
        "# Chrono YAML, key by key\n",
        "What each key means, as Ossature reads it. *Source* tells who knows it: the published *document* with its schema,",
        "*newer* schemas, *Chrono* the program and its sample models, or *Ossature* alone. Words are read in any case.",
        "Everything is given in the global frame at time zero. A default that is announced is a finding when it is taken.\n",
    ),
    "collada": (
        "# COLLADA with OpenRAVE's extensions, element by element\n",
        "What each element and attribute means, as Ossature reads it. *Source* tells who knows it: the *COLLADA* 1.5",
        "specification, the published *page* of OpenRAVE's robot extensions, or the *program* alone. Lengths are in the unit",
        "of the nearest `<asset>`, angles in degrees. After `COLLADA` follow the extensions: each is what stands in the",
        '`<technique profile="OpenRAVE">` of an `<extra>` of that type. An element that stands at several places is described',
        "once, where it stands first. Sensors and actuators keep what is inside them in the document's words.\n",
    ),
    "urdf": (
        "# URDF, element by element\n",
        "What each element and attribute means, as Ossature reads it. *Source* tells who knows it: the published specification",
        "(*URDF*), what ROS's parser reads besides (*urdfdom*), or other programs of *ROS*. Any other element of a robot, a",
        "link, a joint or a shape is kept as it stands, and written again.\n",
        "Rotations `rpy` turn about the fixed axes x, y and z, one after the other. A root link called `world` that holds",
        "nothing is the world; any other root link is free to move. The two slides of a planar joint, which URDF leaves open,",
        "are along the next two axes in turn where the normal is x, y or z, and otherwise along x and y, turned with z onto",
        "the normal.",
        "A limit of 1.7976931348623157e+308, the largest double, stands for none where URDF requires one.\n",
    ),
    "usdf": (
        "# USDF, element by element\n",
        "What each element and attribute means, as Ossature reads it; [States and recordings](states.md) says more. *Source*",
        "tells who knows it: the published *draft*, or *Ossature* alone, in an extension that other readers skip.\n",
    ),
}


_CALIBRATION = (
    "# Calibration, key by key\n",
    "No two robots of a kind are alike: a link stands a millimetre elsewhere, an encoder has its zero elsewhere, a lens has a",
    "focal length of its own. A calibration says how one robot differs from its model file, which stays as it is.\n",
    "    ossature-calibration: 1",
    "    links:",
    "      - {link: arm/hand, position: [0.501, 0.0, 0.002]}",
    "    joints:",
    "      - {joint: arm/elbow, offset: 0.0131}",
    "    sensors:",
    "      - {sensor: arm/eye, intrinsic: [[801.2, 0, 319.0], [0, 800.7, 241.3]]}\n",
    "`--calibration FILE` takes it into account, and so does `ossature.load(path, calibration=FILE)`.",
    "`ossature calibration diff A B` writes the calibration between two models, `ossature calibration apply` a model file with",
    "these numbers in place of its own. A COLLADA document may name its calibration itself, in an extension of ours",
    "(`<instance_calibration url>`).\n",
)


def pages() -> dict[Path, str]:
    """Return every generated page with its text."""
    return {
        **quick_pages(),
        DOCS / "coverage.md": coverage_page(
            lambda row: skel_line(row, coverage.measure(row)),
            lambda row: chrono_line(row, chrono_coverage.measure(row)),
            lambda row: collada_line(row, collada_coverage.measure(row)),
        ),
    }


def quick_pages() -> dict[Path, str]:
    """Return the pages that need no measurement."""
    formats = {DOCS / f"{name}.md": format_page(name) for name in _INTRODUCTIONS}
    calibration = _page(_CALIBRATION, [("calibration", CalibrationFile)], "yaml")
    return {
        **formats,
        DOCS / "calibration.md": calibration,
        DOCS / "rules.md": rules_page(),
        DOCS / "sensors.md": sensors_page(_NOTICE),
    }


def format_page(name: str) -> str:
    """Return the page of a format."""
    known = USDF if name == USDF.name else FORMATS[name]
    return _page(_INTRODUCTIONS[name], known.declarations, known.syntax)


def _page(introduction: Iterable[str], declarations: Iterable[tuple[str, type[Element]]], syntax: str) -> str:
    lines = [_NOTICE, *introduction]
    for tag, root in declarations:
        for element in as_data(root, tag, syntax=syntax):
            lines += _element_lines(element)
    return "\n".join(lines)


def _element_lines(element: dict[str, Any]) -> list[str]:
    lines = [f"## `{element['path']}`\n", f"{element['doc']}\n"]
    if element["fields"]:
        lines += ["| spelled | type | unit | | default | source | meaning |", "|---|---|---|---|---|---|---|"]
    for field in element["fields"]:
        aliases = "".join(f" Also read: `{alias}`, {why}." for alias, why in field["aliases"].items())
        cells = [
            f"`{field['spelled']}`",
            field["type"],
            field["unit"] or "",
            field["occurrence"],
            field["default"] or "",
            field["source"],
            field["doc"] + aliases,
        ]
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return [*lines, ""]


def rules_page() -> str:
    """Return the page of all rules; each has two anchors, its name and its code."""
    catalogue = rule_catalogue()
    lines = [_NOTICE, *_RULES]
    for rule in catalogue.rules.values():
        severities = " or ".join(severity.value for severity in catalogue.severities(rule))
        lines += [f'<a id="{rule.code.lower()}"></a>\n', f"## {rule.name}\n"]
        lines += [f"`{rule.code}`, *{severities}*. {rule.summary}\n", f"{rule.explanation}\n"]
        if rule.aliases:
            lines.append(f"Earlier names: {', '.join(f'`{alias}`' for alias in rule.aliases)}.\n")
    return "\n".join(lines)


def coverage_page(
    skel: Callable[[coverage.Row], str],
    chrono: Callable[[chrono_coverage.Row], str],
    collada: Callable[[collada_coverage.Row], str],
) -> str:
    """Return the page that tells, for every element and attribute, what changing it does.

    Args:
        skel: What makes the line of a row of SKEL; likewise of the other formats.
    """
    # Skeletons without a world are the same declarations as under world.
    skel_rows = [row for row in coverage.rows() if not row.path.startswith("skel/skeleton/")]
    lines = [
        _NOTICE,
        *_SKEL_COVERAGE,
        *map(skel, skel_rows),
        "",
        *_CHRONO_COVERAGE,
        *map(chrono, chrono_coverage.rows()),
        "",
        *_COLLADA_COVERAGE,
        *map(collada, collada_coverage.rows()),
        *_carried_lines(),
        "",
    ]
    return "\n".join(lines)


_SKEL_COVERAGE = (
    "# Coverage of SKEL, measured\n",
    "Each row was changed in a small file of our own (`tests/skel/files`), and what followed was looked at: whether the",
    "World changed, whether the change survived writing and reading again (or the ledger told of it), and whether the",
    "compiled simulation or its first steps changed. `tests/skel/test_coverage.py` repeats it. A row that no file has",
    "is one that the format's declarations allow at a place where it means nothing, or the same declaration elsewhere.\n",
    "| element or attribute | field | test file | read | written | simulated |",
    "|---|---|---|---|---|---|",
)
_CHRONO_COVERAGE = (
    "# Coverage of Chrono YAML, measured\n",
    "Each key was changed in a file of our own (`tests/chrono/files`): whether the World changed, whether the change was",
    "written and read again (or the ledger told of it), and whether the simulation or its first steps changed.",
    "`tests/chrono/test_coverage.py` repeats it.\n",
    "| key | meaning | read | written | simulated |",
    "|---|---|---|---|---|",
)
_COLLADA_COVERAGE = (
    "# Coverage of COLLADA and its extensions, measured\n",
    "Each element, attribute and text was changed in a file of our own (`tests/collada/files`): whether the World changed",
    "or a finding told, whether the change was written and read again (or the ledger told of it), and whether anything",
    "stood, looked or moved differently. What is declared once and stands at several places has one row, under the first.",
    "`tests/collada/test_coverage.py` repeats it.\n",
    "| element or attribute | meaning | test file | read | written | acts |",
    "|---|---|---|---|---|---|",
)


def skel_line(row: coverage.Row, result: coverage.Result | None) -> str:
    """Return the line of an element or attribute of SKEL, measured."""
    return f"| `{row.path}` | {row.spelling.doc} | " + " | ".join(_skel_cells(row, result)) + " |"


def _skel_cells(row: coverage.Row, result: coverage.Result | None) -> list[str]:
    if result is None:
        return ["–", "as elsewhere", "as elsewhere", "as elsewhere"]
    if result.read != "World":
        return [result.file, {"finding": "finding", "nothing": "no effect here"}[result.read], "–", "–"]
    written = "yes" if result.written else "no"
    return [result.file, "yes", written, "yes" if result.simulated else coverage.why_not_simulated(row) or "–"]


def chrono_line(row: chrono_coverage.Row, result: chrono_coverage.Result | None) -> str:
    """Return the line of a key of Chrono YAML, measured."""
    meaning = row.spelling.doc.replace("|", "\\|")
    return f"| `{row}` | {meaning} | " + " | ".join(_chrono_cells(row, result)) + " |"


def _chrono_cells(row: chrono_coverage.Row, result: chrono_coverage.Result | None) -> list[str]:
    if result is None:
        return ["as elsewhere"] * 3
    if not result.read:
        return [chrono_coverage.reason(row) or "no effect here", "–", "–"]
    return ["yes", "yes" if result.written else "no", "yes" if result.simulated else "–"]


def collada_line(row: collada_coverage.Row, result: collada_coverage.Result | None) -> str:
    """Return the line of an element, attribute or text of COLLADA, measured."""
    return f"| `{row.path}` | {row.spelling.doc} | " + " | ".join(_collada_cells(row, result)) + " |"


def _collada_cells(row: collada_coverage.Row, result: collada_coverage.Result | None) -> list[str]:
    assert result is not None, f"{row.key} is in no file"  # noqa: S101
    if result.read != "World":
        read = "finding" if result.read == "finding" else collada_coverage.why_without_effect(row) or "no"
        return [result.file, read, "–", "–"]
    written = {True: "yes", False: "no", None: "–"}[result.written]
    return [result.file, "yes", written, "yes" if result.acts else collada_coverage.why_not_acting(row) or "–"]


def _carried_lines() -> Iterator[str]:
    for kind, names in collada_coverage.SUPPORTED_FIELDS.items():
        tag, type_ = kind.split()
        path = f"library_{tag}s/{tag}/"
        yield from (f"| `{path}{name}` | Of a {type_}. | – | carried as it stands | – | – |" for name in names.split())


def main() -> None:
    """Write the pages."""
    for path, text in pages().items():
        path.write_text(text, encoding="utf-8", newline="\n")
        print(path)


if __name__ == "__main__":
    main()
