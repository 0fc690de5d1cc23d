"""A second recording of a file, drawn translucent in the same scene, to compare two motions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ossature.viewer import color_palette
from ossature.viewer.layers import Layer
from ossature.viewer.scene_nodes import WorldNodes

if TYPE_CHECKING:
    import viser

    from ossature.viewer.model_view import ModelView
    from ossature.viewer.playback_frames import PlaybackRecording

_LAYERS = (Layer.VISUALS, Layer.COLLISIONS, Layer.SKELETON)


class ReferenceMotion:
    """Draws the moving models of a World as they were recorded.

    Attributes:
        clip: The recording.
    """

    def __init__(self, scene: viser.SceneApi, view: ModelView, clip: PlaybackRecording) -> None:
        self.clip, self._view = clip, view
        self._moving = {model.name for model in view.world.models if not model.static}
        self._nodes = WorldNodes(scene, f"{view.name} reference", view.world, view.loaded.meshes, tint=color_palette.REFERENCE)
        self._nodes.set_size(view.framing)
        static = [(model.name, body.name) for model in view.world.models if model.static for body in model.bodies]
        self._nodes.hide_bodies(static)
        self._nodes.set_poses(view.poses)
        for layer in _LAYERS:
            if layer in view.initial_layers:
                self._nodes.show(layer, True)
        self.show(0.0)

    def show(self, time: float) -> None:
        """Draw the World at a time since the start of the recording [s], at its end if that was earlier."""
        poses = self.clip.at(time).poses
        self._nodes.move_to(self._view.nodes.offset)
        self._nodes.set_poses({**self._view.poses, **{model: poses[model] for model in self._moving if model in poses}})

    def remove(self) -> None:
        """Remove it from the scene."""
        self._nodes.remove()
