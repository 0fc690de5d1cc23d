"""Runs files through :mod:`untrusted.worker` and reports which of them did harm."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent
IS_AVAILABLE = sys.platform == "linux"
"""Whether processes can be forked under ceilings here."""
BATCH = 50
"""Files that one forked process uses."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of the use of one file.

    Attributes:
        file: The file.
        problem: A traceback, a signal or memory that ran out; empty if it ended well.
        is_stepped: Whether its model was simulated, rather than refused.
        seconds: CPU time that it took [s].
        bytes: Memory that it took, the interpreter's included [bytes].
    """

    file: Path
    problem: str
    is_stepped: bool
    seconds: float
    bytes: int


class Sandbox:
    """A running worker."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def use(self, files: Iterable[Path]) -> Iterator[Outcome]:
        """Yield what became of each file."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        pending = iter(files)
        while batch := list(islice(pending, BATCH)):
            self._process.stdin.write(json.dumps([str(file) for file in batch]) + "\n")
            self._process.stdin.flush()
            for file in batch:
                answer = json.loads(self._process.stdout.readline())
                yield Outcome(file=file, **answer)


@contextmanager
def sandbox() -> Iterator[Sandbox]:
    """Start a worker, and end it."""
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "PYTHONWARNINGS": "ignore"}
    command = [sys.executable, "-m", "untrusted.worker"]
    with subprocess.Popen(
        command, cwd=TESTS, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        try:
            yield Sandbox(process)
        finally:
            assert process.stdin is not None
            process.stdin.close()
            process.kill()
