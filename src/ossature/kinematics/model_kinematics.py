"""Kinematics of a model on numpy arrays, available as ``ossature.Kinematics``."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

import numpy as np

from ossature.diagnostics import OssatureError, suggestion
from ossature.kinematics.absolute_coordinates import require_finite
from ossature.kinematics.arm import Arm, ArmError, arm_coordinates, arm_of, base_of, free_joints_of, joint_path, moved_bodies
from ossature.kinematics.batched_rotations import logarithm, right_jacobian
from ossature.kinematics.batched_tree import BatchedTree
from ossature.kinematics.coordinate_map import CoordinateMap
from ossature.kinematics.forward_kinematics import unknown_name_message
from ossature.kinematics.ik.inverse_kinematics import IkOptions, InverseKinematics
from ossature.kinematics.ik.result import IkFailure, IkResult
from ossature.kinematics.ik.targets import Target, Transform6D
from ossature.kinematics.joint_couplings import joint_positions
from ossature.kinematics.loop_closure import CLOSED, LoopClosureError
from ossature.kinematics.loop_constraints import LoopConstraints, independent_columns
from ossature.kinematics.spanning_tree import spanning_tree
from ossature.model import IkFreeJoint, Model, World
from ossature.spatial import IDENTITY, Pose, quaternion_from_matrix

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Array = NDArray[np.float64]

Axes: TypeAlias = Literal["world", "local"]
"""The axes in which a twist is expressed."""
Orientation: TypeAlias = Literal["rotation-vector", "quaternion", "rpy"]
"""Coordinates of an orientation."""

_STEP = 0.1
"""Largest change of a prescribed coordinate while loops are closed [rad, or characteristic lengths]."""
_MAX_STEPS = 400
_MAX_ITERATIONS = 30
_CONVERGED = 1e-14
_DEPENDENT = 1e-9
_SAMPLING_ATTEMPTS = 100
_EXCURSION = 0.05
_DIRECTIONS = 3
_UNLIMITED_M = 1.0
_SINGULAR = 1e-6
"""Relative size of singular values of scaled Jacobians below which they count as zero."""
_CLOSED_ENOUGH = 1e-6
"""Largest residual of loops at which their Jacobian is used [rad, or characteristic lengths]."""
_ORTHOGONAL = 1e-6
_GIMBAL_LOCK = 1e-9
_MOST_SOLVERS = 8
_MOST_LISTED = 8


class KinematicsError(OssatureError, ValueError):
    """A model, frame or coordinate does not exist, or an array has a wrong shape."""


class CollisionChecker(Protocol):
    """What finds collisions of solutions of inverse kinematics, as :class:`ossature.simulation.CollisionQuery` does."""

    def colliding_pairs(
        self, model: str, positions: Mapping[str, Sequence[float]], moved: Collection[str] | None = None
    ) -> tuple[tuple[str, str], ...]:
        """Return the pairs of colliding bodies at given coordinates."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class IkConfigurations:
    """The solutions of inverse kinematics for one target, as configurations.

    Attributes:
        q: The solutions, the nearest to the seed first, shape (solutions, n) [rad or m]. Coordinates that do not move the frame
            are those of the seed.
        position_errors: Distance of the frame from the target for each solution [m], shape (solutions,).
        angle_errors: Angle between them [rad], shape (solutions,).
        failure: Why there is no solution; None if there are solutions.
    """

    q: Array
    position_errors: Array
    angle_errors: Array
    failure: IkFailure | None = None

    @property
    def found(self) -> bool:
        """Whether the target is reached."""
        return len(self.q) > 0


class Kinematics:
    """Forward and inverse kinematics of one model, for one configuration or many at once.

    A configuration ``q`` has one number for each independent coordinate of the joints of the spanning tree, in the order of
    :attr:`names`: angles [rad], lengths [m], and rotation vectors [rad] of ball and free joints. Coupled coordinates (mimic
    joints) and locked joints are not among them. A body without a parent joint keeps its pose;
    :func:`ossature.kinematics.free_base` gives it a free joint.

    An instance is used by one thread at a time.

    All methods accept arrays ``q`` of shape (..., n), and the results have the same leading axes. Poses are matrices in
    the world; lengths are in metres. Velocities ``v`` are those of ``docs/conventions.md``: rates of the coordinates, except
    of ball and free joints, which have angular velocities.

    Attributes:
        model: The model.
        names: Name of each coordinate: that of its joint, or ``JOINT[1]`` for another coordinate than the first.
        bodies: Names of the bodies.
        frames: Names of all frames: the bodies, their named frames (``BODY/FRAME``, and ``FRAME`` if unique), and manipulators.
        initial: The initial configuration, shape (n,).
        lower: Lower limits of the coordinates, shape (n,); negative infinity if unlimited.
        upper: Upper limits of the coordinates, shape (n,).
    """

    def __init__(self, world: World | Model, model: str | None = None) -> None:
        """Prepare a model.

        Args:
            world: The World, or the model itself.
            model: Name of the model; optional if only one has joints that move.

        Raises:
            KinematicsError: The model does not exist, there are several, or another body grasps one of its bodies.
            FormulaError: A formula of a coupling names an unknown coordinate, or couplings are cyclic.
            ValueError: A coupling or an equality is not supported.
        """
        self.model = world if isinstance(world, Model) else _find_model(world, model)
        if isinstance(world, World) and any(grasp.body.model == self.model.name for grasp in world.grasps):
            raise KinematicsError(f"a body of '{self.model.name}' is grasped: remove the grasp with remove_grasp")
        tree = spanning_tree(self.model)
        self._tree = BatchedTree(self.model, tree)
        self._map = CoordinateMap(self.model, self._tree)
        self._loops = LoopConstraints(self.model, tree, self._tree, self._map.undetermined)
        self.names, self.bodies = self._map.names, self._tree.bodies
        self.initial, self.lower, self.upper = self._map.initial, self._map.lower, self._map.upper
        for array in (self.initial, self.lower, self.upper):
            array.flags.writeable = False
        self._numbers = {name: number for number, name in enumerate(self.names)}
        self._frames = _frames_of(self.model, self._tree)
        self.frames = tuple(self._frames)
        self._independent: tuple[int, ...] | None = None
        self._solvers: dict[tuple[Arm, tuple[float, ...]], InverseKinematics] = {}

    def __repr__(self) -> str:
        return f"Kinematics({self.model.name!r}: {len(self.names)} coordinates, {len(self.bodies)} bodies)"

    def __len__(self) -> int:
        """Return the number n of coordinates."""
        return len(self.names)

    # Configurations

    def configuration(self, positions: Mapping[str, float | Sequence[float] | Array], start: ArrayLike | None = None) -> Array:
        """Return a configuration from coordinates by name, shape (n,).

        Args:
            positions: Coordinates [rad or m]: a number by the name of a coordinate, or all those of a joint by its name.
            start: The other coordinates, shape (n,); the initial ones if not given.

        Raises:
            KinematicsError: There is no such coordinate, or the number of coordinates is wrong.
        """
        result = (self.initial if start is None else self._single(start)).copy()
        for name, values in positions.items():
            columns = self._columns_of(name)
            numbers = np.atleast_1d(np.asarray(values, dtype=np.float64))
            if numbers.shape != (len(columns),):
                raise KinematicsError(f"'{name}' has {len(columns)} coordinates, not values of shape {np.shape(values)}")
            result[columns] = numbers
        return result

    def positions(self, q: ArrayLike) -> dict[str, tuple[float, ...]]:
        """Return the coordinates of all joints of the spanning tree, coupled ones included, by joint [rad or m].

        ``ossature.poses(world, {kin.model.name: kin.positions(q)})`` are the poses of :meth:`poses`. The coordinates of a
        motor's guide have the name of the motor and ``" motor"``, those of a bushing ``" bushing"``.

        Args:
            q: A configuration, shape (n,).
        """
        x = self._tree_coordinates(self._single(q)[None])[0].tolist()
        result: dict[str, list[float]] = {label: [] for label in self._tree.joints}
        for position, value in zip(self._tree.coordinates, x, strict=True):
            result[position.joint].append(value)
        return {label: tuple(values) for label, values in result.items()}

    def random(self, generator: np.random.Generator, count: int | None = None) -> Array:
        """Return random configurations within the limits, shape (n,), or (count, n).

        Coordinates are uniformly distributed within their limits, angles without limits in [-π, π), orientations of ball and
        free joints over all rotations, and lengths without limits in ±1 m of the initial ones. Of a mechanism with closed loops
        the independent coordinates are, and its loops are closed.

        Args:
            generator: The source of random numbers, ``numpy.random.default_rng(seed)``.
            count: Number of configurations.

        Raises:
            LoopClosureError: Loops cannot be closed at any of many samples.
        """
        samples = self._sample(generator, 1 if count is None else count)
        if self.has_loops:
            samples = np.array([self._sample_closed(generator, q) for q in samples]).reshape(samples.shape)
        return samples[0] if count is None else samples

    def is_within_limits(self, q: ArrayLike, tolerance: float = 0.0) -> NDArray[np.bool_]:
        """Return whether configurations are within all position limits, shape (...).

        Args:
            q: Configurations, shape (..., n).
            tolerance: How far coordinates may exceed their limits [rad or m].
        """
        array = self._checked(q)
        return np.asarray(((array >= self.lower - tolerance) & (array <= self.upper + tolerance)).all(axis=-1))

    def integrate(self, q: ArrayLike, v: ArrayLike, duration: float = 1.0) -> Array:
        """Return the configurations after a motion at constant velocities, shape (..., n).

        Args:
            q: Configurations, shape (..., n).
            v: Velocities, shape (..., n) [rad/s or m/s].
            duration: Duration [s].
        """
        first, second = np.broadcast_arrays(self._checked(q), self._checked(v, "v"))
        flat = self._map.integrate(first.reshape(-1, len(self)), duration * second.reshape(-1, len(self)))
        return flat.reshape(first.shape)

    # Forward kinematics

    def pose(self, q: ArrayLike, frame: str) -> Array:
        """Return the pose of a frame in the world, (..., 4, 4) from configurations (..., n).

        Raises:
            KinematicsError: There is no such frame, or the shape of ``q`` is wrong.
            FormulaError: A formula of a coupling has no value.
        """
        number, offset = self._frame(frame)
        flat, lead = self._flat(q)
        poses = self._tree.body_frames(self._tree.frames(self._tree_coordinates(flat)), [number])[0]
        return np.asarray(poses if offset is None else poses @ offset).reshape(*lead, 4, 4)

    def poses(self, q: ArrayLike) -> dict[str, Array]:
        """Return the poses of all bodies in the world by name, each (..., 4, 4) from configurations (..., n)."""
        flat, lead = self._flat(q)
        poses = self._tree.body_frames(self._tree.frames(self._tree_coordinates(flat)))
        return {name: pose.reshape(*lead, 4, 4) for name, pose in zip(self.bodies, poses, strict=True)}

    # Jacobians

    def jacobian(self, q: ArrayLike, frame: str, axes: Axes = "world") -> Array:
        """Return the geometric Jacobian of a frame: its twist for a unit velocity of each coordinate, shape (..., 6, n).

        The first three rows are the linear velocity of the frame's origin [m/s], the other three its angular velocity [rad/s].
        Loops are not considered: multiply by :meth:`loop_basis` for independent coordinates.

        Args:
            q: Configurations, shape (..., n).
            frame: Name of the frame.
            axes: The axes of both velocities: those of the world, or those of the frame (``"local"``).

        Raises:
            KinematicsError: There is no such frame, or an argument is invalid.
            FormulaError: A formula of a coupling has no value.
        """
        if axes not in ("world", "local"):
            raise KinematicsError(f"the axes of a Jacobian are 'world' or 'local', not {axes!r}")
        flat, lead = self._flat(q)
        _, pose, J = self._pose_and_jacobian(flat, frame)
        if axes == "local":
            rotation = pose[:, :3, :3].swapaxes(1, 2)
            J = np.concatenate([rotation @ J[:, :3], rotation @ J[:, 3:]], axis=1)
        return J.reshape(*lead, 6, len(self))

    def analytic_jacobian(self, q: ArrayLike, frame: str, orientation: Orientation = "rotation-vector") -> Array:
        """Return the analytic Jacobian: the partial derivatives of position and orientation of a frame by the coordinates.

        Args:
            q: Configurations, shape (..., n).
            frame: Name of the frame.
            orientation: Coordinates of the orientation: ``"rotation-vector"`` (three), ``"rpy"`` (rotations about the fixed
                axes x, y and z, three) or ``"quaternion"`` (wxyz, w ≥ 0). The first two have singularities: at rotations by 2π,
                and at a pitch of ±π/2.

        Returns:
            The derivatives, shape (..., 6, n), or (..., 7, n) for quaternions. The first three rows are those of the position.

        Raises:
            KinematicsError: There is no such frame, or an argument is invalid.
            FormulaError: A formula of a coupling has no value.
        """
        if orientation not in _ORIENTATION_RATES:
            choices = ", ".join(map(repr, _ORIENTATION_RATES))
            raise KinematicsError(f"the orientation of an analytic Jacobian is one of {choices}, not {orientation!r}")
        flat, lead = self._flat(q)
        x, pose, J = self._pose_and_jacobian(flat, frame)
        if self._tree.has_rotation_vectors:
            J = J @ self._map.rate_matrices(x)
        rates = _ORIENTATION_RATES[orientation](pose[:, :3, :3])
        J = np.concatenate([J[:, :3], rates @ J[:, 3:]], axis=1)
        return J.reshape(*lead, J.shape[1], len(self))

    def manipulability(self, q: ArrayLike, frame: str, rows: Literal["all", "linear", "angular"] = "all") -> Array:
        """Return Yoshikawa's measure of manipulability, the product of the singular values of the Jacobian, shape (...).

        It is zero at singular configurations, and always if there are fewer coordinates than rows. Of a mechanism with closed
        loops it is that of the independent coordinates.

        Args:
            q: Configurations, shape (..., n).
            frame: Name of the frame.
            rows: All six rows of the Jacobian, or those of the linear or angular velocity.
        """
        selected = {"all": slice(0, 6), "linear": slice(0, 3), "angular": slice(3, 6)}.get(rows)
        if selected is None:
            raise KinematicsError(f"the rows are 'all', 'linear' or 'angular', not {rows!r}")
        J = self.jacobian(q, frame)
        if self.has_loops:
            J = J @ self.loop_basis(q)
        J = J[..., selected, :]
        if J.shape[-1] < J.shape[-2]:
            return np.zeros(J.shape[:-2])
        return np.asarray(np.prod(np.linalg.svd(J, compute_uv=False), axis=-1))

    # Closed loops

    @property
    def has_loops(self) -> bool:
        """Whether the model has closed kinematic loops: joints, rods or active equalities that are not in its spanning tree."""
        return not self._loops.is_empty

    @property
    def independent(self) -> tuple[str, ...]:
        """Names of coordinates that determine all others if the loops are closed; all coordinates if there are no loops.

        Coordinates of driven joints and motors are preferred to others, and earlier ones to later ones.
        """
        return tuple([self.names[number] for number in self._independent_numbers()])

    def loop_residual(self, q: ArrayLike) -> Array:
        """Return the largest residual of the loops [rad, or m per characteristic length], (...) from (..., n)."""
        flat, lead = self._flat(q)
        values = [np.abs(self._loop_equations(row)[0]).max(initial=0.0) for row in flat]
        return np.array(values).reshape(lead)

    def loop_jacobian(self, q: ArrayLike) -> Array:
        """Return the Jacobian J of the loop equations by the velocities: ``J v = 0`` for motions that keep loops closed.

        Args:
            q: A configuration, shape (n,).

        Returns:
            Shape (equations, n) [rad, or m per characteristic length, for each rad or m].
        """
        return self._loop_equations(self._single(q))[1]

    def loop_basis(self, q: ArrayLike) -> Array:
        """Return the velocities of all coordinates for a unit velocity of each independent one, with closed loops.

        ``jacobian(q, frame) @ loop_basis(q)`` is the Jacobian of a closed mechanism by its independent coordinates.

        Args:
            q: Configurations with closed loops, shape (..., n).

        Returns:
            Shape (..., n, m), for the m coordinates :attr:`independent`.

        Raises:
            LoopClosureError: Loops are not closed.
            KinematicsError: The independent coordinates do not determine the others: the configuration is singular.
        """
        flat, lead = self._flat(q)
        independent = list(self._independent_numbers())
        result = np.array([self._loop_basis(row, independent) for row in flat])
        return result.reshape(*lead, len(self), len(independent))

    def close_loops(self, q: ArrayLike, fixed: Sequence[str] | None = None) -> Array:
        """Return configurations with closed loops in which some coordinates are those given, shape (..., n).

        These coordinates move in small steps from their initial values, or from those of the configuration before if that is
        nearer, so that a mechanism with several assembly modes stays in that of its initial configuration.

        Args:
            q: Configurations, shape (..., n); coordinates that are not kept are ignored.
            fixed: Names of the coordinates that are kept; :attr:`independent` if not given.

        Raises:
            LoopClosureError: Loops cannot be closed at these coordinates.
            KinematicsError: There is no such coordinate.
        """
        flat, lead = self._flat(q)
        columns = list(self._independent_numbers()) if fixed is None else [c for name in fixed for c in self._columns_of(name)]
        if not self.has_loops:
            return flat.reshape(*lead, len(self)).copy()
        start = self._project(self.initial, np.zeros(len(self), dtype=bool))
        closed = [start]
        for row in flat:
            nearest = min((start, closed[-1]), key=lambda one: float(np.abs((one - row)[columns]).max(initial=0.0)))
            closed.append(self._close(row, columns, nearest))
        return np.array(closed[1:]).reshape(*lead, len(self))

    # Inverse kinematics

    def solve_ik(
        self,
        target: Target | Pose | ArrayLike,
        frame: str,
        *,
        base: str | None = None,
        seed: ArrayLike | None = None,
        limit: int = 1,
        tolerance: float = 1e-6,
        free_joints: Mapping[str, float] | None = None,
        collisions: CollisionChecker | None = None,
    ) -> IkConfigurations:
        """Return configurations with which a frame reaches a target, within the limits.

        Args:
            target: One of the seven classes ``Transform6D`` … of :mod:`ossature.kinematics`, a pose, or a 4×4 matrix.
            frame: Name of the frame.
            base: Name of the body at the base of the arm; by default that of the manipulator, the world or the floating base.
            seed: The seed of the search, and the coordinates that do not move the frame, shape (n,); the initial configuration
                if not given.
            limit: Largest number of distinct solutions.
            tolerance: Largest residual [m] and [rad].
            free_joints: Sampled joints, each with its step from the seed [rad or m]; by default those of the manipulator.
            collisions: Rejects solutions in collision, for example a :class:`ossature.simulation.CollisionQuery`.

        Raises:
            KinematicsError: There is no such frame, or a shape is wrong.
            ArmError: No joint moves the frame, or it is moved by a closed loop.
            ValueError: The target has a zero direction or rotation, or free joints have too many samples.
        """
        seeds = None if seed is None else self._single(seed)[None]
        targets = [_target(target)]
        return self._solve(targets, frame, base, seeds, limit, tolerance, free_joints, collisions)[0]

    def solve_ik_batch(
        self,
        targets: Sequence[Target] | ArrayLike,
        frame: str,
        *,
        base: str | None = None,
        seeds: ArrayLike | None = None,
        limit: int = 1,
        tolerance: float = 1e-6,
        free_joints: Mapping[str, float] | None = None,
        collisions: CollisionChecker | None = None,
    ) -> list[IkConfigurations]:
        """Return the solutions for several targets of one type, which are solved together; see :meth:`solve_ik`.

        Args:
            targets: The targets, or an array of poses, shape (N, 4, 4).
            frame: Name of the frame.
            base: Name of the body at the base of the arm.
            seeds: One seed for all, shape (n,), or one for each, (N, n). The coordinates that do not move the frame must be the
                same in all of them.
            limit: Largest number of distinct solutions for each target.
            tolerance: Largest residual [m] and [rad].
            free_joints: Sampled joints, each with its step from the seed [rad or m].
            collisions: Rejects solutions in collision.

        Raises:
            KinematicsError: There is no such frame, or a shape is wrong.
            ArmError: No joint moves the frame, or it is moved by a closed loop.
            ValueError: A target has a zero direction or rotation, targets have several types, or there are too many samples.
        """
        chosen = [_target(one) for one in targets]  # type: ignore[union-attr]  # an array is a sequence of matrices
        array = None if seeds is None else self._checked(seeds, "seeds")
        if array is not None and array.ndim == 1:
            array = np.tile(array, (len(chosen), 1))
        if array is not None and array.shape != (len(chosen), len(self)):
            raise KinematicsError(
                f"the seeds have the shape {array.shape}: there are {len(chosen)} targets, and {len(self)} coordinates"
            )
        return self._solve(chosen, frame, base, array, limit, tolerance, free_joints, collisions)

    def _solve(
        self,
        targets: Sequence[Target],
        frame: str,
        base: str | None,
        seeds: Array | None,
        limit: int,
        tolerance: float,
        free_joints: Mapping[str, float] | None,
        collisions: CollisionChecker | None,
    ) -> list[IkConfigurations]:
        if not targets:
            return []
        rows = np.tile(self.initial, (len(targets), 1)) if seeds is None else seeds
        arm = self._arm(frame, base)
        solver = self._solver(arm, rows)
        steps = free_joints_of(arm, targets[0].type) if free_joints is None else _free_joints(free_joints)
        check = None
        if collisions is not None:
            moved, name = moved_bodies(self.model, arm), self.model.name
            checker = collisions

            def check(positions: dict[str, tuple[float, ...]]) -> tuple[tuple[str, str], ...]:
                return checker.colliding_pairs(name, positions, moved)

        options = IkOptions(limit=limit, tolerance=tolerance, free_joints=steps, collisions=check)
        results = solver.solve_all(targets, [self.positions(row) for row in rows], options)
        return [self._ik_configurations(result, row) for result, row in zip(results, rows, strict=True)]

    def _arm(self, frame: str, base: str | None) -> Arm:
        number, offset = self._frame(frame)
        manipulator = None if frame in self.model.bodies else self.model.manipulators.get(frame)
        if base is not None:
            self._frame(base)
        if manipulator is not None:
            arm = arm_of(manipulator)
            return arm if base is None else replace(arm, base=base)
        body = self.bodies[number]
        pose = IDENTITY if offset is None else _pose_of(offset)
        return Arm(base=base_of(self.model, body) if base is None else base, tip=body, pose=pose)

    def _solver(self, arm: Arm, seeds: Array) -> InverseKinematics:
        """Return the solver of an arm, prepared for the coordinates of the seeds that do not move it."""
        moving = {self._map.column(one) for one in arm_coordinates(self.model, arm)}
        others = [column for column in range(len(self)) if column not in moving]
        if (seeds[:, others] != seeds[0, others]).any():
            differing = next(column for column in others if (seeds[:, column] != seeds[0, column]).any())
            raise KinematicsError(f"the seeds differ in '{self.names[differing]}', which does not move the frame")
        key = (arm, tuple(seeds[0, others].tolist()))
        if key not in self._solvers:
            self._require_open_chain(arm)
            if len(self._solvers) >= _MOST_SOLVERS:
                self._solvers.clear()
            self._solvers[key] = InverseKinematics(self.model, arm, self.positions(seeds[0]))
        return self._solvers[key]

    def _require_open_chain(self, arm: Arm) -> None:
        joints = {step.joint.name for step in joint_path(self.model, arm.base, arm.tip)}
        names = sorted(joints & self._loops.joint_names)
        if names:
            raise ArmError(f"inverse kinematics of loops is not supported: joint '{names[0]}' of the arm belongs to a loop")

    def _ik_configurations(self, result: IkResult, seed: Array) -> IkConfigurations:
        rows = [self._map.configuration(one.positions, seed) for one in result.solutions]
        return IkConfigurations(
            q=np.array(rows).reshape(len(rows), len(self)),
            position_errors=np.array([one.position_error for one in result.solutions]),
            angle_errors=np.array([one.angle_error for one in result.solutions]),
            failure=result.failure,
        )

    # Arguments

    def _checked(self, values: ArrayLike, name: str = "q") -> Array:
        """Return an array whose last axis has one number for each coordinate."""
        try:
            array = np.asarray(values, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise KinematicsError(f"{name} is not an array of numbers: {error}") from error
        if array.ndim == 0 or array.shape[-1] != len(self):
            expected = f"its last axis must have {len(self)} numbers, one for each of {_listed(self.names)}"
            raise KinematicsError(f"{name} has the shape {array.shape}: {expected}")
        if not np.isfinite(array).all():
            raise KinematicsError(f"{name} has numbers that are not finite")
        return array

    def _single(self, q: ArrayLike) -> Array:
        array = self._checked(q)
        if array.ndim != 1:
            raise KinematicsError(f"one configuration has the shape {(len(self),)}, not {array.shape}")
        return array

    def _flat(self, q: ArrayLike) -> tuple[Array, tuple[int, ...]]:
        """Return configurations as (N, n), and their leading axes."""
        array = self._checked(q)
        return array.reshape(-1, len(self)) if len(self) else np.zeros((math.prod(array.shape[:-1]), 0)), array.shape[:-1]

    def _frame(self, name: str) -> tuple[int, Array | None]:
        """Return number of the body of a frame, and its pose in the body, or None for the body itself."""
        if name not in self._frames:
            hint = suggestion(name, self._frames) or "there are none"
            raise KinematicsError(f"'{self.model.name}' has no frame '{name}': {hint}")
        return self._frames[name]

    def _columns_of(self, name: str) -> list[int]:
        """Return the numbers of the coordinates of that name: all of a joint, or one."""
        own = [number for number, one in enumerate(self.names) if one == name or one.startswith(f"{name}[")]
        if not own:
            hint = suggestion(name, self.names) or "there are none"
            raise KinematicsError(f"'{self.model.name}' has no independent coordinate '{name}': {hint}")
        return own

    # Evaluation

    def _tree_coordinates(self, q: Array) -> Array:
        x = self._map.tree_coordinates(q)
        if not np.isfinite(x).all():
            # The scalar evaluation names the formula and its operands.
            row = q[int(np.flatnonzero(~np.isfinite(x).all(axis=1))[0])]
            joint_positions(self.model, self._independent_positions(row))
            raise KinematicsError("a coupling has no finite value at these coordinates")
        return x

    def _independent_positions(self, q: Array) -> dict[str, list[float]]:
        result: dict[str, list[float]] = {}
        for position, value in zip(self._map.variables, q.tolist(), strict=True):
            joint = self.model.joints.get(position.joint)
            if joint is not None and all(one.coupling is None for one in joint.coordinates):
                result.setdefault(joint.name, list(joint.initial_positions))[position.coordinate] = value
        return result

    def _tree_state(self, q: Array) -> tuple[Array, Array, Array]:
        """Return tree coordinates, frames of the tree's elements, and matrices from velocities to those of the tree."""
        x = self._tree_coordinates(q)
        return x, self._tree.frames(x), self._map.velocity_matrices(q, x)

    def _pose_and_jacobian(self, q: Array, frame: str) -> tuple[Array, Array, Array]:
        """Return tree coordinates, the poses (N, 4, 4) and the geometric Jacobians (N, 6, n) in axes of the world."""
        number, offset = self._frame(frame)
        x, frames, G = self._tree_state(q)
        pose = self._tree.body_frames(frames, [number])[0]
        pose = pose if offset is None else pose @ offset
        twists, mask = self._tree.twists(frames), self._tree.body_masks[number][:, None]
        J = np.concatenate([twists.at(pose[:, :3, 3]) * mask, twists.angular * mask], axis=2).swapaxes(1, 2)
        return x, pose, J @ G

    # Loops

    def _loop_equations(self, q: Array) -> tuple[Array, Array]:
        """Return the residuals of the loops, and their Jacobian by the velocities, at one configuration."""
        rows = q[None]
        x, frames, G = self._tree_state(rows)
        residual, J = self._loops.evaluate(x[0], self._tree.body_frames(frames)[:, 0], frames)
        return residual, J @ G[0]

    def _independent_numbers(self) -> tuple[int, ...]:
        if self._independent is None:
            order = sorted(range(len(self)), key=lambda number: self._map.priorities[number])
            self._independent = tuple(range(len(self)))
            if self.has_loops:
                chosen = [independent_columns(self._scaled(J), order) for J in self._generic_loop_jacobians()]
                self._independent = tuple(sorted(chosen, key=len)[0])
        return self._independent

    def _scaled(self, J: Array) -> Array:
        """Return a Jacobian for changes of lengths in characteristic lengths."""
        return np.asarray(J * np.where(self._map.angles, 1.0, self._loops.length))

    def _generic_loop_jacobians(self) -> list[Array]:
        """Return the Jacobians at the initial configuration, where it may be singular, and at neighbouring ones."""
        start = self._project(self.initial, np.zeros(len(self), dtype=bool))
        found = [self._loop_equations(start)[1]]
        generator = np.random.default_rng(0)
        scale = np.where(self._map.angles, 1.0, self._loops.length)
        for _ in range(_DIRECTIONS):
            _, sizes, rows = np.linalg.svd(self._scaled(found[0]))
            basis = rows[int((sizes > _SINGULAR * max(sizes.max(initial=0.0), 1e-300)).sum()) :]
            if not len(basis):
                return found
            step = generator.normal(size=len(basis)) @ basis
            near = self._map.integrate(start[None], (_EXCURSION * scale * step / np.linalg.norm(step))[None])[0]
            try:
                found.append(self._loop_equations(self._project(near, np.zeros(len(self), dtype=bool)))[1])
            except LoopClosureError:
                continue
        return found

    def _project(self, q: Array, is_fixed: NDArray[np.bool_]) -> Array:
        """Return the configuration with closed loops that Gauss-Newton steps of the other coordinates reach.

        Raises:
            LoopClosureError: They do not converge.
        """
        scale = np.where(self._map.angles, 1.0, self._loops.length) * ~is_fixed
        best, smallest = q, math.inf
        for _ in range(_MAX_ITERATIONS):
            residual, J = self._loop_equations(q)
            size = float(np.abs(residual).max(initial=0.0))
            if size >= smallest and smallest < CLOSED:
                break
            if size < smallest:
                best, smallest = q, size
            if size < _CONVERGED:
                break
            change = scale * np.linalg.lstsq(require_finite(J * scale), require_finite(-residual), rcond=_DEPENDENT)[0]
            largest = float(np.abs(change / np.where(scale > 0.0, scale, 1.0)).max(initial=0.0))
            q = self._map.integrate(q[None], (change * min(1.0, 0.5 / largest if largest else 1.0))[None])[0]
        if not smallest < CLOSED:
            residual, _ = self._loop_equations(best)
            worst = self._loops.names[int(np.abs(residual).argmax())]
            raise LoopClosureError(self.model.name, worst, smallest, self._loops.length)
        return best

    def _close(self, target: Array, columns: Sequence[int], start: Array) -> Array:
        """Return the configuration with closed loops that steps of some coordinates reach from another one."""
        is_fixed = np.zeros(len(self), dtype=bool)
        is_fixed[columns] = True
        scale = np.where(self._map.angles, 1.0, self._loops.length)
        span = float(np.abs((target - start) / scale)[is_fixed].max(initial=0.0))
        q, steps = start, min(max(math.ceil(span / _STEP), 1), _MAX_STEPS)
        for number in range(1, steps + 1):
            q = np.where(is_fixed, target if number == steps else start + number / steps * (target - start), q)
            q = self._project(q, is_fixed)
        return q

    def _loop_basis(self, q: Array, independent: Sequence[int]) -> Array:
        residual, J = self._loop_equations(q)
        if np.abs(residual).max(initial=0.0) > _CLOSED_ENOUGH:
            worst = int(np.abs(residual).argmax())
            raise LoopClosureError(self.model.name, self._loops.names[worst], float(abs(residual[worst])), self._loops.length)
        basis = np.zeros((len(self), len(independent)))
        basis[independent] = np.eye(len(independent))
        dependent = [column for column in range(len(self)) if column not in set(independent)]
        if not dependent:
            return basis
        scale = np.where(self._map.angles, 1.0, self._loops.length)[dependent]
        scaled = J[:, dependent] * scale
        sizes = np.linalg.svd(scaled, compute_uv=False)
        if len(sizes) < len(dependent) or sizes[-1] < _SINGULAR * sizes[0]:
            names = _listed([self.names[number] for number in independent])
            raise KinematicsError(f"the configuration is singular: {names} do not determine the other coordinates")
        basis[dependent] = -scale[:, None] * np.linalg.lstsq(scaled, J[:, independent], rcond=None)[0]
        return basis

    # Samples

    def _sample(self, generator: np.random.Generator, count: int) -> Array:
        half = np.where(self._map.angles, math.pi, _UNLIMITED_M)
        center = np.where(self._map.angles, 0.0, self.initial)
        has_lower, has_upper = np.isfinite(self.lower), np.isfinite(self.upper)
        lower = np.where(has_lower, self.lower, np.where(has_upper, self.upper - 2.0 * half, center - half))
        upper = np.where(has_upper, self.upper, np.where(has_lower, self.lower + 2.0 * half, center + half))
        samples = generator.uniform(lower, upper, (count, len(self)))
        for columns in self._map.rotation_vectors:
            if not (has_lower | has_upper)[columns].any():
                quaternions = generator.normal(size=(count, 4))
                samples[:, columns] = _rotation_vectors(quaternions)
        return samples

    def _sample_closed(self, generator: np.random.Generator, first: Array) -> Array:
        sample, failure = first, None
        start = self._project(self.initial, np.zeros(len(self), dtype=bool))
        for _ in range(_SAMPLING_ATTEMPTS):
            try:
                closed = self._close(sample, list(self._independent_numbers()), start)
            except LoopClosureError as error:
                failure = error
            else:
                if self.is_within_limits(closed, _CLOSED_ENOUGH):
                    return closed
            sample = self._sample(generator, 1)[0]
        raise failure or KinematicsError(f"no configuration of '{self.model.name}' with closed loops is within the limits")


def _free_joints(steps: Mapping[str, float]) -> tuple[IkFreeJoint, ...]:
    return tuple([IkFreeJoint(joint=name, step=step) for name, step in steps.items()])


def _find_model(world: World, name: str | None) -> Model:
    """Return the model of that name, or the only one with joints that move."""
    if name is not None:
        if name not in world.models:
            raise KinematicsError(unknown_name_message("model", name, world.models.names()))
        return world.models[name]
    if len(world.models) == 1:
        return world.models[0]
    moving = [model for model in world.models if not model.static and (model.degrees_of_freedom or model.motors)]
    if len(moving) == 1:
        return moving[0]
    names = _listed([model.name for model in moving or world.models])
    raise KinematicsError(f"the World has {len(moving)} models with joints that move: give the name of one of {names}")


def _frames_of(model: Model, tree: BatchedTree) -> dict[str, tuple[int, Array | None]]:
    """Return all frames by name: number of the body, and the pose in it."""
    numbers = {name: number for number, name in enumerate(tree.bodies)}
    found: dict[str, tuple[int, Array | None]] = {name: (number, None) for name, number in numbers.items()}
    named = [(body.name, one) for body in model.bodies for one in body.frames]
    counts = Counter(one.name for _, one in named)
    for one in model.manipulators:
        if one.tip in numbers:
            found.setdefault(one.name, (numbers[one.tip], np.array(one.pose.matrix())))
    for body, frame in named:
        place = (numbers[body], np.array(frame.pose.matrix()))
        found.setdefault(f"{body}/{frame.name}", place)
        if counts[frame.name] == 1:
            found.setdefault(frame.name, place)
    return found


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(names[:_MOST_LISTED])
    return shown if len(names) <= _MOST_LISTED else f"{shown}, … ({len(names)} in all)"


def _target(target: Target | Pose | ArrayLike) -> Target:
    if isinstance(target, Pose):
        return Transform6D(pose=target)
    if isinstance(target, Target):
        return target
    matrix = np.asarray(target, dtype=np.float64)
    if matrix.shape != (4, 4):
        raise KinematicsError(f"a target is a target class, a pose or a 4-by-4 matrix, not an array of shape {matrix.shape}")
    if not np.allclose(matrix[:3, :3] @ matrix[:3, :3].T, np.eye(3), atol=_ORTHOGONAL) or np.linalg.det(matrix[:3, :3]) < 0.0:
        raise KinematicsError("the matrix of a target is not a rigid transform: its rotation is not orthogonal")
    return Transform6D(pose=_pose_of(matrix))


def _pose_of(matrix: Array) -> Pose:
    x, y, z = matrix[:3, 3].tolist()
    (a, b, c), (d, e, f), (g, h, i) = matrix[:3, :3].tolist()
    return Pose((x, y, z), quaternion_from_matrix(((a, b, c), (d, e, f), (g, h, i))))


def _rotation_vectors(quaternions: Array) -> Array:
    """Return the rotation vectors of quaternions of any length, (N, 3) from (N, 4)."""
    unit = quaternions / np.linalg.norm(quaternions, axis=1, keepdims=True)
    unit = np.where(unit[:, :1] < 0.0, -unit, unit)
    sines = np.linalg.norm(unit[:, 1:], axis=1, keepdims=True)
    return np.asarray(2.0 * np.arctan2(sines, unit[:, :1]) * unit[:, 1:] / np.where(sines > 0.0, sines, 1.0))


# Orientations: matrices from angular velocities in axes of the world to rates of their coordinates


def _rotation_vector_rates(rotations: Array) -> Array:
    return np.asarray(np.linalg.inv(right_jacobian(-logarithm(rotations))))


def _rpy_rates(rotations: Array) -> Array:
    yaw = np.arctan2(rotations[:, 1, 0], rotations[:, 0, 0])
    cosine = np.hypot(rotations[:, 0, 0], rotations[:, 1, 0])  # of the pitch
    if (cosine < _GIMBAL_LOCK).any():
        raise KinematicsError("roll, pitch and yaw are singular: the pitch is ±π/2")
    tangent = -rotations[:, 2, 0] / cosine
    c, s = np.cos(yaw), np.sin(yaw)
    zero, one = np.zeros_like(c), np.ones_like(c)
    rows = [[c / cosine, s / cosine, zero], [-s, c, zero], [c * tangent, s * tangent, one]]
    return np.array(rows).transpose(2, 0, 1)


def _quaternion_rates(rotations: Array) -> Array:
    quaternions = np.array([quaternion_from_matrix(_rows(one)) for one in rotations]).reshape(-1, 4)
    w, x, y, z = (quaternions * np.where(quaternions[:, :1] < 0.0, -1.0, 1.0)).T
    return 0.5 * np.array([[-x, -y, -z], [w, z, -y], [-z, w, x], [y, -x, w]]).transpose(2, 0, 1)


def _rows(rotation: Array) -> Any:
    return tuple(map(tuple, rotation.tolist()))


_ORIENTATION_RATES = {
    "rotation-vector": _rotation_vector_rates,
    "rpy": _rpy_rates,
    "quaternion": _quaternion_rates,
}
