"""Long lists of numbers: values equal those of Python bit-exact, and invalid words are named."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ossature.compiled_modules import compiled_module
from ossature.syntax import number_arrays
from ossature.syntax.number_arrays import floats, integers, rows_of, text_of

NOTATIONS = [repr, "{:.17e}".format, "{:.6g}".format, "{:+.3f}".format, "{:.0f}".format, "{:f}.".format, "0{:.4f}".format]
BLANKS = st.text(" \t\r\n", min_size=1, max_size=3)
FINITE = st.floats(allow_nan=False, allow_infinity=False)
WRITTEN_FLOATS = st.lists(st.builds(lambda value, notation: notation(value), FINITE, st.sampled_from(NOTATIONS)))
WORDS = st.one_of(
    st.sampled_from(
        ["true", "null", "[1]", '"1"', "1,2", "1_0", "nan", "INF", "-inf", "1e999", "--1", "1-2", "0x10", ".", "e5", "+", "-"]
    ),
    st.text(st.characters(codec="ascii", categories=["L", "N", "P", "S"]), min_size=1, max_size=4),
)


@pytest.fixture(params=["in C", "in Python"], scope="module", autouse=True)
def _reader(request: pytest.FixtureRequest) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "in Python":
            patch.setattr(number_arrays, "compiled_module", lambda *_: None)
        elif compiled_module("ossature.syntax._number_arrays", number_arrays._SOURCE) is None:
            pytest.skip("the compiled module is not installed")
        yield


def is_finite(word: str) -> bool:
    try:
        return "_" not in word and math.isfinite(float(word))
    except ValueError:
        return False


@given(WRITTEN_FLOATS, BLANKS)
@example(["-0", "1", "-0.0", "-00", "0"], " ")
def test_floats_equal_those_of_python(words: list[str], blank: str) -> None:
    words = [word for word in words if is_finite(word)]
    read = floats((blank + blank.join(words) + blank).encode())
    assert read.tobytes() == np.array([float(word) for word in words], float).tobytes()


@given(WRITTEN_FLOATS, WORDS, st.integers(0, 10))
def test_invalid_number_is_named(words: list[str], word: str, position: int) -> None:
    words = [other for other in words if is_finite(other)]
    words.insert(position, word)
    text = " ".join(words).encode()
    if is_finite(word):
        assert floats(text).tolist() == [float(other) for other in words]
        return
    with pytest.raises(ValueError, match="is not a number") as caught:
        floats(text)
    assert f"'{word}'" in str(caught.value)


@given(st.lists(st.integers(-(2**63), 2**63 - 1)), st.sampled_from(["{}", "{:+}", "0{:d}", "{:05}"]), BLANKS)
def test_integers_equal_those_of_python(values: list[int], notation: str, blank: str) -> None:
    values = [value for value in values if value >= 0 or notation != "0{:d}"]
    assert integers(blank.join(notation.format(value) for value in values).encode()).tolist() == values


@pytest.mark.parametrize(
    "word",
    ["1.0", "1e3", "x", "true", "[1]", "1_0", str(2**63), str(-(2**63) - 1), str(2**64), "1" * 30, "--1", "1-", "-", ""],
)
def test_invalid_integer_is_named(word: str) -> None:
    if not word:
        assert integers(b" ").tolist() == []
        return
    with pytest.raises(ValueError, match="is not a number") as caught:
        integers(f"1 -2 {word} 3".encode())
    assert f"'{word}'" in str(caught.value)


def test_long_text_in_several_chunks() -> None:
    values = np.random.default_rng(1).normal(size=20_000)
    assert np.array_equal(floats("\n".join(map(repr, values.tolist())).encode()), values)
    assert np.array_equal(integers(b"  ".join(b"%d" % i for i in range(20_000))), np.arange(20_000))


@given(st.lists(st.tuples(FINITE, FINITE)))
def test_float_round_trip_is_bit_exact(rows: list[tuple[float, float]]) -> None:
    table = np.array(rows, float).reshape(-1, 2)
    assert floats(text_of(table).encode()).tobytes() == table.tobytes()
    assert [[float(word) for word in row.split(" ")] for row in rows_of(table)] == table.tolist()


@given(st.lists(st.integers(-(2**63), 2**63 - 1)))
def test_integer_round_trip(numbers: list[int]) -> None:
    assert integers(text_of(np.array(numbers, np.int64)).encode()).tolist() == numbers


def test_narrow_floats_are_written_with_their_exact_value() -> None:
    narrow = np.array([0.1], np.float32)
    assert float(text_of(narrow)) == float(narrow[0])


def test_numbers_of_all_lengths_and_exponents_equal_those_of_python() -> None:
    random = np.random.default_rng(0)
    words = [str(2**53 + offset) for offset in range(-3, 4)] + [
        "9007199254740993e22",
        "1e22",
        "1e23",
        "1e-22",
        "1e-23",
        "-1e-400",
    ]
    for _ in range(20_000):
        digits = "".join(map(str, random.integers(0, 10, random.integers(1, 22))))
        point = random.integers(0, len(digits) + 1)
        sign, exponent = random.choice(["", "-", "+"]), random.choice(["", f"e{random.integers(-40, 41)}"])
        words.append(f"{sign}{digits[:point]}.{digits[point:]}{exponent}")
    assert floats(" ".join(words).encode()).tobytes() == np.array([float(word) for word in words]).tobytes()


@pytest.mark.parametrize("text", [b"1 2\x003", b"1\x0b2", b"1 2 \x00", b"1,2"])
def test_other_separators_than_blanks_are_those_of_python(text: bytes) -> None:
    words = text.split()
    if all(is_finite(word.decode()) for word in words):
        assert floats(text).tolist() == [float(word) for word in words]
    else:
        with pytest.raises(ValueError, match="is not a number"):
            floats(text)


def test_plain_numbers_are_read_by_the_compiled_module(monkeypatch: pytest.MonkeyPatch) -> None:
    if number_arrays.compiled_module("ossature.syntax._number_arrays", number_arrays._SOURCE) is None:
        return
    monkeypatch.setattr(number_arrays, "_split_in_chunks", lambda _: pytest.fail("read in Python"))
    assert floats(b" 1.5 -2e-3\n.5 7. +3 ").tolist() == [1.5, -2e-3, 0.5, 7.0, 3.0]
    assert integers(b"1 -2\t+3").tolist() == [1, -2, 3]
