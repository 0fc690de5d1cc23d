"""The plane of a planar joint, of which URDF states the normal alone."""

from __future__ import annotations

from ossature.model.joint import X_AXIS, Y_AXIS, Z_AXIS
from ossature.spatial import Vector3, quaternion_between, rotate, unit

_NAMED = {Z_AXIS: (X_AXIS, Y_AXIS), X_AXIS: (Y_AXIS, Z_AXIS), Y_AXIS: (Z_AXIS, X_AXIS)}


def plane_of(normal: Vector3) -> tuple[Vector3, Vector3]:
    """Return the directions of the two slides of a planar joint, at right angles to its unit normal.

    The specification leaves them open. For a coordinate axis they are the next two axes in turn; for any other normal they
    are x and y, turned as z has to be turned by the shortest way to become the normal.
    """
    if normal in _NAMED:
        return _NAMED[normal]
    turn = quaternion_between(Z_AXIS, normal)
    return unit(rotate(turn, X_AXIS)), unit(rotate(turn, Y_AXIS))
