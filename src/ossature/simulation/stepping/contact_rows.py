"""The rows of contacts among the engine's constraints."""

from __future__ import annotations

import mujoco
import numpy as np

from ossature.array_types import Int32Array, Vector

ROWS = 3
"""Constraint rows of a contact in the engine: one normal, and two tangential."""


class ContactRows:
    """The rows of contacts, which are the last ones of the engine's constraints.

    Attributes:
        first: Number of the first one.
        count: Number of contacts with rows; -1 if there are some that are at rest, which are not counted.
        has_limits: Whether joints or tendons have limits.
        has_limit_margins: Whether these have margins.
    """

    def __init__(self, model: mujoco.MjModel, data: mujoco.MjData) -> None:
        self._model, self._data = model, data
        self.has_limits = bool(model.jnt_limited.any() or model.tendon_limited.any())
        self.has_limit_margins = bool(model.jnt_margin.any() or model.tendon_margin.any())
        self.first = self.count = 0

    def locate(self) -> int:
        """Update and return the number of the first row."""
        data = self._data
        self.first = data.ne + data.nf + (data.nl if self.has_limits else 0)
        return self.first

    def have_force(self) -> bool:
        """Whether a contact had a force in the last step."""
        # Of an elliptic cone all three forces are zero, or the one along the normal is positive.
        return self.count != 0 and bool(np.count_nonzero(self._data.efc_force[self.locate() :]))

    def frictions(self) -> Vector:
        """Return the coefficients of friction."""
        contacts = self._data.contact
        frictions: Vector = contacts.friction[:, 0]
        return frictions if frictions.size == self.count else frictions[contacts.efc_address >= 0]

    def geoms(self) -> Int32Array:
        """Return the engine's geoms, shape (n, 2)."""
        contacts = self._data.contact
        geoms: Int32Array = contacts.geom
        return geoms if len(geoms) == self.count else geoms[contacts.efc_address >= 0]

    def tangential(self, rows: Vector) -> Vector:
        """Return a view of the tangential velocities or accelerations, shape (n, 2), from those of all rows."""
        return rows[self.first : self.first + ROWS * self.count].reshape(-1, ROWS)[:, 1:]

    def project(self, velocities: Vector) -> Vector:
        """Return generalised velocities or accelerations along all rows of the engine."""
        rows = np.empty(self._data.nefc)
        mujoco.mj_mulJacVec(self._model, self._data, rows, velocities)
        return rows

    def clear_margins(self) -> None:
        """Clear the margins in these rows; other rows have margins only if joints or tendons do."""
        margins = self._data.efc_margin
        if self.has_limit_margins:
            margins[self.locate() :] = 0.0
        else:
            margins.fill(0.0)
