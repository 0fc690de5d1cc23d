"""Arms with a joint of every type in the middle, and couplings of its coordinates."""

from __future__ import annotations

from ossature.model import (
    Axis,
    Body,
    Compound,
    Cylindrical,
    Euler,
    Expression,
    Floating,
    Joint,
    JointPosition,
    JointType,
    Model,
    NamedList,
    Number,
    Operation,
    Operator,
    Planar,
    PointOnLine,
    PointOnPlane,
    Prismatic,
    Revolute,
    Screw,
    Spherical,
    SphericalMotion,
    Translational,
    Translational2D,
    Universal,
)
from ossature.spatial import Pose, quaternion_from_rotation_vector, unit

AXIS = unit((1.0, 2.0, -0.5))
ACROSS = unit((2.0, -1.0, 0.0))
TYPES: tuple[JointType, ...] = (
    Revolute(axis=AXIS),
    Prismatic(axis=AXIS),
    Screw(axis=AXIS, pitch=0.4),
    Cylindrical(axis=AXIS),
    Universal(axis1=AXIS, axis2=ACROSS),
    Spherical(),
    Euler(order="xyz"),
    Euler(order="zyx"),
    Translational(),
    Translational2D(axis1=AXIS, axis2=ACROSS),
    Planar(axis1=AXIS, axis2=ACROSS),
    PointOnLine(axis=AXIS),
    PointOnPlane(axis1=AXIS, axis2=ACROSS),
    Compound(axes=(Axis(direction=AXIS), Axis(direction=ACROSS, is_revolute=False), Axis(direction=(0.0, 0.0, 1.0)))),
    Floating(),
)
ANCHOR = (0.2, -0.1, 0.3)
BALLS = Compound(
    axes=(SphericalMotion(anchor=ANCHOR), Axis(direction=ACROSS, is_revolute=False), Axis(direction=AXIS, anchor=ANCHOR))
)
"""Rotations about points that are not the origin of the joint frame."""
PLACES = (
    Pose((0.1, -0.2, 0.3), quaternion_from_rotation_vector((0.3, 0.2, -0.5))),
    Pose((0.4, 0.3, 0.1), quaternion_from_rotation_vector((-0.7, 0.1, 0.4))),
    Pose((-0.2, 0.5, 0.6), quaternion_from_rotation_vector((0.2, -1.1, 0.3))),
    Pose((0.3, 0.1, -0.4), quaternion_from_rotation_vector((1.0, 0.4, 0.2))),
)


def name_of(joint_type: JointType) -> str:
    return type(joint_type).__name__


def model_of(joint_type: JointType) -> Model:
    """Return a turn, then a joint, then another turn, each joint frame apart from the body's."""
    types = (Revolute(axis=ACROSS), joint_type, Revolute(axis=AXIS))
    names = ("base", "one", "two", "three")
    joints = [
        Joint(name=f"j{number}", type=type_, parent=names[number], child=names[number + 1], pose=PLACES[number])
        for number, type_ in enumerate(types)
    ]
    bodies = [Body(name=name, pose=place) for name, place in zip(names, PLACES, strict=True)]
    return Model(name="arm", pose=PLACES[2], bodies=NamedList(bodies), joints=NamedList(joints))


def multiple(factor: float, source: str, coordinate: int = 0) -> Expression:
    position = JointPosition(joint=source, coordinate=coordinate)
    return Operation(operator=Operator.MULTIPLY, operands=(Number(value=factor), position))


FORMULAS: dict[str, Expression] = {
    "linear": Operation(operator=Operator.ADD, operands=(multiple(-0.5, "j0"), Number(value=0.2))),
    "of two": Operation(operator=Operator.SUBTRACT, operands=(multiple(2.0, "j0"), multiple(0.3, "j2"))),
    "curved": Operation(operator=Operator.SINE, operands=(multiple(1.5, "j2"),)),
    "product": Operation(operator=Operator.MULTIPLY, operands=(JointPosition(joint="j0", coordinate=0), multiple(0.5, "j2"))),
}
