"""Serial chains from a base to a tip: batched forward kinematics and Jacobians at many configurations.

Constant transforms between the joints are multiplied in advance. Each joint is a product of elementary joints, whose transforms
:mod:`ossature.kinematics.elementary_transform_matrices` gives; they are multiplied along the chain.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ossature.array_types import Array, BoolArray
from ossature.kinematics.batched_rotations import cross, exponential, right_jacobian
from ossature.kinematics.elementary_transform_matrices import basis_matrices, elementary_transforms, rotation_from_z
from ossature.kinematics.forward_kinematics import model_poses, pose_parent_joint
from ossature.kinematics.ik.chain_coupling import ChainCoupling
from ossature.kinematics.joint_factorization import ElementaryMotion, factor_joint
from ossature.kinematics.joint_path import PathJoint, joint_path
from ossature.kinematics.joint_transforms import motion_pose
from ossature.kinematics.manipulator_chain import Arm, arm_coordinates
from ossature.model import Joint, JointPosition, Model
from ossature.model.value_text import is_rotation
from ossature.spatial import Pose


@dataclass(slots=True, kw_only=True)
class _ElementaryJoint:
    """A joint of the chain with one coordinate, about and along its z axis.

    Attributes:
        before: The constant transform from the joint before it, shape (4, 4).
        sign: -1 if the chain leads from its child to its parent.
        is_rotation: Whether it rotates.
        translation: The translation for each unit of the coordinate [m/rad or 1].
        rotation_vector: Number of its component in a rotation vector, or None.
    """

    before: Array
    position: JointPosition
    sign: float
    is_rotation: bool = True
    translation: float = 0.0
    rotation_vector: int | None = None


class KinematicChain:
    """A chain of joints from a base to a frame at its tip.

    Attributes:
        variables: The independent coordinates that move the tip, in order.
        positions: All coordinates on the chain that move, coupled ones included.
        periodic: Whether each variable has the period 2π.
        angles: Whether each variable is an angle.
        rotation_vectors: Numbers of variables that are the components of a rotation vector.
        reach: The length of the chain, as the sum of its links [m].
    """

    def __init__(self, model: Model, arm: Arm, positions: Mapping[str, Sequence[float]] | None = None) -> None:
        """Prepare a chain.

        Args:
            positions: Coordinates of the joints that are not q, by name; their initial positions if not given.

        Raises:
            ArmError: A body does not exist, or no joints connect the two.
            FormulaError: A formula gives no value.
        """
        specified = positions or {}
        self.variables = arm_coordinates(model, arm)
        path, base = _find_path(model, arm.base, arm.tip)
        joints, tail = _ChainBuilder(model, self.variables, specified).build(
            path, _base_frame(model, base, arm.tip, path, specified)
        )
        self._tail = tail @ arm.pose.matrix()
        self.positions = tuple(dict.fromkeys(joint.position for joint in joints))
        order = [self.positions.index(joint.position) for joint in joints]
        self.coupling = ChainCoupling(model, self.variables, self.positions, specified)
        self._selection = np.array(
            [joint.sign * np.eye(len(self.positions))[n] for joint, n in zip(joints, order, strict=True)]
        )
        self._selection = self._selection.reshape(len(joints), len(self.positions))
        self._is_uncoupled = self.coupling.is_constant and np.array_equal(
            self._selection @ self.coupling.rates(np.zeros((1, len(self.variables))))[0],
            np.eye(len(joints), len(self.variables)),
        )
        self._is_uncoupled = self._is_uncoupled and len(joints) == len(self.variables)
        bases = [
            basis_matrices(one.before, is_rotation=one.is_rotation and one.rotation_vector is None, translation=one.translation)
            for one in joints
        ]
        self._basis_matrices = np.array(bases).reshape(len(joints), 4, 16)
        self._befores = np.array([joint.before for joint in joints]).reshape(len(joints), 4, 4)
        self._rotations = np.array([float(joint.is_rotation) for joint in joints])
        self._translations = np.array([joint.translation for joint in joints])
        self._is_revolute = bool(np.all(self._rotations)) and not np.any(self._translations)
        self._vectors = [number for number, joint in enumerate(joints) if joint.rotation_vector == 0]
        self.angles = np.array([is_rotation(model.joints[v.joint].type, v.coordinate) for v in self.variables], dtype=bool)
        self.periodic = self._is_periodic(joints)
        self.rotation_vectors = self._complete_vectors()
        self.reach = float(sum(np.linalg.norm(joint.before[:3, 3]) for joint in joints[1:]) + np.linalg.norm(self._tail[:3, 3]))

    def tips(self, q: Array) -> Array:
        """Return the frame at the tip in the world, (N, 4, 4) from variables (N, variables) [rad or m]."""
        frames = self._frames(self._coordinates(q))
        last = frames[-1] if len(frames) else np.eye(4)
        return np.asarray(last @ self._tail)

    def tips_and_jacobians(self, q: Array) -> tuple[Array, Array]:
        """Return the frame at the tip and its geometric Jacobian.

        Returns:
            Frames (N, 4, 4), and linear velocities of their origins and angular velocities, in axes of the world, for a unit
            rate of each variable (N, 6, variables).
        """
        coordinates = self._coordinates(q)
        frames = self._frames(coordinates)
        tips = frames[-1] @ self._tail
        axes = frames[:, :, :3, 2]
        if self._vectors:
            axes = self._with_rotation_vectors(axes, frames, coordinates)
        levers = tips[:, :3, 3] - frames[:, :, :3, 3]
        jacobian = np.empty((len(q), 6, len(frames)))
        if self._is_revolute:
            jacobian[:, :3] = cross(axes, levers).transpose(1, 2, 0)
            jacobian[:, 3:] = axes.transpose(1, 2, 0)
        else:
            spins = axes * self._rotations[:, None, None]
            jacobian[:, :3] = (cross(spins, levers) + axes * self._translations[:, None, None]).transpose(1, 2, 0)
            jacobian[:, 3:] = spins.transpose(1, 2, 0)
        if not self._is_uncoupled:
            jacobian = jacobian @ (self._selection @ self.coupling.rates(q))
        return tips, jacobian

    def _coordinates(self, q: Array) -> Array:
        """Return the coordinates of the elementary joints, (joints, N)."""
        return q.T if self._is_uncoupled else np.asarray((self.coupling.values(q) @ self._selection.T).T)

    def _frames(self, coordinates: Array) -> Array:
        """Return the frame behind each elementary joint, (joints, N, 4, 4)."""
        parts = elementary_transforms(coordinates, self._basis_matrices)
        for number in self._vectors:
            rotation = np.zeros((coordinates.shape[1], 4, 4))
            rotation[:, :3, :3] = exponential(coordinates[number : number + 3].T)
            rotation[:, 3, 3] = 1.0
            parts[number] = self._befores[number] @ rotation
        frames: Array = np.empty_like(parts)
        frames[:1] = parts[:1]
        for number in range(1, len(frames)):
            np.matmul(frames[number - 1], parts[number], out=frames[number])
        return frames

    def _with_rotation_vectors(self, axes: Array, frames: Array, coordinates: Array) -> Array:
        """Return the axes, with the instantaneous rotation axes of the components of rotation vectors."""
        axes = axes.copy()
        for number in self._vectors:
            rates = frames[number, :, :3, :3] @ right_jacobian(coordinates[number : number + 3].T)
            axes[number : number + 3] = rates.transpose(2, 0, 1)
        return axes

    def _is_periodic(self, joints: Sequence[_ElementaryJoint]) -> BoolArray:
        revolute = {j.position for j in joints if j.is_rotation and not j.translation and j.rotation_vector is None}
        return np.array([v in revolute and not self.coupling.is_source(v) for v in self.variables], dtype=bool)

    def _complete_vectors(self) -> tuple[tuple[int, int, int], ...]:
        """Return the numbers of variables that are the three components of a rotation vector."""
        numbers = {position: number for number, position in enumerate(self.variables)}
        found = []
        for first in self._vectors:
            components = [self.positions[int(np.argmax(np.abs(self._selection[first + n])))] for n in range(3)]
            if all(position in numbers for position in components):
                a, b, c = (numbers[position] for position in components)
                found.append((a, b, c))
        return tuple(found)


def _find_path(model: Model, base: str | None, tip: str) -> tuple[tuple[PathJoint, ...], str | None]:
    """Return the joints from a base to the tip, and the base: the world, if the given base is between it and the tip.

    The joints that carry the given base may be sources of couplings of the arm's joints, and then move with them.
    """
    arm, whole = joint_path(model, base, tip), joint_path(model, None, tip)
    carries = [step.joint.name for step in whole[len(whole) - len(arm) :]] == [step.joint.name for step in arm]
    return (whole, None) if carries else (arm, base)


def _base_frame(
    model: Model, base: str | None, tip: str, path: Sequence[PathJoint], positions: Mapping[str, Sequence[float]]
) -> Pose:
    if base is not None:
        return model_poses(model, positions)[base]
    if path and path[0].joint.parent is None:
        return model.pose
    root = tip if not path else path[0].joint.parent if path[0].is_forward else path[0].joint.child
    return model_poses(model, positions)[root or tip]


class _ChainBuilder:
    """Splits the joints of a chain into elementary joints."""

    def __init__(self, model: Model, variables: Sequence[JointPosition], positions: Mapping[str, Sequence[float]]) -> None:
        self._model = model
        self._variables = set(variables)
        self._positions = positions
        self._joints: list[_ElementaryJoint] = []
        self._pending = np.eye(4)

    def build(self, path: Sequence[PathJoint], start: Pose) -> tuple[list[_ElementaryJoint], Array]:
        """Return the elementary joints of a path, and the constant transform behind the last."""
        self._pending = start.matrix()
        for step in path:
            self._add(step)
        return self._joints, self._pending

    def _add(self, step: PathJoint) -> None:
        joint = step.joint
        outer, inner = pose_parent_joint(self._model, joint), joint.pose.inverse()
        before, after = (outer, inner) if step.is_forward else (inner.inverse(), outer.inverse())
        self._pending = self._pending @ before.matrix()
        if step.is_joint and self._can_move(joint):
            factors = factor_joint(joint.type)
            for factor in factors if step.is_forward else factors[::-1]:
                self._add_factor(joint, factor, 1.0 if step.is_forward else -1.0)
        else:
            specified = self._positions.get(joint.name) if step.is_joint else None
            constant = motion_pose(joint.type, joint.initial_positions if specified is None else specified)
            self._pending = self._pending @ (constant if step.is_forward else constant.inverse()).matrix()
        self._pending = self._pending @ after.matrix()

    def _can_move(self, joint: Joint) -> bool:
        return any(
            coordinate.coupling is not None or JointPosition(joint=joint.name, coordinate=number) in self._variables
            for number, coordinate in enumerate(joint.coordinates)
        )

    def _add_factor(self, joint: Joint, factor: ElementaryMotion, sign: float) -> None:
        to_anchor = Pose(factor.anchor)
        self._pending = self._pending @ to_anchor.matrix()
        self._add_motion(joint, factor, sign)
        self._pending = self._pending @ to_anchor.inverse().matrix()

    def _add_motion(self, joint: Joint, factor: ElementaryMotion, sign: float) -> None:
        if factor.axis is None:
            self._add_rotation_vector(joint, factor, sign)
            return
        rotation = rotation_from_z(factor.axis)
        self._joints.append(
            _ElementaryJoint(
                before=self._pending @ rotation,
                position=JointPosition(joint=joint.name, coordinate=factor.coordinate),
                sign=sign,
                is_rotation=factor.is_rotation,
                translation=factor.translation,
            )
        )
        self._pending = rotation.T  # the inverse of a rotation

    def _add_rotation_vector(self, joint: Joint, factor: ElementaryMotion, sign: float) -> None:
        for number in range(3):
            self._joints.append(
                _ElementaryJoint(
                    before=self._pending if number == 0 else np.eye(4),
                    position=JointPosition(joint=joint.name, coordinate=factor.coordinate + number),
                    sign=sign,
                    rotation_vector=number,
                )
            )
        self._pending = np.eye(4)
