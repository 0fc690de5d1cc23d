"""MuJoCo Warp: many runs at once on a GPU, in single precision."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor as Pool
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from itertools import chain
from time import perf_counter
from typing import Any, TypeVar

import mujoco
import numpy as np

from ossature.array_types import Array
from ossature.isolated_python_processes import processor_count
from ossature.simulation import Simulation
from ossature.sweeps.executors.executor import ExecutorError, Finished, WithoutResources
from ossature.sweeps.executors.external_stepping import (
    STATE_FIELDS,
    STATIC_FIELDS,
    RunEnd,
    RunStart,
    finish_runs,
    make_simulation,
    require_supported_task,
    start_runs,
    unsupported,
)
from ossature.sweeps.executors.processes import call_with_task, pickle_task, start_process_pool
from ossature.sweeps.points import Point
from ossature.sweeps.task import Row, Task

LARGEST_BATCH = 4096
"""Number of runs at once by default."""
_CONTACTS, _CONSTRAINTS = 64, 256
"""Least room for contacts and constraint rows of each run; more is found from the initial states."""
_ROOMS = (1, 8, 64)
"""Factors of the room for contacts and constraint rows with which runs are tried in turn."""
_LEAST_FOR_PROCESSES = 1024
"""Number of runs from which processes of the host save time: to start them takes as long as to prepare some 700 runs."""
_CHUNK = 64
"""Number of runs that are prepared or finished together."""

_Item = TypeVar("_Item")
_Made = TypeVar("_Made")


class Warp(WithoutResources):
    """MuJoCo Warp, on the GPU if there is one, else on the processor (slow, for tests).

    The processors of the host prepare the next runs and finish the last ones while the device takes steps.

    Args:
        workers: Number of runs at once; 4096 by default.

    Raises:
        ExecutorError: MuJoCo Warp is not installed.
    """

    name = "warp"
    workers = 1

    def __init__(self, workers: int | None = None) -> None:
        try:
            import mujoco_warp
            import warp
        except ImportError as error:
            raise ExecutorError("the executor warp needs MuJoCo Warp: pip install 'ossature[gpu]'") from error
        warp.config.log_level = warp.LOG_WARNING
        self._engine, self._warp = mujoco_warp, warp
        self.batch_size = workers or LARGEST_BATCH

    def execute(self, task: Task, batches: Iterator[Sequence[Point]]) -> Iterator[Finished]:
        """Yield each batch when it is finished.

        Raises:
            ExecutorError: The model or an output needs more than the engine's own steps, or a process of the host was lost.
        """
        require_supported_task(task)
        first = next(batches, None)
        if first is None:
            return
        with _Host(task, len(first)) as host:
            starts = _one_ahead(host.submit(start_runs, group) for group in _by_variant(task, chain([first], batches)))
            ends = _one_ahead(self._process_group(task, host, group) for group in starts)
            started = perf_counter()
            for rows, futures in ends:
                finished = [*rows, *_results(futures)]
                yield Finished(finished, perf_counter() - started)
                started = perf_counter()

    def _process_group(
        self, task: Task, host: _Host, futures: Sequence[Future[list[RunStart | Row]]]
    ) -> tuple[list[Row], list[Future[list[Row]]]]:
        """Take the steps of runs; return the rows of those that do not start, and what becomes the rows of the others."""
        made = _results(futures)
        starts = [one for one in made if isinstance(one, RunStart)]
        rows = [one for one in made if isinstance(one, Row)]
        return rows, host.submit(finish_runs, self._simulate(task, starts))

    def _simulate(self, task: Task, starts: Sequence[RunStart]) -> list[RunEnd]:
        """Return the ends of runs; those for whose contacts there is no room are repeated with more."""
        ends: dict[int, RunEnd] = {}
        for room in _ROOMS:
            if starts:
                ends |= {end.point.index: end for end in self._simulate_with_room(task, starts, room)}
                starts = [start for start in starts if ends[start.point.index].is_full]
        return list(ends.values())

    def _simulate_with_room(self, task: Task, starts: Sequence[RunStart], room: int) -> list[RunEnd]:
        first = make_simulation(task, starts[0].point)
        if not isinstance(first, Simulation):
            raise RuntimeError("a run that started does not start again")
        count, interval = _step_counts(task, first.time_step)
        with self._warp.ScopedDevice(self._warp.get_preferred_device()):
            model, data = self._upload(task, first, starts, room)
            advance = self._step_function(model, data, interval)
            self._set_start(data, starts)
            states = [self._download(data)]
            for done in range(0, count, interval):
                if count - done >= interval:
                    advance()
                else:
                    for _ in range(count - done):
                        self._engine.step(model, data)
                states.append(self._download(data))
        qpos, qvel, is_full = (np.stack(rows, axis=1) for rows in zip(*states, strict=True))
        times = first.time + first.time_step * np.minimum(interval * np.arange(len(states)), count)
        return [
            RunEnd(start.point, times, qpos[number], qvel[number], bool(is_full[number].any()))
            for number, start in enumerate(starts)
        ]

    def _step_function(self, model: Any, data: Any, interval: int) -> Callable[[], None]:
        """Return a function that takes the steps between two samples; on a GPU each is one graph of kernels."""

        def steps() -> None:
            for _ in range(interval):
                self._engine.step(model, data)

        if not self._warp.get_device().is_cuda:
            return steps
        self._engine.step(model, data)  # compiles the kernels
        with self._warp.ScopedCapture() as capture:
            self._engine.step(model, data)

        def launch() -> None:
            for _ in range(interval):
                self._warp.capture_launch(capture.graph)

        return launch

    def _download(self, data: Any) -> tuple[Array, Array, Array]:
        """Return positions and velocities of all runs, and whether buffers of the device were too small."""
        # On the processor these arrays are views of the device's memory.
        qpos, qvel = data.qpos.numpy().copy(), data.qvel.numpy().copy()
        kinds = self._engine.OverflowType
        harmless = int(kinds.ITERATIONS) | int(kinds.LS_ITERATIONS)
        return qpos, qvel, data.overflow.numpy() & ~harmless != 0

    # Models

    def _upload(self, task: Task, first: Simulation, starts: Sequence[RunStart], room: int) -> tuple[Any, Any]:
        """Return the model on the device with the numbers of each run, and data with a factor of room for their contacts."""
        base = _supported_model(task.base_model(starts[0].point).compiled.model)
        try:
            model = self._engine.put_model(base)
            model.opt.warn_overflow = 0  # rows state it
        except NotImplementedError as error:
            raise unsupported(f"MuJoCo Warp cannot simulate the model: {error}") from error
        data = self._engine.put_data(
            base,
            first.data,
            nworld=len(starts),
            nconmax=room * max(_CONTACTS, 4 * max(start.contact_count for start in starts)),
            njmax=room * max(_CONSTRAINTS, 4 * max(start.constraint_count for start in starts)),
        )
        self._upload_differences(model, base, [start.model_numbers for start in starts])
        return model, data

    def _set_start(self, data: Any, starts: Sequence[RunStart]) -> None:
        for name in STATE_FIELDS + STATIC_FIELDS:
            self._fill(getattr(data, name), [start.data[name] for start in starts])
        data.overflow.zero_()

    def _fill(self, target: Any, rows: Sequence[Array]) -> None:
        """Write a row for each run into an array of the device."""
        if target.size:
            values = np.reshape(rows, target.numpy().shape)
            self._warp.copy(target, self._warp.array(values, dtype=target.dtype))

    def _upload_differences(self, model: Any, base: mujoco.MjModel, differences: Sequence[Mapping[str, Array]]) -> None:
        """Give each run its own numbers of the fields that differ; raise an ExecutorError if all share one on the device."""
        for path in sorted({name for numbers in differences for name in numbers}):
            owner, name = (model.opt, path.removeprefix("opt.")) if path.startswith("opt.") else (model, path)
            original = getattr(base.opt if owner is model.opt else base, name)
            if not any(field.name == name and _is_batched(field.type) for field in dataclasses.fields(owner)):
                raise unsupported(f"the runs differ in '{name}', which all runs share on the device")
            known = getattr(owner, name)
            rows = np.array([numbers.get(path, original) for numbers in differences], dtype=np.float32)
            rows = rows.reshape(len(differences), *known.numpy().shape[1:])
            setattr(owner, name, self._warp.array(rows, dtype=known.dtype))


class _Host:
    """The processors of this machine, which prepare and finish runs: in processes if there are many runs."""

    def __init__(self, task: Task, count: int) -> None:
        workers = processor_count() if count >= _LEAST_FOR_PROCESSES else 1
        self._call: Callable[..., Any] = partial(_call, task)
        self._pool: Pool = ThreadPoolExecutor(1)
        if workers > 1:
            self._call, self._pool = call_with_task, start_process_pool(pickle_task(task), workers)

    def __enter__(self) -> _Host:
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.shutdown(cancel_futures=True)

    def submit(
        self, function: Callable[[Task, Sequence[_Item]], list[_Made]], items: Sequence[_Item]
    ) -> list[Future[list[_Made]]]:
        """Return what becomes the results of a function of the task and of items."""
        chunks = [items[first : first + _CHUNK] for first in range(0, len(items), _CHUNK)]
        try:
            return [self._pool.submit(self._call, function, chunk) for chunk in chunks]
        except BrokenProcessPool as error:
            raise _lost_process() from error


def _call(task: Task, function: Callable[[Task, _Item], _Made], argument: _Item) -> _Made:
    return function(task, argument)


def _results(futures: Iterable[Future[list[_Made]]]) -> list[_Made]:
    try:
        return [result for future in futures for result in future.result()]
    except BrokenProcessPool as error:
        raise _lost_process() from error


def _lost_process() -> ExecutorError:
    return ExecutorError("a process that prepares runs ended; the same command continues the sweep if it has a folder")


def _one_ahead(items: Iterator[_Item]) -> Iterator[_Item]:
    """Yield items, each after the next one is made."""
    last = next(items, None)
    for item in items:
        if last is not None:
            yield last
        last = item
    if last is not None:
        yield last


def _by_variant(task: Task, batches: Iterable[Sequence[Point]]) -> Iterator[list[Point]]:
    """Yield the points of each batch by the variant of their model: the device simulates one model at a time."""
    for batch in batches:
        groups: dict[str, list[Point]] = {}
        for point in batch:
            groups.setdefault(task.variant_of(point), []).append(point)
        yield from groups.values()


def _step_counts(task: Task, step: float) -> tuple[int, int]:
    """Return the number of steps of a run, and of those between two samples."""
    total = round(task.run.duration / step)
    interval = task.run.sample_interval
    return total, max(1, total if interval is None else round(interval / step))


def _supported_model(model: mujoco.MjModel) -> mujoco.MjModel:
    """Return the engine's model without the flag that states are not reset after a divergence: Warp never resets them."""
    supported = copy.copy(model)
    supported.opt.disableflags &= ~int(mujoco.mjtDisableBit.mjDSBL_AUTORESET)
    return supported


def _is_batched(declared: Any) -> bool:
    """Whether a field of the device's model may have different numbers in each run."""
    shape: tuple[object, ...] = getattr(declared, "shape", ())
    return shape[:1] == ("*",)
