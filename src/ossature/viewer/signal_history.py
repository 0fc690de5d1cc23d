"""Signals of simulations and recordings over time, by the names that recordings use."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ossature.array_types import Array
from ossature.recordings.sample_columns import BODIES, CONTACTS, ELEMENTS, JOINTS, REACTIONS, Columns, RecordedQuantity

if TYPE_CHECKING:
    from ossature.simulation import Simulation

MAX_SAMPLES = 3000
"""Samples of a curve; longer series are thinned."""
MAX_COLUMNS = 1000
"""Numbers of a sample up to which all signals of motion are kept."""

_FORCE_GROUPS = (ELEMENTS, REACTIONS, CONTACTS)
_UNITS = {
    (BODIES, "position"): "m",
    (BODIES, "linear_velocity"): "m/s",
    (BODIES, "angular_velocity_body"): "rad/s",
    (JOINTS, "positions"): "rad or m",
    (JOINTS, "velocities"): "rad/s or m/s",
    (REACTIONS, "force"): "N",
    (REACTIONS, "torque"): "N·m",
    (CONTACTS, "force"): "N",
    ("energy", "potential"): "J",
    ("energy", "kinetic"): "J",
    ("violation", ""): "m or rad",
}
MEASUREMENTS = "measurements"
"""Group of the values of sensors of MJCF files."""


def unit_of(quantity: RecordedQuantity) -> str:
    """Return the unit of a quantity, empty if it depends on the element."""
    return _UNITS.get((quantity.group, quantity.field), "")


@dataclass(frozen=True, kw_only=True)
class SignalTable:
    """Quantities over time.

    Attributes:
        columns: The columns of the table; the first one is the time.
        rows: A row for each sample, shape (n, columns).
    """

    columns: Columns
    rows: Array

    @cached_property
    def quantities(self) -> dict[str, tuple[RecordedQuantity, slice]]:
        """The quantities other than time with their columns, by label."""
        return {quantity.label: (quantity, part) for quantity, part in self.columns.slices[1:]}

    def times(self) -> Array:
        """Return the times of the samples since the first one [s]."""
        return np.asarray(self.rows[:, 0] - self.rows[0, 0]) if len(self.rows) else np.zeros(0)

    def values(self, label: str) -> Array | None:
        """Return the values of a quantity, shape (n, width), or None if it was not recorded."""
        found = self.quantities.get(label)
        return None if found is None else np.asarray(self.rows[:, found[1]])


def sample_signals(simulation: Simulation, *, forces: bool = True) -> SignalTable:
    """Return the current values of the signals of a simulation, as a table of one row.

    Args:
        forces: Whether reactions, contact forces and forces of force elements are included, at the cost of about two steps.
    """
    columns, rows = simulation.run(0.0, forces=forces).to_rows()
    row = rows[-1:]
    measured = [
        (RecordedQuantity(group=MEASUREMENTS, field=f"{model}/{name}", width=len(values)), values)
        for model, sensors in simulation.measurements().items()
        for name, values in sensors.items()
    ]
    if measured:
        columns = Columns((*columns.quantities, *(quantity for quantity, _ in measured)))
        row = np.concatenate([row, [[value for _, values in measured for value in values]]], axis=1)
    return SignalTable(columns=columns, rows=row)


def needs_forces(quantity: RecordedQuantity) -> bool:
    """Whether a quantity is a force that costs further computations."""
    return quantity.group in _FORCE_GROUPS


class SignalHistory:
    """The last values of the signals of a live simulation.

    Signals of motion are always kept, so that one that is plotted later has its past; those of forces, and those of a model
    with more than :data:`MAX_COLUMNS` values, from when they are plotted.
    """

    def __init__(self) -> None:
        self._times: list[float] = []
        self._motion: SignalTable | None = None
        self._rows: list[Array] = []
        self._values: dict[str, list[Array]] = {}

    @property
    def start(self) -> float:
        """Time of the first sample [s]."""
        return self._times[0] if self._times else 0.0

    def clear(self) -> None:
        """Forget all samples."""
        self._times, self._motion, self._rows, self._values = [], None, [], {}

    def append(self, time: float, motion: SignalTable, labels: Sequence[str] = (), forces: SignalTable | None = None) -> None:
        """Append the values of signals; an earlier time than the last one clears the history, the same one completes it.

        Args:
            time: The time [s].
            motion: The signals without forces.
            labels: Labels of the signals that are plotted.
            forces: All signals, or None.
        """
        if self._times and time < self._times[-1]:
            self.clear()
        if not self._times or time > self._times[-1]:
            self._times.append(time)
            if motion.rows.shape[1] <= MAX_COLUMNS:
                self._motion = motion
                self._rows.append(motion.rows[0])
        kept = {} if self._motion is None else self._motion.quantities
        for label in labels:
            values = None if label in kept else (forces or motion).values(label)
            if values is not None:
                series = self._values.setdefault(label, [])
                missing = np.full(values.shape[1], np.nan)
                series += [missing] * (len(self._times) - len(series))
                series[-1] = values[0]
        for series in self._values.values():
            series += [np.full_like(series[0], np.nan)] * (len(self._times) - len(series))
        if len(self._times) > 2 * MAX_SAMPLES:
            self._times, self._rows = self._times[-MAX_SAMPLES:], self._rows[-MAX_SAMPLES:]
            self._values = {label: series[-MAX_SAMPLES:] for label, series in self._values.items()}

    def series(self, label: str) -> tuple[Array, Array] | None:
        """Return the times [s] and the values of a signal, shapes (n,) and (n, width), or None if there are none."""
        known = None if self._motion is None else self._motion.quantities.get(label)
        values = self._values.get(label) if known is None else [row[known[1]] for row in self._rows]
        return None if not values else (np.array(self._times), np.array(values))


def thinned(times: Array, values: Array) -> tuple[Array, Array, int]:
    """Return every n-th sample, so that there are at most :data:`MAX_SAMPLES`, and n."""
    every = -(-len(times) // MAX_SAMPLES) if len(times) else 1
    return times[::every], values[::every], every
