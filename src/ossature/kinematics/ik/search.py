"""The search for joint coordinates: many rows of coordinates improve at once, each for one of the targets.

A row makes Levenberg-Marquardt steps whose damping is in proportion to the square of what is left to go, so that it needs no
line search and converges quadratically (T. Sugihara, "Solvability-unconcerned inverse kinematics by the Levenberg-Marquardt
method", IEEE Transactions on Robotics 27(5), 2011). Limits are held by projection, with what pushes against a limit taken out
of the step (D. Bertsekas, "Projected Newton methods for optimization problems with simple constraints", SIAM Journal on
Control and Optimization 20(2), 1982). A row that gets nowhere begins again elsewhere.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from ossature.kinematics.ik.chain import KinematicChain
from ossature.kinematics.ik.residuals import IkResiduals

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]
    Flags = NDArray[np.bool_]
    Numbers = NDArray[np.intp]

_DAMPING = 0.03
_LEAST_DAMPING = 1e-9
_LONGEST_TRY = 16
_STUCK_STEP = 1e-4
_STUCK_COST = 1e-4
_ROWS = 64
_MOST_ROWS_OF_A_TARGET = 8
_MOST_ROWS_OF_AN_EASY_ONE = 4
"""Of targets of one part, which are met after a few steps from almost anywhere: as surely, and cheaper."""
_NO_OWNER = np.zeros(0, dtype=np.intp)


@dataclass(slots=True, kw_only=True)
class SearchBounds:
    """Where variables may be.

    Attributes:
        lower: Lower limits [rad or m].
        upper: Upper limits [rad or m].
        fixed: Which variables keep the values that they begin with.
        joint_lower: Lower limits of all coordinates on the chain that move.
        joint_upper: Upper limits of them.
    """

    lower: Array
    upper: Array
    fixed: Flags
    joint_lower: Array
    joint_upper: Array

    def without_limits(self) -> SearchBounds:
        """Return the same without limits."""
        free = np.full_like(self.joint_lower, math.inf)
        anywhere = np.full_like(self.lower, math.inf)
        return SearchBounds(lower=-anywhere, upper=anywhere, fixed=self.fixed, joint_lower=-free, joint_upper=free)


@dataclass(slots=True, kw_only=True)
class Candidate:
    """Coordinates that meet a target.

    Attributes:
        moved: The variables [rad or m].
        position_error: What is left [m].
        angle_error: What is left [rad].
    """

    moved: Array
    position_error: float
    angle_error: float


@dataclass(slots=True, kw_only=True)
class SearchResult:
    """What a search found for one target.

    Attributes:
        hits: Coordinates that meet it, in the order in which they were found.
        nearest: The variables that came nearest where nothing meets it, or None.
        left: What was left to go there, squared.
    """

    hits: list[Candidate] = field(default_factory=list)
    nearest: Array | None = None
    left: float = math.inf


class Search:
    """A search for targets of one type."""

    def __init__(
        self,
        chain: KinematicChain,
        goals: IkResiduals,
        bounds: SearchBounds,
        start: Callable[[int, int], Array | None],
        accept: Callable[[int, Candidate], bool],
        tolerance: float,
    ) -> None:
        """Prepare a search.

        Args:
            chain: The chain.
            goals: The targets.
            bounds: Where the variables may be.
            start: Returns where a target's try of some number begins, or None after the last.
            accept: Whether a target needs no more than these variables, which meet it; called once for each hit. It may keep
                the hit and ask for more.
            tolerance: How much may be left [m] and [rad].
        """
        self._chain, self._goals, self._room = chain, goals, bounds
        self._start, self._accept = start, accept
        self._tolerance, self._most_left = tolerance, goals.max_residual(tolerance)
        self.found = [SearchResult() for _ in range(goals.count)]
        self._tries = np.zeros(goals.count, dtype=np.intp)
        self._is_done = np.zeros(goals.count, dtype=bool)
        self._diagonal = np.arange(len(bounds.lower))

    def run(self) -> list[SearchResult]:
        """Return what is found for each target."""
        most = _MOST_ROWS_OF_AN_EASY_ONE if len(self._goals.parts) == 1 else _MOST_ROWS_OF_A_TARGET
        count = max(1, min(most, _ROWS // self._goals.count))
        self._moved = np.zeros((0, len(self._room.lower)))
        self._owners, self._ages = np.zeros(0, dtype=np.intp), np.zeros(0, dtype=np.intp)
        self._begin(np.repeat(np.arange(self._goals.count), count))
        while len(self._moved):
            self._advance()
        return self.found

    def _begin(self, targets: Numbers) -> None:
        """Add a row for each of the given targets, as far as they are not done and have tries left."""
        owners, starts = [], []
        for target in targets.tolist():
            start = None if self._is_done[target] else self._start(target, int(self._tries[target]))
            self._tries[target] += 1
            if start is not None:
                owners.append(target)
                starts.append(start)
        if starts:
            self._moved = np.concatenate([self._moved, np.array(starts)])
            self._owners = np.concatenate([self._owners, np.array(owners, dtype=np.intp)])
            self._ages = np.concatenate([self._ages, np.zeros(len(starts), dtype=np.intp)])

    def _advance(self) -> None:
        """Take one step with every row; those that arrive or get nowhere make room for others."""
        tips, jacobians = self._chain.tips_and_jacobians(self._moved)
        residuals = self._goals.residuals(tips, self._owners)
        costs = np.einsum("ij,ij->i", residuals, residuals)
        arrived = _NO_OWNER
        if costs.min() <= self._most_left:
            is_met = self._goals.are_satisfied(residuals, self._tolerance)
            arrived = self._owners[is_met]
            self._note_hits(np.flatnonzero(is_met), *self._goals.errors(residuals[is_met]))
            rest = ~is_met & ~self._is_done[self._owners]
            self._keep(rest)
            tips, jacobians, residuals, costs = tips[rest], jacobians[rest], residuals[rest], costs[rest]
        lost = self._improve(tips, jacobians, residuals, costs) if len(self._moved) else _NO_OWNER
        if len(arrived) or len(lost):
            self._begin(np.concatenate([arrived, lost]))

    def _keep(self, rows: Flags) -> None:
        self._moved, self._owners, self._ages = self._moved[rows], self._owners[rows], self._ages[rows]

    def _note_hits(self, rows: Numbers, lengths: Array, angles: Array) -> None:
        """Keep rows that meet their targets."""
        is_inside = self._are_joints_inside(self._moved[rows])
        for number, row in enumerate(rows.tolist()):
            target = int(self._owners[row])
            if is_inside[number] and not self._is_done[target]:
                moved = self._moved[row]
                hit = Candidate(moved=moved, position_error=float(lengths[number]), angle_error=float(angles[number]))
                self.found[target].hits.append(hit)
                self._is_done[target] = self._accept(target, hit)

    def _are_joints_inside(self, moved: Array) -> Flags:
        """Return whether all coordinates on the chain are within their limits; only those that follow can be beyond."""
        values = self._chain.joint_values(moved)
        low, high = self._room.joint_lower - self._tolerance, self._room.joint_upper + self._tolerance
        return np.asarray(np.all((values >= low) & (values <= high), axis=1))

    def _improve(self, tips: Array, jacobians: Array, residuals: Array, costs: Array) -> Numbers:
        """Move every row by a step; return the targets of the rows that are given up."""
        slopes = self._goals.jacobians(tips, jacobians, residuals, self._owners)
        steps = self._steps(slopes, residuals, costs)
        is_stuck = (np.abs(steps).max(axis=1) < _STUCK_STEP) & (costs > _STUCK_COST)
        is_lost = is_stuck | (self._ages >= _LONGEST_TRY) | ~np.isfinite(costs)
        before, self._moved = self._moved, self._within(self._moved - steps)
        self._ages += 1
        if not is_lost.any():
            return _NO_OWNER
        for row in np.flatnonzero(is_lost).tolist():
            found = self.found[int(self._owners[row])]
            if costs[row] < found.left:
                found.nearest, found.left = before[row], float(costs[row])
        lost: Numbers = self._owners[is_lost]
        self._keep(~is_lost)
        return lost

    def _steps(self, slopes: Array, residuals: Array, costs: Array) -> Array:
        """Return the damped steps down, (rows, variables)."""
        bounds = self._room
        transposed = slopes.swapaxes(1, 2)
        gradients = (transposed @ residuals[:, :, None])[:, :, 0]
        normal = transposed @ slopes
        # At a limit, going down the slope leads nowhere.
        is_pushing = np.minimum(np.maximum(self._moved - gradients, bounds.lower), bounds.upper) == self._moved
        is_pushing |= bounds.fixed
        if is_pushing.any():
            is_free = ~is_pushing
            gradients *= is_free
            normal *= is_free[:, :, None] & is_free[:, None, :]
        normal[:, self._diagonal, self._diagonal] += (_DAMPING * costs + _LEAST_DAMPING)[:, None]
        return np.asarray(np.linalg.solve(normal, gradients[:, :, None])[:, :, 0])

    def _within(self, moved: Array) -> Array:
        """Return variables inside their limits, and rotation vectors without limits no longer than half a turn."""
        for numbers in self._chain.rotation_vectors:
            columns = list(numbers)
            if not (np.isfinite(self._room.lower[columns]).any() or np.isfinite(self._room.upper[columns]).any()):
                moved[:, columns] = shortest(moved[:, columns])
        return np.minimum(np.maximum(moved, self._room.lower), self._room.upper)


def shortest(vectors: Array) -> Array:
    """Return rotation vectors with those longer than half a turn replaced by the same rotation the other way round."""
    angles = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(np.where(angles > math.pi, vectors * (1.0 - math.tau / np.maximum(angles, 1.0)), vectors))
