"""Velocities half a step apart from positions."""

from __future__ import annotations

from collections.abc import Mapping

import mujoco
import numpy as np

from ossature.array_types import AnyArray, BoolArray, Vector
from ossature.simulation.stateful_components import ComponentState

_DIFFER = (np.array([-2.0, 1.0]), np.array([1.0, -2.0]))
"""Weights of them that give the second difference together with the velocity after them."""


_SETTLING_STEPS = 4
"""Steps after loops are closed until their residual is that of the motion, if their constraints are independent."""


class StaggeredVelocities:
    """The last two velocities, in the middle of successive steps.

    Args:
        data: The engine's data, with the present velocities.
        step: The length of an undivided step [s].

    Attributes:
        rows: The velocities, shape (2, n).
        last: The row of the last one: sums depend on it bit by bit.
        spacing: The time between them [s].
        estimate: The second difference of the last one that was examined.
        unsettled_steps: The number of steps in which the second difference is caused by a projection, and is not an error.
        closed_at: The time at which loops were closed [s].
        settling_steps: The number of steps after that until their residual, and the forces in proportion to it, are those of
            the motion; it is large for constraints that are nearly dependent.
        are_jumps: Which velocities may have jumped in the last step, so that the present ones are not extrapolated.
    """

    def __init__(self, data: mujoco.MjData, step: float) -> None:
        self._qvel, self._step, self._half = data.qvel, step, np.zeros(data.qvel.size)
        self.rows, self.last, self.spacing = np.zeros((2, data.qvel.size)), 0, step
        self.estimate = np.zeros(data.qvel.size)
        self.unsettled_steps, self.closed_at, self.settling_steps = 0, 0.0, _SETTLING_STEPS
        self.are_jumps = np.zeros(data.qvel.size, dtype=bool)

    def close_loops(self, time: float, settling_steps: int) -> None:
        """Note that loops are closed at a time [s], and the number of iterations or steps in which they settle."""
        self.closed_at, self.settling_steps = time, max(settling_steps, _SETTLING_STEPS)

    def start(self, spacing: float, acceleration: Vector) -> None:
        """Compute both from the present velocities and acceleration; velocities that jumped in the last step are kept."""
        present = self._qvel.copy()
        self.extrapolate()
        self.are_jumps &= self._qvel == present  # others were set from outside
        self._qvel[:] = present
        change = np.where(self.are_jumps, 0.0, spacing * acceleration)
        np.subtract(self._qvel, 0.5 * change, out=self.rows[self.last])
        np.subtract(self._qvel, 1.5 * change, out=self.rows[1 - self.last])
        self.spacing = spacing

    def extrapolate(self) -> None:
        """Set the present velocities: one and a half times the last staggered ones, less half of the earlier ones."""
        np.multiply(self.rows[self.last], 1.5, out=self._qvel)
        np.multiply(self.rows[1 - self.last], 0.5, out=self._half)
        self._qvel -= self._half

    def forget_jumps(self, are_jumps: BoolArray | None) -> None:
        """Replace the earlier velocities by the last ones where these jumped, because a jump must not be extrapolated."""
        if are_jumps is None:
            self.are_jumps.fill(False)
        else:
            self.are_jumps[:] = are_jumps
            np.copyto(self.rows[1 - self.last], self.rows[self.last], where=are_jumps)

    def second_difference(self, last: int) -> Vector:
        """Return the second difference of the velocities in the data and both before, of which the last one is in a row."""
        np.dot(_DIFFER[last], self.rows, out=self.estimate)
        self.estimate += self._qvel
        return self.estimate

    def ignore_in_estimate(self, are_ignored: BoolArray | None) -> Vector:
        """Set the second difference of some degrees of freedom to zero, and return all of them."""
        if are_ignored is not None:
            self.estimate[are_ignored] = 0.0
        return self.estimate

    def get_state(self) -> ComponentState:
        """Return the velocities, their spacing and the state of its changes."""
        return {
            "earlier": self.rows[1 - self.last].copy(),
            "last": self.rows[self.last].copy(),
            "row": np.array([self.last]),
            "spacing": np.array([self.spacing]),
            "unsettled": np.array([self.unsettled_steps]),
            "closed": np.array([self.closed_at, self.settling_steps]),
            "jumps": self.are_jumps.astype(np.int64),
        }

    def set_state(self, saved_state: Mapping[str, AnyArray]) -> None:
        """Restore what :meth:`get_state` returned.

        Raises:
            ValueError: The spacing is not that of an undivided or divided step.
        """
        spacing = float(saved_state["spacing"][0])
        if not 0.0 < spacing <= self._step:
            raise ValueError(f"sub-steps of {spacing:g} s do not divide steps of {self._step:g} s")
        self.spacing, self.unsettled_steps = spacing, int(saved_state["unsettled"][0])
        self.closed_at, self.settling_steps = float(saved_state["closed"][0]), int(saved_state["closed"][-1])
        self.last = int(saved_state["row"][0]) % 2
        # States of earlier versions do not have it.
        self.are_jumps[:] = saved_state.get("jumps", 0)
        self.rows[1 - self.last], self.rows[self.last] = saved_state["earlier"], saved_state["last"]
