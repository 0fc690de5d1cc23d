"""A scene that stands still, as one array of triangles in the world."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ossature.assets import AssetError, MeshStore
from ossature.model import MeshData, Rgba, World
from ossature.spatial import Pose
from ossature.viewer import color_palette
from ossature.viewer.camera_framing import CameraFraming
from ossature.viewer.crease_normals import with_creases
from ossature.viewer.layers import INSIDE, Layer
from ossature.viewer.primitives import Connector, Primitive
from ossature.viewer.scene_builder import build

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SEE_THROUGH = 0.35
_ENDLESS = 3.0
_SOLID = (Layer.VISUALS, Layer.COLLISIONS, Layer.SPRINGS)


@dataclass(frozen=True, slots=True, kw_only=True)
class TriangleScene:
    """Triangles of everything that is shown.

    Attributes:
        corners: Shape (n, 3, 3) [m].
        normals: Unit normals at the corners, shape (n, 3, 3).
        colors: Red, green, blue and opacity of each triangle, shape (n, 4).
        solid: Whether each triangle casts a shadow, shape (n,): markers and glass do not.
        missing: What could not be had, and why.
    """

    corners: NDArray[np.float64]
    normals: NDArray[np.float64]
    colors: NDArray[np.float64]
    solid: NDArray[np.bool_]
    missing: tuple[str, ...]


def build_triangle_scene(
    world: World, poses: Mapping[str, Mapping[str, Pose]], layers: Collection[Layer], framing: CameraFraming, meshes: MeshStore
) -> TriangleScene:
    """Return what is shown of a World.

    Args:
        world: The World.
        poses: Where its bodies are, by model and body.
        layers: What is shown; visual shapes let others be seen that lie within them.
        framing: How large the scene is: markers are in proportion.
        meshes: Where its meshes are.
    """
    see_through = bool(INSIDE.intersection(layers))
    parts, missing = [], []
    for piece in _pieces(world, layers, framing, meshes):
        try:
            triangles = with_creases(piece.surface.triangles)
        except AssetError as error:
            missing.append(f"{piece.model}: {piece.name}: {error}")
            continue
        if len(triangles.faces):
            parts.append(_part(piece, triangles, world, poses, framing, see_through=see_through))
    columns = [np.concatenate(column) for column in zip(*parts, strict=True)] if parts else _nothing()
    corners, normals, colors, solid = columns
    return TriangleScene(corners=corners, normals=normals, colors=colors, solid=solid.astype(bool), missing=tuple(missing))


def _nothing() -> list[NDArray[np.float64]]:
    return [np.zeros((0, 3, 3)), np.zeros((0, 3, 3)), np.zeros((0, 4)), np.zeros(0)]


def _pieces(
    world: World, layers: Collection[Layer], framing: CameraFraming, meshes: MeshStore
) -> Iterator[Primitive | Connector]:
    for layer in Layer:
        if layer in layers:
            yield from build(world, layer, framing.axis_length, meshes)


def _part(
    piece: Primitive | Connector,
    triangles: MeshData,
    world: World,
    poses: Mapping[str, Mapping[str, Pose]],
    framing: CameraFraming,
    *,
    see_through: bool,
) -> tuple[NDArray[np.float64], ...]:
    pose, factors = _placed(piece, world, poses, framing)
    matrix = pose.matrix()
    scaled = triangles.vertices * np.array(factors)
    vertices = scaled @ matrix[:3, :3].T + matrix[:3, 3]
    corners = vertices[triangles.faces]
    normals = _normals(vertices, triangles.faces, corners)[triangles.faces]
    color = np.clip(np.nan_to_num(np.array(_color(piece, see_through=see_through))), 0.0, 1.0)
    is_solid = piece.layer in _SOLID and piece.color[3] >= 1.0
    return corners, normals, np.tile(color, (len(corners), 1)), np.full(len(corners), float(is_solid))


def _placed(
    piece: Primitive | Connector, world: World, poses: Mapping[str, Mapping[str, Pose]], framing: CameraFraming
) -> tuple[Pose, tuple[float, float, float]]:
    model = world.models[piece.model]
    if isinstance(piece, Connector):
        return piece.placed(model.pose, poses[piece.model])
    owner = model.pose if piece.body is None else poses[piece.model][piece.body]
    size = _ENDLESS * framing.size
    return owner @ piece.pose, (size, size, size) if piece.endless else piece.scale


def _color(piece: Primitive | Connector, *, see_through: bool) -> Rgba:
    red, green, blue, alpha = piece.color
    if see_through and piece.layer is Layer.VISUALS:
        alpha = min(alpha, _SEE_THROUGH)
    return red, green, blue, color_palette.opacity((red, green, blue, alpha)) or 1.0


def _normals(vertices: NDArray[np.float64], faces: NDArray[np.int64], corners: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the unit normal of each vertex: the mean of those of its triangles by their areas."""
    flat = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    total = np.zeros_like(vertices)
    for corner in range(3):
        for axis in range(3):
            total[:, axis] += np.bincount(faces[:, corner], flat[:, axis], len(vertices))
    length = np.linalg.norm(total, axis=1, keepdims=True)
    return np.asarray(np.divide(total, length, out=np.zeros_like(total), where=length > 0.0))
