"""Views of a camera before conversion to an image: colours, depth and shapes; and their ray casting."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ossature.array_types import Int32Array, Vector
from ossature.sensor_models.camera_projection import CameraProjection
from ossature.simulation.sensors.raycast import raycast
from ossature.simulation.sensors.raycast_scene import RaycastScene
from ossature.simulation.sensors.sensor_context import WorldFrame

MAX_DISTANCE = 1000.0
"""Largest distance that cameras see [m]."""
_RAYS_AT_ONCE = 65536


@dataclass(frozen=True, slots=True)
class View:
    """Colours, depth and shapes of each pixel.

    Attributes:
        colors: Red, green and blue from 0 to 1, shape (height, width, 3); black if no shape is visible.
        depth: Distance along the camera's z, shape (height, width) [m]; infinite if no shape is visible.
        shapes: The scene's index of the visible shape, shape (height, width); -1 if there is none.
    """

    colors: Vector
    depth: Vector
    shapes: Int32Array


def cast_view(scene: RaycastScene, frame: WorldFrame, optics: CameraProjection, normalized: Vector, exclude: int) -> View:
    """Return the view by one ray through the centre of each pixel, without shading.

    Args:
        frame: The camera's frame.
        normalized: The normalized coordinates of each pixel, shape (height * width, 2).
        exclude: The scene's index of an invisible body, or -1.
    """
    depth, shapes = np.full(len(normalized), np.inf), np.full(len(normalized), -1, np.int32)
    valid = np.flatnonzero(np.isfinite(normalized).all(axis=1))
    for first in range(0, len(valid), _RAYS_AT_ONCE):
        pixels = valid[first : first + _RAYS_AT_ONCE]
        rays = np.column_stack([normalized[pixels], np.ones(len(pixels))])
        lengths = np.linalg.norm(rays, axis=1)
        directions = (rays / lengths[:, None]) @ frame.rotation.T
        hits = raycast(scene, frame.position, directions, farthest=MAX_DISTANCE, exclude=exclude)
        depth[pixels], shapes[pixels] = hits.distances / lengths, hits.geoms
    colors = np.zeros((len(normalized), 3))
    is_hit = shapes >= 0
    colors[is_hit] = scene.model.geom_rgba[shapes[is_hit], :3]
    size = (optics.height, optics.width)
    return View(colors.reshape(*size, 3), depth.reshape(size), shapes.reshape(size))
