"""Inverse kinematics for a hand on the mouse: from where a handle is dragged to where the joints go."""

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
from ossature.kinematics.arm import moves
from ossature.model import Floating, IkType, Manipulator, Model, World
from ossature.spatial import Pose

TYPES = (IkType.TRANSFORM_6D, IkType.TRANSLATION_3D)
"""What a handle can be used for: a pose, or a point."""

_TOLERANCE = 1e-4
"""What is left [m, rad] cannot be seen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IkTargetChoice:
    """What can be dragged.

    Attributes:
        label: What people read.
        model: Name of its model.
        tip: The body that is dragged.
        manipulator: The manipulator that it belongs to, or None for a body alone.
    """

    label: str
    model: str
    tip: str
    manipulator: Manipulator | None = None

    def arm(self, model: Model) -> Arm:
        """Return the arm; that of a body alone begins at the world, or at the body on which everything floats."""
        if self.manipulator is not None:
            return arm_of(self.manipulator)
        return Arm(base=base_of(model, self.tip), tip=self.tip)


def choices_of(world: World) -> list[IkTargetChoice]:
    """Return what can be dragged: all manipulators, then every body that joints move, free bases excepted."""
    moving = {model.name: _moved_bodies(model) for model in world.models}
    manipulators = [
        IkTargetChoice(
            label=f"{model.name} / {manipulator.name}", model=model.name, tip=manipulator.tip, manipulator=manipulator
        )
        for model in world.models
        for manipulator in model.manipulators
        if manipulator.tip in moving[model.name]
    ]
    bodies = [
        IkTargetChoice(label=f"{model.name} / body {body.name}", model=model.name, tip=body.name)
        for model in world.models
        for body in model.bodies
        if body.name in moving[model.name]
    ]
    return manipulators + bodies


def _moved_bodies(model: Model) -> set[str]:
    """Return the bodies that a joint carries, or carries something that carries them, in one walk through the tree."""
    found: set[str] = set()
    for branch in spanning_tree(model).branches:
        inboard = branch.inboard
        if inboard is None or model.static:
            continue
        drives = branch.is_joint and not isinstance(inboard.type, Floating)
        if (drives and any(moves(inboard, number, model) for number in range(inboard.degrees_of_freedom))) or (
            inboard.parent in found
        ):
            found.add(branch.body.name)
    return found


class InteractiveIk:
    """An arm that follows a handle.

    Attributes:
        model: The model.
        arm: The arm.
        type: What the handle is used for: a pose where the arm can take any, else a point.
    """

    def __init__(self, model: Model, arm: Arm, positions: Mapping[str, Sequence[float]]) -> None:
        """Prepare an arm; see :class:`~ossature.kinematics.InverseKinematics` for what is raised."""
        self.model, self.arm = model, arm
        self._solver = InverseKinematics(model, arm, positions)
        moving = sum(joint.degrees_of_freedom for joint in arm_joints(model, arm))
        self.type = IkType.TRANSFORM_6D if moving >= 6 else IkType.TRANSLATION_3D
        self._positions = dict(positions)

    def tip(self, positions: Mapping[str, Sequence[float]]) -> Pose:
        """Return where the arm's frame is in the world."""
        return model_poses(self.model, positions)[self.arm.tip] @ self.arm.pose

    def reach(self, pose: Pose, positions: Mapping[str, Sequence[float]]) -> dict[str, tuple[float, ...]] | None:
        """Return coordinates that bring the frame to a pose or its origin, near to where joints are; None where none do.

        Args:
            pose: Where the handle is in the world.
            positions: Where the joints are, by name.
        """
        target = Transform6D(pose=pose) if self.type is IkType.TRANSFORM_6D else Translation3D(position=pose.position)
        arm = {joint.name: positions[joint.name] for joint in arm_joints(self.model, self.arm)}
        result = self._solver.solve(target, arm, IkOptions(tolerance=_TOLERANCE, explain=False))
        return dict(result.solutions[0].positions) if result.solutions else None
