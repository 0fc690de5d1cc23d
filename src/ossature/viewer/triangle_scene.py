"""A static scene as one array of triangles in the world."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain

import numpy as np

from ossature.array_types import Array, BoolArray, Int64Array
from ossature.assets import AssetError, MeshStore
from ossature.model import MeshData, Rgba, World
from ossature.spatial import Pose, Vector3
from ossature.viewer import color_palette
from ossature.viewer.camera_framing import CameraFraming
from ossature.viewer.crease_normals import vertex_normals, with_creases
from ossature.viewer.scene_builder import elements_of_layer
from ossature.viewer.scene_elements import Connector, Primitive
from ossature.viewer.scene_layers import INNER_LAYERS, Layer
from ossature.viewer.surface_textures import SurfaceTexture

_TRANSPARENT_OPACITY = 0.35
_PLANE_SIZE = 3.0
_SOLID = (Layer.VISUALS, Layer.COLLISIONS, Layer.SPRINGS, Layer.TENDONS)


@dataclass(frozen=True, slots=True, kw_only=True)
class TriangleScene:
    """Triangles of all shown layers.

    Attributes:
        corners: Shape (n, 3, 3) [m].
        normals: Unit normals at the corners, shape (n, 3, 3).
        colors: Red, green, blue and opacity of each triangle, shape (n, 4).
        solid: Whether each triangle casts a shadow, shape (n,): markers and translucent shapes do not.
        textures: The textures, each with the index of its first triangle; the colours of their triangles are mean colours.
        missing: Messages about unavailable meshes.
    """

    corners: Array
    normals: Array
    colors: Array
    solid: BoolArray
    textures: tuple[tuple[int, SurfaceTexture], ...]
    missing: tuple[str, ...]

    def colors_at(self, triangles: Int64Array, weights: Array) -> Array:
        """Return the colours at points of triangles, shape (k, 4).

        Args:
            triangles: The index of the triangle of each point, shape (k,).
            weights: Their barycentric coordinates, shape (k, 3).
        """
        colors = self.colors[triangles]
        for first, texture in self.textures:
            seen = np.flatnonzero((triangles >= first) & (triangles < first + len(texture.coordinates)))
            if len(seen):
                colors[seen] = texture.colors_at(triangles[seen] - first, weights[seen])
        return colors


def build_triangle_scene(
    world: World,
    poses: Mapping[str, Mapping[str, Pose]],
    layers: Collection[Layer],
    framing: CameraFraming,
    meshes: MeshStore,
    further: Iterable[Connector] = (),
) -> TriangleScene:
    """Return the triangles of layers of a World.

    Args:
        poses: Poses of its bodies in the world, by model and body.
        layers: Layers that are shown; visual shapes are transparent if they occlude one of them.
        framing: Bounding box of the scene, to which markers are in proportion.
        further: Elements that depend on the state; see :mod:`ossature.viewer.image_tendons_and_contacts`.
    """
    transparent = bool(INNER_LAYERS.intersection(layers))
    parts, missing = list[tuple[Array, ...]](), list[str]()
    textures, count = list[tuple[int, SurfaceTexture]](), 0
    for element in chain(_scene_elements(world, layers, framing, meshes), further):
        try:
            drawn = [
                (part, with_creases(part.surface.triangles))
                for part in (element.parts() if isinstance(element, Primitive) else [element])
            ]
        except AssetError as error:
            missing.append(f"{element.model}: {element.name}: {error}")
            continue
        for part, triangles in drawn:
            if len(triangles.faces):
                if isinstance(part, Primitive) and part.texture is not None and not transparent:
                    textures.append((count, part.texture))
                count += len(triangles.faces)
                with np.errstate(over="ignore", invalid="ignore"):  # what overflows is outside each picture
                    parts.append(_element_triangles(part, triangles, world, poses, framing, transparent=transparent))
    columns = [np.concatenate(column) for column in zip(*parts, strict=True)] if parts else _empty_columns()
    corners, normals, colors, solid = columns
    return TriangleScene(
        corners=corners,
        normals=normals,
        colors=colors,
        solid=solid.astype(bool),
        textures=tuple(textures),
        missing=tuple(missing),
    )


def _empty_columns() -> list[Array]:
    return [np.zeros((0, 3, 3)), np.zeros((0, 3, 3)), np.zeros((0, 4)), np.zeros(0)]


def _scene_elements(
    world: World, layers: Collection[Layer], framing: CameraFraming, meshes: MeshStore
) -> Iterator[Primitive | Connector]:
    for layer in Layer:
        if layer in layers:
            yield from elements_of_layer(world, layer, framing.axis_length, meshes)


def _element_triangles(
    element: Primitive | Connector,
    triangles: MeshData,
    world: World,
    poses: Mapping[str, Mapping[str, Pose]],
    framing: CameraFraming,
    *,
    transparent: bool,
) -> tuple[Array, ...]:
    pose, factors = _pose_and_scale(element, world, poses, framing)
    matrix = pose.matrix()
    scaled = triangles.vertices * np.array(factors)
    vertices = scaled @ matrix[:3, :3].T + matrix[:3, 3]
    corners = vertices[triangles.faces]
    normals = vertex_normals(MeshData(vertices=vertices, faces=triangles.faces))[triangles.faces]
    color = np.clip(np.nan_to_num(np.array(_element_color(element, transparent=transparent))), 0.0, 1.0)
    is_solid = element.layer in _SOLID and element.color[3] >= 1.0
    return corners, normals, np.tile(color, (len(corners), 1)), np.full(len(corners), float(is_solid))


def _pose_and_scale(
    element: Primitive | Connector, world: World, poses: Mapping[str, Mapping[str, Pose]], framing: CameraFraming
) -> tuple[Pose, Vector3]:
    model = world.models[element.model]
    if isinstance(element, Connector):
        return element.pose_and_scale(model.pose, poses[element.model])
    owner = model.pose if element.body is None else poses[element.model][element.body]
    size = _PLANE_SIZE * framing.size
    return owner @ element.pose, (size, size, size) if element.is_infinite else element.scale


def _element_color(element: Primitive | Connector, *, transparent: bool) -> Rgba:
    red, green, blue, alpha = element.color
    if transparent and element.layer is Layer.VISUALS:
        alpha = min(alpha, _TRANSPARENT_OPACITY)
    return red, green, blue, color_palette.opacity((red, green, blue, alpha)) or 1.0
