"""Types of values in YAML, such as the numbers of YAML 1.2, vectors and words, with their parser, formatter and findings."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from typing import Any

from ossature.diagnostics import Report
from ossature.diagnostics.location import Location
from ossature.syntax import rules
from ossature.syntax.xml_values import ValueType, shown
from ossature.syntax.yaml import NodeKind, YamlNode

_NUMBER = re.compile(r"[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?", re.ASCII)
_INTEGER = re.compile(r"[-+]?\d{1,18}|0x[0-9a-fA-F]{1,15}|0o[0-7]{1,18}", re.ASCII)
_TRUE = frozenset(("true", "yes", "on", "y"))
_FALSE = frozenset(("false", "no", "off", "n"))


def _scalar_text(node: YamlNode) -> str:
    if node.kind is not NodeKind.SCALAR:
        raise ValueError(node.kind.value)
    return node.text


def _parse_number(node: YamlNode) -> float:
    text = _scalar_text(node)
    if not _NUMBER.fullmatch(text):
        raise ValueError(text)
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(text)
    return value


def _parse_integer(node: YamlNode) -> int:
    text = _scalar_text(node)
    if not _INTEGER.fullmatch(text):
        raise ValueError(text)
    return int(text, 0) if text[:2] in ("0x", "0o") else int(text)


def _parse_boolean(node: YamlNode) -> bool:
    text = _scalar_text(node).lower()
    if text in _TRUE:
        return True
    if text in _FALSE:
        return False
    raise ValueError(text)


def _parse_string(node: YamlNode) -> str:
    if node.is_null:
        raise ValueError(node.text)
    return _scalar_text(node)


def _parse_numbers(node: YamlNode) -> tuple[float, ...]:
    if node.kind is not NodeKind.SEQUENCE:
        raise ValueError(node.kind.value)
    return tuple([_parse_number(item) for item in node.items])


def _parse_strings(node: YamlNode) -> tuple[str, ...]:
    if node.kind is not NodeKind.SEQUENCE:
        raise ValueError(node.kind.value)
    return tuple([_parse_string(item) for item in node.items])


def _report_strings(node: YamlNode, name: str, location: Location, report: Report) -> None:
    if node.kind is not NodeKind.SEQUENCE:
        report.add(rules.WRONG_TYPE, f"{name} is {_shown_value(node)}, not a list", node.location, hint="[first, second]")
        return
    wrong = next(item for item in node.items if item.kind is not NodeKind.SCALAR or item.is_null)
    _report_not_a_string(wrong, f"an entry of {name}", wrong.location, report)


def _fixed_length_parser(
    parse: Callable[[YamlNode], tuple[Any, ...]], counts: Sequence[int]
) -> Callable[[YamlNode], tuple[Any, ...]]:
    def parse_counted(node: YamlNode) -> tuple[Any, ...]:
        values = parse(node)
        if len(values) not in counts:
            raise ValueError(len(values))
        return values

    return parse_counted


def _shown_value(node: YamlNode) -> str:
    if node.is_null:
        return "empty"
    return shown(node.text) if node.kind is NodeKind.SCALAR else node.kind.value


def _report_number(node: YamlNode, name: str, location: Location, report: Report) -> None:
    if node.kind is not NodeKind.SCALAR or node.is_null:
        report.add(
            rules.WRONG_TYPE, f"{name} is {_shown_value(node)}, not a number", node.location, hint="for example 0.5 or 1e-3"
        )
        return
    report.add(
        rules.INVALID_NUMBER, f"{name} is {_shown_value(node)}, not a number", node.location, hint=_number_hint(node.text)
    )


def _number_hint(text: str) -> str:
    lowered = text.lower()
    if "," in lowered:
        return "use a decimal point"
    return "use a finite number" if "nan" in lowered or "inf" in lowered else "for example 0.5 or 1e-3"


def _report_integer(node: YamlNode, name: str, location: Location, report: Report) -> None:
    report.add(
        rules.INVALID_NUMBER, f"{name} is {_shown_value(node)}, not an integer", node.location, hint="for example 0 or 2"
    )


def _report_boolean(node: YamlNode, name: str, location: Location, report: Report) -> None:
    report.add(
        rules.INVALID_CHOICE, f"{name} is {_shown_value(node)}, neither true nor false", node.location, hint="true or false"
    )


def _report_not_a_string(node: YamlNode, name: str, location: Location, report: Report) -> None:
    report.add(rules.WRONG_TYPE, f"{name} is {_shown_value(node)}, not a string", node.location)


def _list_reporter(expected: str, counts: Sequence[int]) -> Callable[[YamlNode, str, Location, Report], None]:
    def explain(node: YamlNode, name: str, location: Location, report: Report) -> None:
        if node.kind is not NodeKind.SEQUENCE:
            report.add(rules.WRONG_TYPE, f"{name} is {_shown_value(node)}, not a list", node.location, hint=expected)
            return
        for item in node.items:
            try:
                _parse_number(item)
            except ValueError:
                _report_number(item, f"an entry of {name}", item.location, report)
                return
        report.add(rules.LIST_LENGTH_MISMATCH, f"{name} has {_count_text(len(node.items))}", node.location, hint=expected)

    return explain


def _count_text(count: int) -> str:
    return f"{count} number{'' if count == 1 else 's'}"


def _rows_reporter(expected: str, width: int | None) -> Callable[[YamlNode, str, Location, Report], None]:
    inner = _list_reporter(expected, (width,) if width else ())

    def explain(node: YamlNode, name: str, location: Location, report: Report) -> None:
        if node.kind is not NodeKind.SEQUENCE or not node.items:
            value = "empty" if node.kind is NodeKind.SEQUENCE else _shown_value(node)
            report.add(rules.WRONG_TYPE, f"{name} is {value}, not a list of lists", node.location, hint=expected)
            return
        for row in node.items:
            try:
                values = _parse_numbers(row)
            except ValueError:
                values = ()
            if not values or (width is not None and len(values) != width):
                inner(row, f"a row of {name}", row.location, report)
                return

    return explain


NUMBER: ValueType[float] = ValueType(name="number", parse=_parse_number, format=float, explain=_report_number)
"""A finite number."""

INTEGER: ValueType[int] = ValueType(name="integer", parse=_parse_integer, format=int, explain=_report_integer)
"""An integer."""

BOOLEAN: ValueType[bool] = ValueType(name="true | false", parse=_parse_boolean, format=bool, explain=_report_boolean)
"""true or false; the other booleans of YAML 1.1 are accepted, as in the programs that use it."""

STRING: ValueType[str] = ValueType(name="text", parse=_parse_string, format=str, explain=_report_not_a_string)
"""Any text."""

STRINGS: ValueType[tuple[str, ...]] = ValueType(name="[text, …]", parse=_parse_strings, format=list, explain=_report_strings)
"""Any number of texts."""

NUMBERS: ValueType[tuple[float, ...]] = ValueType(
    name="[number, …]", parse=_parse_numbers, format=list, explain=_list_reporter("a list of numbers", ())
)
"""Any number of finite numbers."""


def vector(*counts: int) -> ValueType[Any]:
    """Return the type of a list of finite numbers with one of several lengths."""
    expected = " or ".join(map(str, counts)) + " numbers: [" + ", ".join(["0"] * counts[0]) + "]"
    return ValueType(
        name=" or ".join(map(str, counts)) + " numbers",
        parse=_fixed_length_parser(_parse_numbers, counts),
        format=list,
        explain=_list_reporter(expected, counts),
    )


VECTOR3 = vector(3)


def rows(width: int | None = None) -> ValueType[Any]:
    """Return the type of a list of lists of numbers, with a fixed or any number of columns."""

    def parse(node: YamlNode) -> tuple[tuple[float, ...], ...]:
        if node.kind is not NodeKind.SEQUENCE or not node.items:
            raise ValueError(node.kind.value)
        result = tuple([_parse_numbers(item) for item in node.items])
        if any(not row or (width is not None and len(row) != width) for row in result):
            raise ValueError(width)
        return result

    name = f"[[{width} numbers], …]" if width else "[[number, …], …]"
    return ValueType(
        name=name,
        parse=parse,
        format=lambda value: [list(row) for row in value],
        explain=_rows_reporter(f"a list of lists of {width or 'one or more'} numbers", width),
    )


def word(*choices: str, aliases: dict[str, str] | None = None) -> ValueType[str]:
    """Return the type of one of several words, case-insensitive.

    Args:
        aliases: Other words that are accepted, with their meaning.
    """
    known = {choice.lower(): choice for choice in choices}
    known.update({alias.lower(): target for alias, target in (aliases or {}).items()})

    def parse(node: YamlNode) -> str:
        try:
            return known[_scalar_text(node).strip().lower()]
        except KeyError:
            raise ValueError(node.text) from None

    def explain(node: YamlNode, name: str, location: Location, report: Report) -> None:
        # Of two words, the nearest one in spelling may be the opposite: TRANSLATION is not ROTATION.
        is_near = node.kind is NodeKind.SCALAR and len(choices) > 2
        hint = report.suggestion(node.text.strip(), choices) if is_near else f"one of {', '.join(choices)}"
        report.add(rules.INVALID_CHOICE, f"{name} is {_shown_value(node)}", node.location, hint=hint)

    return ValueType(name=" | ".join(choices), parse=parse, format=str, explain=explain, words=choices)
