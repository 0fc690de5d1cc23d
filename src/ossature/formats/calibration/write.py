"""Calibrations → calibration files."""

from __future__ import annotations

from ossature.formats.calibration import schema
from ossature.formats.format import WriteContext, WrittenFiles
from ossature.model.calibration import Calibration, SensorPoseOffset
from ossature.spatial import IDENTITY_WXYZ, Pose, Quaternion
from ossature.syntax import yaml
from ossature.syntax.versioned_yaml import VERSION
from ossature.syntax.yaml_binding import unbind


def write(calibration: Calibration, context: WriteContext) -> WrittenFiles:
    """Return a calibration as a file."""
    return context.main_file(write_calibration(calibration))


def write_calibration(calibration: Calibration) -> str:
    """Return a calibration as the text of a file."""
    file = schema.CalibrationFile(
        version=VERSION,
        links=tuple(
            schema.CalibrationLinkElement(
                link=f"{offset.model}/{offset.body}", position=offset.pose.position, wxyz=_rotation_or_none(offset.pose)
            )
            for offset in calibration.links
        ),
        joints=tuple(
            schema.CalibrationJointElement(joint=f"{one.model}/{one.joint}", offset=one.offset) for one in calibration.joints
        ),
        sensors=tuple([_sensor_element(offset) for offset in calibration.sensors]),
        actuators=tuple(
            schema.CalibrationActuatorElement(
                actuator=f"{gains.model}/{gains.actuator}",
                proportional=gains.controller.proportional,
                derivative=gains.controller.derivative,
                integral=gains.controller.integral,
            )
            for gains in calibration.actuators
        ),
        parameters=tuple(
            schema.CalibrationParameterElement(parameter=one.path, value=one.value, standard_error=one.standard_error)
            for one in calibration.parameters
        ),
    )
    return yaml.serialize(unbind(file))


def _rotation_or_none(pose: Pose) -> Quaternion | None:
    return None if pose.wxyz == IDENTITY_WXYZ else pose.wxyz


def _sensor_element(offset: SensorPoseOffset) -> schema.CalibrationSensorElement:
    return schema.CalibrationSensorElement(
        sensor=f"{offset.model}/{offset.sensor}",
        position=None if offset.pose is None else offset.pose.position,
        wxyz=None if offset.pose is None else _rotation_or_none(offset.pose),
        intrinsic=offset.intrinsic,
        focal_length=offset.focal_length,
        distortion=None if offset.distortion is None else offset.distortion.model,
        distortion_coefficients=None if offset.distortion is None else offset.distortion.coefficients,
    )
