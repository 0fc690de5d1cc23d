"""Set-up of the scene: lights, floor, camera, and one or two Worlds side by side."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from ossature.model import Plane
from ossature.spatial import add, dot, scale
from ossature.viewer.body_markers import rotation_to
from ossature.viewer.camera_framing import FIELD_OF_VIEW, CameraFraming, offset_beside, union_of_framings
from ossature.viewer.fitted_cameras import WIDE
from ossature.viewer.lighting import add_lights
from ossature.viewer.loaded_file import LoadedFile
from ossature.viewer.model_view import ModelView
from ossature.viewer.scene_layers import INNER_LAYERS, Layer
from ossature.viewer.scene_nodes import Drag

if TYPE_CHECKING:
    import viser

OnClick = Callable[[int, str, str], None]
"""Gets the number of a file, and the names of a model and of one of its bodies."""
OnPull = Callable[[int, str, str, Drag], None]
"""Gets the number of a file, the names of a model and of one of its bodies, and how it is dragged."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewOptions:
    """View options of the user.

    Attributes:
        layers: Layers that were shown or hidden; the others are at their defaults.
        transparent: Whether visual shapes are transparent, or None by default.
    """

    layers: Mapping[Layer, bool] = field(default_factory=dict)
    transparent: bool | None = None

    def shown(self, first: Collection[Layer]) -> list[Layer]:
        """Return the layers that are shown.

        Args:
            first: The default layers.
        """
        return [layer for layer, visible in (dict.fromkeys(first, True) | dict(self.layers)).items() if visible]

    @property
    def is_transparent(self) -> bool:
        """Whether visual shapes are transparent; by default if a layer that they occlude is shown."""
        asked = any(visible for layer, visible in self.layers.items() if layer in INNER_LAYERS)
        return asked if self.transparent is None else self.transparent


def add_models_to_scene(
    server: viser.ViserServer,
    files: Sequence[LoadedFile],
    *,
    shadows: bool,
    options: ViewOptions,
    on_click: OnClick,
    on_pull: OnPull | None = None,
    before: CameraFraming | None = None,
) -> list[ModelView]:
    """Add files to the scene of a server.

    Args:
        files: One or two files, each with a World.
        shadows: Whether with shadows and reflections.
        on_click: Called when a body is on_click.
        on_pull: Called while a body is dragged with the mouse, or None.
        before: Last framing of the scene, or None; cameras stay unless the up vector changes.

    Raises:
        FormulaError: The formula of a coupled joint has no value.
    """
    views = [
        ModelView(server.scene, name, loaded, partial(on_click, number), None if on_pull is None else partial(on_pull, number))
        for number, (name, loaded) in enumerate(zip(_unique_file_names(files), files, strict=True))
    ]
    if len(views) > 1:
        first, second = views
        second.move_to(offset_beside(first.framing, second.framing))
    framing = framing_of(views)
    if before is None or before.up != framing.up:  # both move the cameras of clients
        server.scene.set_up_direction(framing.up)
        _set_camera(server.initial_camera, framing)
    add_lights(server.scene, framing, shadows=shadows)
    _add_floor(server.scene, framing, is_on_plane=any(map(_has_plane, views)))
    for view in views:
        view.update()
        for layer in options.shown(view.initial_layers):
            view.nodes.show(layer, True)
        view.show_tendons()
        view.nodes.set_transparent(options.is_transparent)
        if len(views) > 1:
            _add_label(server.scene, view)
    return views


def _set_camera(camera: viser.InitialCameraConfig, framing: CameraFraming) -> None:
    camera.fov = FIELD_OF_VIEW
    camera.position, camera.look_at = framing.eye_for(WIDE), framing.look_at
    camera.near, camera.far = 0.002 * framing.size, 60.0 * framing.size


def _has_plane(view: ModelView) -> bool:
    return any(
        isinstance(visual.geometry, Plane) for model in view.world.models for body in model.bodies for visual in body.visuals
    )


def _add_floor(scene: viser.SceneApi, framing: CameraFraming, *, is_on_plane: bool) -> None:
    # Not at the height of the ground contact, against z-fighting.
    height = framing.floor + (0.0005 if is_on_plane else -0.0005) * framing.size
    below = height - dot(framing.center, framing.up)
    scene.add_grid(
        "/floor",
        wxyz=rotation_to(framing.up).wxyz,
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


def _add_label(scene: viser.SceneApi, view: ModelView) -> None:
    name = f"/names/{view.name.replace('/', ' ')}"
    scene.add_label(name, view.name, position=view.framing.top, anchor="bottom-center")


def framing_of(views: Sequence[ModelView]) -> CameraFraming:
    """Return the common framing of views."""
    return union_of_framings([view.framing for view in views])


def _unique_file_names(files: Sequence[LoadedFile]) -> list[str]:
    names = [loaded.path.name for loaded in files]
    if len(set(names)) < len(names):
        names = [str(loaded.path) for loaded in files]
    if len(set(names)) < len(names):
        names = [f"{name} ({number})" for number, name in enumerate(names, 1)]
    return names
