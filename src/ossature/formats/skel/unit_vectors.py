"""Directions in SKEL files: axes and normals, which should be unit vectors and need not be."""

from __future__ import annotations

import sys

from ossature.diagnostics import Location, Report
from ossature.formats.skel import rules
from ossature.spatial import Vector3, norm, unit

_ROUNDING = 1e-3
"""Authors round: 0.707 0.707 0 is meant to be a unit vector, 1 1 0 is not one."""


def direction(vector: Vector3, default: Vector3, name: str, location: Location | None, report: Report) -> Vector3:
    """Return the unit vector along a vector, or the default where it has no direction; both with a finding."""
    length = norm(vector)
    if length < sys.float_info.min or length - length != 0.0:
        report.add(rules.NO_DIRECTION, f"{name} is zero: {_text(default)} is taken", location)
        return default
    if abs(length - 1.0) > _ROUNDING:
        report.add(rules.UNNORMALISED_AXIS, f"{name} has length {length:.6g}: only its direction counts", location)
    return unit(vector)


def _text(vector: Vector3) -> str:
    return " ".join(f"{component:g}" for component in vector)
