"""The constraint equations of one joint: the relative twists of its bodies that its free coordinates do not span."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ossature.array_types import Array, BoolArray
from ossature.kinematics.absolute_coordinates import AbsoluteCoordinates, inverse, require_finite, rotation_vector
from ossature.kinematics.batched_rotations import right_jacobian, skew
from ossature.kinematics.joint_factorization import factor_joint, factor_pose
from ossature.kinematics.joint_graph_edges import Connection
from ossature.kinematics.joint_transforms import motion_pose
from ossature.model import JointType
from ossature.spatial import cross, scale

_INDEPENDENT = 1e-7
"""Smallest singular value, relative to the largest, of twists of coordinates that count as independent."""


@dataclass(slots=True, kw_only=True)
class JointEquations:
    """The equations of one joint.

    Attributes:
        name: Name of the joint, motor or constraint.
        label: The name, unique among the connections of the model.
        parent: Index of the parent body.
        child: Index of the child body.
        frame_parent: The joint frame in the parent body's frame (of the ground: in the world), shape (4, 4).
        frame_child: The joint frame in the child body's frame, shape (4, 4).
        q: Its coordinates [rad or m].
        is_prescribed: Whether each coordinate is prescribed.
        connection: The joint or motor of the model; None for a constraint.
    """

    name: str
    label: str
    type: JointType
    parent: int
    child: int
    frame_parent: Array
    frame_child: Array
    q: Array
    is_prescribed: BoolArray
    connection: Connection | None = None

    @property
    def is_joint(self) -> bool:
        """Whether it is a joint of the model."""
        return self.connection is not None and self.connection.is_joint

    def copy(self, parent: int, child: int) -> JointEquations:
        """Return the same equations between other bodies, with independent coordinates."""
        return replace(self, parent=parent, child=child, q=self.q.copy(), is_prescribed=self.is_prescribed.copy())

    def residual(self, bodies: AbsoluteCoordinates) -> Array:
        """Return the scaled residual of each equation, shape (equations,)."""
        return self._constrained_twists(bodies) @ self.mismatch(bodies)

    def jacobian(self, bodies: AbsoluteCoordinates) -> Array:
        """Return the Jacobian of the equations, shape (equations, size)."""
        return self._constrained_twists(bodies) @ self.relative_twist_jacobian(bodies)

    def residual_and_jacobian(self, bodies: AbsoluteCoordinates) -> tuple[Array, Array]:
        """Return :meth:`residual` and :meth:`jacobian`."""
        constrained = self._constrained_twists(bodies)
        return constrained @ self.mismatch(bodies), constrained @ self.relative_twist_jacobian(bodies)

    def relative_transform(self, bodies: AbsoluteCoordinates) -> Array:
        """Return the child's joint frame in the parent's, shape (4, 4)."""
        parent, child = bodies.transforms[self.parent], bodies.transforms[self.child]
        return np.asarray(inverse(parent @ self.frame_parent) @ child @ self.frame_child)

    def mismatch(self, bodies: AbsoluteCoordinates) -> Array:
        """Return rotation [rad] and scaled translation of the child's joint frame from its pose at the coordinates, (6,)."""
        expected = np.array(motion_pose(self.type, self.q.tolist()).matrix())
        error = inverse(expected) @ self.relative_transform(bodies)
        return np.concatenate([rotation_vector(error), error[:3, 3] / bodies.length])

    def fit_coordinates(self, bodies: AbsoluteCoordinates) -> None:
        """Set the free coordinates from the poses of the bodies, by Gauss-Newton steps."""
        free = ~self.is_prescribed
        for _ in range(8) if free.any() else ():
            twists = coordinate_twists(self.type, self.q, bodies.length)[:, free]
            change = np.linalg.lstsq(require_finite(twists), require_finite(self.mismatch(bodies)), rcond=_INDEPENDENT)[0]
            self.q[free] += change
            if np.abs(change).max() < 1e-14:
                break

    def relative_twist_jacobian(self, bodies: AbsoluteCoordinates) -> Array:
        """Return the Jacobian of the child's twist relative to the parent, in the child's joint frame, shape (6, size)."""
        frame = bodies.transforms[self.child] @ self.frame_child
        return bodies.twist_jacobian(self.child, frame) - bodies.twist_jacobian(self.parent, frame)

    def coordinate_rates(self, bodies: AbsoluteCoordinates) -> Array:
        """Return the Jacobian of the free coordinates, shape (coordinates, size); zero for prescribed ones."""
        rates = np.zeros((len(self.q), bodies.size))
        free = ~self.is_prescribed
        if free.any():
            twists = coordinate_twists(self.type, self.q, bodies.length)[:, free]
            rates[free] = np.linalg.pinv(require_finite(twists), rcond=_INDEPENDENT) @ self.relative_twist_jacobian(bodies)
        return rates

    def _constrained_twists(self, bodies: AbsoluteCoordinates) -> Array:
        """Return an orthonormal basis of the relative twists that the joint prevents, as rows."""
        twists = coordinate_twists(self.type, self.q, bodies.length)[:, ~self.is_prescribed]
        u, s, _ = np.linalg.svd(require_finite(twists))
        rank = int((s > _INDEPENDENT * max(s.max(initial=0.0), 1e-300)).sum())
        return np.asarray(u[:, rank:].T)


def coordinate_twists(joint_type: JointType, q: Array, length: float) -> Array:
    """Return the twists of a joint's coordinates in the child's joint frame, shape (6, coordinates).

    Rotations come first; translations are divided by a length.
    """
    columns = np.zeros((6, joint_type.degrees_of_freedom))
    after = np.eye(4)
    for number, factor in reversed(list(enumerate(factor_joint(joint_type)))):
        rotation, position, first = after[:3, :3], after[:3, 3] - factor.anchor, factor.coordinate
        if factor.axis is None:
            rates = right_jacobian(np.asarray(q[first : first + 3], dtype=float))
            columns[:3, first : first + 3] = rotation.T @ rates
            columns[3:, first : first + 3] = -rotation.T @ skew(position) @ rates / length
        else:
            velocity = np.asarray(scale(factor.axis, factor.translation))
            if factor.is_rotation:
                columns[:3, first] += rotation.T @ factor.axis
                velocity += cross(factor.axis, position.tolist())
            columns[3:, first] += rotation.T @ velocity / length
        if number:
            after = np.asarray(factor_pose(factor, q.tolist()).matrix()) @ after
    return columns
