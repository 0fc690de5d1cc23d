"""Schema of calibration files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from ossature.model.sensor import DistortionModel
from ossature.spatial import Vector3
from ossature.syntax.schema import Element, child, element
from ossature.syntax.yaml_values import NUMBER, NUMBERS, STRING, VECTOR3, rows, vector, word

OWN = "Ossature"


class CalibrationLinkElement(Element, source=OWN):
    """Pose of a link in its parent link, with the joint between them at zero."""

    link: str | None = child(STRING, required=True, doc="The link: MODEL/BODY.")
    position: Vector3 | None = child(VECTOR3, required=True, unit="m", doc="Its origin.")
    wxyz: tuple[float, ...] | None = child(vector(4), doc="Its rotation, a unit quaternion; identity by default.")


class CalibrationJointElement(Element, source=OWN):
    """Encoder offset of a joint."""

    joint: str | None = child(STRING, required=True, doc="The joint: MODEL/JOINT.")
    offset: float | None = child(
        NUMBER, required=True, unit="rad or m", doc="At the coordinate q its pose is that of the nominal joint at q + offset."
    )


class CalibrationSensorElement(Element, source=OWN):
    """Pose and parameters of a sensor."""

    sensor: str | None = child(STRING, required=True, doc="The sensor: MODEL/SENSOR.")
    position: Vector3 | None = child(VECTOR3, unit="m", doc="Its origin in its link.")
    wxyz: tuple[float, ...] | None = child(vector(4), doc="Its rotation in its link.")
    intrinsic: tuple[tuple[float, ...], ...] | None = child(
        rows(3), unit="pixel", doc="Of a camera: two rows, [fx, skew, cx] and [0, fy, cy]."
    )
    focal_length: float | None = child(NUMBER, unit="m", doc="Of a camera: focal length of its lens.")
    distortion: str | None = child(word(*DistortionModel), doc="Of a camera: distortion model of its lens.")
    distortion_coefficients: tuple[float, ...] | None = child(NUMBERS, doc="Coefficients of that model.")


class CalibrationActuatorElement(Element, source=OWN):
    """The gains of a drive, at the joint."""

    actuator: str | None = child(STRING, required=True, doc="The actuator: MODEL/ACTUATOR.")
    proportional: float | None = child(NUMBER, required=True, unit="N·m/rad", doc="Torque per error.")
    derivative: float | None = child(NUMBER, required=True, unit="N·m·s/rad", doc="Torque per error of the rate.")
    integral: float = child(NUMBER, default=0.0, unit="N·m/(rad·s)", doc="Torque per integral of the error.")


class CalibrationParameterElement(Element, source=OWN):
    """The value of an attribute."""

    parameter: str | None = child(STRING, required=True, doc="The attribute: MODEL/ELEMENT.ATTRIBUTE.")
    value: float | None = child(NUMBER, required=True, doc="Its value, in SI units.")
    standard_error: float | None = child(NUMBER, doc="Standard error of the value.")


class CalibrationFile(Element, source=OWN):
    """A calibration: the differences between one robot and its model file."""

    version: float | None = child(NUMBER, name="ossature-calibration", required=True, doc="The version: 1.")
    links: tuple[CalibrationLinkElement, ...] = element(
        CalibrationLinkElement, repeated=True, doc="Poses of links; applied first."
    )
    joints: tuple[CalibrationJointElement, ...] = element(CalibrationJointElement, repeated=True, doc="Offsets of joints.")
    sensors: tuple[CalibrationSensorElement, ...] = element(
        CalibrationSensorElement, repeated=True, doc="Poses and parameters of sensors."
    )
    actuators: tuple[CalibrationActuatorElement, ...] = element(
        CalibrationActuatorElement, repeated=True, doc="Gains of drives."
    )
    parameters: tuple[CalibrationParameterElement, ...] = element(
        CalibrationParameterElement, repeated=True, doc="Values of attributes; applied last."
    )

    ignored: ClassVar[Mapping[str, str]] = {}


ROOTS: tuple[tuple[str, type[Element]], ...] = (("calibration", CalibrationFile),)
