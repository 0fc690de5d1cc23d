"""Cameras."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any, ClassVar

from ossature.array_types import AnyArray, Array, Int32Array
from ossature.model import ImageFormat, PinholeCamera
from ossature.sensor_models import rules
from ossature.sensor_models.camera_projection import CameraProjection
from ossature.sensor_models.image_formats import make_image
from ossature.simulation.sensors.raycast_scene import RaycastScene, ShapeSelection
from ossature.simulation.sensors.reading_base import Reading, output
from ossature.simulation.sensors.rendered_view import View, cast_view
from ossature.simulation.sensors.renderer import Renderer, RendererError
from ossature.simulation.sensors.sensor_base import Device
from ossature.simulation.sensors.sensor_context import SensorContext, WorldFrame


class CameraBackend(Enum):
    """How images are rendered."""

    RENDERER = "renderer"
    """Rendered by the engine's renderer, with light and shadow."""
    RAYS = "rays"
    """Rendered by casting a ray through the centre of each pixel, without shading."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CameraImage(Reading):
    """An image, with depth and segmentation."""

    image: AnyArray = output(
        "The image in its format; integers from 0 to the largest value of the format.", shape="rows, columns, channels"
    )
    depth: Array = output("Distance along z in each pixel; infinite if no shape is visible.", shape="rows, columns", unit="m")
    shapes: Int32Array = output(
        "Index in `bodies` of the visible body in each pixel; -1 if no shape is visible.", shape="rows, columns"
    )
    bodies: tuple[str, ...] = output("All bodies as `model/name`.", shape="bodies")
    made_by: str = output("How it was rendered: `renderer` or `rays`.")


class ImageSource:
    """Renders views of a scene with the requested or an available backend.

    Args:
        camera: The camera with its defaults.
    """

    def __init__(self, camera: PinholeCamera, context: SensorContext) -> None:
        self.optics = CameraProjection.of(camera)
        self._context = context
        self._normalized: Array | None = None
        self._renderer: Renderer | None = None
        self._backend: CameraBackend | None = None

    def view(self, frame: WorldFrame, model: str, body: str, requested: CameraBackend | None) -> tuple[View, CameraBackend]:
        """Return the view from a frame on a body, which is invisible itself, and the backend that rendered it.

        Raises:
            RendererError: The renderer is requested and not available.
        """
        scene = self._context.scene(ShapeSelection.VISUAL)
        if self._normalized is None:
            self._normalized = self.optics.unproject(self.optics.pixel_centers())
        backend = self._select_backend(requested, scene, self._normalized)
        exclude = scene.body(model, body)
        if backend is CameraBackend.RENDERER and self._renderer is not None:
            return self._renderer.view(frame, exclude), backend
        return cast_view(scene, frame, self.optics, self._normalized, exclude), backend

    def _select_backend(self, requested: CameraBackend | None, scene: RaycastScene, normalized: Array) -> CameraBackend:
        if requested is CameraBackend.RAYS or (requested is None and self._backend is CameraBackend.RAYS):
            return CameraBackend.RAYS
        try:
            if self._renderer is None:
                self._renderer = Renderer(scene, self.optics, normalized)
            self._backend = CameraBackend.RENDERER
        except RendererError as error:
            if requested is CameraBackend.RENDERER:
                raise
            self._backend = CameraBackend.RAYS
            self._context.report.add(
                rules.RAYCAST_RENDERING, f"the renderer is not available: {error}", self._context.world.origin
            )
        return self._backend


class CameraDevice(Device):
    """Captures images."""

    READING: ClassVar[type[Reading]] = CameraImage
    TIMING: ClassVar[str] = (
        "One image at each measurement time, at the first step that is not before it, with a global shutter. It is rendered "
        "by the engine's renderer if it is available, else by ray casting; `made_by` states which. "
        '`sim.sensors["name"].backend = CameraBackend.RAYS` selects ray casting.'
    )
    description: PinholeCamera

    def __init__(self, *details: Any) -> None:
        super().__init__(*details)
        self.backend: CameraBackend | None = None
        self._image_source = ImageSource(self.description, self._context)

    def sense(self) -> CameraImage:
        """Return an image of the present state.

        Raises:
            RendererError: The renderer is requested and not available.
        """
        frame = self.frame()
        view, backend = self._image_source.view(frame, self._model.name, str(self.sensor.body), self.backend)
        scene = self._context.scene(ShapeSelection.VISUAL)
        return CameraImage(
            **self._stamp(frame),
            image=image_from_view(view, self.description),
            depth=view.depth,
            shapes=scene.body_indices(view.shapes),
            bodies=scene.bodies,
            made_by=backend.value,
        )


def image_from_view(view: View, camera: PinholeCamera) -> AnyArray:
    """Return the image of a camera from a view."""
    opacity = (view.shapes >= 0).astype(float)
    return make_image(
        view.colors * float(camera.gain or 0.0), opacity, int(camera.channels or 3), camera.format or ImageFormat.UINT8
    )
