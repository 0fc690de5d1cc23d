"""Stereo cameras: two images, and the depth that both together tell."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ossature.model import StereoCamera, StereoView
from ossature.model.sensor import DEFAULT_BASELINE
from ossature.model.sensor_fields import with_defaults
from ossature.simulation.sensors.camera import CameraBackend, ImageSource, colored
from ossature.simulation.sensors.rendered_view import View
from ossature.simulation.sensors.sensor_base import Device
from ossature.simulation.sensors.sensor_context import WorldFrame
from ossature.simulation.sensors.sensor_reading import Reading, output
from ossature.spatial import Pose

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Vector = NDArray[np.float64]

_SAME_DEPTH = 0.01
"""Relative difference of depths up to which both cameras see the same point."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StereoImages(Reading):
    """Two images, and depth in the first one."""

    first: NDArray[Any] = output("Image of the first camera, as it takes it.", shape="rows, columns, channels")
    second: NDArray[Any] = output("Image of the second camera, as it takes it.", shape="rows, columns, channels")
    disparity: Vector = output(
        "How much farther right than in the second rectified image what each pixel of the first camera sees is in the first "
        "one; not a number where the second camera does not see it.",
        shape="rows, columns",
        unit="pixel",
    )
    depth: Vector = output(
        "Distance along the first camera's z of what both cameras see; infinite for the rest.", shape="rows, columns", unit="m"
    )
    made_by: str = output("How the images were made: `renderer` or `rays`.")


class StereoDevice(Device):
    """Makes pairs of images."""

    READING: ClassVar[type[Reading]] = StereoImages
    TIMING: ClassVar[str] = (
        "One pair at each measurement time, both of one instant. Points are matched by where they are, without the mistakes of "
        "a search for what looks alike: what only one camera sees has no depth. The rectifications, where stated, are applied "
        "to places in the images before the disparity is taken."
    )
    description: StereoCamera

    def __init__(self, *details: Any) -> None:
        super().__init__(*details)
        self.way: CameraBackend | None = None
        views = self.description.views or ()
        self._cameras = [with_defaults(view.camera)[0] for view in views]
        self._places = [_frame_of(view, number) for number, view in enumerate(views)]
        self._rectifications = [np.eye(3) if view.rectification is None else np.array(view.rectification) for view in views]
        self._eyes = [ImageSource(camera, self._around) for camera in self._cameras]

    @property
    def period(self) -> float:
        """Time between two pairs [s]."""
        stated = self.description.measurement_time
        return float(self._cameras[0].measurement_time or 1.0) if stated is None else stated

    def sense(self) -> StereoImages:
        """Return a pair of images of now.

        Raises:
            RendererError: The renderer is asked for, and none can start.
        """
        frame = self.frame()
        frames = [_on(frame, place) for place in self._places]
        model, body = self._model.name, str(self.sensor.body)
        (first, way), (second, _) = (
            eye.view(place, model, body, self.way) for eye, place in zip(self._eyes, frames, strict=True)
        )
        disparity, depth = self._matched(first, second, frames)
        images = [colored(view, camera) for view, camera in zip((first, second), self._cameras, strict=True)]
        return StereoImages(
            **self._stamp(frame), first=images[0], second=images[1], disparity=disparity, depth=depth, made_by=way.value
        )

    def _matched(self, first: View, second: View, frames: list[WorldFrame]) -> tuple[Vector, Vector]:
        """Return disparity and depth of what both cameras see."""
        optics, other = self._eyes[0].optics, self._eyes[1].optics
        pixels = optics.centers()
        depth = first.depth.ravel()
        with np.errstate(invalid="ignore"):
            ahead = np.column_stack([optics.ahead_of(pixels), np.ones(len(pixels))]) * depth[:, None]
            world = ahead @ frames[0].rotation.T + frames[0].position
            points = (world - frames[1].position) @ frames[1].rotation
            seen = other.pixels_of(points)
            visible = _is_seen(seen, points[:, 2], second, other.width, other.height)
        shift = _moved(self._rectifications[0], pixels)[:, 0] - _moved(self._rectifications[1], seen)[:, 0]
        shape = first.depth.shape
        return np.where(visible, shift, np.nan).reshape(shape), np.where(visible, depth, np.inf).reshape(shape)


def _is_seen(pixels: Vector, depth: Vector, view: View, width: int, height: int) -> NDArray[np.bool_]:
    """Whether points are inside an image, and nothing is before them there."""
    inside = (pixels[:, 0] >= 0.0) & (pixels[:, 0] < width) & (pixels[:, 1] >= 0.0) & (pixels[:, 1] < height)
    columns, rows = (np.where(inside, pixels[:, axis], 0.0).astype(int) for axis in (0, 1))
    nearest = view.depth[rows, columns]
    return np.asarray(inside & np.isfinite(depth) & (depth <= nearest * (1.0 + _SAME_DEPTH)))


def _moved(homography: Vector, pixels: Vector) -> Vector:
    moved = np.column_stack([pixels, np.ones(len(pixels))]) @ homography.T
    with np.errstate(all="ignore"):
        return np.asarray(moved[:, :2] / moved[:, 2:])


def _frame_of(view: StereoView, number: int) -> WorldFrame:
    pose = view.pose if view.pose is not None else Pose((number * DEFAULT_BASELINE, 0.0, 0.0))
    return WorldFrame(np.array(pose.position), pose.matrix()[:3, :3])


def _on(frame: WorldFrame, inner: WorldFrame) -> WorldFrame:
    return WorldFrame(frame.position + frame.rotation @ inner.position, frame.rotation @ inner.rotation)
