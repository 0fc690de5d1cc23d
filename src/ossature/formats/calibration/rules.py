"""Rules for calibration files."""

from __future__ import annotations

from ossature.diagnostics import Rule, Severity, shared_rules
from ossature.diagnostics.rule import rules_in

INVALID_CALIBRATION = Rule(
    name="invalid-calibration",
    code="CAL001",
    severity=Severity.ERROR,
    summary="A calibration file cannot be read, or has an invalid value.",
    explanation=(
        "It starts with `ossature-calibration: 1` and lists links, joints, sensors and actuators. A pose is a position and a "
        "unit quaternion. Correct the value."
    ),
    aliases=("bad-calibration",),
)
UNKNOWN_CALIBRATION_TARGET = Rule(
    name="unknown-calibration-target",
    code="CAL002",
    severity=Severity.ERROR,
    summary="A calibration refers to an element that the robot does not have, or refers to it twice.",
    explanation="The rest of the calibration is applied. Names have the form MODEL/NAME. The hint names the nearest one.",
    aliases=("unknown-calibrated",),
)
UNCALIBRATABLE_JOINT = Rule(
    name="uncalibratable-joint",
    code="CAL003",
    severity=Severity.ERROR,
    summary="A calibration has an offset for a joint, or a pose for a link, that cannot have one.",
    explanation=(
        "Offsets apply to revolute, prismatic and screw joints, which have one coordinate; calibrate other joints by the pose "
        "of the child link. A link without a parent joint has no pose. Remove the entry."
    ),
    aliases=("uncalibrated-joint",),
)
UNCALIBRATABLE_SENSOR = Rule(
    name="uncalibratable-sensor",
    code="CAL004",
    severity=Severity.ERROR,
    summary="A calibration has camera parameters for a sensor without them.",
    explanation=(
        "Pinhole cameras have intrinsics, a focal length and a distortion; flash lidars have intrinsics only. Remove the entry."
    ),
    aliases=("uncalibrated-sensor",),
)
CALIBRATION_ABSENT = shared_rules.MISSING_FILE.with_severity(Severity.WARNING)
CALIBRATION_APPLIED = Rule(
    name="calibration-applied",
    code="CAL005",
    severity=Severity.NOTE,
    summary="The calibration that a model file refers to is applied.",
    explanation="Written files contain the calibrated numbers, and no reference to the calibration.",
    aliases=("calibrated",),
)

RULES = rules_in(globals())
