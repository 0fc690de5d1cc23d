"""A mesh with a texture as a node of the scene."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ossature.array_types import Uint8Array
from ossature.model import MeshData
from ossature.viewer.crease_normals import vertex_normals
from ossature.viewer.default_pose_messages import send_default_pose
from ossature.viewer.surface_textures import SurfaceTexture

if TYPE_CHECKING:
    import viser
    from PIL.Image import Image

_JPEG_QUALITY = 88
_LEAST_JPEG_PIXELS = 1 << 17
"""Number of pixels from which an opaque image is compressed with losses: smaller ones are often markers with sharp edges."""


class TexturedMesh:
    """A mesh with a texture; with one colour while its colour or opacity differ from those at first.

    It has those attributes of a node of viser's that shapes use.

    Args:
        triangles: The mesh, with creases.
        color: Its colour without the texture, from 0 to 255.
        opacity: Its opacity, or None if it is opaque.
        options: Further options of the nodes of viser: pose, scale and shadow.
    """

    def __init__(
        self,
        scene: viser.SceneApi,
        name: str,
        triangles: MeshData,
        texture: SurfaceTexture,
        *,
        color: tuple[int, int, int],
        opacity: float | None,
        options: dict[str, Any],
    ) -> None:
        self._scene, self._name, self._triangles, self._options = scene, name, triangles, options
        self._specified = self._drawn = (color, opacity)
        self._is_visible = True
        self._handlers: list[Callable[[Any], object]] = []
        self._textured: Any = scene.add_glb(name, encode_glb(triangles, texture), **options)
        send_default_pose(self._textured)
        self._plain: Any = None

    @property
    def color(self) -> tuple[int, int, int]:
        """The colour, from 0 to 255; another one than at first hides the texture."""
        return self._drawn[0]

    @color.setter
    def color(self, color: tuple[int, int, int]) -> None:
        self._drawn = (color, self._drawn[1])
        self._update()

    @property
    def opacity(self) -> float | None:
        """The opacity, or None if it is opaque; another one than at first hides the texture."""
        return self._drawn[1]

    @opacity.setter
    def opacity(self, opacity: float | None) -> None:
        self._drawn = (self._drawn[0], opacity)
        self._update()

    @property
    def visible(self) -> bool:
        """Whether it is shown."""
        return self._is_visible

    @visible.setter
    def visible(self, visible: bool) -> None:
        self._is_visible = visible
        self._update()

    @property
    def drawn_name(self) -> str:
        """Name of the node that is drawn: with or without the texture."""
        return str((self._textured if self._drawn == self._specified else self._plain).name)

    def on_click(self, function: Callable[[Any], None]) -> None:
        """Call a function with the event of each click."""
        self._add_handler(lambda node: node.on_click(function))

    def on_drag(self, button: str, *, modifier: str) -> Callable[[Callable[[Any], None]], None]:
        """Return what registers a function that is called with the events of drags."""
        return lambda function: self._add_handler(lambda node: node.on_drag(button, modifier=modifier)(function))

    def _add_handler(self, add: Callable[[Any], object]) -> None:
        self._handlers.append(add)
        for node in filter(None, (self._textured, self._plain)):
            add(node)

    def _update(self) -> None:
        is_textured = self._drawn == self._specified
        if not is_textured:
            if self._plain is None:
                self._plain = self._add_plain_node()
            self._plain.color, self._plain.opacity = self._drawn
        self._textured.visible = self._is_visible and is_textured
        if self._plain is not None:
            self._plain.visible = self._is_visible and not is_textured

    def _add_plain_node(self) -> Any:
        node = self._scene.add_mesh_simple(
            f"{self._name} without texture",
            self._triangles.vertices.astype(np.float32),
            self._triangles.faces.astype(np.uint32),
            side="double",
            **self._options,
        )
        for add in self._handlers:
            add(node)
        return node


def encode_glb(triangles: MeshData, texture: SurfaceTexture) -> bytes:
    """Return a mesh with a texture as a binary glTF document."""
    from trimesh import Trimesh
    from trimesh.exchange.gltf import export_glb
    from trimesh.visual import TextureVisuals
    from trimesh.visual.material import PBRMaterial

    corners = np.column_stack([triangles.faces.reshape(-1, 1), texture.coordinates.reshape(-1, 2)])
    rows, faces = np.unique(corners, axis=0, return_inverse=True)
    vertices = rows[:, 0].astype(np.intp)
    material = PBRMaterial(
        baseColorTexture=_compress(texture.pixels, is_opaque=texture.is_opaque),
        baseColorFactor=texture.tint,
        metallicFactor=0.0,
        roughnessFactor=1.0,
        doubleSided=True,
        alphaMode="OPAQUE" if texture.is_opaque else "BLEND",
    )
    mesh = Trimesh(
        vertices=triangles.vertices[vertices],
        faces=faces.reshape(-1, 3),
        vertex_normals=vertex_normals(triangles)[vertices],
        visual=TextureVisuals(uv=rows[:, 1:], material=material),
        process=False,
    )
    return bytes(export_glb(mesh.scene(), include_normals=True))


def _compress(pixels: Uint8Array, *, is_opaque: bool) -> Image:
    """Return an image that is read from a PNG file or, if it is large and opaque, a JPEG file: trimesh keeps its format."""
    from PIL import Image

    content = io.BytesIO()
    if is_opaque and pixels.shape[0] * pixels.shape[1] >= _LEAST_JPEG_PIXELS:
        Image.fromarray(pixels).convert("RGB").save(content, "JPEG", quality=_JPEG_QUALITY)
    else:
        Image.fromarray(pixels).save(content, "PNG")
    return Image.open(content)
