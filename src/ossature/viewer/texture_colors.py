"""Textures of mesh files as colours of triangles, which pages, pictures and shared pages draw like other colours.

A triangle has the mean colour of its part of the texture, and the colours of a mesh are reduced to a few: details of a texture
that are smaller than the triangles are not visible.
"""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import numpy as np

from ossature.assets import AssetError, MeshStore
from ossature.assets.mesh_formats.mesh_assembly import ColoredPart
from ossature.model import Mesh, MeshData, Rgba

if TYPE_CHECKING:
    from numpy.typing import NDArray

_MOST_PIXELS = 1 << 26
_SIDE = 512
"""Largest width and height of the reduced image [pixel]."""
_MOST_COLORS = 16
_FORMATS = ("PNG", "JPEG", "BMP", "TGA", "TIFF", "GIF", "WEBP")
_SAMPLES = np.array(
    [
        *((1 / 3, 1 / 3, 1 / 3), (0.8, 0.1, 0.1), (0.1, 0.8, 0.1), (0.1, 0.1, 0.8)),
        *((0.45, 0.45, 0.1), (0.45, 0.1, 0.45), (0.1, 0.45, 0.45)),
    ]
)
"""Barycentric coordinates of the points of a triangle whose colours are averaged."""


def colored_triangles(mesh: Mesh, part: ColoredPart, meshes: MeshStore) -> list[tuple[MeshData, Rgba | None]]:
    """Return the triangles of a part of a mesh file, each colour of its texture by itself; without one if it has no texture.

    Args:
        mesh: The mesh.
        part: Its part, whose image may be unavailable or invalid: then its triangles have no colour.
        meshes: The store of the mesh.
    """
    coordinates, stated = part.texture_coordinates, part.material.texture
    if stated is None or coordinates is None:
        return [(part.triangles, part.material.rgba)]
    try:
        content = stated if isinstance(stated, bytes) else meshes.resolver.read_sibling(mesh.uri, stated, meshes.limits)
        image = _read_image(content)
    except (AssetError, OSError, ValueError):
        return [(part.triangles, None)]
    numbers, colors = _reduce_colors(_mean_colors(image, coordinates))
    return [
        (MeshData(vertices=part.triangles.vertices, faces=part.triangles.faces[numbers == number]), color)
        for number, color in enumerate(colors)
    ]


def _read_image(content: bytes) -> NDArray[np.uint8]:
    """Return an image with at most 512 by 512 pixels: red, green, blue and opacity, shape (height, width, 4).

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
            reduced = image.convert("RGBA")
    except (Image.DecompressionBombError, SyntaxError) as error:
        raise ValueError(str(error)) from error
    reduced.thumbnail((_SIDE, _SIDE), Image.Resampling.BOX)
    return np.asarray(reduced)


def _mean_colors(image: NDArray[np.uint8], coordinates: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the mean colour of each triangle, from 0 to 255, shape (m, 4); a texture is repeated beyond its borders."""
    height, width = image.shape[:2]
    points = np.einsum("sc,mcd->smd", _SAMPLES, np.nan_to_num(coordinates, posinf=0.0, neginf=0.0))
    columns = np.minimum((points[..., 0] % 1.0 * width).astype(np.intp), width - 1)
    rows = np.minimum(((1.0 - points[..., 1] % 1.0) * height).astype(np.intp), height - 1)
    return np.asarray(image[rows, columns].mean(axis=0))


def _reduce_colors(colors: NDArray[np.float64]) -> tuple[NDArray[np.intp], list[Rgba]]:
    """Return the number of a reduced colour for each triangle, and these colours from 0 to 1."""
    from PIL import Image

    rounded = np.round(colors[:, :3]).astype(np.uint8)
    palette = Image.fromarray(rounded[None]).quantize(_MOST_COLORS)
    used, numbers = np.unique(np.asarray(palette)[0], return_inverse=True)
    counts = np.bincount(numbers)
    means = np.stack([np.bincount(numbers, weights=colors[:, channel]) / counts for channel in range(4)], axis=1) / 255.0
    return numbers.astype(np.intp), [(red, green, blue, alpha) for red, green, blue, alpha in means[: len(used)].tolist()]
