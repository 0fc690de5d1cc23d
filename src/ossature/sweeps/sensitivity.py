"""Sensitivities of the results of a sweep: main effects, and Sobol indices through SALib."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

from ossature.array_types import IndexArray, Vector
from ossature.sweeps.results import ResultFolder, ResultsError
from ossature.sweeps.sweep_spec import Method

if TYPE_CHECKING:
    import pyarrow


_MOST_LEVELS = 10
_LEAST_GROUP = 20
"""Least number of runs whose mean is taken, if each has another value of the parameter."""
_LEAST_RUNS = 40
"""Least number of runs for first-order indices of a random design: the method needs more than 20."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MainEffect:
    """The mean of a result for each value of a parameter, over all values of the others.

    Attributes:
        parameter: Name of the parameter.
        result: Name of the output or metric.
        values: Values of the parameter; if it has more than ten, the means of up to ten groups of about the same
            size, each of twenty runs or more if there are forty.
        means: The mean of the result for each of them.
    """

    parameter: str
    result: str
    values: Vector
    means: Vector

    @property
    def size(self) -> float:
        """The largest of the means less the smallest."""
        return float(np.ptp(self.means))


@dataclass(frozen=True, slots=True, kw_only=True)
class Sensitivity:
    """How much a result depends on a parameter.

    Attributes:
        effect: The main effect.
        first_order: First-order Sobol index: the share of the variance that the parameter has by itself; None if the design or
            the installed packages do not yield it.
        total: Total Sobol index: its share together with interactions; None except for designs ``saltelli``.
    """

    effect: MainEffect
    first_order: float | None = None
    total: float | None = None


def main_effects(results: ResultFolder) -> list[MainEffect]:
    """Return the main effect of each parameter on each result, of the runs that yield it.

    Raises:
        ResultsError: There are no results, or none of numbers.
    """
    _, names, table = _contents(results)
    return [
        _main_effect(names[column], result, X[:, column], Y)
        for result, X, Y in _samples(table, names)
        for column in range(len(names))
    ]


def sensitivities(results: ResultFolder) -> list[Sensitivity]:
    """Return the sensitivity of each result to each parameter.

    First-order indices of a grid are those of its points. SALib estimates others: by RBD-FAST for a random design, and with
    total indices for a design ``saltelli``, of which no run may be missing.

    Raises:
        ResultsError: There are no results, or none of numbers.
    """
    manifest, names, table = _contents(results)
    method, count = Method(manifest["method"]), int(manifest["count"])
    found = []
    for result, X, Y in _samples(table, names):
        effects = [_main_effect(name, result, X[:, column], Y) for column, name in enumerate(names)]
        first, total = _indices(method, is_complete=len(Y) == count, names=names, X=X, Y=Y)
        found += [
            Sensitivity(effect=effect, first_order=one, total=other)
            for effect, one, other in zip(effects, first, total, strict=True)
        ]
    return found


def result_columns(results: ResultFolder) -> dict[str, Vector]:
    """Return the parameters and results that are numbers, by name; NaN where a run does not yield one.

    Raises:
        ResultsError: There are no results, or the sweep has no parameter that is a number.
    """
    _, names, table = _contents(results)
    return {name: _numbers(table, name) for name in (*names, *_result_names(table, names))}


def _contents(results: ResultFolder) -> tuple[dict[str, Any], list[str], pyarrow.Table]:
    manifest = results.manifest()
    names = manifest.get("parameters")
    if names is None:
        raise ResultsError(f"{results.path}: an older version wrote these results, without the names of their parameters")
    if not names:
        raise ResultsError(f"{results.path}: the sweep has no parameter that is a number")
    return manifest, list(names), results.table()


def _samples(table: pyarrow.Table, names: Sequence[str]) -> Iterator[tuple[str, Vector, Vector]]:
    """Yield for each result its name, the parameters (runs, parameters), and its values, of the runs that yield it."""
    X = np.stack([_numbers(table, name) for name in names], axis=1)
    for result in _result_names(table, names):
        Y = _numbers(table, result)
        rows = np.isfinite(Y) & np.isfinite(X).all(axis=1)
        if rows.any():
            yield result, X[rows], Y[rows]


def _result_names(table: pyarrow.Table, names: Sequence[str]) -> list[str]:
    """Return the names of the results that are numbers, and not series: the columns after the parameters."""
    return [field.name for field in table.schema if str(field.type) == "double" and field.name not in ("end_time", *names)]


def _numbers(table: pyarrow.Table, name: str) -> Vector:
    return np.array(table.column(name).to_pylist(), dtype=np.float64)


def _main_effect(parameter: str, result: str, x: Vector, y: Vector) -> MainEffect:
    groups = _groups(x)
    values, means = [float(x[rows].mean()) for rows in groups], [float(y[rows].mean()) for rows in groups]
    return MainEffect(parameter=parameter, result=result, values=np.array(values), means=np.array(means))


def _groups(x: Vector) -> list[IndexArray]:
    """Return the rows of each value, or of groups of neighbouring values if there are many."""
    levels = np.unique(x)
    if len(levels) <= _MOST_LEVELS:
        return [np.flatnonzero(x == level) for level in levels]
    count = min(max(len(x) // _LEAST_GROUP, 2), _MOST_LEVELS)
    return np.array_split(np.argsort(x, kind="stable"), count)


def _indices(
    method: Method, *, is_complete: bool, names: Sequence[str], X: Vector, Y: Vector
) -> tuple[Sequence[float | None], Sequence[float | None]]:
    """Return first-order and total indices of all parameters."""
    unknown = [None] * len(names)
    if not float(np.ptp(Y)) > 0.0:
        return unknown, unknown
    if method is Method.GRID:
        return ([_share_of_means(X[:, column], Y) for column in range(len(names))] if is_complete else unknown), unknown
    if method is Method.LIST or find_spec("SALib") is None:
        return unknown, unknown
    problem = {"num_vars": len(names), "names": list(names), "bounds": [[0.0, 1.0]] * len(names)}
    if method is Method.SALTELLI:
        return _saltelli_indices(problem, Y) if is_complete else (unknown, unknown)
    if len(Y) < _LEAST_RUNS:
        return unknown, unknown
    rbd_fast = import_module("SALib.analyze.rbd_fast")

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [float(one) for one in rbd_fast.analyze(problem, X, Y, num_resamples=2, seed=0)["S1"]], unknown


def _share_of_means(x: Vector, y: Vector) -> float:
    """Return the share of the variance that the means for each value have."""
    groups = [np.flatnonzero(x == level) for level in np.unique(x)]
    means = np.array([y[rows].mean() for rows in groups])
    weights = np.array([len(rows) for rows in groups]) / len(y)
    return float(weights @ (means - y.mean()) ** 2 / y.var())


def _saltelli_indices(problem: dict[str, Any], Y: Vector) -> tuple[list[float | None], list[float | None]]:
    sobol = import_module("SALib.analyze.sobol")

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = sobol.analyze(problem, Y, calc_second_order=False, num_resamples=2, seed=0)
    return [float(one) for one in found["S1"]], [float(one) for one in found["ST"]]
