"""Inverse kinematics of real arms: how often, how exactly, how fast, and beside a plain loop of damped least squares."""

from __future__ import annotations

import math
import os
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from rich.table import Table

import ossature
from benchmarks.timing import PROJECT
from ossature.kinematics import IkOptions, InverseKinematics, Target, target_at
from ossature.kinematics.ik.residuals import IkResiduals
from ossature.model import IkType
from ossature.spatial import Pose

TITLE = "inverse kinematics"
ARMS = {
    "barrett-wam-sensors": "arm",
    "pumaarm": "arm_nogripper",
    "schunk-lwa3": "arm_nogripper",
    "mitsubishi-pa10": "arm_nogripper",
    "kawada-hironx": "rightarm",
}
TARGETS = 200
TOLERANCE = 1e-6
LEAST_SUCCESS = 0.995
LONGEST_MEDIAN_MS = 2.0
LEAST_RATIO = 3.0
DLS_TRIES = 10
DLS_STEPS = 100
DLS_DAMPING = 0.05
OPTIONS = IkOptions(tolerance=TOLERANCE, explain=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """How a solver did.

    Attributes:
        success: Share of the targets that it met.
        median: Median of the time for one target [ms].
        slowest: 99th percentile of it [ms].
        rate: Targets met for each second, solved in the way that suits the solver.
    """

    success: float
    median: float
    slowest: float
    rate: float


def run() -> Iterator[Table]:
    """Solve reachable targets of every type, one at a time and together, and the same with a plain loop.

    The ratio compares how many targets are met for each second: all solved together here, one after the other in the loop.
    Alone is the same with one after the other on both sides.
    """
    folder = Path(os.environ.get("OSSATURE_CORPUS", PROJECT.parent / "shared")) / "corpus" / "openrave"
    table = Table("arm", "type", "met", "median", "99 %", "together", "DLS met", "median", "99 %", "ratio", "alone", box=None)
    failing = []
    for name, manipulator in ARMS.items():
        path = folder / f"{name}.zae"
        if not path.is_file():
            continue
        model = ossature.load(path).models[0]
        solver = InverseKinematics(model, model.manipulators[manipulator])
        for type_ in IkType:
            ours, theirs, together, alone = measured(solver, type_)
            ratio = ours.rate / theirs.rate if theirs.rate else math.inf
            if ours.success < LEAST_SUCCESS or ours.median > LONGEST_MEDIAN_MS or ratio < LEAST_RATIO:
                failing.append(f"{name} {type_.value}")
            table.add_row(
                name,
                type_.value,
                f"{ours.success:.1%}",
                f"{ours.median:.2f} ms",
                f"{ours.slowest:.2f} ms",
                f"{together:.2f} ms",
                f"{theirs.success:.1%}",
                f"{theirs.median:.2f} ms",
                f"{theirs.slowest:.1f} ms",
                f"{ratio:.1f}",
                f"{alone / theirs.rate:.1f}" if theirs.rate else "",
            )
    if table.row_count:
        wanted = f"{LEAST_SUCCESS:.1%} met, median below {LONGEST_MEDIAN_MS:g} ms, {LEAST_RATIO:g} times DLS's rate"
        table.caption = f"wanted: {wanted}; missed by {', '.join(failing) or 'none'}"
        yield table


def measured(solver: InverseKinematics, type_: IkType) -> tuple[Measured, Measured, float, float]:
    """Return how the package and a plain loop do.

    Besides the time for each target where all are solved together [ms], and how many are met a second one after the other.
    """
    targets = reachable(solver, type_)
    solver.solve(targets[0], options=OPTIONS)
    ours = one_by_one(targets, lambda target: solver.solve(target, options=OPTIONS).found)
    rng = np.random.default_rng(1)
    theirs = one_by_one(targets, lambda target: damped_least_squares(solver, target, rng))
    started = time.perf_counter()
    met = sum(result.found for result in solver.solve_all(targets, options=OPTIONS))
    together = time.perf_counter() - started
    return replace(ours, rate=met / together), theirs, 1e3 * together / len(targets), ours.rate


def one_by_one(targets: Sequence[Target], solve: Callable[[Target], bool]) -> Measured:
    """Return how a solver does with targets one at a time."""
    times, met = [], 0
    for target in targets:
        started = time.perf_counter()
        met += solve(target)
        times.append(time.perf_counter() - started)
    return Measured(
        success=met / len(targets),
        median=1e3 * statistics.median(times),
        slowest=1e3 * float(np.percentile(times, 99)),
        rate=met / sum(times),
    )


def reachable(solver: InverseKinematics, type_: IkType) -> list[Target]:
    """Return targets that random coordinates within the limits meet."""
    lower, upper = bounds(solver)
    moved = lower + (upper - lower) * np.random.default_rng(0).random((TARGETS, len(lower)))
    return [target_at(type_, Pose.from_matrix(tip), solver.arm.direction) for tip in solver.chain.tips(moved)]


def bounds(solver: InverseKinematics) -> tuple[np.ndarray, np.ndarray]:
    """Return the limits of an arm's joints, a whole turn where there are none."""
    limits = solver.bounds(())
    return np.maximum(limits.lower, -math.pi), np.minimum(limits.upper, math.pi)


def damped_least_squares(solver: InverseKinematics, target: Target, rng: np.random.Generator) -> bool:
    """Return whether the textbook's loop meets a target: constant damping, limits by clipping, restarts anywhere."""
    goals, owner = IkResiduals([target], solver.arm.direction, solver.length), np.zeros(1, dtype=np.intp)
    lower, upper = bounds(solver)
    moved = 0.5 * (lower + upper)[None]
    for _ in range(DLS_TRIES):
        for _ in range(DLS_STEPS):
            tips, jacobians = solver.chain.tips_and_jacobians(moved)
            left = goals.residuals(tips, owner)
            if goals.are_satisfied(left, TOLERANCE)[0]:
                return True
            J = goals.jacobians(tips, jacobians, left, owner)[0]
            damped = J @ J.T + DLS_DAMPING**2 * np.eye(len(J))
            moved = np.clip(moved - J.T @ np.linalg.solve(damped, left[0]), lower, upper)
        moved = (lower + (upper - lower) * rng.random(len(lower)))[None]
    return False
