"""Calibration files: YAML overlays with the differences between one robot and its model file."""

from ossature.formats.calibration.apply import with_calibration
from ossature.formats.calibration.diff import calibration_between, uncompared_elements
from ossature.formats.calibration.read import parse_calibration, read_calibration
from ossature.formats.calibration.write import write_calibration

__all__ = [
    "calibration_between",
    "parse_calibration",
    "read_calibration",
    "uncompared_elements",
    "with_calibration",
    "write_calibration",
]
