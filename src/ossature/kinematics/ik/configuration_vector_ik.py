"""Inverse kinematics of frames of a model, with configuration vectors as seeds and solutions."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from ossature.argument_types import number_array
from ossature.array_types import Array
from ossature.kinematics.coordinate_map import CoordinateMap, KinematicsError
from ossature.kinematics.ik.inverse_kinematics import IkOptions, InverseKinematics
from ossature.kinematics.ik.result import IkFailure, IkResult
from ossature.kinematics.ik.targets import Target, Transform6D
from ossature.kinematics.joint_path import ArmError, joint_path
from ossature.kinematics.manipulator_chain import Arm, arm_coordinates, free_joints_of, moved_bodies
from ossature.model import IkFreeJoint, IkType, Model
from ossature.spatial import Pose

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


_ORTHOGONAL = 1e-6
_MOST_SOLVERS = 8


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


def search_options(
    model: Model,
    arm: Arm,
    target_type: IkType,
    *,
    limit: int,
    tolerance: float,
    free_joints: Mapping[str, float] | None,
    collisions: CollisionChecker | None,
) -> IkOptions:
    """Return the options of a search.

    Args:
        limit: Largest number of distinct solutions.
        tolerance: Largest residual [m] and [rad].
        free_joints: Sampled joints, each with its step [rad or m]; by default those that the arm states for this target type.
        collisions: Rejects solutions in which bodies that the arm moves collide.
    """
    if free_joints is None:
        steps = free_joints_of(model, arm, target_type)
    else:
        steps = tuple([IkFreeJoint(joint=name, step=step) for name, step in free_joints.items()])
    if collisions is None:
        return IkOptions(limit=limit, tolerance=tolerance, free_joints=steps)
    moved, checker = moved_bodies(model, arm), collisions
    return IkOptions(
        limit=limit,
        tolerance=tolerance,
        free_joints=steps,
        collisions=lambda positions: checker.colliding_pairs(model.name, positions, moved),
    )


class ConfigurationSolver:
    """Solves inverse kinematics of the arms of a model, and keeps the solvers that it prepared."""

    def __init__(self, coordinates: CoordinateMap, loop_joints: Collection[str]) -> None:
        """Prepare a model.

        Args:
            coordinates: Its configuration vector.
            loop_joints: Names of the joints that loops constrain; an arm has none of them.
        """
        self._map, self._loop_joints = coordinates, frozenset(loop_joints)
        self._solvers: dict[tuple[Arm, tuple[float, ...]], InverseKinematics] = {}

    def solve(
        self,
        targets: Sequence[Target],
        arm: Arm,
        seeds: Array,
        *,
        limit: int,
        tolerance: float,
        free_joints: Mapping[str, float] | None,
        collisions: CollisionChecker | None,
    ) -> list[IkConfigurations]:
        """Return the solutions for several targets of one type.

        Args:
            seeds: A configuration for each target, shape (targets, n).
            limit: Largest number of distinct solutions for each target.
            tolerance: Largest residual [m] and [rad].
            free_joints: Sampled joints, each with its step from the seed [rad or m]; by default those of the arm.
            collisions: Rejects solutions in collision.

        Raises:
            KinematicsError: The seeds differ in a coordinate that does not move the arm.
            ArmError: No joint moves the frame, or it is moved by a closed loop.
            ValueError: A target has a zero direction or rotation, targets have several types, or there are too many samples.
        """
        if not targets:
            return []
        options = search_options(
            self._map.model,
            arm,
            targets[0].type,
            limit=limit,
            tolerance=tolerance,
            free_joints=free_joints,
            collisions=collisions,
        )
        results = self._solver(arm, seeds).solve_all(targets, [self._map.positions(row) for row in seeds], options)
        return [self._configurations(result, seed) for result, seed in zip(results, seeds, strict=True)]

    def _solver(self, arm: Arm, seeds: Array) -> InverseKinematics:
        """Return the solver of an arm, prepared for the coordinates of the seeds that do not move it."""
        coordinates, model = self._map, self._map.model
        moving = {coordinates.column(one) for one in arm_coordinates(model, arm)}
        others = [column for column in range(len(coordinates.names)) if column not in moving]
        differing = np.flatnonzero((seeds[:, others] != seeds[0, others]).any(axis=0))
        if len(differing):
            name = coordinates.names[others[differing[0]]]
            raise KinematicsError(f"the seeds differ in '{name}', which does not move the frame")
        key = (arm, tuple(seeds[0, others].tolist()))
        if key not in self._solvers:
            joints = {step.joint.name for step in joint_path(model, arm.base, arm.tip)}
            names = sorted(joints & self._loop_joints)
            if names:
                raise ArmError(f"inverse kinematics of loops is not supported: joint '{names[0]}' of the arm belongs to a loop")
            if len(self._solvers) >= _MOST_SOLVERS:
                self._solvers.clear()
            self._solvers[key] = InverseKinematics(model, arm, coordinates.positions(seeds[0]))
        return self._solvers[key]

    def _configurations(self, result: IkResult, seed: Array) -> IkConfigurations:
        rows = [self._map.configuration(one.positions, seed) for one in result.solutions]
        return IkConfigurations(
            q=np.array(rows).reshape(len(rows), len(seed)),
            position_errors=np.array([one.position_error for one in result.solutions]),
            angle_errors=np.array([one.angle_error for one in result.solutions]),
            failure=result.failure,
        )


def target_from(value: Target | Pose | ArrayLike) -> Target:
    """Return the target that a target class, a pose, or a 4×4 matrix describes.

    Raises:
        KinematicsError: The matrix has another shape, or is not a rigid transform.
    """
    if isinstance(value, Pose):
        return Transform6D(pose=value)
    if isinstance(value, Target):
        return value
    matrix = number_array("target", value)
    if matrix.shape != (4, 4):
        raise KinematicsError(f"a target is a target class, a pose or a 4-by-4 matrix, not an array of shape {matrix.shape}")
    if not np.allclose(matrix[:3, :3] @ matrix[:3, :3].T, np.eye(3), atol=_ORTHOGONAL) or np.linalg.det(matrix[:3, :3]) < 0.0:
        raise KinematicsError("the matrix of a target is not a rigid transform: its rotation is not orthogonal")
    return Transform6D(pose=Pose.from_matrix(matrix))
