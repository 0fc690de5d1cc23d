"""Arms: chains of joints from a base to a tip, and the coordinates that move them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ossature.diagnostics import suggestion
from ossature.kinematics.forward_kinematics import model_poses
from ossature.kinematics.joint_couplings import sorted_coupled_coordinates
from ossature.kinematics.joint_path import ArmError, base_of, joint_path, require_body
from ossature.kinematics.spanning_tree import spanning_tree
from ossature.model import (
    UNBOUNDED,
    Actuation,
    Coordinate,
    IkFreeJoint,
    IkSolver,
    IkType,
    Joint,
    JointPosition,
    Manipulator,
    Model,
    Range,
    World,
    sources_of,
)
from ossature.model.joint import Z_AXIS
from ossature.model.value_text import quoted_names
from ossature.spatial import IDENTITY, Pose, Vector3


@dataclass(frozen=True, slots=True, kw_only=True)
class Arm:
    """A chain of joints to a frame: that of a manipulator, or of any two bodies.

    Attributes:
        base: The body at its base, or None for the world.
        tip: The body at its tip.
        pose: The tip frame in the frame of the tip body.
        direction: The direction of the tool, unit vector in the tip frame.
        solvers: Types of inverse kinematics that it supports.
        chain_end: The body after its last joint; None if this is the tip. Joints from there to the tip are not moved.
    """

    base: str | None
    tip: str
    pose: Pose = IDENTITY
    direction: Vector3 = Z_AXIS
    solvers: tuple[IkSolver, ...] = ()
    chain_end: str | None = None


def arm_of(manipulator: Manipulator) -> Arm:
    """Return the arm of a manipulator."""
    return Arm(
        base=manipulator.base,
        tip=manipulator.tip,
        pose=manipulator.pose,
        direction=manipulator.direction,
        solvers=manipulator.solvers,
        chain_end=manipulator.chain_end,
    )


def free_joints_of(model: Model, arm: Arm, type_: IkType) -> tuple[IkFreeJoint, ...]:
    """Return the joints that an arm states as free for a type of targets, without those that do not move its tip."""
    stated = next((solver.free_joints for solver in arm.solvers if solver.type is type_), ())
    return tuple([free for free in stated if is_moved_by(model, arm, free.joint)])


def is_moved_by(model: Model, arm: Arm, joint: str) -> bool:
    """Whether an independent coordinate of a joint moves the tip of an arm."""
    return any(position.joint == joint for position in arm_coordinates(model, arm))


def find_manipulator(world: World, name: str | None = None, model: str | None = None) -> tuple[Model, Manipulator]:
    """Return a manipulator of a World and the model that has it.

    Args:
        world: The World.
        name: The manipulator's name; optional if there is only one.
        model: The model's name; optional if only one has a manipulator of that name.

    Raises:
        ArmError: There is no such manipulator, or there are several.
    """
    _require_model(world, model)
    candidates = [(owner, found) for owner in world.models for found in owner.manipulators if model in (None, owner.name)]
    names = [found.name for _, found in candidates]
    matches = [(owner, found) for owner, found in candidates if name in (None, found.name)]
    if len(matches) == 1:
        return matches[0]
    if matches:
        choices = ", ".join(f"{owner.name}/{found.name}" for owner, found in matches)
        raise ArmError(f"there are several manipulators: {choices}")
    if name is None or not names:
        ends = quoted_names(_end_bodies(world, model))
        example = f", such as {ends}" if ends else ""
        raise ArmError(f"there is no manipulator: specify a tip body (--tip on the command line){example}")
    raise ArmError(f"there is no manipulator '{name}': {suggestion(name, names)}")


def _end_bodies(world: World, model: str | None) -> list[str]:
    """Return the names of the bodies that joints move and to which no other body is joined."""
    owners = [owner for owner in world.models if model in (None, owner.name)]
    parents = {(owner.name, joint.parent) for owner in owners for joint in owner.joints}
    ends = [joint.child for owner in owners for joint in owner.joints if (owner.name, joint.child) not in parents]
    return list(dict.fromkeys(ends))


def find_arm(world: World, tip: str, base: str | None = None, model: str | None = None) -> tuple[Model, Arm]:
    """Return the arm from one body to another, and the model that has it.

    Args:
        world: The World.
        tip: The body at its tip; the tip frame is the body's.
        base: The body at its base; if not given, the world, or the floating base.
        model: The model's name; optional if only one has a body of that name.

    Raises:
        ArmError: There is no such body, or there are several.
    """
    _require_model(world, model)
    owners = [owner for owner in world.models if model in (None, owner.name) and tip in owner.bodies]
    if len(owners) > 1:
        raise ArmError(f"several models have a body '{tip}': {', '.join(owner.name for owner in owners)}")
    if not owners:
        names = [name for owner in world.models if model in (None, owner.name) for name in owner.bodies.names()]
        raise ArmError(f"there is no body '{tip}': {suggestion(tip, names) or 'no model has bodies'}")
    return owners[0], Arm(base=base_of(owners[0], tip) if base is None else base, tip=tip)


def _require_model(world: World, model: str | None) -> None:
    if model is not None and model not in world.models:
        raise ArmError(f"there is no model '{model}': {suggestion(model, world.models.names()) or 'the World has no models'}")


def arm_joints(model: Model, manipulator: Manipulator | Arm) -> tuple[Joint, ...]:
    """Return the joints that move a manipulator's tip, in the order from its base to its tip.

    Locked and passive joints are left out; a coupled joint is replaced by the joints of its formula.

    Raises:
        ArmError: A body does not exist, or no joints connect the two.
        UnknownSourceError: A joint is coupled to one that does not exist.
    """
    arm = arm_of(manipulator) if isinstance(manipulator, Manipulator) else manipulator
    found = dict.fromkeys(position.joint for position in arm_coordinates(model, arm))
    return tuple([model.joints[name] for name in found])


def gripper_joints(model: Model, manipulator: Manipulator) -> tuple[Joint, ...]:
    """Return the joints that move a manipulator's gripper, in its order; see :func:`arm_joints`."""
    joints = [joint for gripper in manipulator.gripper if (joint := model.joints.get(gripper.joint)) is not None]
    moving = _independent_sources(model, (position for joint in joints for position in coordinates_of(joint)))
    return tuple([model.joints[name] for name in dict.fromkeys(position.joint for position in moving)])


def tip_pose(model: Model, manipulator: Manipulator, positions: Mapping[str, Sequence[float]] | None = None) -> Pose:
    """Return a manipulator's tip frame in the world.

    Args:
        model: The model.
        manipulator: One of its manipulators.
        positions: Coordinates by joint [rad or m]; the others have their initial positions, or those of their formulas.

    Raises:
        ArmError: Its tip does not exist.
    """
    require_body(model, manipulator.tip)
    return model_poses(model, positions)[manipulator.tip] @ manipulator.pose


def arm_coordinates(model: Model, arm: Arm) -> tuple[JointPosition, ...]:
    """Return the coordinates that move an arm's tip; see :func:`arm_joints`."""
    steps = [step for step in joint_path(model, arm.base, arm.chain_end or arm.tip) if step.is_joint]
    return _independent_sources(model, (position for step in steps for position in coordinates_of(step.joint)))


def coordinates_of(joint: Joint) -> list[JointPosition]:
    """Return the names of a joint's coordinates."""
    return [JointPosition(joint=joint.name, coordinate=number) for number in range(joint.degrees_of_freedom)]


def _independent_sources(model: Model, positions: Iterable[JointPosition]) -> tuple[JointPosition, ...]:
    """Return the independent coordinates of some coordinates, the sources of coupled ones instead of them, each once."""
    found: dict[JointPosition, None] = {}
    seen: set[JointPosition] = set()
    pending = list(positions)[::-1]
    while pending:
        position = pending.pop()
        joint = model.joints.get(position.joint)
        if position in seen or joint is None or position.coordinate >= joint.degrees_of_freedom:
            continue
        seen.add(position)
        formula = joint.coordinates[position.coordinate].coupling
        if formula is not None:
            pending.extend(reversed(sources_of(formula.position)))
        elif can_move(joint, position.coordinate, model):
            found[position] = None
    return tuple(found)


def moved_bodies(model: Model, arm: Arm) -> frozenset[str]:
    """Return the bodies whose poses depend on an arm's joints, also through couplings."""
    return bodies_moved_by(model, arm_coordinates(model, arm))


def bodies_moved_by(model: Model, coordinates: Iterable[JointPosition]) -> frozenset[str]:
    """Return the bodies whose poses depend on some coordinates, also through couplings."""
    depending = set(coordinates)
    for follower in sorted_coupled_coordinates(model):
        if depending.intersection(follower.sources):
            depending.add(follower.position)
    joints = {position.joint for position in depending}
    found: set[str] = set()
    for branch in spanning_tree(model).branches:
        inboard = branch.inboard
        if inboard is not None and ((branch.is_joint and inboard.name in joints) or inboard.parent in found):
            found.add(branch.body.name)
    return frozenset(found)


def can_move(joint: Joint, number: int, model: Model) -> bool:
    """Whether a coordinate of a joint can be moved: it is actuated, and its limits are not equal."""
    if model.static or joint.actuation is Actuation.PASSIVE:
        return False
    return _has_range(joint, joint.coordinates[number])


def locked_joints_of(model: Model, arm: Arm) -> tuple[str, ...]:
    """Return the joints between the base and the tip of an arm that cannot move: locked ones, and those with equal limits."""
    joints = [step.joint for step in joint_path(model, arm.base, arm.tip)]
    return tuple([one.name for one in joints if one.coordinates and not any(_has_range(one, part) for part in one.coordinates)])


def _has_range(joint: Joint, coordinate: Coordinate) -> bool:
    limits = limits_of(coordinate)
    return joint.actuation is not Actuation.LOCKED and limits.lower < limits.upper


def limits_of(coordinate: Coordinate) -> Range:
    """Return the position limits of a coordinate; a continuous one has none."""
    return UNBOUNDED if coordinate.continuous else coordinate.position_limits
