"""Plots of the results of a sweep: parallel coordinates, and main effects."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ossature.assets import write_file_atomically
from ossature.matplotlib_settings import matplotlib_settings
from ossature.sweeps.results import ResultFolder, ResultsError
from ossature.sweeps.sensitivity import MainEffect, main_effects, result_columns

_MOST_LINES = 2000
_WIDTH = 1.8
"""Width of an axis of parallel coordinates [inch]."""
_PANEL = (2.6, 2.2)


@matplotlib_settings()
def plot_parallel_coordinates(results: ResultFolder, file: Path, color: str | None = None) -> int:
    """Plot each run as a line over parallel axes, one for each parameter and result.

    Args:
        file: The image file; its suffix selects the format.
        color: Name of the parameter or result that colours the lines; by default the last result.

    Returns:
        The number of lines; of more than 2000 runs a random sample is drawn.

    Raises:
        ResultsError: There are no results of numbers, or no column of the given name.
        ImportError: Matplotlib is not installed.
        ValueError: The image format is not supported.
        OSError: The file cannot be written.
    """
    from matplotlib import colormaps
    from matplotlib.collections import LineCollection
    from matplotlib.colors import Normalize
    from matplotlib.figure import Figure

    columns = result_columns(results)
    names = list(columns)
    colored = color or names[-1]
    if colored not in columns:
        raise ResultsError(f"{results.path}: there is no column '{colored}' of numbers: {', '.join(names)}")
    rows = np.stack(list(columns.values()), axis=1)
    rows = rows[np.isfinite(rows).all(axis=1)]
    if not len(rows):
        raise ResultsError(f"{results.path}: no run has all results")
    if len(rows) > _MOST_LINES:
        rows = rows[np.sort(np.random.default_rng(0).choice(len(rows), _MOST_LINES, replace=False))]
    low, high = rows.min(axis=0), rows.max(axis=0)
    scaled = np.where(high > low, (rows - low) / np.where(high > low, high - low, 1.0), 0.5)
    figure = Figure(figsize=(max(_WIDTH * len(names), 4.0), 4.0), layout="constrained")
    axes = figure.add_subplot()
    points = np.stack([np.broadcast_to(np.arange(len(names)), scaled.shape), scaled], axis=2)
    number = names.index(colored)
    lines = LineCollection(list(points), array=rows[:, number], cmap=colormaps["viridis"], linewidths=0.8, alpha=0.6)
    lines.set_norm(Normalize(low[number], high[number] if high[number] > low[number] else low[number] + 1.0))
    axes.add_collection(lines)
    axes.set_xlim(-0.3, len(names) - 0.7)
    axes.set_ylim(-0.12, 1.12)
    axes.set_xticks(range(len(names)), names)
    axes.set_yticks([])
    for place, (least, most) in enumerate(zip(low, high, strict=True)):
        axes.axvline(place, color="0.3", linewidth=0.8)
        axes.text(place, -0.03, f"{least:.4g}", ha="center", va="top", fontsize=8)
        axes.text(place, 1.03, f"{most:.4g}", ha="center", va="bottom", fontsize=8)
    figure.colorbar(lines, ax=axes, label=colored)
    _write(figure, file)
    return len(rows)


@matplotlib_settings()
def plot_main_effects(results: ResultFolder, file: Path, names: Sequence[str] = ()) -> int:
    """Plot the mean of each result over each parameter.

    Args:
        file: The image file; its suffix selects the format.
        names: Names of the results; all if empty.

    Returns:
        The number of panels.

    Raises:
        ResultsError: There are no results of numbers, or none of a given name.
        ImportError: Matplotlib is not installed.
        ValueError: The image format is not supported.
        OSError: The file cannot be written.
    """
    from matplotlib.figure import Figure

    effects: dict[str, list[MainEffect]] = {}
    for one in main_effects(results):
        effects.setdefault(one.result, []).append(one)
    for name in names:
        if name not in effects:
            raise ResultsError(f"{results.path}: there is no result '{name}' of numbers: {', '.join(effects)}")
    chosen = {name: effects[name] for name in names or effects}
    columns = len(next(iter(chosen.values())))
    figure = Figure(figsize=(_PANEL[0] * columns, _PANEL[1] * len(chosen)), layout="constrained")
    panels: Any = figure.subplots(len(chosen), columns, squeeze=False, sharey="row")
    for row, (result, of_result) in zip(panels, chosen.items(), strict=True):
        for axes, effect in zip(row, of_result, strict=True):
            axes.plot(effect.values, effect.means, marker="o", markersize=3)
            axes.set_xlabel(effect.parameter)
        row[0].set_ylabel(f"mean of {result}")
    _write(figure, file)
    return len(chosen) * columns


def _write(figure: Any, file: Path) -> None:
    image = io.BytesIO()
    figure.savefig(image, format=file.suffix.lower().removeprefix("."))
    write_file_atomically(file, image.getvalue())
