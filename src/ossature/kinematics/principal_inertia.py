"""Principal moments of inertia, and their plausibility within rounding."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, permutations

import numpy as np

from ossature.array_types import Array
from ossature.kinematics.spanning_tree import Tree
from ossature.model import Actuation
from ossature.spatial import Vector3

INERTIA_ROUNDING = 1e-6
"""Rounding error of principal moments as a fraction of the largest: files have six significant digits.

It is used for findings only; moments are not changed, except that negative ones within it are zero.
"""

SMALLEST_RADIUS_OF_GYRATION = 1e-8
"""A radius of gyration below it [m] is a rounding error of files: it is that of a few atoms."""

ARITHMETIC_ROUNDING = 1e-12
"""Rounding error of a rotated tensor: a smaller fraction of the largest moment counts as zero."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PrincipalInertia:
    """Principal moments and axes of an inertia tensor.

    Attributes:
        moments: Principal moments in ascending order [kg·m²].
        axes: Their axes as columns of a rotation matrix, in the frame of the tensor.
        mass: The mass of the body [kg]; zero if it is unknown.
    """

    moments: Vector3
    axes: Array
    mass: float = 0.0

    @property
    def rounding(self) -> float:
        """The rounding error of these moments [kg·m²]."""
        return max(INERTIA_ROUNDING * max(map(abs, self.moments)), self._negligible)

    @property
    def _negligible(self) -> float:
        return self.mass * SMALLEST_RADIUS_OF_GYRATION**2

    @property
    def is_negative(self) -> bool:
        """Whether a moment is negative beyond rounding."""
        return self.moments[0] < -self.rounding

    @property
    def is_degenerate(self) -> bool:
        """Whether a moment is zero or negative within rounding."""
        return not self.is_negative and self.moments[0] <= max(ARITHMETIC_ROUNDING * abs(self.moments[2]), self._negligible)

    @property
    def violates_triangle(self) -> bool:
        """Whether the largest moment exceeds the sum of the others beyond rounding."""
        smallest, middle, largest = self.moments
        return largest - (smallest + middle) > self.rounding

    @property
    def text(self) -> str:
        """The moments as a text for messages."""
        return "{:g}, {:g} and {:g} kg·m²".format(*self.moments)


def principal_inertia(moment: Array, mass: float = 0.0) -> PrincipalInertia | None:
    """Return the principal moments and axes of a symmetric inertia tensor [kg·m²], or None if it is not finite.

    The axes of a diagonal tensor are exactly those of its frame, perhaps in another order. The mass [kg] determines which
    moments are rounding errors; by default this follows from their ratios only.
    """
    rows: list[list[float]] = moment.tolist()
    if not all(map(math.isfinite, chain.from_iterable(rows))):
        return None
    if is_diagonal(rows):
        diagonal = [row[axis] for axis, row in enumerate(rows)]
        order = tuple(sorted(range(3), key=diagonal.__getitem__))
        smallest, middle, largest = (diagonal[axis] for axis in order)
        return PrincipalInertia(moments=(smallest, middle, largest), axes=_COORDINATE_AXES[order].copy(), mass=mass)
    # Scaled by its largest entry, so that a small tensor does not underflow.
    size = float(np.abs(moment).max())
    principal, axes = np.linalg.eigh(moment / size)
    with np.errstate(over="ignore"):
        principal = principal * size
    if not np.isfinite(principal).all():
        return None
    smallest, middle, largest = principal.tolist()
    return PrincipalInertia(moments=(smallest, middle, largest), axes=_right_handed(axes), mass=mass)


def is_diagonal(moment: Sequence[Sequence[float]]) -> bool:
    """Whether all products of inertia of a tensor are zero."""
    return not any(value for row, values in enumerate(moment) for column, value in enumerate(values) if row != column)


def _right_handed(axes: Array) -> Array:
    return axes * np.array([1.0, 1.0, -1.0]) if np.linalg.det(axes) < 0.0 else axes


_COORDINATE_AXES = {order: _right_handed(np.eye(3)[:, order]) for order in permutations(range(3))}
"""The axes of a frame in each order, the last one reversed where they would be left-handed."""


def has_own_joint(tree: Tree) -> dict[str, bool]:
    """Return for each body of a tree whether it floats or its joint can move."""
    return {
        branch.body.name: branch.inboard is None
        or (branch.inboard.degrees_of_freedom > 0 and branch.inboard.actuation is not Actuation.LOCKED)
        for branch in tree.branches
    }
