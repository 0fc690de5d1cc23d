"""The sliders of the panel "Pose": one for each joint coordinate."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ossature.viewer.joint_configuration import CoordinateSlider, is_base
from ossature.viewer.model_view import ModelView
from ossature.viewer.properties_and_findings_html import paragraph

if TYPE_CHECKING:
    import viser

OnMove = Callable[[ModelView, CoordinateSlider, float], None]
OnPose = Callable[[ModelView, str], None]

_MOST_SLIDERS = 100
"""Of one file; a browser needs seconds for a thousand."""

INITIAL, ZERO, RANDOM = "Initial", "Zero", "Random"


class JointsPanel:
    """Sliders of all coordinates; those of coupled and locked joints are read-only."""

    def __init__(self, gui: viser.GuiApi, views: Sequence[ModelView], on_move: OnMove, on_pose: OnPose) -> None:
        self._controls: dict[tuple[int, str, str, int], Any] = {}
        self._sliders: dict[tuple[int, str, str, int], CoordinateSlider] = {}
        for number, view in enumerate(views):
            if len(views) > 1:
                with gui.add_folder(view.name):
                    self._fill(gui, number, view, on_move, on_pose)
            else:
                self._fill(gui, number, view, on_move, on_pose)

    def _fill(self, gui: viser.GuiApi, number: int, view: ModelView, on_move: OnMove, on_pose: OnPose) -> None:
        if not view.sliders:
            gui.add_markdown("No movable joints.")
            return
        buttons = gui.add_button_group(
            "Set joints", (INITIAL, ZERO, RANDOM), hint="Initial positions of the file, zero, or random within the limits"
        )
        buttons.on_click(lambda event: on_pose(view, str(event.target.value)))
        loops = view.configuration.loops()
        if loops:
            count = f"{len(loops)} closed loop{'s' if len(loops) > 1 else ''}"
            gui.add_markdown(f"*{count}: joints are coupled; motors are disabled while joints are moved.*")
        if len(view.sliders) <= _MOST_SLIDERS:
            self._add_models(gui, number, view, view.sliders, on_move)
            return
        search = gui.add_text("Search", "", hint="Part of the name of a joint or of its model")
        number_text: Any = gui.add_html("")
        rows = gui.add_folder(None)

        def list_matching() -> None:
            for child in list(rows._children.values()):
                child.remove()
            self._controls = {key: control for key, control in self._controls.items() if key[0] != number}
            wanted = search.value.strip().casefold()
            found = [slider for slider in view.sliders if wanted in f"{slider.model}/{slider.label}".casefold()]
            shown = min(len(found), _MOST_SLIDERS)
            number_text.content = paragraph(f"{shown} of {len(found)} coordinates: use the search")
            with rows:
                self._add_models(gui, number, view, found[:_MOST_SLIDERS], on_move)
            self.show(number, view.configuration.positions())

        search.on_update(lambda _: list_matching())
        list_matching()

    def _add_models(
        self, gui: viser.GuiApi, number: int, view: ModelView, shown: Sequence[CoordinateSlider], on_move: OnMove
    ) -> None:
        """Add sliders, in a folder for each model if the file has several."""
        several = len({slider.model for slider in view.sliders}) > 1
        for model in dict.fromkeys(slider.model for slider in shown):
            sliders = [slider for slider in shown if slider.model == model]
            if several:
                with gui.add_folder(model):
                    self._add_all(gui, number, view, sliders, on_move)
            else:
                self._add_all(gui, number, view, sliders, on_move)

    def _add_all(
        self, gui: viser.GuiApi, number: int, view: ModelView, sliders: Sequence[CoordinateSlider], on_move: OnMove
    ) -> None:
        bases = [slider for slider in sliders if is_base(view.world, slider)]
        for slider in sliders:
            if slider not in bases:
                self._add_slider(gui, number, view, slider, on_move)
        if bases:
            with gui.add_folder("Base", expand_by_default=len(bases) == len(sliders)):
                for slider in bases:
                    self._add_slider(gui, number, view, slider, on_move)

    def _add_slider(self, gui: viser.GuiApi, number: int, view: ModelView, slider: CoordinateSlider, on_move: OnMove) -> None:
        initial = view.world.models[slider.model].joints[slider.joint].initial_positions[slider.number]
        control = gui.add_slider(
            slider.label,
            min=slider.range.lower,
            max=slider.range.upper,
            step=_slider_step(slider),
            initial_value=float(initial),
            marks=_slider_marks(slider),
            disabled=not slider.is_movable,
            hint=slider.hint,
        )
        self._controls[number, slider.model, slider.joint, slider.number] = control
        self._sliders[number, slider.model, slider.joint, slider.number] = slider

        @control.on_update
        def _(event: viser.GuiEvent[viser.GuiSliderHandle[float]]) -> None:
            if event.client is not None:  # moved by the user, not by show()
                on_move(view, slider, float(event.target.value))

    def show(self, number: int, positions: Mapping[str, Mapping[str, Sequence[float]]]) -> None:
        """Set the sliders of a file to the positions of its joints, clipped to the range of each slider."""
        for (owner, model, joint, coordinate), control in self._controls.items():
            if owner == number:
                slider = self._sliders[owner, model, joint, coordinate]
                value = shown_value(slider, float(positions[model][joint][coordinate]))
                if math.isfinite(value):
                    control.value = min(max(value, control.min), control.max)


def shown_value(slider: CoordinateSlider, value: float) -> float:
    """Return the value that a slider shows: unlimited angles are wrapped to [-π, π]."""
    if slider.is_angular and not slider.is_limited and math.isfinite(value):
        value = math.remainder(value, math.tau)
    return round(value, max(4, math.ceil(-math.log10(_slider_step(slider)))))


def _slider_step(slider: CoordinateSlider) -> float:
    span = slider.range.upper - slider.range.lower
    return 0.001 if span > 0.05 else max(span / 500.0, 1e-6)


def _slider_marks(slider: CoordinateSlider) -> tuple[tuple[float, str], ...]:
    return tuple((end, f"{end:.3g}") for end in (slider.range.lower, slider.range.upper))
