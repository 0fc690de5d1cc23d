"""Slips of contacts half a step after their detection.

The leapfrog integrator detects contacts in the middle between two velocities, and friction acts on the slip at the end. A body
that rolls on its rim touches at another point then, and with the slip at the old one it gains or loses energy in proportion to
the step. A slip that changes from step to step because the point moves is therefore extrapolated by half of its last change.
A change that differs much from the one before is that of a point that jumps, as from one corner of a box to another.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ossature.array_types import AnyArray, Vector
from ossature.simulation.stateful_components import ComponentState
from ossature.simulation.stepping.compiled_stepping_structs import Contacts, set_addresses

_NEGLIGIBLE_CHANGE = 1e-6
"""Change of a slip in a step that is not extrapolated [m/s]."""
_STEADY_SQUARE = 0.5**2
"""Square of the relative difference of two successive changes up to which they are steady."""
_COLUMNS = 4


class SlipExtrapolation:
    """The tangential velocities of contacts at the end of the last step, and how they changed until its end.

    Attributes:
        corrections: The differences of the tangential velocities half a step later, shape (n, 2) [m/s]; None if all are zero.
    """

    def __init__(self) -> None:
        # Of each contact, in the engine's order: two velocities, and their last change [m/s].
        self._rows, self._count = np.zeros((0, _COLUMNS)), 0
        self.corrections: Vector | None = None
        self._changes: Vector | float = 0.0

    def start(self) -> None:
        """Start without an earlier step."""
        self._count, self.corrections = 0, None

    def find_corrections(self, velocities: Vector) -> None:
        """Compute the corrections of a step.

        Args:
            velocities: The tangential velocities before the step at the present contact points, shape (n, 2) [m/s].
        """
        self.corrections, self._changes = None, 0.0
        rows = self._rows[: min(self._count, len(velocities))]
        changes = velocities[: len(rows)] - rows[:, :2]
        are_notable = np.abs(changes) > _NEGLIGIBLE_CHANGE
        if not are_notable.any():
            return
        changes = np.where(are_notable, changes, 0.0)
        are_steady = _squares(changes - rows[:, 2:]) <= _STEADY_SQUARE * _squares(changes)
        self._changes, self.corrections = np.zeros(velocities.shape), np.zeros(velocities.shape)
        self._changes[: len(rows)] = changes
        self.corrections[: len(rows)] = np.where(are_steady[:, np.newaxis], 0.5 * changes, 0.0)

    def keep(self, velocities: Vector) -> None:
        """Keep the tangential velocities after a step, at the contact points before it."""
        self._count = len(velocities)
        if self._count > len(self._rows):
            self._rows = np.zeros((2 * self._count, _COLUMNS))
        rows = self._rows[: self._count]
        rows[:, :2], rows[:, 2:] = velocities, self._changes

    def describe(self, fields: Contacts) -> None:
        """Set the settings of the compiled loop."""
        fields.negligible_change, fields.steady_change_square = _NEGLIGIBLE_CHANGE, _STEADY_SQUARE

    def write_state(self, fields: Contacts) -> None:
        """Write the state for the compiled loop, which leaves steps with more contacts than there are rows to Python."""
        fields.kept_count, fields.kept_capacity = self._count, len(self._rows)
        set_addresses(fields, kept_slips=self._rows)

    def read_state_of_compiled_loop(self, fields: Contacts) -> None:
        """Continue with the state of the compiled loop."""
        self._count = fields.kept_count

    def get_state(self) -> ComponentState:
        """Return the velocities and their changes."""
        return {"contact slips": self._rows[: self._count].reshape(-1).copy()}

    def set_state(self, saved_state: Mapping[str, AnyArray]) -> None:
        """Restore what :meth:`get_state` returned."""
        # States of earlier versions do not have it.
        rows = np.asarray(saved_state.get("contact slips", np.zeros(0)), dtype=np.float64).reshape(-1, _COLUMNS)
        self._rows, self._count = rows.copy(), len(rows)


def _squares(vectors: Vector) -> Vector:
    # The compiled loop adds in the same order.
    squares: Vector = vectors[:, 0] * vectors[:, 0] + vectors[:, 1] * vectors[:, 1]
    return squares
