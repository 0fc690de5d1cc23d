"""Uses seeded mutants of every kind, and counts those that do harm.

``python -m untrusted.fuzzing`` in the folder of the tests uses mutants of all kinds, or of those named, and appends a line for
each thousand to a file.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from mutant_count import MANY
from untrusted.sandbox import Outcome, sandbox
from untrusted.seed_files import MUTATE, mutants
from untrusted.worker import CPU_SECONDS, EXTRA_BYTES

OF_INTERPRETER = 1 << 29
"""Memory of the interpreter with everything loaded, at most [bytes]."""
BATCH = min(1_000, MANY)


@dataclass(slots=True)
class Tally:
    """What became of mutants.

    Attributes:
        count: How many were used.
        stepped: How many of them were simulated, rather than refused.
        seconds: CPU time of all [s].
        longest: CPU time of the slowest [s].
        bytes: Memory of the largest [bytes].
        harm: The outcomes of those that did harm.
    """

    count: int = 0
    stepped: int = 0
    seconds: float = 0.0
    longest: float = 0.0
    bytes: int = 0
    harm: list[Outcome] = field(default_factory=list)

    def add(self, outcome: Outcome) -> None:
        """Count an outcome."""
        self.count += 1
        self.stepped += outcome.is_stepped
        self.seconds += outcome.seconds
        self.longest = max(self.longest, outcome.seconds)
        self.bytes = max(self.bytes, outcome.bytes)
        if harm(outcome):
            self.harm.append(outcome)

    def __str__(self) -> str:
        return (
            f"{self.count} mutants, {self.stepped} simulated, {len(self.harm)} did harm, {self.seconds:.0f} s of CPU, "
            f"at most {self.longest:.2f} s and {self.bytes >> 20} MiB"
        )


def harm(outcome: Outcome) -> str:
    """Return what harm the use of a file did; empty if none."""
    if outcome.problem:
        return outcome.problem
    if outcome.seconds > CPU_SECONDS:
        return f"{outcome.seconds:.1f} s of CPU time"
    if outcome.bytes > EXTRA_BYTES + OF_INTERPRETER:
        return f"{outcome.bytes >> 20} MiB of memory"
    return ""


def use_mutants(kind: str, first: int, count: int, kept: Path | None = None) -> Iterator[Outcome]:
    """Yield what became of seeded mutants of a kind.

    Args:
        kind: One of :data:`MUTATE`.
        first: The number of the first mutant.
        count: How many.
        kept: A folder into which those that do harm are copied, if any.
    """
    with tempfile.TemporaryDirectory() as folder, sandbox() as used:
        for outcome in used.use(mutants(kind, first, count, Path(folder))):
            if kept is not None and harm(outcome):
                shutil.copy(outcome.file, kept)
            yield outcome


def main() -> None:
    """Use mutants, and append what became of them to a file."""
    parser = argparse.ArgumentParser(prog="python -m untrusted.fuzzing", description=__doc__)
    parser.add_argument("kinds", nargs="*", help=f"of {', '.join(MUTATE)}; all of them if none is named")
    parser.add_argument("--first", type=int, default=0, help="the number of the first mutant")
    parser.add_argument("--count", type=int, default=MANY, help="how many of each kind")
    parser.add_argument("--log", type=Path, default=Path("fuzz.log"), help="the file to which counts are appended")
    parser.add_argument("--kept", type=Path, help="the folder into which mutants that did harm are copied")
    chosen = parser.parse_args()
    for kind in chosen.kinds or MUTATE:
        tally = Tally()
        for first in range(chosen.first, chosen.first + chosen.count, BATCH):
            last = min(first + BATCH, chosen.first + chosen.count)
            for outcome in use_mutants(kind, first, last - first, chosen.kept):
                tally.add(outcome)
            with chosen.log.open("a") as log:
                log.write(f"{kind}, to number {last}: {tally}\n")
        with chosen.log.open("a") as log:
            for outcome in tally.harm:
                log.write(f"HARM {outcome.file.name}: {harm(outcome).strip().splitlines()[-1][:300]}\n")


if __name__ == "__main__":
    main()
