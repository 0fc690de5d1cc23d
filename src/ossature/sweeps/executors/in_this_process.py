"""Executors in this process: one run after another, and threads that share the compiled model."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from itertools import islice

from ossature.isolated_python_processes import processor_count
from ossature.sweeps.executors.executor import IN_FLIGHT, ExecutorError, Finished, WithoutResources, run_batch
from ossature.sweeps.points import Point
from ossature.sweeps.task import Task


class Serial(WithoutResources):
    """One run after another: the reference for all executors."""

    name = "serial"
    workers = 1
    batch_size = None

    def __init__(self, workers: int | None = None) -> None:
        if workers not in (None, 1):
            raise ExecutorError("the executor serial has one worker")

    def execute(self, task: Task, batches: Iterator[Sequence[Point]]) -> Iterator[Finished]:
        """Yield each batch when it is finished."""
        for batch in batches:
            yield run_batch(task, batch)


class Threads(WithoutResources):
    """Threads, which share the compiled model. As many as there are processors stay on one each.

    Args:
        workers: Number of threads; the number of processors by default.
    """

    name = "threads"
    batch_size = None

    def __init__(self, workers: int | None = None) -> None:
        self.workers = workers or processor_count()

    def execute(self, task: Task, batches: Iterator[Sequence[Point]]) -> Iterator[Finished]:
        """Yield each batch when it is finished, in any order."""
        with self._make_pool() as pool:
            running: set[Future[Finished]] = set()
            try:
                while True:
                    free = IN_FLIGHT * self.workers - len(running)
                    running |= {pool.submit(run_batch, task, batch) for batch in islice(batches, free)}
                    if not running:
                        return
                    done, running = wait(running, return_when=FIRST_COMPLETED)
                    for future in done:
                        yield future.result()
            finally:
                pool.shutdown(cancel_futures=True)

    def _make_pool(self) -> ThreadPoolExecutor:
        if sys.platform != "linux" or self.workers != processor_count():
            return ThreadPoolExecutor(self.workers)
        return ThreadPoolExecutor(self.workers, initializer=_bind, initargs=(iter(sorted(os.sched_getaffinity(0))),))


def _bind(processors: Iterator[int]) -> None:
    """Let the current thread run on the next processor only.

    Threads that wait for the interpreter's lock are often continued on the processor of the thread that released it.
    """
    if sys.platform == "linux":
        with suppress(OSError, StopIteration):  # where it is not allowed, runs take longer
            os.sched_setaffinity(0, {next(processors)})
