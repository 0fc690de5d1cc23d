"""Wrenches of actuators that act at sites, or between them."""

from __future__ import annotations

import mujoco
import numpy as np

from ossature.array_types import IntegerArray, Vector
from ossature.simulation.actuator_layout import actuator_of_forces
from ossature.simulation.observation.rows_of_vectors import cross, rotated
from ossature.simulation.observation.tendons_between_sites import is_between_sites, tendon_ends
from ossature.simulation.observation.wrench_pairs import Pairs
from ossature.simulation.stepping.stepper import StepVelocities


class SiteActuators:
    """The actuators that act at sites, or between them.

    Args:
        is_mjcf_world: Whether MuJoCo compiles the World. Then forces are those of its forward dynamics, and those of
            tendons are computed elsewhere.
        motors: Engine ids of the actuators of motors, whose two forces act at the first site. If the second body can move,
            other actuators add the moment that the engine lacks.

    Attributes:
        forces: The forces and torques of all actuators in the step, as the integrator evaluates them [N or N·m].
    """

    def __init__(self, model: mujoco.MjModel, data: mujoco.MjData, *, is_mjcf_world: bool, motors: list[int]) -> None:
        self._model, self._data, self._is_native = model, data, is_mjcf_world
        actuators = actuator_of_forces(model)
        kinds = model.actuator_trntype[actuators]
        targets, gears = model.actuator_trnid[actuators], model.actuator_gear.copy()
        turns_site = (kinds == _ORIENTATION) & (targets[:, 1] >= 0)
        at_sites = np.flatnonzero((kinds == mujoco.mjtTrn.mjTRN_SITE) | turns_site)
        # An orientation servo exerts the three components of a torque in the axes of its own site.
        turning = np.flatnonzero(turns_site)
        gears[turning] = np.eye(6)[3 + _positions_in_runs(actuators[turning])]
        self._at_sites = at_sites
        self._sites = targets[at_sites, 0]
        references = targets[at_sites, 1]
        self._references = np.where(references < 0, self._sites, references)
        self._gears = gears[at_sites]
        # The reaction of an actuator without a reference site is on the world.
        self._seconds = np.where(references < 0, 0, model.site_bodyid[self._references])
        self._acts_at_first = np.isin(at_sites, motors) & (model.body_weldid[self._seconds] == 0)
        # If both bodies have a moving common ancestor, the engine omits its motion from the moment arms. Opposite forces at two
        # points that are not collinear with them are then balanced by a torque on the ancestor.
        ancestors = [
            _common_ancestor(model, *bodies) for bodies in zip(model.site_bodyid[self._sites], self._seconds, strict=True)
        ]
        self._with_ancestor = np.flatnonzero(ancestors)
        self._ancestors = np.array(ancestors, dtype=np.intp)[self._with_ancestor]
        self._axes = np.where(turns_site[at_sites], self._sites, self._references)
        on_tendons = np.flatnonzero((kinds == mujoco.mjtTrn.mjTRN_TENDON) & (not is_mjcf_world))
        self._on_tendons = on_tendons[[is_between_sites(model, int(targets[number, 0])) for number in on_tendons]]
        self._tendons, self._tendon_gears = targets[self._on_tendons, 0], gears[self._on_tendons, 0]
        biases = model.actuator_biasprm[actuators]
        is_affine = model.actuator_biastype[actuators] == mujoco.mjtBias.mjBIAS_AFFINE
        self._stiffness = np.where(is_affine, -biases[:, 1], 0.0)
        self._damping = np.where(is_affine, -biases[:, 2], 0.0)
        self.forces: Vector = np.zeros(actuators.size)
        self._site_forces: Vector = np.zeros((at_sites.size, 3))
        self._site_torques: Vector = np.zeros((at_sites.size, 3))

    def compute(self, velocities: StepVelocities) -> None:
        """Compute :attr:`forces`: terms linear in length and rate are evaluated at the same instant as by the integrator."""
        model, data = self._model, self._data
        self.forces = data.actuator_force.copy()
        integrator = model.opt.integrator
        if self._is_native or not self.forces.size or integrator not in _IMPLICIT:
            return
        moments = np.zeros((self.forces.size, model.nv))
        mujoco.mju_sparse2dense(
            moments, data.actuator_moment.reshape(-1), data.moment_rownnz, data.moment_rowadr, data.moment_colind.reshape(-1)
        )
        self.forces -= self._damping * (moments @ (velocities.after - velocities.before))
        if integrator == mujoco.mjtIntegrator.mjINT_DISCRETE:
            self.forces -= self._stiffness * (velocities.duration * (moments @ velocities.after))

    def rows_at_sites(self, actuators: list[int]) -> IntegerArray:
        """Return the rows of actuators among all actuators at sites."""
        return np.flatnonzero(np.isin(self._at_sites, actuators))

    def at_sites(self, rows: IntegerArray) -> tuple[Vector, Vector]:
        """Return the sums of forces and of torques of actuators at the same site; call :meth:`pairs` first."""
        return self._site_forces[rows].sum(axis=0), self._site_torques[rows].sum(axis=0)

    def pairs(self) -> Pairs:
        """Return the wrenches of all actuators."""
        model, data, forces = self._model, self._data, self.forces
        tensions = forces[self._on_tendons] * self._tendon_gears
        first, second, points, others, lines = tendon_ends(model, data, self._tendons)
        if not self._at_sites.size:
            return Pairs(first, second, points, others, tensions[:, None] * lines, np.zeros_like(lines))
        axes = data.site_xmat[self._axes]
        wrenches = forces[self._at_sites, None] * self._gears
        self._site_forces, self._site_torques = rotated(axes, wrenches[:, :3]), rotated(axes, wrenches[:, 3:])
        site_forces, site_torques = self._site_forces, self._site_torques
        at_first, at_second = data.site_xpos[self._sites], data.site_xpos[self._references]
        at_second[self._acts_at_first] = at_first[self._acts_at_first]
        with_ancestor, zeros = self._with_ancestor, np.zeros((self._with_ancestor.size, 3))
        balancing = -cross(at_first[with_ancestor] - at_second[with_ancestor], site_forces[with_ancestor])
        return Pairs(
            np.concatenate((model.site_bodyid[self._sites], first, self._ancestors)),
            np.concatenate((self._seconds, second, np.zeros_like(self._ancestors))),
            np.concatenate((at_first, points, zeros)),
            np.concatenate((at_second, others, zeros)),
            np.concatenate((site_forces, tensions[:, None] * lines, zeros)),
            np.concatenate((site_torques, np.zeros_like(lines), balancing)),
        )


def _common_ancestor(model: mujoco.MjModel, first: int, second: int) -> int:
    """Return the last common ancestor of two bodies, which may be one of them; zero if it does not move."""
    while first != second:
        if first > second:
            first = int(model.body_parentid[first])
        else:
            second = int(model.body_parentid[second])
    return first if model.body_weldid[first] else 0


_IMPLICIT = (mujoco.mjtIntegrator.mjINT_DISCRETE, mujoco.mjtIntegrator.mjINT_IMPLICITFAST)


_ORIENTATION = getattr(mujoco.mjtTrn, "mjTRN_SO3", None)
"""Transmission of orientation servos, from MuJoCo 4."""


def _positions_in_runs(numbers: IntegerArray) -> IntegerArray:
    """Return the position of each element in its run of equal elements: 0, 1, 2 for three equal ones."""
    starts = np.concatenate(([True], numbers[1:] != numbers[:-1])) if numbers.size else np.zeros(0, dtype=bool)
    indices = np.arange(numbers.size)
    return indices - np.maximum.accumulate(np.where(starts, indices, 0)) if numbers.size else indices
