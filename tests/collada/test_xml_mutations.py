"""The mutations themselves: the same for a seed, never an error, and each of them worth its place."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from collada_validator import Kind, validate
from collada_validator.markup import parse
from xml_mutations import ALL, WELL_FORMED, Mutation, close_circle, mutate, nest_deeply, spans

SOUND = (Path(__file__).parent / "files" / "sound.dae").read_text(encoding="utf-8")
FEW = 60


def test_spans_are_the_elements_of_the_text() -> None:
    text = '<a>é<b x="&gt;/>" y=\'"\'/><c><!-- <d> --> </c></a>'
    assert {span.name: text[span.start : span.stop] for span in spans(text)} == {
        "a": text,
        "b": '<b x="&gt;/>" y=\'"\'/>',
        "c": "<c><!-- <d> --> </c>",
    }
    assert [span.name for span in spans(text) if span.is_empty] == ["b"]
    assert spans("<a><b></a>") == []


@pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.__name__)
def test_every_mutation_changes_something_and_is_repeatable(kind: Mutation) -> None:
    made = [kind(SOUND, random.Random(seed)) for seed in range(FEW)]
    assert made == [kind(SOUND, random.Random(seed)) for seed in range(FEW)]
    assert sum(text != SOUND for text in made) > FEW * 0.8
    assert kind("<a/>", random.Random(0)) is not None
    assert kind("", random.Random(0)) == ""


@pytest.mark.one_in(2)
@pytest.mark.parametrize("kind", WELL_FORMED, ids=lambda kind: kind.__name__)
def test_most_mutations_leave_a_file_well_formed(kind: Mutation) -> None:
    for seed in range(FEW):
        parse(kind(SOUND, random.Random(seed)).encode())


def test_circles_are_circles() -> None:
    found = [{problem.kind for problem in validate(close_circle(SOUND, random.Random(seed)).encode())} for seed in range(FEW)]
    assert sum(Kind.CYCLE in kinds for kinds in found) > FEW * 0.5


def test_nesting_is_deep() -> None:
    deepest = max(nest_deeply(SOUND, random.Random(seed)).count("<") for seed in range(20))
    assert deepest > 4000


def test_the_validator_bears_every_mutation() -> None:
    for seed in range(4 * FEW):
        data = mutate(SOUND, random.Random(seed), kinds=ALL)
        try:
            validate(data)
        except Exception as error:
            raise AssertionError(f"seed {seed}") from error
