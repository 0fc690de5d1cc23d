"""What the scene is made of, as plain data: pieces fixed to bodies, and ties stretched between them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from ossature.model import LazyMesh, Rgba
from ossature.spatial import IDENTITY, Pose, Vector3, add, norm, quaternion_between, rotate, scale, subtract
from ossature.viewer.layers import Layer

BodyPoses: TypeAlias = Mapping[str, Pose]
"""Poses in the world by body, of one model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Primitive:
    """A coloured surface that is fixed to a body.

    Attributes:
        layer: The layer that it is part of.
        model: Name of the model.
        body: Name of the body, or None where it is fixed to the world.
        name: What it is called in the tree of the scene.
        surface: Its triangles, fetched when it is first shown.
        pose: Its frame in the body's frame.
        scale: Factors along its own x, y and z.
        color: Its colour and opacity.
        endless: Whether the surface stands for an infinite plane.
    """

    layer: Layer
    model: str
    body: str | None
    name: str
    surface: LazyMesh
    pose: Pose = IDENTITY
    scale: Vector3 = (1.0, 1.0, 1.0)
    color: Rgba
    endless: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Anchor:
    """Where a tie is fastened.

    Attributes:
        body: Name of the body, or None for the model's own frame.
        point: In its frame [m].
    """

    body: str | None
    point: Vector3

    def in_world(self, model_pose: Pose, poses: BodyPoses) -> Vector3:
        """Return the point in the world [m]."""
        owner = model_pose if self.body is None else poses[self.body]
        return owner.transform(self.point)


@dataclass(frozen=True, slots=True, kw_only=True)
class Connector:
    """A surface of unit length along z that is stretched between two points of a model.

    Attributes:
        layer: The layer that it is part of.
        model: Name of the model.
        name: What it is called in the tree of the scene.
        surface: Its triangles: from the origin to one along z, one metre wide.
        ends: Where it is fastened.
        width: Factor along its own x and y.
        color: Its colour and opacity.
    """

    layer: Layer
    model: str
    name: str
    surface: LazyMesh
    ends: tuple[Anchor, Anchor]
    width: float
    color: Rgba

    def placed(self, model_pose: Pose, poses: BodyPoses) -> tuple[Pose, Vector3]:
        """Return its frame in the world, and the factors along its axes."""
        first, second = (end.in_world(model_pose, poses) for end in self.ends)
        way = subtract(second, first)
        length = norm(way)
        if length < 1e-9:
            return Pose(first), (self.width, self.width, 1e-9)
        return Pose(first, quaternion_between((0.0, 0.0, 1.0), scale(way, 1.0 / length))), (self.width, self.width, length)


def placed(pose: Pose, factors: Vector3, point: Vector3) -> Vector3:
    """Return where a point of a scaled surface comes to."""
    scaled = (point[0] * factors[0], point[1] * factors[1], point[2] * factors[2])
    return add(pose.position, rotate(pose.wxyz, scaled))
