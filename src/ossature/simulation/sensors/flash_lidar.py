"""Flash lidars, which measure an image of distances at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ossature.array_types import Vector
from ossature.model import FlashLaser
from ossature.sensor_models.camera_projection import CameraProjection
from ossature.simulation.sensors.lidar import DISTANCE_NOISE, measure_distances, ray_end_points
from ossature.simulation.sensors.raycast_scene import ShapeSelection
from ossature.simulation.sensors.reading_base import Reading, output
from ossature.simulation.sensors.sensor_base import Device


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RangeImage(Reading):
    """An image of distances."""

    distances: Vector = output(
        "Distance along the ray of each pixel; infinite if no shape is in range.", shape="rows, columns", unit="m"
    )
    points: Vector = output("End point of each ray in the sensor's frame.", shape="rows, columns, 3", unit="m")


class FlashLaserDevice(Device):
    """Casts a ray through the centre of each pixel."""

    READING: ClassVar[type[Reading]] = RangeImage
    TIMING: ClassVar[str] = (
        "One image at each measurement time, at the first step that is not before it; all rays are cast at once. Like a "
        "camera, it looks along z, with x to the right and y downwards."
    )
    NOISE: ClassVar[str] = DISTANCE_NOISE
    description: FlashLaser

    def __init__(self, *details: Any) -> None:
        super().__init__(*details)
        self._optics = CameraProjection.of(self.description)
        rays = np.column_stack(
            [self._optics.unproject(self._optics.pixel_centers()), np.ones(self._optics.width * self._optics.height)]
        )
        self._directions = rays / np.linalg.norm(rays, axis=1)[:, None]

    def sense(self) -> RangeImage:
        """Return an image of the present state."""
        frame, scene = self.frame(), self._context.scene(ShapeSelection.COLLISION)
        body = scene.body(self._model.name, str(self.sensor.body))
        directions = self._directions @ frame.rotation.T
        distances = measure_distances(scene, frame.position, directions, body, self.description, self._random)
        size = (self._optics.height, self._optics.width)
        points = ray_end_points(distances, self._directions)
        return RangeImage(**self._stamp(frame), distances=distances.reshape(size), points=points.reshape(*size, 3))
