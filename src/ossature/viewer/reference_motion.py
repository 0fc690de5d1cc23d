"""A second recording of a file, drawn translucent in the same scene, to compare two motions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from ossature.spatial import Pose, angle_between, norm, subtract
from ossature.viewer import color_palette
from ossature.viewer.scene_builder import body_radii
from ossature.viewer.scene_layers import Layer
from ossature.viewer.scene_nodes import WorldNodes

if TYPE_CHECKING:
    import viser

    from ossature.viewer.model_view import ModelView
    from ossature.viewer.playback_recording import PlaybackRecording

_SAME_PLACE = 1e-3
"""Distance of all points of a body up to which it is drawn once, relative to the size of the scene: about a pixel. Surfaces
that nearly coincide would occlude each other in random patches."""
_LAYERS = (Layer.VISUALS, Layer.COLLISIONS, Layer.SKELETON)


class ReferenceMotion:
    """Draws the moving models of a World as they were recorded: the bodies that are not where the shown ones are."""

    def __init__(self, scene: viser.SceneApi, view: ModelView, clip: PlaybackRecording) -> None:
        self.clip, self._view = clip, view
        self._moving = {model.name for model in view.world.models if not model.static}
        self._nodes = WorldNodes(scene, f"{view.name} reference", view.world, view.loaded.meshes, tint=color_palette.REFERENCE)
        self._nodes.set_size(view.framing)
        self._radii = body_radii(view.world, view.loaded.meshes)
        self._same_place = _SAME_PLACE * view.framing.size
        self._hidden: set[tuple[str, str]] = set()
        self._nodes.set_poses(view.poses)
        for layer in _LAYERS:
            if layer in view.initial_layers:
                self._nodes.show(layer, True)
        self.show(0.0)

    def show(self, time: float) -> None:
        """Draw the World at a time since the start of the recording [s], at its end if that was earlier."""
        recorded = self.clip.at(time).poses
        poses = {**self._view.poses, **{model: recorded[model] for model in self._moving if model in recorded}}
        self._nodes.move_to(self._view.nodes.offset)
        self._nodes.set_poses(poses)
        hidden = set(self._coincident(poses))
        if hidden != self._hidden:
            self._hidden = hidden
            self._nodes.hide_bodies(hidden)

    def _coincident(self, poses: Mapping[str, Mapping[str, Pose]]) -> Iterator[tuple[str, str]]:
        """Yield the bodies that are drawn nearly where those of the shown model are, such as all that do not move."""
        for model, bodies in self._view.poses.items():
            for body, shown in bodies.items():
                recorded = poses[model][body]
                turned = angle_between(shown, recorded) * self._radii.get((model, body), 0.0)
                if norm(subtract(shown.position, recorded.position)) + turned < self._same_place:
                    yield model, body

    def remove(self) -> None:
        """Remove it from the scene."""
        self._nodes.remove()
