"""Ray: processes of this machine or of a cluster."""

from __future__ import annotations

import os
import sys
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ossature.isolated_python_processes import processor_count
from ossature.sweeps.executors.executor import IN_FLIGHT, ExecutorError, Finished, WithoutResources, run_batch
from ossature.sweeps.executors.processes import MOST_LOSSES, lost_row, pickle_task
from ossature.sweeps.points import Point
from ossature.sweeps.task import Task

_tasks: dict[str, Task] = {}
"""The task of this worker by the number of its object: an argument would be unpickled for each batch."""


class Ray(WithoutResources):
    """Processes that Ray distributes. The task is put into the object store once; Ray repeats batches of lost workers.

    Args:
        workers: Number of processes of a local Ray; the number of processors by default. Of a cluster, all its processors.
        address: Address of a running cluster; None for the one in ``RAY_ADDRESS``, or a local one.

    Raises:
        ExecutorError: Ray is not installed.
    """

    name = "ray"
    batch_size = None

    def __init__(self, workers: int | None = None, address: str | None = None) -> None:
        try:
            import ray
        except ImportError as error:
            raise ExecutorError("the executor ray needs Ray: pip install 'ossature[cluster]'") from error
        self._ray = ray
        self._address = address or os.environ.get("RAY_ADDRESS")
        self.workers = workers or processor_count()

    def execute(self, task: Task, batches: Iterator[Sequence[Point]]) -> Iterator[Finished]:
        """Yield each batch when it is finished, in any order."""
        pickle_task(task)
        with self._connection():
            remote = self._ray.remote(num_cpus=1, max_retries=MOST_LOSSES - 1)(_run)
            reference = self._ray.put(task)
            retried: deque[Sequence[Point]] = deque()
            running: dict[Any, Sequence[Point]] = {}
            while True:
                while len(running) < IN_FLIGHT * self.workers:
                    batch = retried.popleft() if retried else next(batches, None)
                    if batch is None:
                        break
                    running[remote.remote([reference], batch)] = batch
                if not running:
                    return
                for done in self._ray.wait(list(running), num_returns=1)[0]:
                    batch = running.pop(done)
                    finished = self._result(done)
                    if finished is None and len(batch) > 1:
                        retried.extend([point] for point in batch)
                    else:
                        yield finished or Finished([lost_row(point) for point in batch], 0.0)

    def _result(self, reference: Any) -> Finished | None:
        """Return a finished batch, or None if its workers were lost."""
        errors = self._ray.exceptions
        try:
            finished: Finished = self._ray.get(reference)
        except (errors.WorkerCrashedError, errors.NodeDiedError, errors.OutOfMemoryError):
            return None
        except errors.RayTaskError as error:
            raise error.cause from error
        return finished

    @contextmanager
    def _connection(self) -> Iterator[None]:
        """Connect to the cluster, or start a local one, unless the program is connected already."""
        if self._ray.is_initialized():
            yield
            return
        options: dict[str, Any] = {"logging_level": "ERROR", "log_to_driver": False}
        if self._address is None:
            environment = {"PYTHONPATH": os.pathsep.join(sys.path)}  # the modules with the functions of the sweep
            options |= {"num_cpus": self.workers, "include_dashboard": False, "runtime_env": {"env_vars": environment}}
        try:
            self._ray.init(address=self._address, **options)
        except (ConnectionError, ValueError) as error:
            raise ExecutorError(f"no connection to Ray at '{self._address}': {error}") from error
        if self._address is not None:
            self.workers = max(int(self._ray.cluster_resources().get("CPU", 1)), 1)
        try:
            yield
        finally:
            self._ray.shutdown()


def _run(references: Sequence[Any], points: Sequence[Point]) -> Finished:
    import ray

    key = references[0].hex()
    if key not in _tasks:
        _tasks.clear()
        _tasks[key] = ray.get(references[0])
    return run_batch(_tasks[key], points)
