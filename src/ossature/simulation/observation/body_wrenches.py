"""Wrenches on the engine's bodies in a step, and those that parents transmit to their children.

The engine computes generalised forces. Here the wrenches of force elements, motors and loads at sites, of tendons between
sites, of contacts and of loop constraints are applied to the bodies. By the Newton-Euler equations the rest of each body's
rate of momentum comes from its parent and its children, so that a recursion from the tips to the root gives the wrench that
each joint transmits, including its springs, dampers, friction, stops, couplings and motors.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

import mujoco
import numpy as np

from ossature.array_types import IntegerArray, Vector
from ossature.kinematics.soft_skin_inertia import inertial_with_skin
from ossature.simulation.actuator_layout import actuator_of_forces
from ossature.simulation.compile.address_map import JointLayout
from ossature.simulation.compile.engine_model import EngineModel
from ossature.simulation.compile.integrator_choice import Integrator
from ossature.simulation.compile.joint_actuation import DRIVEN
from ossature.simulation.observation.tendon_wrenches import TendonWrenches
from ossature.simulation.observation.wrench_pairs import Pairs, no_pairs
from ossature.simulation.stepping.stepper import StepVelocities
from ossature.spatial import Vector3


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
        is_mjcf_world = compiled.choice.scheme is Integrator.MUJOCO
        self._tendons = TendonWrenches(model, data) if is_mjcf_world else None
        self.actuators = SpatialActuators(model, data, is_mjcf_world=is_mjcf_world)
        self.coordinates = CoordinateForces(compiled, data)
        self._constraints = _SpatialConstraints(compiled, data)

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


def cross(first: Vector, second: Vector) -> Vector:
    """Return the vector products of rows, shape (..., 3); for few rows several times as fast as numpy's."""
    product: Vector = first.take(_AFTER, axis=-1) * second.take(_BEFORE, axis=-1)
    product -= first.take(_BEFORE, axis=-1) * second.take(_AFTER, axis=-1)
    return product


_AFTER, _BEFORE = np.array((1, 2, 0)), np.array((2, 0, 1))


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


def rotated(matrices: Vector, vectors: Vector) -> Vector:
    """Return matrices, shape (n, 9), times vectors, shape (n, 3)."""
    return (matrices.reshape(-1, 3, 3) @ vectors[:, :, None])[:, :, 0]


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


class SpatialActuators:
    """The actuators that act at sites, or between them.

    Args:
        is_mjcf_world: Whether MuJoCo compiles the World. Then forces are those of its forward dynamics, and those of
            tendons are computed elsewhere.

    Attributes:
        forces: The forces and torques of all actuators in the step, as the integrator evaluates them [N or N·m].
    """

    def __init__(self, model: mujoco.MjModel, data: mujoco.MjData, *, is_mjcf_world: bool) -> None:
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


def is_between_sites(model: mujoco.MjModel, tendon: int) -> bool:
    """Whether a tendon is a line between two sites; others are weighted sums of joint coordinates, or have longer paths."""
    first = int(model.tendon_adr[tendon])
    kinds = model.wrap_type[first : first + int(model.tendon_num[tendon])]
    return len(kinds) == 2 and bool((kinds == mujoco.mjtWrap.mjWRAP_SITE).all())


def tendon_ends(
    model: mujoco.MjModel, data: mujoco.MjData, tendons: IntegerArray
) -> tuple[IntegerArray, IntegerArray, Vector, Vector, Vector]:
    """Return the bodies at both ends of tendons, the ends in the world [m], and unit vectors from the second to the first."""
    wraps = model.tendon_adr[tendons]
    first, second = model.wrap_objid[wraps], model.wrap_objid[wraps + 1]
    points, others = data.site_xpos[first], data.site_xpos[second]
    lines = points - others
    lengths = np.sqrt((lines * lines).sum(axis=1, keepdims=True))
    lines = lines / np.maximum(lengths, mujoco.mjMINVAL)
    return model.site_bodyid[first], model.site_bodyid[second], points, others, lines


@dataclass(frozen=True, slots=True, kw_only=True)
class _SharedCoordinate:
    """A rotational spring, or a motor without a guide, that acts on the coordinate of a joint.

    Attributes:
        actuator: Engine id of the actuator, or None.
        equality: Engine id of the equality that drives it, or None.
        body: Engine id of the body of the point.
        point: The point of the force, in the frame of that body.
    """

    joint: int
    actuator: int | None = None
    equality: int | None = None
    body: int = 0
    point: Vector3 = (0.0, 0.0, 0.0)


class CoordinateForces:
    """Forces of rotational springs and motors without a guide on coordinates of joints, not included in their reactions."""

    def __init__(self, compiled: EngineModel, data: mujoco.MjData) -> None:
        self._model, self._data = compiled.model, data
        self._acting = [*self._springs(compiled), *self._motors(compiled)]
        self._driven = {shared.joint: row for row, shared in enumerate(self._acting) if shared.equality is not None}
        self._pairs = no_pairs()

    def _springs(self, compiled: EngineModel) -> Iterator[_SharedCoordinate]:
        model = compiled.model
        for spring in compiled.elements.springs:
            actuator = spring.actuator.id
            if model.actuator_trntype[actuator] == mujoco.mjtTrn.mjTRN_JOINT:
                yield _SharedCoordinate(joint=int(model.actuator_trnid[actuator, 0]), actuator=actuator)

    def _motors(self, compiled: EngineModel) -> Iterator[_SharedCoordinate]:
        joints_of_models = set(_engine_joints_of_models(compiled))
        for built in compiled.elements.motors:
            if built.joint is None or built.equality is None or built.joint.id not in joints_of_models:
                continue
            name, point = built.motor.body1, built.motor.pose.position
            body = 0 if name is None else compiled.index.bodies[built.model][name].number
            if name is None:
                point = compiled.grasp_plan.world.models[built.model].pose.transform(point)
            yield _SharedCoordinate(joint=built.joint.id, equality=built.equality.id, body=body, point=point)

    def has(self, joint: int) -> bool:
        """Whether a motor acts on an engine joint."""
        return joint in self._driven

    def of_motor(self, joint: int) -> tuple[Vector, Vector]:
        """Return force and torque of the motor that acts on an engine joint, on its child."""
        row = self._driven[joint]
        return self._pairs.forces[row], self._pairs.torques[row]

    def pairs(self, forces: Vector) -> Pairs:
        """Return the wrenches on the child bodies of the joints.

        Args:
            forces: The forces and torques of all actuators.
        """
        if not self._acting:
            return self._pairs
        model, data = self._model, self._data
        bodies = model.jnt_bodyid[[shared.joint for shared in self._acting]]
        efforts = np.zeros((len(self._acting), 6))
        points = np.zeros((len(self._acting), 3))
        for row, shared in enumerate(self._acting):
            is_hinge = model.jnt_type[shared.joint] == mujoco.mjtJoint.mjJNT_HINGE
            efforts[row, 3 if is_hinge else 0 :][:3] = self._effort(shared, forces) * data.xaxis[shared.joint]
            points[row] = data.xpos[shared.body] + data.xmat[shared.body].reshape(3, 3) @ shared.point
        self._pairs = Pairs(bodies, model.body_parentid[bodies], points, points, efforts[:, :3], efforts[:, 3:])
        return self._pairs

    def _effort(self, shared: _SharedCoordinate, forces: Vector) -> float:
        if shared.actuator is not None:
            return float(forces[shared.actuator] * self._model.actuator_gear[shared.actuator, 0])
        return float(self._data.efc_force[equality_rows(self._data, shared.equality)].sum())


def _engine_joints_of_models(compiled: EngineModel) -> Iterator[int]:
    """Yield the ids of engine joints that represent joints of models, not motors or constraints."""
    model = compiled.model
    for index in compiled.index.all_joints():
        if index.dof_count:
            yield from np.unique(model.dof_jntid[index.dof : index.dof + index.dof_count]).tolist()


def equality_rows(data: mujoco.MjData, equality: int | None) -> IntegerArray:
    """Return the rows of an equality among the engine's constraint rows, of which equalities come first."""
    return np.flatnonzero(data.efc_id[: data.ne] == equality)


class _SpatialConstraints:
    """The constraints on points, poses and distances between bodies, without those of driven joints.

    Attributes:
        pairs: Their wrenches, computed by :meth:`compute`.
        equalities: Their engine ids.
    """

    def __init__(self, compiled: EngineModel, data: mujoco.MjData) -> None:
        self._model, self._data = compiled.model, data
        model = compiled.model
        kinds = model.eq_type
        # A driven ball or free joint has a weld to its target, which is part of its reaction.
        driven = {
            f"{index.model}/{index.joint.name}"
            for index in compiled.index.all_joints()
            if index.joint.actuation in DRIVEN and index.layout in (JointLayout.BALL, JointLayout.STACK)
        }
        points = np.flatnonzero(kinds == mujoco.mjtEq.mjEQ_CONNECT)
        welds = np.flatnonzero(kinds == mujoco.mjtEq.mjEQ_WELD)
        welds = np.array([weld for weld in welds if model.equality(weld).name not in driven], dtype=np.intp)
        # Two equal distances are kept inside of a clone, which transmits their forces to nothing else.
        lines = np.flatnonzero((kinds == mujoco.mjtEq.mjEQ_TENDON) & (model.eq_obj2id < 0))
        is_mjcf_world = compiled.choice.scheme is Integrator.MUJOCO  # tendons include their equalities
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
        second[rows] = _quaternion_products(second[rows], model.site_quat[self._site_pair[1][at_sites]])
        target = _quaternion_products(first, turns)
        target *= (1.0, -1.0, -1.0, -1.0)
        pure = np.zeros((len(numbers), 4))
        pure[:, 1:] = 0.5 * numbers[:, 10:11] * efforts
        return _quaternion_products(_quaternion_products(second, pure), target)[:, 1:]


def _quaternion_products(first: Vector, second: Vector) -> Vector:
    w, x = first[:, :1], first[:, 1:]
    v, y = second[:, :1], second[:, 1:]
    scalars = w * v - (x * y).sum(axis=1, keepdims=True)
    return np.concatenate((scalars, w * y + v * x + cross(x, y)), axis=1)
