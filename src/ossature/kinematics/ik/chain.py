"""The bodies between a base and a tip, made ready for finding the tip at many configurations at once.

Between the joints everything is constant and multiplied beforehand. Each joint is turns and slides along the z axes of its
own frames, so that a frame behind it is linear in the sine, the cosine and the value of its coordinate, and all frames of all
configurations come from one product of matrices; then they are multiplied along the chain.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ossature.kinematics.arm import Arm, ArmPath, arm_coordinates, joint_path
from ossature.kinematics.batched_rotations import cross, exponential, right_jacobian
from ossature.kinematics.forward_kinematics import model_poses, pose_parent_joint
from ossature.kinematics.ik.chain_coupling import ChainCoupling
from ossature.kinematics.joint_factorization import ElementaryMotion, factor_joint
from ossature.kinematics.joint_transforms import motion_pose
from ossature.model import Joint, JointPosition, Model
from ossature.model.joint import Z_AXIS
from ossature.spatial import Pose, quaternion_between

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]


@dataclass(slots=True, kw_only=True)
class _Slot:
    """One coordinate of the chain.

    Attributes:
        before: What is constant before its motion.
        position: The coordinate.
        sign: -1 where the way leads from its child to its parent.
        turns: Whether it turns.
        slide: How far it slides for each unit [m/rad or 1].
        rotation_vector: Number of its component in a rotation vector, or None.
    """

    before: Array
    position: JointPosition
    sign: float
    turns: bool = True
    slide: float = 0.0
    rotation_vector: int | None = None


class KinematicChain:
    """A chain of joints from a base to a frame at its tip.

    Attributes:
        variables: The coordinates that move the tip, in order; those that follow are not among them.
        positions: All coordinates on the chain that move, those that follow others too.
        periodic: Of each variable whether a whole turn more changes nothing.
        angles: Of each variable whether it is an angle.
        rotation_vectors: Numbers of variables that are together a rotation vector.
        reach: How long the chain is, all its parts laid end to end [m].
    """

    def __init__(self, model: Model, arm: Arm, positions: Mapping[str, Sequence[float]] | None = None) -> None:
        """Prepare a chain.

        Args:
            model: The model.
            arm: The arm.
            positions: Where all joints stay that are not moved, by name; their initial positions if not given.

        Raises:
            ArmError: A body does not exist, or nothing connects the two.
            FormulaError: A formula gives no value.
        """
        stated = positions or {}
        self.variables = arm_coordinates(model, arm)
        path, base = _path(model, arm.base, arm.tip)
        slots, tail = _Building(model, self.variables, stated).slots(path, _start(model, base, arm.tip, path, stated))
        self._tail = tail @ arm.pose.matrix()
        self.positions = tuple(dict.fromkeys(slot.position for slot in slots))
        order = [self.positions.index(slot.position) for slot in slots]
        self.coupling = ChainCoupling(model, self.variables, self.positions, stated)
        self._spread = np.array([slot.sign * np.eye(len(self.positions))[n] for slot, n in zip(slots, order, strict=True)])
        self._spread = self._spread.reshape(len(slots), len(self.positions))
        self._is_plain = self.coupling.is_constant and np.array_equal(
            self._spread @ self.coupling.rates(np.zeros((1, len(self.variables))))[0], np.eye(len(slots), len(self.variables))
        )
        self._is_plain = self._is_plain and len(slots) == len(self.variables)
        self._bases = np.array([_bases(slot) for slot in slots]).reshape(len(slots), 4, 16)
        self._befores = np.array([slot.before for slot in slots]).reshape(len(slots), 4, 4)
        self._turns = np.array([float(slot.turns) for slot in slots])
        self._slide = np.array([slot.slide for slot in slots])
        self._only_turns = bool(np.all(self._turns)) and not np.any(self._slide)
        self._vectors = [number for number, slot in enumerate(slots) if slot.rotation_vector == 0]
        self.angles = np.array([_is_angle(model.joints[v.joint], v.coordinate) for v in self.variables], dtype=bool)
        self.periodic = self._periodic(slots)
        self.rotation_vectors = self._whole_vectors()
        self.reach = float(sum(np.linalg.norm(slot.before[:3, 3]) for slot in slots[1:]) + np.linalg.norm(self._tail[:3, 3]))

    def tips(self, moved: Array) -> Array:
        """Return the frame at the tip in the world, (N, 4, 4) from variables (N, variables) [rad or m]."""
        frames = self._frames(self._coordinates(moved))
        last = frames[-1] if len(frames) else np.eye(4)
        return np.asarray(last @ self._tail)

    def tips_and_jacobians(self, moved: Array) -> tuple[Array, Array]:
        """Return the frame at the tip, and how it moves with each variable.

        Returns:
            Frames (N, 4, 4), and velocities of their origins and angular velocities, in axes of the world, for a unit rate
            of each variable (N, 6, variables).
        """
        coordinates = self._coordinates(moved)
        frames = self._frames(coordinates)
        tips = frames[-1] @ self._tail
        axes = frames[:, :, :3, 2]
        if self._vectors:
            axes = self._with_rotation_vectors(axes, frames, coordinates)
        levers = tips[:, :3, 3] - frames[:, :, :3, 3]
        jacobian = np.empty((len(moved), 6, len(frames)))
        if self._only_turns:
            jacobian[:, :3] = cross(axes, levers).transpose(1, 2, 0)
            jacobian[:, 3:] = axes.transpose(1, 2, 0)
        else:
            spins = axes * self._turns[:, None, None]
            jacobian[:, :3] = (cross(spins, levers) + axes * self._slide[:, None, None]).transpose(1, 2, 0)
            jacobian[:, 3:] = spins.transpose(1, 2, 0)
        if not self._is_plain:
            jacobian = jacobian @ (self._spread @ self.coupling.rates(moved))
        return tips, jacobian

    def joint_values(self, moved: Array) -> Array:
        """Return all coordinates on the chain that move, (N, positions) from (N, variables) [rad or m]."""
        return self.coupling.values(moved)

    def _coordinates(self, moved: Array) -> Array:
        """Return the coordinates along the chain, (slots, N)."""
        if self._is_plain:
            return moved.T
        return np.asarray((self.coupling.values(moved) @ self._spread.T).T)

    def _frames(self, coordinates: Array) -> Array:
        """Return the frames behind each slot, (slots, N, 4, 4)."""
        features = np.empty((*coordinates.shape, 4))
        features[..., 0] = 1.0
        np.sin(coordinates, out=features[..., 1])
        np.cos(coordinates, out=features[..., 2])
        features[..., 3] = coordinates
        parts: Array = (features @ self._bases).reshape(*coordinates.shape, 4, 4)
        for number in self._vectors:
            turned = np.zeros((coordinates.shape[1], 4, 4))
            turned[:, :3, :3] = exponential(coordinates[number : number + 3].T)
            turned[:, 3, 3] = 1.0
            parts[number] = self._befores[number] @ turned
        frames: Array = np.empty_like(parts)
        frames[:1] = parts[:1]
        for number in range(1, len(frames)):
            np.matmul(frames[number - 1], parts[number], out=frames[number])
        return frames

    def _with_rotation_vectors(self, axes: Array, frames: Array, coordinates: Array) -> Array:
        """Return the axes with those about which the components of rotation vectors turn."""
        axes = axes.copy()
        for number in self._vectors:
            turned = frames[number, :, :3, :3] @ right_jacobian(coordinates[number : number + 3].T)
            axes[number : number + 3] = turned.transpose(2, 0, 1)
        return axes

    def _periodic(self, slots: Sequence[_Slot]) -> NDArray[np.bool_]:
        """Return of each variable whether a whole turn more changes nothing."""
        turning = {slot.position for slot in slots if slot.turns and not slot.slide and slot.rotation_vector is None}
        return np.array([v in turning and not self.coupling.is_followed(v) for v in self.variables], dtype=bool)

    def _whole_vectors(self) -> tuple[tuple[int, int, int], ...]:
        """Return the numbers of variables that are together a rotation vector."""
        numbers = {position: number for number, position in enumerate(self.variables)}
        found = []
        for first in self._vectors:
            slots = [self.positions[int(np.argmax(np.abs(self._spread[first + n])))] for n in range(3)]
            if all(position in numbers for position in slots):
                a, b, c = (numbers[position] for position in slots)
                found.append((a, b, c))
        return tuple(found)


def _path(model: Model, base: str | None, tip: str) -> tuple[tuple[ArmPath, ...], str | None]:
    """Return the joints that place the tip in the world, and where they begin.

    A base that carries the tip is itself placed by joints, which may be among those that the arm's joints follow.
    """
    arm, whole = joint_path(model, base, tip), joint_path(model, None, tip)
    carries = [passage.joint.name for passage in whole[len(whole) - len(arm) :]] == [passage.joint.name for passage in arm]
    return (whole, None) if carries else (arm, base)


def _start(model: Model, base: str | None, tip: str, path: Sequence[ArmPath], positions: Mapping[str, Sequence[float]]) -> Pose:
    """Return the frame in the world where a chain begins."""
    if base is not None:
        return model_poses(model, positions)[base]
    if path and path[0].joint.parent is None:
        return model.pose
    root = tip if not path else path[0].joint.parent if path[0].forwards else path[0].joint.child
    return model_poses(model, positions)[root or tip]


class _Building:
    """A chain that is put together joint by joint."""

    def __init__(self, model: Model, variables: Sequence[JointPosition], positions: Mapping[str, Sequence[float]]) -> None:
        self._model = model
        self._variables = set(variables)
        self._positions = positions
        self._slots: list[_Slot] = []
        self._pending = np.eye(4)

    def slots(self, path: Sequence[ArmPath], start: Pose) -> tuple[list[_Slot], Array]:
        """Return the slots of a way, and what is constant behind the last."""
        self._pending = start.matrix()
        for passage in path:
            self._add(passage)
        return self._slots, self._pending

    def _add(self, passage: ArmPath) -> None:
        joint = passage.joint
        outer, inner = pose_parent_joint(self._model, joint), joint.pose.inverse()
        before, after = (outer, inner) if passage.forwards else (inner.inverse(), outer.inverse())
        self._pending = self._pending @ before.matrix()
        if passage.is_joint and self._can_move(joint):
            stages = factor_joint(joint.type)
            for stage in stages if passage.forwards else stages[::-1]:
                self._add_stage(joint, stage, 1.0 if passage.forwards else -1.0)
        else:
            stated = self._positions.get(joint.name) if passage.is_joint else None
            held = motion_pose(joint.type, joint.initial_positions if stated is None else stated)
            self._pending = self._pending @ (held if passage.forwards else held.inverse()).matrix()
        self._pending = self._pending @ after.matrix()

    def _can_move(self, joint: Joint) -> bool:
        return any(
            coordinate.coupling is not None or JointPosition(joint=joint.name, coordinate=number) in self._variables
            for number, coordinate in enumerate(joint.coordinates)
        )

    def _add_stage(self, joint: Joint, stage: ElementaryMotion, sign: float) -> None:
        if stage.axis is None:
            self._add_rotation_vector(joint, stage, sign)
            return
        turn = Pose(wxyz=quaternion_between(Z_AXIS, stage.axis)).matrix()
        self._slots.append(
            _Slot(
                before=self._pending @ turn,
                position=JointPosition(joint=joint.name, coordinate=stage.coordinate),
                sign=sign,
                turns=stage.turns,
                slide=stage.slide,
            )
        )
        self._pending = turn.T  # a rotation about the origin: its inverse

    def _add_rotation_vector(self, joint: Joint, stage: ElementaryMotion, sign: float) -> None:
        for number in range(3):
            self._slots.append(
                _Slot(
                    before=self._pending if number == 0 else np.eye(4),
                    position=JointPosition(joint=joint.name, coordinate=stage.coordinate + number),
                    sign=sign,
                    rotation_vector=number,
                )
            )
        self._pending = np.eye(4)


def _bases(slot: _Slot) -> Array:
    """Return what a slot's frame is a sum of: with one, the sine, the cosine and the value of its coordinate."""
    bases = np.zeros((4, 4, 4))
    if slot.rotation_vector is not None or not slot.turns:
        bases[0] = np.eye(4)
    else:
        bases[0, 2, 2] = bases[0, 3, 3] = 1.0
        bases[1, 0, 1], bases[1, 1, 0] = -1.0, 1.0
        bases[2, 0, 0] = bases[2, 1, 1] = 1.0
    bases[3, 2, 3] = slot.slide
    return np.asarray(slot.before @ bases).reshape(4, 16)


def _is_angle(joint: Joint, coordinate: int) -> bool:
    """Whether a coordinate of a joint is an angle, not a length."""
    for stage in factor_joint(joint.type):
        if stage.axis is None and stage.coordinate <= coordinate < stage.coordinate + 3:
            return True
        if stage.coordinate == coordinate:
            return stage.turns
    raise IndexError(f"joint '{joint.name}' has no coordinate {coordinate}")
