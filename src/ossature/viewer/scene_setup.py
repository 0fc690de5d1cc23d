"""Files in one scene: light, floor and camera, and one or two Worlds side by side."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from ossature.spatial import add, dot, scale
from ossature.viewer.body_markers import along
from ossature.viewer.camera_framing import FIELD_OF_VIEW, CameraFraming, around, beside
from ossature.viewer.layers import INSIDE, Layer
from ossature.viewer.lighting import light
from ossature.viewer.loaded_file import LoadedFile
from ossature.viewer.model_view import ModelView

if TYPE_CHECKING:
    import viser

Clicked = Callable[[int, str, str], None]
"""Gets the number of a file, and the names of a model and of one of its bodies."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewChoice:
    """What somebody has chosen to see.

    Attributes:
        layers: The layers that were switched on or off; the others are as the files let them be.
        see_through: Whether visual shapes let others be seen, or None where nobody said so.
    """

    layers: Mapping[Layer, bool] = field(default_factory=dict)
    see_through: bool | None = None

    def shown(self, first: Collection[Layer]) -> list[Layer]:
        """Return the layers that are shown.

        Args:
            first: Those that are shown where nothing is chosen.
        """
        return [layer for layer, visible in (dict.fromkeys(first, True) | dict(self.layers)).items() if visible]

    @property
    def is_see_through(self) -> bool:
        """Whether visual shapes let others be seen: if somebody says so, or asks for what lies within them."""
        asked = any(visible for layer, visible in self.layers.items() if layer in INSIDE)
        return asked if self.see_through is None else self.see_through


def add_models_to_scene(
    server: viser.ViserServer,
    files: Sequence[LoadedFile],
    *,
    fine: bool,
    choice: ViewChoice,
    clicked: Clicked,
    before: CameraFraming | None = None,
) -> list[ModelView]:
    """Put files into the scene of a server.

    Args:
        server: The server.
        files: One or two files, each with a World.
        fine: Whether with shadows and reflections.
        choice: What is shown besides what is shown anyway, and what is not.
        clicked: Called when a body is clicked.
        before: The framing of what was shown until now: whoever looks goes on looking from where they are.

    Raises:
        FormulaError: A formula gives a joint no value.
    """
    views = [
        ModelView(server.scene, name, loaded, partial(clicked, number))
        for number, (name, loaded) in enumerate(zip(_names(files), files, strict=True))
    ]
    if len(views) > 1:
        first, second = views
        second.move_to(beside(first.framing, second.framing))
    framing = framing_of(views)
    if before is None or before.up != framing.up:  # either moves the cameras of those who look already
        server.scene.set_up_direction(framing.up)
        _look(server.initial_camera, framing)
    light(server.scene, framing, fine=fine)
    _floor(server.scene, framing)
    for view in views:
        view.follow_joints()
        for layer in choice.shown(view.first):
            view.stage.show(layer, True)
        view.stage.see_through(choice.is_see_through)
        if len(views) > 1:
            _label(server.scene, view)
    return views


def _look(camera: viser.InitialCameraConfig, framing: CameraFraming) -> None:
    camera.fov = FIELD_OF_VIEW
    camera.position, camera.look_at = framing.eye_for(1.2), framing.center
    camera.near, camera.far = 0.002 * framing.size, 60.0 * framing.size


def _floor(scene: viser.SceneApi, framing: CameraFraming) -> None:
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


def _label(scene: viser.SceneApi, view: ModelView) -> None:
    above = add(view.framing.center, scale(view.framing.up, 0.55 * view.framing.size))
    scene.add_label(f"/names/{view.name.replace('/', ' ')}", view.name, position=above, anchor="bottom-center")


def framing_of(views: Sequence[ModelView]) -> CameraFraming:
    """Return the framing of all of them."""
    return around([view.framing for view in views])


def _names(files: Sequence[LoadedFile]) -> list[str]:
    """Return a name for each file that no other one has."""
    names = [loaded.path.name for loaded in files]
    if len(set(names)) < len(names):
        names = [str(loaded.path) for loaded in files]
    if len(set(names)) < len(names):
        names = [f"{name} ({number})" for number, name in enumerate(names, 1)]
    return names
