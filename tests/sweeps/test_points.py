"""Points of sweeps: distributions against scipy, designs against their definitions, and independence of the order."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.stats import qmc

from growth import is_growth_below
from ossature.diagnostics import Report
from ossature.sweeps import (
    Design,
    Distribution,
    Formula,
    LogNormal,
    LogUniform,
    Normal,
    Parameter,
    Points,
    Run,
    Sweep,
    Triangular,
    Uniform,
    Values,
    Variants,
)
from ossature.sweeps.binding import check_names
from ossature.sweeps.points import DesignError


def sweep(sources: dict[str, Any], design: Design, *constraints: str) -> Sweep:
    return Sweep(
        parameters=tuple([Parameter(name=name, source=source) for name, source in sources.items()]),
        run=Run(duration=1.0),
        design=design,
        constraints=tuple([Formula(text) for text in constraints]),
    )


DISTRIBUTIONS = [
    (Uniform(-2.0, 5.0), stats.uniform(-2.0, 7.0)),
    (LogUniform(0.01, 20.0), stats.loguniform(0.01, 20.0)),
    (Normal(3.0, 0.5), stats.norm(3.0, 0.5)),
    (Normal(3.0, 0.5, 2.5, 4.5), stats.truncnorm(-1.0, 3.0, 3.0, 0.5)),
    (LogNormal(2.0, 0.3), stats.lognorm(0.3, scale=2.0)),
    (Triangular(1.0, 1.5, 4.0), stats.triang(0.5 / 3.0, 1.0, 3.0)),
]


@pytest.mark.parametrize(("ours", "reference"), DISTRIBUTIONS)
def test_quantiles_are_those_of_scipy(ours: Distribution, reference: Any) -> None:
    for probability in np.linspace(0.001, 0.999, 50):
        assert ours.quantile(float(probability)) == pytest.approx(reference.ppf(probability), rel=1e-9)
    assert all(math.isfinite(ours.quantile(extreme)) for extreme in (2.0**-54, 1.0 - 2.0**-53))


@pytest.mark.parametrize(
    ("kind", "arguments"),
    [
        *((Uniform, (2.0, 1.0)), (LogUniform, (0.0, 1.0)), (Normal, (0.0, 0.0)), (Normal, (0.0, 1.0, 2.0, 1.0))),
        *((Normal, (0.0, 1.0, 90.0, 91.0)), (LogNormal, (-1.0, 1.0)), (Triangular, (0.0, 2.0, 1.0)), (Values, ((),))),
    ],
)
def test_impossible_distributions(kind: Any, arguments: tuple[Any, ...]) -> None:
    with pytest.raises(ValueError):
        kind(*arguments)


def test_a_grid_has_all_combinations_and_the_last_parameter_changes_fastest() -> None:
    lists = {"a": (1.0, 2.0, 3.0), "b": (0.5,), "c": (7.0, 8.0)}
    points = Points(sweep({name: Values(values) for name, values in lists.items()}, Design()))
    expected = [dict(zip(lists, combination, strict=True)) for combination in itertools.product(*lists.values())]
    assert [points[index].values for index in range(len(points))] == expected


def test_a_grid_of_many_parameters() -> None:
    """numpy's arrays have at most 64 dimensions."""
    sources = {f"p{number}": Values((1.0, 2.0) if number in (3, 90) else (0.0,)) for number in range(100)}
    points = Points(sweep(sources, Design()))
    assert [(point.values["p3"], point.values["p90"]) for point in points] == [(1.0, 1.0), (1.0, 2.0), (2.0, 1.0), (2.0, 2.0)]


def test_the_time_of_a_point_is_linear_in_the_number_of_formulas() -> None:
    few, many = (
        sweep({f"p{number}": Formula(f"p{number - 1} + 1") if number else Values((1.0,)) for number in range(count)}, Design())
        for count in (500, 4000)
    )
    for each in (few, many):
        report = Report()
        check_names(each, report)
        assert not report.errors
    assert is_growth_below(32.0, lambda: check_names(few, Report()), lambda: check_names(many, Report()))


def test_a_list_has_values_side_by_side() -> None:
    points = Points(sweep({"a": Values((1.0, 2.0)), "file": Variants(("x", "y"))}, Design(method="list")))
    assert [one.values for one in points] == [{"a": 1.0, "file": "x"}, {"a": 2.0, "file": "y"}]
    with pytest.raises(DesignError, match="different lengths: 'a' 1, 'b' 2"):
        Points(sweep({"a": Values((1.0,)), "b": Values((1.0, 2.0))}, Design(method="list")))
    with pytest.raises(DesignError, match=r"'a' has a distribution: .*design: {method: random, count: …} draws from it"):
        Points(sweep({"a": Uniform(0.0, 1.0)}, Design()))


@pytest.mark.parametrize("method", ["random", "latin-hypercube", "sobol"])
@settings(max_examples=20, deadline=None)
@given(order=st.permutations(range(24)), seed=st.integers(0, 2**63 - 1))
def test_a_point_depends_on_the_sweep_and_its_number_only(method: str, order: list[int], seed: int) -> None:
    defined = sweep({"a": Uniform(0.0, 1.0), "b": Normal(0.0, 1.0)}, Design(method=method, count=24, seed=seed), "a > 0.1")
    first, second = Points(defined), Points(defined)
    assert {index: first[index] for index in order} == {index: second[index] for index in range(24)}


def test_random_points_are_uniform_and_independent() -> None:
    points = Points(sweep({"a": Uniform(0.0, 1.0), "b": Uniform(0.0, 1.0)}, Design(method="random", count=4000, seed=5)))
    values = np.array([list(one.values.values()) for one in points], dtype=float)
    assert stats.kstest(values[:, 0], "uniform").pvalue > 1e-4
    assert abs(np.corrcoef(values.T)[0, 1]) < 0.06
    assert abs(np.corrcoef(values[1:, 0], values[:-1, 0])[0, 1]) < 0.06
    other = Points(sweep({"a": Uniform(0.0, 1.0), "b": Uniform(0.0, 1.0)}, Design(method="random", count=4000, seed=6)))
    assert other[0] != points[0]


def test_a_latin_hypercube_has_one_value_in_each_part() -> None:
    points = Points(sweep({"a": Uniform(0.0, 50.0), "b": Uniform(0.0, 50.0)}, Design(method="latin-hypercube", count=50)))
    for name in ("a", "b"):
        assert sorted(int(one.values[name]) for one in points) == list(range(50))


def test_the_sobol_sequence_is_that_of_scipy() -> None:
    points = Points(sweep({"a": Uniform(0.0, 1.0), "b": Uniform(0.0, 1.0)}, Design(method="sobol", count=20, seed=9)))
    expected = qmc.Sobol(2, rng=np.random.default_rng(9)).random_base2(5)[:20]
    assert np.array_equal([list(one.values.values()) for one in points], expected)


def test_constraints_and_formulas() -> None:
    sources = {"a": Uniform(0.0, 1.0), "b": Uniform(0.0, 1.0), "sum": Formula("a + b"), "double": Formula("2 * sum")}
    for point in Points(sweep(sources, Design(method="random", count=200), "b < a", "sum > 0.5")):
        a, b = float(point.values["a"]), float(point.values["b"])
        assert not point.is_excluded
        assert b < a and point.values["sum"] == a + b > 0.5 and point.values["double"] == 2.0 * (a + b)
    grid = Points(sweep({"a": Values((1.0, 2.0)), "b": Values((1.0, 2.0))}, Design(), "b < a"))
    assert [one.is_excluded for one in grid] == [True, True, False, True]
    impossible = Points(sweep({"a": Uniform(0.0, 1.0)}, Design(method="random", count=1), "a > 1", "log(0 - a) > 0"))
    assert impossible[0].is_excluded


def test_designs_need_their_number_of_points() -> None:
    for arguments in ({"method": "random"}, {"method": "grid", "count": 3}, {"method": "sobol", "count": 0}, {"seed": -1}):
        with pytest.raises(ValueError):
            Design(**arguments)


@pytest.mark.parametrize("method", ["latin-hypercube", "sobol", "random"])
def test_too_many_points_are_refused(method: str) -> None:
    with pytest.raises(DesignError, match=r"\d{13} points"):
        Points(sweep({"a": Uniform(0.0, 1.0)}, Design(method=method, count=10**12)))
