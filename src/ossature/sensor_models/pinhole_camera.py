"""Which direction each pixel of a camera looks in, and at which pixel a point is seen.

A camera looks along z, with x to the right and y downwards. The first pixel reaches from 0 to 1 in both directions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ossature.model import Distortion, FlashLaser, PinholeCamera
from ossature.sensor_models.lens_distortion import distorted, undistorted

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Vector = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Optics:
    """How a camera sees.

    Attributes:
        width: Pixels in a row.
        height: Rows.
        matrix: The two upper rows of its matrix, shape (2, 3) [pixel].
        distortion: How its lens distorts, or None.
    """

    width: int
    height: int
    matrix: Vector
    distortion: Distortion | None = None

    @classmethod
    def of(cls, camera: PinholeCamera | FlashLaser) -> Optics:
        """Return how a camera or flash laser sees whose defaults are taken."""
        width, height = int(camera.width or 0), int(camera.height or 0)
        stated = camera.intrinsic
        if stated is None:
            stated = ((float(width), 0.0, 0.5 * width), (0.0, float(width), 0.5 * height))
        return cls(width, height, np.array(stated), getattr(camera, "distortion", None))

    @property
    def is_plain(self) -> bool:
        """Whether rows and columns are straight and at right angles: no skew, no distortion, and the image not turned."""
        skewed = self.matrix[0, 1] != 0.0 or self.matrix[1, 0] != 0.0
        return self.distortion is None and not skewed and bool(self.matrix[0, 0] > 0.0 and self.matrix[1, 1] > 0.0)

    def pixels_of(self, points: Vector) -> Vector:
        """Return where points of the camera's frame are seen, shape (n, 2) [pixel]; not numbers for those behind it."""
        with np.errstate(all="ignore"):
            ahead = np.where(points[:, 2:] > 0.0, points[:, :2] / points[:, 2:], np.nan)
        return self.pixels_at(ahead)

    def pixels_at(self, ahead: Vector) -> Vector:
        """Return where points at distance one are seen, shape (n, 2) [pixel]."""
        return np.asarray(distorted(ahead, self.distortion) @ self.matrix[:, :2].T + self.matrix[:, 2])

    def ahead_of(self, pixels: Vector) -> Vector:
        """Return the points at distance one that are seen at places of the image, shape (n, 2); not numbers for none."""
        seen = (pixels - self.matrix[:, 2]) @ np.linalg.inv(self.matrix[:, :2]).T
        return undistorted(seen, self.distortion)

    def centers(self) -> Vector:
        """Return the centres of all pixels, row by row, shape (height * width, 2) [pixel]."""
        rows, columns = np.mgrid[: self.height, : self.width]
        return np.stack([columns.ravel() + 0.5, rows.ravel() + 0.5], axis=1)
