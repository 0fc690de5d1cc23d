"""Textures of mesh files as colours of triangles, which pages, pictures and shared pages draw like other colours.

Large triangles are divided. A triangle has the mean colour of its part of the texture, and the colours of a mesh are reduced
to a few: smaller details of a texture are not visible. Shapes without texture coordinates have its mean colour.
"""

from __future__ import annotations

import io

import numpy as np

from ossature.array_types import Array, IndexArray, Uint8Array
from ossature.assets import AssetError, MeshStore
from ossature.assets.mesh_formats.mesh_assembly import ColoredPart
from ossature.model import Mesh, MeshData, Model, Rgba, Texture, Visual
from ossature.spatial import Vector3, add, scale

_MOST_PIXELS = 1 << 26
_SIDE = 512
"""Largest width and height of the reduced image [pixel]."""
_MOST_COLORS = 8
_MOST_DIVIDED = 1 << 12
"""Largest number of triangles of a mesh after its triangles are divided."""
_FORMATS = ("PNG", "JPEG", "BMP", "TGA", "TIFF", "GIF", "WEBP")
_SAMPLES = np.array(
    [
        *((1 / 3, 1 / 3, 1 / 3), (0.8, 0.1, 0.1), (0.1, 0.8, 0.1), (0.1, 0.1, 0.8)),
        *((0.45, 0.45, 0.1), (0.45, 0.1, 0.45), (0.1, 0.45, 0.45)),
    ]
)
"""Barycentric coordinates of the points of a triangle whose colours are averaged."""


def colored_triangles(
    mesh: Mesh, part: ColoredPart, meshes: MeshStore, *, image: str | None, tint: Rgba
) -> list[tuple[MeshData, Rgba | None]]:
    """Return the triangles of a part of a mesh file, each colour of its texture by itself; without one if it has no texture.

    Args:
        mesh: The mesh.
        part: Its part, whose image may be unavailable or invalid: then its triangles have no colour.
        meshes: The store of the mesh.
        image: Path of the image of the model's own texture, or None if the materials of the mesh file are used.
        tint: The factors of the colours of a texture.
    """
    coordinates, texture = part.texture_coordinates, image or part.material.texture
    if texture is None or coordinates is None:
        return [(part.triangles, None if image else part.material.rgba)]
    try:
        content = texture if isinstance(texture, bytes) else meshes.resolver.read_sibling(mesh.uri, texture, meshes.limits)
        pixels = _read_image(content)
    except (AssetError, OSError, ValueError):
        return [(part.triangles, None)]
    triangles, coordinates = _divide(part.triangles, coordinates)
    numbers, colors = _reduce_colors(_mean_colors(pixels, coordinates) * tint)
    return [
        (MeshData(vertices=triangles.vertices, faces=triangles.faces[numbers == number]), color)
        for number, color in enumerate(colors)
    ]


def _divide(triangles: MeshData, coordinates: Array) -> tuple[MeshData, Array]:
    """Return triangles with texture coordinates, each divided into four as long as they are few."""
    faces = triangles.faces
    if 4 * len(faces) > _MOST_DIVIDED:
        return triangles, coordinates
    corners = np.concatenate([triangles.vertices[faces], coordinates], axis=2)
    while 4 * len(corners) <= _MOST_DIVIDED:
        a, b, c = corners.swapaxes(0, 1)
        ab, bc, ca = 0.5 * (a + b), 0.5 * (b + c), 0.5 * (c + a)
        corners = np.concatenate([np.stack(each, axis=1) for each in ((a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca))])
    divided = MeshData(vertices=corners[..., :3].reshape(-1, 3), faces=np.arange(3 * len(corners)).reshape(-1, 3))
    return divided, corners[..., 3:]


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
    file = texture.file or next(iter(texture.cube_files), "")
    try:
        image = _read_image(meshes.resolver.read(file, meshes.limits)) if file else None
    except (AssetError, OSError, ValueError):
        return None
    if image is None:
        return None
    red, green, blue = (image[..., :3].mean(axis=(0, 1)) / 255.0).tolist()
    return red, green, blue


def _read_image(content: bytes) -> Uint8Array:
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


def _mean_colors(image: Uint8Array, coordinates: Array) -> Array:
    """Return the mean colour of each triangle, from 0 to 255, shape (m, 4); a texture is repeated beyond its borders."""
    height, width = image.shape[:2]
    points = np.einsum("sc,mcd->smd", _SAMPLES, np.nan_to_num(coordinates, posinf=0.0, neginf=0.0))
    columns = np.minimum((points[..., 0] % 1.0 * width).astype(np.intp), width - 1)
    rows = np.minimum(((1.0 - points[..., 1] % 1.0) * height).astype(np.intp), height - 1)
    return np.asarray(image[rows, columns].mean(axis=0))


def _reduce_colors(colors: Array) -> tuple[IndexArray, list[Rgba]]:
    """Return the number of a reduced colour for each triangle, and these colours from 0 to 1."""
    from PIL import Image

    rounded = np.round(colors[:, :3]).astype(np.uint8)
    palette = Image.fromarray(rounded[None]).quantize(_MOST_COLORS)
    used, numbers = np.unique(np.asarray(palette)[0], return_inverse=True)
    counts = np.bincount(numbers)
    means = np.stack([np.bincount(numbers, weights=colors[:, channel]) / counts for channel in range(4)], axis=1) / 255.0
    return numbers.astype(np.intp), [(red, green, blue, alpha) for red, green, blue, alpha in means[: len(used)].tolist()]
