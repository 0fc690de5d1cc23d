"""Which layers are shown."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Any

from ossature.viewer.layers import HINTS, INSIDE, Layer

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

    def __init__(
        self,
        gui: viser.GuiApi,
        present: Collection[Layer],
        shown: Collection[Layer],
        toggled: Toggled,
        see_through: Callable[[bool], None],
        *,
        is_see_through: bool,
    ) -> None:
        self._see_through, self._asked = see_through, bool(INSIDE.intersection(shown))
        for title, layers in _GROUPS.items():
            with gui.add_folder(title):
                if Layer.VISUALS in layers:
                    self._through = self._add_see_through(gui, is_see_through)
                for layer in layers:
                    self._add(gui, layer, layer in present, layer in shown, toggled)

    def _add(self, gui: viser.GuiApi, layer: Layer, present: bool, shown: bool, toggled: Toggled) -> None:
        hint = HINTS[layer] if present else "there are none in this file"
        box = gui.add_checkbox(layer.value, initial_value=shown and present, disabled=not present, hint=hint)

        @box.on_update
        def _(event: viser.GuiEvent[viser.GuiCheckboxHandle]) -> None:
            if event.client is not None:
                toggled(layer, bool(event.target.value))
                self._offer_see_through(layer)

    def _add_see_through(self, gui: viser.GuiApi, is_see_through: bool) -> Any:
        box = gui.add_checkbox("See-through", is_see_through, hint="Let visual shapes show what lies within them")
        box.on_update(lambda event: self._see_through(bool(event.target.value)))
        return box

    def _offer_see_through(self, layer: Layer) -> None:
        """Tick the box for somebody who asks for the first time for what cannot be seen otherwise."""
        if layer in INSIDE and not self._asked:
            self._asked = True
            self._through.value = True
