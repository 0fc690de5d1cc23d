"""Plots of many signals: each line is in one panel, panels are limited, and the title states what is left out."""

from __future__ import annotations

import io

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from matplotlib.figure import Figure
from PIL import Image

from ossature.recordings.plot_panels import MAX_LINES, MAX_PANELS, image_of_panels, split_lines

TIMES = np.linspace(0.0, 1.0, 5)


def lines(count: int) -> list[tuple[str, np.ndarray]]:
    return [(f"joint{number}", np.full(5, float(number))) for number in range(count)]


@pytest.mark.parametrize("count", [1, MAX_LINES, MAX_LINES + 1, 60, MAX_LINES * MAX_PANELS, 200])
def test_each_line_is_in_one_panel_or_counted(count: int) -> None:
    panels = split_lines("joint position", lines(count))
    labels = [label for _, part in panels for label, _ in part]
    assert labels == [label for label, _ in lines(count)][: MAX_LINES * MAX_PANELS]
    sizes = [len(part) for _, part in panels]
    assert max(sizes) <= MAX_LINES
    assert max(sizes) - min(sizes) <= 1
    omitted = count - len(labels)
    assert (f"{omitted} more not shown" in panels[-1][0]) == (omitted > 0)


def test_sixty_signals_are_drawn_in_two_columns() -> None:
    sizes = {
        count: Image.open(io.BytesIO(image_of_panels(TIMES, {"joint position": lines(count)}, "png"))).size
        for count in (10, 65)
    }
    assert sizes[65][0] == 2 * sizes[10][0]
    assert sizes[65][1] == 4 * sizes[10][1]


def test_the_legend_covers_no_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    figures = []
    save = Figure.savefig
    monkeypatch.setattr(
        Figure, "savefig", lambda figure, *args, **kwargs: (figures.append(figure), save(figure, *args, **kwargs))
    )
    image_of_panels(TIMES, {"joint position": lines(MAX_LINES)}, "png")
    (axes,) = figures[0].axes
    legend, panel = axes.get_legend().get_window_extent(), axes.get_window_extent()
    assert panel.x1 <= legend.x0 < legend.x1 <= figures[0].bbox.x1
    assert panel.y0 <= legend.y0
