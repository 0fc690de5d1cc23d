"""Extract the table of elements and attributes of MJCF from a grammar of MuJoCo: ``extract_mjcf_table.py GRAMMAR > TABLE``.

The table contains facts alone: names, kinds of values, numbers of values, defaults. ``ossature.formats.mjcf.schema`` reads it.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

_BLOCK = re.compile(r"^(enum|group|element)\s+(\w+)\s*(?::\s*\w+)?\s*(?:variant)?\s*(?:\(([^)]*)\))?\s*\{")
_ATTRIBUTE = re.compile(r"^(\w+)\s*:\s*([^=(]+?)\s*(?:=\s*(\{[^}]*\}|[^\s(]+))?\s*(?:\((.*)\))?$")
_TYPE = re.compile(r"^(\w+)(?:<(\w+)>)?(?:\[(.*)\])?$")
_CUSTOM_KINDS = {
    ("general", "input"): "words none|pos|vel|ff|voltage|pressure|expmap|quat",
    ("dcmotor", "input"): "words none|pos|vel|ff|voltage",
    ("option", "integrator"): "word Euler|RK4|implicit|implicitfast|discrete",
}
"""Kinds of attributes of which MuJoCo reads more than its grammar states."""
_COUNTS = {"*": "*", "R": "*", "?": "?", "!": "?"}


def blocks(text: str) -> Iterator[tuple[str, str, str, list[str]]]:
    """Yield kind, name, facets and lines of each block."""
    current: tuple[str, str, str, list[str]] | None = None
    for raw in text.splitlines():
        line = re.sub(r"(^|\s)#.*$", "", raw).strip()
        match = _BLOCK.match(line) if current is None else None
        if match is not None:
            current = (match[1], match[2], match[3] or "", [])
        elif current is not None and line == "}":
            yield current
            current = None
        elif current is not None and line:
            current[3].append(line)


def table(text: str) -> Iterator[str]:
    """Yield the lines of the table."""
    enums: dict[str, list[str]] = {}
    groups: dict[str, list[str]] = {}
    tags: dict[str, str] = {}
    found = list(blocks(text))
    for kind, name, facets, _ in found:
        if kind == "element":
            specified = dict(part.strip().partition("=")[::2] for part in facets.split(",") if "=" in part)
            tags[name] = specified.get("xml", name)
    for kind, name, _, lines in found:
        if kind == "enum":
            enums[name] = [line.partition("=")[0].strip().strip('"') for line in lines]
            continue
        content = list(_content(name, lines, enums, groups))
        if kind == "group":
            groups[name] = content
        else:
            yield name if tags[name] == name else f"{name} <{tags[name]}>"
            yield from content


def _content(name: str, lines: list[str], enums: dict[str, list[str]], groups: dict[str, list[str]]) -> Iterator[str]:
    for line in lines:
        first, _, rest = line.partition(" ")
        match = _ATTRIBUTE.match(line)
        if first == "use":
            yield from groups[rest.strip()]
        elif first == "child":
            child, count = rest.split()
            yield f"  <{'worldbody' if (name, child) == ('mujoco', 'body') else child} {_COUNTS[count]}"
        elif match is not None:
            required = "!" if "required" in (match[4] or "") else ""
            default = f" = {match[3].strip('{}').replace(',', '')}" if match[3] else ""
            kind = _CUSTOM_KINDS.get((name, match[1])) or _kind(match[2], enums)
            yield f"  {match[1]}{required} {kind}{default}"


def _kind(text: str, enums: dict[str, list[str]]) -> str:
    match = _TYPE.match(text)
    assert match is not None, text  # noqa: S101  # the grammar is not from users
    kind, argument, count = match.groups()
    if kind in ("enum", "flags"):
        return f"{'word' if kind == 'enum' else 'words'} {'|'.join(enums[argument])}"
    if kind == "bool":
        return "word true|false"
    if kind not in ("double", "float", "int"):
        return "text"
    lower, _, upper = (count or "").rpartition("..")
    largest = "1" if count is None else upper if upper.isdecimal() else "*"
    smallest = "1" if count is None else lower or (largest if largest != "*" else "0")
    return f"numbers {smallest} {largest}"


if __name__ == "__main__":
    sys.stdout.writelines(f"{line}\n" for line in table(Path(sys.argv[1]).read_text(encoding="utf-8")))
