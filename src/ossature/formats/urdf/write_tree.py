"""What hangs on what in the file: the joints that URDF can say, with the names that links and joints get."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ossature.diagnostics.ledger import Ledger
from ossature.formats.unique_names import UniqueNames, make_unique
from ossature.formats.urdf.read import fixed_world_joint
from ossature.formats.urdf.read_tree import WORLD
from ossature.formats.urdf.supported_joints import unsupported_reason
from ossature.model import Body, Floating, Joint, Model
from ossature.spatial import IDENTITY, Pose


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenJoint:
    """A joint of the file.

    Attributes:
        joint: The joint.
        name: What it is called.
        path: Where it is in the model.
        parent: What its parent link is called.
        pose: Its child's frame in the parent's.
    """

    joint: Joint
    name: str
    path: str
    parent: str
    pose: Pose


@dataclass(frozen=True, slots=True, kw_only=True)
class RobotTree:
    """The robot of the file.

    Attributes:
        model: The model that it is.
        bodies: The bodies that become links.
        link_names: What links are called.
        joint_names: What joints are called, by their names in the model.
        joints: The joints.
        has_world_link: Whether an empty link stands for the world.
    """

    model: Model
    bodies: tuple[Body, ...]
    link_names: UniqueNames
    joint_names: Mapping[str, str]
    joints: tuple[WrittenJoint, ...]
    has_world_link: bool


def robot_tree(model: Model, ledger: Ledger) -> RobotTree:
    """Return the tree that a model is in a URDF file; what does not fit into it is in the ledger."""
    bodies = tuple([body for body in model.bodies if model.bodies[body.name] is body])
    poses = _poses(model, bodies, ledger)
    written = _written_joints(model, ledger)
    carried = {joint.child for joint in written}
    roots = [body for body in bodies if body.name not in carried]
    is_held = fixed_world_joint() in written and _is_fixed_world_link(model, written)
    if is_held:
        written = [joint for joint in written if joint != fixed_world_joint()]
    plain_root = roots[0].name if len(roots) == 1 and poses[roots[0].name] == IDENTITY else None
    on_world = [joint for joint in written if joint.parent is None]
    floating = [] if (plain_root and not on_world) or is_held else [_floating(body, written, model, ledger) for body in roots]
    has_world_link = bool(on_world or floating)
    reserved = {WORLD} if has_world_link or any(root.name == WORLD for root in roots) else set()
    links = UniqueNames(model.bodies.names(), "link", model.name, ledger, reserved=reserved, unique=False)
    joints = [*written, *floating]
    names = UniqueNames([joint.name for joint in joints], "joint", model.name, ledger)
    placed = [
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
        joints=tuple(placed),
        has_world_link=has_world_link,
    )


def _poses(model: Model, bodies: tuple[Body, ...], ledger: Ledger) -> dict[str, Pose]:
    """Return where bodies are: in the model, or in the world where the model does not stand at its origin."""
    if model.pose == IDENTITY:
        return {body.name: body.pose for body in bodies}
    detail = "a URDF robot stands at the origin: its place is put into its bodies'"
    ledger.rewritten(f"{model.name}.pose", detail)
    for body in bodies:
        ledger.rewritten(f"{model.name}/{body.name}.pose", detail)
    return {body.name: model.pose @ body.pose for body in bodies}


def _written_joints(model: Model, ledger: Ledger) -> list[Joint]:
    """Return the joints that URDF can say, one for each body, in no circle."""
    by_child: dict[str, Joint] = {}
    leaders = _Leaders()
    for joint in model.joints:
        path = f"{model.name}/{joint.name}"
        reason = unsupported_reason(joint)
        if joint.child not in model.bodies or not (joint.parent is None or joint.parent in model.bodies):
            ledger.dropped(path, "it names a body that does not exist", location=joint.origin)
        elif reason is not None:
            ledger.dropped(path, reason, location=joint.origin)
        elif joint.child in by_child:
            detail = f"it closes a loop: '{joint.child}' hangs on '{by_child[joint.child].name}' already"
            ledger.dropped(path, detail, location=joint.origin)
        elif not leaders.join(joint.parent, joint.child):
            ledger.dropped(path, "it closes a circle of bodies that hang on each other", location=joint.origin)
        else:
            by_child[joint.child] = joint
    return list(by_child.values())


class _Leaders:
    """Which bodies are joined already, by one of them that stands for all."""

    def __init__(self) -> None:
        self._above: dict[str | None, str | None] = {}

    def join(self, parent: str | None, child: str) -> bool:
        """Join two bodies, and return whether they were not joined before."""
        first, second = self._leader(parent), self._leader(child)
        if first != second:
            self._above[second] = first
        return first != second

    def _leader(self, name: str | None) -> str | None:
        passed = []
        while name in self._above:
            passed.append(name)
            name = self._above[name]
        self._above.update(dict.fromkeys(passed, name))
        return name


def _is_fixed_world_link(model: Model, written: list[Joint]) -> bool:
    """Whether the body called world may keep its name: it is read as held then, and not as the world itself."""
    body = model.bodies[WORLD]
    others = [joint for joint in written if joint.parent is None and joint != fixed_world_joint()]
    carried = {joint.child for joint in written}
    is_only_root = all(body.name in carried for body in model.bodies)
    return bool(body.visuals or body.collisions or body.inertial.mass) and not others and is_only_root


def _floating(body: Body, written: list[Joint], model: Model, ledger: Ledger) -> Joint:
    name = make_unique(f"{body.name}_floating", {joint.name for joint in written})
    detail = f"'{body.name}' hangs on nothing, and hangs on the world now by a floating joint, which places it"
    ledger.rewritten(f"{model.name}/{name}", detail, location=body.origin)
    return Joint(name=name, type=Floating(), parent=None, child=body.name)


def _pose_parent_child(joint: Joint, poses: Mapping[str, Pose]) -> Pose:
    """Return the child's frame in the parent's: as a file spelled it, where that means the same to the bit."""
    parent = IDENTITY if joint.parent is None else poses[joint.parent]
    child = poses[joint.child]
    if joint.spelled_pose is not None and joint.pose == IDENTITY and parent @ joint.spelled_pose == child:
        return joint.spelled_pose
    if parent == IDENTITY:
        return child
    return IDENTITY if parent == child else parent.inverse() @ child
