"""The wrenches on the engine's bodies in a step, and those that each body gets from the one that carries it.

The engine tells generalised forces. What acts between bodies or from outside, which are springs, bushings, motors and loads at
sites, tendons between sites, contacts, and constraints that close loops, is put onto the bodies here, one by one. By Newton
and Euler the rest of each body's rate of momentum comes from the body that carries it and from those that it carries, so a
recursion from the tips to the root gives what each joint transmits, whatever springs, dampers, frictions, stops, couplings and
motors the joint itself has.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np

from ossature.simulation.compile.address_map import JointLayout
from ossature.simulation.compile.compiled_world import Compiled
from ossature.simulation.compile.joint_actuation import DRIVEN
from ossature.simulation.stepping.integrators import StepVelocities

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Vector = NDArray[np.float64]
    Numbers = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Pairs:
    """Wrenches that act on pairs of the engine's bodies, the opposite ones on the second of each pair.

    Attributes:
        first: The first bodies, shape (n,).
        second: The second bodies.
        points_first: Where forces act on the first bodies, in the world, shape (n, 3) [m].
        points_second: Where the opposite forces act on the second ones.
        forces: On the first bodies, in axes of the world, shape (n, 3) [N].
        torques: Besides, likewise [N·m].
    """

    first: Numbers
    second: Numbers
    points_first: Vector
    points_second: Vector
    forces: Vector
    torques: Vector


class BodyWrenches:
    """Computes the wrenches on all bodies in the step that the engine's data hold.

    Wrenches are torque [N·m], then force [N], in axes of the world, about the centre of mass of each body's tree (see
    :attr:`centers`).

    Args:
        compiled: The World in the engine.
        data: The engine's data.
    """

    def __init__(self, compiled: Compiled, data: Any) -> None:
        self._model, self._data = compiled.model, data
        model = self._model
        self._subtrees = _subtrees(model)
        self._root = np.array(model.body_rootid)
        self._floating = np.flatnonzero(model.body_gravcomp * model.body_weldid)
        self._fixed = _FixedBodies(compiled)
        self._actuators = _SpatialActuators(model, data)
        self._shared = _SharedCoordinates(compiled, data)
        self._constraints = _SpatialConstraints(compiled, data)

    @property
    def centers(self) -> Vector:
        """The points about which torques are, shape (bodies, 3) [m]."""
        centers: Vector = self._data.subtree_com[self._root]
        return centers

    @property
    def actuator_forces(self) -> Vector:
        """The forces and torques of actuators in the step, where the integrator takes them [N or N·m]."""
        return self._actuators.forces

    def on_constraint(self, equality: int) -> tuple[Vector, Vector]:
        """Return force and torque of a constraint on the first of its bodies, at its point there."""
        pairs, numbers = self._constraints.pairs, self._constraints.equalities
        found = np.flatnonzero(numbers == equality)
        return pairs.forces[found].sum(axis=0), pairs.torques[found].sum(axis=0)

    def rows_at_sites(self, actuators: list[int]) -> Numbers:
        """Return what :meth:`at_sites` needs to know of actuators."""
        return self._actuators.rows_at_sites(actuators)

    def at_sites(self, rows: Numbers) -> tuple[Vector, Vector]:
        """Return force and torque of actuators at the same site, on the body that has it."""
        return self._actuators.at_sites(rows)

    def is_shared(self, joint: int) -> bool:
        """Whether a motor drives an engine's joint that belongs to another joint of the model."""
        return self._shared.has(joint)

    def on_coordinate(self, joint: int) -> tuple[Vector, Vector]:
        """Return force and torque of the motor that drives an engine's joint of another joint of the model, on its child."""
        return self._shared.of_motor(joint)

    def contacts(self) -> tuple[Vector, Vector]:
        """Return force and torque of each contact on the second of its bodies, at its point, shape (contacts, 3)."""
        return self._contact_forces

    def transmitted(self, velocities: StepVelocities) -> Vector:
        """Return the wrench on each body by the one that carries it, shape (bodies, 6).

        Args:
            velocities: Those of the step.
        """
        model, data = self._model, self._data
        data.qvel[:] = velocities.present
        data.qacc[:] = (velocities.after - velocities.before) / velocities.duration
        mujoco.mj_rnePostConstraint(model, data)
        needed = _momentum_rates(data)
        needed[self._fixed.all] = 0.0
        self._actuators.compute(velocities)
        self._constraints.compute()
        for pairs in (self._actuators.pairs(), self._shared.pairs(self._actuators.forces), self._constraints.pairs):
            self._take(needed, pairs)
        self._take(needed, self._contact_pairs())
        self._subtract_loads(needed)
        return np.asarray(self._subtrees @ needed)

    def _take(self, needed: Vector, pairs: Pairs) -> None:
        """Take away what pairs of bodies get."""
        if not pairs.first.size:
            return
        np.subtract.at(needed, pairs.first, self._about_centers(pairs.first, pairs.points_first, pairs.forces, pairs.torques))
        np.add.at(needed, pairs.second, self._about_centers(pairs.second, pairs.points_second, pairs.forces, pairs.torques))

    def _about_centers(self, bodies: Numbers, points: Vector, forces: Vector, torques: Vector) -> Vector:
        arms = points - self._data.subtree_com[self._root[bodies]]
        return np.concatenate((torques + cross(arms, forces), forces), axis=1)

    def _subtract_loads(self, needed: Vector) -> None:
        """Take away loads at points that rest, what keeps bodies from falling, and weights of bodies that cannot move."""
        model, data = self._model, self._data
        pushed = np.flatnonzero(data.xfrc_applied.any(axis=1))
        if pushed.size:
            forces, torques = data.xfrc_applied[pushed, :3], data.xfrc_applied[pushed, 3:]
            needed[pushed] -= self._about_centers(pushed, data.xipos[pushed], forces, torques)
        if self._floating.size:
            masses = model.body_mass[self._floating] * model.body_gravcomp[self._floating]
            lifts = -masses[:, None] * model.opt.gravity
            lifted = self._about_centers(self._floating, data.xipos[self._floating], lifts, np.zeros_like(lifts))
            needed[self._floating] -= lifted
        fixed = self._fixed
        if fixed.bodies.size:
            weights = fixed.masses[:, None] * model.opt.gravity
            points = data.xpos[fixed.bodies] + turned(data.xmat[fixed.bodies], fixed.centers)
            needed[fixed.bodies] -= self._about_centers(fixed.bodies, points, weights, np.zeros_like(weights))

    def _contact_pairs(self) -> Pairs:
        model, data = self._model, self._data
        count = int(data.ncon)
        if not count:
            self._contact_forces = (np.zeros((0, 3)), np.zeros((0, 3)))
            return _none()
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
    """Return the vector products of rows, shape (..., 3); several times as fast as numpy's for few of them."""
    product: Vector = first.take(_AFTER, axis=-1) * second.take(_BEFORE, axis=-1)
    product -= first.take(_BEFORE, axis=-1) * second.take(_AFTER, axis=-1)
    return product


_AFTER, _BEFORE = np.array((1, 2, 0)), np.array((2, 0, 1))


def _subtrees(model: Any) -> Vector:
    """Return which bodies each body carries, itself included: ones at [body, carried], shape (bodies, bodies)."""
    carried = np.eye(model.nbody)
    for body in range(model.nbody - 1, 0, -1):
        carried[model.body_parentid[body]] += carried[body]
    return carried


def _momentum_rates(data: Any) -> Vector:
    """Return the rate of momentum of each body less its weight, shape (bodies, 6), as the engine states inertias."""
    inertia, velocities = data.cinert, data.cvel
    tensors = inertia.take(_TENSOR, axis=1).reshape(-1, 1, 3, 3)
    first_moments, masses = inertia[:, None, 6:9], inertia[:, None, 9:]
    motions = np.stack((data.cacc, velocities), axis=1)
    spins, flows = motions[:, :, :3], motions[:, :, 3:]
    turning = (tensors @ spins[..., None])[..., 0] + cross(first_moments, flows)
    pushing = masses * flows - cross(first_moments, spins)
    rates: Vector = np.concatenate((turning[:, 0], pushing[:, 0]), axis=1)
    spin, flow, momentum = spins[:, 1], flows[:, 1], pushing[:, 1]
    rates[:, :3] += cross(spin, turning[:, 1]) + cross(flow, momentum)
    rates[:, 3:] += cross(spin, momentum)
    return rates


_TENSOR = (0, 3, 4, 3, 1, 5, 4, 5, 2)
"""Where the nine numbers of a tensor are among the engine's six."""


def turned(matrices: Vector, vectors: Vector) -> Vector:
    """Return matrices, shape (n, 9), times vectors, shape (n, 3)."""
    product: Vector = (matrices.reshape(-1, 3, 3) @ vectors[:, :, None])[:, :, 0]
    return product


class _FixedBodies:
    """The bodies that cannot move, of which the engine may have other masses than the World: motion does not need them.

    Attributes:
        all: Whether each of the engine's bodies cannot move.
        bodies: The engine's numbers of those that belong to models that can move.
        masses: Their masses [kg], zero without gravity.
        centers: Their centres of mass, in their own frames [m].
    """

    def __init__(self, compiled: Compiled) -> None:
        model = compiled.model
        found = [
            (index.number, index.body.inertial.mass * float(index.body.gravity), index.body.inertial.center_of_mass)
            for group in compiled.index.bodies.values()
            for index in group.values()
            if model.body_weldid[index.number] == 0 and not index.model.static
        ]
        self.all = np.array(model.body_weldid) == 0
        self.bodies = np.array([number for number, _, _ in found], dtype=np.intp)
        self.masses = np.array([mass for _, mass, _ in found])
        self.centers = np.array([center for _, _, center in found]).reshape(-1, 3)


class _SpatialActuators:
    """The actuators that act at sites, or between them.

    Args:
        model: The engine's model.
        data: The engine's data.

    Attributes:
        forces: The forces and torques of all actuators in the step, as the integrator takes them [N or N·m].
    """

    def __init__(self, model: Any, data: Any) -> None:
        self._model, self._data = model, data
        kinds = model.actuator_trntype
        at_sites = np.flatnonzero(kinds == mujoco.mjtTrn.mjTRN_SITE)
        self._at_sites = at_sites
        self._sites = model.actuator_trnid[at_sites, 0]
        references = model.actuator_trnid[at_sites, 1]
        self._references = np.where(references < 0, self._sites, references)
        self._gears = model.actuator_gear[at_sites]
        # What has no site of reference pushes against nothing; the world takes it.
        self._seconds = np.where(references < 0, 0, model.site_bodyid[self._references])
        # Where both bodies are carried by one that moves, the engine leaves that one's motion out of the moment arms. Forces at
        # two points that are no pair along a line then come with a torque on it, which brings them into balance of moments.
        carriers = [
            _common_parent(model, *bodies) for bodies in zip(model.site_bodyid[self._sites], self._seconds, strict=True)
        ]
        self._carried = np.flatnonzero(carriers)
        self._carriers = np.array(carriers, dtype=np.intp)[self._carried]
        on_tendons = np.flatnonzero(kinds == mujoco.mjtTrn.mjTRN_TENDON)
        self._on_tendons = on_tendons[[is_between_sites(model, int(model.actuator_trnid[one, 0])) for one in on_tendons]]
        self._tendons = model.actuator_trnid[self._on_tendons, 0]
        self._stiffness = np.where(model.actuator_biastype == mujoco.mjtBias.mjBIAS_AFFINE, -model.actuator_biasprm[:, 1], 0.0)
        self._damping = np.where(model.actuator_biastype == mujoco.mjtBias.mjBIAS_AFFINE, -model.actuator_biasprm[:, 2], 0.0)
        self.forces: Vector = np.zeros(model.nu)
        self._pushes: Vector = np.zeros((at_sites.size, 3))
        self._turns: Vector = np.zeros((at_sites.size, 3))

    def compute(self, velocities: StepVelocities) -> None:
        """Compute :attr:`forces`: what is linear in length and rate is taken where the integrator takes it."""
        model, data = self._model, self._data
        self.forces = data.actuator_force.copy()
        integrator = model.opt.integrator
        if not self.forces.size or integrator not in _IMPLICIT:
            return
        moments = np.zeros((model.nu, model.nv))
        mujoco.mju_sparse2dense(
            moments, data.actuator_moment.reshape(-1), data.moment_rownnz, data.moment_rowadr, data.moment_colind.reshape(-1)
        )
        self.forces -= self._damping * (moments @ (velocities.after - velocities.before))
        if integrator == mujoco.mjtIntegrator.mjINT_DISCRETE:
            self.forces -= self._stiffness * (velocities.duration * (moments @ velocities.after))

    def rows_at_sites(self, actuators: list[int]) -> Numbers:
        """Return where actuators at sites are among all such."""
        return np.flatnonzero(np.isin(self._at_sites, actuators))

    def at_sites(self, rows: Numbers) -> tuple[Vector, Vector]:
        """Return the sum of the forces, and of the torques, of actuators at the same site; :meth:`pairs` comes first."""
        return self._pushes[rows].sum(axis=0), self._turns[rows].sum(axis=0)

    def pairs(self) -> Pairs:
        """Return the wrenches of all of them."""
        model, data, forces = self._model, self._data, self.forces
        if not self._at_sites.size:
            pulls = forces[self._on_tendons] * model.actuator_gear[self._on_tendons, 0]
            first, second, points, others, lines = tendon_ends(model, data, self._tendons)
            return Pairs(first, second, points, others, pulls[:, None] * lines, np.zeros_like(lines))
        axes = data.site_xmat[self._references]
        wrenches = forces[self._at_sites, None] * self._gears
        self._pushes, self._turns = turned(axes, wrenches[:, :3]), turned(axes, wrenches[:, 3:])
        pushes, turns = self._pushes, self._turns
        pulls = forces[self._on_tendons] * model.actuator_gear[self._on_tendons, 0]
        first, second, points, others, lines = tendon_ends(model, data, self._tendons)
        at_first, at_second = data.site_xpos[self._sites], data.site_xpos[self._references]
        carried, nothing = self._carried, np.zeros((self._carried.size, 3))
        balancing = -cross(at_first[carried] - at_second[carried], pushes[carried])
        return Pairs(
            np.concatenate((model.site_bodyid[self._sites], first, self._carriers)),
            np.concatenate((self._seconds, second, np.zeros_like(self._carriers))),
            np.concatenate((at_first, points, nothing)),
            np.concatenate((at_second, others, nothing)),
            np.concatenate((pushes, pulls[:, None] * lines, nothing)),
            np.concatenate((turns, np.zeros_like(lines), balancing)),
        )


def _common_parent(model: Any, first: int, second: int) -> int:
    """Return the last body that carries both or is one of them; zero where that one does not move."""
    while first != second:
        if first > second:
            first = int(model.body_parentid[first])
        else:
            second = int(model.body_parentid[second])
    return first if model.body_weldid[first] else 0


_IMPLICIT = (mujoco.mjtIntegrator.mjINT_DISCRETE, mujoco.mjtIntegrator.mjINT_IMPLICITFAST)


def is_between_sites(model: Any, tendon: int) -> bool:
    """Whether a tendon is a line between two sites; others add up coordinates of joints."""
    return bool(model.wrap_type[model.tendon_adr[tendon]] == mujoco.mjtWrap.mjWRAP_SITE)


def tendon_ends(model: Any, data: Any, tendons: Numbers) -> tuple[Numbers, Numbers, Vector, Vector, Vector]:
    """Return the bodies at both ends of tendons, the ends in the world, and unit vectors from the second to the first end."""
    wraps = model.tendon_adr[tendons]
    first, second = model.wrap_objid[wraps], model.wrap_objid[wraps + 1]
    points, others = data.site_xpos[first], data.site_xpos[second]
    lines = points - others
    lengths = np.sqrt((lines * lines).sum(axis=1, keepdims=True))
    lines = lines / np.maximum(lengths, mujoco.mjMINVAL)
    return model.site_bodyid[first], model.site_bodyid[second], points, others, lines


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shared:
    """A rotational spring, or a motor without a guide, that acts on the coordinate of a joint.

    Attributes:
        joint: The engine's joint.
        actuator: The engine's actuator, or None.
        equality: The engine's equality that drives it, or None.
        body: The engine's body that has the point.
        point: Where a force acts, in the frame of that body.
    """

    joint: int
    actuator: int | None = None
    equality: int | None = None
    body: int = 0
    point: tuple[float, float, float] = (0.0, 0.0, 0.0)


class _SharedCoordinates:
    """Rotational springs, and motors without a guide, that act on the coordinate of a joint: no part of what it transmits.

    Args:
        compiled: The World in the engine.
        data: The engine's data.
    """

    def __init__(self, compiled: Compiled, data: Any) -> None:
        self._model, self._data = compiled.model, data
        self._acting = [*self._springs(compiled), *self._motors(compiled)]
        self._driven = {shared.joint: row for row, shared in enumerate(self._acting) if shared.equality is not None}
        self._pairs = _none()

    def _springs(self, compiled: Compiled) -> Iterator[_Shared]:
        model = compiled.model
        for spring in compiled.elements.springs:
            actuator = spring.actuator.id
            if model.actuator_trntype[actuator] == mujoco.mjtTrn.mjTRN_JOINT:
                yield _Shared(joint=int(model.actuator_trnid[actuator, 0]), actuator=actuator)

    def _motors(self, compiled: Compiled) -> Iterator[_Shared]:
        of_joints = set(_joints_of_joints(compiled))
        for built in compiled.elements.motors:
            if built.joint is None or built.equality is None or built.joint.id not in of_joints:
                continue
            name, point = built.motor.body1, built.motor.pose.position
            body = 0 if name is None else compiled.index.bodies[built.model][name].number
            if name is None:
                point = compiled.holding.world.models[built.model].pose.transform(point)
            yield _Shared(joint=built.joint.id, equality=built.equality.id, body=body, point=point)

    def has(self, joint: int) -> bool:
        """Whether a motor acts on an engine's joint."""
        return joint in self._driven

    def of_motor(self, joint: int) -> tuple[Vector, Vector]:
        """Return force and torque of the motor that acts on an engine's joint, on its child."""
        row = self._driven[joint]
        return self._pairs.forces[row], self._pairs.torques[row]

    def pairs(self, forces: Vector) -> Pairs:
        """Return what they apply to the child of the joint.

        Args:
            forces: The forces and torques of all actuators.
        """
        if not self._acting:
            return self._pairs
        model, data = self._model, self._data
        bodies = model.jnt_bodyid[[shared.joint for shared in self._acting]]
        efforts = np.zeros((len(self._acting), 6))
        places = np.zeros((len(self._acting), 3))
        for row, shared in enumerate(self._acting):
            turns = model.jnt_type[shared.joint] == mujoco.mjtJoint.mjJNT_HINGE
            efforts[row, 3 if turns else 0 :][:3] = self._effort(shared, forces) * data.xaxis[shared.joint]
            places[row] = data.xpos[shared.body] + data.xmat[shared.body].reshape(3, 3) @ shared.point
        self._pairs = Pairs(bodies, model.body_parentid[bodies], places, places, efforts[:, :3], efforts[:, 3:])
        return self._pairs

    def _effort(self, shared: _Shared, forces: Vector) -> float:
        if shared.actuator is not None:
            return float(forces[shared.actuator] * self._model.actuator_gear[shared.actuator, 0])
        return float(self._data.efc_force[equality_rows(self._data, shared.equality)].sum())


def _joints_of_joints(compiled: Compiled) -> Iterator[int]:
    """Yield the engine's joints that make up joints of models, and no motors or constraints."""
    model = compiled.model
    for index in compiled.index.all_joints():
        if index.dof_count:
            yield from np.unique(model.dof_jntid[index.dof : index.dof + index.dof_count]).tolist()


def equality_rows(data: Any, equality: int | None) -> Numbers:
    """Return the rows of an equality among the engine's constraints, of which equalities come first."""
    return np.flatnonzero(data.efc_id[: data.ne] == equality)


class _SpatialConstraints:
    """The constraints that hold points, poses and distances between bodies, those of driven joints left out.

    Attributes:
        pairs: Their wrenches, once computed.
        equalities: The engine's numbers of them.
    """

    def __init__(self, compiled: Compiled, data: Any) -> None:
        self._model, self._data = compiled.model, data
        model = compiled.model
        kinds = model.eq_type
        # A driven ball or free joint is held at its target by a weld: part of what that joint transmits.
        driven = {
            f"{index.model}/{index.joint.name}"
            for index in compiled.index.all_joints()
            if index.joint.actuation in DRIVEN and index.layout in (JointLayout.BALL, JointLayout.STACK)
        }
        points = np.flatnonzero(kinds == mujoco.mjtEq.mjEQ_CONNECT)
        welds = np.flatnonzero(kinds == mujoco.mjtEq.mjEQ_WELD)
        welds = np.array([weld for weld in welds if model.equality(weld).name not in driven], dtype=np.intp)
        lines = np.flatnonzero(kinds == mujoco.mjtEq.mjEQ_TENDON)
        lines = np.array([one for one in lines if is_between_sites(model, int(model.eq_obj1id[one]))], dtype=np.intp)
        self.equalities = np.concatenate((points, welds, lines))
        self._held = np.concatenate((points, welds))
        self._point_count, self._weld_count = points.size, welds.size
        self._first, self._second = model.eq_obj1id[self._held], model.eq_obj2id[self._held]
        self._tendons = model.eq_obj1id[lines]
        # A point has three rows, a weld six, a line one.
        widths = np.repeat((3, 6, 1), (points.size, welds.size, lines.size))
        self._columns = np.arange(6)
        self._is_there = self._columns < widths[:, None]
        self.pairs = _none()

    def compute(self) -> None:
        """Compute :attr:`pairs`."""
        if not self.equalities.size:
            return
        model, data = self._model, self._data
        efforts = self._efforts()
        held, count = efforts[: self._held.size], self._point_count
        numbers = model.eq_data[self._held]
        on_first = np.concatenate((numbers[:count, :3], numbers[count:, 3:6]))
        on_second = np.concatenate((numbers[:count, 3:6], numbers[count:, :3]))
        torques = np.zeros((self.equalities.size, 3))
        if self._weld_count:
            torques[count : count + self._weld_count] = self._weld_torques(numbers[count:], held[count:, 3:])
        first, second = self._first, self._second
        at_first = data.xpos[first] + turned(data.xmat[first], on_first)
        at_second = data.xpos[second] + turned(data.xmat[second], on_second)
        forces = held[:, :3]
        if self._tendons.size:
            first_line, second_line, ends, others, lines = tendon_ends(model, data, self._tendons)
            first, second = np.concatenate((first, first_line)), np.concatenate((second, second_line))
            at_first, at_second = np.concatenate((at_first, ends)), np.concatenate((at_second, others))
            forces = np.concatenate((forces, efforts[self._held.size :, :1] * lines))
        self.pairs = Pairs(first, second, at_first, at_second, forces, torques)

    def _efforts(self) -> Vector:
        """Return the forces of the rows of each equality, shape (equalities, 6); zeros where it has fewer, or none."""
        data, count = self._data, int(self._data.ne)
        if not count:
            return np.zeros((self.equalities.size, 6))
        numbers = data.efc_id[:count]
        starts = np.searchsorted(numbers, self.equalities)
        is_active = numbers.take(starts, mode="clip") == self.equalities
        rows = data.efc_force.take(starts[:, None] + self._columns, mode="clip")
        efforts: Vector = np.where(self._is_there & is_active[:, None], rows, 0.0)
        return efforts

    def _weld_torques(self, numbers: Vector, efforts: Vector) -> Vector:
        """Return the torques of welds on their first bodies, in axes of the world.

        The rates of the engine's three rows are half the imaginary part of q2⁻¹ ∘ ω ∘ q1 ∘ q, where q is the rotation to be
        kept and ω the difference of angular velocities, times a scale. So a torque is that of q2 ∘ f ∘ (q1 ∘ q)⁻¹.

        Args:
            numbers: The engine's numbers of the welds.
            efforts: The forces f of the three rows.
        """
        data, welds = self._data, slice(self._point_count, None)
        kept = _quaternion_products(data.xquat[self._first[welds]], numbers[:, 6:10])
        kept *= (1.0, -1.0, -1.0, -1.0)
        pure = np.zeros((len(numbers), 4))
        pure[:, 1:] = 0.5 * numbers[:, 10:11] * efforts
        return _quaternion_products(_quaternion_products(data.xquat[self._second[welds]], pure), kept)[:, 1:]


def _quaternion_products(first: Vector, second: Vector) -> Vector:
    w, x = first[:, :1], first[:, 1:]
    v, y = second[:, :1], second[:, 1:]
    scalars = w * v - (x * y).sum(axis=1, keepdims=True)
    return np.concatenate((scalars, w * y + v * x + cross(x, y)), axis=1)


def _none() -> Pairs:
    nobody = np.zeros(0, dtype=np.intp)
    return Pairs(nobody, nobody, *(np.zeros((0, 3)) for _ in range(4)))
