"""Stereo cameras: two images, and depth from their disparity."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ossature.array_types import AnyArray, BoolArray, Vector
from ossature.model import StereoCamera, StereoView
from ossature.model.sensor import DEFAULT_BASELINE
from ossature.model.sensor_fields import with_defaults
from ossature.simulation.sensors.camera import CameraBackend, ImageSource, image_from_view
from ossature.simulation.sensors.reading_base import Reading, output
from ossature.simulation.sensors.rendered_view import View
from ossature.simulation.sensors.sensor_base import Device
from ossature.simulation.sensors.sensor_context import WorldFrame
from ossature.spatial import Pose

_DEPTH_TOLERANCE = 0.01
"""Relative difference of depths up to which both cameras see the same point."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StereoImages(Reading):
    """Two images, and depth in the first one."""

    first: AnyArray = output("Unrectified image of the first camera.", shape="rows, columns, channels")
    second: AnyArray = output("Unrectified image of the second camera.", shape="rows, columns, channels")
    disparity: Vector = output(
        "Horizontal position in the first rectified image minus that in the second one, of each pixel of the first camera; NaN "
        "if the second camera does not see the point.",
        shape="rows, columns",
        unit="pixel",
    )
    depth: Vector = output(
        "Distance along the first camera's z of points that both cameras see, else infinite.", shape="rows, columns", unit="m"
    )
    made_by: str = output("How the images were rendered: `renderer` or `rays`.")


class StereoDevice(Device):
    """Captures pairs of images."""

    READING: ClassVar[type[Reading]] = StereoImages
    TIMING: ClassVar[str] = (
        "One pair at each measurement time, both at the same time. Points are matched by exact positions, without errors of "
        "stereo matching; points that only one camera sees have no depth. Stated rectifications are applied "
        "to pixel positions before the disparity is computed."
    )
    description: StereoCamera

    def __init__(self, *details: Any) -> None:
        super().__init__(*details)
        self.backend: CameraBackend | None = None
        views = self.description.views or ()
        self._cameras = [with_defaults(view.camera)[0] for view in views]
        self._poses_of_cameras = [_camera_frame(view, number) for number, view in enumerate(views)]
        self._rectifications = [np.eye(3) if view.rectification is None else np.array(view.rectification) for view in views]
        self._image_sources = [ImageSource(camera, self._context) for camera in self._cameras]

    @property
    def period(self) -> float:
        """Time between two pairs [s]."""
        specified = self.description.measurement_time
        return float(self._cameras[0].measurement_time or 1.0) if specified is None else specified

    def sense(self) -> StereoImages:
        """Return a pair of images of the present state.

        Raises:
            RendererError: The renderer is requested and not available.
        """
        frame = self.frame()
        frames = [_compose_frames(frame, camera_frame) for camera_frame in self._poses_of_cameras]
        model, body = self._model.name, str(self.sensor.body)
        (first, backend), (second, _) = (
            source.view(camera_frame, model, body, self.backend)
            for source, camera_frame in zip(self._image_sources, frames, strict=True)
        )
        disparity, depth = self._match_points(first, second, frames)
        images = [image_from_view(view, camera) for view, camera in zip((first, second), self._cameras, strict=True)]
        return StereoImages(
            **self._stamp(frame), first=images[0], second=images[1], disparity=disparity, depth=depth, made_by=backend.value
        )

    def _match_points(self, first: View, second: View, frames: list[WorldFrame]) -> tuple[Vector, Vector]:
        """Return disparity and depth of the points that both cameras see."""
        optics, other = self._image_sources[0].optics, self._image_sources[1].optics
        pixels = optics.pixel_centers()
        depth = first.depth.ravel()
        with np.errstate(invalid="ignore"):
            points_in_first = np.column_stack([optics.unproject(pixels), np.ones(len(pixels))]) * depth[:, None]
            world = points_in_first @ frames[0].rotation.T + frames[0].position
            points = (world - frames[1].position) @ frames[1].rotation
            pixels_in_second = other.project(points)
            visible = _is_visible(pixels_in_second, points[:, 2], second, other.width, other.height)
        shift = (
            _apply_homography(self._rectifications[0], pixels)[:, 0]
            - _apply_homography(self._rectifications[1], pixels_in_second)[:, 0]
        )
        shape = first.depth.shape
        return np.where(visible, shift, np.nan).reshape(shape), np.where(visible, depth, np.inf).reshape(shape)


def _is_visible(pixels: Vector, depth: Vector, view: View, width: int, height: int) -> BoolArray:
    """Whether points are inside an image and not occluded."""
    inside = (pixels[:, 0] >= 0.0) & (pixels[:, 0] < width) & (pixels[:, 1] >= 0.0) & (pixels[:, 1] < height)
    columns, rows = (np.where(inside, pixels[:, axis], 0.0).astype(int) for axis in (0, 1))
    nearest = view.depth[rows, columns]
    return np.asarray(inside & np.isfinite(depth) & (depth <= nearest * (1.0 + _DEPTH_TOLERANCE)))


def _apply_homography(homography: Vector, pixels: Vector) -> Vector:
    homogeneous = np.column_stack([pixels, np.ones(len(pixels))]) @ homography.T
    with np.errstate(all="ignore"):
        return np.asarray(homogeneous[:, :2] / homogeneous[:, 2:])


def _camera_frame(view: StereoView, number: int) -> WorldFrame:
    pose = view.pose if view.pose is not None else Pose((number * DEFAULT_BASELINE, 0.0, 0.0))
    return WorldFrame(np.array(pose.position), pose.matrix()[:3, :3])


def _compose_frames(frame: WorldFrame, inner: WorldFrame) -> WorldFrame:
    return WorldFrame(frame.position + frame.rotation @ inner.position, frame.rotation @ inner.rotation)
