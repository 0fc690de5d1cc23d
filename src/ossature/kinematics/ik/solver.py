"""Inverse kinematics: joint coordinates that bring a frame to a target, for every robot and all seven types of targets."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from ossature.diagnostics import suggestion
from ossature.kinematics.arm import Arm, ArmError, arm_of, limits_of
from ossature.kinematics.ik.chain import KinematicChain
from ossature.kinematics.ik.failure_analysis import blocking_limits, excess, solve_without_limits, unreachable_distance
from ossature.kinematics.ik.residuals import IkResiduals
from ossature.kinematics.ik.result import FailureKind, IkFailure, IkResult, IkSolution
from ossature.kinematics.ik.search import Candidate, Search, SearchBounds, SearchResult
from ossature.kinematics.ik.seeds import grid, low_discrepancy_seeds, sampling_bounds
from ossature.kinematics.ik.targets import Target
from ossature.kinematics.joint_couplings import joint_positions
from ossature.model import IkFreeJoint, JointPosition, Manipulator, Model

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

Positions: TypeAlias = Mapping[str, Sequence[float]]
"""Coordinates by joint."""

Collisions: TypeAlias = Callable[[dict[str, tuple[float, ...]]], tuple[tuple[str, str], ...]]
"""Returns the pairs of bodies that touch where the joints have given coordinates."""

_TABLE = 1024
_TRIES = 100
_TRIES_FOR_SEVERAL = 512
_STARTS_OF_EXPLANATION = 48
_TRIES_OF_A_GRID_POINT = 8
_DISTINCT = 1e-3


@dataclass(frozen=True, slots=True, kw_only=True)
class IkOptions:
    """How solutions are looked for.

    Attributes:
        limit: How many distinct ones are wanted at the most.
        tolerance: How much may be left [m] and [rad].
        free_joints: Joints that take values at their step from the seed; those without a step are moved as others are.
        collisions: What tells whether bodies touch, or None where it does not matter.
        explain: Whether a target that is not met gets a reason, which takes longer.
    """

    limit: int = 1
    tolerance: float = 1e-6
    free_joints: tuple[IkFreeJoint, ...] = ()
    collisions: Collisions | None = None
    explain: bool = True


ONE_SOLUTION = IkOptions()


class InverseKinematics:
    """Finds coordinates of a model's joints that bring a frame to targets; one is made for an arm and used again.

    Attributes:
        model: The model.
        arm: The arm.
        chain: Its joints.
        table: Configurations that fill the room of its joints evenly.
        length: The length [m] that weighs as much as one radian.
    """

    def __init__(self, model: Model, arm: Arm | Manipulator, positions: Positions | None = None) -> None:
        """Prepare an arm.

        Args:
            model: The model.
            arm: One of its manipulators, or any of its chains.
            positions: Where joints are that do not belong to the arm, and where the search begins, by joint [rad or m];
                initial positions if not given. What is said of joints that follow others does not count.

        Raises:
            ArmError: There is no such arm, none of its joints can move, or there is no joint of a given name.
            FormulaError: A formula gives no value.
        """
        self.model = model
        self.arm = arm_of(arm) if isinstance(arm, Manipulator) else arm
        self._stated = self._checked(positions or {})
        known = joint_positions(model, self._stated)
        self.chain = KinematicChain(model, self.arm, known)
        if not self.chain.variables:
            raise ArmError(f"no joint between '{self.arm.base or 'the world'}' and '{self.arm.tip}' can move")
        self._lower, self._upper = self._limits()
        self._room = self._full_bounds()
        self._seed = np.array([_at(model, known, variable) for variable in self.chain.variables])
        bounds = self._sampled(self._seed)
        self.table = bounds[0] + (bounds[1] - bounds[0]) * low_discrepancy_seeds(_TABLE, len(self._seed))
        self._table_tips = self.chain.tips(self.table)
        origins = self._table_tips[:, :3, 3]
        extent = float(np.linalg.norm(origins - origins.mean(axis=0), axis=1).mean())
        self.length = extent if extent > 1e-6 else max(self.chain.reach, 1.0)

    def solve(self, target: Target, seed: Positions | None = None, options: IkOptions = ONE_SOLUTION) -> IkResult:
        """Return the coordinates that meet a target.

        Args:
            target: The target.
            seed: Coordinates of joints of the arm to which solutions are to be near, by joint [rad or m].
            options: How they are looked for.

        Raises:
            ArmError: The seed or the options name a joint that there is not.
            ValueError: The target has no direction or rotation, or free joints take too many values.
        """
        return self.solve_all([target], None if seed is None else [seed], options)[0]

    def solve_all(
        self, targets: Sequence[Target], seeds: Sequence[Positions] | None = None, options: IkOptions = ONE_SOLUTION
    ) -> list[IkResult]:
        """Return the coordinates that meet each of several targets of one type, all solved together; see :meth:`solve`."""
        if not targets:
            return []
        near = np.array([self._seed] * len(targets) if seeds is None else [self._seeded(seed) for seed in seeds])
        goals = IkResiduals(targets, self.arm.direction, self.length)
        task = _Task(self, goals, near, options)
        found = task.search()
        return [self._result(target, number, found[number], task) for number, target in enumerate(targets)]

    def _result(self, target: Target, number: int, found: SearchResult, task: _Task) -> IkResult:
        failure = None if task.kept[number] else self._failure(target, number, found, task)
        solutions = [self.solution(hit, task.near[number]) for hit in task.kept[number]]
        solutions.sort(key=lambda solution: solution.distance)
        return IkResult(target=target, solutions=tuple(solutions), failure=None if solutions else failure)

    def _failure(self, target: Target, number: int, found: SearchResult, task: _Task) -> IkFailure | None:
        """Return why a target is not met, or None where looking for the reason met it."""
        if task.touching[number]:
            return _collision(task.touching[number])
        if not task.options.explain:
            return IkFailure(kind=FailureKind.ATTEMPTS, message="no coordinates were found that meet the target")
        goals = IkResiduals([target], self.arm.direction, self.length)
        starts = self._starts_of_explanation(goals, found, task.near[number])
        bounds = self.bounds(())
        hits = solve_without_limits(self.chain, goals, bounds, starts, task.options.tolerance)
        if not hits:
            return unreachable_distance(self.chain, target, goals, self.length, starts)
        if excess(hits[0].moved, bounds, self.chain).any():
            return blocking_limits(hits[0], bounds, self.chain)
        if task.bounds.fixed.any():
            message = "met between the values that free joints take, and at none of them: take smaller steps"
            return IkFailure(kind=FailureKind.ATTEMPTS, message=message)
        task.accept(number, hits[0])
        return _collision(task.touching[number]) if task.touching[number] else None

    def _starts_of_explanation(self, goals: IkResiduals, found: SearchResult, near: Array) -> Array:
        """Return where to begin without limits: where the search came nearest, and all around."""
        anywhere = np.full_like(near, math.inf)
        lower, upper = sampling_bounds(
            -anywhere, anywhere, near, self.chain.angles, self.chain.reach, self.chain.rotation_vectors
        )
        table = lower + (upper - lower) * low_discrepancy_seeds(_TABLE, len(near))
        order = np.argsort(goals.distance(self.chain.tips(table))[0], kind="stable")[:_STARTS_OF_EXPLANATION]
        first = [near] if found.nearest is None else [found.nearest, near]
        return np.concatenate([np.array(first), table[order]])

    def solution(self, hit: Candidate, near: Array) -> IkSolution:
        """Return variables that meet a target as coordinates of joints.

        Args:
            hit: The variables.
            near: The variables to which they are to be near.
        """
        return IkSolution(
            positions=self.positions(hit.moved),
            distance=float(np.linalg.norm(hit.moved - near)),
            position_error=hit.position_error,
            angle_error=hit.angle_error,
        )

    def positions(self, moved: Array) -> dict[str, tuple[float, ...]]:
        """Return the coordinates of joints, by joint, where the variables have given values."""
        result = {name: list(values) for name, values in self._stated.items()}
        values = dict(zip(self.chain.positions, self.chain.joint_values(moved[None])[0].tolist(), strict=True))
        values.update(zip(self.chain.variables, moved.tolist(), strict=True))
        for position, value in values.items():
            joint = self.model.joints[position.joint]
            result.setdefault(position.joint, list(joint.initial_positions))[position.coordinate] = value
        return {name: tuple(values) for name, values in result.items()}

    def nearest_equivalent(self, moved: Array, near: Array) -> Array:
        """Return variables with whole turns added, within the limits, so that they are nearest to others."""
        if np.abs(near - moved).max() <= math.pi:
            return np.asarray(np.minimum(np.maximum(moved, self._lower), self._upper))
        lower = np.ceil((self._lower - moved) / math.tau - 1e-12)
        upper = np.floor((self._upper - moved) / math.tau + 1e-12)
        turns = np.minimum(np.maximum(np.round((near - moved) / math.tau), lower), upper)
        result = np.where(self.chain.periodic & (lower <= upper), moved + math.tau * turns, moved)
        return np.asarray(np.minimum(np.maximum(result, self._lower), self._upper))

    def nearest_starts(self, goals: IkResiduals, count: int) -> NDArray[np.intp]:
        """Return for each target the numbers of that many of the table's configurations that come nearest to it."""
        far = goals.distance(self._table_tips)
        rows = np.arange(len(far))[:, None]
        first = np.argpartition(far, count - 1, axis=1)[:, :count]
        return np.asarray(first[rows, np.argsort(far[rows, first], axis=1)])

    def bounds(self, free_joints: Sequence[IkFreeJoint]) -> SearchBounds:
        """Return where the variables may be, with free joints held."""
        if not free_joints:
            return self._room
        held = {joint.joint for joint in free_joints}
        return replace(self._room, fixed=np.array([variable.joint in held for variable in self.chain.variables], dtype=bool))

    def _full_bounds(self) -> SearchBounds:
        limits = [limits_of(self.model.joints[p.joint].coordinates[p.coordinate]) for p in self.chain.positions]
        return SearchBounds(
            lower=self._lower,
            upper=self._upper,
            fixed=np.zeros(len(self._lower), dtype=bool),
            joint_lower=np.array([one.lower for one in limits]),
            joint_upper=np.array([one.upper for one in limits]),
        )

    def free_values(self, free_joints: Sequence[IkFreeJoint], held: NDArray[np.bool_], near: Array) -> Array:
        """Return the values that free joints take, nearest to the seed first, one row each."""
        steps = {joint.joint: joint.step for joint in free_joints}
        for name in steps:
            if name not in {variable.joint for variable in self.chain.variables}:
                raise ArmError(f"'{name}' is no joint of the arm that can move")
        near = np.clip(near, self._lower, self._upper)
        lower, upper = self._sampled(near)
        numbers = np.flatnonzero(held).tolist()
        wanted = [steps[self.chain.variables[number].joint] or 0.0 for number in numbers]
        return grid(lower[numbers].tolist(), upper[numbers].tolist(), wanted, near[numbers].tolist())

    def _sampled(self, near: Array) -> tuple[Array, Array]:
        chain = self.chain
        return sampling_bounds(self._lower, self._upper, near, chain.angles, chain.reach, chain.rotation_vectors)

    def _limits(self) -> tuple[Array, Array]:
        """Return limits of the variables, tightened by those of joints that follow a single one linearly."""
        numbers = {variable: number for number, variable in enumerate(self.chain.variables)}
        lower, upper = np.full(len(numbers), -math.inf), np.full(len(numbers), math.inf)
        for position, number in numbers.items():
            limits = limits_of(self.model.joints[position.joint].coordinates[position.coordinate])
            lower[number], upper[number] = limits.lower, limits.upper
        for index, position in enumerate(self.chain.positions):
            source = self.chain.coupling.single_source(index)
            if source is None or position in numbers:
                continue
            limits = limits_of(self.model.joints[position.joint].coordinates[position.coordinate])
            number, rate, offset = source
            ends = sorted([(limits.lower - offset) / rate, (limits.upper - offset) / rate])
            lower[number], upper[number] = max(lower[number], ends[0]), min(upper[number], ends[1])
            if lower[number] > upper[number]:
                name = self.chain.variables[number].joint
                raise ArmError(f"the limits of '{name}' and of '{position.joint}', which follows it, leave no room")
        return lower, upper

    def _checked(self, positions: Positions) -> dict[str, Sequence[float]]:
        """Return stated positions without those of joints that follow others."""
        kept: dict[str, Sequence[float]] = {}
        for name, values in positions.items():
            joint = self.model.joints.get(name)
            if joint is None:
                hint = suggestion(name, self.model.joints.names()) or "there are none"
                raise ArmError(f"there is no joint '{name}': {hint}")
            if len(values) != joint.degrees_of_freedom:
                raise ArmError(f"joint '{name}' has {joint.degrees_of_freedom} coordinates, not {len(values)}")
            if not all(map(math.isfinite, values)):
                raise ArmError(f"the coordinates of joint '{name}' are not finite")
            if all(coordinate.coupling is None for coordinate in joint.coordinates):
                kept[name] = values
        return kept

    def _seeded(self, seed: Positions) -> Array:
        checked = self._checked(seed)
        result = self._seed.copy()
        for number, variable in enumerate(self.chain.variables):
            if variable.joint in checked:
                result[number] = checked[variable.joint][variable.coordinate]
        return result


def _collision(pairs: tuple[tuple[str, str], ...]) -> IkFailure:
    names = ", ".join(f"'{first}' and '{second}'" for first, second in pairs)
    return IkFailure(kind=FailureKind.COLLISION, message=f"bodies touch there: {names}", collisions=pairs)


def _at(model: Model, known: Positions, position: JointPosition) -> float:
    stated = known.get(position.joint)
    values = model.joints[position.joint].initial_positions if stated is None else stated
    return values[position.coordinate]


class _Task:
    """Targets that are solved together, with the solutions that are worth keeping.

    Attributes:
        near: The variables to which solutions are to be near, for each target.
        options: How they are looked for.
        bounds: Where the variables may be.
        kept: Distinct solutions of each target.
        touching: Pairs of bodies that touch in a solution of each target, nearest to the seed.
    """

    def __init__(self, solver: InverseKinematics, goals: IkResiduals, near: Array, options: IkOptions) -> None:
        self._solver, self._goals = solver, goals
        self.near, self.options = near, options
        free_joints = [joint for joint in options.free_joints if joint.step is not None]
        self.bounds = solver.bounds(free_joints)
        self.kept: list[list[Candidate]] = [[] for _ in near]
        self.touching: list[tuple[tuple[str, str], ...]] = [() for _ in near]
        self._distance_of_touching = [math.inf for _ in near]
        self._order = solver.nearest_starts(goals, _TRIES if options.limit == 1 else _TRIES_FOR_SEVERAL)
        self._grids = [solver.free_values(free_joints, self.bounds.fixed, seed) for seed in near] if free_joints else None

    def search(self) -> list[SearchResult]:
        """Return what is found for each target."""
        return Search(self._solver.chain, self._goals, self.bounds, self._start, self.accept, self.options.tolerance).run()

    def _start(self, target: int, number: int) -> Array | None:
        """Return where a try begins: at the seed, then where the table comes nearest."""
        if self._grids is None:
            return self._plain_start(target, number)
        values = self._grids[target]
        if number >= len(values) * _TRIES_OF_A_GRID_POINT:
            return None
        start = self._plain_start(target, number // len(values))
        if start is not None:
            start[self.bounds.fixed] = values[number % len(values)]
        return start

    def _plain_start(self, target: int, number: int) -> Array | None:
        if number == 0:
            return np.asarray(np.minimum(np.maximum(self.near[target], self.bounds.lower), self.bounds.upper))
        if number > self._order.shape[1]:
            return None
        return np.array(self._solver.table[self._order[target, number - 1]])

    def accept(self, target: int, hit: Candidate) -> bool:
        """Keep a solution that is not known yet; return whether there are enough."""
        near = self.near[target]
        moved = hit.moved if self.bounds.fixed.any() else self._solver.nearest_equivalent(hit.moved, near)
        if any(np.abs(moved - known.moved).max() < _DISTINCT for known in self.kept[target]):
            return False
        collisions = self.options.collisions
        pairs = collisions(self._solver.positions(moved)) if collisions is not None else ()
        if pairs:
            distance = float(np.linalg.norm(moved - near))
            if distance < self._distance_of_touching[target]:
                self._distance_of_touching[target], self.touching[target] = distance, pairs
            return False
        self.kept[target].append(Candidate(moved=moved, position_error=hit.position_error, angle_error=hit.angle_error))
        return len(self.kept[target]) >= self.options.limit
