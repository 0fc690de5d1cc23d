"""The graph of joints: the joints of a model, and its motors and bushings as equivalent joints."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ossature.kinematics.joint_transforms import motion_pose
from ossature.kinematics.model_cache import CachedForModel
from ossature.model import (
    UNCONSTRAINED_COORDINATE,
    Actuation,
    Axis,
    Bushing,
    Compound,
    Cylindrical,
    Fixed,
    Floating,
    Joint,
    JointType,
    Model,
    Motor,
    Prismatic,
    Revolute,
    Screw,
    Spherical,
    Universal,
)
from ossature.spatial import (
    conjugate,
    cross,
    rotate,
    rotation_vector_from_quaternion,
    scale,
    subtract,
    vector_from,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Connection:
    """A joint between two bodies.

    Attributes:
        joint: The joint; of a motor the joint of its guide, with the motor's name.
        motor: The motor, or None.
        bushing: The bushing, or None; as a joint it is free, and its displacements are the coordinates.
    """

    joint: Joint
    motor: Motor | None = None
    bushing: Bushing | None = None

    @property
    def name(self) -> str:
        """Its name."""
        return self.joint.name

    @property
    def label(self) -> str:
        """A name that is unique among the connections of the model."""
        kind = " motor" if self.motor is not None else " bushing" if self.bushing is not None else ""
        return self.joint.name + kind

    @property
    def is_joint(self) -> bool:
        """Whether it is a joint of the model."""
        return self.motor is None and self.bushing is None


@CachedForModel
def connections(model: Model) -> tuple[Connection, ...]:
    """Return all connections whose bodies exist, joints first, in file order."""
    found = [Connection(joint=joint) for joint in model.joints if _has_both_bodies(joint.child, joint.parent, model)]
    for motor in model.motors:
        connection = motor_connection(motor)
        if connection is not None and _has_both_bodies(connection.joint.child, connection.joint.parent, model):
            found.append(connection)
    for bushing in model.bushings:
        joint = bushing_joint(bushing)
        if joint is not None and _has_both_bodies(joint.child, joint.parent, model):
            found.append(Connection(joint=joint, bushing=bushing))
    return tuple(found)


def _has_both_bodies(child: str, parent: str | None, model: Model) -> bool:
    return child in model.bodies and (parent is None or parent in model.bodies)


def motor_connection(motor: Motor) -> Connection | None:
    """Return a motor as a connection, or None if it has no guide."""
    joint = motor_joint(motor)
    return None if joint is None else Connection(joint=joint, motor=motor)


def motor_joint(motor: Motor) -> Joint | None:
    """Return the joint of a motor's guide, or None if the guide constrains nothing."""
    joint_type = motor.joint_type
    if joint_type is None or motor.body1 is None:
        return None
    return Joint(
        name=motor.name,
        type=joint_type,
        parent=motor.body2,
        child=motor.body1,
        pose=motor.pose,
        actuation=Actuation.PASSIVE,
        origin=motor.origin,
    )


def bushing_joint(bushing: Bushing) -> Joint | None:
    """Return the free joint whose coordinates are a bushing's displacements, or None if its first body is the world."""
    if bushing.body1 is None:
        return None
    return Joint(
        name=bushing.name,
        type=Floating(),
        parent=bushing.body2,
        child=bushing.body1,
        pose=bushing.pose,
        actuation=Actuation.PASSIVE,
        origin=bushing.origin,
    )


def tree_priority(connection: Connection) -> int:
    """Return the priority of a connection for the spanning tree, the highest as the lowest number.

    Fixed joints to the world and motors come first, then joints whose coordinates have dynamics, then joints with fewer degrees
    of freedom, so that loops are cut at the joints with the fewest constraint equations.
    """
    joint = connection.joint
    if joint.is_fixed_to_world:
        return 0
    if connection.motor is not None:
        return 1
    if connection.bushing is not None:
        return 20  # it constrains nothing
    return 3 + joint.degrees_of_freedom if has_no_dynamics(joint) else 2


def has_no_dynamics(joint: Joint) -> bool:
    """Whether no command, limit, spring or friction acts on a joint's coordinates."""
    return joint.actuation is Actuation.FORCE and all(
        coordinate == UNCONSTRAINED_COORDINATE for coordinate in joint.coordinates
    )


def reversed_joint(joint: Joint, model: Model) -> Joint | None:
    """Return the joint with parent and child exchanged that has the same coordinates, or None if it does not exist.

    Those of a universal or compound joint are in the opposite order. A ball or free joint has other coordinates: those of its
    inverse.
    """
    if joint.parent is None:
        return None
    reverse = _REVERSALS.get(type(joint.type))
    if reverse is None or (isinstance(joint.type, Spherical) and not _has_state_only(joint)) or _has_spherical_motion(joint):
        return None
    child, parent = model.bodies[joint.child], model.bodies[joint.parent]
    exchanged = replace(
        joint,
        type=reverse(joint.type),
        parent=joint.child,
        child=joint.parent,
        pose=parent.pose.inverse() @ child.pose @ joint.pose,
        coordinates=joint.coordinates[::-1] if swaps_axes(joint.type) else joint.coordinates,
    )
    is_inverse = isinstance(joint.type, Spherical | Floating)
    return _with_reversed_initial_state(exchanged, joint, model) if is_inverse else exchanged


def _has_state_only(joint: Joint) -> bool:
    """Whether a joint has no dynamics besides an initial state: its forces would act along axes of the other body."""
    coordinates = [replace(each, initial_position=0.0, initial_velocity=0.0) for each in joint.coordinates]
    return has_no_dynamics(replace(joint, coordinates=tuple(coordinates)))


def _with_reversed_initial_state(exchanged: Joint, joint: Joint, model: Model) -> Joint:
    """Return a ball or free joint whose bodies are exchanged, with the initial state of the joint."""
    state = reversed_state(joint, model, joint.initial_positions, joint.initial_velocities)
    coordinates = [
        replace(coordinate, initial_position=position, initial_velocity=velocity)
        for coordinate, position, velocity in zip(joint.coordinates, *state, strict=True)
    ]
    return replace(exchanged, coordinates=tuple(coordinates))


def reversed_state(
    joint: Joint, model: Model, positions: Sequence[float], velocities: Sequence[float]
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return the positions and velocities of a joint with parent and child exchanged, from those of the joint."""
    reversed_positions = tuple(reverse_coordinates(joint, positions))
    if swaps_axes(joint.type):
        return reversed_positions, tuple(velocities[::-1])
    if isinstance(joint.type, Spherical):
        spin = rotate(motion_pose(joint.type, positions).wxyz, vector_from(velocities))
        return reversed_positions, scale(spin, -1.0)
    if isinstance(joint.type, Floating):
        return reversed_positions, _reversed_free_velocities(joint, model, positions, velocities)
    return reversed_positions, tuple(velocities)


def _reversed_free_velocities(
    joint: Joint, model: Model, positions: Sequence[float], velocities: Sequence[float]
) -> tuple[float, ...]:
    motion = motion_pose(joint.type, positions)
    pose_parent_joint = model.body_pose(joint.parent).inverse() @ model.bodies[joint.child].pose @ joint.pose
    to_child = conjugate((pose_parent_joint @ motion @ joint.pose.inverse()).wxyz)
    spin, slide = vector_from(velocities[:3]), vector_from(velocities[3:])
    # They are of the origin of the joint frame on the child; of the reversed joint it is the origin of that on the parent.
    arm = rotate(pose_parent_joint.wxyz, motion.position)
    slide = subtract(slide, cross(spin, arm))
    return (*scale(rotate(to_child, spin), -1.0), *scale(rotate(to_child, slide), -1.0))


def reverse_coordinates(joint: Joint, positions: Sequence[float]) -> Sequence[float]:
    """Return the positions of a reversed joint from those of the original joint, or vice versa."""
    if isinstance(joint.type, Spherical):
        return [-value for value in positions]
    if isinstance(joint.type, Floating):
        inverse = motion_pose(joint.type, positions).inverse()
        return (*rotation_vector_from_quaternion(inverse.wxyz), *inverse.position)
    return positions[::-1] if swaps_axes(joint.type) else positions


def swaps_axes(joint_type: JointType) -> bool:
    """Whether a joint's coordinates are in the opposite order after parent and child are exchanged."""
    return isinstance(joint_type, Universal | Compound)


def _has_spherical_motion(joint: Joint) -> bool:
    return isinstance(joint.type, Compound) and not all(isinstance(axis, Axis) for axis in joint.type.axes)


def _reverse_compound(compound: Compound) -> Compound:
    axes = [axis for axis in reversed(compound.axes) if isinstance(axis, Axis)]
    return Compound(axes=tuple([replace(axis, direction=scale(axis.direction, -1.0)) for axis in axes]))


_REVERSALS: dict[type, Callable[[Any], JointType]] = {
    Fixed: lambda fixed: fixed,
    Revolute: lambda revolute: Revolute(axis=scale(revolute.axis, -1.0)),
    Prismatic: lambda prismatic: Prismatic(axis=scale(prismatic.axis, -1.0)),
    Screw: lambda screw: Screw(axis=scale(screw.axis, -1.0), pitch=screw.pitch),
    Universal: lambda universal: Universal(axis1=scale(universal.axis2, -1.0), axis2=scale(universal.axis1, -1.0)),
    Spherical: lambda spherical: spherical,
    Cylindrical: lambda cylindrical: Cylindrical(axis=scale(cylindrical.axis, -1.0)),
    Compound: _reverse_compound,
    Floating: lambda free: free,
}
