"""Quantities of a recording by the names of their columns, and the statistics of their samples."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from ossature.array_types import BoolArray, Vector
from ossature.diagnostics import OssatureError, suggestion
from ossature.model import Range, World
from ossature.recordings.sample_columns import (
    BODIES,
    CONTACTS,
    ELEMENTS,
    JOINT_FIELDS,
    JOINTS,
    REACTIONS,
    TIME,
    Columns,
    RecordedQuantity,
)
from ossature.simulation import Recording
from ossature.simulation.observation.recording import coordinate_series
from ossature.simulation.state_report import AT_LIMIT
from ossature.sweeps.sweep_spec import Output, Statistic

_INDEX = re.compile(r"(.*)\[(\d{1,6})\]", re.DOTALL)
TOTAL_ENERGY = "energy.total"
FORCE_GROUPS = (ELEMENTS, REACTIONS, CONTACTS, "violation")
"""Groups that are recorded only together with forces."""


class QuantityError(OssatureError):
    """A quantity does not exist, or has no such statistic."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """A quantity of a recording.

    Attributes:
        recorded: What is recorded.
        component: The index of a component, or None for a scalar and for the norm of a vector.
        is_total_energy: Whether it is the sum of both energies.
    """

    recorded: RecordedQuantity
    component: int | None = None
    is_total_energy: bool = False

    @property
    def needs_forces(self) -> bool:
        """Whether it is recorded only together with forces."""
        return self.recorded.group in FORCE_GROUPS

    def samples(self, recording: Recording) -> Vector:
        """Return its samples, shape (samples,)."""
        if self.is_total_energy:
            return np.asarray(recording.energy.sum(axis=1))
        series = _series(self.recorded, recording)
        if series.ndim == 1:
            return series
        if self.component is None:
            return np.asarray(np.sqrt(np.sum(np.square(series), axis=1)))
        return np.asarray(series[:, self.component])


def find_quantity(columns: Columns, name: str, suggest: Callable[[str, Iterable[str]], str | None] = suggestion) -> Quantity:
    """Return the quantity with the name of a column, or of several columns without their index.

    Raises:
        QuantityError: There is none; the message names the nearest one.
    """
    known = {one.label: one for one in columns.quantities}
    if name == TOTAL_ENERGY:
        return Quantity(known["energy.potential"], is_total_energy=True)
    if name in known:
        return Quantity(known[name], 0 if known[name].width == 1 else None)  # the norm would have no sign
    index = _INDEX.fullmatch(name)
    if index is not None and index[1] in known and int(index[2]) < (known[index[1]].width or 0):
        return Quantity(known[index[1]], int(index[2]))
    words = [*columns.labels, TOTAL_ENERGY] if index is not None else [*known, TOTAL_ENERGY]
    raise QuantityError(f"unknown quantity '{name}': {suggest(name, words)}")


def joint_limits(world: World, quantity: Quantity) -> Range:
    """Return the position limits of the coordinate that a quantity is.

    Raises:
        QuantityError: It is not the position of a coordinate with limits.
    """
    recorded = quantity.recorded
    if recorded.group == JOINTS and recorded.field == "positions":
        coordinates = world.models[recorded.model].joints[recorded.name].coordinates
        number = quantity.component or 0
        if number < len(coordinates) and coordinates[number].position_limits != Range():
            return coordinates[number].position_limits
    raise QuantityError(f"'{recorded.label}' is not the position of a joint with limits")


def _series(recorded: RecordedQuantity, recording: Recording) -> Vector:
    """Return the samples of a recorded quantity, shape (samples,) or (samples, width)."""
    group, model, name, field = recorded.group, recorded.model, recorded.name, recorded.field
    if group == BODIES:
        return np.asarray(_body_arrays(recording)[field][:, recording.index.bodies[model][name].number])
    if group == JOINTS:
        return coordinate_series(recording, recording.index.joints[model][name])[JOINT_FIELDS.index(field)]
    if group == "energy":
        return np.asarray(recording.energy[:, ("potential", "kinetic").index(field)])
    if group == "violation":
        return recording.violation
    if group == TIME:
        return recording.times
    forces = {ELEMENTS: recording.elements, REACTIONS: recording.reactions, CONTACTS: recording.contacts}
    return forces[group][model][name][field]


def _body_arrays(recording: Recording) -> Mapping[str, Vector]:
    return {
        "position": recording.positions,
        "wxyz": recording.wxyz,
        "linear_velocity": recording.linear_velocities,
        "angular_velocity_body": recording.angular_velocities_body,
    }


# Statistics


def statistic_of(output: Output, times: Vector, samples: Vector, limits: Range | None) -> float | list[float] | None:
    """Return what an output is, of the samples of its quantity; None for an event that does not occur.

    Args:
        times: The times of the samples [s].
        limits: The limits of the joint whose position it is, for the event that one is reached.
    """
    match output.statistic:
        case Statistic.SERIES:
            return [float(value) for value in samples]
        case Statistic.FIRST_ABOVE | Statistic.FIRST_BELOW:
            threshold = output.threshold or 0.0
            is_above = output.statistic is Statistic.FIRST_ABOVE
            return _first_time(times, samples > threshold if is_above else samples < threshold)
        case Statistic.FIRST_AT_LIMIT:
            bounds = limits or Range()
            return _first_time(times, (samples <= bounds.lower + AT_LIMIT) | (samples >= bounds.upper - AT_LIMIT))
    return float(_STATISTICS[output.statistic](times, samples))


def _first_time(times: Vector, occurs: BoolArray) -> float | None:
    return float(times[np.argmax(occurs)]) if occurs.any() else None


def _trapezoid(times: Vector, samples: Vector) -> float:
    return float(0.5 * np.sum((samples[1:] + samples[:-1]) * np.diff(times)))


def _mean(times: Vector, samples: Vector) -> float:
    span = times[-1] - times[0]
    return _trapezoid(times, samples) / float(span) if span > 0.0 else float(samples[-1])


_STATISTICS: Mapping[Statistic, Callable[[Vector, Vector], float]] = {
    Statistic.INITIAL: lambda times, samples: samples[0],
    Statistic.FINAL: lambda times, samples: samples[-1],
    Statistic.MINIMUM: lambda times, samples: samples.min(),
    Statistic.MAXIMUM: lambda times, samples: samples.max(),
    Statistic.PEAK: lambda times, samples: np.abs(samples).max(),
    Statistic.MEAN: _mean,
    Statistic.RMS: lambda times, samples: math.sqrt(_mean(times, np.square(samples))),
    Statistic.INTEGRAL: lambda times, samples: _trapezoid(times, samples),
    Statistic.TIME_OF_MINIMUM: lambda times, samples: times[samples.argmin()],
    Statistic.TIME_OF_MAXIMUM: lambda times, samples: times[samples.argmax()],
}
