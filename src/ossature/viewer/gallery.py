"""Files in one scene: light, floor and camera, and one or two Worlds side by side."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import TYPE_CHECKING

from ossature.spatial import add, dot, scale
from ossature.viewer.exhibit import Exhibit
from ossature.viewer.framing import FIELD_OF_VIEW, Framing, around, beside
from ossature.viewer.layers import INSIDE, Layer
from ossature.viewer.lights import light
from ossature.viewer.marks import along
from ossature.viewer.opened import Opened

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
    _look(server, framing_of(exhibits), fine=fine)
    for exhibit in exhibits:
        exhibit.follow_joints()
        for layer in (*exhibit.first, *layers):
            exhibit.stage.show(layer, True)
        exhibit.stage.see_through(bool(INSIDE.intersection(layers)))
        if len(exhibits) > 1:
            _label(server.scene, exhibit)
    return exhibits


def _look(server: viser.ViserServer, framing: Framing, *, fine: bool) -> None:
    server.scene.set_up_direction(framing.up)
    camera = server.initial_camera
    camera.fov = FIELD_OF_VIEW
    camera.position, camera.look_at = framing.eye_for(1.2), framing.center
    camera.near, camera.far = 0.002 * framing.size, 60.0 * framing.size
    light(server.scene, framing, fine=fine)
    _floor(server.scene, framing)


def _floor(scene: viser.SceneApi, framing: Framing) -> None:
    height = framing.floor - 0.0005 * framing.size  # what stands on it hides its lines
    below = height - dot(framing.center, framing.up)
    scene.add_grid(
        "/floor",
        wxyz=along(framing.up).wxyz,
        position=add(framing.center, scale(framing.up, below)),
        infinite_grid=True,
        cell_size=framing.cell,
        section_size=5.0 * framing.cell,
        cell_color=(214, 219, 226),
        section_color=(178, 187, 199),
        cell_thickness=0.7,
        section_thickness=1.0,
        fade_distance=9.0 * framing.size,
        fade_strength=1.5,
        shadow_opacity=0.18,
    )


def _label(scene: viser.SceneApi, exhibit: Exhibit) -> None:
    above = add(exhibit.framing.center, scale(exhibit.framing.up, 0.55 * exhibit.framing.size))
    scene.add_label(f"/names/{exhibit.name.replace('/', ' ')}", exhibit.name, position=above, anchor="bottom-center")


def framing_of(exhibits: Sequence[Exhibit]) -> Framing:
    """Return the framing of all of them."""
    return around([exhibit.framing for exhibit in exhibits])


def _name(number: int, files: Sequence[Opened]) -> str:
    name = files[number].path.name
    return str(files[number].path) if number and name == files[0].path.name else name
