"""Conversion between poses and the six numbers of a SKEL ``<transformation>``."""

from __future__ import annotations

import sys
from functools import partial
from typing import Protocol

from ossature.diagnostics import Location, Report
from ossature.diagnostics.ledger import Ledger
from ossature.formats.skel import rules
from ossature.formats.skel.schema import ZERO6
from ossature.formats.suspected_degrees import report_suspected_degrees
from ossature.spatial import (
    IDENTITY,
    Pose,
    Vector3,
    conjugate,
    multiply,
    norm,
    quaternion_from_euler,
    rotation_vector_from_quaternion,
    unit,
)
from ossature.syntax.xml_fixes import replace_at
from ossature.syntax.xml_values import VECTOR3

ROUNDING = 1e-12
"""Rotations by smaller angles are rounding errors [rad]."""


class _HasTransformation(Protocol):
    @property
    def transformation(self) -> tuple[float, ...] | None: ...

    def location(self, name: str | None = None) -> Location | None: ...


def read_pose(element: _HasTransformation, report: Report) -> Pose:
    """Return the pose of a ``<transformation>``, ``x y z rx ry rz``: a position [m], and intrinsic X-Y-Z Euler angles [rad]."""
    if element.transformation is None or element.transformation == ZERO6:
        return IDENTITY
    x, y, z, rx, ry, rz = element.transformation
    locate = partial(element.location, "transformation")
    report_suspected_degrees("<transformation>", locate, (rx, ry, rz), report, position=(x, y, z))
    return Pose.from_euler((x, y, z), (rx, ry, rz), "xyz")


def transformation_of(pose: Pose, path: str, ledger: Ledger) -> tuple[float, ...]:
    """Return the six numbers of a pose; rounding errors of the angles are recorded in the ledger."""
    angles = pose.euler("xyz")
    read_back = quaternion_from_euler(angles, "xyz")
    if read_back != pose.wxyz and pose is not IDENTITY:
        error = norm(rotation_vector_from_quaternion(multiply(conjugate(pose.wxyz), read_back)))
        record = ledger.rewritten if error < ROUNDING else ledger.approximated
        record(path, "rotation written as Euler angles", error=error)
    return (*pose.position, *angles)


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
