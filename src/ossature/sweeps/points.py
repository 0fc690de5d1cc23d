"""The points of a sweep: each is a function of the sweep and its number, so that order and executor have no effect."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np

from ossature.array_types import Array
from ossature.diagnostics import OssatureError
from ossature.sweeps.distributions import Distribution, Values
from ossature.sweeps.parse_expression import value_of
from ossature.sweeps.sweep_spec import Design, Formula, Method, Sweep, Variants

Value: TypeAlias = "float | str"

_MOST_DRAWS = 1000
"""Random points that are drawn until one satisfies the constraints."""
_MOST_POINTS = 10**7
_LEAST = 2.0**-54
"""Used for a random number of zero, at which quantiles may be infinite."""


class DesignError(OssatureError):
    """A design has no points, or needs a package that is not installed."""


@dataclass(frozen=True, slots=True)
class Point:
    """The parameters of one run.

    Attributes:
        index: The number of the run.
        values: The value of each parameter by name.
        is_excluded: Whether they violate a constraint.
    """

    index: int
    values: dict[str, Value]
    is_excluded: bool = False


class Points(Sequence[Point]):
    """The points of a sweep, computed when they are asked for.

    Args:
        sweep: The sweep.

    Raises:
        DesignError: A grid has a distribution, lists have different lengths, a design of numbers has files, or there are too
            many points.
    """

    def __init__(self, sweep: Sweep) -> None:
        self._sweep = sweep
        self._design: Design = sweep.design
        self._constraints = [one.expression for one in sweep.constraints]
        self._formulas = {one.name: one.source.expression for one in sweep.parameters if isinstance(one.source, Formula)}
        self._sources = {one.name: one.source for one in sweep.parameters if not isinstance(one.source, Formula)}
        self._count = self._design.count or self._count_values()
        if self._design.method is Method.SALTELLI:
            files = [name for name, source in self._sources.items() if isinstance(source, Variants)]
            if files:
                raise DesignError(f"a saltelli design varies numbers, not files as '{files[0]}'")
            self._count *= len(self._sources) + 2
        if self._count > _MOST_POINTS:
            raise DesignError(f"the design has {self._count} points; at most {_MOST_POINTS} are possible")

    def _count_values(self) -> int:
        lengths = []
        for name, source in self._sources.items():
            values = _values_of(source)
            if values is None:
                drawn = "design: {method: random, count: …} draws from it"
                raise DesignError(f"'{name}' has a distribution: a {self._design.method} design needs values; {drawn}")
            lengths.append(len(values))
        if self._design.method is Method.LIST and len(set(lengths)) > 1:
            sizes = ", ".join(f"'{name}' {length}" for name, length in zip(self._sources, lengths, strict=True))
            raise DesignError(f"the lists have different lengths: {sizes}")
        return math.prod(lengths) if self._design.method is Method.GRID else max(lengths, default=1)

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, index: int) -> Point:  # type: ignore[override]  # no slices
        if not 0 <= index < self._count:
            raise IndexError(index)
        for values in self._candidates(index):
            if all(value_of(constraint, values) > 0.0 for constraint in self._constraints):  # NaN does not satisfy it
                return Point(index, values)
        return Point(index, values, is_excluded=True)

    def _candidates(self, index: int) -> Iterator[dict[str, Value]]:
        """Yield the values of a point; of a random one further values, until some satisfy the constraints."""
        if self._design.method is Method.RANDOM:
            # A stream of random numbers for each point, of a generator that needs no state.
            generator = np.random.Generator(np.random.Philox(key=self._design.seed, counter=[0, 0, 0, index]))
            for _ in range(_MOST_DRAWS):
                yield self._from_unit(generator.random(len(self._sources)).tolist())
        elif self._design.is_random:
            yield self._from_unit(self._unit_samples[index].tolist())
        else:
            yield self._with_formulas(dict(zip(self._sources, self._listed(index), strict=True)))

    def _from_unit(self, numbers: Sequence[float]) -> dict[str, Value]:
        pairs = zip(self._sources.items(), numbers, strict=True)
        return self._with_formulas({name: _quantile(source, max(number, _LEAST)) for (name, source), number in pairs})

    def _listed(self, index: int) -> list[Value]:
        lists = [_values_of(source) or () for source in self._sources.values()]
        if self._design.method is Method.LIST:
            return [values[index] for values in lists]
        chosen: list[Value] = []
        for values in reversed(lists):  # the last one changes fastest
            index, place = divmod(index, len(values))
            chosen.append(values[place])
        return chosen[::-1]

    def _with_formulas(self, values: dict[str, Value]) -> dict[str, Value]:
        for name, expression in self._formulas.items():
            values[name] = value_of(expression, values)
        return {one.name: values[one.name] for one in self._sweep.parameters}

    @cached_property
    def _unit_samples(self) -> Array:
        """Numbers from 0 to 1 for each point and parameter, shape (points, parameters)."""
        try:
            from scipy.stats import qmc
        except ImportError as error:
            raise DesignError(f"a {self._design.method} design needs scipy: pip install 'ossature[sweep]'") from error
        dimensions, generator = len(self._sources), np.random.default_rng(self._design.seed)
        if self._design.method is Method.LATIN_HYPERCUBE:
            return np.asarray(qmc.LatinHypercube(dimensions, rng=generator).random(self._count))
        is_saltelli = self._design.method is Method.SALTELLI
        count = self._design.count or 1
        exponent = max(count - 1, 1).bit_length()  # the sequence is balanced only for powers of two
        sequence = qmc.Sobol(2 * dimensions if is_saltelli else dimensions, rng=generator).random_base2(exponent)[:count]
        return _saltelli_rows(sequence) if is_saltelli else np.asarray(sequence)


def _saltelli_rows(sequence: Array) -> Array:
    """Return for each row of two matrices A and B: that of A, that of A with each column of B in turn, and that of B."""
    count, dimensions = len(sequence), sequence.shape[1] // 2
    first, second = sequence[:, None, :dimensions], sequence[:, None, dimensions:]
    mixed = np.where(np.eye(dimensions, dtype=bool), second, first)
    return np.concatenate([first, mixed, second], axis=1).reshape(count * (dimensions + 2), dimensions)


def _values_of(source: object) -> tuple[Value, ...] | None:
    """Return the listed values of a parameter, or None if it has a distribution."""
    if isinstance(source, Variants):
        return source.names
    return source.values if isinstance(source, Values) else None


def _quantile(source: Distribution | Variants, number: float) -> Value:
    if isinstance(source, Variants):
        return source.names[min(int(number * len(source.names)), len(source.names) - 1)]
    return source.quantile(number)
