"""What can be wrong with a calibration."""

from __future__ import annotations

from ossature.diagnostics import Rule, Severity

BAD_CALIBRATION = Rule(
    name="bad-calibration",
    severity=Severity.ERROR,
    summary="A calibration file cannot be read, or says something that has no meaning.",
    explanation=(
        "It begins with ossature-calibration: 1 and lists links, joints, sensors and actuators. A position and a quaternion "
        "make a place; a quaternion has length one."
    ),
)
UNKNOWN_CALIBRATED = Rule(
    name="unknown-calibrated",
    severity=Severity.ERROR,
    summary="A calibration names something that the robot does not have, or names it twice.",
    explanation="The rest of the calibration is applied. Names are MODEL/NAME; the hint tells the nearest one.",
)
UNCALIBRATED_JOINT = Rule(
    name="uncalibrated-joint",
    severity=Severity.ERROR,
    summary="A calibration gives an offset to a joint, or a place to a link, that can have none.",
    explanation=(
        "Offsets are those of turns, slides and screws, which have one coordinate; what has several can be calibrated by the "
        "place of its link. A link that no joint carries has no place of its own."
    ),
)
UNCALIBRATED_SENSOR = Rule(
    name="uncalibrated-sensor",
    severity=Severity.ERROR,
    summary="A calibration gives parameters of a camera to a sensor that has none.",
    explanation="Pinhole cameras have intrinsics, a focal length and a distortion, flash lasers intrinsics alone.",
)
CALIBRATION_ABSENT = Rule(
    name="calibration-absent",
    severity=Severity.WARNING,
    summary="A model file names a calibration that is not there.",
    explanation=(
        "A calibration is one robot's own, and optional: without it the robot is as it was drawn. The name is written again "
        "when the model is. Put the file beside the model's, or give one with --calibration."
    ),
)
CALIBRATED = Rule(
    name="calibrated",
    severity=Severity.NOTE,
    summary="The calibration that a model file names is applied.",
    explanation="A file that is written from here holds the calibrated numbers, and does not name the calibration again.",
)

RULES = (BAD_CALIBRATION, UNKNOWN_CALIBRATED, UNCALIBRATED_JOINT, UNCALIBRATED_SENSOR, CALIBRATION_ABSENT, CALIBRATED)
