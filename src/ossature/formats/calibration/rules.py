"""Rules for calibration files."""

from __future__ import annotations

from ossature.diagnostics import Rule, Severity, shared_rules
from ossature.diagnostics.rule import rules_in

INVALID_CALIBRATION = Rule.error(
    "invalid-calibration",
    "CAL001",
    "A calibration file cannot be read, or has an invalid value.",
    "It starts with `ossature-calibration: 1` and lists links, joints, sensors and actuators. A pose is a position and a unit "
    "quaternion. Correct the value.",
    aliases=("bad-calibration",),
)
UNKNOWN_CALIBRATION_TARGET = Rule.error(
    "unknown-calibration-target",
    "CAL002",
    "A calibration refers to an element that the robot does not have, or refers to it twice.",
    "The rest of the calibration is applied. Names have the form MODEL/NAME. The hint names the nearest one.",
    aliases=("unknown-calibrated",),
)
UNCALIBRATABLE_JOINT = Rule.error(
    "uncalibratable-joint",
    "CAL003",
    "A calibration has an offset for a joint, or a pose for a link, that cannot have one.",
    "Offsets apply to revolute, prismatic and screw joints, which have one coordinate; calibrate other joints by the pose of "
    "the child link. A link without a parent joint has no pose. Remove the entry.",
    aliases=("uncalibrated-joint",),
)
UNCALIBRATABLE_SENSOR = Rule.error(
    "uncalibratable-sensor",
    "CAL004",
    "A calibration has camera parameters for a sensor without them.",
    "Pinhole cameras have intrinsics, a focal length and a distortion; flash lidars have intrinsics only. Remove the entry.",
    aliases=("uncalibrated-sensor",),
)
CALIBRATION_ABSENT = shared_rules.MISSING_FILE.with_severity(Severity.WARNING)
CALIBRATION_APPLIED = Rule.note(
    "calibration-applied",
    "CAL005",
    "The calibration that a model file refers to is applied.",
    "Written files contain the calibrated numbers, and no reference to the calibration.",
    aliases=("calibrated",),
)

RULES = rules_in(globals())
