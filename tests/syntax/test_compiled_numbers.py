"""The compiled parsers of numbers, beside those in Python: the same bits, and the same texts that are refused."""

from __future__ import annotations

import random
import struct
from typing import Any

import pytest

from ossature.syntax import xml_values
from ossature.syntax.compiled_xml import compiled_xml_module

TEXTS = (
    *("", " ", "1", "-1", "+1", " 1 ", "-0", "0.1", ".5", "5.", "-.5e-3", "1e5", "1E+5", "1e", "e5"),
    *("1e999", "-1e999", "1e-999", "4e-324", "2.2250738585072014e-308", "9007199254740993", "1.7976931348623159e308"),
    *("inf", "-Infinity", "nan", "1_0", "_1", "0x10", "1,5", "1;2", "1.2.3", "--1", "1-2", "1d0", "1f", "True"),
    *("٣", "1\u00a0", "\u20031 2 3", "1\x0b2\x0c3", "1\x1c2\x1d3", "1\x002", "1\x7f", "é", "\ud800"),
    *("1 2", "1 2 3", "1\t2\n3\r4", "1 2 3 4 5 6", "0 0 nan", "1 2 3_0", "0.30000000000000004 1e23 -1 -1.0"),
    *(" ".join(map(str, range(count))) for count in (15, 16, 17, 40)),
    *("9" * 308, "9" * 400, "0." + "1" * 400),
)
PIECES = (*"0123456789", ".", "-", "+", "e", "E", " ", "\t", "\n", "_", "inf", "nan", "x", "\u00a0", "٣", "\0", "1.5", " -2e3 ")


@pytest.fixture(autouse=True)
def _requires_compiled_module() -> None:
    if compiled_xml_module() is None:
        pytest.skip("the compiled module is not installed")


def outcome(parse: Any, text: str) -> Any:
    """Return the bits of numbers, or that a text is refused."""
    try:
        found = parse(text)
    except ValueError:
        return ValueError
    numbers = found if isinstance(found, tuple) else (found,)
    return type(found), [(type(number), struct.pack("d", number)) for number in numbers]


def random_texts(seed: int) -> list[str]:
    chosen = random.Random(seed)
    numbers = [" ".join(repr(chosen.uniform(-1, 1) * 10.0 ** chosen.randint(-320, 308)) for _ in range(3)) for _ in range(500)]
    return numbers + ["".join(chosen.choices(PIECES, k=chosen.randint(1, 9))) for _ in range(5000)]


@pytest.mark.parametrize("texts", [TEXTS, random_texts(0), random_texts(1)], ids=["odd", "random", "others"])
def test_same_numbers_as_in_python(texts: list[str]) -> None:
    module: Any = compiled_xml_module()
    accepted = 0
    for text in texts:
        expected = outcome(xml_values.parse_finite, text)
        assert outcome(module.parse_finite, text) == expected, repr(text)
        for count in (0, 1, 2, 3, 4, 6, 16, 17, 40):
            expected = outcome(xml_values._vector_parser_in_python(count), text)
            assert outcome(lambda text, count=count: module.parse_vector(count, text), text) == expected, repr(text)
            accepted += expected is not ValueError
    assert accepted > 20


def test_values_of_elements_are_parsed_by_the_compiled_module() -> None:
    module: Any = compiled_xml_module()
    assert xml_values.NUMBER.parse is module.parse_finite
    assert xml_values.VECTOR3.parse.func is module.parse_vector  # type: ignore[attr-defined]  # a partial function


@pytest.mark.parametrize("value", [None, 1.0, b"1"])
def test_other_values_than_texts_are_errors(value: Any) -> None:
    module: Any = compiled_xml_module()
    with pytest.raises(TypeError):
        module.parse_finite(value)
    with pytest.raises(TypeError):
        module.parse_vector(1, value)
