"""Cameras."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ossature.model import ImageFormat, PinholeCamera
from ossature.sensor_models import rules
from ossature.sensor_models.image_formats import image_of
from ossature.sensor_models.pinhole_camera import Optics
from ossature.simulation.sensors.raycast_scene import RaycastScene, ShapeSelection
from ossature.simulation.sensors.rendered_view import View, cast_view
from ossature.simulation.sensors.renderer import Renderer, RendererError
from ossature.simulation.sensors.sensor_base import Device
from ossature.simulation.sensors.sensor_context import SensorContext, WorldFrame
from ossature.simulation.sensors.sensor_reading import Reading, output

if TYPE_CHECKING:
    from numpy.typing import NDArray


class CameraBackend(Enum):
    """How images are made."""

    RENDERER = "renderer"
    """Drawn by the engine's renderer, with light and shadow."""
    RAYS = "rays"
    """By casting a ray through the middle of each pixel, in flat colours."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CameraImage(Reading):
    """An image, with what it was made of."""

    image: NDArray[Any] = output(
        "The image, in its format; whole numbers up to the largest of it.", shape="rows, columns, channels"
    )
    depth: NDArray[np.float64] = output(
        "Distance along z in each pixel; infinite where nothing is seen.", shape="rows, columns", unit="m"
    )
    shapes: NDArray[np.int32] = output(
        "Number of the body that is seen in each pixel, among `bodies`; -1 for none.", shape="rows, columns"
    )
    bodies: tuple[str, ...] = output("All bodies as `model/name`.", shape="bodies")
    made_by: str = output("How it was made: `renderer` or `rays`.")


class ImageSource:
    """Looks at a scene in the way that is possible, or asked for.

    Args:
        camera: The camera, its defaults taken.
        around: Its surroundings.
    """

    def __init__(self, camera: PinholeCamera, around: SensorContext) -> None:
        self.optics = Optics.of(camera)
        self._around = around
        self._ahead: NDArray[np.float64] | None = None
        self._renderer: Renderer | None = None
        self._way: CameraBackend | None = None

    def view(self, frame: WorldFrame, model: str, body: str, wanted: CameraBackend | None) -> tuple[View, CameraBackend]:
        """Return what is seen from a frame on a body, which is not seen itself, and how that was found out.

        Raises:
            RendererError: The renderer is asked for, and none can start.
        """
        scene = self._around.scene(ShapeSelection.SEEN)
        if self._ahead is None:
            self._ahead = self.optics.ahead_of(self.optics.centers())
        way = self._chosen(wanted, scene, self._ahead)
        exclude = scene.body(model, body)
        if way is CameraBackend.RENDERER and self._renderer is not None:
            return self._renderer.view(frame, exclude), way
        return cast_view(scene, frame, self.optics, self._ahead, exclude), way

    def _chosen(self, wanted: CameraBackend | None, scene: RaycastScene, ahead: NDArray[np.float64]) -> CameraBackend:
        if wanted is CameraBackend.RAYS or (wanted is None and self._way is CameraBackend.RAYS):
            return CameraBackend.RAYS
        try:
            if self._renderer is None:
                self._renderer = Renderer(scene, self.optics, ahead)
            self._way = CameraBackend.RENDERER
        except RendererError as error:
            if wanted is CameraBackend.RENDERER:
                raise
            self._way = CameraBackend.RAYS
            self._around.report.add(rules.CAST_IMAGES, f"no renderer can start here: {error}", self._around.world.origin)
        return self._way


class CameraDevice(Device):
    """Makes images."""

    READING: ClassVar[type[Reading]] = CameraImage
    TIMING: ClassVar[str] = (
        "One image at each measurement time, of the first step that is not before it; it is taken in one instant. It is drawn "
        "by the engine's renderer where one can start, else made by casting rays, which `made_by` tells; "
        '`sim.sensors["name"].way = Way.RAYS` chooses.'
    )
    description: PinholeCamera

    def __init__(self, *details: Any) -> None:
        super().__init__(*details)
        self.way: CameraBackend | None = None
        self._eye = ImageSource(self.description, self._around)

    def sense(self) -> CameraImage:
        """Return an image of now.

        Raises:
            RendererError: The renderer is asked for, and none can start.
        """
        frame = self.frame()
        view, way = self._eye.view(frame, self._model.name, str(self.sensor.body), self.way)
        scene = self._around.scene(ShapeSelection.SEEN)
        return CameraImage(
            **self._stamp(frame),
            image=colored(view, self.description),
            depth=view.depth,
            shapes=scene.numbers_of_bodies(view.shapes),
            bodies=scene.bodies,
            made_by=way.value,
        )


def colored(view: View, camera: PinholeCamera) -> NDArray[Any]:
    """Return a view as the image of a camera."""
    seen = (view.shapes >= 0).astype(float)
    return image_of(
        view.colors * float(camera.gain or 0.0), seen, int(camera.channels or 3), camera.format or ImageFormat.UINT8
    )
