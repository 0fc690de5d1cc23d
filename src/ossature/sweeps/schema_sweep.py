"""Schema of the files of sweeps."""

from __future__ import annotations

from ossature.sweeps.sweep_spec import Method, Statistic
from ossature.syntax.schema import Element, child, element
from ossature.syntax.yaml_values import BOOLEAN, INTEGER, NUMBER, NUMBERS, STRING, STRINGS, word

OWN = "Ossature"
DISTRIBUTIONS = ("uniform", "log-uniform", "normal", "log-normal", "triangular")
INTEGRATORS = ("semi-implicit-euler", "implicit", "leapfrog", "staggered-euler")
RECORDINGS = ("parquet", "usdf", "npz", "csv", "json")


class SimulationElement(Element, source=OWN):
    """How each run is simulated."""

    duration: float | None = child(NUMBER, required=True, unit="s", doc="Duration of each run.")
    time_step: float | None = child(NUMBER, unit="s", doc="Time step; that of the model by default.")
    sample_interval: float | None = child(
        NUMBER, unit="s", doc="Interval between samples; by default only the start and the end are sampled."
    )
    integrator: str | None = child(word(*INTEGRATORS), doc="Integrator; chosen for the model by default.")
    contact_time_constant: float | None = child(
        NUMBER, unit="s", doc="Time constant of compliant contacts; contacts are rigid by default."
    )


class DesignElement(Element, source=OWN):
    """The design of the points."""

    method: str = child(
        word(*Method),
        default=Method.GRID,
        doc="All combinations of the values (grid), the values of all parameters side by side (list), or random points.",
    )
    count: int | None = child(INTEGER, doc="Number of random points.")
    seed: int = child(INTEGER, default=0, doc="Seed of random points.")


class ParameterElement(Element, source=OWN):
    """A parameter: the attributes that it sets, and `values`, a `column`, a `distribution`, an `expression` or `files`."""

    name: str | None = child(STRING, doc="Its name, in expressions and results; its path by default.")
    path: str | None = child(
        STRING, doc="The attribute, MODEL/ELEMENT.ATTRIBUTE; `*` means any part of the name of an element."
    )
    paths: tuple[str, ...] | None = child(STRINGS, doc="Several attributes with the same value.")
    relative: bool = child(BOOLEAN, default=False, doc="Whether its value multiplies the value of the model.")
    values: tuple[float, ...] | None = child(NUMBERS, doc="Its values.")
    column: str | None = child(STRING, doc="Its values: a column of the table.")
    expression: str | None = child(STRING, doc="Its value: an expression of other parameters.")
    files: tuple[str, ...] | None = child(STRINGS, doc="Model files that are simulated instead of the model.")
    distribution: str | None = child(word(*DISTRIBUTIONS), doc="Its distribution.")
    low: float | None = child(NUMBER, doc="Lower bound of the distribution.")
    high: float | None = child(NUMBER, doc="Upper bound of the distribution.")
    mode: float | None = child(NUMBER, doc="Most probable value, of a triangular distribution.")
    mean: float | None = child(NUMBER, doc="Mean, of a normal distribution.")
    median: float | None = child(NUMBER, doc="Median, of a log-normal distribution.")
    standard_deviation: float | None = child(
        NUMBER, doc="Standard deviation, of a normal distribution; of the natural logarithm, of a log-normal one."
    )


class OutputElement(Element, source=OWN):
    """A number, or a series, that each run yields."""

    name: str | None = child(STRING, required=True, doc="Its name, in expressions and results.")
    quantity: str | None = child(
        STRING,
        required=True,
        doc="The quantity, with the name of its column in recordings; a vector without index is its norm.",
    )
    statistic: str = child(word(*Statistic), default=Statistic.FINAL, doc="What of its samples.")
    threshold: float | None = child(NUMBER, doc="The threshold of `first-above` and `first-below`.")


class MetricElement(Element, source=OWN):
    """A number that follows from parameters and outputs."""

    name: str | None = child(STRING, required=True, doc="Its name.")
    expression: str | None = child(STRING, required=True, doc="The expression: `2 * torque / stiffness`.")


class StopElement(Element, source=OWN):
    """A run ends at the first sample at which a quantity is above or below a bound."""

    quantity: str | None = child(STRING, required=True, doc="The quantity, as of an output.")
    above: float | None = child(NUMBER, doc="The upper bound.")
    below: float | None = child(NUMBER, doc="The lower bound.")


class SweepFile(Element, source=OWN):
    """A sweep: many runs of one model with different parameters."""

    version: float | None = child(NUMBER, name="ossature-sweep", required=True, doc="The version: 1.")
    model: str | None = child(STRING, doc="The model file, relative to this file.")
    table: str | None = child(STRING, doc="A .csv or .parquet table with values of parameters, relative to this file.")
    simulation: SimulationElement | None = element(SimulationElement, required=True, doc="How each run is simulated.")
    design: DesignElement | None = element(DesignElement, doc="The design of the points; a grid by default.")
    parameters: tuple[ParameterElement, ...] = element(ParameterElement, repeated=True, required=True, doc="The parameters.")
    constraints: tuple[str, ...] | None = child(
        STRINGS, doc="Conditions of the parameters that each point satisfies: `2 * low < high`."
    )
    outputs: tuple[OutputElement, ...] = element(OutputElement, repeated=True, doc="What each run yields.")
    metrics: tuple[MetricElement, ...] = element(MetricElement, repeated=True, doc="What follows from the outputs.")
    stop: tuple[StopElement, ...] = element(StopElement, repeated=True, doc="What ends a run early.")
    recordings: str | None = child(word(*RECORDINGS), doc="Format of a recording of each run; none by default.")


ROOTS: tuple[tuple[str, type[Element]], ...] = (("sweep", SweepFile),)
