"""Another zero configuration of a model: it moves as before, but starts with all joints, motors and springs elsewhere.

Formats with absolute coordinates, such as Chrono's, state the poses of bodies at the start, which are also those at which the
coordinates of joints, motors and rotational springs are zero, and at which bushings are relaxed. A model that continues from
a later state has other such poses, and limits, functions and free angles that are shifted by the displacements since.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from ossature.kinematics.forward_kinematics import pose_parent_joint
from ossature.kinematics.joint_coordinates import joint_coordinates
from ossature.kinematics.joint_factorization import factor_joint, factor_pose
from ossature.kinematics.joint_graph_edges import Connection, connections
from ossature.kinematics.joint_transforms import motion_pose
from ossature.kinematics.spanning_tree import spanning_tree
from ossature.kinematics.time_function_evaluation import value_at
from ossature.kinematics.time_function_shift import add_constant, begin_at
from ossature.model import (
    Axis,
    Bushing,
    Compound,
    Coordinate,
    Cylindrical,
    DriveMode,
    Euler,
    ExternalFunction,
    Floating,
    Function,
    Joint,
    JointEquality,
    JointType,
    Model,
    Motor,
    MotorKinematics,
    MujocoJoint,
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
    SpringDamper,
    Universal,
    hint_of,
)
from ossature.model.joint import X_AXIS, Y_AXIS, Z_AXIS
from ossature.spatial import (
    IDENTITY,
    Pose,
    Vector3,
    conjugate,
    cross,
    dot,
    multiply,
    norm,
    quaternion_from_axis_angle,
    rotate,
    rotation_vector_from_quaternion,
    subtract,
)

_UNMOVED = 1e-12
"""Displacement that is rounding [m or rad]."""
_ONE_AXIS = (Revolute, Screw, Prismatic, Cylindrical)
_PARALLEL = 1e-9
_CLOSED = 1e-4
"""Deviation of a body from a joint of a mechanism with loops, which a simulation may have left [m or rad]."""
_NEAR = 1e-6
"""Deviation that is rounding of a state: of a body from a joint, of a motor's coordinate from its function, and of a rotation
from one about an axis [m or rad]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedZeroConfiguration:
    """A model with another zero configuration.

    Attributes:
        model: The model. Its joints have zero positions and the velocities that they had; its bodies have the given poses.
        problems: By name of an element, why it moves otherwise from there.
        contradictions: By name of a joint or motor, why it does not allow the poses.
    """

    model: Model
    problems: Mapping[str, str]
    contradictions: Mapping[str, str]


def change_zero_configuration(
    model: Model, poses: Mapping[str, Pose], time: float = 0.0, start: Mapping[str, Sequence[float]] | None = None
) -> ChangedZeroConfiguration:
    """Return a model that continues from a configuration which becomes its zero configuration.

    Args:
        model: The model. Its joints have the positions of the configuration.
        poses: The poses of all bodies in the frame of the model, which satisfy the joints.
        time: The time of the configuration, at which the functions of time of motors and loads begin [s].
        start: The positions of joints at time zero, from which the angles of rotational springs and the coordinates of motors
            that drive joints count; by default those of the configuration.
    """
    return _ZeroConfigurationChange(model, poses, time, start or {}).compute()


def begin_functions_at(model: Model, time: float) -> Model:
    """Return a model whose functions of time of motors and loads begin at a time [s]."""
    if time == 0.0 or not (model.motors or model.loads):
        return model
    motors = model.motors.map(lambda motor: replace(motor, function=begin_at(motor.function, time)))
    loads = model.loads.map(lambda load: replace(load, modulation=begin_at(load.modulation, time)))
    return replace(model, motors=motors, loads=loads)


class _ZeroConfigurationChange:
    """Expresses the elements of a model relative to other poses of its bodies."""

    def __init__(self, model: Model, poses: Mapping[str, Pose], time: float, start: Mapping[str, Sequence[float]]) -> None:
        self._model, self._poses, self._time, self._start = model, poses, time, start
        self._problems: dict[str, str] = {}

    def compute(self) -> ChangedZeroConfiguration:
        model = self._model
        bodies = [replace(body, pose=self._poses[body.name]) for body in model.bodies]
        joints = [self._joint(joint) for joint in model.joints]
        loads = [replace(load, modulation=begin_at(load.modulation, self._time)) for load in model.loads]
        changed = replace(
            model,
            bodies=NamedList(bodies),
            joints=NamedList(joints),
            bushings=model.bushings.map(self._bushing),
            spring_dampers=model.spring_dampers.map(self._spring),
            rotational_spring_dampers=model.rotational_spring_dampers.map(self._rotational_spring),
            motors=model.motors.map(self._motor),
            loads=NamedList(loads),
        )
        self._check_references()
        return ChangedZeroConfiguration(model=changed, problems=self._problems, contradictions=dict(self._contradictions()))

    def _pose(self, body: str | None) -> Pose:
        return IDENTITY if body is None else self._poses[body]

    def _frame_on_second(self, body1: str | None, body2: str | None, pose: Pose) -> Pose:
        """Return the frame in the second body that coincides, in the former zero configuration, with one in the first."""
        return self._model.body_pose(body2).inverse() @ self._model.body_pose(body1) @ pose

    def _refuse(self, name: str, reason: str) -> None:
        self._problems.setdefault(name, reason)

    # Joints

    def _joint(self, joint: Joint) -> Joint:
        positions = joint.initial_positions
        changed = replace(joint, coordinates=self._coordinates(joint), spelled_pose=None)
        if isinstance(joint.type, Floating) or not any(positions):
            return changed
        if isinstance(joint.type, Spherical) and joint.type.max_angle is not None:
            self._refuse(joint.name, "has a largest angle from a position at which it does not start")
        if isinstance(joint.type, Compound) and not all(axis.degrees_of_freedom == 1 for axis in joint.type.axes):
            self._refuse(joint.name, "has a spherical motion among others, which cannot start elsewhere")
            return changed
        return replace(changed, type=_displaced_type(joint.type, positions))

    def _coordinates(self, joint: Joint) -> tuple[Coordinate, ...]:
        vectors = _rotation_vector_coordinates(joint.type)
        result = []
        for number, coordinate in enumerate(joint.coordinates):
            start = coordinate.initial_position
            if start and number in vectors and (coordinate.stiffness or coordinate.position_limits.bounded):
                self._refuse(joint.name, "has a spring or limits of a rotation vector, which cannot start elsewhere")
            if start and coordinate.coupling is not None:
                self._refuse(joint.name, "is coupled to other joints at a position other than zero")
            hint = hint_of(coordinate, MujocoJoint)
            if start and hint is not None and hint.ref is not None:
                self._refuse(joint.name, "has a reference position of its own")
            result.append(_moved_coordinate(coordinate, start))
        return tuple(result)

    def _contradictions(self) -> Iterator[tuple[str, str]]:
        """Yield the joints and the motors with a guide that do not allow the poses, and why."""
        largest = _CLOSED if spanning_tree(self._model).loops else _NEAR
        for connection in connections(self._model):
            if connection.bushing is not None:
                continue
            deviation = self._deviation(connection)
            if not deviation <= largest:
                yield connection.name, f"would be displaced by {deviation:.3g} m or rad, which it does not allow"

    def _deviation(self, connection: Connection) -> float:
        """Return how far the poses of two bodies are from a motion of their joint [m or rad]."""
        joint = connection.joint
        before = self._pose(joint.parent) @ pose_parent_joint(self._model, joint)
        displacement = before.inverse() @ self._pose(joint.child) @ joint.pose
        positions = joint.initial_positions if connection.is_joint else joint_coordinates(joint, displacement)
        difference = motion_pose(joint.type, positions).inverse() @ displacement
        return max(norm(difference.position), norm(rotation_vector_from_quaternion(difference.wxyz)))

    def _check_references(self) -> None:
        """Refuse what depends on the positions of joints that have others now."""
        moved = {joint.name for joint in self._model.joints if any(joint.initial_positions)}
        if not moved:
            return
        for joint in self._model.joints:
            if joint.name not in moved and any(coordinate.coupling is not None for coordinate in joint.coordinates):
                self._refuse(joint.name, "is coupled to other joints, whose positions change")
        for equality in self._model.equalities:
            if isinstance(equality.type, JointEquality):
                self._refuse(equality.name, "depends on the positions of joints, which change")
        for elements in (self._model.tendons, self._model.actuators, self._model.keyframes):
            for element in elements:
                self._refuse(element.name, "depends on the positions of joints, which change")

    # Motors and force elements

    def _motor(self, motor: Motor) -> Motor:
        # The position of the frame is fixed in the first body, its axis in the second one.
        frame = self._frame_on_second(motor.body1, motor.body2, motor.pose)
        wxyz = multiply(conjugate(self._pose(motor.body1).wxyz), multiply(self._pose(motor.body2).wxyz, frame.wxyz))
        function = begin_at(motor.function, self._time)
        if motor.drive is DriveMode.POSITION:
            function = self._from_coordinate(motor, frame, function)
        elif motor.guide is MotorKinematics.ROTATION_FREE and motor.drive is DriveMode.SPEED and not self._drives_joint(motor):
            self._motor_angle(motor, frame)
        unchanged = norm(subtract(rotate(wxyz, motor.axis), rotate(motor.pose.wxyz, motor.axis))) < _UNMOVED
        pose = motor.pose if unchanged else Pose(motor.pose.position, wxyz)
        return replace(motor, pose=pose, function=function)

    def _from_coordinate(self, motor: Motor, frame: Pose, function: Function) -> Function:
        if isinstance(function, ExternalFunction):
            self._refuse(motor.name, "has a position that an external program supplies, which counts from the former start")
            return function
        driven = self._driven_coordinate(motor)
        if driven is not None:
            coordinate = driven
        elif motor.guide.is_rotational:
            coordinate = self._motor_angle(motor, frame)
        else:
            displacement = frame.inverse() @ self._pose(motor.body2).inverse() @ self._pose(motor.body1) @ motor.pose
            coordinate = dot(motor.axis, displacement.position)
        wanted = float(value_at(function, 0.0))
        if motor.guide.is_rotational and driven is None:
            coordinate += math.tau * round((wanted - coordinate) / math.tau)
        return add_constant(function, -wanted if abs(wanted - coordinate) < _NEAR else -coordinate)

    def _motor_angle(self, motor: Motor, frame: Pose) -> float:
        """Return the rotation of a motor about its axis since the former start, within half a turn [rad]."""
        displacement = frame.inverse() @ self._pose(motor.body2).inverse() @ self._pose(motor.body1) @ motor.pose
        vector = rotation_vector_from_quaternion(displacement.wxyz)
        if motor.guide is MotorKinematics.ROTATION_FREE and norm(cross(motor.axis, vector)) > _NEAR:
            self._refuse(motor.name, "drives an angle that its bodies have reached with another rotation than about its axis")
        return dot(motor.axis, vector)

    def _bushing(self, bushing: Bushing) -> Bushing:
        frame = bushing.pose2 or self._frame_on_second(bushing.body1, bushing.body2, bushing.pose)
        coincident = self._pose(bushing.body2).inverse() @ self._pose(bushing.body1) @ bushing.pose
        offset = frame.inverse() @ coincident
        is_relaxed = norm(offset.position) < _UNMOVED and norm(rotation_vector_from_quaternion(offset.wxyz)) < _UNMOVED
        return replace(bushing, pose2=None if is_relaxed else frame)

    def _spring(self, spring: SpringDamper) -> SpringDamper:
        has_length = spring.stiffness or spring.spring_curve or spring.force_map is not None
        if spring.free_length is not None or not has_length:
            return spring
        first = self._model.body_pose(spring.body1).transform(spring.point1)
        second = self._model.body_pose(spring.body2).transform(spring.point2)
        return replace(spring, free_length=math.dist(first, second))

    def _rotational_spring(self, spring: RotationalSpringDamper) -> RotationalSpringDamper:
        if not (spring.stiffness or spring.spring_curve):
            return spring
        angle = self._joint_angle(spring)
        if angle is None:
            angle = self._free_angle(spring)
        return spring if angle == 0.0 else replace(spring, free_angle=(spring.free_angle or 0.0) - angle)

    def _joint_angle(self, spring: RotationalSpringDamper) -> float | None:
        """Return the angle of a rotational spring since the start, if it is the coordinate of a joint [rad]."""
        found = self._joint_along(spring.body1, spring.body2, spring.axis, is_rotation=True)
        return None if found is None else self._displacement_since_start(*found, positive_child=spring.body2)

    def _drives_joint(self, motor: Motor) -> bool:
        return self._driven_coordinate(motor) is not None

    def _driven_coordinate(self, motor: Motor) -> float | None:
        """Return the coordinate of a motor without a guide since the start, if it is that of a joint [rad or m]."""
        if motor.joint_type is not None:
            return None
        axis = rotate(motor.pose.wxyz, motor.axis)
        found = self._joint_along(motor.body1, motor.body2, axis, is_rotation=motor.guide.is_rotational)
        return None if found is None else self._displacement_since_start(*found, positive_child=motor.body1)

    def _displacement_since_start(self, joint: Joint, number: int, sign: float, *, positive_child: str | None) -> float:
        start = self._start.get(joint.name, joint.initial_positions)
        change = joint.initial_positions[number] - start[number]
        return sign * (change if joint.child == positive_child else -change)

    def _joint_along(
        self, body1: str | None, body2: str | None, axis: Vector3, *, is_rotation: bool
    ) -> tuple[Joint, int, float] | None:
        """Return the joint that moves two bodies about or along an axis in the first one, its coordinate, and the sign of both.

        It has one axis, which is fixed on both bodies.
        """
        along = rotate(self._model.body_pose(body1).wxyz, axis)
        for joint in self._model.joints:
            has_one_axis = isinstance(joint.type, Compound) and len(joint.type.axes) == 1
            if {joint.parent, joint.child} != {body1, body2} or not (has_one_axis or isinstance(joint.type, _ONE_AXIS)):
                continue
            wxyz = multiply(self._model.body_pose(joint.child).wxyz, joint.pose.wxyz)
            for factor in factor_joint(joint.type):
                if factor.axis is None or factor.is_rotation is not is_rotation:
                    continue
                cosine = dot(along, rotate(wxyz, factor.axis))
                if abs(abs(cosine) - 1.0) < _PARALLEL:
                    return joint, factor.coordinate, math.copysign(1.0, cosine)
        return None

    def _free_angle(self, spring: RotationalSpringDamper) -> float:
        """Return the angle since the former start of a rotational spring that is the coordinate of no joint [rad]."""
        before = self._model.body_pose(spring.body1).inverse() @ self._model.body_pose(spring.body2)
        now = self._pose(spring.body1).inverse() @ self._pose(spring.body2)
        vector = rotation_vector_from_quaternion(multiply(now.wxyz, conjugate(before.wxyz)))
        if norm(vector) < _UNMOVED:
            return 0.0
        if self._time:
            self._refuse(spring.name, "has an angle whose full revolutions are not part of a state: no joint has its axis")
        elif norm(cross(spring.axis, vector)) > _NEAR:
            self._refuse(spring.name, "has an angle that its bodies have reached with another rotation than about its axis")
        return dot(spring.axis, vector)


def _moved_coordinate(coordinate: Coordinate, start: float) -> Coordinate:
    if start == 0.0:
        return coordinate
    hard = coordinate.hard_limits
    return replace(
        coordinate,
        initial_position=0.0,
        states_position=False,
        position_limits=_moved_range(coordinate.position_limits, start),
        hard_limits=None if hard is None else replace(hard, position=_moved_range(hard.position, start)),
        spring_reference=coordinate.spring_reference - start if coordinate.stiffness else coordinate.spring_reference,
    )


def _moved_range(limits: Range, start: float) -> Range:
    return Range(limits.lower - start, limits.upper - start)


def _rotation_vector_coordinates(joint_type: JointType) -> set[int]:
    """Return the numbers of the coordinates of a joint that are parts of a rotation vector."""
    return {factor.coordinate + number for factor in factor_joint(joint_type) if factor.axis is None for number in range(3)}


def _displaced_type(joint_type: JointType, q: Sequence[float]) -> JointType:
    """Return the type of a joint whose coordinates are zero where they were ``q``; its frame in the child is unchanged."""
    back = conjugate(motion_pose(joint_type, q).wxyz)
    match joint_type:
        case PointOnLine():
            return replace(joint_type, axis=rotate(back, joint_type.axis))
        case PointOnPlane() | Planar():
            return replace(joint_type, axis1=rotate(back, joint_type.axis1), axis2=rotate(back, joint_type.axis2))
        case Universal():
            second = quaternion_from_axis_angle(joint_type.axis2, -q[1])
            return replace(joint_type, axis1=rotate(second, joint_type.axis1))
        case Euler():
            return _displaced_compound(_compound_of(joint_type), q)
        case Compound():
            return _displaced_compound(joint_type, q)
    return joint_type


def _compound_of(euler: Euler) -> Compound:
    basis = {"x": X_AXIS, "y": Y_AXIS, "z": Z_AXIS}
    return Compound(axes=tuple([Axis(direction=basis[letter]) for letter in euler.order]))


def _displaced_compound(compound: Compound, q: Sequence[float]) -> Compound:
    """Return single-axis motions, each displaced by the motions after it."""
    factors = factor_joint(compound)
    after = IDENTITY
    axes: list[Axis] = []
    for axis, factor in reversed(list(zip(compound.axes, factors, strict=True))):
        assert isinstance(axis, Axis)  # noqa: S101  # refused by the caller
        back = after.inverse()
        axes.append(replace(axis, direction=rotate(back.wxyz, axis.direction), anchor=back.transform(axis.anchor)))
        after = factor_pose(factor, q) @ after
    return Compound(axes=tuple(reversed(axes)))
