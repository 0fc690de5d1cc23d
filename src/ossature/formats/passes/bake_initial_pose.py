"""Pass: bakes the initial configuration into the poses of bodies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from ossature.diagnostics import Ledger
from ossature.formats.format import WriteContext
from ossature.kinematics import Tree, TreeJoint, model_poses, motion_pose, spanning_tree
from ossature.model import (
    Axis,
    Body,
    Compound,
    Coordinate,
    Cylindrical,
    Euler,
    Floating,
    Joint,
    Model,
    NamedList,
    Planar,
    PointOnLine,
    PointOnPlane,
    Prismatic,
    Range,
    Revolute,
    RotationalSpringDamper,
    Screw,
    Spherical,
    SphericalMotion,
    Translational,
    Translational2D,
    Universal,
    World,
)
from ossature.model.joint import X_AXIS, Y_AXIS, Z_AXIS
from ossature.spatial import (
    ZERO3,
    Pose,
    Vector3,
    add,
    conjugate,
    cross,
    multiply,
    quaternion_from_rotation_vector,
    rotate,
    scale,
    subtract,
)

_ADDITIVE = (Revolute, Prismatic, Screw, Cylindrical, Translational, Translational2D, Planar, Universal)
"""Joint types whose coordinates are additive, so that limits can be shifted by the initial position."""


def bake_initial_pose(world: World, context: WriteContext) -> World:
    """Return a World whose configuration zero is the initial configuration, with the initial velocities on the bodies.

    Limits and springs of joints are shifted. Springs and dampers of revolute joints become rotational spring-dampers.
    """
    return replace(world, models=world.models.map(lambda model: _bake_model(model, context.ledger)))


def _bake_model(model: Model, ledger: Ledger) -> Model:
    if not model.joints or not any(
        any(j.initial_positions) or any(j.initial_velocities) or _has_spring(j) for j in model.joints
    ):
        return model
    tree = spanning_tree(model)
    poses = model_poses(replace(model, pose=Pose()), tree=tree)
    moved = {body.name: replace(body, pose=poses[body.name]) for body in model.bodies}
    velocities = _initial_body_velocities(model, tree, moved)
    for name, (linear, angular) in velocities.items():
        moved[name] = replace(moved[name], initial_velocity=linear, initial_angular_velocity_body=angular)
    if model.static:
        velocities = {}
    joints, springs = [], []
    for joint in model.joints:
        joints.append(_moved_joint(joint, model, ledger))
        springs.extend(_equivalent_springs(joint, model, ledger))
    _account_for_bodies(model, moved, ledger)
    return replace(
        model,
        bodies=model.bodies.map(lambda body: moved[body.name]),
        joints=NamedList(joints),
        rotational_spring_dampers=model.rotational_spring_dampers.with_(*springs),
    )


def _has_spring(joint: Joint) -> bool:
    return isinstance(joint.type, Revolute) and bool(joint.coordinates[0].stiffness or joint.coordinates[0].damping)


def _account_for_bodies(model: Model, moved: dict[str, Body], ledger: Ledger) -> None:
    for body in model.bodies:
        path = f"{model.name}/{body.name}"
        if moved[body.name].pose != body.pose:
            ledger.rewritten(f"{path}.pose", "initial pose of the body")
        if moved[body.name].initial_velocity != body.initial_velocity or (
            moved[body.name].initial_angular_velocity_body != body.initial_angular_velocity_body
        ):
            for field in ("initial_velocity", "initial_angular_velocity_body"):
                ledger.rewritten(f"{path}.{field}", "computed from the initial velocities of joints")


def _moved_joint(joint: Joint, model: Model, ledger: Ledger) -> Joint:
    path = f"{model.name}/{joint.name}"
    start = joint.initial_positions
    if any(joint.initial_velocities):
        ledger.rewritten(f"{path}.coordinates", "its initial velocities are written on the bodies")
    if any(start):
        ledger.rewritten(f"{path}.coordinates", "its coordinates are zero at the initial configuration")
        ledger.rewritten(f"{path}.pose", "joint frame at the initial configuration")
    type_, pose = _moved_frame(joint)
    coordinates = tuple(
        [_moved_coordinate(coordinate, joint, number, path, ledger) for number, coordinate in enumerate(joint.coordinates)]
    )
    return replace(joint, type=type_, pose=pose, coordinates=coordinates)


def _moved_frame(joint: Joint) -> tuple[Any, Pose]:
    """Return a joint's type and pose for which its initial position is zero."""
    start = joint.initial_positions
    if isinstance(joint.type, Universal) and any(start):
        # The second axis is fixed in the child; the first is expressed in the child at its initial pose.
        rotation = motion_pose(joint.type, start)
        return replace(joint.type, axis1=rotate(conjugate(rotation.wxyz), joint.type.axis1)), joint.pose
    if isinstance(joint.type, Translational | Translational2D):
        return joint.type, joint.pose
    if isinstance(joint.type, Planar) and start[2]:
        rotation = motion_pose(joint.type, (0.0, 0.0, start[2]))
        back = conjugate(rotation.wxyz)
        return replace(joint.type, axis1=rotate(back, joint.type.axis1), axis2=rotate(back, joint.type.axis2)), joint.pose
    if isinstance(joint.type, PointOnLine | PointOnPlane):
        rotation = motion_pose(joint.type, start)
        slides = len(start) - 3
        back = conjugate(motion_pose(Spherical(), start[slides:]).wxyz)
        return joint.type, joint.pose @ Pose(wxyz=back) if rotation.wxyz else joint.pose
    return joint.type, joint.pose


def _moved_coordinate(coordinate: Coordinate, joint: Joint, number: int, path: str, ledger: Ledger) -> Coordinate:
    start = coordinate.initial_position
    limits, rest = coordinate.position_limits, coordinate.spring_reference
    if start and isinstance(joint.type, _ADDITIVE):
        limits = Range(lower=limits.lower - start, upper=limits.upper - start)
        rest -= start if coordinate.stiffness else 0.0
    elif start and (limits.bounded or coordinate.stiffness):
        detail = "limits and springs of this joint type cannot be shifted to the initial position"
        ledger.dropped(f"{path}.coordinates[{number}].position_limits", detail)
    stiffness, damping = coordinate.stiffness, coordinate.damping
    if _has_spring(joint):
        stiffness = damping = rest = 0.0
    return replace(
        coordinate,
        position_limits=limits,
        spring_reference=rest,
        initial_position=0.0,
        initial_velocity=0.0,
        stiffness=stiffness,
        damping=damping,
    )


def _equivalent_springs(joint: Joint, model: Model, ledger: Ledger) -> list[RotationalSpringDamper]:
    if not _has_spring(joint) or model.static:
        return []
    coordinate = joint.coordinates[0]
    assert isinstance(joint.type, Revolute)  # noqa: S101  # the test above
    for path in (f"{joint.name}.coordinates[0]", f"{joint.name}_spring"):
        ledger.rewritten(f"{model.name}/{path}", "spring and damper of a joint become a rotational spring-damper")
    pose_child_joint = joint.pose
    axis_child = rotate(pose_child_joint.wxyz, joint.type.axis)
    # The axis is invariant under the rotation about it, so that the child's frame at any angle can be used.
    return [
        RotationalSpringDamper(
            name=f"{joint.name}_spring",
            body1=joint.child,
            body2=joint.parent,
            axis=scale(axis_child, -1.0),
            point=pose_child_joint.position,
            free_angle=coordinate.spring_reference - coordinate.initial_position,
            stiffness=coordinate.stiffness,
            damping=coordinate.damping,
        )
    ]


def _initial_body_velocities(model: Model, tree: Tree, moved: dict[str, Body]) -> dict[str, tuple[Vector3, Vector3]]:
    """Return initial velocities of moving bodies: of the centre of mass (model axes), and angular (body axes)."""
    if not any(any(joint.initial_velocities) for joint in model.joints):
        return {}
    spins: dict[str, Vector3] = {}
    origins: dict[str, Vector3] = {}
    for branch in tree.branches:
        spin, origin = _body_twist(branch, spins, origins, moved, pose_world_model=model.pose)
        spins[branch.body.name], origins[branch.body.name] = spin, origin
    result = {}
    for body in model.bodies:
        pose = moved[body.name].pose
        spin = spins[body.name]
        arm = rotate(pose.wxyz, body.inertial.center_of_mass)
        linear = add(origins[body.name], cross(spin, arm))
        if any(linear) or any(spin):
            result[body.name] = (linear, rotate(conjugate(pose.wxyz), spin))
    return result


def _body_twist(
    branch: TreeJoint,
    spins: dict[str, Vector3],
    origins: dict[str, Vector3],
    moved: dict[str, Body],
    *,
    pose_world_model: Pose,
) -> tuple[Vector3, Vector3]:
    """Return angular velocity and velocity of the origin of a branch's body, both in model axes."""
    inboard = branch.inboard
    pose = moved[branch.body.name].pose
    if inboard is None:
        spin = rotate(pose.wxyz, branch.body.initial_angular_velocity_body)
        arm = rotate(pose.wxyz, branch.body.inertial.center_of_mass)
        return spin, subtract(branch.body.initial_velocity, cross(spin, arm))
    joint_at = pose @ inboard.pose
    outer = pose_world_model.inverse() if inboard.parent is None else moved[inboard.parent].pose
    parent_spin, parent_linear = ZERO3, ZERO3
    if inboard.parent is not None:
        parent_spin = spins[inboard.parent]
        parent_linear = add(origins[inboard.parent], cross(parent_spin, subtract(joint_at.position, outer.position)))
    spin, slide = _relative_twist(inboard, joint_at, outer)
    total = add(parent_spin, spin)
    at_joint = add(parent_linear, slide)
    return total, add(at_joint, cross(total, subtract(pose.position, joint_at.position)))


def _relative_twist(joint: Joint, joint_at: Pose, outer: Pose) -> tuple[Vector3, Vector3]:
    """Return a joint's own angular velocity and that of its frame's origin, in model axes, at the start.

    Args:
        joint_at: The joint frame, moved with the child, in the frame of the model.
        outer: The frame of the parent body, or of the world, in the frame of the model.
    """
    v = joint.initial_velocities
    if not any(v):
        return ZERO3, ZERO3
    if isinstance(joint.type, Floating):
        return rotate(outer.wxyz, (v[0], v[1], v[2])), rotate(outer.wxyz, (v[3], v[4], v[5]))
    if isinstance(joint.type, Spherical):
        return rotate(joint_at.wxyz, (v[0], v[1], v[2])), ZERO3
    q = joint.initial_positions
    wxyz_parent_joint = multiply(joint_at.wxyz, conjugate(motion_pose(joint.type, q).wxyz))
    spin, slide = _SCREWS[type(joint.type)](joint.type, q, v)
    return rotate(wxyz_parent_joint, spin), rotate(wxyz_parent_joint, slide)


def _weighted_axis_sum(axes: Sequence[Vector3], rates: Sequence[float]) -> Vector3:
    total = ZERO3
    for axis, rate in zip(axes, rates, strict=True):
        total = add(total, scale(axis, rate))
    return total


def _universal_spin(joint_type: Universal, q: Sequence[float], v: Sequence[float]) -> tuple[Vector3, Vector3]:
    first = motion_pose(Revolute(axis=joint_type.axis1), q[:1])
    return _weighted_axis_sum([joint_type.axis1, rotate(first.wxyz, joint_type.axis2)], v), ZERO3


def _euler_spin(joint_type: Euler, q: Sequence[float], v: Sequence[float]) -> tuple[Vector3, Vector3]:
    named = {"x": X_AXIS, "y": Y_AXIS, "z": Z_AXIS}
    axes, rotation = [], Pose()
    for letter, angle in zip(joint_type.order, q, strict=True):
        axes.append(rotate(rotation.wxyz, named[letter]))
        rotation = rotation @ motion_pose(Revolute(axis=named[letter]), (angle,))
    return _weighted_axis_sum(axes, v), ZERO3


def _compound_twist(joint_type: Compound, q: Sequence[float], v: Sequence[float]) -> tuple[Vector3, Vector3]:
    end = motion_pose(joint_type, q).position
    spin, slide = ZERO3, ZERO3
    for number, (first, motion) in enumerate(joint_type.motions):
        before = motion_pose(Compound(axes=joint_type.axes[:number]), q[:first])
        along = rotate(before.wxyz, _local_rate(motion, q[first:], v[first:]))
        if isinstance(motion, Axis) and not motion.is_revolute:
            slide = add(slide, along)
        else:
            spin = add(spin, along)
            slide = add(slide, cross(along, subtract(end, before.transform(motion.anchor))))
    return spin, slide


def _local_rate(motion: Axis | SphericalMotion, q: Sequence[float], v: Sequence[float]) -> Vector3:
    """Return the velocity or angular velocity of one motion, in the frame that the motions before it have moved."""
    if isinstance(motion, Axis):
        return scale(motion.direction, v[0])
    return rotate(quaternion_from_rotation_vector((q[0], q[1], q[2])), (v[0], v[1], v[2]))


_TURN = 6.283185307179586

_SCREWS: dict[type, Callable[[Any, Sequence[float], Sequence[float]], tuple[Vector3, Vector3]]] = {
    Revolute: lambda t, q, v: (scale(t.axis, v[0]), ZERO3),
    Prismatic: lambda t, q, v: (ZERO3, scale(t.axis, v[0])),
    Screw: lambda t, q, v: (scale(t.axis, v[0]), scale(t.axis, t.pitch * v[0] / _TURN)),
    Cylindrical: lambda t, q, v: (scale(t.axis, v[0]), scale(t.axis, v[1])),
    Universal: _universal_spin,
    Compound: _compound_twist,
    Euler: _euler_spin,
    Translational: lambda t, q, v: (ZERO3, (v[0], v[1], v[2])),
    Translational2D: lambda t, q, v: (ZERO3, _weighted_axis_sum([t.axis1, t.axis2], v)),
    Planar: lambda t, q, v: (scale(cross(t.axis1, t.axis2), v[2]), _weighted_axis_sum([t.axis1, t.axis2], v[:2])),
    PointOnLine: lambda t, q, v: (rotate(motion_pose(t, q).wxyz, (v[1], v[2], v[3])), scale(t.axis, v[0])),
    PointOnPlane: lambda t, q, v: (
        rotate(motion_pose(t, q).wxyz, (v[2], v[3], v[4])),
        _weighted_axis_sum([t.axis1, t.axis2], v[:2]),
    ),
}
"""Angular velocity and velocity of the joint frame's origin, in axes of the parent's joint frame."""
