"""Sweeps: points → batches → an executor → results."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ossature.argument_types import typed_arguments
from ossature.diagnostics import FindingsError, OssatureError, Report
from ossature.model import World
from ossature.sweeps.binding import bind_sweep
from ossature.sweeps.distributions import Distribution, Values
from ossature.sweeps.executors import Executor, make_executor
from ossature.sweeps.points import Point, Points
from ossature.sweeps.provenance import begin_session, identity_of
from ossature.sweeps.results import ResultFolder, arrow_schema, arrow_table, import_pyarrow
from ossature.sweeps.sweep_spec import Design, Formula, Parameter, Run, Sweep, Variants
from ossature.sweeps.task import Row, Task

if TYPE_CHECKING:
    import pyarrow

BATCH_SECONDS = 1.0
"""Duration of a batch: at most the batches that run are lost if a sweep is killed."""
_MOST_BATCH_SECONDS = 30.0
_PARTS = 2000
"""Parts that a long sweep is divided into, as far as its batches do not become longer than the maximum."""
LARGEST_BATCH = 1024
_MOST_FAILURES = 10


class SweepError(FindingsError):
    """A sweep is not possible."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far a sweep is.

    Attributes:
        finished: Number of runs that are finished, with those of earlier sessions.
        total: Number of all runs.
        rate: Runs per second in this session.
        remaining: Estimated remaining time [s], or None at the start.
    """

    finished: int
    total: int
    rate: float
    remaining: float | None


@dataclass(slots=True, kw_only=True)
class SweepResult:
    """The result of a sweep.

    Attributes:
        folder: The folder with the results, or None if they are in memory.
        statuses: Number of runs of this session by status.
        failures: The first runs of this session that failed.
    """

    folder: ResultFolder | None
    statuses: Counter[str] = field(default_factory=Counter)
    failures: list[Row] = field(default_factory=list)
    _rows: pyarrow.Table | None = None

    @property
    def table(self) -> pyarrow.Table:
        """All rows in the order of the runs, as an Arrow table."""
        return self.folder.table() if self.folder is not None else self._rows


@typed_arguments
def sweep(
    world: World | Mapping[str, World],
    parameters: Mapping[str, Distribution | Sequence[float] | str] | Sequence[Parameter],
    run: Run,
    *,
    design: Design | None = None,
    constraints: Sequence[str] = (),
    executor: str | Executor = "serial",
    output: str | Path | None = None,
    report: Report | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> SweepResult:
    """Simulate a World many times with different parameters, and return a table with a row for each run.

    The same sweep has the same bits with each executor but ``warp``, which computes in single precision. A run that fails is
    a row with the reason.

    Args:
        world: The World; several by name if a parameter is a choice among :class:`Variants`.
        parameters: Lists of values, distributions or expressions by path (``{"arm/elbow.damping": Uniform(0, 1)}``), or
            parameters.
        run: What each run simulates and records.
        design: The design of the points; all combinations of the values by default.
        constraints: Conditions of named parameters that each point satisfies.
        executor: ``serial``, ``threads``, ``processes``, ``ray``, ``warp``, or an executor.
        output: A folder for the results. If it has results of this sweep, only the runs that are missing are simulated.
        report: Collects the findings; by default a new report.
        progress: Called after each batch.

    Raises:
        SweepError: A parameter, a quantity or an expression is invalid; the error has the report.
        SimulationError: The World cannot be simulated.
        ExecutorError: The executor cannot run the sweep.
        ResultsError: The folder has other content, or pyarrow is not installed.
        TypeError: The World or the run is something else.
    """
    worlds = dict(world) if isinstance(world, Mapping) else {"": world}
    named = [_parameter(*pair) for pair in parameters.items()] if isinstance(parameters, Mapping) else list(parameters)
    defined = Sweep(
        parameters=tuple(named), run=run, design=design or Design(), constraints=tuple([Formula(text) for text in constraints])
    )
    # The address of a function, which its text contains, does not identify it.
    defined = replace(defined, text=f"{replace(defined, run=replace(run, functions={}))} {list(run.functions)}")
    made = make_executor(executor) if isinstance(executor, str) else executor
    folder = None if output is None else Path(output)
    return run_sweep(defined, worlds, made, folder, report if report is not None else Report(), progress)


def _parameter(path: str, values: Distribution | Sequence[float] | str) -> Parameter:
    if isinstance(values, str):
        return Parameter(name=path, paths=(path,), source=Formula(values))
    if isinstance(values, Variants):
        return Parameter(name=path, source=values)
    source = Values(tuple(map(float, values))) if isinstance(values, Sequence | np.ndarray) else values
    return Parameter(name=path, paths=(path,), source=source)


def run_sweep(
    sweep: Sweep,
    worlds: Mapping[str, World],
    executor: Executor,
    output: Path | None,
    report: Report,
    progress: Callable[[Progress], None] | None = None,
) -> SweepResult:
    """Simulate the runs of a sweep that are missing; see :func:`sweep`."""
    import_pyarrow()
    points = Points(sweep)
    folder = None if output is None else ResultFolder(output)
    task = bind_sweep(sweep, worlds, report, None if folder is None else folder.recordings)
    if task is None:
        raise SweepError(report)
    if sweep.run.recordings is not None and folder is None:
        raise OssatureError("recordings need a folder for the results")
    schema, result = arrow_schema(sweep), SweepResult(folder=folder)
    rows: list[Row] = []
    with ExitStack() as stack:
        stack.callback(executor.close)
        missing: Sequence[int] = range(len(points))
        if folder is not None:
            session = begin_session(executor.name, executor.workers, sweep.design.seed)
            lock = folder.begin(
                identity_of(sweep, worlds, len(points), "single" if executor.name == "warp" else "double"), session
            )
            stack.callback(lock.release)
            if task.folder is not None:
                task.folder.mkdir(exist_ok=True)
            missing = np.flatnonzero(~folder.finished(len(points))).tolist()
        for finished in _execute(task, points, missing, executor, progress):
            result.statuses.update(row.status for row in finished)
            result.failures += [row for row in finished if row.status == "failed"][: _MOST_FAILURES - len(result.failures)]
            if folder is None:
                rows += finished
            else:
                folder.write_part(finished, schema)
    if folder is None:
        result._rows = arrow_table(sorted(rows, key=lambda row: row.index), schema)
    return result


def _execute(
    task: Task, points: Points, missing: Sequence[int], executor: Executor, progress: Callable[[Progress], None] | None
) -> Iterator[Sequence[Row]]:
    """Yield the rows of missing runs, batch by batch."""
    batches = _Batches(points, missing, executor)
    started, finished = time.perf_counter(), 0
    for one in executor.execute(task, batches):
        batches.note(len(one.rows), one.seconds)
        finished += len(one.rows)
        yield one.rows
        if progress is not None:
            rate = finished / max(time.perf_counter() - started, 1e-9)
            done = len(points) - len(missing) + finished
            progress(Progress(finished=done, total=len(points), rate=rate, remaining=(len(points) - done) / rate))


class _Batches(Iterator[Sequence[Point]]):
    """Batches of points, whose size follows from the duration of the runs so far.

    Args:
        missing: Indices of the runs to simulate.
        executor: The executor: its number of workers, and the size of its batches if it has one.
    """

    def __init__(self, points: Points, missing: Sequence[int], executor: Executor) -> None:
        self._points, self._missing, self._executor = points, missing, executor
        self._next, self._count, self._seconds = 0, 0, 0.0

    def note(self, count: int, seconds: float) -> None:
        self._count += count
        self._seconds += seconds

    def __next__(self) -> Sequence[Point]:
        if self._next >= len(self._missing):
            raise StopIteration
        chosen = self._missing[self._next : self._next + self._size()]
        self._next += len(chosen)
        return [self._points[index] for index in chosen]

    def _size(self) -> int:
        if self._executor.batch_size is not None:
            return self._executor.batch_size
        if not self._count:
            return 1
        seconds_per_run = max(self._seconds / self._count, 1e-6)
        left = len(self._missing) - self._next
        batch_seconds = min(max(seconds_per_run * len(self._missing) / _PARTS, BATCH_SECONDS), _MOST_BATCH_SECONDS)
        share = -(-left // (4 * self._executor.workers))  # so that all workers end at about the same time
        return max(1, min(int(batch_seconds / seconds_per_run), share, LARGEST_BATCH))
