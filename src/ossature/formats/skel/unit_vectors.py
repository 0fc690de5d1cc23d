"""Unit vectors in SKEL files: axes and normals, which are normalized if necessary."""

from __future__ import annotations

import sys
from functools import partial

from ossature.diagnostics import Location, Report
from ossature.formats.skel import rules
from ossature.spatial import Vector3, norm, unit
from ossature.syntax.xml_fixes import replace_at
from ossature.syntax.xml_values import VECTOR3

_LENGTH_TOLERANCE = 1e-3
"""Tolerance of the length: authors round, so that 0.707 0.707 0 is meant to be a unit vector; 1 1 0 is not."""


def read_direction(vector: Vector3, default: Vector3, name: str, location: Location | None, report: Report) -> Vector3:
    """Return the unit vector along a vector, or the default for a zero vector; other lengths than 1 are findings."""
    length = norm(vector)
    if length < sys.float_info.min or length - length != 0.0:
        report.add(rules.ZERO_AXIS, f"{name} is zero: using {VECTOR3.format(default)}", location)
        return default
    if abs(length - 1.0) > _LENGTH_TOLERANCE:
        fix = partial(replace_at, [(location, VECTOR3.format(unit(vector)))], keeps_model=True)
        report.add(rules.NON_UNIT_AXIS, f"{name} has length {length:.6g}: normalized", location, fix=fix)
    return unit(vector)
