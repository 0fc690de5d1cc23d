"""Principal moments of inertia, and which of their oddities are rounding."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ossature.kinematics.spanning_tree import Tree
from ossature.model import Actuation

if TYPE_CHECKING:
    from numpy.typing import NDArray

INERTIA_ROUNDING = 1e-6
"""What counts as rounding of principal moments, as a share of the largest: files print six significant digits.

It is a bound for findings only: moments are never changed by it, but for negative ones within it, which are zero.
"""

ARITHMETIC_ROUNDING = 1e-12
"""The share of the largest moment up to which a positive one is no more than the rounding of turning a tensor."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PrincipalInertia:
    """An inertia tensor by its principal axes.

    Attributes:
        moments: Principal moments in growing order [kg·m²], as they are.
        axes: Their axes as columns of a rotation matrix, in the frame of the tensor.
    """

    moments: tuple[float, float, float]
    axes: NDArray[np.float64]

    @property
    def rounding(self) -> float:
        """What is no more than rounding of these moments [kg·m²]."""
        return INERTIA_ROUNDING * max(abs(moment) for moment in self.moments)

    @property
    def is_negative(self) -> bool:
        """Whether a moment is negative beyond rounding."""
        return self.moments[0] < -self.rounding

    @property
    def is_degenerate(self) -> bool:
        """Whether a moment is zero, up to the rounding of arithmetic, or negative by rounding."""
        return not self.is_negative and self.moments[0] <= ARITHMETIC_ROUNDING * abs(self.moments[2])

    @property
    def violates_triangle(self) -> bool:
        """Whether the largest moment exceeds the sum of the others beyond rounding."""
        smallest, middle, largest = self.moments
        return largest - (smallest + middle) > self.rounding

    @property
    def text(self) -> str:
        """The moments as messages name them."""
        return "{:g}, {:g} and {:g} kg·m²".format(*self.moments)


def principal_inertia(moment: NDArray[np.float64]) -> PrincipalInertia | None:
    """Return the principal moments and axes of a symmetric inertia tensor [kg·m²], or None if it is not finite.

    A diagonal tensor keeps its axes: they are those of its frame, perhaps in another order.
    """
    if not np.isfinite(moment).all():
        return None
    if not np.any(moment - np.diag(np.diag(moment))):
        order = np.argsort(np.diag(moment), kind="stable")
        principal, axes = np.diag(moment)[order], np.eye(3)[:, order]
    else:
        # The largest entry is made one, so that nothing underflows however small the tensor is.
        size = float(np.abs(moment).max())
        principal, axes = np.linalg.eigh(moment / size)
        with np.errstate(over="ignore"):
            principal = principal * size
    if np.linalg.det(axes) < 0.0:
        axes = axes * np.array([1.0, 1.0, -1.0])
    if not np.isfinite(principal).all():
        return None
    smallest, middle, largest = principal.tolist()
    return PrincipalInertia(moments=(smallest, middle, largest), axes=axes)


def has_own_joint(tree: Tree) -> dict[str, bool]:
    """Return for each body of a tree whether it floats or is carried by a joint that lets it move."""
    return {
        branch.body.name: branch.inboard is None
        or (branch.inboard.degrees_of_freedom > 0 and branch.inboard.actuation is not Actuation.LOCKED)
        for branch in tree.branches
    }
