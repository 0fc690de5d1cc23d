"""The constraint equations of points: a constant distance of two points (a rod), or coincident points."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ossature.array_types import Array
from ossature.kinematics.absolute_coordinates import GROUND, AbsoluteCoordinates


@dataclass(slots=True, kw_only=True)
class RodEquations:
    """The equations of a rod of constant length between two points.

    Attributes:
        parent: Index of the first body.
        child: Index of the second body.
        points: The two ends in the frames of their bodies [m].
        axis: The axis of a hinge at the first end, in the frame of the first body; None without one.
        length: The length of the rod [m].
        offset: The distance from the first end to the second one along the axis [m].
    """

    name: str
    parent: int
    child: int
    points: tuple[Array, Array]
    axis: Array | None
    length: float
    offset: float

    def residual(self, bodies: AbsoluteCoordinates) -> Array:
        """Return the scaled residual of each equation, shape (1 or 2,)."""
        first, second = self._ends(bodies)
        rod = second - first
        residuals = [(np.linalg.norm(rod) - self.length) / bodies.length]
        if self.axis is not None:
            residuals.append(((bodies.transforms[self.parent][:3, :3] @ self.axis) @ rod - self.offset) / bodies.length)
        return np.array(residuals)

    def jacobian(self, bodies: AbsoluteCoordinates) -> Array:
        """Return the Jacobian of the equations, shape (1 or 2, size)."""
        first, second = self._ends(bodies)
        rod = second - first
        rates = bodies.point_jacobian(self.child, second) - bodies.point_jacobian(self.parent, first)
        rows = [rod / max(float(np.linalg.norm(rod)), 1e-300) @ rates]
        if self.axis is not None:
            axis = bodies.transforms[self.parent][:3, :3] @ self.axis
            rotation = np.zeros((3, bodies.size))
            if self.parent != GROUND:
                rotation[:, 6 * (self.parent - 1) : 6 * self.parent - 3] = np.eye(3)
            rows.append(axis @ rates + np.cross(axis, rod / bodies.length) @ rotation)
        return np.array(rows)

    def _ends(self, bodies: AbsoluteCoordinates) -> tuple[Array, Array]:
        return _points_in_world(self, bodies)


@dataclass(slots=True, kw_only=True)
class CoincidenceEquations:
    """The equations of two points that coincide.

    Attributes:
        parent: Index of the first body.
        child: Index of the second body.
        points: The points in the frames of their bodies [m].
    """

    name: str
    parent: int
    child: int
    points: tuple[Array, Array]

    def residual(self, bodies: AbsoluteCoordinates) -> Array:
        """Return the scaled distance of the points along the axes of the world, shape (3,)."""
        first, second = _points_in_world(self, bodies)
        return np.asarray((second - first) / bodies.length)

    def jacobian(self, bodies: AbsoluteCoordinates) -> Array:
        """Return the Jacobian of the equations, shape (3, size)."""
        first, second = _points_in_world(self, bodies)
        return np.asarray(bodies.point_jacobian(self.child, second) - bodies.point_jacobian(self.parent, first))


def _points_in_world(one: RodEquations | CoincidenceEquations, bodies: AbsoluteCoordinates) -> tuple[Array, Array]:
    first, second = bodies.transforms[one.parent], bodies.transforms[one.child]
    return first[:3, :3] @ one.points[0] + first[:3, 3], second[:3, :3] @ one.points[1] + second[:3, 3]
