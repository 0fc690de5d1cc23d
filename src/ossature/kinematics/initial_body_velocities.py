"""Initial velocities of bodies that follow from those of floating bases and joints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ossature.kinematics.forward_kinematics import AttachedComponent, attached_components
from ossature.kinematics.joint_factorization import factor_joint, factor_pose
from ossature.kinematics.joint_transforms import motion_pose
from ossature.kinematics.spanning_tree import Tree, TreeJoint
from ossature.model import Actuation, Body, Floating, Joint, JointType, Model
from ossature.spatial import (
    IDENTITY,
    ZERO3,
    Pose,
    Vector3,
    add,
    conjugate,
    cross,
    multiply,
    rotate,
    scale,
    subtract,
    vector_from,
)


def initial_body_velocities(
    model: Model,
    tree: Tree,
    poses: Mapping[str, Pose],
    known: Mapping[str, tuple[Vector3, Vector3]] | None = None,
) -> dict[str, tuple[Vector3, Vector3]]:
    """Return the initial velocity of each body: of its centre of mass (model axes), and angular (body axes).

    They follow from the velocities of joints and of bodies without a parent joint. If no body specifies a velocity, a floating
    root that a loop joint places moves as this joint specifies: see :func:`ossature.kinematics.model_poses`.

    Args:
        poses: The initial pose of each body in the frame of the model.
        known: The angular velocities of bodies and the velocities of their origins that are known, in axes of the model.
    """
    known = known or {}
    spins: dict[str, Vector3] = {}
    origins: dict[str, Vector3] = {}
    for branch in tree.branches:
        spin, origin = known.get(branch.body.name) or _body_twist(branch, spins, origins, poses, pose_world_model=model.pose)
        spins[branch.body.name], origins[branch.body.name] = spin, origin
    if not any(map(moves_at_start, model.bodies)):
        for component in attached_components(model, tree):
            if component.bodies[0] not in known:
                _move_component(component, model, spins, origins, poses)
    result: dict[str, tuple[Vector3, Vector3]] = {}
    for body in model.bodies:
        pose = poses[body.name]
        spin = spins[body.name]
        arm = rotate(pose.wxyz, body.inertial.center_of_mass)
        linear = add(origins[body.name], cross(spin, arm))
        result[body.name] = (linear, rotate(conjugate(pose.wxyz), spin))
    return result


def moves_at_start(body: Body) -> bool:
    """Whether a body specifies a velocity."""
    return any(body.initial_velocity) or any(body.initial_angular_velocity_body)


def velocity_of_origin(model: Model, body: Body, pose: Pose, of_center: Vector3, angular: Vector3) -> Vector3:
    """Return the velocity of the origin of a body, in world axes.

    Args:
        pose: Its pose in the world.
        of_center: The velocity of its centre of mass, in model axes.
        angular: Its angular velocity, in body axes.
    """
    arm = rotate(pose.wxyz, body.inertial.center_of_mass)
    return subtract(rotate(model.pose.wxyz, of_center), cross(rotate(pose.wxyz, angular), arm))


def _move_component(
    component: AttachedComponent,
    model: Model,
    spins: dict[str, Vector3],
    origins: dict[str, Vector3],
    poses: Mapping[str, Pose],
) -> None:
    """Add to the velocities of a floating root's bodies those with which their loop joint has its velocities."""
    joint = component.connection.joint
    joint_at = poses[joint.child] @ joint.pose
    spin, slide = _child_twist(joint, joint_at, spins, origins, poses, pose_world_model=model.pose)
    lacking_spin = subtract(spin, spins[joint.child])
    lacking_slide = subtract(slide, _velocity_of_point(joint.child, joint_at.position, spins, origins, poses))
    if joint.child not in component.bodies:
        lacking_spin, lacking_slide = scale(lacking_spin, -1.0), scale(lacking_slide, -1.0)
    for body in component.bodies:
        arm = subtract(poses[body].position, joint_at.position)
        spins[body] = add(spins[body], lacking_spin)
        origins[body] = add(origins[body], add(lacking_slide, cross(lacking_spin, arm)))


def _velocity_of_point(
    body: str, point: Vector3, spins: Mapping[str, Vector3], origins: Mapping[str, Vector3], poses: Mapping[str, Pose]
) -> Vector3:
    return add(origins[body], cross(spins[body], subtract(point, poses[body].position)))


def _body_twist(
    branch: TreeJoint,
    spins: dict[str, Vector3],
    origins: dict[str, Vector3],
    poses: Mapping[str, Pose],
    *,
    pose_world_model: Pose,
) -> tuple[Vector3, Vector3]:
    """Return angular velocity and velocity of the origin of a branch's body, both in model axes."""
    inboard = branch.inboard
    pose = poses[branch.body.name]
    if inboard is None:
        spin = rotate(pose.wxyz, branch.body.initial_angular_velocity_body)
        arm = rotate(pose.wxyz, branch.body.inertial.center_of_mass)
        return spin, subtract(branch.body.initial_velocity, cross(spin, arm))
    joint_at = pose @ inboard.pose
    spin, slide = _child_twist(inboard, joint_at, spins, origins, poses, pose_world_model=pose_world_model)
    return spin, add(slide, cross(spin, subtract(pose.position, joint_at.position)))


def _child_twist(
    joint: Joint,
    joint_at: Pose,
    spins: Mapping[str, Vector3],
    origins: Mapping[str, Vector3],
    poses: Mapping[str, Pose],
    *,
    pose_world_model: Pose,
) -> tuple[Vector3, Vector3]:
    """Return angular velocity of a joint's child and velocity of the origin of the joint frame on it, both in model axes."""
    outer = pose_world_model.inverse() if joint.parent is None else poses[joint.parent]
    rates = () if joint.actuation is Actuation.LOCKED else joint.initial_velocities
    spin, slide = relative_twist(joint, joint.initial_positions, rates, joint_at, outer)
    if joint.parent is None:
        return spin, slide
    at_parent = _velocity_of_point(joint.parent, joint_at.position, spins, origins, poses)
    return add(spins[joint.parent], spin), add(at_parent, slide)


def relative_twist(
    joint: Joint, q: Sequence[float], v: Sequence[float], joint_at: Pose, outer: Pose
) -> tuple[Vector3, Vector3]:
    """Return a joint's own angular velocity and the velocity of its frame's origin, in axes of a frame of reference.

    Args:
        joint: The joint.
        q: Its positions [rad or m].
        v: Its velocities [rad/s or m/s].
        joint_at: The joint frame, moved with the child, in the frame of reference.
        outer: The frame of the parent body, or of the world, in the frame of reference.
    """
    if not any(v):
        return ZERO3, ZERO3
    if isinstance(joint.type, Floating):
        return rotate(outer.wxyz, (v[0], v[1], v[2])), rotate(outer.wxyz, (v[3], v[4], v[5]))
    wxyz_parent_joint = multiply(joint_at.wxyz, conjugate(motion_pose(joint.type, q).wxyz))
    spin, slide = _twist_in_parent_frame(joint.type, q, v)
    return rotate(wxyz_parent_joint, spin), rotate(wxyz_parent_joint, slide)


def _twist_in_parent_frame(joint_type: JointType, q: Sequence[float], v: Sequence[float]) -> tuple[Vector3, Vector3]:
    """Return angular velocity and velocity of the joint frame's origin, in axes of the parent's joint frame."""
    end = motion_pose(joint_type, q).position
    spin, slide, before = ZERO3, ZERO3, IDENTITY
    for factor in factor_joint(joint_type):
        motion, first = factor_pose(factor, q), factor.coordinate
        # The velocities of a rotation vector are in axes of the child.
        local = rotate(motion.wxyz, vector_from(v[first : first + 3])) if factor.axis is None else scale(factor.axis, v[first])
        along = rotate(before.wxyz, local)
        slide = add(slide, scale(along, factor.translation))
        if factor.is_rotation:
            spin = add(spin, along)
            slide = add(slide, cross(along, subtract(end, before.transform(factor.anchor))))
        before = before @ motion
    return spin, slide
