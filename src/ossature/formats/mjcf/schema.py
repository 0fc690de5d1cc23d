"""The elements of MJCF as declarations, made from the table ``elements.txt``; ``tools/extract_mjcf_table.py`` makes the table.

A line without indentation begins an element: its name in the table, and its tag if that differs. The lines below it are its
attributes (``name!`` if required, the kind of its value, and its default) and its children (``<name`` and ``*`` if repeated).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, partial
from pathlib import Path
from typing import Any

from ossature.diagnostics import Report
from ossature.diagnostics.location import Location
from ossature.syntax import rules
from ossature.syntax.schema import Element, FieldKind, attribute, element, spellings
from ossature.syntax.xml_values import STRING, ValueType, format_numbers, shown, word

_SOURCE = "MuJoCo"
_RESERVED = frozenset({"node", "location", "declarations", "ignored", "unread", "opaque"})
"""Attributes whose names an element has for something else."""
_KNOWN_CONTENT: dict[type[Element], tuple[frozenset[str], Mapping[str, type[Element]]]] = {}


@cache
def mujoco_element() -> type[Element]:
    """Return the declaration of the root element ``<mujoco>``."""
    return _Table(Path(__file__).with_name("elements.txt").read_text(encoding="utf-8")).declared("mujoco")


def roots() -> tuple[tuple[str, type[Element]], ...]:
    """Return name and declaration of the root element."""
    return (("mujoco", mujoco_element()),)


def known_content(declared: type[Element]) -> tuple[frozenset[str], Mapping[str, type[Element]]]:
    """Return the names of the attributes of an element, and the declarations of its children by tag."""
    if declared not in _KNOWN_CONTENT:
        specs = spellings(declared).values()
        names = frozenset({spec.name for spec in specs if spec.name is not None and spec.kind is FieldKind.ATTRIBUTE})
        _KNOWN_CONTENT[declared] = names, {tag: target for spec in specs for tag, target in spec.elements.items()}
    return _KNOWN_CONTENT[declared]


class _Table:
    """The table, whose classes are made when they are used."""

    def __init__(self, text: str) -> None:
        self._tags: dict[str, str] = {}
        self._lines: dict[str, list[str]] = {}
        self._classes: dict[str, type[Element]] = {}
        name = ""
        for line in text.splitlines():
            if not line.startswith(" "):
                name, _, tag = line.partition(" ")
                self._tags[name], self._lines[name] = tag.strip("<>") or name, []
            else:
                self._lines[name].append(line.strip())

    def declared(self, name: str) -> type[Element]:
        if name not in self._classes:
            self._classes[name] = self._make_class(name)
        return self._classes[name]

    def _make_class(self, name: str) -> type[Element]:
        fields: dict[str, Any] = {"__doc__": f"The element `<{self._tags[name]}>`.", "__module__": __name__}
        for line in self._lines[name]:
            first, _, rest = line.partition(" ")
            if first.startswith("<"):
                tag = self._tags[first[1:]]
                target = partial(self.declared, first[1:])
                fields[f"child_{tag}"] = element(target, name=tag, source=_SOURCE, doc="", repeated=rest == "*")
                continue
            kind, _, default = rest.partition(" = ")
            spelled = first.rstrip("!")
            fields[f"{spelled}_" if spelled in _RESERVED else spelled] = attribute(
                _value_type(kind),
                name=spelled,
                source=_SOURCE,
                required=first.endswith("!"),
                doc=f"{default} if absent." if default else "",
            )
        title = "".join([part.capitalize() for part in name.split("_")])
        return type(f"Mjcf{title}Element", (Element,), fields)


def _value_type(text: str) -> ValueType[Any]:
    kind, _, rest = text.partition(" ")
    if kind == "word":
        return word(*rest.split("|"))
    if kind == "words":
        return _words(tuple(rest.split("|")))
    if kind == "numbers":
        smallest, largest = rest.split()
        return _numbers(int(smallest), None if largest == "*" else int(largest))
    return STRING


def _numbers(smallest: int, largest: int | None) -> ValueType[Any]:
    """Return the type of a list of numbers, which can be infinite."""
    counts = "any number of" if largest is None else str(largest) if smallest == largest else f"{smallest} to {largest}"

    def parse(text: str) -> tuple[float, ...]:
        values = tuple(map(float, text.split()))
        if "_" in text or len(values) < smallest or (largest is not None and len(values) > largest):
            raise ValueError(text)
        return values

    def explain(text: str, name: str, location: Location, report: Report) -> None:
        for part in text.split():
            try:
                _parse_number(part)
            except ValueError:
                report.add(rules.INVALID_NUMBER, f"{name} has {shown(part)}, which is not a number", location)
                return
        message = f"{name} has {len(text.split())} numbers"
        report.add(rules.LIST_LENGTH_MISMATCH, message, location, hint=f"{counts} numbers, separated by blanks")

    name = "number" if (smallest, largest) == (1, 1) else f"{counts} numbers"
    return ValueType(name=name, parse=parse, format=format_numbers, explain=explain)


def _parse_number(text: str) -> float:
    if "_" in text:
        raise ValueError(text)
    return float(text)


def _words(choices: tuple[str, ...]) -> ValueType[Any]:
    single = word(*choices)

    def parse(text: str) -> tuple[str, ...]:
        return tuple([single.parse(part) for part in text.split()])

    def explain(text: str, name: str, location: Location, report: Report) -> None:
        for part in text.split():
            try:
                single.parse(part)
            except ValueError:
                single.explain(part, name, location, report)

    return ValueType(name=f"list of {single.name}", parse=parse, format=" ".join, explain=explain, words=choices)
