"""Why inverse kinematics finds nothing: limits, or the length of the arm."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from ossature.kinematics.ik.residuals import IkResiduals
from ossature.kinematics.ik.result import FailureKind, IkFailure
from ossature.kinematics.ik.search import Candidate, Search, SearchBounds
from ossature.kinematics.ik.targets import Target, Transform6D, Translation3D, TranslationDirection5D

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ossature.kinematics.ik.chain import KinematicChain

    Array = NDArray[np.float64]

_MOST_HITS = 8
_STEPS_TO_NEAREST = 300
_ROWS_TO_NEAREST = 12
_STILL = 1e-12
_FREE_OF_LIMITS = 1e-9


def solve_without_limits(
    chain: KinematicChain, goals: IkResiduals, bounds: SearchBounds, starts: Array, tolerance: float
) -> list[Candidate]:
    """Return coordinates that meet a target if limits do not count, those that break them least first.

    Args:
        chain: The chain.
        goals: One target.
        bounds: Where the variables may be.
        starts: Where to begin, (N, variables).
        tolerance: How much may be left [m] and [rad].
    """
    hits: list[Candidate] = []

    def accept(target: int, hit: Candidate) -> bool:
        moved = _shifted_inside_limits(hit.moved, bounds, chain)
        hits.append(Candidate(moved=moved, position_error=hit.position_error, angle_error=hit.angle_error))
        return len(hits) >= _MOST_HITS

    def start(target: int, number: int) -> Array | None:
        return starts[number] if number < len(starts) else None

    Search(chain, goals, bounds.without_limits(), start, accept, tolerance).run()
    return sorted(hits, key=lambda hit: float(excess(hit.moved, bounds, chain).sum()))


def excess(moved: Array, bounds: SearchBounds, chain: KinematicChain) -> Array:
    """Return how far each coordinate on the chain is beyond its limits [rad or m]."""
    values = chain.joint_values(moved[None])[0]
    beyond = np.maximum(np.maximum(bounds.joint_lower - values, values - bounds.joint_upper), 0.0)
    return np.where(beyond > _FREE_OF_LIMITS, beyond, 0.0)


def _shifted_inside_limits(moved: Array, bounds: SearchBounds, chain: KinematicChain) -> Array:
    """Return variables with whole turns added so that they break limits least."""
    is_bounded = chain.periodic & np.isfinite(bounds.lower) & np.isfinite(bounds.upper)
    result = moved.copy()
    middle = 0.5 * (bounds.lower[is_bounded] + bounds.upper[is_bounded])
    result[is_bounded] += math.tau * np.round((middle - moved[is_bounded]) / math.tau)
    return result


def blocking_limits(hit: Candidate, bounds: SearchBounds, chain: KinematicChain) -> IkFailure:
    """Return the failure of a target that only coordinates beyond limits meet."""
    beyond = excess(hit.moved, bounds, chain)
    values = chain.joint_values(hit.moved[None])[0]
    broken = np.flatnonzero(beyond)
    reported = []
    for number in broken.tolist():
        limit = bounds.joint_lower[number] if values[number] < bounds.joint_lower[number] else bounds.joint_upper[number]
        reported.append(f"'{chain.positions[number].joint}' at {values[number]:.4g}, its limit is {limit:.4g}")
    return IkFailure(
        kind=FailureKind.LIMITS,
        message=f"only beyond the limits of joints: {'; '.join(reported)}",
        joints=tuple(dict.fromkeys(chain.positions[number].joint for number in broken.tolist())),
    )


def unreachable_distance(chain: KinematicChain, target: Target, goals: IkResiduals, length: float, starts: Array) -> IkFailure:
    """Return the failure of a target that nothing meets, with how near the frame comes.

    Args:
        chain: The chain.
        target: The target.
        goals: The same.
        length: The length [m] that weighs as much as one radian.
        starts: Where to begin, (N, variables).
    """
    if isinstance(target, Transform6D | TranslationDirection5D):
        point = target.pose.position if isinstance(target, Transform6D) else target.position
        alone = IkResiduals([Translation3D(position=point)], (0.0, 0.0, 1.0), length)
        distance, _ = _nearest(chain, alone, starts)
        if distance > 1e-6:
            return _format_limits(distance, 0.0)
    return _format_limits(*_nearest(chain, goals, starts))


def _format_limits(distance: float, angle: float) -> IkFailure:
    parts = [f"{value:.4g} {unit}" for value, unit in ((distance, "m"), (angle, "rad")) if value > 1e-9]
    message = f"out of reach: the frame comes no nearer than {' and '.join(parts)}"
    return IkFailure(kind=FailureKind.OUT_OF_REACH, message=message, position_error=distance, angle_error=angle)


def _nearest(chain: KinematicChain, goals: IkResiduals, starts: Array) -> tuple[float, float]:
    """Return what is left [m] and [rad] where the frame is nearest to a target; every step goes down."""
    moved = starts[:_ROWS_TO_NEAREST].copy()
    owners = np.zeros(len(moved), dtype=np.intp)
    damping = np.full(len(moved), 1e-2)
    costs = _costs(chain, goals, moved, owners)
    for _ in range(_STEPS_TO_NEAREST):
        tips, jacobians = chain.tips_and_jacobians(moved)
        residuals = goals.residuals(tips, owners)
        slopes = goals.jacobians(tips, jacobians, residuals, owners)
        normal = slopes.swapaxes(1, 2) @ slopes + damping[:, None, None] * np.eye(moved.shape[1])
        steps = np.linalg.solve(normal, slopes.swapaxes(1, 2) @ residuals[:, :, None])[:, :, 0]
        tried = moved - steps
        tried_costs = _costs(chain, goals, tried, owners)
        is_better = tried_costs < costs
        moved = np.where(is_better[:, None], tried, moved)
        gained = np.where(is_better, costs - tried_costs, 0.0)
        costs = np.where(is_better, tried_costs, costs)
        damping = np.clip(np.where(is_better, damping / 3.0, damping * 4.0), 1e-9, 1e9)
        if np.all(gained <= _STILL * costs) and np.all(np.abs(steps) < 1e-7):
            break
    best = int(np.argmin(np.where(np.isfinite(costs), costs, np.inf)))
    lengths, angles = goals.errors(goals.residuals(chain.tips(moved[best : best + 1]), owners[:1]))
    return float(lengths[0]), float(angles[0])


def _costs(chain: KinematicChain, goals: IkResiduals, moved: Array, owners: NDArray[np.intp]) -> Array:
    residuals = goals.residuals(chain.tips(moved), owners)
    return np.asarray(np.einsum("ij,ij->i", residuals, residuals))
