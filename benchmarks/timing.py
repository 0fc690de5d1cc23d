"""What the benchmarks share."""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent


def corpus() -> Path:
    """Return the folder with real SKEL files, or that of the examples."""
    folder = Path(os.environ.get("OSSATURE_CORPUS", PROJECT.parent / "shared")) / "corpus" / "skel"
    return folder if folder.is_dir() else PROJECT / "examples"


def seconds(function: Callable[[], object]) -> float:
    """Return how long one call takes."""
    started = time.perf_counter()
    function()
    return time.perf_counter() - started


def interleaved(first: Callable[[], object], second: Callable[[], object], rounds: int) -> tuple[float, float]:
    """Return the medians of two functions that are called in turn, so that both see the same machine."""
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(rounds):
        times[0].append(seconds(first))
        times[1].append(seconds(second))
    return statistics.median(times[0]), statistics.median(times[1])
