"""Garbage collection while files are read, in programs that have frozen objects or not."""

from __future__ import annotations

import subprocess
import sys
import textwrap

import pytest


def run(program: str) -> list[str]:
    """Run a program in a process whose objects are its own, and return the words that it prints."""
    begin = "import gc\nfrom ossature.garbage_collection import collector_paused\n"
    done = subprocess.run([sys.executable, "-c", begin + textwrap.dedent(program)], capture_output=True, text=True, check=True)
    return done.stdout.split()


@pytest.mark.parametrize("freeze", ["gc.freeze()", ""])
def test_frozen_objects_stay_frozen_and_others_are_not(freeze: str) -> None:
    program = f"""
        {freeze}
        before = gc.get_freeze_count()
        for _ in range(2):
            with collector_paused():
                made = [[] for _ in range(1000)]
        print(before > 0, gc.get_freeze_count() == before, gc.isenabled())
    """
    assert run(program) == [str(bool(freeze)), "True", "True"]


def test_the_time_does_not_depend_on_the_number_of_frozen_objects() -> None:
    program = """
        import time
        kept = [[] for _ in range(1_000_000)]
        gc.freeze()
        started = time.process_time()
        gc.get_freeze_count()
        counted = time.process_time() - started
        started = time.process_time()
        for _ in range(100):
            with collector_paused():
                pass
        print(time.process_time() - started < 10 * counted)
    """
    assert run(program) == ["True"]
