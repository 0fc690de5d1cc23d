"""Wrenches of equality constraints on points, poses and distances between bodies."""

from __future__ import annotations

import mujoco
import numpy as np

from ossature.array_types import Vector
from ossature.simulation.compile.engine_model import EngineModel
from ossature.simulation.compile.joint_actuation import drive_welds
from ossature.simulation.observation.rows_of_vectors import quaternion_products, rotated
from ossature.simulation.observation.tendons_between_sites import is_between_sites, tendon_ends
from ossature.simulation.observation.wrench_pairs import Pairs, no_pairs


class SpatialConstraints:
    """The constraints on points, poses and distances between bodies, without those of driven joints.

    Attributes:
        pairs: Their wrenches, computed by :meth:`compute`.
        equalities: Their engine ids.
    """

    def __init__(self, compiled: EngineModel, data: mujoco.MjData) -> None:
        self._model, self._data = compiled.model, data
        model = compiled.model
        kinds = model.eq_type
        points = np.flatnonzero(kinds == mujoco.mjtEq.mjEQ_CONNECT)
        welds = np.flatnonzero(kinds == mujoco.mjtEq.mjEQ_WELD)
        welds = np.setdiff1d(welds, drive_welds(model, compiled.index))  # which are parts of the reactions of their joints
        # Two equal distances are kept inside of a clone, which transmits their forces to nothing else.
        lines = np.flatnonzero((kinds == mujoco.mjtEq.mjEQ_TENDON) & (model.eq_obj2id < 0))
        is_mjcf_world = compiled.is_mjcf_world  # tendons include their equalities
        lines = np.array(
            [number for number in lines if not is_mjcf_world and is_between_sites(model, int(model.eq_obj1id[number]))],
            dtype=np.intp,
        )
        self.equalities = np.concatenate((points, welds, lines))
        self._body_equalities = np.concatenate((points, welds))
        self._point_count, self._weld_count = points.size, welds.size
        objects = model.eq_obj1id[self._body_equalities], model.eq_obj2id[self._body_equalities]
        self._at_sites = np.flatnonzero(model.eq_objtype[self._body_equalities] == mujoco.mjtObj.mjOBJ_SITE)
        self._site_pair = [numbers[self._at_sites] for numbers in objects]
        for numbers, sites in zip(objects, self._site_pair, strict=True):
            numbers[self._at_sites] = model.site_bodyid[sites]
        self._first, self._second = objects
        self._tendons = model.eq_obj1id[lines]
        # A connect has three rows, a weld six, a tendon one.
        widths = np.repeat((3, 6, 1), (points.size, welds.size, lines.size))
        self._columns = np.arange(6)
        self._has_column = self._columns < widths[:, None]
        self.pairs = no_pairs()

    def compute(self) -> None:
        """Compute :attr:`pairs` in the step of the engine's data."""
        if not self.equalities.size:
            return
        model, data = self._model, self._data
        efforts = self._row_forces()
        body_efforts, count = efforts[: self._body_equalities.size], self._point_count
        numbers = model.eq_data[self._body_equalities]
        on_first = np.concatenate((numbers[:count, :3], numbers[count:, 3:6]))
        on_second = np.concatenate((numbers[:count, 3:6], numbers[count:, :3]))
        torques = np.zeros((self.equalities.size, 3))
        if self._weld_count:
            torques[count : count + self._weld_count] = self._weld_torques(numbers[count:], body_efforts[count:, 3:])
        first, second = self._first, self._second
        at_first = data.xpos[first] + rotated(data.xmat[first], on_first)
        at_second = data.xpos[second] + rotated(data.xmat[second], on_second)
        for points, sites in zip((at_first, at_second), self._site_pair, strict=True):
            points[self._at_sites] = data.site_xpos[sites]
        forces = body_efforts[:, :3]
        if self._tendons.size:
            first_line, second_line, ends, others, lines = tendon_ends(model, data, self._tendons)
            first, second = np.concatenate((first, first_line)), np.concatenate((second, second_line))
            at_first, at_second = np.concatenate((at_first, ends)), np.concatenate((at_second, others))
            forces = np.concatenate((forces, efforts[self._body_equalities.size :, :1] * lines))
        self.pairs = Pairs(first, second, at_first, at_second, forces, torques)

    def _row_forces(self) -> Vector:
        """Return the forces of the rows of each equality, shape (equalities, 6); zero for missing rows."""
        data, count = self._data, int(self._data.ne)
        if not count:
            return np.zeros((self.equalities.size, 6))
        numbers = data.efc_id[:count]
        starts = np.searchsorted(numbers, self.equalities)
        is_active = numbers.take(starts, mode="clip") == self.equalities
        rows = data.efc_force.take(starts[:, None] + self._columns, mode="clip")
        return np.where(self._has_column & is_active[:, None], rows, 0.0)

    def _weld_torques(self, numbers: Vector, efforts: Vector) -> Vector:
        """Return the torques of welds on their first bodies, in axes of the world.

        The rates of the engine's three rows are half the imaginary part of q2⁻¹ ∘ ω ∘ q1 ∘ q, with the target rotation q and
        the difference of angular velocities ω, times a scale. So a torque is that of q2 ∘ f ∘ (q1 ∘ q)⁻¹. Between sites, q1
        ∘ q and q2 are the rotations of the sites.

        Args:
            numbers: The engine's ``eq_data`` of the welds.
            efforts: The forces f of the three rows.
        """
        model, data, welds = self._model, self._data, slice(self._point_count, None)
        first, second = data.xquat[self._first[welds]], data.xquat[self._second[welds]]
        turns = numbers[:, 6:10].copy()
        at_sites = self._at_sites >= self._point_count
        rows = self._at_sites[at_sites] - self._point_count
        turns[rows] = model.site_quat[self._site_pair[0][at_sites]]
        second[rows] = quaternion_products(second[rows], model.site_quat[self._site_pair[1][at_sites]])
        target = quaternion_products(first, turns)
        target *= (1.0, -1.0, -1.0, -1.0)
        pure = np.zeros((len(numbers), 4))
        pure[:, 1:] = 0.5 * numbers[:, 10:11] * efforts
        return quaternion_products(quaternion_products(second, pure), target)[:, 1:]
