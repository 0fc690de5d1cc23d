"""Arms: the joints between two bodies, and what of them moves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ossature.diagnostics import OssatureError, suggestion
from ossature.kinematics.forward_kinematics import model_poses
from ossature.kinematics.joint_couplings import followers
from ossature.kinematics.spanning_tree import TreeJoint, spanning_tree
from ossature.model import (
    UNBOUNDED,
    Actuation,
    Coordinate,
    Floating,
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
from ossature.spatial import IDENTITY, Pose, Vector3


class ArmError(OssatureError, ValueError):
    """There is no arm between two bodies."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Arm:
    """A chain of joints to a frame: that of a manipulator, or of any two bodies.

    Attributes:
        base: The body where it begins, or None for the world.
        tip: The body that carries its end.
        pose: The frame in the frame of the tip body.
        direction: The direction in which it works, unit vector in its frame.
        solvers: Inverse kinematics that suits it.
        chain_end: The body where its joints end, or None where that is the tip: what lies between stays as it is.
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


def free_joints_of(arm: Arm, type_: IkType) -> tuple[IkFreeJoint, ...]:
    """Return the joints that an arm's own statement for a type of targets leaves free."""
    return next((solver.free_joints for solver in arm.solvers if solver.type is type_), ())


def find_manipulator(world: World, name: str | None = None, model: str | None = None) -> tuple[Model, Manipulator]:
    """Return a manipulator of a World and the model that has it.

    Args:
        world: The World.
        name: The manipulator's name; may be left out where there is one only.
        model: The model's name; may be left out where one only has a manipulator of that name.

    Raises:
        ArmError: There is none, or there are several.
    """
    _find_model(world, model)
    every = [(owner, found) for owner in world.models for found in owner.manipulators if model in (None, owner.name)]
    names = [found.name for _, found in every]
    fitting = [(owner, found) for owner, found in every if name in (None, found.name)]
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        choices = ", ".join(f"{owner.name}/{found.name}" for owner, found in fitting)
        raise ArmError(f"there are several manipulators: {choices}")
    if name is None or not names:
        raise ArmError("there is no manipulator: name a tip body, with --tip on the command line")
    raise ArmError(f"there is no manipulator '{name}': {suggestion(name, names)}")


def find_arm(world: World, tip: str, base: str | None = None, model: str | None = None) -> tuple[Model, Arm]:
    """Return the arm from one body to another, and the model that has it.

    Args:
        world: The World.
        tip: The body that carries its end; its frame is the body's.
        base: The body where it begins; if not given, the world, or the body on which everything floats.
        model: The model's name; may be left out where one only has a body of that name.

    Raises:
        ArmError: There is no such body, or there are several.
    """
    _find_model(world, model)
    owners = [owner for owner in world.models if model in (None, owner.name) and tip in owner.bodies]
    if len(owners) > 1:
        raise ArmError(f"several models have a body '{tip}': {', '.join(owner.name for owner in owners)}")
    if not owners:
        names = [name for owner in world.models if model in (None, owner.name) for name in owner.bodies.names()]
        raise ArmError(f"there is no body '{tip}': {suggestion(tip, names) or 'there are none'}")
    return owners[0], Arm(base=base_of(owners[0], tip) if base is None else base, tip=tip)


def _find_model(world: World, model: str | None) -> None:
    if model is not None and model not in world.models:
        raise ArmError(f"there is no model '{model}': {suggestion(model, world.models.names()) or 'there are none'}")


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmPath:
    """A joint on the way from one body to another.

    Attributes:
        joint: The joint, motor or bushing, as a joint.
        forwards: Whether the way leads from its parent to its child.
        is_joint: Whether it is a joint of the model; others stay where they start.
    """

    joint: Joint
    forwards: bool
    is_joint: bool


def arm_joints(model: Model, manipulator: Manipulator | Arm) -> tuple[Joint, ...]:
    """Return the joints that move a manipulator's tip, in the order from its base to its tip.

    Joints that cannot move are left out, and so are those that nothing drives; one that follows others stands for those
    that it follows.

    Raises:
        ArmError: A body does not exist, or nothing connects the two.
        UnknownSourceError: A joint follows one that does not exist.
    """
    arm = arm_of(manipulator) if isinstance(manipulator, Manipulator) else manipulator
    found = dict.fromkeys(position.joint for position in arm_coordinates(model, arm))
    return tuple([model.joints[name] for name in found])


def gripper_joints(model: Model, manipulator: Manipulator) -> tuple[Joint, ...]:
    """Return the joints that move a manipulator's gripper, in the order in which it names them; see :func:`arm_joints`."""
    named = [joint for gripper in manipulator.gripper if (joint := model.joints.get(gripper.joint)) is not None]
    moving = _moving(model, (position for joint in named for position in coordinates_of(joint)))
    return tuple([model.joints[name] for name in dict.fromkeys(position.joint for position in moving)])


def tip_pose(model: Model, manipulator: Manipulator, positions: Mapping[str, Sequence[float]] | None = None) -> Pose:
    """Return a manipulator's frame in the world; see :func:`ossature.kinematics.forward_kinematics`.

    Args:
        model: The model.
        manipulator: One of its manipulators.
        positions: Coordinates by joint [rad or m]; the others stay at their initial positions or follow.

    Raises:
        ArmError: Its tip does not exist.
    """
    _find(model, manipulator.tip)
    return model_poses(model, positions)[manipulator.tip] @ manipulator.pose


def arm_coordinates(model: Model, arm: Arm) -> tuple[JointPosition, ...]:
    """Return the coordinates that move an arm's tip; see :func:`arm_joints`."""
    passages = [passage for passage in joint_path(model, arm.base, arm.chain_end or arm.tip) if passage.is_joint]
    return _moving(model, (position for passage in passages for position in coordinates_of(passage.joint)))


def coordinates_of(joint: Joint) -> list[JointPosition]:
    """Return the names of a joint's coordinates."""
    return [JointPosition(joint=joint.name, coordinate=number) for number in range(joint.degrees_of_freedom)]


def _moving(model: Model, positions: Iterable[JointPosition]) -> tuple[JointPosition, ...]:
    """Return the coordinates that others stand for, those that move by themselves, each once."""
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
        elif moves(joint, position.coordinate, model):
            found[position] = None
    return tuple(found)


def moved_bodies(model: Model, arm: Arm) -> frozenset[str]:
    """Return the bodies whose places depend on an arm's joints, through joints that follow them too."""
    return bodies_moved_by(model, arm_coordinates(model, arm))


def bodies_moved_by(model: Model, coordinates: Iterable[JointPosition]) -> frozenset[str]:
    """Return the bodies whose places depend on some coordinates, through joints that follow them too."""
    depending = set(coordinates)
    for follower in followers(model):
        if depending.intersection(follower.sources):
            depending.add(follower.position)
    joints = {position.joint for position in depending}
    found: set[str] = set()
    for branch in spanning_tree(model).branches:
        inboard = branch.inboard
        if inboard is not None and ((branch.is_joint and inboard.name in joints) or inboard.parent in found):
            found.add(branch.body.name)
    return frozenset(found)


def moves(joint: Joint, number: int, model: Model) -> bool:
    """Whether a coordinate of a joint can be moved: something drives it, and its limits leave room."""
    if model.static or joint.actuation in (Actuation.LOCKED, Actuation.PASSIVE):
        return False
    limits = limits_of(joint.coordinates[number])
    return limits.lower < limits.upper


def limits_of(coordinate: Coordinate) -> Range:
    """Return the limits within which a coordinate is to stay; one that turns without end has none."""
    return UNBOUNDED if coordinate.continuous else coordinate.position_limits


def base_of(model: Model, tip: str) -> str | None:
    """Return where an arm begins of which nobody says so: the world, or the body on which everything floats."""
    _find(model, tip)
    branches = {branch.body.name: branch for branch in spanning_tree(model).branches}
    root = _carriers(branches, tip)[-1]
    inboard = branches[root].inboard
    return root if inboard is None or isinstance(inboard.type, Floating) else None


def joint_path(model: Model, base: str | None, tip: str) -> tuple[ArmPath, ...]:
    """Return the joints on the way from one body to another through the spanning tree.

    Args:
        model: The model.
        base: The body where it begins, or None for the world.
        tip: The body where it ends.

    Raises:
        ArmError: A body does not exist, or nothing connects the two.
    """
    for name in (base, tip):
        if name is not None:
            _find(model, name)
    branches = {branch.body.name: branch for branch in spanning_tree(model).branches}
    outward = _carriers(branches, tip)
    inward = [] if base is None else _carriers(branches, base)
    while outward and inward and outward[-1] == inward[-1]:
        outward.pop()
        inward.pop()
    if inward and outward and not _reaches_world(branches, inward, outward):
        raise ArmError(f"no joints connect '{base}' and '{tip}'")
    back = [_passage(branches[name], outward=False) for name in inward]
    forth = [_passage(branches[name], outward=True) for name in outward[::-1]]
    return tuple([passage for passage in (*back, *forth) if passage is not None])


def _reaches_world(branches: Mapping[str, TreeJoint], inward: Sequence[str], outward: Sequence[str]) -> bool:
    """Whether two ways meet: where both of them end at the same body, or at the world."""
    ends = [branches[way[-1]].inboard for way in (inward, outward)]
    return all(inboard is not None for inboard in ends)


def _passage(branch: TreeJoint, *, outward: bool) -> ArmPath | None:
    if branch.inboard is None or branch.connection is None:
        return None
    return ArmPath(
        joint=branch.connection.joint,
        forwards=outward is not branch.is_reversed,
        is_joint=branch.is_joint,
    )


def _carriers(branches: Mapping[str, TreeJoint], body: str) -> list[str]:
    """Return a body and those that carry it, one after the other."""
    found = [body]
    while (inboard := branches[found[-1]].inboard) is not None and inboard.parent is not None:
        found.append(inboard.parent)
    return found


def _find(model: Model, body: str) -> None:
    if body not in model.bodies:
        hint = suggestion(body, model.bodies.names()) or "there are none"
        raise ArmError(f"'{model.name}' has no body '{body}': {hint}")
