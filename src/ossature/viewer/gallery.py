"""Files in one scene: light, floor and camera, and one or two Worlds side by side."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import TYPE_CHECKING

from ossature.spatial import add, scale
from ossature.viewer.exhibit import Exhibit
from ossature.viewer.framing import Framing, around, beside
from ossature.viewer.layers import INSIDE, Layer
from ossature.viewer.opened import Opened
from ossature.viewer.server import look

if TYPE_CHECKING:
    import viser

Clicked = Callable[[int, str, str], None]
"""Gets the number of a file, and the names of a model and of one of its bodies."""


def hang(
    server: viser.ViserServer, files: Sequence[Opened], *, fine: bool, layers: Collection[Layer] = (), clicked: Clicked
) -> list[Exhibit]:
    """Put files into the scene of a server.

    Args:
        server: The server.
        files: One or two files, each with a World.
        fine: Whether with shadows and reflections.
        layers: What is shown besides what is shown anyway.
        clicked: Called when a body is clicked.

    Raises:
        FormulaError: A formula gives a joint no value.
    """
    exhibits = [
        Exhibit(server.scene, _name(number, files), opened, partial(clicked, number)) for number, opened in enumerate(files)
    ]
    if len(exhibits) > 1:
        first, second = exhibits
        second.move_to(beside(first.framing, second.framing))
    look(server, framing_of(exhibits), fine=fine)
    for exhibit in exhibits:
        exhibit.follow_joints()
        for layer in (*exhibit.first, *layers):
            exhibit.stage.show(layer, True)
        exhibit.stage.see_through(bool(INSIDE.intersection(layers)))
        if len(exhibits) > 1:
            _label(server.scene, exhibit)
    return exhibits


def _label(scene: viser.SceneApi, exhibit: Exhibit) -> None:
    above = add(exhibit.framing.center, scale(exhibit.framing.up, 0.55 * exhibit.framing.size))
    scene.add_label(f"/names/{exhibit.name.replace('/', ' ')}", exhibit.name, position=above, anchor="bottom-center")


def framing_of(exhibits: Sequence[Exhibit]) -> Framing:
    """Return the framing of all of them."""
    return around([exhibit.framing for exhibit in exhibits])


def _name(number: int, files: Sequence[Opened]) -> str:
    name = files[number].path.name
    return str(files[number].path) if number and name == files[0].path.name else name
