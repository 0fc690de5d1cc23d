"""The axes of a planar joint, of which URDF specifies only the normal."""

from __future__ import annotations

from ossature.model.joint import X_AXIS, Y_AXIS, Z_AXIS
from ossature.spatial import Vector3, quaternion_between, rotate, unit

_COORDINATE_PLANES = {Z_AXIS: (X_AXIS, Y_AXIS), X_AXIS: (Y_AXIS, Z_AXIS), Y_AXIS: (Z_AXIS, X_AXIS)}


def plane_of(normal: Vector3) -> tuple[Vector3, Vector3]:
    """Return the two translation axes of a planar joint, orthogonal to its unit normal.

    The specification does not define them. For a coordinate axis they are the next two axes in cyclic order; for any other
    normal they are x and y, rotated by the smallest rotation from z to the normal.
    """
    if normal in _COORDINATE_PLANES:
        return _COORDINATE_PLANES[normal]
    rotation = quaternion_between(Z_AXIS, normal)
    return unit(rotate(rotation, X_AXIS)), unit(rotate(rotation, Y_AXIS))
