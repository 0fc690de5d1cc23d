"""What a camera sees, before it becomes an image: colours, depth and shapes; and the casting of rays for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ossature.sensor_models.pinhole_camera import Optics
from ossature.simulation.sensors.raycast import raycast
from ossature.simulation.sensors.raycast_scene import RaycastScene
from ossature.simulation.sensors.sensor_context import WorldFrame

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Vector = NDArray[np.float64]

FARTHEST = 1000.0
"""Cameras see no farther [m]."""
_RAYS_AT_ONCE = 65536


@dataclass(frozen=True, slots=True)
class View:
    """What is seen in each pixel.

    Attributes:
        colors: Red, green and blue from 0 to 1, shape (height, width, 3); black where nothing is seen.
        depth: Distance along the camera's z, shape (height, width) [m]; infinite where nothing is seen.
        shapes: The scene's number of the shape that is seen, shape (height, width); -1 for none.
    """

    colors: Vector
    depth: Vector
    shapes: NDArray[np.int32]


def cast_view(scene: RaycastScene, frame: WorldFrame, optics: Optics, ahead: Vector, exclude: int) -> View:
    """Return what is seen along one ray through the middle of each pixel, in flat colours.

    Args:
        scene: What there is to see.
        frame: The camera's frame.
        optics: How it sees.
        ahead: The point at distance one that each pixel looks at, shape (height * width, 2).
        exclude: The scene's number of a body that is not seen, or -1.
    """
    depth, shapes = np.full(len(ahead), np.inf), np.full(len(ahead), -1, np.int32)
    looking = np.flatnonzero(np.isfinite(ahead).all(axis=1))
    for first in range(0, len(looking), _RAYS_AT_ONCE):
        pixels = looking[first : first + _RAYS_AT_ONCE]
        rays = np.column_stack([ahead[pixels], np.ones(len(pixels))])
        lengths = np.linalg.norm(rays, axis=1)
        directions = (rays / lengths[:, None]) @ frame.rotation.T
        hits = raycast(scene, frame.position, directions, farthest=FARTHEST, exclude=exclude)
        depth[pixels], shapes[pixels] = hits.distances / lengths, hits.geoms
    colors = np.zeros((len(ahead), 3))
    seen = shapes >= 0
    colors[seen] = scene.model.geom_rgba[shapes[seen], :3]
    size = (optics.height, optics.width)
    return View(colors.reshape(*size, 3), depth.reshape(size), shapes.reshape(size))
