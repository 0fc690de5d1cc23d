"""Measurement of how computing time grows with the size of the input."""

import gc
import sys
import time
from collections.abc import Callable

ATTEMPTS = 6


def freeze_heap() -> None:
    """Let collections of garbage pass over all objects that exist now: those of other tests take tenths of a second."""
    gc.collect()
    gc.freeze()


def cpu_seconds(function: Callable[[], object]) -> float:
    """Return the CPU time of one call [s], without that of collecting garbage."""
    gc.collect()
    gc.disable()
    started = time.process_time()
    try:
        function()
        return time.process_time() - started
    finally:
        gc.enable()


def is_growth_below(factor: float, few: Callable[[], object], many: Callable[[], object]) -> bool:
    """Whether ``many`` takes less than ``factor`` times as long as ``few``.

    Other programs on the machine only make a call slower. So the fastest of the calls of each counts, and both are called
    again if the growth seems too large.
    """
    shortest_few = shortest_many = float("inf")
    freeze_heap()
    for _ in range(ATTEMPTS):
        shortest_few = min(shortest_few, cpu_seconds(few))
        shortest_many = min(shortest_many, cpu_seconds(many))
        if shortest_many < factor * shortest_few:
            return True
    return False


def count_calls(function: Callable[[], object]) -> int:
    """Return the number of calls of Python functions, and of values that generators yield, in one call."""
    count = 0

    def profile(_frame: object, event: str, _argument: object) -> None:
        nonlocal count
        count += event == "call"

    before = sys.getprofile()
    sys.setprofile(profile)
    try:
        function()
    finally:
        sys.setprofile(before)
    return count
