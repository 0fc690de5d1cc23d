"""Margins of shapes, within which the engine detects contacts before they close."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import mujoco
import numpy as np

from ossature.array_types import AnyArray, Int32Array, Int64Array, Vector
from ossature.simulation.compile.engine_model import EngineModel
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


@dataclass(frozen=True, slots=True, kw_only=True)
class _MovingShapes:
    """What margins depend on in all models that differ in inertias only.

    Attributes:
        specified: The margins of all shapes that the model specifies [m].
        acceleration: The acceleration that margins allow for [m/s²].
        geoms: The shapes of bodies that can move.
        selection: These, as a slice if they follow each other, which is usual: it is much faster than indices.
        bodies: The body of each of them.
        roots: The root of the tree of each of them.
        reach: The distance of their points from their centres [m].
        least: The smallest margin of each of them [m].
    """

    specified: Vector
    acceleration: float
    geoms: Int64Array
    selection: slice | Int64Array
    bodies: Int64Array
    roots: Int64Array
    reach: Vector
    least: Vector


def _find_moving_shapes(compiled: EngineModel, _: None) -> _MovingShapes:
    model = compiled.model
    specified, bodies = np.array(model.geom_margin), np.array(model.geom_bodyid, dtype=np.int64)
    moving = np.flatnonzero(model.body_weldid[bodies] > 0).astype(np.int64)
    follow_each_other = moving.size > 0 and moving[-1] - moving[0] == moving.size - 1
    return _MovingShapes(
        specified=specified,
        acceleration=max(float(np.linalg.norm(model.opt.gravity)), _MIN_ACCELERATION),
        geoms=moving,
        selection=slice(moving[0], moving[-1] + 1) if follow_each_other else moving,
        bodies=bodies[moving],
        roots=np.array(model.body_rootid, dtype=np.int64)[bodies[moving]],
        reach=model.geom_rbound[moving],
        least=specified[moving] + _MIN_MARGIN_M,
    )


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

    def __init__(self, compiled: EngineModel, data: mujoco.MjData) -> None:
        self._model, self._data = compiled.model, data
        self._margins = compiled.model.geom_margin
        self._shapes = compiled.shared_results.get(_find_moving_shapes, compiled, None)
        self.specified, self.acceleration = self._shapes.specified, self._shapes.acceleration
        self.has_specified = bool(self.specified.any())
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

    def describe(self, fields: Contacts) -> None:
        """Set the fields of the compiled loop that update the margins."""
        shapes = self._shapes
        fields.moving_count, fields.largest_margin = shapes.geoms.size, _MAX_MARGIN_M
        set_addresses(fields, margins=self._margins, margin_qvel=self.velocities)
        set_addresses(fields, reach=shapes.reach, least_margins=shapes.least)
        set_addresses(fields, geom_xpos=self._geom_xpos, subtree_com=self._subtree_com, cvel=self._cvel)
        set_index_addresses(fields, moving_geoms=shapes.geoms, moving_bodies=shapes.bodies, moving_roots=shapes.roots)

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
        model, data, shapes = self._model, self._data, self._shapes
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_comVel(model, data)
        arms = self._geom_xpos[shapes.selection] - self._subtree_com.take(shapes.roots, axis=0)
        velocities = self._cvel.take(shapes.bodies, axis=0)
        with np.errstate(over="ignore", invalid="ignore"):
            # The compiled loop adds in the same order.
            angular_speeds, linear_speeds = _lengths(velocities[:, :3]), _lengths(velocities[:, 3:])
            extents = _lengths(arms) + shapes.reach
            travel = self._travel_time * (linear_speeds + angular_speeds * extents + self._speed_allowance)
        # The engine fails with margins that are not finite; fmin bounds NaN, too.
        np.fmin(travel, _MAX_MARGIN_M, out=travel)
        self._margins[shapes.selection] = travel + shapes.least
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
