"""The compiled module that fills numbers into texts, beside the function in Python."""

from __future__ import annotations

import random
from collections.abc import Iterator

import numpy as np
import pytest

from ossature.recordings import number_formatting
from ossature.recordings.number_formatting import PLACEHOLDER, Fill, NumberTemplate, compiled_fill, fill


@pytest.fixture(name="compiled")
def compiled_function() -> Fill:
    function = compiled_fill()
    if function is None:
        pytest.skip("the compiled module is not installed")
    return function


@pytest.mark.parametrize("seed", range(50))
def test_texts_are_those_of_the_function_in_python(seed: int, compiled: Fill) -> None:
    chance = random.Random(seed)
    count, samples = chance.randrange(6), chance.randrange(5)
    literals = tuple("ä<>\0,"[: chance.randrange(6)].encode() for _ in range(count + 1))
    numbers = ",".join(repr(chance.uniform(-1e9, 1e9)) for _ in range(count * samples)).encode()
    assert list(compiled(literals, numbers, samples)) == list(fill(literals, numbers, samples))


@pytest.mark.parametrize("numbers", [b"", b"1", b"1,2,3", b"1,2,3,4,5", b"1,,3,4", b"1,2,3,"])
def test_other_counts_of_numbers_are_errors(numbers: bytes, compiled: Fill) -> None:
    with pytest.raises(ValueError, match="numbers than places"):
        compiled((b"a", b"b", b"c"), numbers, 2)
    assert compiled((b"a", b"b", b"c"), b"1,2,3,4", 2) == [b"a1b2c", b"a3b4c"]


def test_wrong_arguments_are_errors(compiled: Fill) -> None:
    with pytest.raises(ValueError, match="no text around"):
        compiled((), b"", 1)
    with pytest.raises(ValueError, match="no text around"):
        compiled((b"a",), b"", -1)
    with pytest.raises(TypeError):
        compiled(("a", b"b"), b"1", 1)  # type: ignore[arg-type]  # a wrong type is refused


@pytest.fixture(name="is_pure", params=[False, True])
def pure_python(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[bool]:
    if request.param:
        monkeypatch.setattr(number_formatting, "compiled_fill", lambda: None)
    yield request.param


@pytest.mark.usefixtures("is_pure")
def test_templates_have_the_numbers_in_their_order() -> None:
    template = NumberTemplate(f'<a x="{PLACEHOLDER}">{PLACEHOLDER} {PLACEHOLDER}</a>', [2, 0, 2])
    rows = np.array([[1.5, 2.0, -3.0], [np.nan, 0.0, 1e-300]])
    assert list(template.fill_rows(rows)) == [b'<a x="-3.0">1.5 -3.0</a>', b'<a x="1e-300">null 1e-300</a>']
    assert list(NumberTemplate("text", []).fill_rows(rows)) == [b"text", b"text"]


def test_a_module_of_another_source_is_not_used(monkeypatch: pytest.MonkeyPatch, compiled: Fill) -> None:
    assert compiled is compiled_fill()
    monkeypatch.setattr(number_formatting, "_SOURCE", number_formatting._SOURCE.with_name("number_formatting.py"))
    assert compiled_fill() is None
