"""Interactive inverse kinematics: joint positions for a target that is dragged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ossature.kinematics import (
    Arm,
    IkOptions,
    InverseKinematics,
    Transform6D,
    Translation3D,
    arm_joints,
    arm_of,
    base_of,
    model_poses,
    spanning_tree,
)
from ossature.kinematics.manipulator_chain import can_move
from ossature.model import Floating, IkType, Manipulator, Model, World
from ossature.spatial import Pose

TYPES = (IkType.TRANSFORM_6D, IkType.TRANSLATION_3D)
"""Target types that can be dragged: pose and position."""

_TOLERANCE = 1e-4
"""Largest residual [m, rad]: invisible."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EndEffectorChoice:
    """An end effector that can be dragged.

    Attributes:
        tip: Name of the tip link.
        manipulator: Its manipulator, or None if any body is dragged.
    """

    label: str
    model: str
    tip: str
    manipulator: Manipulator | None = None

    def arm(self, model: Model) -> Arm:
        """Return the kinematic chain; without a manipulator it starts at the world, or at the floating base."""
        if self.manipulator is not None:
            return arm_of(self.manipulator)
        return Arm(base=base_of(model, self.tip), tip=self.tip)


def end_effector_choices(world: World) -> list[EndEffectorChoice]:
    """Return the choices: all manipulators, then all bodies that joints move, except floating bases."""
    movable = {model.name: _moved_bodies(model) for model in world.models}
    manipulators = [
        EndEffectorChoice(
            label=f"{model.name} / {manipulator.name}", model=model.name, tip=manipulator.tip, manipulator=manipulator
        )
        for model in world.models
        for manipulator in model.manipulators
        if manipulator.tip in movable[model.name]
    ]
    bodies = [
        EndEffectorChoice(label=f"{model.name} / body {body.name}", model=model.name, tip=body.name)
        for model in world.models
        for body in model.bodies
        if body.name in movable[model.name]
    ]
    return manipulators + bodies


def _moved_bodies(model: Model) -> set[str]:
    """Return the names of the bodies with a movable joint between them and the base."""
    found: set[str] = set()
    for branch in spanning_tree(model).branches:
        inboard = branch.inboard
        if inboard is None or model.static:
            continue
        is_movable = branch.is_joint and not isinstance(inboard.type, Floating)
        if (is_movable and any(can_move(inboard, number, model) for number in range(inboard.degrees_of_freedom))) or (
            inboard.parent in found
        ):
            found.add(branch.body.name)
    return found


class InteractiveIk:
    """Solver for a target that is dragged.

    Attributes:
        arm: The kinematic chain.
        type: Type of the target: a pose if the arm has six degrees of freedom or more, else a position.
    """

    def __init__(self, model: Model, arm: Arm, positions: Mapping[str, Sequence[float]]) -> None:
        """Prepare the solver; raises the errors of :class:`~ossature.kinematics.InverseKinematics`."""
        self.model, self.arm = model, arm
        self._solver = InverseKinematics(model, arm, positions)
        movable = sum(joint.degrees_of_freedom for joint in arm_joints(model, arm))
        self.type = IkType.TRANSFORM_6D if movable >= 6 else IkType.TRANSLATION_3D
        self._positions = dict(positions)

    def tip(self, positions: Mapping[str, Sequence[float]]) -> Pose:
        """Return the pose of the tip frame in the world."""
        return model_poses(self.model, positions)[self.arm.tip] @ self.arm.pose

    def solve(self, pose: Pose, positions: Mapping[str, Sequence[float]]) -> dict[str, tuple[float, ...]] | None:
        """Return joint positions at which the tip frame reaches the target, near the current ones, or None if unreachable.

        Args:
            pose: Pose of the target in the world.
            positions: Current positions by joint [rad or m].
        """
        target = Transform6D(pose=pose) if self.type is IkType.TRANSFORM_6D else Translation3D(position=pose.position)
        arm = {joint.name: positions[joint.name] for joint in arm_joints(self.model, self.arm)}
        result = self._solver.solve(target, arm, IkOptions(tolerance=_TOLERANCE, explain=False))
        return dict(result.solutions[0].positions) if result.solutions else None
