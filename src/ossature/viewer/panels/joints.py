"""A slider for every coordinate."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ossature.model import Free
from ossature.viewer.exhibit import Exhibit
from ossature.viewer.posture import Handle

if TYPE_CHECKING:
    import viser

Moved = Callable[[Exhibit, Handle, float], None]
Posed = Callable[[Exhibit, str], None]

INITIAL, ZERO, ANYWHERE = "Initial", "Zero", "Random"


class JointsPanel:
    """Sliders; those of joints that follow others, or are locked, only show."""

    def __init__(self, gui: viser.GuiApi, exhibits: Sequence[Exhibit], moved: Moved, posed: Posed) -> None:
        self._sliders: dict[tuple[int, str, str, int], Any] = {}
        self._handles: dict[tuple[int, str, str, int], Handle] = {}
        for number, exhibit in enumerate(exhibits):
            if len(exhibits) > 1:
                with gui.add_folder(exhibit.name):
                    self._fill(gui, number, exhibit, moved, posed)
            else:
                self._fill(gui, number, exhibit, moved, posed)

    def _fill(self, gui: viser.GuiApi, number: int, exhibit: Exhibit, moved: Moved, posed: Posed) -> None:
        if not exhibit.handles:
            gui.add_markdown("Nothing here can move.")
            return
        buttons = gui.add_button_group(
            "Put joints", (INITIAL, ZERO, ANYWHERE), hint="Initial positions of the file, zero, or anywhere within limits"
        )
        buttons.on_click(lambda event: posed(exhibit, str(event.target.value)))
        loops = exhibit.posture.loops()
        if loops:
            count = f"{len(loops)} closed loop{'s' if len(loops) > 1 else ''}"
            gui.add_markdown(f"*{count}: all joints move together, and motors let go.*")
        several = len({handle.model for handle in exhibit.handles}) > 1
        for model in dict.fromkeys(handle.model for handle in exhibit.handles):
            handles = [handle for handle in exhibit.handles if handle.model == model]
            if several:
                with gui.add_folder(model):
                    self._add_all(gui, number, exhibit, handles, moved)
            else:
                self._add_all(gui, number, exhibit, handles, moved)

    def _add_all(self, gui: viser.GuiApi, number: int, exhibit: Exhibit, handles: Sequence[Handle], moved: Moved) -> None:
        bases = [handle for handle in handles if _is_base(exhibit, handle)]
        for handle in handles:
            if handle not in bases:
                self._add(gui, number, exhibit, handle, moved)
        if bases:
            with gui.add_folder("Base", expand_by_default=len(bases) == len(handles)):
                for handle in bases:
                    self._add(gui, number, exhibit, handle, moved)

    def _add(self, gui: viser.GuiApi, number: int, exhibit: Exhibit, handle: Handle, moved: Moved) -> None:
        initial = exhibit.world.models[handle.model].joints[handle.joint].initial_positions[handle.number]
        slider = gui.add_slider(
            handle.label,
            min=handle.range.lower,
            max=handle.range.upper,
            step=_step(handle),
            initial_value=float(initial),
            marks=_marks(handle),
            disabled=not handle.free,
            hint=handle.hint,
        )
        self._sliders[number, handle.model, handle.joint, handle.number] = slider
        self._handles[number, handle.model, handle.joint, handle.number] = handle

        @slider.on_update
        def _(event: viser.GuiEvent[viser.GuiSliderHandle[float]]) -> None:
            if event.client is not None:  # a person moved it
                moved(exhibit, handle, float(event.target.value))

    def show(self, number: int, positions: Mapping[str, Mapping[str, Sequence[float]]]) -> None:
        """Put the sliders of an exhibit where its joints are; those beyond their ends stay at them."""
        for (owner, model, joint, coordinate), slider in self._sliders.items():
            if owner == number:
                handle = self._handles[owner, model, joint, coordinate]
                value = shown_value(handle, float(positions[model][joint][coordinate]))
                if math.isfinite(value):
                    slider.value = min(max(value, slider.min), slider.max)


def shown_value(handle: Handle, value: float) -> float:
    """Return what a slider shows for a coordinate: whole turns of a joint without limits do not count."""
    if handle.turns and not handle.limited and math.isfinite(value):
        value = math.remainder(value, math.tau)
    return round(value, max(4, math.ceil(-math.log10(_step(handle)))))


def _is_base(exhibit: Exhibit, handle: Handle) -> bool:
    return isinstance(exhibit.world.models[handle.model].joints[handle.joint].type, Free)


def _step(handle: Handle) -> float:
    span = handle.range.upper - handle.range.lower
    return 0.001 if span > 0.05 else max(span / 500.0, 1e-6)


def _marks(handle: Handle) -> tuple[tuple[float, str], ...]:
    ends = (handle.range.lower, handle.range.upper)
    return tuple((end, f"{end:.3g}") for end in ends)
