"""Calibrations → calibration files."""

from __future__ import annotations

from ossature.formats.calibration.schema import (
    VERSION,
    CalibrationActuatorElement,
    CalibrationFile,
    CalibrationJointElement,
    CalibrationLinkElement,
    CalibrationSensorElement,
)
from ossature.model.calibration import Calibration, SensorPoseOffset
from ossature.spatial import IDENTITY_WXYZ, Pose, Quaternion
from ossature.syntax import yaml
from ossature.syntax.yaml_binding import unbind


def write_calibration(calibration: Calibration) -> str:
    """Return a calibration as the text of a file."""
    file = CalibrationFile(
        version=VERSION,
        links=tuple(
            [
                CalibrationLinkElement(link=f"{place.model}/{place.body}", position=place.pose.position, wxyz=_turn(place.pose))
                for place in calibration.links
            ]
        ),
        joints=tuple(
            [CalibrationJointElement(joint=f"{one.model}/{one.joint}", offset=one.offset) for one in calibration.joints]
        ),
        sensors=tuple([_sensor(place) for place in calibration.sensors]),
        actuators=tuple(
            [
                CalibrationActuatorElement(
                    actuator=f"{gains.model}/{gains.actuator}",
                    proportional=gains.controller.proportional,
                    derivative=gains.controller.derivative,
                    integral=gains.controller.integral,
                )
                for gains in calibration.actuators
            ]
        ),
    )
    return yaml.serialize(unbind(file))


def _turn(pose: Pose) -> Quaternion | None:
    return None if pose.wxyz == IDENTITY_WXYZ else pose.wxyz


def _sensor(place: SensorPoseOffset) -> CalibrationSensorElement:
    return CalibrationSensorElement(
        sensor=f"{place.model}/{place.sensor}",
        position=None if place.pose is None else place.pose.position,
        wxyz=None if place.pose is None else _turn(place.pose),
        intrinsic=place.intrinsic,
        focal_length=place.focal_length,
        distortion=None if place.distortion is None else place.distortion.model,
        distortion_coefficients=None if place.distortion is None else place.distortion.coefficients,
    )
