"""The content of the scene as plain data: primitives fixed to bodies, and connectors between them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from ossature.model import LazyMesh, MeshData, Rgba
from ossature.spatial import IDENTITY, Pose, Vector3, norm, quaternion_between, scale, subtract
from ossature.viewer.scene_layers import Layer
from ossature.viewer.surface_textures import SurfaceTexture

BodyPoses: TypeAlias = Mapping[str, Pose]
"""Poses in the world by body, of one model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MaterialPart:
    """The part of a mesh file that has one material.

    Attributes:
        color: Its colour, or None if it has none.
        texture: The texture on its triangles, or None.
    """

    triangles: MeshData
    color: Rgba | None
    texture: SurfaceTexture | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Primitive:
    """A coloured mesh that is fixed to a body.

    Attributes:
        body: Name of the body, or None if it is fixed to the world.
        name: Name of its node in the scene.
        surface: Its mesh, loaded when it is first shown.
        pose: Its pose in the frame of the body.
        scale: Scale factors along its own x, y and z.
        color: Its colour and opacity.
        is_infinite: Whether it represents an infinite plane.
        texture: The texture on its triangles, or None; its colour is the mean colour then.
        split_materials: Returns the parts of its mesh that have different materials, or None if all of it has one colour.
    """

    layer: Layer
    model: str
    body: str | None
    name: str
    surface: LazyMesh
    pose: Pose = IDENTITY
    scale: Vector3 = (1.0, 1.0, 1.0)
    color: Rgba
    is_infinite: bool = False
    texture: SurfaceTexture | None = field(default=None, compare=False, repr=False)
    split_materials: Callable[[], Sequence[MaterialPart]] | None = field(default=None, compare=False, repr=False)

    def parts(self) -> list[Primitive]:
        """Return a primitive for each material of the mesh file, or this one if the file states neither colours nor textures.

        Raises:
            AssetError: The mesh is unavailable.
        """
        if self.split_materials is None:
            return [self]
        found = self.split_materials()
        if all(part.color is None and part.texture is None for part in found):
            return [self]
        return [
            replace(
                self,
                name=f"{self.name} part {number}",
                surface=LazyMesh(part.triangles),
                color=part.color or self.color if part.texture is None else part.texture.mean_color(),
                texture=part.texture,
                split_materials=None,
            )
            for number, part in enumerate(found)
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Anchor:
    """An end of a connector.

    Attributes:
        body: Name of the body, or None for the model's own frame.
        point: Position in that frame [m].
    """

    body: str | None
    point: Vector3

    def in_world(self, model_pose: Pose, poses: BodyPoses) -> Vector3:
        """Return the point in the world [m]."""
        return (model_pose if self.body is None else poses[self.body]).transform(self.point)


@dataclass(frozen=True, slots=True, kw_only=True)
class Connector:
    """A mesh of unit length along z that is stretched between two points of a model.

    Attributes:
        name: Name of its node in the scene.
        surface: Its mesh: from z = 0 to z = 1 m, one metre wide.
        width: Scale factor along its own x and y.
        color: Its colour and opacity.
    """

    layer: Layer
    model: str
    name: str
    surface: LazyMesh
    ends: tuple[Anchor, Anchor]
    width: float
    color: Rgba

    def pose_and_scale(self, model_pose: Pose, poses: BodyPoses) -> tuple[Pose, Vector3]:
        """Return its pose in the world, and its scale factors."""
        first, second = (end.in_world(model_pose, poses) for end in self.ends)
        offset = subtract(second, first)
        length = norm(offset)
        if length < 1e-9:
            return Pose(first), (self.width, self.width, 1e-9)
        return Pose(first, quaternion_between((0.0, 0.0, 1.0), scale(offset, 1.0 / length))), (self.width, self.width, length)
