"""Which layers are shown."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING

from ossature.viewer.layers import Layer

if TYPE_CHECKING:
    import viser

Toggled = Callable[[Layer, bool], None]

_GROUPS = {
    "Shapes": (Layer.VISUALS, Layer.COLLISIONS, Layer.SELF_COLLISIONS),
    "Joints and masses": (Layer.FRAMES, Layer.JOINT_AXES, Layer.MASSES, Layer.INERTIAS),
    "Between bodies": (Layer.SPRINGS, Layer.LOOPS, Layer.IGNORED_PAIRS, Layer.CONTACTS),
    "Robot": (Layer.MANIPULATORS, Layer.SENSORS),
}


class ShowPanel:
    """A checkbox for each layer; what nothing is part of cannot be ticked."""

    def __init__(self, gui: viser.GuiApi, present: Collection[Layer], shown: Collection[Layer], toggled: Toggled) -> None:
        for title, layers in _GROUPS.items():
            with gui.add_folder(title):
                for layer in layers:
                    self._add(gui, layer, layer in present, layer in shown, toggled)

    def _add(self, gui: viser.GuiApi, layer: Layer, present: bool, shown: bool, toggled: Toggled) -> None:
        hint = layer.__doc__ if present else "there are none in this file"
        box = gui.add_checkbox(layer.value, initial_value=shown and present, disabled=not present, hint=hint)

        @box.on_update
        def _(event: viser.GuiEvent[viser.GuiCheckboxHandle]) -> None:
            if event.client is not None:
                toggled(layer, bool(event.target.value))
