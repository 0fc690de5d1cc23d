"""Why inverse kinematics has no solution: joint limits, or the reach of the arm."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from ossature.array_types import Array, IndexArray
from ossature.kinematics.ik.levenberg_marquardt import Candidate, Search, SearchBounds
from ossature.kinematics.ik.residuals import IkResiduals
from ossature.kinematics.ik.result import FailureKind, IkFailure
from ossature.kinematics.ik.targets import Target, Transform6D, Translation3D, TranslationDirection5D

if TYPE_CHECKING:
    from ossature.kinematics.ik.chain import KinematicChain


_MAX_HITS = 8
_MAX_DESCENT_STEPS = 300
_MAX_DESCENT_SEEDS = 12
_CONVERGED = 1e-12
_LIMIT_TOLERANCE = 1e-9


def solve_without_limits(
    chain: KinematicChain, goals: IkResiduals, bounds: SearchBounds, seeds: Array, tolerance: float
) -> list[Candidate]:
    """Return solutions without regard to limits, those that violate them least first.

    Args:
        goals: The residuals of one target.
        seeds: Initial guesses (N, variables).
        tolerance: Largest residual of a solution [m] and [rad].
    """
    hits: list[Candidate] = []

    def accept(target: int, hit: Candidate) -> bool:
        q = _shift_into_limits(hit.q, bounds, chain)
        hits.append(Candidate(q=q, position_error=hit.position_error, angle_error=hit.angle_error))
        return len(hits) >= _MAX_HITS

    def seed(target: int, number: int) -> Array | None:
        return seeds[number] if number < len(seeds) else None

    Search(chain, goals, bounds.without_limits(), seed, accept, tolerance).run()
    return sorted(hits, key=lambda hit: float(excess(hit.q, bounds, chain).sum()))


def excess(q: Array, bounds: SearchBounds, chain: KinematicChain) -> Array:
    """Return by how much each coordinate on the chain violates its limits [rad or m]."""
    values = chain.coupling.values(q[None])[0]
    beyond = np.maximum(np.maximum(bounds.joint_lower - values, values - bounds.joint_upper), 0.0)
    return np.where(beyond > _LIMIT_TOLERANCE, beyond, 0.0)


def _shift_into_limits(q: Array, bounds: SearchBounds, chain: KinematicChain) -> Array:
    """Return variables with whole revolutions added so that they violate limits least."""
    is_bounded = chain.periodic & np.isfinite(bounds.lower) & np.isfinite(bounds.upper)
    result = q.copy()
    middle = 0.5 * (bounds.lower[is_bounded] + bounds.upper[is_bounded])
    result[is_bounded] += math.tau * np.round((middle - q[is_bounded]) / math.tau)
    return result


def blocking_limits(hit: Candidate, bounds: SearchBounds, chain: KinematicChain) -> IkFailure:
    """Return the failure of a target that is reached only beyond limits."""
    beyond = excess(hit.q, bounds, chain)
    values = chain.coupling.values(hit.q[None])[0]
    violated = np.flatnonzero(beyond)
    reported = []
    for number in violated.tolist():
        limit = bounds.joint_lower[number] if values[number] < bounds.joint_lower[number] else bounds.joint_upper[number]
        reported.append(f"'{chain.positions[number].joint}' at {values[number]:.4g}, its limit is {limit:.4g}")
    return IkFailure(
        kind=FailureKind.LIMITS,
        message=f"reached only beyond the limits of joints: {'; '.join(reported)}",
        joints=tuple(dict.fromkeys(chain.positions[number].joint for number in violated.tolist())),
    )


def unreachable_failure(chain: KinematicChain, target: Target, goals: IkResiduals, length: float, seeds: Array) -> IkFailure:
    """Return the failure of a target that is out of reach, with the smallest residual.

    Args:
        length: The length that has the same weight as one radian [m].
        seeds: Initial guesses (N, variables).
    """
    if isinstance(target, Transform6D | TranslationDirection5D):
        point = target.pose.position if isinstance(target, Transform6D) else target.position
        position_only = IkResiduals([Translation3D(position=point)], (0.0, 0.0, 1.0), length)
        distance, _ = _smallest_errors(chain, position_only, seeds)
        if distance > 1e-6:
            return _out_of_reach(distance, 0.0)
    return _out_of_reach(*_smallest_errors(chain, goals, seeds))


def _out_of_reach(distance: float, angle: float) -> IkFailure:
    parts = [f"{value:.4g} {unit}" for value, unit in ((distance, "m"), (angle, "rad")) if value > 1e-9]
    message = f"out of reach: the smallest error is {' and '.join(parts)}"
    return IkFailure(kind=FailureKind.OUT_OF_REACH, message=message, position_error=distance, angle_error=angle)


def _smallest_errors(chain: KinematicChain, goals: IkResiduals, seeds: Array) -> tuple[float, float]:
    """Return the smallest errors [m] and [rad] that a descent from some seeds finds."""
    q = seeds[:_MAX_DESCENT_SEEDS].copy()
    targets = np.zeros(len(q), dtype=np.intp)
    damping = np.full(len(q), 1e-2)
    costs = _costs(chain, goals, q, targets)
    for _ in range(_MAX_DESCENT_STEPS):
        tips, jacobians = chain.tips_and_jacobians(q)
        residuals = goals.residuals(tips, targets)
        J = goals.jacobians(tips, jacobians, residuals, targets)
        normal = J.swapaxes(1, 2) @ J + damping[:, None, None] * np.eye(q.shape[1])
        steps = np.linalg.solve(normal, J.swapaxes(1, 2) @ residuals[:, :, None])[:, :, 0]
        candidates = q - steps
        candidate_costs = _costs(chain, goals, candidates, targets)
        is_better = candidate_costs < costs
        q = np.where(is_better[:, None], candidates, q)
        gained = np.where(is_better, costs - candidate_costs, 0.0)
        costs = np.where(is_better, candidate_costs, costs)
        damping = np.clip(np.where(is_better, damping / 3.0, damping * 4.0), 1e-9, 1e9)
        if np.all(gained <= _CONVERGED * costs) and np.all(np.abs(steps) < 1e-7):
            break
    best = int(np.argmin(np.where(np.isfinite(costs), costs, np.inf)))
    lengths, angles = goals.errors(goals.residuals(chain.tips(q[best : best + 1]), targets[:1]))
    return float(lengths[0]), float(angles[0])


def _costs(chain: KinematicChain, goals: IkResiduals, q: Array, targets: IndexArray) -> Array:
    residuals = goals.residuals(chain.tips(q), targets)
    return np.asarray(np.einsum("ij,ij->i", residuals, residuals))
