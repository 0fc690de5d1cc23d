"""Directions from which scenes are seen."""

from __future__ import annotations

from enum import StrEnum

import numpy as np

from ossature.spatial import Vector3


class StandardView(StrEnum):
    """A direction from which a scene is seen; the front of a robot is towards +x."""

    ISOMETRIC = "Isometric"
    FRONT = "Front"
    BACK = "Back"
    LEFT = "Left"
    RIGHT = "Right"
    TOP = "Top"

    def direction(self, up: Vector3) -> Vector3 | None:
        """Return the direction from the scene to the camera, or None for the default one."""
        above = np.array(up)
        ahead = np.array([1.0, 0.0, 0.0]) if abs(above[0]) < 0.5 else np.array([0.0, 0.0, 1.0])
        left = np.cross(above, ahead)
        directions = {
            StandardView.FRONT: ahead,
            StandardView.BACK: -ahead,
            StandardView.LEFT: left,
            StandardView.RIGHT: -left,
            StandardView.TOP: above - 1e-3 * ahead,  # exactly above, a camera with a fixed up vector has no orientation
        }
        if self not in directions:
            return None
        x, y, z = directions[self].tolist()
        return (x, y, z)
