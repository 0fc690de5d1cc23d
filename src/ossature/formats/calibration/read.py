"""Calibration files → calibrations."""

from __future__ import annotations

import math
from pathlib import Path

from ossature.diagnostics import Report, Source, within_limits
from ossature.formats.calibration import rules, schema
from ossature.formats.format import Content, Loaded, ReadContext
from ossature.formats.load_file import load_file
from ossature.model import Controller
from ossature.model.calibration import Calibration, Gains, JointOffset, LinkPoseOffset, ParameterValue, SensorPoseOffset
from ossature.model.sensor import Distortion, DistortionModel, IntrinsicMatrix
from ossature.spatial import IDENTITY_WXYZ, Pose, Vector3
from ossature.syntax.versioned_yaml import bind_file, read_each

_NEARLY_ONE = 1e-6


def read_calibration(path: str | Path, report: Report) -> Calibration | None:
    """Return the calibration in a file, or None if there is none; problems are reported."""
    return load_file(path, report, contents=(Content.CALIBRATION,)).calibration


def read(context: ReadContext) -> Loaded:
    """Return the calibration in a file."""
    return Loaded(calibration=parse_calibration(context.source, context.report))


@within_limits
def parse_calibration(source: Source, report: Report) -> Calibration | None:
    """Return the calibration in a text, or None if there is none; problems are reported."""
    file = bind_file(schema.CalibrationFile, "ossature-calibration", source, report, rules.INVALID_CALIBRATION)
    if file is None:
        return None
    return Calibration(
        links=read_each(file.links, _read_link_offset, report, rules.INVALID_CALIBRATION),
        joints=read_each(file.joints, _read_joint_offset, report, rules.INVALID_CALIBRATION),
        sensors=read_each(file.sensors, _read_sensor_offset, report, rules.INVALID_CALIBRATION),
        actuators=read_each(file.actuators, _read_gains, report, rules.INVALID_CALIBRATION),
        parameters=read_each(file.parameters, _read_parameter_value, report, rules.INVALID_CALIBRATION),
    )


def _read_link_offset(element: schema.CalibrationLinkElement) -> LinkPoseOffset | None:
    if element.link is None or element.position is None:
        return None  # reported by the binder
    model, body = _split_path(element.link)
    return LinkPoseOffset(model=model, body=body, pose=_read_pose(element.position, element.wxyz), origin=element.location())


def _read_joint_offset(element: schema.CalibrationJointElement) -> JointOffset | None:
    if element.joint is None or element.offset is None:
        return None
    model, joint = _split_path(element.joint)
    return JointOffset(model=model, joint=joint, offset=element.offset, origin=element.location())


def _read_sensor_offset(element: schema.CalibrationSensorElement) -> SensorPoseOffset | None:
    if element.sensor is None:
        return None
    if element.position is None and element.wxyz is not None:
        raise ValueError(f"'{element.sensor}' has a rotation without a position")
    model, sensor = _split_path(element.sensor)
    pose = None if element.position is None else _read_pose(element.position, element.wxyz)
    return SensorPoseOffset(
        model=model,
        sensor=sensor,
        pose=pose,
        intrinsic=_read_intrinsic_matrix(element),
        focal_length=element.focal_length,
        distortion=_read_distortion(element),
        origin=element.location(),
    )


def _read_intrinsic_matrix(element: schema.CalibrationSensorElement) -> IntrinsicMatrix | None:
    rows = element.intrinsic
    if rows is None:
        return None
    if len(rows) != 2:
        raise ValueError(f"'{element.sensor}': the intrinsics have {len(rows)} instead of 2 rows")
    (a, b, c), (d, e, f) = rows
    return ((a, b, c), (d, e, f))


def _read_distortion(element: schema.CalibrationSensorElement) -> Distortion | None:
    if element.distortion is None and element.distortion_coefficients is None:
        return None
    if element.distortion is None:
        raise ValueError(f"'{element.sensor}' has distortion coefficients, but no distortion model")
    return Distortion(model=DistortionModel(element.distortion), coefficients=element.distortion_coefficients or ())


def _read_gains(element: schema.CalibrationActuatorElement) -> Gains | None:
    if element.actuator is None or element.proportional is None or element.derivative is None:
        return None
    model, actuator = _split_path(element.actuator)
    gains = Controller(proportional=element.proportional, derivative=element.derivative, integral=element.integral)
    return Gains(model=model, actuator=actuator, controller=gains, origin=element.location())


def _read_parameter_value(element: schema.CalibrationParameterElement) -> ParameterValue | None:
    if element.parameter is None or element.value is None:
        return None
    return ParameterValue(
        path=element.parameter, value=element.value, standard_error=element.standard_error, origin=element.location()
    )


def _split_path(text: str) -> tuple[str, str]:
    model, slash, name = text.partition("/")
    if not slash or not model or not name:
        raise ValueError(f"'{text[:60]}' is not MODEL/NAME")
    return model, name


def _read_pose(position: Vector3, wxyz: tuple[float, ...] | None) -> Pose:
    if wxyz is None:
        return Pose(position, IDENTITY_WXYZ)
    if abs(math.hypot(*wxyz) - 1.0) > _NEARLY_ONE:
        raise ValueError(f"the quaternion {list(wxyz)} has the norm {math.hypot(*wxyz):.6g} instead of 1")
    return Pose(position, (wxyz[0], wxyz[1], wxyz[2], wxyz[3]))
