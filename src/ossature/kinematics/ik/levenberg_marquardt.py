"""The search for joint coordinates: a batch of descents, each for one of the targets.

A descent makes Levenberg-Marquardt steps whose damping is proportional to the squared residual, so that it needs no line search
and converges quadratically (T. Sugihara, "Solvability-unconcerned inverse kinematics by the Levenberg-Marquardt method", IEEE
Transactions on Robotics 27(5), 2011). Limits are enforced by projection, with the active ones removed from the step
(D. Bertsekas, "Projected Newton methods for optimization problems with simple constraints", SIAM Journal on Control and
Optimization 20(2), 1982). A descent without progress is restarted from another seed.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from ossature.array_types import Array, BoolArray, IndexArray
from ossature.kinematics.ik.chain import KinematicChain
from ossature.kinematics.ik.residuals import IkResiduals

_DAMPING = 0.03
_MIN_DAMPING = 1e-9
_MAX_STEPS = 16
_STALLED_STEP = 1e-4
_STALLED_COST = 1e-4
_MAX_ROWS = 64
_MAX_ROWS_PER_TARGET = 8
_MAX_ROWS_OF_ONE_PART = 4
"""For targets with one residual part, which converge in a few steps from almost every seed."""
_NO_TARGETS = np.zeros(0, dtype=np.intp)


@dataclass(slots=True, kw_only=True)
class SearchBounds:
    """Bounds of the variables.

    Attributes:
        lower: Lower limits [rad or m].
        upper: Upper limits [rad or m].
        fixed: Whether each variable keeps its value of the seed.
        joint_lower: Lower limits of all coordinates on the chain that move, coupled ones included [rad or m].
        joint_upper: Upper limits of them [rad or m].
    """

    lower: Array
    upper: Array
    fixed: BoolArray
    joint_lower: Array
    joint_upper: Array

    def without_limits(self) -> SearchBounds:
        """Return bounds without limits, with the same fixed variables."""
        free = np.full_like(self.joint_lower, math.inf)
        unlimited = np.full_like(self.lower, math.inf)
        return SearchBounds(lower=-unlimited, upper=unlimited, fixed=self.fixed, joint_lower=-free, joint_upper=free)


@dataclass(slots=True, kw_only=True)
class Candidate:
    """Variables with which a target is reached.

    Attributes:
        q: The variables [rad or m].
        position_error: Distance of the frame from the target [m].
        angle_error: Angle between them [rad].
    """

    q: Array
    position_error: float
    angle_error: float


@dataclass(slots=True, kw_only=True)
class SearchResult:
    """The result of a search for one target.

    Attributes:
        hits: Solutions, in the order in which they were found.
        nearest: Of the variables of the failed descents, those with the smallest residual; or None.
        cost: Their squared residual.
    """

    hits: list[Candidate] = field(default_factory=list)
    nearest: Array | None = None
    cost: float = math.inf


class Search:
    """A search for targets of one type."""

    def __init__(
        self,
        chain: KinematicChain,
        goals: IkResiduals,
        bounds: SearchBounds,
        seed: Callable[[int, int], Array | None],
        accept: Callable[[int, Candidate], bool],
        tolerance: float,
    ) -> None:
        """Prepare a search.

        Args:
            goals: The residuals of the targets.
            seed: Returns the initial guess of a target's attempt of a given number, or None after the last.
            accept: Called for each solution of a target; returns whether the target needs no more of them.
            tolerance: Largest residual of a solution [m] and [rad].
        """
        self._chain, self._goals, self._bounds = chain, goals, bounds
        self._seed, self._accept = seed, accept
        self._tolerance, self._max_cost = tolerance, goals.max_residual(tolerance)
        self.found = [SearchResult() for _ in range(goals.count)]
        self._attempts = np.zeros(goals.count, dtype=np.intp)
        self._is_done = np.zeros(goals.count, dtype=bool)
        self._diagonal = np.arange(len(bounds.lower))

    def run(self) -> list[SearchResult]:
        """Return the result for each target."""
        max_rows = _MAX_ROWS_OF_ONE_PART if len(self._goals.parts) == 1 else _MAX_ROWS_PER_TARGET
        count = max(1, min(max_rows, _MAX_ROWS // self._goals.count))
        self._q = np.zeros((0, len(self._bounds.lower)))
        self._targets, self._step_counts = np.zeros(0, dtype=np.intp), np.zeros(0, dtype=np.intp)
        self._add_rows(np.repeat(np.arange(self._goals.count), count))
        while len(self._q):
            self._advance()
        return self.found

    def _add_rows(self, targets: IndexArray) -> None:
        """Add a row for each of the given targets that is not done and has attempts left."""
        added, seeds = [], []
        for target in targets.tolist():
            seed = None if self._is_done[target] else self._seed(target, int(self._attempts[target]))
            self._attempts[target] += 1
            if seed is not None:
                added.append(target)
                seeds.append(seed)
        if seeds:
            self._q = np.concatenate([self._q, np.array(seeds)])
            self._targets = np.concatenate([self._targets, np.array(added, dtype=np.intp)])
            self._step_counts = np.concatenate([self._step_counts, np.zeros(len(seeds), dtype=np.intp)])

    def _advance(self) -> None:
        """Advance every row by one step; replace those that reach their targets or stall."""
        tips, jacobians = self._chain.tips_and_jacobians(self._q)
        residuals = self._goals.residuals(tips, self._targets)
        costs = np.einsum("ij,ij->i", residuals, residuals)
        reached = _NO_TARGETS
        if costs.min() <= self._max_cost:
            is_reached = self._goals.are_satisfied(residuals, self._tolerance)
            reached = self._targets[is_reached]
            self._record_hits(np.flatnonzero(is_reached), *self._goals.errors(residuals[is_reached]))
            rest = ~is_reached & ~self._is_done[self._targets]
            self._select_rows(rest)
            tips, jacobians, residuals, costs = tips[rest], jacobians[rest], residuals[rest], costs[rest]
        failed = self._improve(tips, jacobians, residuals, costs) if len(self._q) else _NO_TARGETS
        if len(reached) or len(failed):
            self._add_rows(np.concatenate([reached, failed]))

    def _select_rows(self, rows: BoolArray) -> None:
        self._q, self._targets, self._step_counts = self._q[rows], self._targets[rows], self._step_counts[rows]

    def _record_hits(self, rows: IndexArray, lengths: Array, angles: Array) -> None:
        is_valid = self._are_within_limits(self._q[rows])
        for number, row in enumerate(rows.tolist()):
            target = int(self._targets[row])
            if is_valid[number] and not self._is_done[target]:
                q = self._q[row]
                hit = Candidate(q=q, position_error=float(lengths[number]), angle_error=float(angles[number]))
                self.found[target].hits.append(hit)
                self._is_done[target] = self._accept(target, hit)

    def _are_within_limits(self, q: Array) -> BoolArray:
        """Return whether all coordinates on the chain are within their limits; only coupled ones can violate them."""
        values = self._chain.coupling.values(q)
        low, high = self._bounds.joint_lower - self._tolerance, self._bounds.joint_upper + self._tolerance
        return np.asarray(np.all((values >= low) & (values <= high), axis=1))

    def _improve(self, tips: Array, jacobians: Array, residuals: Array, costs: Array) -> IndexArray:
        """Move every row by a step; return the targets of the rows that are removed."""
        J = self._goals.jacobians(tips, jacobians, residuals, self._targets)
        steps = self._damped_steps(J, residuals, costs)
        is_stalled = (np.abs(steps).max(axis=1) < _STALLED_STEP) & (costs > _STALLED_COST)
        is_failed = is_stalled | (self._step_counts >= _MAX_STEPS) | ~np.isfinite(costs)
        before, self._q = self._q, self._project(self._q - steps)
        self._step_counts += 1
        if not is_failed.any():
            return _NO_TARGETS
        for row in np.flatnonzero(is_failed).tolist():
            found = self.found[int(self._targets[row])]
            if costs[row] < found.cost:
                found.nearest, found.cost = before[row], float(costs[row])
        failed: IndexArray = self._targets[is_failed]
        self._select_rows(~is_failed)
        return failed

    def _damped_steps(self, J: Array, residuals: Array, costs: Array) -> Array:
        """Return the damped steps, to be subtracted, (rows, variables)."""
        bounds = self._bounds
        J_T = J.swapaxes(1, 2)
        gradients = (J_T @ residuals[:, :, None])[:, :, 0]
        normal = J_T @ J
        # The gradient step of a variable at an active limit is projected back.
        is_active = np.minimum(np.maximum(self._q - gradients, bounds.lower), bounds.upper) == self._q
        is_active |= bounds.fixed
        if is_active.any():
            is_free = ~is_active
            gradients *= is_free
            normal *= is_free[:, :, None] & is_free[:, None, :]
        normal[:, self._diagonal, self._diagonal] += (_DAMPING * costs + _MIN_DAMPING)[:, None]
        return np.asarray(np.linalg.solve(normal, gradients[:, :, None])[:, :, 0])

    def _project(self, q: Array) -> Array:
        """Return variables projected onto their limits, and unlimited rotation vectors no longer than π."""
        for numbers in self._chain.rotation_vectors:
            columns = list(numbers)
            if not (np.isfinite(self._bounds.lower[columns]).any() or np.isfinite(self._bounds.upper[columns]).any()):
                q[:, columns] = shortest(q[:, columns])
        return np.minimum(np.maximum(q, self._bounds.lower), self._bounds.upper)


def shortest(vectors: Array) -> Array:
    """Return rotation vectors of the same rotations, none longer than π, if they are not longer than 2π."""
    angles = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(np.where(angles > math.pi, vectors * (1.0 - math.tau / np.maximum(angles, 1.0)), vectors))
