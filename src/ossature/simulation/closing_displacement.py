"""The displacement that closes the loops of a mechanism exactly, which small residuals leave undetermined.

A residual r of loops leaves a displacement r / σ, with the smallest singular value σ of their constraint Jacobian: if the
constraints are nearly dependent, bodies that they hold can move far while all residuals are small.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import mujoco
import numpy as np

from ossature.array_types import IndexArray, Vector
from ossature.formats.mjcf.engine_data import temporary_engine_data
from ossature.simulation.accuracy_results import MAX_CLOSING_DISPLACEMENT
from ossature.simulation.compile.engine_model import EngineModel
from ossature.simulation.mechanism_layout import joint_path
from ossature.simulation.stepping.constraint_projection import equality_rows

_CORRECTIONS = 10
"""Largest number of Newton corrections."""
_CLOSED = 0.01
"""Fraction of a residual to which the corrections have to reduce it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClosingDisplacement:
    """The displacement of a joint that would close the loops of a mechanism exactly.

    Attributes:
        value: The displacement [m or rad].
        bound: Its bound [m or rad].
        joint: The path of the joint.
    """

    value: float
    bound: float
    joint: str


def largest(found: Iterable[ClosingDisplacement | None]) -> ClosingDisplacement | None:
    """Return the largest displacement relative to its bound, or None if there is none."""
    return max((one for one in found if one is not None), key=lambda one: one.value / one.bound, default=None)


class ClosingDisplacementSearch:
    """Finds displacements above their bound that would close the loops of a mechanism exactly.

    It costs little unless residuals are large for the singular values.
    """

    def __init__(self, compiled: EngineModel, constraints: ScaledConstraints) -> None:
        self._compiled, self._constraints = compiled, constraints
        self._largest_residual = math.sqrt(constraints.residual_scales.dot(constraints.residual_scales))
        """Largest norm of scaled residuals of which none is larger than 1 m or rad."""

    def negligible_residual(self, singular_value: float) -> float:
        """Return a residual that leaves no displacement above its bound if none is larger [m or rad]."""
        return MAX_CLOSING_DISPLACEMENT * singular_value / self._largest_residual if self._largest_residual else math.inf

    def find(self, data: mujoco.MjData, singular_value: float, rank: int) -> ClosingDisplacement | None:
        """Return the displacement from the present positions, if one is likely and found.

        Args:
            data: The engine's data, with the constraints of the present positions.
            singular_value: The smallest singular value that is possible there.
            rank: The rank of the Jacobian without redundant constraints.
        """
        if not self._may_be_displaced(data.efc_pos, singular_value):
            return None
        displacements = self._constraints.closing_displacement(self._compiled.model, data, rank)
        return None if displacements is None else self._describe(displacements)

    def find_least(self, J: Vector, violations: Vector, singular_value: float, rank: int) -> ClosingDisplacement | None:
        """Return a lower bound of the displacement, if it is above its bound.

        Args:
            J: The numbers of the Jacobian of all equality constraints, row by row.
            violations: Their violations.
            singular_value: The smallest singular value of the mechanism.
            rank: The rank of the Jacobian without redundant constraints.
        """
        if not self._may_be_displaced(violations, singular_value):
            return None
        rows = J.reshape(len(violations), -1)
        return self._describe(self._constraints.least_closing_displacement(rows, violations, rank))

    def _may_be_displaced(self, violations: Vector, singular_value: float) -> bool:
        residuals = self._constraints.residuals(violations)
        return math.sqrt(residuals.dot(residuals)) > MAX_CLOSING_DISPLACEMENT * singular_value

    def _describe(self, displacements: Vector) -> ClosingDisplacement | None:
        """Return the largest of the scaled displacements, if it is above its bound."""
        sizes = np.abs(displacements)
        column = int(sizes.argmax())
        if sizes[column] <= MAX_CLOSING_DISPLACEMENT:
            return None
        unit = float(self._constraints.column_scales[column])
        return ClosingDisplacement(
            value=float(sizes[column]) * unit,
            bound=MAX_CLOSING_DISPLACEMENT * unit,
            joint=joint_path(self._compiled, int(self._constraints.dofs[column])),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ScaledConstraints:
    """The constraints of a mechanism, with rotations in rad and translations in characteristic lengths.

    Attributes:
        rows: The engine's rows of the constraints.
        dofs: The engine's degrees of freedom: the columns.
        row_scales: The factor of each row.
        column_scales: The unit displacement of each column [rad or m].
        residual_scales: The factor of each residual; zero for motors and couplings, whose coordinates keep their values.
    """

    rows: IndexArray
    dofs: IndexArray
    row_scales: Vector
    column_scales: Vector
    residual_scales: Vector

    def _scale(self, J: Vector) -> Vector:
        """Return the Jacobian of the mechanism from that of all equality constraints of the engine."""
        return np.asarray(J[self.rows[:, None], self.dofs] * (self.row_scales[:, None] * self.column_scales))

    def residuals(self, violations: Vector) -> Vector:
        """Return the residuals of the loops from the violations of all constraints of the engine."""
        return np.asarray(violations[self.rows] * self.residual_scales)

    def least_closing_displacement(self, J: Vector, violations: Vector, rank: int) -> Vector:
        """Return the displacement that closes the loops to first order, reduced by what their curvature may contribute.

        Along the least determined motion the residual of a displacement x is σ·x + c·x² with c of about one at the most.

        Args:
            J: The Jacobian of all equality constraints of the engine.
            violations: Their violations.
            rank: The rank of the Jacobian without redundant constraints.
        """
        correction, removed, smallest = self._correction(violations, J, rank)
        return correction * (2.0 / (1.0 + math.sqrt(1.0 + 4.0 * removed / smallest**2)))

    def closing_displacement(self, model: mujoco.MjModel, data: mujoco.MjData, rank: int) -> Vector | None:
        """Return the smallest displacement to positions at which the loops are closed, or None if none is found.

        Args:
            data: The engine's data, with the constraints of the present positions.
            rank: The rank of the Jacobian without redundant constraints.
        """
        total, displacement = np.zeros(len(self.dofs)), np.zeros(model.nv)
        with temporary_engine_data(model) as trial:
            trial.eq_active[:] = data.eq_active
            trial.mocap_pos[:], trial.mocap_quat[:] = data.mocap_pos, data.mocap_quat
            trial.qpos[:] = data.qpos
            bound = -1.0
            for _ in range(_CORRECTIONS):
                mujoco.mj_fwdPosition(model, trial)
                if trial.ne != data.ne:
                    return None
                correction, removed, _ = self._correction(*equality_rows(model, trial), rank)
                if removed <= bound:
                    return total
                bound = _CLOSED * removed if bound < 0.0 else bound
                total += correction
                displacement[self.dofs] = correction * self.column_scales
                mujoco.mj_integratePos(model, trial.qpos, displacement, 1.0)
        return None

    def _correction(self, violations: Vector, J: Vector, rank: int) -> tuple[Vector, float, float]:
        """Return a Newton correction, scaled, the residual that it removes, and the smallest singular value."""
        left, s, right = np.linalg.svd(self._scale(J), full_matrices=False)
        removed = left.T[:rank] @ self.residuals(violations)
        return -(right[:rank].T @ (removed / s[:rank])), float(np.linalg.norm(removed)), float(s[rank - 1])
