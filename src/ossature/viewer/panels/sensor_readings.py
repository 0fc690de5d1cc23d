"""Live readings of a sensor: points in the scene, an image in the panel."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ossature.array_types import Uint8Array
from ossature.spatial import add
from ossature.viewer import color_palette
from ossature.viewer.model_view import ModelView
from ossature.viewer.properties_and_findings_html import paragraph
from ossature.viewer.sensor_reading_display import DisplayedReading

if TYPE_CHECKING:
    import viser

NONE_SELECTED = "none"
_INTERVAL = 0.2
_POINTS = "/readings"

OnSelect = Callable[[], None]


class SensorReadingsPanel:
    """Selects a sensor, and shows its readings."""

    def __init__(self, server: viser.ViserServer, views: Sequence[ModelView], on_select: OnSelect) -> None:
        self._server, self._shown = server, 0.0
        self._image: Any = None
        self._sensors = {
            f"{view.name}: {name}" if len(views) > 1 else name: (number, name)
            for number, view in enumerate(views)
            for name in _sensor_names(view)
        }
        gui = server.gui
        self._folder = gui.add_folder("Sensor readings", visible=bool(self._sensors))
        with self._folder:
            self._choice: Any = gui.add_dropdown(
                "Sensor", (NONE_SELECTED, *self._sensors), hint="Show the point cloud, the image or the values of this sensor"
            )
            self._text: Any = gui.add_html("")
        self._choice.on_update(lambda _: on_select())

    @property
    def selected(self) -> tuple[int, str] | None:
        """The number of the file, and the sensor as ``model/name``; None if no sensor is selected."""
        return self._sensors.get(str(self._choice.value))

    @property
    def is_due(self) -> bool:
        """Whether a sensor is selected and the interval since its last reading has passed."""
        return self.selected is not None and time.monotonic() - self._shown > _INTERVAL

    def show(self, overlay: DisplayedReading | None, view: ModelView | None = None) -> None:
        """Show a reading; None clears the last one."""
        self._shown = time.monotonic()
        self._server.scene.remove_by_name(_POINTS)
        self._show_image(None if overlay is None else overlay.image)
        self._text.content = paragraph(overlay.text) if overlay is not None else ""
        if overlay is None or view is None:
            return
        if overlay.points is not None and len(overlay.points):
            self._server.scene.add_point_cloud(
                _POINTS,
                overlay.points.astype(np.float32),
                colors=color_palette.rgb(color_palette.CONTACT),
                point_size=0.06 * view.framing.axis_length,
                point_shape="circle",
                position=add(view.nodes.offset, (0.0, 0.0, 0.0)),
            )

    def _show_image(self, image: Uint8Array | None) -> None:
        if image is not None and self._image is None:
            with self._folder:
                self._image = self._server.gui.add_image(image)
        if self._image is not None:
            self._image.visible = image is not None
            if image is not None:
                self._image.image = image

    def show_error(self, text: str) -> None:
        """Show why there is no reading."""
        self.show(None)
        self._text.content = paragraph(text)


def _sensor_names(view: ModelView) -> list[str]:
    return [
        f"{model.name}/{sensor.name}"
        for model in view.world.models
        for sensor in model.sensors
        if sensor.description is not None
    ]
