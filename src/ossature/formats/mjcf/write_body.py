"""Writer of bodies: the tree of a model as nested elements, with inertia, joints, shapes and frames."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import NamedTuple

from ossature.diagnostics import OssatureError
from ossature.diagnostics.ledger import Ledger
from ossature.formats.mjcf.passthrough import content_nodes
from ossature.formats.mjcf.write_cameras_lights_textures import write_cameras_lights_textures
from ossature.formats.mjcf.write_context import MjcfDocument, is_world
from ossature.formats.mjcf.write_geom import GeomWriter
from ossature.formats.mjcf.write_inertial import SMALLEST_INERTIA, record_massless, write_inertial
from ossature.formats.mjcf.write_joint import reference_positions, write_floating_base, write_joints
from ossature.formats.mjcf.write_mujoco_hints import hint_attributes
from ossature.formats.passes.motors_as_joints import with_motor_starts
from ossature.kinematics import Tree, TreeJoint, model_poses, motion_pose, pose_parent_joint, spanning_tree
from ossature.kinematics.initial_body_velocities import initial_body_velocities
from ossature.model import Actuation, Inertial, Joint, Model, MujocoBody, hint_of
from ossature.spatial import IDENTITY, Pose, Vector3, normalized
from ossature.syntax.xml import XmlNode, element
from ossature.syntax.xml_values import format_number

_MOST_ANCESTORS = 490
"""MuJoCo's parser refuses elements that are nested deeper than 500."""


@dataclass(slots=True)
class BodyWriter:
    """Writes the bodies of models.

    Attributes:
        geoms: Writes their shapes.
        roots: The bodies whose parent is the world, in which the default class applies.
    """

    document: MjcfDocument
    geoms: GeomWriter
    roots: list[XmlNode] = field(default_factory=list)
    _fixed: set[tuple[str, str]] = field(default_factory=set)

    def write_model(self, model: Model) -> Tree:
        """Add the bodies of a model to the document and return the tree."""
        tree = with_motor_starts(spanning_tree(model), model)
        initial = _initial_state(model, tree)
        masses = _rigid_masses(model, tree)
        _record_fixed_poses(self.document.ledger, model, tree)
        self._record_fixed_bodies(model, tree)
        for branch in tree.branches:
            if branch.depth > _MOST_ANCESTORS:
                raise OssatureError(f"'{branch.body.name}' has {branch.depth} ancestors; MuJoCo reads about 500 nested bodies")
            self._write_body(model, branch, initial, rigid_mass=masses[branch.body.name])
        written = {branch.body.name for branch in tree.branches}
        for body in model.bodies:
            if model.bodies[body.name] is not body or body.name not in written:
                self.document.ledger.dropped(f"{model.name}/{body.name}", "another body has the same name")
        write_cameras_lights_textures(self.document, model, self.geoms.assets)
        return tree

    def _record_fixed_bodies(self, model: Model, tree: Tree) -> None:
        """Record the joints that readers give to bodies without joints in the file."""
        for branch in () if self.document.is_mjcf_world else tree.branches:
            if branch.inboard is not None and not is_jointed(model, branch):
                path = f"{model.name}/{self.document.unnamed_joint_name(model, branch.body.name)}"
                self.document.ledger.added(path, "a body without joints is fixed to its parent")

    def _write_body(self, model: Model, branch: TreeJoint, initial: _InitialState, *, rigid_mass: float) -> None:
        body, joint = branch.body, branch.inboard
        parent = None if joint is None else joint.parent
        path = f"{model.name}/{body.name}"
        moves = is_jointed(model, branch)
        is_static = not moves and (parent is None or (model.name, parent) in self._fixed)
        if is_static:
            self._fixed.add((model.name, body.name))
        if is_world(model, body):
            node, ledger = self.document.worldbody, self.document.ledger
            record_massless(body, path, ledger)
            if not body.gravity:
                ledger.rewritten(f"{path}.gravity", "MuJoCo's world does not move")
            if not body.visuals and not body.collisions and not body.frames:
                for name in (body.name, *([] if joint is None else [joint.name])):
                    ledger.rewritten(f"{model.name}/{name}", "MuJoCo's world, without shapes")
        else:
            node = self._node_without_children(model, branch, initial.poses)
            outer = self.document.worldbody if parent is None else self.document.body_nodes[model.name, parent]
            outer.children.append(node)
            if outer is self.document.worldbody:
                self.roots.append(node)
            needs_inertia = moves and (rigid_mass < SMALLEST_INERTIA or body.inertial.mass > 0.0)
            meshes, ledger = self.document.context.meshes, self.document.ledger
            node.children = write_inertial(body, path, meshes, ledger, needs_inertia=needs_inertia)
        self.document.body_nodes[model.name, body.name] = node
        if moves and joint is not None:
            node.children += write_joints(self.document, model, branch)
        elif moves:
            pose = initial.poses[body.name]
            node.children.append(write_floating_base(self.document, model, body, pose, initial.velocities[body.name]))
        self.geoms.write(model, body, node, path, is_static=is_static)
        node.children += content_nodes(body.extensions, f"{path}.extensions", self.document.ledger)

    def _node_without_children(self, model: Model, branch: TreeJoint, initial: Mapping[str, Pose]) -> XmlNode:
        body = branch.body
        pose = _pose_parent_child(model, branch, initial)
        attributes = {"name": self.document.names.body(model.name, body.name), **self.document.pose_attributes(pose)}
        hint = hint_of(body, MujocoBody)
        parent = None if branch.inboard is None else branch.inboard.parent
        path = f"{model.name}/{body.name}"
        if body.mocap and parent is None:
            attributes["mocap"] = "true"
        elif body.mocap:
            self.document.ledger.dropped(f"{path}.mocap", "MuJoCo's mocap bodies have no parent", location=body.origin)
        is_fixed = not is_jointed(model, branch) or parent is not None
        if hint is not None and hint.sleep is not None and is_fixed:
            detail = "bodies that joints connect to the world have a policy of sleeping"
            self.document.ledger.dropped(f"{path}.hints", detail, before=hint.sleep, location=body.origin)
            hint = replace(hint, sleep=None)
        compensation = body.gravity_compensation if body.gravity else 1.0
        if not body.gravity:
            ledger = self.document.ledger
            ledger.rewritten(f"{path}.gravity", 'written as gravcomp="1"')
            ledger.rewritten(f"{path}.gravity_compensation", "written as one", before=f"{body.gravity_compensation:g}")
        if compensation:
            attributes["gravcomp"] = format_number(compensation)
        return element("body", attributes | hint_attributes(hint, "principal_axes"))


class _InitialState(NamedTuple):
    """The initial state of the bodies of a model.

    Attributes:
        poses: Their poses in the world.
        velocities: If one of them floats: velocities of centres of mass (model axes), and angular velocities (body axes).
    """

    poses: Mapping[str, Pose]
    velocities: Mapping[str, tuple[Vector3, Vector3]]


def _initial_state(model: Model, tree: Tree) -> _InitialState:
    poses = model_poses(model, tree=tree)
    if all(branch.inboard is not None for branch in tree.branches):
        return _InitialState(poses, {})
    to_model = model.pose.inverse()
    in_model = {name: to_model @ pose for name, pose in poses.items()}
    return _InitialState(poses, initial_body_velocities(model, tree, in_model))


def is_jointed(model: Model, branch: TreeJoint) -> bool:
    """Whether a body has joints in the file."""
    if model.static or branch.body.mocap:
        return False
    joint = branch.inboard
    return joint is None or (joint.degrees_of_freedom > 0 and joint.actuation is not Actuation.LOCKED)


def _record_fixed_poses(ledger: Ledger, model: Model, tree: Tree) -> None:
    """Record the bodies whose poses in the file are those at the initial positions of joints that the file does not have."""
    displaced = set()
    for branch in tree.branches:
        joint = branch.inboard
        if joint is not None and (joint.parent in displaced or _is_fixed_at_initial_position(model, joint)):
            displaced.add(branch.body.name)
            ledger.rewritten(f"{model.name}/{branch.body.name}.pose", "fixed at the initial positions of its joints")


def _is_fixed_at_initial_position(model: Model, joint: Joint) -> bool:
    return any(joint.initial_positions) and (model.static or joint.actuation is Actuation.LOCKED)


def _rigid_masses(model: Model, tree: Tree) -> dict[str, float]:
    """Return for each body the mass [kg] of it and of the bodies that are fixed to it as its descendants.

    As in MuJoCo, the mass of a body with a stated moment of inertia of zero does not count.
    """
    masses = {
        branch.body.name: max(inertial.mass, 0.0) if _has_moment(inertial := branch.body.inertial) else 0.0
        for branch in tree.branches
    }
    for branch in reversed(tree.branches):
        joint = branch.inboard
        if joint is not None and joint.parent is not None and not is_jointed(model, branch):
            masses[joint.parent] += masses[branch.body.name]
    return masses


def _has_moment(inertial: Inertial) -> bool:
    """Whether a moment of inertia is large enough for a body that moves, or is left to be computed."""
    return inertial.moment is None or max(map(abs, chain.from_iterable(inertial.moment))) >= SMALLEST_INERTIA


def _pose_parent_child(model: Model, branch: TreeJoint, initial: Mapping[str, Pose]) -> Pose:
    """Return the pose of a body in its parent; that of the file it was read from if it is bit-exact."""
    body, joint = branch.body, branch.inboard
    parent = None if joint is None else joint.parent
    if model.static or (joint is not None and _is_fixed_at_initial_position(model, joint)):
        return initial[body.name] if parent is None else initial[parent].inverse() @ initial[body.name]
    references = [] if joint is None else reference_positions(joint)
    if joint is not None and any(references):
        frame = pose_parent_joint(model, joint) @ motion_pose(joint.type, references) @ joint.pose.inverse()
        return model.pose @ frame if parent is None else frame
    spelled = None if joint is None or branch.is_reversed or joint.pose != IDENTITY else joint.spelled_pose
    if parent is None:
        outer = model.pose
        return body.pose if outer == IDENTITY else outer @ body.pose
    outer = model.bodies[parent].pose
    if spelled is not None and outer @ spelled == body.pose:
        return spelled
    return _shortest(outer.inverse() @ body.pose, outer, body.pose)


def _shortest(pose: Pose, outer: Pose, result: Pose) -> Pose:
    """Return a pose with fewer digits if it gives the same result bit-exactly in an outer frame."""
    for digits in (6, 9, 12, 15):
        x, y, z = (round(value, digits) + 0.0 for value in pose.position)
        i, j, k, n = (round(value, digits) + 0.0 for value in pose.wxyz)
        for wxyz in ((i, j, k, n), normalized((i, j, k, n)), pose.wxyz):
            shorter = Pose((x, y, z), wxyz)
            if outer @ shorter == result:
                return shorter
    return pose
