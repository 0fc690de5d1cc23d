"""Schema of the files of fits."""

from __future__ import annotations

from ossature.sweeps.schema_sweep import INTEGRATORS, OWN
from ossature.syntax.schema import Element, child, element
from ossature.syntax.yaml_values import INTEGER, NUMBER, STRING, STRINGS, word


class FitSimulationElement(Element, source=OWN):
    """How the model is simulated; the duration is that of the recording."""

    time_step: float | None = child(NUMBER, unit="s", doc="Time step; that of the model by default.")
    integrator: str | None = child(word(*INTEGRATORS), doc="Integrator; chosen for the model by default.")


class FitParameterElement(Element, source=OWN):
    """A parameter to be found."""

    name: str | None = child(STRING, doc="Its name; its path by default.")
    path: str | None = child(STRING, doc="The attribute, as in a sweep.")
    paths: tuple[str, ...] | None = child(STRINGS, doc="Several attributes with the same value.")
    initial: float | None = child(NUMBER, doc="Its initial value; that of the model by default.")
    low: float | None = child(NUMBER, doc="Lower bound.")
    high: float | None = child(NUMBER, doc="Upper bound.")


class MeasurementElement(Element, source=OWN):
    """A measured quantity."""

    quantity: str | None = child(STRING, required=True, doc="The quantity, as of an output of a sweep.")
    column: str | None = child(STRING, doc="Its column in the recording; that of the same name by default.")
    standard_deviation: float | None = child(
        NUMBER, doc="Standard deviation of its noise; estimated from the residuals by default."
    )


class SearchElement(Element, source=OWN):
    """A global search between the bounds of all parameters, whose best point is the start of the fit."""

    runs: int = child(INTEGER, default=0, doc="Number of simulations.")
    seed: int = child(INTEGER, default=0, doc="Seed of random numbers.")


class FitFile(Element, source=OWN):
    """A fit: the parameters with which a model follows a recording."""

    version: float | None = child(NUMBER, name="ossature-fit", required=True, doc="The version: 1.")
    model: str | None = child(STRING, required=True, doc="The model file, relative to this file.")
    recording: str | None = child(
        STRING, required=True, doc="The .csv, .parquet or .usdf file with the measurements, relative to this file."
    )
    time: str = child(STRING, default="time", doc="Its column with the times [s].")
    simulation: FitSimulationElement | None = element(FitSimulationElement, doc="How the model is simulated.")
    search: SearchElement | None = element(SearchElement, doc="A global search for the start; none by default.")
    parameters: tuple[FitParameterElement, ...] = element(
        FitParameterElement, repeated=True, required=True, doc="The parameters."
    )
    measurements: tuple[MeasurementElement, ...] = element(
        MeasurementElement, repeated=True, required=True, doc="What was measured."
    )


FIT_ROOTS: tuple[tuple[str, type[Element]], ...] = (("fit", FitFile),)
