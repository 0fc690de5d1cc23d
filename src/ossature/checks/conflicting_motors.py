"""A motor moves bodies in a direction that a joint between them, or another motor, does not allow."""

from __future__ import annotations

from ossature.checks.context import CheckContext
from ossature.diagnostics import Related, Report, shared_rules
from ossature.model import (
    Cylindrical,
    DriveMode,
    Fixed,
    Joint,
    Model,
    Motor,
    PointOnLine,
    PointOnPlane,
    Prismatic,
    Revolute,
    Screw,
    Spherical,
    Universal,
    World,
)
from ossature.spatial import Vector3, cross, dot, norm, rotate

RULE = shared_rules.CONFLICTING_MOTORS

_PARALLEL = 1e-6


def check(world: World, report: Report, context: CheckContext) -> None:
    """Report motors in conflict with another motor or joint of the same bodies."""
    for model in world.models:
        for number, motor in enumerate(model.motors):
            rival = _find_parallel_motor_or_blocking_joint(motor, number, model)
            if rival is not None:
                related = () if rival.origin is None else (Related(location=rival.origin, message="the other element"),)
                report.add(
                    RULE,
                    f"motor '{motor.name}' and '{rival.name}' impose conflicting motions",
                    motor.origin,
                    path=f"{model.name}/{motor.name}",
                    related=related,
                )


def _find_parallel_motor_or_blocking_joint(motor: Motor, number: int, model: Model) -> Joint | Motor | None:
    pair = {motor.body1, motor.body2}
    axis = _motor_axis(motor, model)
    for other in model.motors[:number]:
        same_pair = {other.body1, other.body2} == pair
        prescribe = DriveMode.FORCE not in (motor.drive, other.drive)
        alike = (
            motor.guide.is_rotational is other.guide.is_rotational and norm(cross(axis, _motor_axis(other, model))) < _PARALLEL
        )
        if same_pair and prescribe and alike:
            return other
    for joint in model.joints:
        if {joint.child, joint.parent} == pair and joint.child in model.bodies and not _allows(joint, motor, axis, model):
            return joint
    return None


def _motor_axis(motor: Motor, model: Model) -> Vector3:
    return rotate(model.body_pose(motor.body1).wxyz, rotate(motor.pose.wxyz, motor.axis))


def _allows(joint: Joint, motor: Motor, axis: Vector3, model: Model) -> bool:
    """Whether a joint allows the motion that a motor imposes, at the initial configuration."""
    wxyz = (model.bodies[joint.child].pose @ joint.pose).wxyz
    own = {name: rotate(wxyz, value) for name in ("axis", "axis1", "axis2") if (value := getattr(joint.type, name, None))}
    along = "axis" in own and norm(cross(axis, own["axis"])) < _PARALLEL
    match joint.type:
        case Fixed():
            return False
        case Revolute():
            return motor.guide.is_rotational and along
        case Prismatic():
            return not motor.guide.is_rotational and along
        case Cylindrical() | Screw():
            return along
        case Spherical():
            return motor.guide.is_rotational
        case Universal():
            return motor.guide.is_rotational and abs(dot(axis, cross(own["axis1"], own["axis2"]))) < _PARALLEL
        case PointOnLine():
            return motor.guide.is_rotational or along
        case PointOnPlane():
            return motor.guide.is_rotational or abs(dot(axis, cross(own["axis1"], own["axis2"]))) < _PARALLEL
    return True
