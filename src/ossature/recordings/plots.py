"""Pictures of recordings: one panel for each kind of quantity."""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ossature.assets import write_whole
from ossature.recordings.sample_columns import BODIES, JOINTS, REACTIONS, Columns, RecordedQuantity

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Vector = NDArray[np.float64]

MOST_LINES = 12
"""Lines in one panel; further ones are left out, and the title says how many."""


def plot_table(columns: Columns, table: Vector, file: Path, names: Sequence[str] = ()) -> int:
    """Draw what changes over time into a picture file; its suffix says which kind.

    Args:
        columns: The columns.
        table: The samples, of shape (samples, columns).
        file: The picture.
        names: What is drawn: all columns whose names hold one of these; all where none are given.

    Returns:
        How many lines there were to draw; without any nothing is written.

    Raises:
        ImportError: Matplotlib is not installed.
        ValueError: There is no such kind of picture.
        OSError: The file cannot be written.
    """
    panels: dict[str, list[tuple[str, Vector]]] = {}
    for title, label, values in _lines(columns, table):
        if not names or any(name in label for name in names):
            panels.setdefault(title, []).append((label, values))
    if panels:
        draw_panels(table[:, 0], panels, file)
    return sum(map(len, panels.values()))


def draw_panels(times: Vector, panels: Mapping[str, Sequence[tuple[str, Vector]]], file: Path) -> None:
    """Draw lines over time into a picture file; its suffix says which kind.

    Args:
        times: The times [s].
        panels: By title the lines of each panel, each with its name.
        file: The picture.

    Raises:
        ImportError: Matplotlib is not installed.
        ValueError: There is no such kind of picture.
        OSError: The file cannot be written.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.0, 2.4 * max(len(panels), 1)), layout="constrained")
    for number, (title, lines) in enumerate(panels.items()):
        _draw(figure.add_subplot(len(panels), 1, number + 1), times, title, lines)
    picture = io.BytesIO()
    with warnings.catch_warnings():
        # A box in the place of a character that the font lacks is seen in the picture.
        warnings.filterwarnings("ignore", r"Glyph \d+ .* missing from", UserWarning)
        figure.savefig(picture, format=file.suffix.lower().removeprefix("."))
    write_whole(file, picture.getvalue())


def _lines(columns: Columns, table: Vector) -> Iterator[tuple[str, str, Vector]]:
    for quantity, where in columns.slices[1:]:
        for number, label in enumerate(quantity.labels):
            values = table[:, where.start + number]
            if np.isfinite(values).any() and np.ptp(values[np.isfinite(values)]) > 0.0:
                yield _title(quantity), label, values


def _title(quantity: RecordedQuantity) -> str:
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


def _draw(axes: Any, times: Vector, title: str, lines: Sequence[tuple[str, Vector]]) -> None:
    # Signs of formulas are escaped, and a legend of its own shows names that begin with an underscore, too.
    labels = [label.replace("$", r"\$") for label, _ in lines[:MOST_LINES]]
    drawn = [axes.plot(times, values, linewidth=1.0)[0] for _, values in lines[:MOST_LINES]]
    left_out = len(lines) - MOST_LINES
    axes.set_title(title + (f" ({left_out} more are not drawn)" if left_out > 0 else ""), fontsize=9, loc="left")
    axes.set_xlabel("time [s]", fontsize=8)
    axes.tick_params(labelsize=7)
    axes.grid(visible=True, linewidth=0.3)
    axes.legend(drawn, labels, fontsize=6, loc="upper right", ncols=2)
