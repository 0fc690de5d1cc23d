"""Inverse kinematics: joint coordinates with which a frame reaches a target, for all seven types of targets."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from ossature.array_types import Array, BoolArray, IndexArray
from ossature.diagnostics import suggestion
from ossature.diagnostics.counted_nouns import counted
from ossature.kinematics.ik.chain import KinematicChain
from ossature.kinematics.ik.failure_analysis import blocking_limits, excess, solve_without_limits, unreachable_failure
from ossature.kinematics.ik.levenberg_marquardt import Candidate, Search, SearchBounds, SearchResult
from ossature.kinematics.ik.residuals import IkResiduals
from ossature.kinematics.ik.result import FailureKind, IkFailure, IkResult, IkSolution
from ossature.kinematics.ik.seeds import low_discrepancy_seeds, sampled_joint_grid, sampling_bounds
from ossature.kinematics.ik.targets import Target
from ossature.kinematics.joint_couplings import joint_positions
from ossature.kinematics.joint_path import ArmError
from ossature.kinematics.manipulator_chain import Arm, arm_of, limits_of, locked_joints_of
from ossature.model import IkFreeJoint, JointPosition, Manipulator, Model

Positions: TypeAlias = Mapping[str, float | Sequence[float]]
"""Coordinates by joint."""

Collisions: TypeAlias = Callable[[dict[str, tuple[float, ...]]], tuple[tuple[str, str], ...]]
"""Returns the pairs of bodies that collide at given joint coordinates."""

_TABLE_SIZE = 1024
_ATTEMPTS = 100
_ATTEMPTS_FOR_SEVERAL = 512
_SEEDS_OF_ANALYSIS = 48
_ATTEMPTS_PER_GRID_POINT = 8
_DISTINCT = 1e-3


@dataclass(frozen=True, slots=True, kw_only=True)
class IkOptions:
    """Options of the search for solutions.

    Attributes:
        limit: Largest number of distinct solutions.
        tolerance: Largest error of a solution [m] and [rad].
        free_joints: Joints that are sampled at their step from the seed; those without a step are solved like the others.
        collisions: Returns the colliding bodies, or None if collisions are allowed.
        explain: Whether the cause of a failure is determined, which takes longer.

    Raises:
        ValueError: The limit or the tolerance is not positive, or the tolerance is not finite.
    """

    limit: int = 1
    tolerance: float = 1e-6
    free_joints: tuple[IkFreeJoint, ...] = ()
    collisions: Collisions | None = None
    explain: bool = True

    def __post_init__(self) -> None:
        if not self.limit >= 1:
            raise ValueError(f"the limit of solutions must be positive, not {self.limit}")
        if not 0.0 < self.tolerance < math.inf:
            raise ValueError(f"the tolerance must be positive and finite, not {self.tolerance}")


ONE_SOLUTION = IkOptions()


class InverseKinematics:
    """A solver for the inverse kinematics of one arm, prepared once for many targets.

    Attributes:
        model: The model.
        arm: The arm.
        chain: Its joints.
        table: Configurations that sample its joint space evenly.
        length: The length that has the same weight as one radian [m].
    """

    def __init__(self, model: Model, arm: Arm | Manipulator, positions: Positions | None = None) -> None:
        """Prepare an arm.

        Args:
            model: The model.
            arm: One of its manipulators, or any of its chains.
            positions: Coordinates of the joints that do not belong to the arm, and the seed of those that do, by joint [rad or
                m]; initial positions if not given. Those of coupled joints are ignored.

        Raises:
            ArmError: There is no such arm, none of its joints can move, or a given joint does not exist.
            FormulaError: A formula gives no value.
        """
        self.model = model
        self.arm = arm_of(arm) if isinstance(arm, Manipulator) else arm
        specified = self._with_independent_coordinates(positions or {})
        known = joint_positions(model, specified, formulas_first=True)
        self._specified = {name: known[name] for name in specified}
        self.chain = KinematicChain(model, self.arm, known)
        if not self.chain.variables:
            raise ArmError(f"no joint between '{self.arm.base or 'the world'}' and '{self.arm.tip}' can move")
        self._lower, self._upper = self._tightened_limits()
        self._bounds = self._unfixed_bounds()
        self._seed = np.array([_current_value(model, known, variable) for variable in self.chain.variables])
        bounds = self._sampling_bounds(self._seed)
        self.table = bounds[0] + (bounds[1] - bounds[0]) * low_discrepancy_seeds(_TABLE_SIZE, len(self._seed))
        self._table_tips = self.chain.tips(self.table)
        origins = self._table_tips[:, :3, 3]
        extent = float(np.linalg.norm(origins - origins.mean(axis=0), axis=1).mean())
        self.length = extent if extent > 1e-6 else max(self.chain.reach, 1.0)

    def solve(self, target: Target, seed: Positions | None = None, options: IkOptions = ONE_SOLUTION) -> IkResult:
        """Return the solutions for a target.

        Args:
            target: The target.
            seed: Coordinates of joints of the arm, by joint [rad or m]; the solutions nearest to them are preferred.
            options: Options of the search.

        Raises:
            ArmError: The seed or the options name an unknown joint.
            ValueError: The target has no direction or rotation, or free joints have too many values.
        """
        return self.solve_all([target], None if seed is None else [seed], options)[0]

    def solve_all(
        self, targets: Sequence[Target], seeds: Sequence[Positions] | None = None, options: IkOptions = ONE_SOLUTION
    ) -> list[IkResult]:
        """Return the solutions for each of several targets of one type, all solved together; see :meth:`solve`."""
        if not targets:
            return []
        near = np.array([self._seed] * len(targets) if seeds is None else [self._variables_of(seed) for seed in seeds])
        task = _Task(self, IkResiduals(targets, self.arm.direction, self.length), near, options)
        found = task.search()
        return [self._make_result(target, number, found[number], task) for number, target in enumerate(targets)]

    def _make_result(self, target: Target, number: int, found: SearchResult, task: _Task) -> IkResult:
        failure = None if task.solutions[number] else self._failure(target, number, found, task)
        solutions = [self.solution(hit, task.near[number]) for hit in task.solutions[number]]
        solutions.sort(key=lambda solution: solution.distance)
        return IkResult(target=target, solutions=tuple(solutions), failure=None if solutions else failure)

    def _failure(self, target: Target, number: int, found: SearchResult, task: _Task) -> IkFailure | None:
        """Return why a target is not reached, or None if the analysis found a solution."""
        if task.collisions[number]:
            return _collision_failure(task.collisions[number])
        if not task.options.explain:
            return IkFailure(kind=FailureKind.ATTEMPTS, message="no solution was found")
        goals = IkResiduals([target], self.arm.direction, self.length)
        seeds = self._seeds_of_analysis(goals, found, task.near[number])
        bounds = self.bounds(())
        hits = solve_without_limits(self.chain, goals, bounds, seeds, task.options.tolerance)
        if not hits:
            failure = unreachable_failure(self.chain, target, goals, self.length, seeds)
            locked = locked_joints_of(self.model, self.arm)
            message = f"{failure.message}; locked joints of the arm: {', '.join(locked)}" if locked else failure.message
            return replace(failure, message=message)
        if excess(hits[0].q, bounds, self.chain).any():
            return blocking_limits(hits[0], bounds, self.chain)
        if task.bounds.fixed.any():
            message = "reached only between the sampled values of the free joints: use smaller steps"
            return IkFailure(kind=FailureKind.ATTEMPTS, message=message)
        task.accept(number, hits[0])
        return _collision_failure(task.collisions[number]) if task.collisions[number] else None

    def _seeds_of_analysis(self, goals: IkResiduals, found: SearchResult, near: Array) -> Array:
        """Return seeds of the search without limits: the best failed descent, the seed, and configurations near the target."""
        anywhere = np.full_like(near, math.inf)
        lower, upper = sampling_bounds(
            -anywhere, anywhere, near, self.chain.angles, self.chain.reach, self.chain.rotation_vectors
        )
        table = lower + (upper - lower) * low_discrepancy_seeds(_TABLE_SIZE, len(near))
        order = np.argsort(goals.squared_distances(self.chain.tips(table))[0], kind="stable")[:_SEEDS_OF_ANALYSIS]
        first = [near] if found.nearest is None else [found.nearest, near]
        return np.concatenate([np.array(first), table[order]])

    def solution(self, hit: Candidate, near: Array) -> IkSolution:
        """Return a solution as coordinates of joints.

        Args:
            hit: The variables.
            near: The seed.
        """
        return IkSolution(
            positions=self.positions(hit.q),
            distance=float(np.linalg.norm(hit.q - near)),
            position_error=hit.position_error,
            angle_error=hit.angle_error,
        )

    def positions(self, q: Array) -> dict[str, tuple[float, ...]]:
        """Return the coordinates of joints, by joint, from the variables."""
        result = {name: list(values) for name, values in self._specified.items()}
        values = dict(zip(self.chain.positions, self.chain.coupling.values(q[None])[0].tolist(), strict=True))
        values.update(zip(self.chain.variables, q.tolist(), strict=True))
        for position, value in values.items():
            joint = self.model.joints[position.joint]
            result.setdefault(position.joint, list(joint.initial_positions))[position.coordinate] = value
        if any(coordinate.coupling is not None for name in result for coordinate in self.model.joints[name].coordinates):
            known = joint_positions(self.model, result, formulas_first=True)
            return {name: tuple(known[name]) for name in result}
        return {name: tuple(values) for name, values in result.items()}

    def nearest_equivalent(self, q: Array, near: Array) -> Array:
        """Return variables with whole revolutions added, within the limits, so that they are nearest to a seed."""
        if np.abs(near - q).max() <= math.pi:
            return np.asarray(np.minimum(np.maximum(q, self._lower), self._upper))
        lower = np.ceil((self._lower - q) / math.tau - 1e-12)
        upper = np.floor((self._upper - q) / math.tau + 1e-12)
        revolutions = np.minimum(np.maximum(np.round((near - q) / math.tau), lower), upper)
        result = np.where(self.chain.periodic & (lower <= upper), q + math.tau * revolutions, q)
        return np.asarray(np.minimum(np.maximum(result, self._lower), self._upper))

    def nearest_seeds(self, goals: IkResiduals, count: int) -> IndexArray:
        """Return for each target the numbers of the configurations of the table that are nearest to it, (targets, count)."""
        distances = goals.squared_distances(self._table_tips)
        rows = np.arange(len(distances))[:, None]
        first = np.argpartition(distances, count - 1, axis=1)[:, :count]
        return np.asarray(first[rows, np.argsort(distances[rows, first], axis=1)])

    def bounds(self, free_joints: Sequence[IkFreeJoint]) -> SearchBounds:
        """Return the bounds of the variables, with sampled free joints fixed."""
        if not free_joints:
            return self._bounds
        names = {joint.joint for joint in free_joints}
        return replace(self._bounds, fixed=np.array([variable.joint in names for variable in self.chain.variables], dtype=bool))

    def _unfixed_bounds(self) -> SearchBounds:
        limits = [limits_of(self.model.joints[p.joint].coordinates[p.coordinate]) for p in self.chain.positions]
        return SearchBounds(
            lower=self._lower,
            upper=self._upper,
            fixed=np.zeros(len(self._lower), dtype=bool),
            joint_lower=np.array([one.lower for one in limits]),
            joint_upper=np.array([one.upper for one in limits]),
        )

    def free_values(self, free_joints: Sequence[IkFreeJoint], is_sampled: BoolArray, near: Array) -> Array:
        """Return the values at which free joints are sampled, nearest to the seed first, one row each."""
        steps = {joint.joint: joint.step for joint in free_joints}
        for name in steps:
            if name not in {variable.joint for variable in self.chain.variables}:
                raise ArmError(f"'{name}' is not a moving joint of the arm")
        near = np.clip(near, self._lower, self._upper)
        lower, upper = self._sampling_bounds(near)
        numbers = np.flatnonzero(is_sampled).tolist()
        intervals = [steps[self.chain.variables[number].joint] or 0.0 for number in numbers]
        return sampled_joint_grid(lower[numbers].tolist(), upper[numbers].tolist(), intervals, near[numbers].tolist())

    def _sampling_bounds(self, near: Array) -> tuple[Array, Array]:
        chain = self.chain
        return sampling_bounds(self._lower, self._upper, near, chain.angles, chain.reach, chain.rotation_vectors)

    def _tightened_limits(self) -> tuple[Array, Array]:
        """Return limits of the variables, tightened by those of joints that are coupled to a single one linearly."""
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
                raise ArmError(f"the limits of '{name}' and of '{position.joint}', which is coupled to it, leave no range")
        return lower, upper

    def _with_independent_coordinates(self, positions: Positions) -> dict[str, Sequence[float]]:
        """Return given coordinates without those of joints that are coupled in all coordinates."""
        independent: dict[str, Sequence[float]] = {}
        for name, given in positions.items():
            values = given if isinstance(given, Sequence | np.ndarray) else (given,)
            joint = self.model.joints.get(name)
            if joint is None:
                hint = suggestion(name, self.model.joints.names()) or "there are none"
                raise ArmError(f"there is no joint '{name}': {hint}")
            if len(values) != joint.degrees_of_freedom:
                raise ArmError(f"joint '{name}' has {counted(joint.degrees_of_freedom, 'coordinate')}, not {len(values)}")
            if not all(map(math.isfinite, values)):
                raise ArmError(f"the coordinates of joint '{name}' are not finite")
            if any(coordinate.coupling is None for coordinate in joint.coordinates):
                independent[name] = values
        return independent

    def _variables_of(self, seed: Positions) -> Array:
        given = self._with_independent_coordinates(seed)
        result = self._seed.copy()
        for number, variable in enumerate(self.chain.variables):
            if variable.joint in given:
                result[number] = given[variable.joint][variable.coordinate]
        return result


def _collision_failure(pairs: tuple[tuple[str, str], ...]) -> IkFailure:
    names = ", ".join(f"'{first}' and '{second}'" for first, second in pairs)
    return IkFailure(kind=FailureKind.COLLISION, message=f"bodies collide in every solution: {names}", collisions=pairs)


def _current_value(model: Model, known: Mapping[str, Sequence[float]], position: JointPosition) -> float:
    specified = known.get(position.joint)
    values = model.joints[position.joint].initial_positions if specified is None else specified
    return values[position.coordinate]


class _Task:
    """Targets that are solved together, with their distinct solutions.

    Attributes:
        near: The seed of each target.
        bounds: Where the variables may be.
        solutions: Distinct solutions of each target without collisions.
        collisions: For each target the pairs of bodies that collide in the solution nearest to the seed.
    """

    def __init__(self, solver: InverseKinematics, goals: IkResiduals, near: Array, options: IkOptions) -> None:
        self._solver, self._goals = solver, goals
        self.near, self.options = near, options
        free_joints = [joint for joint in options.free_joints if joint.step is not None]
        self.bounds = solver.bounds(free_joints)
        self.solutions: list[list[Candidate]] = [[] for _ in near]
        self.collisions: list[tuple[tuple[str, str], ...]] = [() for _ in near]
        self._collision_distances = [math.inf for _ in near]
        self._order = solver.nearest_seeds(goals, _ATTEMPTS if options.limit == 1 else _ATTEMPTS_FOR_SEVERAL)
        self._grids = [solver.free_values(free_joints, self.bounds.fixed, seed) for seed in near] if free_joints else None

    def search(self) -> list[SearchResult]:
        return Search(self._solver.chain, self._goals, self.bounds, self._seed, self.accept, self.options.tolerance).run()

    def _seed(self, target: int, number: int) -> Array | None:
        """Return the initial guess of an attempt: the seed, then the configurations of the table in order of their distance."""
        if self._grids is None:
            return self._table_seed(target, number)
        values = self._grids[target]
        if number >= len(values) * _ATTEMPTS_PER_GRID_POINT:
            return None
        seed = self._table_seed(target, number // len(values))
        if seed is not None:
            seed[self.bounds.fixed] = values[number % len(values)]
        return seed

    def _table_seed(self, target: int, number: int) -> Array | None:
        if number == 0:
            return np.asarray(np.minimum(np.maximum(self.near[target], self.bounds.lower), self.bounds.upper))
        if number > self._order.shape[1]:
            return None
        return np.array(self._solver.table[self._order[target, number - 1]])

    def accept(self, target: int, hit: Candidate) -> bool:
        """Record a solution that is new and free of collisions; return whether there are enough."""
        near = self.near[target]
        q = hit.q if self.bounds.fixed.any() else self._solver.nearest_equivalent(hit.q, near)
        if any(np.abs(q - known.q).max() < _DISTINCT for known in self.solutions[target]):
            return False
        collisions = self.options.collisions
        pairs = () if collisions is None else collisions(self._solver.positions(q))
        if pairs:
            distance = float(np.linalg.norm(q - near))
            if distance < self._collision_distances[target]:
                self._collision_distances[target], self.collisions[target] = distance, pairs
            return False
        self.solutions[target].append(Candidate(q=q, position_error=hit.position_error, angle_error=hit.angle_error))
        return len(self.solutions[target]) >= self.options.limit
