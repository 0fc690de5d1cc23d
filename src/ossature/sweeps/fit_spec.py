"""What a fit does: its parameters with bounds, and what was measured."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from ossature.diagnostics import Location


@dataclass(frozen=True, slots=True, kw_only=True)
class FitParameter:
    """A parameter to be found.

    Attributes:
        name: Its name.
        paths: The attributes that have its value, as in a sweep.
        initial: Its initial value; that of the model if None.
        low: Lower bound.
        high: Upper bound.
        origin: Location in the file of the fit, or None.
    """

    name: str
    paths: tuple[str, ...]
    initial: float | None = None
    low: float = -math.inf
    high: float = math.inf
    origin: Location | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        if not self.low < self.high:
            raise ValueError(f"'{self.name}': low must be below high")
        if self.initial is not None and not self.low < self.initial < self.high:
            raise ValueError(f"'{self.name}': the initial value must be between low and high")


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredSeries:
    """A measured quantity.

    Attributes:
        quantity: The quantity, as of an output of a sweep.
        values: Its values at the times of the fit.
        standard_deviation: Standard deviation of their noise, or None if unknown.
        origin: Location in the file of the fit, or None.
    """

    quantity: str
    values: tuple[float, ...]
    standard_deviation: float | None = None
    origin: Location | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        if self.standard_deviation is not None and not 0.0 < self.standard_deviation < math.inf:
            raise ValueError(f"the standard deviation of '{self.quantity}' must be positive")


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """A fit of parameters to measurements.

    Attributes:
        parameters: The parameters.
        measurements: What was measured.
        times: Times of the measurements [s], from the start of the simulation.
        time_step: Time step [s]; that of the model if None.
        integrator: Integrator; see :class:`ossature.simulation.Simulation`.
        search_runs: Number of simulations of a global search between the bounds, whose best point is the start of the fit.
        seed: Seed of the search.
    """

    parameters: tuple[FitParameter, ...]
    measurements: tuple[MeasuredSeries, ...]
    times: tuple[float, ...]
    time_step: float | None = None
    integrator: str | None = None
    search_runs: int = 0
    seed: int = 0

    def __post_init__(self) -> None:
        if self.search_runs < 0:
            raise ValueError(f"the number of runs of a search must not be negative, not {self.search_runs}")
        unbounded = [one.name for one in self.parameters if not math.isfinite(one.high - one.low)]
        if self.search_runs and unbounded:
            raise ValueError(f"a search needs bounds: '{unbounded[0]}' has none")
        if not self.parameters or not self.measurements:
            raise ValueError("a fit has at least one parameter and one measurement")
        if len(self.times) < 1 or self.times[0] < 0.0 or any(b <= a for a, b in zip(self.times, self.times[1:], strict=False)):
            raise ValueError("the times of the measurements must be positive, and increase")
        if any(len(one.values) != len(self.times) for one in self.measurements):
            raise ValueError("all measurements have the same times")
        if self.times[-1] <= 0.0 or len({one.quantity for one in self.measurements}) < len(self.measurements):
            raise ValueError("a quantity is measured once, up to a time after the start")
        known = [one.standard_deviation is not None for one in self.measurements]
        if any(known) and not all(known):
            raise ValueError("state the standard deviation of all measurements or of none")
