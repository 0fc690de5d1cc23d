"""Processes of this machine, which are replaced if they are lost."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.connection import wait as wait_for_process
from typing import TypeVar

from ossature.diagnostics import Diagnostic
from ossature.isolated_python_processes import processor_count, safe_module_path
from ossature.sweeps import rules
from ossature.sweeps.executors.executor import IN_FLIGHT, ExecutorError, Finished, run_batch
from ossature.sweeps.points import Point
from ossature.sweeps.task import Row, Task, failed_row

MOST_LOSSES = 3
"""How often a process may be lost with a run alone before the run has failed."""

_task: Task | None = None

_Argument = TypeVar("_Argument")
_Result = TypeVar("_Result")


class Processes:
    """Processes of this machine.

    If one is lost, all batches that run are tried again, one at a time, so that the run that ends processes is found.

    Args:
        workers: Number of processes; the number of processors by default.
    """

    name = "processes"
    batch_size = None

    def __init__(self, workers: int | None = None) -> None:
        self.workers = workers or processor_count()
        self._pool: ProcessPoolExecutor | None = None
        self._task: Task | None = None

    def execute(self, task: Task, batches: Iterator[Sequence[Point]]) -> Iterator[Finished]:
        """Yield each batch when it is finished, in any order; the processes remain for the next batches of the same task."""
        if task is not self._task:
            self.close()
        data = pickle_task(task)
        self._task, self._pool = task, self._pool or start_process_pool(data, self.workers)
        try:
            yield from self._execute(data, batches)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """End the processes."""
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
        self._pool = self._task = None

    def _execute(self, data: bytes, batches: Iterator[Sequence[Point]]) -> Iterator[Finished]:
        suspects: deque[tuple[Sequence[Point], int]] = deque()
        running: dict[Future[Finished], Sequence[Point]] = {}
        pool = self._pool or start_process_pool(data, self.workers)
        while True:
            while not suspects and len(running) < IN_FLIGHT * self.workers and (batch := next(batches, None)) is not None:
                running[_submit(pool, batch)] = batch
            if suspects and not running:
                running[_submit(pool, suspects[0][0])] = suspects[0][0]
            if not running:
                return
            lost = []
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                batch = running.pop(future)
                try:
                    finished = future.result()
                except BrokenProcessPool:
                    lost.append(batch)
                    continue
                if suspects and batch is suspects[0][0]:
                    suspects.popleft()
                yield finished
            if lost:
                lost += running.values()
                running.clear()
                pool.shutdown()
                self._pool = pool = start_process_pool(data, self.workers)
                if suspects:
                    yield from _retry(suspects)
                else:
                    suspects.extend((batch, 0) for batch in lost)


def start_process_pool(data: bytes, workers: int) -> ProcessPoolExecutor:
    """Return processes that have a pickled task, for :func:`call_with_task`.

    Raises:
        ExecutorError: They cannot start.
    """
    # A forked process would share the locks of other threads; a spawned one begins anew, as on a cluster.
    context = multiprocessing.get_context("spawn")
    try:
        with safe_module_path():
            pool = ProcessPoolExecutor(workers, mp_context=context, initializer=_initialize, initargs=(data,))
            # Each call that waits starts a process: together they start as fast as one.
            for started in [pool.submit(_has_task) for _ in range(workers)]:
                started.result()
    except BrokenProcessPool as error:
        message = "the processes cannot start: functions of a sweep must be in a module, and a script that starts one needs"
        raise ExecutorError(f"{message} `if __name__ == '__main__':`") from error
    return pool


def call_with_task(function: Callable[[Task, _Argument], _Result], argument: _Argument) -> _Result:
    """Return the result of a function of the task of this process."""
    if _task is None:
        raise RuntimeError("the process has no task")
    return function(_task, argument)


def _submit(pool: ProcessPoolExecutor, batch: Sequence[Point]) -> Future[Finished]:
    try:
        with safe_module_path():
            return pool.submit(call_with_task, run_batch, batch)
    except BrokenProcessPool as error:  # noticed before the future of the lost batch is
        failed: Future[Finished] = Future()
        failed.set_exception(error)
        return failed


def _retry(suspects: deque[tuple[Sequence[Point], int]]) -> Iterator[Finished]:
    """Replace the first batch, which ran alone in the lost process, by its runs; yield a run that was lost too often."""
    batch, losses = suspects.popleft()
    if len(batch) > 1:
        suspects.extendleft(([point], 0) for point in reversed(batch))
    elif losses + 1 < MOST_LOSSES:
        suspects.appendleft((batch, losses + 1))
    else:
        yield Finished([lost_row(point) for point in batch], 0.0)


def lost_row(point: Point) -> Row:
    """Return the row of a run whose processes were lost."""
    message = f"the process of the run ended {MOST_LOSSES} times before the run did"
    return failed_row(point, Diagnostic(rule=rules.LOST_WORKER, message=message))


def pickle_task(task: Task) -> bytes:
    """Return a task as bytes for other processes.

    Raises:
        ExecutorError: A function of it cannot be pickled.
    """
    try:
        return pickle.dumps(task)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        message = f"the functions of the sweep cannot be sent to other processes: define them in a module ({error})"
        raise ExecutorError(message) from error


def _initialize(data: bytes) -> None:
    global _task
    _task = pickle.loads(data)  # noqa: S301  # of the process that started this one
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """End this process when the one that started it is killed; it would wait for batches forever."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait_for_process([parent.sentinel])
        os._exit(1)


def _has_task() -> bool:
    return _task is not None
