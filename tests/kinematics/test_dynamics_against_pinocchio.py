"""Kinematics and dynamics of random trees with joints of every type, against Pinocchio."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

from joint_models import BALLS, TYPES, multiple
from ossature.kinematics import Dynamics
from ossature.model import (
    Axis,
    Body,
    Compound,
    Coordinate,
    Coupling,
    Cylindrical,
    Euler,
    Expression,
    Fixed,
    Floating,
    Inertial,
    Joint,
    JointPosition,
    JointType,
    Model,
    NamedList,
    Number,
    Operation,
    Operator,
    Planar,
    PointOnLine,
    PointOnPlane,
    Prismatic,
    Revolute,
    Screw,
    Spherical,
    SphericalMotion,
    Translational,
    Translational2D,
    Universal,
    World,
)
from ossature.spatial import Pose, quaternion_from_rotation_vector

pin = pytest.importorskip("pinocchio")

Matrix = np.ndarray[Any, np.dtype[np.float64]]
_KINDS = (*TYPES, BALLS, Fixed())
"""The last one cannot move."""
_REVERSIBLE = (Fixed, Revolute, Prismatic, Screw, Cylindrical, Universal)
_UNITS = np.eye(3)


# Random trees


def _random_pose(generator: np.random.Generator) -> Pose:
    x, y, z = generator.normal(size=3)
    return Pose(generator.normal(size=3) * 0.4, quaternion_from_rotation_vector((float(x), float(y), float(z))))


def _random_inertial(generator: np.random.Generator) -> Inertial:
    if generator.random() < 0.2:
        return Inertial(mass=0.0)
    a, mass = generator.normal(size=(3, 3)), float(generator.uniform(0.2, 3.0))
    moment = 0.02 * (np.trace(a @ a.T) * np.eye(3) - a @ a.T)
    return Inertial(mass=mass, center_of_mass=generator.normal(size=3) * 0.2, moment=moment)


def _random_joint(generator: np.random.Generator, number: int, parent: str | None, earlier: list[str]) -> Joint:
    joint_type = _KINDS[generator.integers(len(_KINDS) - (number == 1))]
    if parent is None:
        joint_type = (Fixed(), Floating(), Spherical(), joint_type)[generator.integers(4)]
    ends, couplings = (parent, f"b{number}"), ()
    if isinstance(joint_type, _REVERSIBLE) and parent is not None and generator.random() < 0.3:
        ends = (f"b{number}", parent)
    elif joint_type.degrees_of_freedom == 1 and earlier and generator.random() < 0.4:
        scaled: Expression = multiple(float(generator.normal()), earlier[generator.integers(len(earlier))])
        position = Operation(operator=Operator.ADD, operands=(scaled, Number(value=float(generator.normal() * 0.2))))
        couplings = (Coordinate(coupling=Coupling(position=position)),)
    child = ends[1]
    assert child is not None
    return Joint(
        name=f"j{number}", type=joint_type, parent=ends[0], child=child, pose=_random_pose(generator), coordinates=couplings
    )


def _random_tree(seed: int) -> Model:
    """Return a tree of bodies in any order, some without mass, some joints reversed or coupled."""
    generator = np.random.default_rng(seed)
    bodies, joints, free = [], [], []
    for number in range(int(generator.integers(2, 9))):
        parent = None if number == 0 else f"b{generator.integers(number)}"
        inertial = Inertial(mass=1.0, moment=np.eye(3) * 0.1) if number < 2 else _random_inertial(generator)
        bodies.append(Body(name=f"b{number}", pose=_random_pose(generator), inertial=inertial))
        joint = _random_joint(generator, number, parent, free)
        joints.append(joint)
        if joint.degrees_of_freedom == 1 and joint.coordinates[0].coupling is None:
            free.append(joint.name)
    bodies = [bodies[place] for place in generator.permutation(len(bodies))]
    joints = [joints[place] for place in generator.permutation(len(joints))]
    return Model(name="m", pose=_random_pose(generator), bodies=NamedList(bodies), joints=NamedList(joints))


# The same tree in Pinocchio: a joint is a chain of rotations and translations, with bodies without mass in between


class _Motion(NamedTuple):
    """A joint of Pinocchio at a point, in the axes of the joint frame."""

    joint: Any
    anchor: Matrix


def _rotation(axis: Any, anchor: Any = (0.0, 0.0, 0.0)) -> _Motion:
    return _Motion(pin.JointModelRevoluteUnaligned(*np.asarray(axis, dtype=float)), np.asarray(anchor, dtype=float))


def _slide(axis: Any) -> _Motion:
    return _Motion(pin.JointModelPrismaticUnaligned(*np.asarray(axis, dtype=float)), np.zeros(3))


def _ball(anchor: Any = (0.0, 0.0, 0.0)) -> _Motion:
    return _Motion(pin.JointModelSpherical(), np.asarray(anchor, dtype=float))


def _motions(joint_type: JointType, sign: float = 1.0) -> list[_Motion]:
    match joint_type:
        case Fixed():
            return []
        case Revolute(axis=axis):
            return [_rotation(sign * np.array(axis))]
        case Prismatic(axis=axis):
            return [_slide(sign * np.array(axis))]
        case Screw(axis=axis, pitch=pitch):
            helix = pin.JointModelHelicalUnaligned(sign * np.array(axis), pitch / (2.0 * np.pi))
            return [_Motion(helix, np.zeros(3))]
        case Cylindrical(axis=axis):
            return [_rotation(sign * np.array(axis)), _slide(sign * np.array(axis))]
        case Universal(axis1=first, axis2=second):
            return [_rotation(sign * np.array(first)), _rotation(sign * np.array(second))]
        case Euler(order=order):
            return [_rotation(sign * _UNITS["xyz".index(letter)]) for letter in order]
        case Translational():
            return [_slide(sign * axis) for axis in _UNITS]
        case Translational2D(axis1=first, axis2=second):
            return [_slide(first), _slide(second)]
        case Planar(axis1=first, axis2=second):
            return [_slide(sign * np.array(first)), _slide(sign * np.array(second)), _rotation(sign * np.cross(first, second))]
        case PointOnLine(axis=axis):
            return [_slide(axis), _ball()]
        case PointOnPlane(axis1=first, axis2=second):
            return [_slide(first), _slide(second), _ball()]
        case Compound(axes=axes):
            return [_compound_motion(one) for one in axes]
        case Spherical():
            return [_ball()]
        case _:
            return [_Motion(pin.JointModelFreeFlyer(), np.zeros(3))]


def _compound_motion(motion: Axis | SphericalMotion) -> _Motion:
    if isinstance(motion, SphericalMotion):
        return _ball(motion.anchor)
    return _rotation(motion.direction, motion.anchor) if motion.is_revolute else _slide(motion.direction)


def _se3(pose: Pose) -> Any:
    matrix = pose.matrix()
    return pin.SE3(matrix[:3, :3], matrix[:3, 3])


class _Part(NamedTuple):
    """A joint of the model: the first position of each of its motions in Pinocchio, and those of its velocities."""

    joint: Joint
    is_reversed: bool
    configurations: list[int]
    velocities: list[int]
    sizes: list[int]
    axes_of_parent: Matrix


class _Reference:
    """A model in Pinocchio, with states and forces in the coordinates of Ossature."""

    def __init__(self, dynamics: Dynamics, gravity: Matrix) -> None:
        self._dynamics, self._own = dynamics, dynamics.model
        self.model = pin.Model()
        self.model.gravity.linear = gravity
        self._parts: list[_Part] = []
        self._bodies: dict[str | None, tuple[int, Any]] = {None: (0, pin.SE3.Identity())}
        world = _se3(self._own.pose)
        zero = {None: pin.SE3.Identity()} | {body.name: world * _se3(body.pose) for body in self._own.bodies}
        self._add_joints_at(None, zero)
        self.data = self.model.createData()

    def _add_joints_at(self, body: str | None, zero: dict[str | None, Any]) -> None:
        """Add all joints beyond a body, depth first, as the algorithms of Pinocchio require."""
        for joint in self._own.joints:
            for inner, outer in ((joint.parent, joint.child), (joint.child, joint.parent)):
                if inner == body and outer is not None and outer not in self._bodies:
                    self._add(joint, zero)
                    self._add_joints_at(outer, zero)

    def _add(self, joint: Joint, zero: dict[str | None, Any]) -> None:
        is_reversed = joint.parent not in self._bodies
        inner, outer = (joint.child, joint.parent) if is_reversed else (joint.parent, joint.child)
        assert outer is not None
        at, placement = self._bodies[inner]
        frame = zero[joint.child] * _se3(joint.pose)
        place = placement * (zero[inner].inverse() * frame)
        part = _Part(joint, is_reversed, [], [], [], (zero[joint.parent].inverse() * frame).rotation)
        motions = _motions(joint.type, -1.0 if is_reversed else 1.0)
        for motion in reversed(motions) if is_reversed else motions:
            shift = pin.SE3(np.eye(3), motion.anchor)
            at = self.model.addJoint(at, motion.joint, place * shift, f"{joint.name} {self.model.njoints}")
            place = shift.inverse()
            added = self.model.joints[at]
            part.configurations.append(added.idx_q)
            part.velocities.append(added.idx_v)
            part.sizes.append(added.nv)
        body = self._own.bodies[outer]
        self._bodies[outer] = at, place * (frame.inverse() * zero[outer])
        inertial = body.inertial
        moment = np.zeros((3, 3)) if inertial.moment is None else np.array(inertial.moment)
        inertia = pin.Inertia(inertial.mass, np.array(inertial.center_of_mass), moment)
        self.model.appendBodyToJoint(at, inertia, self._bodies[outer][1])
        self._parts.append(part)

    def state(self, q: Matrix, v: Matrix, a: Matrix) -> tuple[Matrix, Matrix, Matrix, Matrix]:
        """Return configuration, velocities and accelerations for Pinocchio, and its velocities for unit ones of Ossature."""
        positions = self._dynamics.positions(q)
        configuration, T, bias = pin.neutral(self.model), np.zeros((self.model.nv, len(v))), np.zeros(self.model.nv)
        for part in self._parts:
            name = part.joint.name
            values = np.array(positions.get(name, part.joint.initial_positions), dtype=float)
            rows = self._velocity_rows(part, len(v))
            if isinstance(part.joint.type, Floating):
                relative = pin.exp3(values[:3])
                rotation = relative.T @ part.axes_of_parent.T
                (iq, iv), zero = (part.configurations[0], part.velocities[0]), np.zeros((3, len(v)))
                configuration[iq : iq + 3] = values[3:]
                configuration[iq + 3 : iq + 7] = pin.Quaternion(relative).coeffs()
                T[iv : iv + 6] = np.concatenate([rotation @ rows[3:], rotation @ rows[:3]]) if rows.size else zero
                linear, angular = T[iv : iv + 3] @ v, T[iv + 3 : iv + 6] @ v
                bias[iv : iv + 3] = -np.cross(angular, linear)
                continue
            first, order = 0, range(len(part.sizes))
            for number in reversed(order) if part.is_reversed else order:
                size, iq, iv = part.sizes[number], part.configurations[number], part.velocities[number]
                if size == 3:
                    configuration[iq : iq + 4] = pin.Quaternion(pin.exp3(values[first : first + 3])).coeffs()
                else:
                    configuration[iq] = values[first]
                T[iv : iv + size] = rows[first : first + size]
                first += size
        return configuration, T @ v, T @ a + bias, T

    def _velocity_rows(self, part: _Part, count: int) -> Matrix:
        """Return the velocities of a joint for unit velocities of the coordinates."""
        rows = np.zeros((part.joint.degrees_of_freedom, count))
        for number, coordinate in enumerate(part.joint.coordinates):
            factor, source = 1.0, f"{part.joint.name}[{number}]" if number else part.joint.name
            if coordinate.coupling is not None:
                factor, source = _linear(coordinate.coupling.position)
            rows[number, self._dynamics.names.index(source)] = factor
        return rows

    def pose(self, body: str) -> Matrix:
        at, placement = self._bodies[body]
        return np.asarray((self.data.oMi[at] * placement).homogeneous)

    def jacobian(self, q: Matrix, body: str) -> Matrix:
        at, placement = self._bodies[body]
        local = placement.inverse().action @ pin.computeJointJacobian(self.model, self.data, q, at).reshape(6, -1)
        rotation = self.pose(body)[:3, :3]
        return np.concatenate([rotation @ local[:3], rotation @ local[3:]])

    @property
    def fixed(self) -> tuple[float, Matrix]:
        """Mass and first moment of mass of the bodies that cannot move, which Pinocchio leaves out."""
        inertia = self.model.inertias[0]
        return float(inertia.mass), np.asarray(inertia.mass * inertia.lever)


def _linear(position: Expression) -> tuple[float, str]:
    assert isinstance(position, Operation)
    product = position.operands[0]
    assert isinstance(product, Operation)
    factor, source = product.operands
    assert isinstance(factor, Number)
    assert isinstance(source, JointPosition)
    return factor.value, source.joint


@pytest.mark.parametrize("seed", [*range(15), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(15, 300))])
def test_random_trees_are_those_of_pinocchio(seed: int) -> None:
    generator = np.random.default_rng(1000 + seed)
    gravity = generator.normal(size=3) * 5.0
    dynamics = Dynamics(World(models=NamedList([_random_tree(seed)]), gravity=gravity))
    reference = _Reference(dynamics, gravity)
    model = reference.model
    q, v, a = (generator.uniform(-1.5, 1.5, len(dynamics)) for _ in range(3))
    at, speeds, accelerations, T = reference.state(q, v, a)
    data = reference.data = model.createData()
    pin.forwardKinematics(model, data, at, speeds)
    poses = dynamics.poses(q)
    for body in dynamics.bodies:
        np.testing.assert_allclose(poses[body], reference.pose(body), atol=1e-12)
    upper = np.triu(pin.crba(model, data, at))
    M = T.T @ (upper + np.triu(upper, 1).T) @ T
    np.testing.assert_allclose(dynamics.mass_matrix(q), M, atol=1e-11)
    forces = T.T @ pin.rnea(model, data, at, speeds, accelerations)
    np.testing.assert_allclose(dynamics.inverse_dynamics(q, v, a), forces, atol=1e-10)
    np.testing.assert_allclose(dynamics.bias_forces(q, v), forces - M @ a, atol=1e-10)
    np.testing.assert_allclose(dynamics.gravity_forces(q), T.T @ pin.computeGeneralizedGravity(model, data, at), atol=1e-10)
    np.testing.assert_allclose(dynamics.kinetic_energy(q, v), pin.computeKineticEnergy(model, data, at, speeds), atol=1e-10)
    mass, first = reference.fixed
    potential = pin.computePotentialEnergy(model, data, at) - float(gravity @ first)
    np.testing.assert_allclose(dynamics.potential_energy(q), potential, atol=1e-10)
    pin.ccrba(model, data, at, speeds)
    moving, momentum = dynamics.mass - mass, data.hg.vector.copy()
    center = (moving * data.com[0] + first) / dynamics.mass
    momentum[3:] += np.cross(data.com[0] - center, momentum[:3])
    np.testing.assert_allclose(dynamics.center_of_mass(q), center, atol=1e-12)
    np.testing.assert_allclose(dynamics.momentum(q, v), momentum, atol=1e-11)
    J = moving / dynamics.mass * pin.jacobianCenterOfMass(model, data, at).reshape(3, -1) @ T
    np.testing.assert_allclose(dynamics.center_of_mass_jacobian(q), J, atol=1e-11)
    if len(M) and np.linalg.eigvalsh(M).min() > 1e-6:
        np.testing.assert_allclose(dynamics.forward_dynamics(q, v, forces), a, atol=1e-8)
    for body in dynamics.bodies:
        np.testing.assert_allclose(dynamics.jacobian(q, body), reference.jacobian(at, body) @ T, atol=1e-11)
