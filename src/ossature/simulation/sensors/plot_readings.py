"""Plots of readings: images unchanged, scans from above, distances as an image."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import numpy as np

from ossature.array_types import AnyArray, Array, Uint8Array
from ossature.diagnostics import OssatureError
from ossature.matplotlib_settings import matplotlib_settings
from ossature.simulation.sensors.camera import CameraImage
from ossature.simulation.sensors.flash_lidar import RangeImage
from ossature.simulation.sensors.lidar import LaserLines, LaserScan
from ossature.simulation.sensors.reading_base import Reading
from ossature.simulation.sensors.stereo import StereoImages


@matplotlib_settings()
def plot_reading(reading: Reading, suffix: str) -> bytes:
    """Return a plot of a reading as a file, in the format of a suffix.

    Raises:
        OssatureError: There is no plot for the type of the reading.
        ImportError: Matplotlib is not installed.
    """
    if isinstance(reading, CameraImage):
        return _image_file(reading, suffix)
    plot = _PLOTS.get(type(reading))
    if plot is None:
        kind = type(reading).__name__
        raise OssatureError(f"a reading of type {kind} cannot be plotted: write it as .json or .npz")
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.0, 6.0), layout="constrained")
    plot(reading, figure)
    data = io.BytesIO()
    figure.savefig(data, format=suffix.removeprefix("."), dpi=120)
    return data.getvalue()


def _image_file(reading: CameraImage, suffix: str) -> bytes:
    """Return the image itself, unscaled."""
    from matplotlib.image import imsave

    data = io.BytesIO()
    imsave(data, to_rgb_bytes(reading.image), format=suffix.removeprefix("."))
    return data.getvalue()


def _plot_scan(reading: LaserScan, figure: Any) -> None:
    axes = figure.add_subplot()
    hit = np.isfinite(reading.distances)
    points = reading.points[hit]
    for x, y, _ in points:
        axes.plot([0.0, x], [0.0, y], color="0.85", linewidth=0.4, zorder=1)
    axes.scatter(points[:, 0], points[:, 1], s=5, color="tab:red", zorder=2)
    axes.scatter([0.0], [0.0], marker="^", color="tab:blue", zorder=3)
    axes.set_aspect("equal", adjustable="datalim")
    axes.set_xlabel("x of the sensor [m]")
    axes.set_ylabel("y of the sensor [m]")
    axes.grid(visible=True, linewidth=0.3)
    axes.set_title(f"{_plot_title(reading)}: {hit.sum()} of {len(hit)} rays hit a shape", fontsize=9, loc="left")


def _plot_lines(reading: LaserLines, figure: Any) -> None:
    _plot_distances(reading, figure, reading.distances, "ray of a line", "line")


def _plot_distances(reading: Reading, figure: Any, distances: Array, across: str, down: str) -> None:
    axes = figure.add_subplot()
    artist = axes.imshow(np.where(np.isfinite(distances), distances, np.nan), cmap="viridis", aspect="auto")
    figure.colorbar(artist, ax=axes, label="distance [m]")
    axes.set_xlabel(across)
    axes.set_ylabel(down)
    axes.set_title(_plot_title(reading), fontsize=9, loc="left")


def _plot_title(reading: Reading) -> str:
    return f"{reading.sensor} at {reading.time:.3f} s"


def _plot_range_image(reading: RangeImage, figure: Any) -> None:
    _plot_distances(reading, figure, reading.distances, "column", "row")


def _plot_stereo(reading: StereoImages, figure: Any) -> None:
    figure.set_size_inches(14.0, 4.5)
    for number, (name, image) in enumerate((("first", reading.first), ("second", reading.second))):
        axes = figure.add_subplot(1, 3, number + 1)
        axes.imshow(to_rgb_bytes(image))
        axes.set_title(f"{_plot_title(reading)}: {name}, by {reading.made_by}", fontsize=9, loc="left")
    axes = figure.add_subplot(1, 3, 3)
    artist = axes.imshow(np.where(np.isfinite(reading.depth), reading.depth, np.nan), cmap="viridis")
    figure.colorbar(artist, ax=axes, label="depth [m]")


def to_rgb_bytes(image: AnyArray) -> Uint8Array:
    """Return an image of any format as bytes, with three or four channels."""
    scale = 255.0 if image.dtype.kind == "f" else 255.0 / float(np.iinfo(image.dtype).max)
    plain = np.rint(image * scale).astype(np.uint8)
    return np.repeat(plain, 3, axis=2) if plain.shape[2] == 1 else plain


_PLOTS: dict[type, Callable[[Any, Any], None]] = {
    LaserScan: _plot_scan,
    LaserLines: _plot_lines,
    RangeImage: _plot_range_image,
    StereoImages: _plot_stereo,
}
