"""Cameras of rendered images: perspective or orthographic, from any position."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ossature.array_types import Array
from ossature.spatial import Vector3
from ossature.viewer.camera_framing import FIELD_OF_VIEW, CameraFraming

_SMALLEST_DISTANCE = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderCamera:
    """A camera.

    Attributes:
        position: Its position [m].
        target: The point in the middle of the image [m].
        up: Direction that is upwards in the image.
        field_of_view: Angle of the shorter side of the image [rad].
        is_orthographic: Whether all rays are parallel. Then the image has the size of a perspective one at the target.

    Raises:
        ValueError: Position and target coincide, or the field of view is not between 0 and 180 degrees.
    """

    position: Vector3
    target: Vector3
    up: Vector3
    field_of_view: float = FIELD_OF_VIEW
    is_orthographic: bool = False

    def __post_init__(self) -> None:
        if not math.dist(self.position, self.target) > _SMALLEST_DISTANCE:
            raise ValueError("the camera is at the point that it looks at")
        if not 0.0 < self.field_of_view < math.pi:
            raise ValueError(f"the field of view is {math.degrees(self.field_of_view):g} degrees, not between 0 and 180")

    @classmethod
    def fitting(
        cls,
        framing: CameraFraming,
        aspect: float,
        direction: Vector3 | None = None,
        *,
        field_of_view: float = FIELD_OF_VIEW,
        is_orthographic: bool = False,
    ) -> RenderCamera:
        """Return the camera from which an image shows a whole scene.

        Args:
            framing: The bounding box of the scene.
            aspect: Aspect ratio of the image (width to height).
            direction: Direction from the scene to the camera, or None for the default one.
            field_of_view: Angle of the shorter side of the image [rad].
            is_orthographic: Whether all rays are parallel.
        """
        return cls(
            position=framing.eye_for(aspect, direction, field_of_view=field_of_view),
            target=framing.look_at_from(direction, field_of_view=field_of_view),
            up=framing.up,
            field_of_view=field_of_view,
            is_orthographic=is_orthographic,
        )

    @property
    def distance(self) -> float:
        """The distance of the target [m]."""
        return math.dist(self.position, self.target)

    def size_at_target(self) -> float:
        """Return the length of the shorter side of the image at the target [m]."""
        return 2.0 * self.distance * math.tan(self.field_of_view / 2.0)

    def axes(self) -> tuple[Array, Array, Array]:
        """Return the unit vectors ahead, to the right and upwards in the image."""
        ahead = np.array(self.target) - np.array(self.position)
        ahead /= np.linalg.norm(ahead)
        right = np.cross(ahead, self.up)
        if np.linalg.norm(right) < 1e-6:  # it looks along the up vector
            right = np.cross(ahead, np.eye(3)[np.argmin(np.abs(ahead))])
        right /= np.linalg.norm(right)
        return ahead, right, np.cross(right, ahead)

    def rays(self, columns: int, rows: int, first: int, last: int) -> tuple[Array, Array]:
        """Return origins [m] and unit directions of the rays through some rows of pixels, from the left and the top.

        Args:
            columns: Number of columns of the image.
            last: Row after the last one.
        """
        ahead, right, above = self.axes()
        x = (np.arange(columns) + 0.5 - columns / 2.0) / min(columns, rows)
        y = (rows / 2.0 - np.arange(first, min(last, rows)) - 0.5) / min(columns, rows)
        across = (x[None, :, None] * right + y[:, None, None] * above).reshape(-1, 3)
        eye = np.array(self.position)
        if self.is_orthographic:
            return eye + self.size_at_target() * across, np.tile(ahead, (len(across), 1))
        rays = ahead + 2.0 * math.tan(self.field_of_view / 2.0) * across
        return np.tile(eye, (len(across), 1)), np.asarray(rays / np.linalg.norm(rays, axis=1, keepdims=True))

    def pixel_size(self, distance: Array) -> Array:
        """Return the size of 1/1400 of the image at some distances [m]: the width of drawn lines."""
        if self.is_orthographic:
            return np.full(len(distance), self.size_at_target() / 1400.0)
        return distance * 2.0 * math.tan(self.field_of_view / 2.0) / 1400.0
