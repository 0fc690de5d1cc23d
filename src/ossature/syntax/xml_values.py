"""Types of values in XML text, such as numbers, vectors and words, with their parser, formatter and findings."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, TypeVar, cast

from ossature.diagnostics import Report
from ossature.diagnostics.location import Location
from ossature.syntax import rules
from ossature.syntax.compiled_xml import compiled_xml_module

T = TypeVar("T")

_SHOWN_LENGTH = 40
_BLANK = " \t\r\n"
_BLANKS = re.compile(f"[{_BLANK}]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueType(Generic[T]):
    """The text representation of a type of values.

    Attributes:
        name: Its name in the documentation.
        parse: Converts text (a node, for YAML) to a value; raises ``ValueError`` if it is invalid.
        format: Converts a value to text (plain data, for YAML) that ``parse`` converts back bit-exact.
        explain: Reports why a text is invalid. Separate from ``parse``, to have no cost for valid text.
        words: The valid words of an enumeration.
    """

    name: str
    parse: Callable[[Any], T]
    format: Callable[[T], Any]
    explain: Callable[[Any, str, Location, Report], None]
    words: tuple[str, ...] = ()


def shown(text: str) -> str:
    """Return text from a file for a message: on one line, quoted, and truncated."""
    line = " ".join(text[: 4 * _SHOWN_LENGTH].split())
    return f"'{line[:_SHOWN_LENGTH]}…'" if len(line) > _SHOWN_LENGTH else f"'{line}'"


def format_number(value: float) -> str:
    """Return the shortest text that is read back bit-exact."""
    return repr(float(value)).removesuffix(".0")


def has_plain_characters(text: str) -> bool:
    """Whether a text has none of what Python allows in numbers and between them, but file formats do not."""
    return "_" not in text and text.isascii()  # also digits of other scripts, and no-break spaces


def _parse_number(text: str) -> float:
    value = float(text)
    if value != value or not has_plain_characters(text):
        raise ValueError(text)
    return value


def parse_finite(text: str) -> float:
    """Return the finite number of a text, of ASCII characters without underscores."""
    value = float(text)
    if value - value != 0.0 or not has_plain_characters(text):
        raise ValueError(text)
    return value


def _parse_integer(text: str) -> int:
    if not has_plain_characters(text) or len(text) > 20:
        raise ValueError(text)
    return int(text)


def _number_parser() -> Callable[[str], float]:
    """Return the compiled function that does what :func:`parse_finite` does, or that one."""
    module = compiled_xml_module()
    return parse_finite if module is None else cast("Callable[[str], float]", module.parse_finite)


def _vector_parser(count: int) -> Callable[[str], tuple[float, ...]]:
    """Return a function that parses a number of finite numbers, by the compiled module if it is installed."""
    module = compiled_xml_module()
    return _vector_parser_in_python(count) if module is None else partial(module.parse_vector, count)


def _vector_parser_in_python(count: int) -> Callable[[str], tuple[float, ...]]:
    def parse(text: str) -> tuple[float, ...]:
        values = tuple(map(float, text.split()))
        if len(values) != count or not has_plain_characters(text) or not all(map(math.isfinite, values)):
            raise ValueError(text)
        return values

    return parse


def _parse_numbers(text: str) -> tuple[float, ...]:
    values = tuple(map(float, text.split()))
    if not has_plain_characters(text) or not all(map(math.isfinite, values)):
        raise ValueError(text)
    return values


def format_numbers(values: Iterable[float]) -> str:
    """Return numbers as text, separated by blanks."""
    return " ".join(map(format_number, values))


def _report_number(text: str, name: str, location: Location, report: Report) -> None:
    report.add(rules.INVALID_NUMBER, f"{name} is {shown(text)}, not a number", location, hint=_number_hint(text))


def _number_hint(text: str) -> str:
    lowered = text.strip().lower()
    if not text.isascii():
        return "use the digits 0 to 9, and ordinary blanks between numbers"
    if lowered.startswith(("0x", "-0x", "+0x")):
        return "hexadecimal numbers are not supported; use a decimal number"
    if "nan" in lowered or "inf" in lowered:
        return "use a finite number"
    return "use a decimal point, and blanks between numbers" if "," in lowered else "for example 0.5 or 1e-3"


def _vector_reporter(count: int | None) -> Callable[[str, str, Location, Report], None]:
    def explain(text: str, name: str, location: Location, report: Report) -> None:
        words = text.split() if text.isascii() else _BLANKS.split(text.strip(_BLANK))
        for word in words:
            try:
                parse_finite(word)
            except ValueError:
                _report_number(word, f"a number of {name}", location, report)
                return
        report.add(
            rules.LIST_LENGTH_MISMATCH,
            f"{name} has {len(words)} numbers" if words else f"{name} is empty",
            location,
            hint=f"{count} numbers, separated by blanks" if count else "one or more numbers",
        )

    return explain


def _report_integer(text: str, name: str, location: Location, report: Report) -> None:
    report.add(rules.INVALID_NUMBER, f"{name} is {shown(text)}, not an integer", location, hint="for example 0 or 2")


def _report_not_a_string(text: str, name: str, location: Location, report: Report) -> None:
    raise AssertionError(f"every text is a valid string: {name}")


_BOOLEANS = {"1": True, "true": True, "0": False, "false": False}


def _parse_boolean(text: str) -> bool:
    try:
        return _BOOLEANS[text.strip().lower()]
    except KeyError:
        raise ValueError(text) from None


def _report_boolean(text: str, name: str, location: Location, report: Report) -> None:
    report.add(rules.INVALID_CHOICE, f"{name} is {shown(text)}, neither true nor false", location, hint="true, false, 1 or 0")


NUMBER: ValueType[float] = ValueType(name="number", parse=_number_parser(), format=format_number, explain=_report_number)
"""A finite number."""

BOUND: ValueType[float] = ValueType(
    name="number, inf or -inf", parse=_parse_number, format=format_number, explain=_report_number
)
"""A number that can be infinite, for limits."""

INTEGER: ValueType[int] = ValueType(name="integer", parse=_parse_integer, format=str, explain=_report_integer)
"""An integer."""

BOOLEAN: ValueType[bool] = ValueType(
    name="boolean",
    parse=_parse_boolean,
    format=lambda value: "1" if value else "0",
    explain=_report_boolean,
)
"""true, false, 1 or 0, case-insensitive."""

STRING: ValueType[str] = ValueType(name="text", parse=str.strip, format=str, explain=_report_not_a_string)
"""Any text; surrounding whitespace is removed."""

NUMBERS: ValueType[tuple[float, ...]] = ValueType(
    name="numbers", parse=_parse_numbers, format=format_numbers, explain=_vector_reporter(None)
)
"""Any number of finite numbers, separated by blanks."""


def vector(count: int) -> ValueType[Any]:
    """Return the type of a fixed number of finite numbers, separated by blanks."""
    return ValueType(
        name=f"{count} numbers", parse=_vector_parser(count), format=format_numbers, explain=_vector_reporter(count)
    )


VECTOR3 = vector(3)


def word(*choices: str) -> ValueType[str]:
    """Return the type of one of several words, case-insensitive."""
    known = {choice.lower(): choice for choice in choices}

    def parse(text: str) -> str:
        try:
            return known[text.strip().lower()]
        except KeyError:
            raise ValueError(text) from None

    def explain(text: str, name: str, location: Location, report: Report) -> None:
        report.add(rules.INVALID_CHOICE, f"{name} is {shown(text)}", location, hint=report.suggestion(text.strip(), choices))

    return ValueType(name=" | ".join(choices), parse=parse, format=str, explain=explain, words=choices)
