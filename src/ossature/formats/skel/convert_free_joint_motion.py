"""The initial velocity, acceleration and force of a free joint in SKEL files and in the model.

DART 6 expresses both parts in the axes of the parent body (or of the world), rotated by the rotation of the joint's
``<transformation>``. Its linear velocity is that of the point that would be the joint frame's origin without the initial
rotation; that of the model is the velocity of the joint frame's origin. Both are equal for a joint without
``<transformation>``. A commanded acceleration of the model is that of the child's origin. Measured on DART 6.20.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ossature.diagnostics.ledger import Ledger
from ossature.kinematics.initial_body_velocities import moves_at_start
from ossature.model import Body, Coordinate, Floating, Joint, Model
from ossature.model.unique_names import unique_name
from ossature.spatial import (
    IDENTITY,
    ZERO3,
    Pose,
    Quaternion,
    Vector3,
    add,
    conjugate,
    cross,
    multiply,
    quaternion_from_rotation_vector,
    rotate,
    subtract,
)


def to_model_motion(joint: Joint, pose_parent_skeleton: Pose, child: Body) -> Joint:
    """Return a joint with the initial velocity, acceleration and force of the model; only those of a free joint can differ.

    Args:
        joint: The joint, with the initial values of the file.
        pose_parent_skeleton: The skeleton frame in the frame of the parent body or of the world.
    """
    if not _needs_conversion(joint):
        return joint
    lever_arm, position = _lever_arm(joint, pose_parent_skeleton, child), joint.pose.position
    (spin, velocity), (turning, moving), (torque, force) = [
        [rotate(joint.pose.wxyz, part) for part in _parts(values)] for values in _initial_values(joint)
    ]
    velocity = add(velocity, cross(spin, lever_arm))
    # With constant accelerations DART moves the origin of the child with this constant acceleration.
    moving = subtract(moving, cross(turning, position))
    torque = subtract(torque, cross(lever_arm, force))
    return _with_initial_values(joint, (*spin, *velocity), (*turning, *moving), (*torque, *force))


def to_skel_motion(joint: Joint, pose_parent_skeleton: Pose, child: Body) -> Joint:
    """Return a joint with the initial values of SKEL: the inverse of :func:`to_model_motion`."""
    if not _needs_conversion(joint):
        return joint
    lever_arm, position = _lever_arm(joint, pose_parent_skeleton, child), joint.pose.position
    (spin, velocity), (turning, moving), (torque, force) = [_parts(values) for values in _initial_values(joint)]
    velocity = subtract(velocity, cross(spin, lever_arm))
    moving = add(moving, cross(turning, position))
    torque = add(torque, cross(lever_arm, force))
    inverse = conjugate(joint.pose.wxyz)
    pairs = ((spin, velocity), (turning, moving), (torque, force))
    return _with_initial_values(joint, *[(*rotate(inverse, first), *rotate(inverse, second)) for first, second in pairs])


def with_velocities_on_free_joints(model: Model, ledger: Ledger) -> Model:
    """Return a model in which floating bodies with an initial velocity have a free joint that specifies it."""
    if model.static:
        return model
    children = {joint.child for joint in model.joints}
    moving = [body for body in model.bodies if body.name not in children and moves_at_start(body)]
    names = set(model.joints.names())
    joints = []
    for body in moving:
        joint = _free_joint(body, model.pose, unique_name("root", names))
        names.add(joint.name)
        joints.append(joint)
        ledger.approximated(f"{model.name}/{joint.name}", f"'{body.name}' has no joint: free joint added")
        for field in ("initial_velocity", "initial_angular_velocity_body"):
            ledger.rewritten(f"{model.name}/{body.name}.{field}", f"the initial velocity of the free joint '{joint.name}'")
    stopped = {body.name: replace(body, initial_velocity=ZERO3, initial_angular_velocity_body=ZERO3) for body in moving}
    if not moving:
        return model
    return replace(
        model, bodies=model.bodies.map(lambda body: stopped.get(body.name, body)), joints=model.joints.with_(*joints)
    )


def _free_joint(body: Body, pose_world_model: Pose, name: str) -> Joint:
    """Return a joint with the initial velocity of a floating body: that of its origin, in axes of the world."""
    pose = pose_world_model @ body.pose
    spin = rotate(pose.wxyz, body.initial_angular_velocity_body)
    arm = rotate(pose.wxyz, body.inertial.center_of_mass)
    velocity = subtract(rotate(pose_world_model.wxyz, body.initial_velocity), cross(spin, arm))
    coordinates = [Coordinate(initial_velocity=value) for value in (*spin, *velocity)]
    return Joint(name=name, type=Floating(), parent=None, child=body.name, coordinates=tuple(coordinates))


def has_lever_arm_of_force(joint: Joint) -> bool:
    """Whether the initial force of a joint acts at another point than in DART as soon as the body rotates."""
    is_displaced = isinstance(joint.type, Floating) and any(joint.pose.position)
    return is_displaced and any(coordinate.initial_effort for coordinate in joint.coordinates[3:])


def _needs_conversion(joint: Joint) -> bool:
    is_displaced = isinstance(joint.type, Floating) and joint.pose != IDENTITY
    return is_displaced and any(map(any, _initial_values(joint)))


def _initial_values(joint: Joint) -> tuple[Sequence[float], Sequence[float], Sequence[float]]:
    accelerations = [coordinate.initial_acceleration for coordinate in joint.coordinates]
    return joint.initial_velocities, accelerations, [coordinate.initial_effort for coordinate in joint.coordinates]


def _lever_arm(joint: Joint, pose_parent_skeleton: Pose, child: Body) -> Vector3:
    position = joint.pose.position
    return subtract(rotate(_initial_rotation(joint, pose_parent_skeleton, child), position), position)


def _initial_rotation(joint: Joint, pose_parent_skeleton: Pose, child: Body) -> Quaternion:
    """Return the initial rotation of the child in the frame of the parent."""
    rotation = joint.pose.wxyz
    a, b, c = joint.initial_positions[:3]
    displaced = multiply(multiply(rotation, quaternion_from_rotation_vector((a, b, c))), conjugate(rotation))
    return multiply(multiply(pose_parent_skeleton.wxyz, child.pose.wxyz), displaced)


def _parts(values: Sequence[float]) -> tuple[Vector3, Vector3]:
    a, b, c, d, e, f = values
    return (a, b, c), (d, e, f)


def _with_initial_values(
    joint: Joint, velocities: Sequence[float], accelerations: Sequence[float], efforts: Sequence[float]
) -> Joint:
    coordinates = [
        replace(coordinate, initial_velocity=velocity, initial_acceleration=acceleration, initial_effort=effort)
        for coordinate, velocity, acceleration, effort in zip(
            joint.coordinates, velocities, accelerations, efforts, strict=True
        )
    ]
    return replace(joint, coordinates=tuple(coordinates))
