"""Textures: images on the triangles of mesh files and boxes, and the mean colours of those of other shapes."""

from __future__ import annotations

import io
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ossature.array_types import Array, Int64Array, Uint8Array
from ossature.assets import AssetError, MeshStore
from ossature.assets.mesh_formats.mesh_assembly import ColoredPart
from ossature.model import Appearance, Box, Mesh, MeshData, Model, Rgba, Texture, Visual
from ossature.spatial import Vector3, add, scale

_MOST_PIXELS = 1 << 26
_SIDE = 1024
"""Largest width and height of the reduced image [pixel]."""
_FORMATS = ("PNG", "JPEG", "BMP", "TGA", "TIFF", "GIF", "WEBP")
_CENTER = np.full((1, 3), 1.0 / 3.0)
_OPAQUE = 255
_RGB_CHANNELS = 3


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SurfaceTexture:
    """An image on triangles, which is repeated beyond its borders.

    Attributes:
        pixels: Red, green, blue and opacity from 0 to 255, the top row first, shape (height, width, 4).
        coordinates: For the corners of each triangle, fractions of the width of the image from the left, and of its height
            from the bottom, shape (m, 3, 2).
        tint: Factors of red, green, blue and opacity.
    """

    pixels: Uint8Array
    coordinates: Array
    tint: Rgba = (1.0, 1.0, 1.0, 1.0)

    @property
    def is_opaque(self) -> bool:
        """Whether all of the image is opaque."""
        return self.tint[3] >= 1.0 and bool((self.pixels[..., 3] == _OPAQUE).all())

    def colors_at(self, triangles: Int64Array, weights: Array) -> Array:
        """Return the colours at points of triangles from 0 to 1, shape (n, 4).

        Args:
            triangles: The index of the triangle of each point, shape (n,).
            weights: Their barycentric coordinates, shape (n, 3).
        """
        height, width = self.pixels.shape[:2]
        points = np.einsum("nc,nci->ni", weights, self.coordinates[triangles])
        columns = np.minimum((points[:, 0] % 1.0 * width).astype(np.intp), width - 1)
        rows = np.minimum(((1.0 - points[:, 1] % 1.0) * height).astype(np.intp), height - 1)
        return np.asarray(self.pixels[rows, columns] / 255.0 * self.tint)

    def mean_color(self) -> Rgba:
        """Return the mean colour at the centers of all triangles."""
        count = len(self.coordinates)
        colors = self.colors_at(np.arange(count), np.repeat(_CENTER, count, axis=0))
        red, green, blue, alpha = colors.mean(axis=0).tolist() if count else self.tint
        return red, green, blue, 1.0 if self.is_opaque else alpha


def texture_of_part(
    mesh: Mesh, part: ColoredPart, meshes: MeshStore, *, texture: Texture | None, tint: Rgba
) -> SurfaceTexture | None:
    """Return the texture of a part of a mesh file; None if it has none, or its image is unavailable or invalid.

    Args:
        texture: The texture of the model itself, or None if the materials of the mesh file are used.
        tint: The factors of the colours of the texture.
    """
    image = part.material.texture if texture is None else texture.file
    if image is None or part.texture_coordinates is None or not np.isfinite(part.texture_coordinates).all():
        return None
    pixels = _pixels_of_model(texture, meshes) if texture is not None else _pixels_of_mesh(mesh, image, meshes)
    if pixels is None:
        return None
    is_mirrored = np.prod(mesh.scale) < 0.0  # the corners of triangles are in reverse order then
    coordinates = part.texture_coordinates[:, ::-1] if is_mirrored else part.texture_coordinates
    return SurfaceTexture(pixels=pixels, coordinates=coordinates, tint=tint)


def texture_of_box(
    box: Box, triangles: MeshData, texture: Texture, appearance: Appearance, meshes: MeshStore, tint: Rgba
) -> SurfaceTexture | None:
    """Return the texture of a box, as MuJoCo maps it: each face has it along its two axes, in the order x, y, z.

    Returns:
        The texture, or None if its image is unavailable or invalid.
    """
    pixels = _pixels_of_model(texture, meshes)
    if pixels is None:
        return None
    corners = triangles.vertices[triangles.faces]
    normal_axis = np.ptp(corners, axis=1).argmin(axis=1)
    axes = np.array([(1, 2), (0, 2), (0, 1)])[normal_axis]
    half_size = 0.5 * np.array(box.size)
    repeats = np.array(appearance.texture_repeat) * (half_size[axes] if appearance.texture_uniform else 1.0)
    along = np.take_along_axis(corners / half_size, axes[:, None, :], axis=2)
    from_upper_left = 0.5 + 0.5 * along * (1.0, -1.0)
    coordinates = from_upper_left * repeats.reshape(-1, 1, 2) * (1.0, -1.0) + (0.0, 1.0)
    return SurfaceTexture(pixels=pixels, coordinates=coordinates, tint=tint)


def _pixels_of_mesh(mesh: Mesh, image: str | bytes, meshes: MeshStore) -> Uint8Array | None:
    """Return the image of a material of a mesh file, or None if it is unavailable or invalid."""
    try:
        content = image if isinstance(image, bytes) else meshes.resolver.read_sibling(mesh.uri, image, meshes.limits)
        return _read_image(content, has_opacity=True)
    except (AssetError, OSError, ValueError):
        return None


def _pixels_of_model(texture: Texture, meshes: MeshStore) -> Uint8Array | None:
    """Return the image of a texture of a model, or its first one; None if there is none, or it is unavailable or invalid."""
    file = texture.file or next(iter(texture.cube_files), "")
    try:
        # MuJoCo reads the opacity of textures with four channels only.
        has_opacity = texture.channels > _RGB_CHANNELS
        return _read_image(meshes.resolver.read(file, meshes.limits), has_opacity=has_opacity) if file else None
    except (AssetError, OSError, ValueError):
        return None


def texture_of(model: Model, visual: Visual) -> Texture | None:
    """Return the texture with the colours of a shape, or None if its appearance has none."""
    appearance = model.appearances.get(visual.appearance) if visual.appearance is not None else None
    layers = () if appearance is None else appearance.textures
    layer = next((layer for layer in layers if layer.role in ("rgb", "rgba")), None)
    return None if layer is None else model.textures.get(layer.texture)


def mean_color(texture: Texture, meshes: MeshStore) -> Vector3 | None:
    """Return the mean colour of a texture, from 0 to 1; None if its image is unavailable or invalid."""
    if texture.builtin != "none":
        one, other = texture.color1, texture.color1 if texture.builtin == "flat" else texture.color2
        return scale(add(one, other), 0.5)
    image = _pixels_of_model(texture, meshes)
    if image is None:
        return None
    red, green, blue = (image[..., :3].mean(axis=(0, 1)) / 255.0).tolist()
    return red, green, blue


@lru_cache(maxsize=16)
def _read_image(content: bytes, *, has_opacity: bool) -> Uint8Array:
    """Return an image with at most 1024 by 1024 pixels: red, green, blue and opacity, shape (height, width, 4).

    Args:
        has_opacity: Whether its opacity is read; if not, it is opaque.

    Raises:
        OSError: It is no image of a supported format.
        ValueError: It is invalid, or has too many pixels.
    """
    from PIL import Image

    try:
        with Image.open(io.BytesIO(content), formats=_FORMATS) as image:
            if image.width * image.height > _MOST_PIXELS:
                raise ValueError(f"an image of {image.width} by {image.height} pixels")
            image.draft("RGB", (_SIDE, _SIDE))
            reduced = image.convert("RGBA" if has_opacity else "RGB").convert("RGBA")
    except (Image.DecompressionBombError, SyntaxError) as error:
        raise ValueError(str(error)) from error
    reduced.thumbnail((_SIDE, _SIDE), Image.Resampling.BOX)
    return np.asarray(reduced)
