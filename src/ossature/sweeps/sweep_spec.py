"""What a sweep does: its parameters, the design of its points, and what each run records."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from ossature.diagnostics import Location
from ossature.model import Expression
from ossature.sweeps.distributions import Distribution, Values
from ossature.sweeps.parse_expression import parse_expression

if TYPE_CHECKING:
    from ossature.simulation import Recording

    Function = Callable[[Recording], float]


class Method(StrEnum):
    """How the points of a sweep are chosen."""

    GRID = "grid"
    """All combinations of the values; the last parameter changes fastest."""
    LIST = "list"
    """The first values of all parameters, then the second ones, …."""
    RANDOM = "random"
    """Independent random numbers."""
    LATIN_HYPERCUBE = "latin-hypercube"
    """Random numbers of which each parameter has one in each of `count` parts of equal probability."""
    SOBOL = "sobol"
    """A scrambled Sobol sequence."""
    SALTELLI = "saltelli"
    """The points of Saltelli's method for Sobol indices: `count` · (parameters + 2) points, of a scrambled Sobol sequence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Design:
    """The design of the points of a sweep.

    Attributes:
        method: How the points are chosen.
        count: The number of points, of random designs; of the method ``saltelli`` that of each of its matrices.
        seed: The seed of random numbers.
    """

    method: Method = Method.GRID
    count: int | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "method", Method(self.method))
        if self.is_random and (self.count is None or self.count < 1):
            raise ValueError(f"a {self.method} design needs the number of its points: count")
        if not self.is_random and self.count is not None:
            raise ValueError(f"the number of points of a {self.method} design follows from its values")
        if not 0 <= self.seed < 2**63:
            raise ValueError("the seed must be from 0 to 2⁶³ - 1")

    @property
    def is_random(self) -> bool:
        """Whether the points are random or quasi-random."""
        return self.method not in (Method.GRID, Method.LIST)


@dataclass(frozen=True, slots=True)
class Formula:
    """A value that follows from other parameters.

    Attributes:
        text: The expression of their names: ``2 * stiffness``.
    """

    text: str

    def __post_init__(self) -> None:
        parse_expression(self.text)

    @property
    def expression(self) -> Expression:
        """The expression."""
        return parse_expression(self.text)


@dataclass(frozen=True, slots=True)
class Variants:
    """Model files, one of which is simulated.

    Attributes:
        names: Their names.
    """

    names: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """A parameter of a sweep.

    Attributes:
        name: Its name, in expressions and as a column of the results.
        paths: Paths of attributes that have its value, with ``*`` for any part of the name of an element; none for a variable
            of expressions.
        source: Its values.
        is_relative: Whether its value multiplies the attributes of the model, instead of replacing them.
        origin: Location in the file of the sweep, or None.
    """

    name: str
    paths: tuple[str, ...] = ()
    source: Distribution | Values | Formula | Variants
    is_relative: bool = False
    origin: Location | None = field(default=None, compare=False, repr=False)


class Statistic(StrEnum):
    """What an output is, of the samples of a quantity."""

    INITIAL = "initial"
    FINAL = "final"
    MINIMUM = "minimum"
    MAXIMUM = "maximum"
    PEAK = "peak"
    """The largest absolute value."""
    MEAN = "mean"
    """The mean over time, by the trapezoidal rule."""
    RMS = "rms"
    """The root of the mean square over time, by the trapezoidal rule."""
    INTEGRAL = "integral"
    """The integral over time, by the trapezoidal rule."""
    TIME_OF_MINIMUM = "time-of-minimum"
    TIME_OF_MAXIMUM = "time-of-maximum"
    FIRST_ABOVE = "first-above"
    """The time of the first sample above the threshold; null if there is none."""
    FIRST_BELOW = "first-below"
    """The time of the first sample below the threshold; null if there is none."""
    FIRST_AT_LIMIT = "first-at-limit"
    """The time of the first sample at which the position of a joint is at or beyond a limit; null if there is none."""
    SERIES = "series"
    """All samples."""


THRESHOLD_STATISTICS = (Statistic.FIRST_ABOVE, Statistic.FIRST_BELOW)


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    """A number, or a series, that a run yields.

    Attributes:
        name: Its name, as a column of the results.
        quantity: The quantity, with the name of its column in recordings (``arm/elbow.positions[0]``); a vector without
            index is its Euclidean norm, and ``energy.total`` the sum of both energies.
        statistic: What of its samples.
        threshold: The threshold of an event.
        origin: Location in the file of the sweep, or None.
    """

    name: str
    quantity: str
    statistic: Statistic = Statistic.FINAL
    threshold: float | None = None
    origin: Location | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "statistic", Statistic(self.statistic))
        if (self.statistic in THRESHOLD_STATISTICS) != (self.threshold is not None):
            raise ValueError(f"'{self.name}': first-above and first-below have a threshold, others have none")


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """A number that follows from parameters, outputs, and metrics before it.

    Attributes:
        name: Its name, as a column of the results.
        formula: The expression.
        origin: Location in the file of the sweep, or None.
    """

    name: str
    formula: Formula
    origin: Location | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class StopCondition:
    """A run ends at the first sample at which a quantity is above or below a bound.

    Attributes:
        quantity: The quantity, as of an output.
        above: The upper bound, or None.
        below: The lower bound, or None.
        origin: Location in the file of the sweep, or None.
    """

    quantity: str
    above: float | None = None
    below: float | None = None
    origin: Location | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        if self.above is None and self.below is None:
            raise ValueError(f"the stop condition of '{self.quantity}' needs a bound: above or below")


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What each run of a sweep simulates and records.

    Attributes:
        duration: Duration [s].
        time_step: Time step [s]; that of the model if None.
        sample_interval: Interval between samples [s]; only start and end are sampled if None.
        integrator: Integrator; see :class:`ossature.simulation.Simulation`.
        contact_time_constant: Time constant of compliant contacts [s]; contacts are rigid if None.
        outputs: What a run yields.
        metrics: What follows from its outputs.
        stop: Conditions that end it early.
        recordings: Suffix of the recordings to write, one for each run, such as ``.parquet``; None for none.
        functions: Further metrics by name: functions of the recording, which other processes must be able to import.
    """

    duration: float
    time_step: float | None = None
    sample_interval: float | None = None
    integrator: str | None = None
    contact_time_constant: float | None = None
    outputs: Sequence[Output] = ()
    metrics: Sequence[Metric] = ()
    stop: Sequence[StopCondition] = ()
    recordings: str | None = None
    functions: Mapping[str, Function] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not 0.0 <= self.duration < 1e9:
            raise ValueError(f"the duration must be between 0 and 1e9 s, not {self.duration:g} s")
        for name, step in (("time step", self.time_step), ("sample interval", self.sample_interval)):
            if step is not None and not 0.0 < step < 1e9:
                raise ValueError(f"the {name} must be positive, not {step:g} s")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sweep:
    """A sweep: many runs of one model with different parameters.

    Attributes:
        parameters: The parameters.
        run: What each run simulates and records.
        design: The design of the points.
        constraints: Conditions of the parameters that each point satisfies.
        text: The text of its file, or of its arguments; it identifies the sweep.
        origin: Location in its file, or None.
    """

    parameters: tuple[Parameter, ...]
    run: Run
    design: Design = Design()
    constraints: tuple[Formula, ...] = ()
    text: str = ""
    origin: Location | None = field(default=None, compare=False, repr=False)

    @property
    def variants(self) -> tuple[str, ...]:
        """The model files among which a parameter chooses; empty if there is no such parameter."""
        return next((one.source.names for one in self.parameters if isinstance(one.source, Variants)), ())
