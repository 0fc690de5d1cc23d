"""Fits: parameters with which a model follows a measured motion, with their standard errors."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any

import numpy as np

from ossature.array_types import Vector
from ossature.diagnostics import OssatureError, Report
from ossature.model import World
from ossature.model.calibration import Calibration, ParameterValue
from ossature.model.element_paths import value_at
from ossature.simulation.compiled_model import require_time_step
from ossature.sweeps.binding import bind_outputs, bind_parameters, compile_model, resolve_parameters
from ossature.sweeps.distributions import Values
from ossature.sweeps.execution import SweepError
from ossature.sweeps.executors import Executor
from ossature.sweeps.fit_spec import Fit, FitParameter, MeasuredSeries
from ossature.sweeps.points import Point
from ossature.sweeps.sweep_spec import Output, Parameter, Run, Statistic
from ossature.sweeps.task import CHECKED_EVERY, Row, Task

_RELATIVE_STEP = 1e-4
"""Step of central differences relative to a parameter, or to the width of its bounds if it is zero."""
_LARGEST_RESIDUAL = 1e100
"""Larger residuals [standard deviations] are refused: their squares would not be numbers."""
_SMALLEST_SIZE = 1e-100
"""Values below it count as zero for the steps of differences."""
_PENALTY = 1e3
"""Residuals of values with which the model cannot be simulated, relative to the largest one at the start."""
_SEARCHED_TOGETHER = 20
"""Number of simulations of a search that do not depend on each other; the result does not depend on the executor."""
_SAME_TIME = 1e-6
"""Largest distance of a measurement from a sample, relative to the step, at which nothing is interpolated."""


class FitError(OssatureError):
    """A fit is not possible."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FitResult:
    """The result of a fit.

    Attributes:
        values: The fitted value of each parameter by name.
        standard_errors: Their standard errors, from the curvature of the sum of squares; NaN if the measurements do not
            determine the parameter.
        rms: Root mean square of the residuals, in standard deviations of the measurements; about 1 for a good model.
        runs: Number of simulations.
        is_converged: Whether the fit converged.
        paths: The attributes that each parameter sets.
    """

    values: Mapping[str, float]
    standard_errors: Mapping[str, float]
    rms: float
    runs: int
    is_converged: bool
    paths: Mapping[str, Sequence[str]]

    def calibration(self) -> Calibration:
        """Return the values as a calibration of the model."""
        errors = {name: None if math.isnan(error) else error for name, error in self.standard_errors.items()}
        return Calibration(
            parameters=tuple(
                ParameterValue(path=path, value=self.values[name], standard_error=errors[name])
                for name, paths in self.paths.items()
                for path in paths
            )
        )


def fit(world: World, defined: Fit, executor: Executor, report: Report) -> FitResult:
    """Return the parameters with which a World follows measurements, by least squares.

    The sum of squared residuals is minimised by scipy's trust region reflective algorithm, with central differences that the
    executor simulates together. A search before it, by nevergrad, finds the start among several minima.

    Args:
        world: The World.
        defined: Parameters and measurements.
        executor: Simulates the runs.
        report: Receives the findings.

    Raises:
        SweepError: A parameter or a quantity does not exist; the error has the report.
        FitError: The start cannot be simulated, is too far from the measurements, or scipy or nevergrad is not installed.
        SimulationError: The World cannot be simulated.
    """
    try:
        from scipy.optimize import least_squares
    except ImportError as error:
        raise FitError("a fit needs scipy: pip install 'ossature[sweep]'") from error
    with closing(executor):
        return _minimise(_bind(world, defined, executor, report), defined, least_squares)


def _minimise(problem: _Problem, defined: Fit, least_squares: Callable[..., Any]) -> FitResult:
    start = np.array([_start_of(one, problem.task) for one in defined.parameters])
    problem.require_start(start)
    bounds = np.array([(one.low, one.high) for one in defined.parameters]).T
    if defined.search_runs:
        start = _search_start(problem, defined, start, bounds)
    found = least_squares(problem.residuals, start, jac=problem.jacobian, bounds=bounds, x_scale="jac", xtol=1e-10)
    names = [one.name for one in defined.parameters]
    return FitResult(
        values=dict(zip(names, found.x.tolist(), strict=True)),
        standard_errors=dict(zip(names, _standard_errors(found.jac, found.fun, defined).tolist(), strict=True)),
        rms=float(np.sqrt(np.mean(np.square(found.fun)))),
        runs=problem.runs,
        is_converged=bool(found.status > 0),
        paths={name: [at.text for at in each] for name, each in problem.task.attributes[""].items()},
    )


def _search_start(problem: _Problem, defined: Fit, start: Vector, bounds: Vector) -> Vector:
    """Return the best point of a global search by differential evolution."""
    try:
        nevergrad = import_module("nevergrad")
    except ImportError as error:
        raise FitError("a search needs nevergrad: pip install 'ossature[search]'") from error
    space = nevergrad.p.Array(init=start).set_bounds(*bounds)
    space.random_state = np.random.RandomState(defined.seed % 2**32)
    optimizer = nevergrad.optimizers.TwoPointsDE(space, budget=defined.search_runs, num_workers=_SEARCHED_TOGETHER)
    left = defined.search_runs
    while left > 0:
        asked = [optimizer.ask() for _ in range(min(left, _SEARCHED_TOGETHER))]
        losses = [float(one @ one) for one in problem.evaluate([candidate.value for candidate in asked])]
        for candidate, loss in zip(asked, losses, strict=True):
            optimizer.tell(candidate, loss)
        left -= len(asked)
    margin = _RELATIVE_STEP * (bounds[1] - bounds[0])
    found: Vector = optimizer.recommend().value
    return np.clip(found, bounds[0] + margin, bounds[1] - margin)  # least squares start inside of the bounds


def _standard_errors(jacobian: Vector, residuals: Vector, defined: Fit) -> Vector:
    """Return the standard errors of the Cramér-Rao bound; with unknown noise it is estimated from the residuals."""
    count = jacobian.shape[1]
    scale = np.maximum(np.linalg.norm(jacobian, axis=0), 1e-300)
    singular, rotation = np.linalg.svd(jacobian / scale, full_matrices=False)[1:]
    if singular[-1] <= singular[0] * 1e-10:
        return np.full(count, math.nan)
    variance = np.sum(np.square(rotation.T / singular), axis=1) / np.square(scale)
    if any(one.standard_deviation is None for one in defined.measurements):
        variance = variance * (residuals @ residuals) / max(len(residuals) - count, 1)
    return np.asarray(np.sqrt(variance))


def _start_of(parameter: FitParameter, task: Task) -> float:
    if parameter.initial is not None:
        return parameter.initial
    value = value_at(task.models[""].world, task.attributes[""][parameter.name][0])
    if not parameter.low < value < parameter.high:
        raise FitError(f"'{parameter.name}' is {value:g} in the model, not between its bounds: state an initial value")
    return float(value)


# Residuals


class _Problem:
    """The residuals of a fit as a function of its parameters.

    Args:
        task: Simulates the measured quantities.
        executor: Simulates the runs.
        sample_times: Times of the samples of a run [s].
    """

    def __init__(self, task: Task, defined: Fit, executor: Executor, sample_times: Vector) -> None:
        self.task, self._defined, self._executor, self._sample_times = task, defined, executor, sample_times
        self._penalty: float | None = None
        self.runs = 0

    def require_start(self, start: Vector) -> None:
        """Raise a FitError that states why the model cannot be simulated with the initial values, if it cannot."""
        self._penalty = _PENALTY * (1.0 + np.abs(self.evaluate([start])[0]).max())

    def residuals(self, values: Vector) -> Vector:
        """Return simulated minus measured values, in standard deviations."""
        return self.evaluate([values])[0]

    def jacobian(self, values: Vector) -> Vector:
        """Return the derivatives of the residuals, by central differences inside of the bounds."""
        pairs = []
        for number, one in enumerate(self._defined.parameters):
            size = abs(values[number])
            step = _RELATIVE_STEP * (size if size > _SMALLEST_SIZE else min(one.high - one.low, 1.0))
            offset = np.zeros(len(values))
            offset[number] = step
            below, above = np.maximum(values - offset, one.low), np.minimum(values + offset, one.high)
            pairs.append((np.where(offset > 0.0, below, values), np.where(offset > 0.0, above, values)))
        found = self.evaluate([side for pair in pairs for side in pair])
        widths = [above[number] - below[number] for number, (below, above) in enumerate(pairs)]
        columns = [(high - low) / width for low, high, width in zip(found[::2], found[1::2], widths, strict=True)]
        return np.stack(columns, axis=1)

    def evaluate(self, candidates: Sequence[Vector]) -> list[Vector]:
        """Return the residuals of several candidates, which the executor simulates together."""
        names = [one.name for one in self._defined.parameters]
        # Fits do not need the runs that are done twice: the measurements are what is compared.
        indices = [1 + number + number // (CHECKED_EVERY - 1) for number in range(len(candidates))]
        points = [
            Point(index, dict(zip(names, map(float, one), strict=True))) for index, one in zip(indices, candidates, strict=True)
        ]
        rows = {
            row.index: row for done in self._executor.execute(self.task, iter([[one] for one in points])) for row in done.rows
        }
        self.runs += len(points)
        return [self._residuals_of(rows[index]) for index in indices]

    def _residuals_of(self, row: Row) -> Vector:
        reason = f"the model cannot be simulated with the initial values: {row.message}"
        if row.status == "finished":
            differences = np.concatenate([self._differences(one, row) for one in self._defined.measurements])
            if np.abs(differences).max() < _LARGEST_RESIDUAL:
                return differences
            reason = (
                f"simulated and measured values differ by more than {_LARGEST_RESIDUAL:g} standard deviations: "
                "check the measurements and their standard_deviation"
            )
        if self._penalty is None:
            raise FitError(reason)
        return np.full(sum(len(one.values) for one in self._defined.measurements), self._penalty)

    def _differences(self, measurement: MeasuredSeries, row: Row) -> Vector:
        simulated = np.interp(self._defined.times, self._sample_times, np.array(row.results[measurement.quantity]))
        with np.errstate(over="ignore"):
            return np.asarray((simulated - np.array(measurement.values)) / (measurement.standard_deviation or 1.0))


def _bind(world: World, defined: Fit, executor: Executor, report: Report) -> _Problem:
    if defined.time_step is not None:
        world = replace(world, time_step=defined.time_step)
    interval, count = _sampling(np.array(defined.times), require_time_step(world, None, report))
    outputs = [
        Output(name=one.quantity, quantity=one.quantity, statistic=Statistic.SERIES, origin=one.origin)
        for one in defined.measurements
    ]
    run = Run(duration=count * interval, sample_interval=interval, integrator=defined.integrator, outputs=outputs)
    named = [Parameter(name=one.name, paths=one.paths, source=Values((0.0,)), origin=one.origin) for one in defined.parameters]
    paths = bind_parameters(named, [world], report)
    compiled = compile_model(world, run)
    bound, _ = bind_outputs(run, [compiled], report)
    if report.has_errors:
        raise SweepError(report)
    attributes = resolve_parameters(paths, world)
    task = Task(models={"": compiled}, attributes={"": attributes}, relative={"": {}}, run=run, outputs=bound)
    return _Problem(task, defined, executor, interval * np.arange(count + 1, dtype=np.float64))


def _sampling(times: Vector, step: float) -> tuple[float, int]:
    """Return the interval between samples [s], and their number: at the measurements if possible, else each step."""
    spacing = float(np.min(np.diff(times), initial=times[-1] if times[-1] > 0.0 else step))
    for interval in (step * max(round(spacing / step), 1), step):
        count = math.ceil(times[-1] / interval - _SAME_TIME)
        if np.abs(times / interval - np.round(times / interval)).max() < _SAME_TIME:
            return interval, count
    return step, count
