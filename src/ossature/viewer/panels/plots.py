"""The panel "Plots": curves of signals beside the scene, live and of recordings."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ossature.array_types import Array
from ossature.viewer.properties_and_findings_html import paragraph

if TYPE_CHECKING:
    import viser

NONE_CHOSEN = "choose …"
_MOST_NAMES = 500
_INTERVAL = 0.1
"""Between updates of the curves [s]."""
_HEIGHT = 170
_COLORS = ("#1f62a8", "#d9622b", "#2e9a4f", "#8a4fbf", "#b23a48", "#7a7f87", "#c49a1a", "#1a9aa8", "#555555")
_LATER = "44"
"""Opacity of the part of a curve after the time that is shown, in hexadecimal."""
_SMALLEST_SPAN, _LARGEST = 0.05, 1e5
"""Smallest difference and largest magnitude of values that labels of axes, with three decimals, have room for."""

_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True, slots=True, kw_only=True)
class Curves:
    """The curves of one signal.

    Attributes:
        times: Times of the samples [s], shape (n,).
        values: One array of shape (n,) for each curve, by the label of the curve.
        every: The n-th sample of the signal is plotted.
    """

    times: Array
    values: Mapping[str, Array]
    unit: str
    every: int = 1


CurvesOf = Callable[[str], Curves | None]
"""Returns the curves of a signal by its label, or None if it has none yet."""


class PlotsPanel:
    """Chooses signals by name, and plots them over one time axis with a common cursor."""

    def __init__(
        self,
        gui: viser.GuiApi,
        names: Callable[[], Sequence[str]],
        curves_of: CurvesOf,
        now: Callable[[], float | None],
        on_change: Callable[[Sequence[str]], None],
        on_export: Callable[[], None],
        on_difference: Callable[[bool], None],
        labels: Sequence[str],
        *,
        shows_difference: bool,
        is_comparable: bool,
    ) -> None:
        self._gui, self._names, self._curves_of, self._now, self._on_change = gui, names, curves_of, now, on_change
        self._shown, self._missing = 0.0, ""
        self._lock = threading.RLock()  # of the simulation's thread, and of those in which the page reports its controls
        self._charts: dict[str, tuple[Any, Any]] = {}
        self._labels: list[str] = []
        filter_text = gui.add_text("Filter", "", hint="Part of the name of a joint, body, motor, sensor or reaction")
        self._choice: Any = gui.add_dropdown("Signal", (NONE_CHOSEN, *names()[:_MOST_NAMES]), hint="Adds a plot")
        actions: Any = gui.add_button_group("Plots", ("CSV", "Clear"), hint="Save the signals as a table; remove all plots")
        hint = "The first curve minus the second: of two files, or of what is shown and the reference"
        self._difference = gui.add_checkbox("Difference", shows_difference, visible=is_comparable, hint=hint)
        self._text: Any = gui.add_html(paragraph("Choose a signal. Forces are listed as soon as a simulation has run."))
        self._folder = gui.add_folder(None)
        filter_text.on_update(lambda event: self._filter(str(event.target.value)))
        self._choice.on_update(self._choose)
        actions.on_click(lambda event: on_export() if event.target.value == "CSV" else self.clear())
        self._difference.on_update(lambda event: self._show_difference(on_difference, bool(event.target.value)))
        for label in labels:
            self.add(label)

    def show_comparison(self, *, is_possible: bool) -> None:
        """Show or hide the choice of differences."""
        self._difference.visible = is_possible

    def _show_difference(self, on_difference: Callable[[bool], None], shown: bool) -> None:
        on_difference(shown)
        self.update(force=True)

    @property
    def labels(self) -> Sequence[str]:
        """Labels of the signals that are plotted."""
        return tuple(self._labels)

    def _filter(self, text: str) -> None:
        wanted = text.casefold().split()
        names = [name for name in self._names() if all(part in name.casefold() for part in wanted)]
        self._choice.options = (NONE_CHOSEN, *names[:_MOST_NAMES])
        more = f"; {len(names) - _MOST_NAMES} more, filter them" if len(names) > _MOST_NAMES else ""
        self._text.content = paragraph(f"{len(names)} signals{more}")

    def refresh_names(self) -> None:
        """List the names again: a simulation or a recording has further signals."""
        names = tuple(self._names()[:_MOST_NAMES])
        if tuple(self._choice.options) != (NONE_CHOSEN, *names):
            self._choice.options = (NONE_CHOSEN, *names)

    def _choose(self, event: Any) -> None:
        label = str(event.target.value)
        if event.client is not None and label != NONE_CHOSEN:
            self.add(label)
            self._choice.value = NONE_CHOSEN

    def add(self, label: str) -> None:
        """Plot a signal."""
        with self._lock:
            if label in self._labels:
                return
            self._labels.append(label)
            self._text.content = ""
        self._change()
        self.update(force=True)

    def clear(self) -> None:
        """Remove all plots."""
        with self._lock:
            for element in [element for elements in self._charts.values() for element in elements]:
                element.remove()
            self._charts, self._labels = {}, []
        self._change()

    def _remove(self, label: str) -> None:
        with self._lock:
            for element in self._charts.pop(label, ()):
                element.remove()
            self._labels.remove(label)
        self._change()

    def _change(self) -> None:
        """Report what is plotted; not with the lock, for which the thread of a simulation may wait."""
        self._on_change(self.labels)

    def update(self, *, force: bool = False) -> None:
        """Draw the curves, at most ten times a second unless forced; they are pale after the time of a recording."""
        with self._lock:
            if self._labels and (force or time.monotonic() - self._shown >= _INTERVAL):
                self._shown = time.monotonic()
                self._draw_all(self._now())

    def _draw_all(self, now: float | None) -> None:
        missing = []
        for label in self._labels:
            curves = self._curves_of(label)
            if curves is not None and len(curves.times) and curves.values:
                self._draw(label, curves, now)
            elif label not in self._charts:
                missing.append(label)
        text = f"No values yet, or not recorded: {', '.join(missing)}" if missing else ""
        if text != self._missing:
            self._missing, self._text.content = text, paragraph(text) if text else ""

    def _draw(self, label: str, curves: Curves, now: float | None) -> None:
        exponent = axis_exponent(curves.values.values())
        data, title = _chart_data(curves, now, 10.0**exponent), _title(label, curves, exponent)
        if label in self._charts and len(self._charts[label][0].series) == len(data):
            chart, _ = self._charts[label]
            chart.data, chart.title = data, title
            return
        for element in self._charts.pop(label, ()):
            element.remove()
        with self._folder:
            chart = self._gui.add_uplot(
                data,
                _series(curves, now),
                title=title,
                scales={"x": {"time": False}, "y": {"auto": True}},
                axes=({"size": 38}, {"size": 56}),
                cursor={"sync": {"key": "ossature"}},
                legend={"show": True},
                height=_HEIGHT,
            )
            button = self._gui.add_button(f"Remove {label}", color="gray")
        button.on_click(lambda _: self._remove(label))
        self._charts[label] = (chart, button)


def axis_exponent(curves: Iterable[Array]) -> int:
    """Return the power of ten, a multiple of three, in whose multiples values are plotted: browsers label axes with at most
    three decimals.
    """
    values = np.concatenate([np.zeros(0), *curves])
    values = values[np.isfinite(values)]
    largest = float(np.abs(values).max(initial=0.0))
    span = float(np.ptp(values)) if len(values) else 0.0
    if largest >= _LARGEST:
        return 3 * math.floor(math.log10(largest) / 3.0)
    if span < 1e-9 * largest:  # rounding errors of a constant
        span = largest
    if 0.0 < span < _SMALLEST_SPAN:
        smallest = 3 * math.floor(math.log10(span / _SMALLEST_SPAN) / 3.0)
        return smallest if largest < _LARGEST * 10.0**smallest else 0
    return 0


def _title(label: str, curves: Curves, exponent: int) -> str:
    scale = f"10{str(exponent).translate(_SUPERSCRIPTS)} " if exponent else ""
    unit = f" [{scale}{curves.unit}]" if curves.unit or scale else ""
    every = f", every {curves.every}th sample" if curves.every > 1 else ""
    return f"{label}{unit}{every}"


def _chart_data(curves: Curves, now: float | None, unit: float) -> tuple[Array, ...]:
    """Return times and, for each curve, its values in multiples of a unit; of a recording those up to now, and all of them."""
    scaled = [values / unit for values in curves.values.values()]
    if now is None:
        return (curves.times, *scaled)
    until = curves.times <= now + 1e-9
    return (curves.times, *[np.where(until, values, np.nan) for values in scaled], *scaled)


def _series(curves: Curves, now: float | None) -> tuple[Any, ...]:
    past = [
        {"label": label, "stroke": _COLORS[number % len(_COLORS)], "width": 2.0} for number, label in enumerate(curves.values)
    ]
    if now is None:
        return ({"label": "t [s]"}, *past)
    every = [{"label": " ", "stroke": _COLORS[number % len(_COLORS)] + _LATER, "width": 1.0} for number in range(len(past))]
    return ({"label": "t [s]"}, *past, *every)
