"""Projection of points to pixels of a camera, and of pixels to normalized image coordinates.

A camera looks along z, with x to the right and y downwards. The first pixel extends from 0 to 1 in both directions.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ossature.array_types import Vector
from ossature.model import Distortion, FlashLaser, PinholeCamera
from ossature.sensor_models.lens_distortion import distort, undistort


@dataclass(frozen=True, slots=True)
class CameraProjection:
    """The camera model: pinhole projection with lens distortion.

    Attributes:
        width: Pixels in a row.
        matrix: The two upper rows of its intrinsic matrix, shape (2, 3) [pixel].
    """

    width: int
    height: int
    matrix: Vector
    distortion: Distortion | None = None

    @classmethod
    def of(cls, camera: PinholeCamera | FlashLaser) -> CameraProjection:
        """Return the optics of a camera or flash laser whose defaults are filled in."""
        width, height = int(camera.width or 0), int(camera.height or 0)
        intrinsic = camera.intrinsic
        if intrinsic is None:
            intrinsic = ((float(width), 0.0, 0.5 * width), (0.0, float(width), 0.5 * height))
        return cls(width, height, np.array(intrinsic), getattr(camera, "distortion", None))

    @property
    def is_rectilinear(self) -> bool:
        """Whether the image has no skew, no distortion and no rotation."""
        skewed = self.matrix[0, 1] != 0.0 or self.matrix[1, 0] != 0.0
        return self.distortion is None and not skewed and bool(self.matrix[0, 0] > 0.0 and self.matrix[1, 1] > 0.0)

    def project(self, points: Vector) -> Vector:
        """Return the pixel positions of points in the camera's frame, shape (n, 2) [pixel]; NaN for points behind it."""
        with np.errstate(all="ignore"):
            normalized = np.where(points[:, 2:] > 0.0, points[:, :2] / points[:, 2:], np.nan)
        return self.project_normalized(normalized)

    def project_normalized(self, normalized: Vector) -> Vector:
        """Return the pixel positions of normalized coordinates, shape (n, 2) [pixel]."""
        return np.asarray(distort(normalized, self.distortion) @ self.matrix[:, :2].T + self.matrix[:, 2])

    def unproject(self, pixels: Vector) -> Vector:
        """Return the normalized coordinates of pixel positions, shape (n, 2); NaN if there are none."""
        undistorted_positions = (pixels - self.matrix[:, 2]) @ np.linalg.inv(self.matrix[:, :2]).T
        return undistort(undistorted_positions, self.distortion)

    def pixel_centers(self) -> Vector:
        """Return the centres of all pixels, row by row, shape (height * width, 2) [pixel]."""
        rows, columns = np.mgrid[: self.height, : self.width]
        return np.stack([columns.ravel() + 0.5, rows.ravel() + 0.5], axis=1)
