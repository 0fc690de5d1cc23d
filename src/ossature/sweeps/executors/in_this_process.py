"""Executors in this process: one run after another, and threads that share the compiled model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
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
    """Threads, which share the compiled model.

    Args:
        workers: Number of threads; the number of processors by default.
    """

    name = "threads"
    batch_size = None

    def __init__(self, workers: int | None = None) -> None:
        self.workers = workers or processor_count()

    def execute(self, task: Task, batches: Iterator[Sequence[Point]]) -> Iterator[Finished]:
        """Yield each batch when it is finished, in any order."""
        with ThreadPoolExecutor(self.workers) as pool:
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
