"""The kinematic tree of a URDF file: the joints that URDF can represent, with the names of links and joints."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ossature.diagnostics.ledger import Ledger
from ossature.formats.unique_element_names import UniqueNames
from ossature.formats.urdf.read import fixed_world_joint
from ossature.formats.urdf.read_tree import WORLD
from ossature.formats.urdf.supported_joints import unsupported_reason
from ossature.kinematics.disjoint_sets import DisjointSets
from ossature.model import Body, Floating, Joint, Model
from ossature.model.unique_names import unique_name
from ossature.spatial import IDENTITY, Pose, norm, rotation_vector_from_quaternion


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenJoint:
    """A joint of the URDF file.

    Attributes:
        name: Its name in the file.
        path: Its path in the World.
        parent: Name of its parent link in the file.
        pose: Pose of the child link in the frame of the parent link.
    """

    joint: Joint
    name: str
    path: str
    parent: str
    pose: Pose


@dataclass(frozen=True, slots=True, kw_only=True)
class RobotTree:
    """The robot of the URDF file.

    Attributes:
        bodies: The bodies that are written as links.
        link_names: Names of the links, by their names in the model.
        joint_names: Names of the joints, by their names in the model.
        has_world_link: Whether an empty link represents the world.
    """

    model: Model
    bodies: tuple[Body, ...]
    link_names: UniqueNames
    joint_names: Mapping[str, str]
    joints: tuple[WrittenJoint, ...]
    has_world_link: bool


def robot_tree(model: Model, ledger: Ledger) -> RobotTree:
    """Return the tree of a model for a URDF file; joints that cannot be part of it are recorded in the ledger."""
    bodies = tuple([body for body in model.bodies if model.bodies[body.name] is body])
    poses = _world_poses(model, bodies, ledger)
    written = _written_joints(model, ledger)
    children = {joint.child for joint in written}
    roots = [body for body in bodies if body.name not in children]
    is_fixed = fixed_world_joint() in written and _is_fixed_world_link(model, written)
    if is_fixed:
        written = [joint for joint in written if joint != fixed_world_joint()]
    world_joints = [joint for joint in written if joint.parent is None]
    is_free_base = len(roots) == 1 and not world_joints
    if is_free_base and not is_fixed:
        _record_base_pose(model, roots[0], poses[roots[0].name], ledger)
    floating = [] if is_free_base or is_fixed else [_floating_joint(body, written, model, ledger) for body in roots]
    has_world_link = bool(world_joints or floating)
    reserved = {WORLD} if has_world_link or any(root.name == WORLD for root in roots) else set()
    links = UniqueNames(model.bodies.names(), "link", model.name, "bodies", ledger, reserved=reserved, unique=False)
    joints = [*written, *floating]
    names = UniqueNames([joint.name for joint in joints], "joint", model.name, "joints", ledger)
    written_joints = [
        WrittenJoint(
            joint=joint,
            name=names[index],
            path=f"{model.name}/{joint.name}",
            parent=WORLD if joint.parent is None else links.of(joint.parent),
            pose=_pose_parent_child(joint, poses),
        )
        for index, joint in enumerate(joints)
    ]
    return RobotTree(
        model=model,
        bodies=bodies,
        link_names=links,
        joint_names={joint.name: names.of(joint.name) for joint in joints},
        joints=tuple(written_joints),
        has_world_link=has_world_link,
    )


def _world_poses(model: Model, bodies: tuple[Body, ...], ledger: Ledger) -> dict[str, Pose]:
    """Return the poses of the bodies in the world, into which the pose of the model is merged."""
    if model.pose == IDENTITY:
        return {body.name: body.pose for body in bodies}
    detail = "a URDF robot has no pose: it is merged into the poses of the bodies"
    ledger.rewritten(f"{model.name}.pose", detail)
    for body in bodies:
        ledger.rewritten(f"{model.name}/{body.name}.pose", detail)
    return {body.name: model.pose @ body.pose for body in bodies}


def _written_joints(model: Model, ledger: Ledger) -> list[Joint]:
    """Return the joints that URDF can represent, which form a forest."""
    by_child: dict[str, Joint] = {}
    components: DisjointSets[str | None] = DisjointSets()
    for joint in model.joints:
        path = f"{model.name}/{joint.name}"
        reason = unsupported_reason(joint)
        if joint.child not in model.bodies or not (joint.parent is None or joint.parent in model.bodies):
            ledger.dropped(path, "it refers to an unknown body", location=joint.origin)
        elif reason is not None:
            ledger.dropped(path, reason, location=joint.origin)
        elif joint.child in by_child:
            detail = f"it closes a loop: '{joint.child}' already has parent joint '{by_child[joint.child].name}'"
            ledger.dropped(path, detail, location=joint.origin)
        elif not components.join(joint.parent, joint.child):
            ledger.dropped(path, "it closes a kinematic cycle", location=joint.origin)
        else:
            by_child[joint.child] = joint
    return list(by_child.values())


def _is_fixed_world_link(model: Model, written: list[Joint]) -> bool:
    """Whether the body named world can keep its name, because it is read as a fixed body and not as the world."""
    body = model.bodies[WORLD]
    others = [joint for joint in written if joint.parent is None and joint != fixed_world_joint()]
    children = {joint.child for joint in written}
    is_only_root = all(body.name in children for body in model.bodies)
    return bool(body.visuals or body.collisions or body.inertial.mass) and not others and is_only_root


def _record_base_pose(model: Model, root: Body, pose: Pose, ledger: Ledger) -> None:
    """Record the pose of a base that moves freely: it is the root of the file, whose pose URDF does not state.

    A floating joint from a link of the world would state it, but the link would be the root of the robot for most programs.
    """
    if pose == IDENTITY:
        return
    angle = norm(rotation_vector_from_quaternion(pose.wxyz))
    error = max(norm(pose.position), angle)
    offset = f"{norm(pose.position):.6g} m and {angle:.6g} rad"
    detail = f"URDF states no pose of a free base: '{root.name}' is at the origin, not {offset}"
    for body in model.bodies:
        ledger.approximated(f"{model.name}/{body.name}.pose", f"{detail} from it", error=error, location=body.origin)


def _floating_joint(body: Body, written: list[Joint], model: Model, ledger: Ledger) -> Joint:
    name = unique_name(f"{body.name}_floating", {joint.name for joint in written})
    detail = f"'{body.name}' has no parent joint: floating joint from the world added, which specifies its pose"
    ledger.rewritten(f"{model.name}/{name}", detail, location=body.origin)
    return Joint(name=name, type=Floating(), parent=None, child=body.name)


def _pose_parent_child(joint: Joint, poses: Mapping[str, Pose]) -> Pose:
    """Return the pose of the child in the parent, with the numbers of the original file if the result is bit-exact."""
    parent = IDENTITY if joint.parent is None else poses[joint.parent]
    child = poses[joint.child]
    if joint.spelled_pose is not None and joint.pose == IDENTITY and parent @ joint.spelled_pose == child:
        return joint.spelled_pose
    if parent == IDENTITY:
        return child
    return IDENTITY if parent == child else parent.inverse() @ child
