"""Mutants of files of every format, used up to two steps of simulation, under ceilings of CPU time and memory."""

from __future__ import annotations

import pytest

from mutant_count import MANY
from untrusted.fuzzing import BATCH, Tally, harm, use_mutants
from untrusted.sandbox import IS_AVAILABLE
from untrusted.seed_files import MUTATE

pytestmark = pytest.mark.skipif(not IS_AVAILABLE, reason="processes are not forked under ceilings here")
FEW = 15


def require_harmless(kind: str, first: int, count: int) -> Tally:
    tally = Tally()
    for outcome in use_mutants(kind, first, count):
        tally.add(outcome)
        assert not harm(outcome), f"{outcome.file.name}: {harm(outcome)}"
    assert tally.count == count
    return tally


@pytest.mark.parametrize("kind", ["chrono", "collada"])
def test_a_few(kind: str) -> None:
    assert require_harmless(kind, 0, FEW).stepped > 0


@pytest.mark.slow
@pytest.mark.parametrize("kind", MUTATE)
@pytest.mark.parametrize("first", range(0, MANY, BATCH))
def test_many(kind: str, first: int) -> None:
    require_harmless(kind, first, BATCH)
