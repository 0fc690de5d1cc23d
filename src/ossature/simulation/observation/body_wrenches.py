"""Wrenches on the engine's bodies in a step, and those that parents transmit to their children.

The engine computes generalised forces. Here the wrenches of force elements, motors and loads at sites, of tendons between
sites, of contacts and of loop constraints are applied to the bodies. By the Newton-Euler equations the rest of each body's
rate of momentum comes from its parent and its children, so that a recursion from the tips to the root gives the wrench that
each joint transmits, including its springs, dampers, friction, stops, couplings and motors.
"""

from __future__ import annotations

from itertools import chain

import mujoco
import numpy as np

from ossature.array_types import IntegerArray, Vector
from ossature.kinematics.soft_skin_inertia import inertial_with_skin
from ossature.simulation.compile.engine_model import EngineModel
from ossature.simulation.observation.constraint_wrenches import SpatialConstraints
from ossature.simulation.observation.coordinate_wrenches import CoordinateForces
from ossature.simulation.observation.rows_of_vectors import cross, rotated
from ossature.simulation.observation.site_actuator_wrenches import SiteActuators
from ossature.simulation.observation.tendon_wrenches import TendonWrenches
from ossature.simulation.observation.wrench_pairs import Pairs, no_pairs
from ossature.simulation.stepping.stepper import StepVelocities


class BodyWrenches:
    """Computes the wrenches on all bodies in the step of the engine's data.

    Wrenches are torque [N·m], then force [N], in axes of the world, about the centre of mass of each body's tree (see
    :attr:`centers`).

    Attributes:
        coordinates: The wrenches of springs and motors of other joints.
    """

    def __init__(self, compiled: EngineModel, data: mujoco.MjData) -> None:
        self._model, self._data = compiled.model, data
        model = self._model
        self._subtrees = _subtrees(model)
        self._root = np.array(model.body_rootid)
        self._gravity_compensated = np.flatnonzero(model.body_gravcomp * model.body_weldid)
        self._fixed = _FixedBodies(compiled)
        is_mjcf_world = compiled.is_mjcf_world
        self._tendons = TendonWrenches(model, data) if is_mjcf_world else None
        motors = [motor.actuator.id for motor in compiled.elements.motors if motor.actuator is not None]
        self.actuators = SiteActuators(model, data, is_mjcf_world=is_mjcf_world, motors=motors)
        self.coordinates = CoordinateForces(compiled, data)
        self._constraints = SpatialConstraints(compiled, data)

    @property
    def centers(self) -> Vector:
        """The reference points of torques, shape (bodies, 3) [m]."""
        return self._data.subtree_com[self._root]

    def on_constraint(self, equality: int) -> tuple[Vector, Vector]:
        """Return force and torque of a constraint on the first of its bodies, at its point there."""
        pairs, numbers = self._constraints.pairs, self._constraints.equalities
        rows = np.flatnonzero(numbers == equality)
        return pairs.forces[rows].sum(axis=0), pairs.torques[rows].sum(axis=0)

    def contacts(self) -> tuple[Vector, Vector]:
        """Return force and torque of each contact on the second of its bodies, at its point, shape (contacts, 3)."""
        return self._contact_forces

    def transmitted(self, velocities: StepVelocities) -> Vector:
        """Return the wrench on each body by its parent, shape (bodies, 6)."""
        model, data = self._model, self._data
        data.qvel[:] = velocities.present
        data.qacc[:] = (velocities.after - velocities.before) / velocities.duration
        mujoco.mj_rnePostConstraint(model, data)
        wrenches = _momentum_rates(data)
        wrenches[self._fixed.all] = 0.0
        self.actuators.compute(velocities)
        self._constraints.compute()
        forces = self.actuators.forces
        of_tendons = [] if self._tendons is None else self._tendons.pairs()
        others = (self.actuators.pairs(), self.coordinates.pairs(forces), self._constraints.pairs, self._contact_pairs())
        for pairs in chain(others, of_tendons):
            self._subtract_pairs(wrenches, pairs)
        self._subtract_loads(wrenches)
        return np.asarray(self._subtrees @ wrenches)

    def _subtract_pairs(self, wrenches: Vector, pairs: Pairs) -> None:
        if not pairs.first.size:
            return
        np.subtract.at(
            wrenches, pairs.first, self._wrenches_about_centers(pairs.first, pairs.points_first, pairs.forces, pairs.torques)
        )
        np.add.at(
            wrenches, pairs.second, self._wrenches_about_centers(pairs.second, pairs.points_second, pairs.forces, pairs.torques)
        )

    def _wrenches_about_centers(self, bodies: IntegerArray, points: Vector, forces: Vector, torques: Vector) -> Vector:
        arms = points - self._data.subtree_com[self._root[bodies]]
        return np.concatenate((torques + cross(arms, forces), forces), axis=1)

    def _subtract_loads(self, wrenches: Vector) -> None:
        """Subtract loads at fixed points, gravity compensation, and weights of bodies that cannot move."""
        model, data, compensated = self._model, self._data, self._gravity_compensated
        loaded = np.flatnonzero(data.xfrc_applied.any(axis=1))
        if loaded.size:
            forces, torques = data.xfrc_applied[loaded, :3], data.xfrc_applied[loaded, 3:]
            wrenches[loaded] -= self._wrenches_about_centers(loaded, data.xipos[loaded], forces, torques)
        if compensated.size:
            masses = model.body_mass[compensated] * model.body_gravcomp[compensated]
            lifts = -masses[:, None] * model.opt.gravity
            wrenches[compensated] -= self._wrenches_about_centers(
                compensated, data.xipos[compensated], lifts, np.zeros_like(lifts)
            )
        fixed = self._fixed
        if fixed.bodies.size:
            weights = fixed.masses[:, None] * model.opt.gravity
            points = data.xpos[fixed.bodies] + rotated(data.xmat[fixed.bodies], fixed.centers)
            wrenches[fixed.bodies] -= self._wrenches_about_centers(fixed.bodies, points, weights, np.zeros_like(weights))

    def _contact_pairs(self) -> Pairs:
        model, data = self._model, self._data
        count = int(data.ncon)
        if not count:
            self._contact_forces = (np.zeros((0, 3)), np.zeros((0, 3)))
            return no_pairs()
        in_contact = np.zeros((count, 6))
        for number in range(count):
            mujoco.mj_contactForce(model, data, number, in_contact[number])
        contacts = data.contact
        frames = contacts.frame.reshape(-1, 3, 3)
        forces = np.einsum("nij,ni->nj", frames, in_contact[:, :3])
        torques = np.einsum("nij,ni->nj", frames, in_contact[:, 3:])
        self._contact_forces = (forces, torques)
        bodies = model.geom_bodyid[contacts.geom]
        return Pairs(bodies[:, 1], bodies[:, 0], contacts.pos, contacts.pos, forces, torques)


def _subtrees(model: mujoco.MjModel) -> Vector:
    """Return the subtree of each body, itself included: ones at [body, descendant], shape (bodies, bodies)."""
    subtrees = np.eye(model.nbody)
    for body in range(model.nbody - 1, 0, -1):
        subtrees[model.body_parentid[body]] += subtrees[body]
    return subtrees


def _momentum_rates(data: mujoco.MjData) -> Vector:
    """Return the rate of momentum of each body less its weight, shape (bodies, 6), about the engine's reference points."""
    inertia, velocities = data.cinert, data.cvel
    tensors = inertia.take(_TENSOR, axis=1).reshape(-1, 1, 3, 3)
    first_moments, masses = inertia[:, None, 6:9], inertia[:, None, 9:]
    motions = np.stack((data.cacc, velocities), axis=1)
    spins, linear = motions[:, :, :3], motions[:, :, 3:]
    angular_momenta = (tensors @ spins[..., None])[..., 0] + cross(first_moments, linear)
    linear_momenta = masses * linear - cross(first_moments, spins)
    rates: Vector = np.concatenate((angular_momenta[:, 0], linear_momenta[:, 0]), axis=1)
    spin, linear_velocity, momentum = spins[:, 1], linear[:, 1], linear_momenta[:, 1]
    rates[:, :3] += cross(spin, angular_momenta[:, 1]) + cross(linear_velocity, momentum)
    rates[:, 3:] += cross(spin, momentum)
    return rates


_TENSOR = (0, 3, 4, 3, 1, 5, 4, 5, 2)
"""Index of each of the nine numbers of a tensor in the engine's six."""


class _FixedBodies:
    """The bodies that cannot move, whose masses in the engine may differ from those of the World: motion does not need them.

    Attributes:
        all: Whether each of the engine's bodies cannot move.
        bodies: Engine ids of those that belong to models that can move.
        masses: Their masses [kg], zero without gravity.
        centers: Their centres of mass, in their own frames [m].
    """

    def __init__(self, compiled: EngineModel) -> None:
        model = compiled.model
        rows = [
            (index.number, rigid.mass * float(index.body.gravity), rigid.center_of_mass)
            for group in compiled.index.bodies.values()
            for index in group.values()
            if model.body_weldid[index.number] == 0 and not index.model.static
            for rigid in (inertial_with_skin(index.body),)
        ]
        self.all = np.array(model.body_weldid) == 0
        self.bodies = np.array([number for number, _, _ in rows], dtype=np.intp)
        self.masses = np.array([mass for _, mass, _ in rows])
        self.centers = np.array([center for _, _, center in rows]).reshape(-1, 3)
