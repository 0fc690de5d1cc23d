"""Chrono motors → motors of the model."""

from __future__ import annotations

from ossature import model
from ossature.formats.chrono import rules
from ossature.formats.chrono.read_context import ChronoReadContext
from ossature.formats.chrono.read_function import read_function
from ossature.formats.chrono.schema_model import MotorElement
from ossature.model.joint import Z_AXIS
from ossature.spatial import Pose, quaternion_between
from ossature.syntax import rules as syntax_rules

GUIDES = {
    ("LINEAR", "PRISMATIC"): model.MotorKinematics.PRISMATIC,
    ("LINEAR", "SPHERICAL"): model.MotorKinematics.SPHERICAL,
    ("LINEAR", "FREE"): model.MotorKinematics.LINEAR_FREE,
    ("ROTATION", "REVOLUTE"): model.MotorKinematics.REVOLUTE,
    ("ROTATION", "CYLINDRICAL"): model.MotorKinematics.CYLINDRICAL,
    ("ROTATION", "FREE"): model.MotorKinematics.ROTATION_FREE,
}
"""Kinematics of a motor, by its type and its guide or spindle."""

_LARGEST_ANGLE_RAD = 25.0


def read_motor(element: MotorElement, reading: ChronoReadContext) -> model.Motor | None:
    """Return the motor of an element, or None if it is invalid."""
    complete = element.type is not None and element.actuation_type is not None and element.actuation_function is not None
    if not reading.connects(element) or not complete or element.position is None or element.axis is None:
        return None
    axis = reading.axis(element, "axis")
    function = None if element.actuation_function is None else read_function(element.actuation_function, reading)
    if axis is None or function is None:
        return None
    guide = _read_motor_kinematics(element, reading)
    if guide is None:
        return None
    drive = model.DriveMode((element.actuation_type or "").lower())
    if reading.degrees and guide.is_rotational and drive is model.DriveMode.POSITION:
        _report_degrees(element, function, reading)
    body1 = element.body1 or ""
    return model.Motor(
        name=element.name or "",
        body1=body1,
        body2=element.body2,
        guide=guide,
        drive=drive,
        function=function,
        pose=reading.frame(body1).inverse() @ Pose(element.position, quaternion_between(Z_AXIS, axis)),
        axis=Z_AXIS,
        origin=element.location(),
    )


def _read_motor_kinematics(element: MotorElement, reading: ChronoReadContext) -> model.MotorKinematics | None:
    is_linear = element.type == "LINEAR"
    used, unused, default = ("guide", "spindle", "PRISMATIC") if is_linear else ("spindle", "guide", "REVOLUTE")
    reading.report_unused(element, unused)
    joint_type = getattr(element, used) or default
    found = GUIDES.get((element.type or "", joint_type))
    if found is None:
        choices = ", ".join(sorted(choice for motor_type, choice in GUIDES if motor_type == element.type))
        message = f"'{used}' of a {element.type} motor is '{joint_type}'"
        reading.report.add(syntax_rules.INVALID_CHOICE, message, element.location(used), hint=f"valid: {choices}")
    return found


def _report_degrees(element: MotorElement, function: model.Function, reading: ChronoReadContext) -> None:
    largest = _largest_magnitude(function)
    if largest > _LARGEST_ANGLE_RAD:
        reading.report.add(
            rules.DEGREES_SUSPECTED,
            f"motor '{element.name}' reaches {largest:g} rad ({largest / 6.283185307179586:.1f} revolutions)",
            element.location("actuation_function"),
            hint="functions of rotation are in radians; angle_degrees does not apply",
        )


def _largest_magnitude(function: model.Function) -> float:
    match function:
        case model.RepeatedFunction():
            return _largest_magnitude(function.function)
        case model.ConstantFunction():
            return abs(function.value)
        case model.SineFunction():
            return abs(function.amplitude) + abs(function.offset)
        case model.TableFunction():
            return max((abs(value) for _, value in function.points), default=0.0)
    return 0.0
