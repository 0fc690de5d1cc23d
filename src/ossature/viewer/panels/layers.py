"""The panel "Layers": visibility of the layers of the scene."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Any

from ossature.viewer.scene_layers import HINTS, INNER_LAYERS, Layer

if TYPE_CHECKING:
    import viser

OnToggle = Callable[[Layer, bool], None]

_GROUPS = {
    "Shapes": (Layer.VISUALS, Layer.COLLISIONS, Layer.SELF_COLLISIONS, Layer.SKELETON),
    "Joints and masses": (Layer.FRAMES, Layer.JOINT_AXES, Layer.MASSES, Layer.INERTIAS),
    "Force elements and contacts": (Layer.SPRINGS, Layer.TENDONS, Layer.LOOPS, Layer.IGNORED_PAIRS, Layer.CONTACTS),
    "Robot": (Layer.MANIPULATORS, Layer.SENSORS),
}


class LayersPanel:
    """A checkbox for each layer; those of empty layers are disabled."""

    def __init__(
        self,
        gui: viser.GuiApi,
        present: Collection[Layer],
        shown: Collection[Layer],
        on_toggle: OnToggle,
        on_transparent: Callable[[bool], None],
        *,
        is_transparent: bool,
    ) -> None:
        self._on_transparent, self._had_inner_layer = on_transparent, bool(INNER_LAYERS.intersection(shown))
        for title, layers in _GROUPS.items():
            with gui.add_folder(title):
                if Layer.VISUALS in layers:
                    self._transparency = self._add_transparency(gui, is_transparent)
                for layer in layers:
                    self._add_checkbox(gui, layer, layer in present, layer in shown, on_toggle)

    def _add_checkbox(self, gui: viser.GuiApi, layer: Layer, present: bool, shown: bool, on_toggle: OnToggle) -> None:
        hint = HINTS[layer] if present else "This layer is empty."
        box = gui.add_checkbox(layer.value, initial_value=shown and present, disabled=not present, hint=hint)

        @box.on_update
        def _(event: viser.GuiEvent[viser.GuiCheckboxHandle]) -> None:
            if event.client is not None:
                on_toggle(layer, bool(event.target.value))
                self._make_transparent_for(layer)

    def _add_transparency(self, gui: viser.GuiApi, is_transparent: bool) -> Any:
        box = gui.add_checkbox(
            "Transparent", is_transparent, hint="Draw visual shapes translucent, so that the markers inside them are visible"
        )
        box.on_update(lambda event: self._on_transparent(bool(event.target.value)))
        return box

    def _make_transparent_for(self, layer: Layer) -> None:
        """Make visual shapes transparent when a layer that they occlude is shown for the first time."""
        if layer in INNER_LAYERS and not self._had_inner_layer:
            self._had_inner_layer = True
            self._transparency.value = True
