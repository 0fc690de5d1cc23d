"""Bounding box of a scene, camera position and floor height."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ossature.assets import AssetError
from ossature.model import World
from ossature.spatial import Pose, Vector3, add, unit
from ossature.viewer.scene_elements import Primitive

if TYPE_CHECKING:
    from numpy.typing import NDArray

FIELD_OF_VIEW = math.radians(38.0)
_FILLED = 0.85
"""Share of the image that the scene fills."""
_LARGEST = 1e6
_BODY_ALONE = 0.1
"""Half the size of a body without shapes [m]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CameraFraming:
    """The bounding box of a scene, and the sizes derived from it.

    Attributes:
        lower: Lower corner of the axis-aligned bounding box [m].
        upper: Upper corner of it [m].
        up: Unit vector against gravity.
        floor: Height of the floor along ``up`` [m].
    """

    lower: Vector3
    upper: Vector3
    up: Vector3
    floor: float

    @property
    def center(self) -> Vector3:
        """The centre of the bounding box [m]."""
        x, y, z = ((low + high) / 2.0 for low, high in zip(self.lower, self.upper, strict=True))
        return (x, y, z)

    @property
    def size(self) -> float:
        """The diagonal of the bounding box [m]."""
        return max(math.dist(self.lower, self.upper), 1e-6)

    @property
    def axis_length(self) -> float:
        """Length of frame axes and other markers [m]."""
        return 0.09 * self.size

    @property
    def cell(self) -> float:
        """Spacing of the grid of the floor: one, two or five times a power of ten [m]."""
        wanted = self.size / 8.0
        power = 10.0 ** math.floor(math.log10(wanted))
        return power * max(factor for factor in (1.0, 2.0, 5.0) if factor * power <= wanted)

    @property
    def eye(self) -> Vector3:
        """Camera position from which any image that is not higher than wide shows the whole scene [m]."""
        return self.eye_for(1.0)

    def eye_for(self, aspect: float) -> Vector3:
        """Return the camera position from which an image of an aspect ratio (width to height) shows the whole scene [m]."""
        up = np.array(self.up)
        ahead = np.array([1.0, 0.0, 0.0]) if abs(up[0]) < 0.5 else np.array([0.0, 0.0, 1.0])
        side = np.cross(up, ahead)
        direction = 0.9 * ahead - 0.75 * side + 0.5 * up
        direction /= np.linalg.norm(direction)
        distance = self._distance(direction, up, aspect)
        x, y, z = (np.array(self.center) + distance * direction).tolist()
        return (x, y, z)

    def _distance(self, direction: NDArray[np.float64], up: NDArray[np.float64], aspect: float) -> float:
        """Return the distance of the camera at which the bounding box fits, with a margin [m]."""
        right = np.cross(up, direction)
        right /= np.linalg.norm(right)
        above = np.cross(direction, right)
        corners = _box_corners(self) - np.array(self.center)
        half = _FILLED * math.tan(FIELD_OF_VIEW / 2.0)
        high = corners @ direction + np.abs(corners @ above) / half
        wide = corners @ direction + np.abs(corners @ right) / (half * max(aspect, 1.0))
        return max(float(high.max()), float(wide.max()), 0.5 * self.size)


def _box_corners(framing: CameraFraming) -> NDArray[np.float64]:
    box = (framing.lower, framing.upper)
    return np.array([(box[i][0], box[j][1], box[k][2]) for i in (0, 1) for j in (0, 1) for k in (0, 1)])


def translate_framing(framing: CameraFraming, offset: Vector3) -> CameraFraming:
    """Return the framing of a scene translated along the floor [m]."""
    return replace(framing, lower=add(framing.lower, offset), upper=add(framing.upper, offset))


def union_of_framings(framings: Sequence[CameraFraming]) -> CameraFraming:
    """Return the common framing of several scenes, with the up vector of the first."""
    first = framings[0]
    lower = tuple(min(framing.lower[i] for framing in framings) for i in range(3))
    upper = tuple(max(framing.upper[i] for framing in framings) for i in range(3))
    floor = min(framing.floor for framing in framings)
    return CameraFraming(lower=(lower[0], lower[1], lower[2]), upper=(upper[0], upper[1], upper[2]), up=first.up, floor=floor)


def offset_beside(first: CameraFraming, second: CameraFraming) -> Vector3:
    """Return the offset along the floor that places the second of two scenes beside the first [m]."""
    up = np.array(first.up)
    side = np.cross(up, [1.0, 0.0, 0.0]) if abs(up[0]) < 0.5 else np.cross(up, [0.0, 0.0, 1.0])
    side /= np.linalg.norm(side)
    gap = 0.15 * max(first.size, second.size)
    ends = (_extent_along(first, side)[1], _extent_along(second, side)[0])
    x, y, z = ((ends[0] - ends[1] + gap) * side).tolist()
    return (x, y, z)


def _extent_along(framing: CameraFraming, direction: NDArray[np.float64]) -> tuple[float, float]:
    heights = _box_corners(framing) @ direction
    return float(heights.min()), float(heights.max())


def up_of(world: World) -> Vector3:
    """Return the unit vector against gravity; z without gravity."""
    x, y, z = world.gravity
    try:
        return unit((-x, -y, -z))
    except ValueError:
        return (0.0, 0.0, 1.0)


def frame_scene(
    primitives: Iterable[Primitive], poses: Mapping[str, Mapping[str, Pose]], up: Vector3, points: Sequence[Vector3] = ()
) -> CameraFraming:
    """Return the framing of primitives and bodies, without infinite planes.

    A primitive whose mesh is unavailable counts with the origin of its body.

    Args:
        primitives: The primitives; their meshes are loaded.
        poses: Poses in the world by model and body.
        up: Unit vector against gravity.
        points: Further points that must be visible [m].
    """
    boxes = [_primitive_corners(primitive, poses) for primitive in primitives if not primitive.is_infinite]
    origins = [np.array([pose.position]) for bodies in poses.values() for pose in bodies.values()]
    if not boxes:
        boxes = [origin + sign * _BODY_ALONE for origin in origins for sign in (-1.0, 1.0)]
    boxes += [np.array([point]) for point in points]
    corners = np.concatenate(boxes) if boxes else np.zeros((0, 3))
    corners = np.clip(corners[np.isfinite(corners).all(axis=1)], -_LARGEST, _LARGEST)
    if not len(corners):
        corners = np.array([[-1.0] * 3, [1.0] * 3])
    lower, upper = corners.min(axis=0), corners.max(axis=0)
    lowest = float((corners @ np.array(up)).min())
    size = float(np.linalg.norm(upper - lower))
    # A model is on the ground of its world, or above it.
    floor = 0.0 if -0.02 * size <= lowest <= 1.5 * size else lowest
    return CameraFraming(lower=tuple(lower.tolist()), upper=tuple(upper.tolist()), up=up, floor=floor)


def _primitive_corners(primitive: Primitive, poses: Mapping[str, Mapping[str, Pose]]) -> NDArray[np.float64]:
    owner = Pose() if primitive.body is None else poses[primitive.model][primitive.body]
    try:
        bounds = primitive.surface.triangles.bounds
    except (AssetError, ValueError):  # `check` and the scene report it; a mesh without vertices has no bounds
        return np.array([owner.position])
    box = np.array([[bounds[i][0], bounds[j][1], bounds[k][2]] for i in (0, 1) for j in (0, 1) for k in (0, 1)])
    matrix = (owner @ primitive.pose).matrix()
    return np.asarray((box * np.array(primitive.scale)) @ matrix[:3, :3].T + matrix[:3, 3])
