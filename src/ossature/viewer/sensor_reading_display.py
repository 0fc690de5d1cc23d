"""Readings of sensors for display: point clouds, images and values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ossature.array_types import AnyArray, Array, Uint8Array

if TYPE_CHECKING:
    from ossature.simulation import Simulation

MAX_POINTS = 20_000
"""Larger point clouds are subsampled."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DisplayedReading:
    """The reading of one sensor.

    Attributes:
        sensor: The sensor, as ``model/name``.
        points: Its point cloud in the world, shape (n, 3) [m], or None if it has none.
        image: Red, green and blue from 0 to 255, shape (height, width, 3), or None if it has none.
        text: Its other values with units.
    """

    sensor: str
    points: Array | None = None
    image: Uint8Array | None = None
    text: str = ""


def displayed_reading(simulation: Simulation, name: str) -> DisplayedReading:
    """Return the current reading of a sensor.

    Args:
        name: The sensor, as ``model/name``.

    Raises:
        KeyError: No sensor of that name is simulated.
    """
    reading = simulation.sensors[name].sense()
    points = getattr(reading, "points", None)
    image = getattr(reading, "image", None)
    if points is not None:
        return DisplayedReading(sensor=name, points=_in_world(points, reading), text=f"{_count_finite(points)} points")
    if image is not None:
        return DisplayedReading(
            sensor=name, image=image_as_rgb(image), text=f"rendered by {getattr(reading, 'made_by', 'rays')}"
        )
    return DisplayedReading(sensor=name, text=_format_values(reading))


def _count_finite(points: Array) -> int:
    return int(np.isfinite(points).all(axis=-1).sum())


def _in_world(points: Array, reading: Any) -> Array:
    flat = points.reshape(-1, 3)
    flat = flat[np.isfinite(flat).all(axis=1)]
    flat = flat[:: max(1, -(-len(flat) // MAX_POINTS))]
    matrix = reading.pose_world_sensor.matrix()
    return np.asarray(flat @ matrix[:3, :3].T + matrix[:3, 3])


def image_as_rgb(image: AnyArray) -> Uint8Array:
    """Return an image with any number of channels and any data type as red, green and blue from 0 to 255."""
    values = image[..., None] if image.ndim == 2 else image
    colors = values[..., :3] if values.shape[2] >= 3 else np.repeat(values[..., :1], 3, axis=2)
    if np.issubdtype(colors.dtype, np.integer):
        colors = colors / np.iinfo(colors.dtype).max
    return np.asarray(np.round(255.0 * np.clip(np.nan_to_num(colors), 0.0, 1.0)), dtype=np.uint8)


def _format_values(reading: Any) -> str:
    from ossature.simulation.sensors.reading_base import outputs_of

    parts = []
    for name, meaning in outputs_of(type(reading)).items():
        value = np.atleast_1d(np.asarray(getattr(reading, name)))
        if np.issubdtype(value.dtype, np.number) and value.size <= 9:
            numbers = " ".join(f"{number:.4g}" for number in value.ravel())
            parts.append(f"{name.replace('_', ' ')} {numbers} {meaning.unit or ''}".rstrip())
    return "; ".join(parts)
