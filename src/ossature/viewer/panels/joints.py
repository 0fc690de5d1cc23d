"""A slider for every coordinate."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ossature.model import Floating
from ossature.viewer.joint_configuration import CoordinateSlider
from ossature.viewer.model_view import ModelView

if TYPE_CHECKING:
    import viser

Moved = Callable[[ModelView, CoordinateSlider, float], None]
Posed = Callable[[ModelView, str], None]

INITIAL, ZERO, ANYWHERE = "Initial", "Zero", "Random"


class JointsPanel:
    """Sliders; those of joints that follow others, or are locked, only show."""

    def __init__(self, gui: viser.GuiApi, views: Sequence[ModelView], moved: Moved, posed: Posed) -> None:
        self._sliders: dict[tuple[int, str, str, int], Any] = {}
        self._handles: dict[tuple[int, str, str, int], CoordinateSlider] = {}
        for number, view in enumerate(views):
            if len(views) > 1:
                with gui.add_folder(view.name):
                    self._fill(gui, number, view, moved, posed)
            else:
                self._fill(gui, number, view, moved, posed)

    def _fill(self, gui: viser.GuiApi, number: int, view: ModelView, moved: Moved, posed: Posed) -> None:
        if not view.handles:
            gui.add_markdown("Nothing here can move.")
            return
        buttons = gui.add_button_group(
            "Put joints", (INITIAL, ZERO, ANYWHERE), hint="Initial positions of the file, zero, or anywhere within limits"
        )
        buttons.on_click(lambda event: posed(view, str(event.target.value)))
        loops = view.configuration.loops()
        if loops:
            count = f"{len(loops)} closed loop{'s' if len(loops) > 1 else ''}"
            gui.add_markdown(f"*{count}: all joints move together, and motors let go.*")
        several = len({handle.model for handle in view.handles}) > 1
        for model in dict.fromkeys(handle.model for handle in view.handles):
            handles = [handle for handle in view.handles if handle.model == model]
            if several:
                with gui.add_folder(model):
                    self._add_all(gui, number, view, handles, moved)
            else:
                self._add_all(gui, number, view, handles, moved)

    def _add_all(
        self, gui: viser.GuiApi, number: int, view: ModelView, handles: Sequence[CoordinateSlider], moved: Moved
    ) -> None:
        bases = [handle for handle in handles if _is_base(view, handle)]
        for handle in handles:
            if handle not in bases:
                self._add(gui, number, view, handle, moved)
        if bases:
            with gui.add_folder("Base", expand_by_default=len(bases) == len(handles)):
                for handle in bases:
                    self._add(gui, number, view, handle, moved)

    def _add(self, gui: viser.GuiApi, number: int, view: ModelView, handle: CoordinateSlider, moved: Moved) -> None:
        initial = view.world.models[handle.model].joints[handle.joint].initial_positions[handle.number]
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
                moved(view, handle, float(event.target.value))

    def show(self, number: int, positions: Mapping[str, Mapping[str, Sequence[float]]]) -> None:
        """Put the sliders of an exhibit where its joints are; those beyond their ends stay at them."""
        for (owner, model, joint, coordinate), slider in self._sliders.items():
            if owner == number:
                handle = self._handles[owner, model, joint, coordinate]
                value = shown_value(handle, float(positions[model][joint][coordinate]))
                if math.isfinite(value):
                    slider.value = min(max(value, slider.min), slider.max)


def shown_value(handle: CoordinateSlider, value: float) -> float:
    """Return what a slider shows for a coordinate: whole turns of a joint without limits do not count."""
    if handle.turns and not handle.limited and math.isfinite(value):
        value = math.remainder(value, math.tau)
    return round(value, max(4, math.ceil(-math.log10(_step(handle)))))


def _is_base(view: ModelView, handle: CoordinateSlider) -> bool:
    return isinstance(view.world.models[handle.model].joints[handle.joint].type, Floating)


def _step(handle: CoordinateSlider) -> float:
    span = handle.range.upper - handle.range.lower
    return 0.001 if span > 0.05 else max(span / 500.0, 1e-6)


def _marks(handle: CoordinateSlider) -> tuple[tuple[float, str], ...]:
    ends = (handle.range.lower, handle.range.upper)
    return tuple((end, f"{end:.3g}") for end in ends)
