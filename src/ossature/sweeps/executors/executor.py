"""The interface of executors, and their table."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Protocol

from ossature.diagnostics import OssatureError, suggestion
from ossature.sweeps.points import Point
from ossature.sweeps.task import Row, Task

_HOMES = {
    "serial": "ossature.sweeps.executors.in_this_process:Serial",
    "threads": "ossature.sweeps.executors.in_this_process:Threads",
    "processes": "ossature.sweeps.executors.processes:Processes",
    "ray": "ossature.sweeps.executors.ray_cluster:Ray",
    "warp": "ossature.sweeps.executors.warp:Warp",
}
NAMES = tuple(_HOMES)
IN_FLIGHT = 2
"""Batches that are submitted for each worker: one that runs, and one that waits, so that no worker does."""


class ExecutorError(OssatureError):
    """An executor cannot run a sweep: a package is missing, or an argument is wrong."""


@dataclass(frozen=True, slots=True)
class Finished:
    """A batch of runs that is finished.

    Attributes:
        rows: A row for each of its points.
        seconds: How long they took.
    """

    rows: Sequence[Row]
    seconds: float


class Executor(Protocol):
    """Simulates the runs of a sweep in batches.

    Attributes:
        name: Its name.
        workers: Number of batches that run at the same time.
        batch_size: Number of runs in a batch, or None if it follows from the duration of the runs.
    """

    name: str
    workers: int
    batch_size: int | None

    def execute(self, task: Task, batches: Iterator[Sequence[Point]]) -> Iterator[Finished]:
        """Yield each batch when it is finished, in any order; batches are taken when workers are free.

        Raises:
            ExecutorError: It cannot run this task.
            InconsistentCompilationError: A run differs from that of a model compiled anew.
        """

    def close(self) -> None:
        """End what remains between calls, such as processes."""


class WithoutResources:
    """An executor of which nothing remains between calls."""

    def close(self) -> None:
        """Do nothing."""


def run_batch(task: Task, points: Sequence[Point]) -> Finished:
    """Return a finished batch of runs."""
    started = time.perf_counter()
    return Finished(task.rows(points), time.perf_counter() - started)


def make_executor(name: str, workers: int | None = None, *, address: str | None = None) -> Executor:
    """Return an executor.

    Args:
        name: ``serial``, ``threads``, ``processes``, ``ray`` or ``warp``.
        workers: Number of threads or processes; the number of processors by default. Of warp: the number of
            runs at once.
        address: Address of a running Ray cluster; a local one is started by default.

    Raises:
        ExecutorError: There is no such executor, its package is not installed, or an argument is wrong.
    """
    if name not in _HOMES:
        raise ExecutorError(f"unknown executor '{name}': {suggestion(name, _HOMES)}")
    if workers is not None and workers < 1:
        raise ExecutorError(f"an executor has at least one worker, not {workers}")
    if address is not None and name != "ray":
        raise ExecutorError("only the executor ray has an address")
    module, _, class_name = _HOMES[name].partition(":")
    factory = getattr(import_module(module), class_name)
    made: Executor = factory(workers, address) if name == "ray" else factory(workers)
    return made
