"""Plots of recordings: one panel for each type of quantity."""

from __future__ import annotations

import io
import math
import warnings
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from ossature.array_types import Vector
from ossature.assets import write_file_atomically
from ossature.matplotlib_settings import matplotlib_settings
from ossature.recordings.sample_columns import BODIES, JOINTS, REACTIONS, Columns, RecordedQuantity

MAX_LINES = 10
"""Largest number of lines in one panel: the number of colours. More lines are spread over several panels."""
MAX_PANELS = 8
"""Largest number of panels of one type of quantity; the title of the last one states how many more lines there are."""
_PANELS_IN_ONE_COLUMN = 6


def plot_table(columns: Columns, table: Vector, file: Path, names: Sequence[str] = ()) -> int:
    """Plot the quantities that vary over time to an image file; its suffix selects the format.

    Args:
        table: The samples, of shape (samples, columns).
        names: Substrings of the names of the plotted columns; all columns if empty.

    Returns:
        The number of lines; no file is written if it is zero.

    Raises:
        ImportError: Matplotlib is not installed.
        ValueError: The image format is not supported.
        OSError: The file cannot be written.
    """
    panels: dict[str, list[tuple[str, Vector]]] = {}
    for title, label, values in _varying_lines(columns, table):
        if not names or any(name in label for name in names):
            panels.setdefault(title, []).append((label, values))
    if panels:
        draw_panels(table[:, 0], panels, file)
    return sum(map(len, panels.values()))


def draw_panels(times: Vector, panels: Mapping[str, Sequence[tuple[str, Vector]]], file: Path) -> None:
    """Plot lines over time to an image file; its suffix selects the format.

    Args:
        times: The times [s].
        panels: The lines of each panel by title, each with its label.

    Raises:
        ImportError: Matplotlib is not installed.
        ValueError: The image format is not supported.
        OSError: The file cannot be written.
    """
    write_file_atomically(file, image_of_panels(times, panels, file.suffix.lower().removeprefix(".")))


@matplotlib_settings()
def image_of_panels(times: Vector, panels: Mapping[str, Sequence[tuple[str, Vector]]], image_format: str) -> bytes:
    """Return an image of lines over time; see :func:`draw_panels`."""
    from matplotlib.figure import Figure

    parts = [part for title, lines in panels.items() for part in split_lines(title, lines)]
    columns = 1 if len(parts) <= _PANELS_IN_ONE_COLUMN else 2
    rows = max(math.ceil(len(parts) / columns), 1)
    figure = Figure(figsize=(9.0 * columns, 2.4 * rows), layout="constrained")
    for number, (title, lines) in enumerate(parts):
        _draw_panel(figure.add_subplot(rows, columns, number + 1), times, title, lines)
    image = io.BytesIO()
    with warnings.catch_warnings():
        # Matplotlib draws a box for a character that the font lacks.
        warnings.filterwarnings("ignore", r"Glyph \d+ .* missing from", UserWarning)
        figure.savefig(image, format=image_format)
    return image.getvalue()


def split_lines(title: str, lines: Sequence[tuple[str, Vector]]) -> list[tuple[str, Sequence[tuple[str, Vector]]]]:
    """Return the lines of one type of quantity as panels with at most :data:`MAX_LINES` lines, about equally many in each.

    Args:
        lines: The lines with their labels.
    """
    count = min(math.ceil(len(lines) / MAX_LINES), MAX_PANELS)
    if count <= 1:
        return [(title, lines)]
    shown, omitted = lines[: count * MAX_LINES], len(lines) - count * MAX_LINES
    ends = [round(len(shown) * number / count) for number in range(count + 1)]
    more = f"; {omitted} more not shown, choose by name" if omitted > 0 else ""
    return [
        (f"{title} ({number + 1} of {count}{more if number + 1 == count else ''})", shown[start:end])
        for number, (start, end) in enumerate(pairwise(ends))
    ]


def _varying_lines(columns: Columns, table: Vector) -> Iterator[tuple[str, str, Vector]]:
    for quantity, span in columns.slices[1:]:
        for number, label in enumerate(quantity.labels):
            values = table[:, span.start + number]
            if np.isfinite(values).any() and np.ptp(values[np.isfinite(values)]) > 0.0:
                yield _panel_title(quantity), label, values


def _panel_title(quantity: RecordedQuantity) -> str:
    units = {
        (BODIES, "position"): "position [m]",
        (BODIES, "wxyz"): "rotation wxyz",
        (BODIES, "linear_velocity"): "linear velocity [m/s]",
        (BODIES, "angular_velocity_body"): "angular velocity, in the body [rad/s]",
        (JOINTS, "positions"): "joint position [rad or m]",
        (JOINTS, "velocities"): "joint velocity [rad/s or m/s]",
        (REACTIONS, "force"): "reaction force [N]",
        (REACTIONS, "torque"): "reaction torque [N·m]",
    }
    whole = {"energy": "energy [J]", "violation": "violation [m or rad]"}
    return units.get((quantity.group, quantity.field)) or whole.get(quantity.group) or f"element {quantity.field}"


def _draw_panel(axes: Any, times: Vector, title: str, lines: Sequence[tuple[str, Vector]]) -> None:
    # Explicit handles also show labels with a leading underscore.
    labels = [label for label, _ in lines]
    handles = [axes.plot(times, values, linewidth=1.0)[0] for _, values in lines]
    axes.set_title(title, fontsize=9, loc="left")
    axes.set_xlabel("time [s]", fontsize=8)
    axes.tick_params(labelsize=7)
    axes.grid(visible=True, linewidth=0.3)
    # Beside the lines: inside it would cover some of them.
    axes.legend(handles, labels, fontsize=6, loc="upper left", bbox_to_anchor=(1.0, 1.0))
