"""Distributions of parameters, by their quantile functions: any design of numbers from 0 to 1 becomes one of values."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Protocol


class Distribution(Protocol):
    """A distribution of numbers."""

    def quantile(self, probability: float) -> float:
        """Return the value below which a random number is with a probability, which is between 0 and 1."""


@dataclass(frozen=True, slots=True)
class Uniform:
    """The uniform distribution from `low` to `high`."""

    low: float
    high: float

    def __post_init__(self) -> None:
        _require(self.low <= self.high, f"low ({self.low:g}) must not be above high ({self.high:g})")

    def quantile(self, probability: float) -> float:
        """Return the value below which a random number is with a probability."""
        return self.low + probability * (self.high - self.low)


@dataclass(frozen=True, slots=True)
class LogUniform:
    """The distribution from `low` to `high` whose logarithm is uniform."""

    low: float
    high: float

    def __post_init__(self) -> None:
        _require(0.0 < self.low <= self.high, "low must be positive, and not above high")

    def quantile(self, probability: float) -> float:
        """Return the value below which a random number is with a probability."""
        return self.low * math.pow(self.high / self.low, probability)


@dataclass(frozen=True, slots=True)
class Normal:
    """The normal distribution, truncated to the range from `low` to `high`."""

    mean: float
    standard_deviation: float
    low: float = -math.inf
    high: float = math.inf

    def __post_init__(self) -> None:
        _require(self.standard_deviation > 0.0, "the standard deviation must be positive")
        _require(self.low < self.high, f"low ({self.low:g}) must be below high ({self.high:g})")
        below, above = self._range()
        _require(below < above, "the range is too far from the mean")

    def _range(self) -> tuple[float, float]:
        normal = NormalDist(self.mean, self.standard_deviation)
        return normal.cdf(self.low), normal.cdf(self.high)

    def quantile(self, probability: float) -> float:
        """Return the value below which a random number is with a probability."""
        below, above = self._range()
        inside = min(max(below + probability * (above - below), _LEAST), 1.0 - _LEAST)
        value = NormalDist(self.mean, self.standard_deviation).inv_cdf(inside)
        return min(max(value, self.low), self.high)


@dataclass(frozen=True, slots=True)
class LogNormal:
    """The distribution whose natural logarithm is normal.

    Attributes:
        median: Its median.
        standard_deviation: The standard deviation of the natural logarithm.
    """

    median: float
    standard_deviation: float

    def __post_init__(self) -> None:
        _require(self.median > 0.0, "the median must be positive")
        _require(self.standard_deviation > 0.0, "the standard deviation must be positive")

    def quantile(self, probability: float) -> float:
        """Return the value below which a random number is with a probability."""
        return self.median * math.exp(Normal(0.0, self.standard_deviation).quantile(probability))


@dataclass(frozen=True, slots=True)
class Triangular:
    """The distribution from `low` to `high` whose density is largest at `mode`."""

    low: float
    mode: float
    high: float

    def __post_init__(self) -> None:
        _require(self.low <= self.mode <= self.high and self.low < self.high, "low, mode and high must increase")

    def quantile(self, probability: float) -> float:
        """Return the value below which a random number is with a probability."""
        width, left = self.high - self.low, self.mode - self.low
        if probability * width <= left:
            return self.low + math.sqrt(probability * width * left)
        return self.high - math.sqrt((1.0 - probability) * width * (self.high - self.mode))


@dataclass(frozen=True, slots=True)
class Values:
    """A list of values, each with the same probability."""

    values: tuple[float, ...]

    def __post_init__(self) -> None:
        _require(bool(self.values), "a list of values must not be empty")

    def quantile(self, probability: float) -> float:
        """Return the value whose share of the range from 0 to 1 contains the number."""
        return self.values[min(int(probability * len(self.values)), len(self.values) - 1)]


_LEAST = 2.0**-53
"""Distance of probabilities from 0 and 1, where quantiles are infinite."""


def _require(condition: bool, message: str) -> None:
    if not condition:
        raise ValueError(message)
