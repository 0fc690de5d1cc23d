"""Animations of recordings as GIF and MP4 files, rendered frame by frame."""

from __future__ import annotations

import io
import tempfile
from collections.abc import Callable, Collection, Iterator
from pathlib import Path

import numpy as np

from ossature.array_types import Uint8Array
from ossature.assets import MeshStore
from ossature.model import World
from ossature.viewer.camera_framing import CameraFraming, union_of_framings
from ossature.viewer.image_tendons_and_contacts import RenderedTendonsAndContacts
from ossature.viewer.playback_recording import PlaybackFrame, PlaybackRecording
from ossature.viewer.raycast_render import render_image
from ossature.viewer.render_camera import RenderCamera
from ossature.viewer.scene_builder import framing_at
from ossature.viewer.scene_layers import Layer
from ossature.viewer.triangle_scene import build_triangle_scene

_FRAMED = 12
"""Number of instants of a recording that the camera shows completely."""


def framing_of_clip(world: World, clip: PlaybackRecording, meshes: MeshStore) -> CameraFraming:
    """Return the framing of a World at several instants of a recording."""
    instants = np.linspace(0.0, clip.duration, _FRAMED).tolist()
    return union_of_framings([framing_at(world, clip.at(time).poses, meshes) for time in instants])


def render_frames(
    world: World,
    frames: Collection[PlaybackFrame],
    layers: Collection[Layer],
    framing: CameraFraming,
    meshes: MeshStore,
    size: tuple[int, int],
    *,
    camera: RenderCamera,
    progress: Callable[[float], None] | None = None,
) -> Iterator[Uint8Array]:
    """Yield an image for each frame: red, green and blue from 0 to 255, shape (height, width, 3).

    Args:
        frames: Poses of its bodies and positions of its joints.
        framing: Bounding box of the scene, to which markers are in proportion.
        size: Width and height of the images [pixels].
        progress: Called with the completed share from 0 to 1.

    Raises:
        SimulationError: The World cannot be compiled, which contacts need.
    """
    state = RenderedTendonsAndContacts(world, meshes)
    for number, frame in enumerate(frames):
        further = state.elements(layers, frame.poses, frame.positions, framing.axis_length)
        scene = build_triangle_scene(world, frame.poses, layers, framing, meshes, further)
        image = render_image(scene, framing, *size, camera=camera)
        if progress is not None:
            progress((number + 1) / len(frames))
        yield np.round(image.colors * 255.0).astype(np.uint8)


def encode_gif(frames: Iterator[Uint8Array], frames_per_second: float) -> bytes:
    """Return frames as the content of an animated GIF file, which repeats."""
    from PIL import Image

    images = [Image.fromarray(frame).quantize(128) for frame in frames]
    content = io.BytesIO()
    # Delays of GIF files are hundredths of a second: rounding each frame's end keeps the duration.
    ends = np.round(100.0 * np.arange(len(images) + 1) / frames_per_second) * 10.0
    delays = np.diff(ends).tolist()
    images[0].save(content, "GIF", save_all=True, append_images=images[1:], duration=delays, loop=0)
    return content.getvalue()


def encode_mp4(frames: Iterator[Uint8Array], frames_per_second: float, size: tuple[int, int]) -> bytes:
    """Return frames as the content of an MP4 file (H.264).

    Raises:
        ImportError: imageio-ffmpeg is not installed.
    """
    import imageio_ffmpeg

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "animation.mp4"
        writer = imageio_ffmpeg.write_frames(str(path), size, fps=frames_per_second, macro_block_size=2, quality=7)
        writer.send(None)
        try:
            for frame in frames:
                writer.send(np.ascontiguousarray(frame))
        finally:
            writer.close()
        return path.read_bytes()
