"""Mutants of files of every format, used up to two steps of simulation, under ceilings of CPU time and memory."""

from __future__ import annotations

from pathlib import Path

import pytest

from untrusted.originals import MUTATE, mutants
from untrusted.sandbox import IS_AVAILABLE, sandbox
from untrusted.worker import CPU_SECONDS, EXTRA_BYTES

pytestmark = pytest.mark.skipif(not IS_AVAILABLE, reason="processes are not forked under ceilings here")
FEW, MANY, BATCH = 3, 10_000, 500
OF_INTERPRETER = 1 << 29
"""Memory of the interpreter with everything loaded, at most [bytes]."""


def require_harmless(kind: str, first: int, count: int, folder: Path) -> None:
    with sandbox() as used:
        for outcome in used.use(mutants(kind, first, count, folder)):
            assert not outcome.problem, f"{outcome.file}: {outcome.problem}"
            assert outcome.seconds <= CPU_SECONDS, outcome
            assert outcome.bytes <= EXTRA_BYTES + OF_INTERPRETER, outcome
            outcome.file.unlink()


@pytest.mark.parametrize("kind", ["chrono", "collada"])
def test_a_few(kind: str, tmp_path: Path) -> None:
    require_harmless(kind, 0, FEW, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("kind", MUTATE)
@pytest.mark.parametrize("first", range(0, MANY, BATCH))
def test_many(kind: str, first: int, tmp_path: Path) -> None:
    require_harmless(kind, first, BATCH, tmp_path)
