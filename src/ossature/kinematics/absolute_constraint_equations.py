"""The constraint equations of a model with kinematic loops, in the poses of its bodies (absolute coordinates).

Every joint, whether in the spanning tree or closing a loop, prevents some relative twists of its two bodies: those orthogonal
to the twists of its free coordinates. So all joints are treated alike, and the rank of the Jacobian does not depend on the
choice of a spanning tree.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ossature.array_types import Array
from ossature.kinematics.absolute_coordinates import GROUND, AbsoluteCoordinates
from ossature.kinematics.coupling_constraints import coupling_jacobian, coupling_residual
from ossature.kinematics.disjoint_sets import DisjointSets
from ossature.kinematics.distance_and_coincidence_constraints import CoincidenceEquations, RodEquations
from ossature.kinematics.joint_constraints import JointEquations
from ossature.kinematics.joint_couplings import CoupledCoordinate
from ossature.model import Model, Motor


@dataclass(slots=True, kw_only=True)
class ConstraintEquations:
    """The bodies of a model that belong to kinematic loops, their poses, and the equations of the joints between them.

    Chains of bodies that end outside of loops are left out: nothing constrains them.

    Attributes:
        bodies: Names of the bodies, the ground first as None.
        coordinates: The poses of the bodies.
        joints: The joints between them.
        rods: The rods between them, and the pairs of points that coincide.
        couplings: The coordinates between them that are coupled to others.
        equalities: The equalities of coordinates between them, by name.
        grounded: Names of the bodies that belong to the ground.
    """

    model: Model
    bodies: list[str | None]
    coordinates: AbsoluteCoordinates
    joints: list[JointEquations]
    rods: list[RodEquations | CoincidenceEquations]
    couplings: list[CoupledCoordinate]
    equalities: dict[str, CoupledCoordinate]
    grounded: frozenset[str | None]
    _joints_by_name: dict[str, JointEquations] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._joints_by_name = {joint.name: joint for joint in self.joints if joint.is_joint}

    @property
    def length(self) -> float:
        """The characteristic length [m]."""
        return self.coordinates.length

    def copy(self) -> ConstraintEquations:
        """Return the same equations with independent poses and coordinates."""
        joints = [joint.copy(joint.parent, joint.child) for joint in self.joints]
        return replace(self, coordinates=self.coordinates.copy(), joints=joints)

    @property
    def most_rows(self) -> int:
        """An upper bound of the number of equations."""
        return 6 * len(self.joints) + 3 * len(self.rods) + len(self.couplings) + len(self.equalities)

    def parts(self) -> list[ConstraintEquations]:
        """Return the equations of each group of bodies that are connected without the ground."""
        groups = self._body_groups()
        members: dict[int, list[int]] = {}
        for body in range(GROUND + 1, len(self.bodies)):
            members.setdefault(groups.find(body), [GROUND]).append(body)
        joints: dict[int, list[JointEquations]] = {}
        rods: dict[int, list[RodEquations | CoincidenceEquations]] = {}
        group_of_joint: dict[str, int] = {}
        for joint in self.joints:
            group = groups.find(max(joint.parent, joint.child))
            joints.setdefault(group, []).append(joint)
            if joint.is_joint:
                group_of_joint[joint.name] = group
        for rod in self.rods:
            rods.setdefault(groups.find(max(rod.parent, rod.child)), []).append(rod)
        couplings: dict[int, list[CoupledCoordinate]] = {}
        for coupling in self.couplings:
            couplings.setdefault(group_of_joint[coupling.joint.name], []).append(coupling)
        equalities: dict[int, dict[str, CoupledCoordinate]] = {}
        for name, equality in self.equalities.items():
            equalities.setdefault(group_of_joint[equality.joint.name], {})[name] = equality
        parts = []
        for group, bodies in members.items():
            index = {body: number for number, body in enumerate(bodies)}
            part = replace(
                self,
                bodies=[self.bodies[body] for body in bodies],
                coordinates=self.coordinates.subset(bodies),
                joints=[one.copy(index[one.parent], index[one.child]) for one in joints.get(group, ())],
                rods=[replace(one, parent=index[one.parent], child=index[one.child]) for one in rods.get(group, ())],
                couplings=couplings.get(group, []),
                equalities=equalities.get(group, {}),
            )
            parts.append(part)
        return parts

    def _body_groups(self) -> DisjointSets[int]:
        """Return the groups of bodies that are connected without the ground, by their indices."""
        groups: DisjointSets[int] = DisjointSets()
        constraints: list[JointEquations | RodEquations | CoincidenceEquations] = [*self.joints, *self.rods]
        for constraint in constraints:
            if GROUND not in (constraint.parent, constraint.child):
                groups.join(constraint.parent, constraint.child)
        for follower in (*self.couplings, *self.equalities.values()):
            joints = [self._joints_by_name[name] for name in (follower.joint.name, *(one.joint for one in follower.sources))]
            bodies = [end for joint in joints for end in (joint.parent, joint.child) if end != GROUND]
            for body in bodies[1:]:
                groups.join(bodies[0], body)
        return groups

    def fit_coordinates(self) -> None:
        """Set the free coordinates of all joints from the poses of the bodies."""
        for joint in self.joints:
            joint.fit_coordinates(self.coordinates)

    def residuals(self) -> tuple[Array, list[str]]:
        """Return the scaled residuals of all equations, and the name of the constraint of each."""
        blocks = [(joint.name, joint.residual(self.coordinates)) for joint in self.joints]
        blocks += [(rod.name, rod.residual(self.coordinates)) for rod in self.rods]
        blocks += [(name, coupling_residual(one, self._joints_by_name)) for name, one in self.named_couplings()]
        return _stack(blocks, np.zeros(0))

    def jacobian(self) -> tuple[Array, list[str]]:
        """Return the Jacobian of the equations, shape (equations, size), and the name of the constraint of each row."""
        blocks = [(joint.name, joint.jacobian(self.coordinates)) for joint in self.joints]
        blocks += [(rod.name, rod.jacobian(self.coordinates)) for rod in self.rods]
        blocks += [
            (name, coupling_jacobian(one, self._joints_by_name, self.coordinates)) for name, one in self.named_couplings()
        ]
        return _stack(blocks, np.zeros((0, self.coordinates.size)))

    def named_couplings(self) -> list[tuple[str, CoupledCoordinate]]:
        """Return the couplings with the names of their joints, and the equalities of coordinates with their own."""
        return [*((one.joint.name, one) for one in self.couplings), *self.equalities.items()]

    def motor_jacobian(self, motor: Motor) -> Array | None:
        """Return the Jacobian of the relative motion along or about a motor's axis, or None if a body is not included."""
        first, second = self._index_of(motor.body1), self._index_of(motor.body2)
        if first is None or second is None or first == GROUND:
            return None
        frame = self.coordinates.transforms[first] @ np.array(motor.pose.matrix())
        twist = self.coordinates.twist_jacobian(first, frame) - self.coordinates.twist_jacobian(second, frame)
        return np.asarray(np.array(motor.axis) @ (twist[:3] if motor.guide.is_rotational else twist[3:]))

    def _index_of(self, body: str | None) -> int | None:
        if body in self.bodies:
            return self.bodies.index(body)
        return GROUND if body in self.grounded else None


def _stack(blocks: Sequence[tuple[str, Array]], empty: Array) -> tuple[Array, list[str]]:
    names = [name for name, rows in blocks for _ in rows]
    return (np.concatenate([rows for _, rows in blocks]) if blocks else empty), names
