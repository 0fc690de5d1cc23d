"""Margins of shapes, within which the engine detects contacts before they close."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import mujoco
import numpy as np

from ossature.array_types import AnyArray, Int32Array, Vector
from ossature.simulation.stateful_components import ComponentState
from ossature.simulation.stepping.compiled_stepping_structs import Contacts, set_addresses, set_index_addresses

_SECONDS_BETWEEN_UPDATES = 0.064
"""Time between updates of margins, unless velocities change by more than margins allow for [s]."""
_FEWEST_STEPS_BETWEEN_UPDATES, _MOST_STEPS_BETWEEN_UPDATES = 16, 64
_MIN_ACCELERATION = 9.81
"""Smallest acceleration that margins allow for, also in a World with less gravity [m/s²]."""
_MARGIN_FACTOR = 1.1
_MIN_MARGIN_M = 1e-5
_MAX_MARGIN_M = 1e9


class ContactMargins:
    """The margins in the engine's model: the distance that each shape can travel in a step, until their next update.

    Attributes:
        specified: The margins that the model specifies [m].
        has_specified: Whether one of these is not zero.
        acceleration: The acceleration that they allow for [m/s²]: that of gravity, or the standard one if it is larger.
        steps_left: Number of steps until the next update.
        velocities: The generalised velocities at the last update.
        largest_change_square: Square of the largest change of velocities that the margins allow for.
    """

    def __init__(self, model: mujoco.MjModel, data: mujoco.MjData) -> None:
        self._model, self._data = model, data
        self._margins = model.geom_margin
        self.specified = np.array(model.geom_margin)
        self.has_specified = bool(self.specified.any())
        bodies = np.array(model.geom_bodyid)
        moving = np.flatnonzero(np.array(model.body_weldid)[bodies] > 0)
        self._moving_geoms = moving
        # A slice is much faster than indices, and the shapes of moving bodies usually follow each other.
        is_contiguous = moving.size > 0 and moving[-1] - moving[0] == moving.size - 1
        self._moving = slice(moving[0], moving[-1] + 1) if is_contiguous else moving
        self._bodies = bodies[self._moving]
        self._roots = np.array(model.body_rootid)[self._bodies]
        self._reach = np.array(model.geom_rbound)[self._moving]
        self._least = self.specified[self._moving] + _MIN_MARGIN_M
        self.acceleration = max(float(np.linalg.norm(model.opt.gravity)), _MIN_ACCELERATION)
        self._geom_xpos, self._subtree_com, self._cvel, self._qvel = data.geom_xpos, data.subtree_com, data.cvel, data.qvel
        self.velocities = np.array(data.qvel)
        self._change = np.empty(data.qvel.size)
        self.largest_change_square = 0.0
        self.steps_left = 0
        self._step, self._steps_between_updates = 0.0, 0

    def set_time_step(self, step: float) -> None:
        """Set the time step [s], and update the margins before the next step."""
        self._step, self.steps_left = step, 0
        steps = round(_SECONDS_BETWEEN_UPDATES / step)
        self._steps_between_updates = min(max(steps, _FEWEST_STEPS_BETWEEN_UPDATES), _MOST_STEPS_BETWEEN_UPDATES)
        velocity_change = self.acceleration * step
        self._travel_time = _MARGIN_FACTOR * step
        self._velocity_change = velocity_change * self._steps_between_updates
        self._speed_allowance = velocity_change * (self._steps_between_updates + 1)

    def describe(self, fields: Contacts, kept: list[Any]) -> None:
        """Set the fields of the compiled loop that update the margins; the arrays that it needs are kept in a list."""
        reach, least = np.array(self._reach), np.array(self._least)
        indices = [np.array(each, dtype=np.int64) for each in (self._moving_geoms, self._bodies, self._roots)]
        kept += [reach, least, *indices]
        fields.moving_count, fields.largest_margin = len(indices[0]), _MAX_MARGIN_M
        set_addresses(fields, margins=self._margins, margin_qvel=self.velocities, reach=reach, least_margins=least)
        set_addresses(fields, geom_xpos=self._geom_xpos, subtree_com=self._subtree_com, cvel=self._cvel)
        set_index_addresses(fields, moving_geoms=indices[0], moving_bodies=indices[1], moving_roots=indices[2])

    def write_state(self, fields: Contacts) -> None:
        """Write the state for the compiled loop, and what depends on the time step."""
        fields.steps_left, fields.largest_change_square = self.steps_left, self.largest_change_square
        fields.steps_between_updates, fields.travel_time = self._steps_between_updates, self._travel_time
        fields.velocity_change, fields.speed_allowance = self._velocity_change, self._speed_allowance

    def read_state_of_compiled_loop(self, fields: Contacts) -> None:
        """Continue with the state of the compiled loop."""
        self.steps_left, self.largest_change_square = fields.steps_left, fields.largest_change_square

    def get_state(self) -> ComponentState:
        """Return the margins, and the velocities and their change that they are valid for."""
        return {
            "margins": self._margins.copy(),
            "margin velocities": self.velocities.copy(),
            "margin change": np.array([self.largest_change_square]),
        }

    def set_state(self, saved_state: Mapping[str, AnyArray]) -> None:
        """Restore what :meth:`get_state` returned."""
        if saved_state["margins"].shape != self._margins.shape:
            raise ValueError("the saved contact state is for other shapes")
        if saved_state["margin velocities"].shape != self.velocities.shape:
            raise ValueError("the saved contact state is for other degrees of freedom")
        self._margins[:] = saved_state["margins"]
        self.velocities[:] = saved_state["margin velocities"]
        self.largest_change_square = float(saved_state["margin change"][0])

    @property
    def allow_for_velocities(self) -> bool:
        """Whether the margins allow for the present velocities."""
        change = np.subtract(self._qvel, self.velocities, out=self._change)
        return bool(change.dot(change) <= self.largest_change_square)

    def update(self) -> None:
        """Set the margin of each shape to the distance its fastest point travels in a step, until the next update.

        Margins allow for the change of velocities by gravity until then. An angular velocity changes the velocity of a
        point by as much as its distance, so that the change of generalised velocities is bounded by less in large models.
        """
        model, data = self._model, self._data
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_comVel(model, data)
        arms = self._geom_xpos[self._moving] - self._subtree_com.take(self._roots, axis=0)
        velocities = self._cvel.take(self._bodies, axis=0)
        with np.errstate(over="ignore", invalid="ignore"):
            # The compiled loop adds in the same order.
            angular_speeds, linear_speeds = _lengths(velocities[:, :3]), _lengths(velocities[:, 3:])
            extents = _lengths(arms) + self._reach
            travel = self._travel_time * (linear_speeds + angular_speeds * extents + self._speed_allowance)
        # The engine fails with margins that are not finite; fmin bounds NaN, too.
        np.fmin(travel, _MAX_MARGIN_M, out=travel)
        self._margins[self._moving] = travel + self._least
        largest_change = self._velocity_change / max(float(extents.max(initial=0.0)), 1.0)
        self.largest_change_square = largest_change * largest_change
        np.copyto(self.velocities, self._qvel)
        self.steps_left = self._steps_between_updates

    def remove(self) -> None:
        """Set all margins to zero."""
        self._margins.fill(0.0)

    def specified_between(self, geoms: Int32Array) -> Vector:
        """Return the distance at which the shapes of contacts touch according to their model [m].

        Args:
            geoms: The engine's indices of the shapes of each contact, shape (n, 2).
        """
        margins: Vector = self.specified[geoms].sum(axis=1)
        return margins


def _lengths(vectors: Vector) -> Vector:
    x, y, z = vectors.T
    return np.asarray(np.sqrt(x * x + y * y + z * z))
