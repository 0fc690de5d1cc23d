"""Kinematics of a model on numpy arrays, available as ``ossature.Kinematics``."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from ossature.argument_types import require_not_negative, typed_arguments
from ossature.array_types import Array, BoolArray
from ossature.diagnostics import suggestion
from ossature.diagnostics.counted_nouns import counted
from ossature.kinematics.batched_tree import BatchedTree
from ossature.kinematics.configuration_sampling import sample_closed_configurations, sample_configurations
from ossature.kinematics.coordinate_map import CoordinateMap, KinematicsError, joined_names
from ossature.kinematics.forward_kinematics import unknown_name_message
from ossature.kinematics.ik.configuration_vector_ik import CollisionChecker, ConfigurationSolver, IkConfigurations, target_from
from ossature.kinematics.ik.targets import Target
from ossature.kinematics.loop_constraints_in_tree_coordinates import LoopConstraints
from ossature.kinematics.loop_solver import LoopSolver
from ossature.kinematics.named_frames import NamedFrames
from ossature.kinematics.orientation_rates import ORIENTATION_RATES
from ossature.kinematics.spanning_tree import Tree, spanning_tree
from ossature.model import Model, World
from ossature.spatial import Pose

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


Axes: TypeAlias = Literal["world", "local"]
"""The axes in which a twist is expressed."""
Orientation: TypeAlias = Literal["rotation-vector", "quaternion", "rpy"]
"""Coordinates of an orientation."""


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
            If a body and a manipulator have the same name, these are ``body:NAME`` and ``manipulator:NAME``, which are
            accepted for all others too.
        initial: The initial configuration, shape (n,).
        lower: Lower limits of the coordinates, shape (n,); negative infinity if unlimited.
        upper: Upper limits of the coordinates, shape (n,).
    """

    @typed_arguments
    def __init__(self, world: World | Model, model: str | None = None) -> None:
        """Prepare a model.

        Args:
            world: The World, or the model itself.
            model: Name of the model; optional if only one has joints that move.

        Raises:
            KinematicsError: The model does not exist, there are several, another body grasps one of its bodies, or a joint
                moves its parent and has no inverse with the same coordinates.
            FormulaError: A formula of a coupling names an unknown coordinate, or couplings are cyclic.
            ValueError: A coupling or an equality is not supported.
            TypeError: The World is neither a World nor a model.
        """
        self.model = world if isinstance(world, Model) else _find_model(world, model)
        if isinstance(world, World) and any(grasp.body.model == self.model.name for grasp in world.grasps):
            raise KinematicsError(f"a body of '{self.model.name}' is grasped: remove the grasp with remove_grasp")
        tree = spanning_tree(self.model)
        _require_connected(self.model, tree)
        self._tree = BatchedTree(self.model, tree)
        self._map = CoordinateMap(self.model, self._tree)
        self._loops = LoopSolver(self._map, LoopConstraints(self.model, tree, self._tree, self._map.undetermined))
        self.names, self.bodies = self._map.names, self._tree.bodies
        self.initial, self.lower, self.upper = self._map.initial, self._map.lower, self._map.upper
        for array in (self.initial, self.lower, self.upper):
            array.flags.writeable = False
        self._numbers = {name: number for number, name in enumerate(self.names)}
        self._frames = NamedFrames(self.model, self.bodies)
        self.frames = self._frames.names
        self._ik = ConfigurationSolver(self._map, self._loops.constraints.joint_names)

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
            KinematicsError: There is no such coordinate, the number of coordinates is wrong, or one is not a finite number.
            TypeError: The positions are not a mapping.
        """
        if not isinstance(positions, Mapping):
            raise TypeError(f"positions are coordinates by name, such as {{'elbow': 1.2}}, not {positions!r:.80}")
        result = (self.initial if start is None else self._single(start)).copy()
        for name, values in positions.items():
            columns = self._columns_of(name)
            numbers = np.atleast_1d(_require_finite(_numbers(values, f"'{name}'"), f"'{name}'"))
            if numbers.shape != (len(columns),):
                raise KinematicsError(
                    f"'{name}' has {counted(len(columns), 'coordinate')}, not values of shape {np.shape(values)}"
                )
            result[columns] = numbers
        return result

    def positions(self, q: ArrayLike) -> dict[str, tuple[float, ...]]:
        """Return the coordinates of all joints of the spanning tree, coupled ones included, by joint [rad or m].

        ``ossature.poses(world, {kin.model.name: kin.positions(q)})`` are the poses of :meth:`poses`. The coordinates of a
        motor's guide have the name of the motor and ``" motor"``, those of a bushing ``" bushing"``.

        Args:
            q: A configuration, shape (n,).
        """
        return self._map.positions(self._single(q))

    @typed_arguments
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
            ValueError: The count is negative.
        """
        number = 1 if count is None else count
        require_not_negative("count", number)
        if self.has_loops:
            samples = sample_closed_configurations(self._map, self._loops, generator, number)
        else:
            samples = sample_configurations(self._map, generator, number)
        return samples[0] if count is None else samples

    @typed_arguments
    def is_within_limits(self, q: ArrayLike, tolerance: float = 0.0) -> BoolArray:
        """Return whether configurations are within all position limits, shape (...).

        Args:
            q: Configurations, shape (..., n).
            tolerance: How far coordinates may exceed their limits [rad or m].

        Raises:
            ValueError: The tolerance is negative or not finite.
        """
        require_not_negative("tolerance", tolerance)
        array = self._checked(q)
        return np.asarray(((array >= self.lower - tolerance) & (array <= self.upper + tolerance)).all(axis=-1))

    @typed_arguments
    def integrate(self, q: ArrayLike, v: ArrayLike, duration: float = 1.0) -> Array:
        """Return the configurations after a motion at constant velocities, shape (..., n).

        Args:
            q: Configurations, shape (..., n).
            v: Velocities, shape (..., n) [rad/s or m/s].
            duration: Duration [s], negative for the motion back.

        Raises:
            ValueError: The duration is not finite.
        """
        _require_finite(np.asarray(duration), "duration")
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
        number, offset = self._frames.find(frame)
        flat, lead = self._flat(q)
        poses = self._tree.body_frames(self._tree.frames(self._map.tree_coordinates(flat)), [number])[0]
        return np.asarray(poses if offset is None else poses @ offset).reshape(*lead, 4, 4)

    def poses(self, q: ArrayLike) -> dict[str, Array]:
        """Return the poses of all bodies in the world by name, each (..., 4, 4) from configurations (..., n)."""
        flat, lead = self._flat(q)
        poses = self._tree.body_frames(self._tree.frames(self._map.tree_coordinates(flat)))
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

    @typed_arguments
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
        if orientation not in ORIENTATION_RATES:
            choices = ", ".join(map(repr, ORIENTATION_RATES))
            raise KinematicsError(f"the orientation of an analytic Jacobian is one of {choices}, not {orientation!r}")
        flat, lead = self._flat(q)
        x, pose, J = self._pose_and_jacobian(flat, frame)
        if self._tree.has_rotation_vectors:
            J = J @ self._map.rate_matrices(x)
        rates = ORIENTATION_RATES[orientation](pose[:, :3, :3])
        J = np.concatenate([J[:, :3], rates @ J[:, 3:]], axis=1)
        return J.reshape(*lead, J.shape[1], len(self))

    @typed_arguments
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
        return not self._loops.constraints.is_empty

    @property
    def independent(self) -> tuple[str, ...]:
        """Names of coordinates that determine all others if the loops are closed; all coordinates if there are no loops.

        Coordinates of driven joints and motors are preferred to others, and earlier ones to later ones.
        """
        return tuple([self.names[number] for number in self._loops.independent_numbers()])

    def loop_residual(self, q: ArrayLike) -> Array:
        """Return the largest residual of the loops [rad, or m per characteristic length], (...) from (..., n)."""
        flat, lead = self._flat(q)
        return np.array([np.abs(self._loops.equations(row)[0]).max(initial=0.0) for row in flat]).reshape(lead)

    def loop_jacobian(self, q: ArrayLike) -> Array:
        """Return the Jacobian J of the loop equations by the velocities: ``J v = 0`` for motions that keep loops closed.

        Args:
            q: A configuration, shape (n,).

        Returns:
            Shape (equations, n) [rad, or m per characteristic length, for each rad or m].
        """
        return self._loops.equations(self._single(q))[1]

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
        result = np.array([self._loops.basis(row) for row in flat])
        return result.reshape(*lead, len(self), len(self._loops.independent_numbers()))

    @typed_arguments
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
        if fixed is None:
            columns = list(self._loops.independent_numbers())
        else:
            columns = [column for name in fixed for column in self._columns_of(name)]
        if not self.has_loops:
            return flat.reshape(*lead, len(self)).copy()
        start = self._loops.assemble()
        closed = [start]
        for row in flat:
            nearest = min((start, closed[-1]), key=lambda one: float(np.abs((one - row)[columns]).max(initial=0.0)))
            closed.append(self._loops.close(row, columns, nearest))
        return np.array(closed[1:]).reshape(*lead, len(self))

    # Inverse kinematics

    @typed_arguments
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
        start = self.initial if seed is None else self._single(seed)
        return self._ik.solve(
            [target_from(target)],
            self._frames.arm(frame, base),
            start[None],
            limit=limit,
            tolerance=tolerance,
            free_joints=free_joints,
            collisions=collisions,
        )[0]

    @typed_arguments
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
        if not isinstance(targets, Iterable):
            raise TypeError(f"targets are a sequence, or an array of poses of shape (N, 4, 4), not {targets!r:.80}")
        chosen = [target_from(one) for one in targets]
        rows = self.initial if seeds is None else self._checked(seeds, "seeds")
        if rows.ndim == 1:
            rows = np.tile(rows, (len(chosen), 1))
        if rows.shape != (len(chosen), len(self)):
            raise KinematicsError(
                f"the seeds have the shape {rows.shape}: there are {len(chosen)} targets, and {len(self)} coordinates"
            )
        return self._ik.solve(
            chosen,
            self._frames.arm(frame, base),
            rows,
            limit=limit,
            tolerance=tolerance,
            free_joints=free_joints,
            collisions=collisions,
        )

    # Arguments

    def _checked(self, values: ArrayLike, name: str = "q") -> Array:
        """Return an array whose last axis has one number for each coordinate."""
        array = _numbers(values, name)
        if array.ndim == 0 or array.shape[-1] != len(self):
            expected = f"its last axis must have {len(self)} numbers, one for each of {joined_names(self.names)}"
            raise KinematicsError(f"{name} has the shape {array.shape}: {expected}")
        return _require_finite(array, name)

    def _single(self, q: ArrayLike) -> Array:
        array = self._checked(q)
        if array.ndim != 1:
            raise KinematicsError(f"one configuration has the shape {(len(self),)}, not {array.shape}")
        return array

    def _flat(self, q: ArrayLike) -> tuple[Array, tuple[int, ...]]:
        """Return configurations as (N, n), and their leading axes."""
        array = self._checked(q)
        return array.reshape(-1, len(self)) if len(self) else np.zeros((math.prod(array.shape[:-1]), 0)), array.shape[:-1]

    def _columns_of(self, name: str) -> list[int]:
        """Return the numbers of the coordinates of that name: all of a joint, or one."""
        own = [number for number, one in enumerate(self.names) if one == name or one.startswith(f"{name}[")]
        if not own:
            hint = suggestion(name, self.names) or "there are none"
            raise KinematicsError(f"'{self.model.name}' has no independent coordinate '{name}': {hint}")
        return own

    # Evaluation

    def _pose_and_jacobian(self, q: Array, frame: str) -> tuple[Array, Array, Array]:
        """Return tree coordinates, the poses (N, 4, 4) and the geometric Jacobians (N, 6, n) in axes of the world."""
        number, offset = self._frames.find(frame)
        x, frames, G = self._map.tree_state(q)
        pose = self._tree.body_frames(frames, [number])[0]
        pose = pose if offset is None else pose @ offset
        twists, mask = self._tree.twists(frames), self._tree.body_masks[number][:, None]
        J = np.concatenate([twists.at(pose[:, :3, 3]) * mask, twists.angular * mask], axis=2).swapaxes(1, 2)
        return x, pose, J @ G


def _numbers(values: ArrayLike, name: str) -> Array:
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise KinematicsError(f"{name} is not an array of numbers: {error}") from error


def _require_finite(array: Array, name: str) -> Array:
    if not np.isfinite(array).all():
        raise KinematicsError(f"{name} has numbers that are not finite")
    return array


def _require_connected(model: Model, tree: Tree) -> None:
    """Raise an error if a joint connects a body without a parent joint to others, and the spanning tree cannot reverse it."""
    if model.static:
        return
    roots: dict[str | None, str | None] = {None: None}
    for branch in tree.branches:
        roots[branch.body.name] = branch.body.name if branch.inboard is None else roots[branch.inboard.parent]
    for connection in tree.loops:
        joint = connection.joint
        if roots[joint.parent] != roots[joint.child]:
            kind = type(joint.type).__name__
            raise KinematicsError(
                f"joint '{connection.name}' of type {kind} moves its parent '{joint.parent}': exchange its parent and its child"
            )


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
    names = joined_names([model.name for model in moving or world.models])
    raise KinematicsError(f"the World has {len(moving)} models with joints that move: give the name of one of {names}")
