"""The signals that a page plots: their names, their live values, and those of recordings."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np

from ossature.array_types import Array
from ossature.diagnostics import OssatureError
from ossature.model.value_text import is_rotation
from ossature.recordings.sample_columns import JOINTS, RecordedQuantity, quantities_of_body, quantities_of_joint
from ossature.viewer.joint_configuration import coordinate_name
from ossature.viewer.panels.plots import Curves
from ossature.viewer.signal_history import MAX_COLUMNS, needs_forces, thinned, unit_of

if TYPE_CHECKING:
    from ossature.model import Joint, World
    from ossature.viewer.live_simulation import LiveSimulation
    from ossature.viewer.model_view import ModelView
    from ossature.viewer.playback_recording import PlaybackRecording
    from ossature.viewer.realtime_runner import RealtimeRunner
    from ossature.viewer.recording_player import RecordingPlayer

    Series = tuple[Array, Array]


class _Page(Protocol):
    """The part of a page that plots use."""

    views: list[ModelView]


class PlottedSignals:
    """Collects the signals that are plotted while simulations run, and reads those of recordings.

    Attributes:
        labels: Labels of the signals, in order.
        shows_difference: Whether the difference of the first two curves of each component is plotted instead of them.
    """

    def __init__(
        self,
        page: _Page,
        runner: RealtimeRunner,
        player: RecordingPlayer,
        references: Callable[[], Mapping[int, PlaybackRecording]],
    ) -> None:
        """Create the signals of a page.

        Args:
            runner: Its simulations.
            player: Its recordings.
            references: Returns the recordings to compare with, by the number of their file.
        """
        self.labels: Sequence[str] = ()
        self._page, self._runner, self._player, self._references = page, runner, player, references
        self._quantities: dict[str, RecordedQuantity] = {}
        self.shows_difference = False

    def names(self) -> list[str]:
        """Return the labels of the known signals: joints, energy and bodies, and after the first sample also forces."""
        known = dict.fromkeys(quantity.label for view in self._page.views for quantity in _quantities_of(view.world))
        tables = [clip.signals for clip in self._player.clips if clip.signals is not None]
        recorded = [label for table in tables for label, (quantity, _) in table.quantities.items() if quantity.count]
        return list(dict.fromkeys([*known, *self._quantities, *recorded]))

    def choose(self, labels: Sequence[str]) -> None:
        """Choose the signals that are plotted; while a simulation is paused, their current values are sampled."""
        self.labels = labels
        if labels and not self._runner.is_running:
            self._runner.change(lambda _: self._sample_paused())

    def forget_names(self) -> None:
        """Forget the names of the last simulation: a file was reloaded."""
        self._quantities = {}

    def sample(self) -> bool:
        """Append the current values of signals; returns whether new names are known.

        At the first call, also forces are computed, so that their names are known.
        """
        simulations, is_first = self._runner.simulations, not self._quantities
        forces = any(needs_forces(self._quantities[label]) for label in self.labels if label in self._quantities)
        for live in simulations:
            if is_first:
                self._learn(live)
            if self.labels or self._keeps_past():
                live.record_signals(self.labels, forces=forces)
        return is_first and bool(simulations)

    def _keeps_past(self) -> bool:
        """Whether the signals of motion are few enough to be sampled also while they are not plotted."""
        motion = sum(quantity.count for quantity in self._quantities.values() if not needs_forces(quantity))
        return motion <= MAX_COLUMNS * len(self._page.views)

    def _sample_paused(self) -> None:
        self.sample()

    def _learn(self, live: LiveSimulation) -> None:
        try:
            table = live.sample_signals()
        except OssatureError:  # the run reports it
            return
        self._quantities |= {label: quantity for label, (quantity, _) in table.quantities.items() if quantity.count}

    def curves_of(self, label: str) -> Curves | None:
        """Return the curves of a signal: of the recordings if there are any and nothing runs, else of the simulations."""
        series = list(self._recorded(label) if self._shows_recordings() else self._live(label))
        if not series:
            return None
        parts = {f"{number + 1}: " if len(series) > 1 else "": one for number, one in enumerate(series)}
        parts |= {
            f"reference {number + 1}: " if len(series) > 1 else "reference: ": one for number, one in self._of_references(label)
        }
        times, _ = series[0]
        times, _, every = thinned(times, times)
        curves: dict[str, dict[str, Array]] = {}
        names = self._component_names(label, series[0][1].shape[1])
        for prefix, (own_times, values) in parts.items():
            for column, name in enumerate(names[: values.shape[1]]):
                curves.setdefault(name, {})[prefix] = np.interp(times, own_times, values[:, column], right=np.nan)
        if self.shows_difference and len(parts) > 1:
            shown = {f"difference {name}": _difference(of_parts) for name, of_parts in curves.items()}
        else:
            shown = {f"{prefix}{name}": values for name, of_parts in curves.items() for prefix, values in of_parts.items()}
        return Curves(times=times, values=shown, unit=self._unit_of(label), every=every)

    def _of_references(self, label: str) -> Iterator[tuple[int, Series]]:
        for number, clip in self._references().items():
            values = None if clip.signals is None else clip.signals.values(label)
            if clip.signals is not None and values is not None:
                yield number, (clip.signals.times(), values)

    def _shows_recordings(self) -> bool:
        return bool(self._player.clips) and not self._runner.is_running

    def now(self) -> float | None:
        """Return the time of the recording that is shown [s], or None if a simulation is."""
        return self._player.time if self._shows_recordings() else None

    def _recorded(self, label: str) -> Iterator[Series]:
        for clip in self._player.clips:
            values = None if clip.signals is None else clip.signals.values(label)
            if clip.signals is not None and values is not None:
                yield clip.signals.times(), values

    def _live(self, label: str) -> Iterator[Series]:
        for live in self._runner.simulations:
            series = live.history.series(label)
            if series is not None:
                yield series

    def _quantity(self, label: str) -> RecordedQuantity | None:
        known = {quantity.label: quantity for view in self._page.views for quantity in _quantities_of(view.world)}
        for clip in self._player.clips:
            if clip.signals is not None:
                known |= {name: quantity for name, (quantity, _) in clip.signals.quantities.items()}
        return (known | self._quantities).get(label)

    def _joint(self, quantity: RecordedQuantity) -> Joint | None:
        models = [view.world.models[quantity.model] for view in self._page.views if quantity.model in view.world.models]
        return next((model.joints[quantity.name] for model in models if quantity.name in model.joints), None)

    def _component_names(self, label: str, count: int) -> list[str]:
        """Return the names of the components of a signal: those of the coordinates of a joint, or else axes."""
        quantity = self._quantity(label)
        joint = self._joint(quantity) if quantity is not None and quantity.group == JOINTS else None
        if quantity is None or joint is None or not 1 < count == joint.degrees_of_freedom:
            return [_COMPONENTS.get((count, column), str(column + 1)) for column in range(count)]
        units = [_coordinate_unit(joint, number, quantity) for number in range(count)]
        names = [coordinate_name(joint, number) for number in range(count)]
        return [f"{name} [{unit}]" for name, unit in zip(names, units, strict=True)] if len(set(units)) > 1 else names

    def _unit_of(self, label: str) -> str:
        quantity = self._quantity(label)
        if quantity is None:
            return ""
        return self._unit_of_joint(quantity) if quantity.group == JOINTS else unit_of(quantity)

    def _unit_of_joint(self, quantity: RecordedQuantity) -> str:
        """Return the unit of the coordinates of a joint, if they are all angles or all lengths."""
        joint = self._joint(quantity)
        numbers = range(0 if joint is None else joint.degrees_of_freedom)
        units = set() if joint is None else {_coordinate_unit(joint, number, quantity) for number in numbers}
        return units.pop() if len(units) == 1 else unit_of(quantity)

    def to_csv(self) -> str:
        """Return the signals that are plotted as a table; one column for each curve."""
        curves = {label: found for label in self.labels if (found := self.curves_of(label)) is not None}
        output = io.StringIO()
        if curves:
            writer = csv.writer(output, lineterminator="\n")
            times = next(iter(curves.values())).times
            columns = [
                (f"{label}[{name}]", np.interp(times, found.times, values, right=np.nan))
                for label, found in curves.items()
                for name, values in found.values.items()
            ]
            writer.writerow(["time", *(name for name, _ in columns)])
            writer.writerows(zip(times.tolist(), *(values.tolist() for _, values in columns), strict=True))
        return output.getvalue()


_COMPONENTS = {(3, 0): "x", (3, 1): "y", (3, 2): "z", (1, 0): "value", (4, 0): "w", (4, 1): "x", (4, 2): "y", (4, 3): "z"}
"""Labels of curves by the number of values and the index of one."""


def _coordinate_unit(joint: Joint, number: int, quantity: RecordedQuantity) -> str:
    return ("rad" if is_rotation(joint.type, number) else "m") + ("/s" if quantity.field == "velocities" else "")


def _difference(parts: Mapping[str, Array]) -> Array:
    """Return the first of several curves minus the second; not a number if there is only one."""
    first, *others = parts.values()
    return first - others[0] if others else np.full_like(first, np.nan)


def _quantities_of(world: World) -> Iterator[RecordedQuantity]:
    for model in world.models:
        if not model.static:
            for joint in model.joints:
                if joint.degrees_of_freedom:
                    yield from quantities_of_joint(model.name, joint.name, joint.degrees_of_freedom)
    yield from (RecordedQuantity(group="energy", field=field) for field in ("potential", "kinetic"))
    for model in world.models:
        if not model.static:
            for body in model.bodies:
                yield from quantities_of_body(model.name, body.name)
