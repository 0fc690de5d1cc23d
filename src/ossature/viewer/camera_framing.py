"""Bounding box of a scene, camera position and floor height."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ossature.array_types import Array
from ossature.assets import AssetError
from ossature.model import World
from ossature.spatial import Pose, Vector3, add, unit
from ossature.viewer.scene_elements import Primitive

FIELD_OF_VIEW = math.radians(38.0)
_FILLED = 0.85
"""Share of the image that the scene fills."""
_SURROUNDINGS, _LARGE_SURROUNDINGS = 0.5, 0.05
"""Distance to which static shapes count, and those that are larger than what moves, relative to the size of what moves."""
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
        corners: Corners of the boxes of what is framed [m], shape (n, 3), or None for those of the bounding box.
    """

    lower: Vector3
    upper: Vector3
    up: Vector3
    floor: float
    corners: Array | None = field(default=None, compare=False, repr=False)

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
    def top(self) -> Vector3:
        """The point above the middle of what is framed, at the height of its highest corner [m]."""
        corners = _box_corners(self) if self.corners is None else self.corners
        middle, up = 0.5 * (corners.min(axis=0) + corners.max(axis=0)), np.array(self.up)
        x, y, z = (middle + (float((corners @ up).max()) - float(middle @ up)) * up).tolist()
        return (x, y, z)

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
    def look_at(self) -> Vector3:
        """The point in the middle of the image [m], from the default direction."""
        return self.look_at_from()

    def look_at_from(self, direction: Vector3 | None = None, *, field_of_view: float = FIELD_OF_VIEW) -> Vector3:
        """Return the point in the middle of the image from a direction to the camera, or from the default one [m].

        Args:
            field_of_view: Angle of the shorter side of the image [rad].
        """
        right, above, _, corners = self._in_camera_axes(direction)
        tangent = math.tan(field_of_view / 2.0)
        offsets = [
            0.5 * _FILLED * tangent * (high - low) for high, low in (_reaches(corners, side, tangent) for side in (0, 1))
        ]
        x, y, z = (np.array(self.center) + offsets[0] * right + offsets[1] * above).tolist()
        return (x, y, z)

    @property
    def eye(self) -> Vector3:
        """Camera position from which any image that is not higher than wide shows the whole scene [m]."""
        return self.eye_for(1.0)

    def eye_for(
        self,
        aspect: float,
        direction: Vector3 | None = None,
        *,
        is_vertical_field_of_view: bool = False,
        field_of_view: float = FIELD_OF_VIEW,
    ) -> Vector3:
        """Return the camera position from which an image shows the whole scene [m].

        Args:
            aspect: Aspect ratio of the image (width to height).
            direction: Direction from the scene to the camera, or None for the default one.
            is_vertical_field_of_view: Whether the field of view is always that of the height, else that of the shorter side.
            field_of_view: The field of view [rad].
        """
        right, above, toward, corners = self._in_camera_axes(direction)
        target = np.array(self.look_at_from(direction, field_of_view=field_of_view))
        shift = target - np.array(self.center)
        corners = corners - [shift @ right, shift @ above, 0.0]
        stretch = aspect if is_vertical_field_of_view else max(aspect, 1.0)
        tangent = math.tan(field_of_view / 2.0)
        wide, high = max(_reaches(corners, 0, stretch * tangent)), max(_reaches(corners, 1, tangent))
        x, y, z = (target + max(wide, high, 0.5 * self.size) * toward).tolist()
        return (x, y, z)

    def _in_camera_axes(self, direction: Vector3 | None) -> tuple[Array, Array, Array, Array]:
        """Return the unit vectors to the right, above and to the camera, and the corners of what is framed along them [m]."""
        up = np.array(self.up)
        ahead = np.array([1.0, 0.0, 0.0]) if abs(up[0]) < 0.5 else np.array([0.0, 0.0, 1.0])
        toward = 0.9 * ahead - 0.75 * np.cross(up, ahead) + 0.5 * up if direction is None else np.array(direction)
        toward = toward / np.linalg.norm(toward)
        right = np.cross(up, toward)
        right /= np.linalg.norm(right)
        above = np.cross(toward, right)
        corners = _box_corners(self) if self.corners is None else self.corners
        return right, above, toward, (corners - np.array(self.center)) @ np.stack([right, above, toward], axis=1)


def _reaches(corners: Array, side: int, tangent: float) -> tuple[float, float]:
    """Return the distances of the camera at which the corners fit into the image, on both sides of its middle [m].

    The corners are given to the right, above and towards the camera, from the middle of the image. The tangent is that of
    half the field of view along the side.
    """
    half = _FILLED * tangent
    across, near = corners[:, side] / half, corners[:, 2]
    return float((near + across).max()), float((near - across).max())


def _box_corners(framing: CameraFraming) -> Array:
    box = (framing.lower, framing.upper)
    return np.array([(box[i][0], box[j][1], box[k][2]) for i in (0, 1) for j in (0, 1) for k in (0, 1)])


def projection(points: Array, framing: CameraFraming, eye: Vector3) -> Array:
    """Return points [m] as a camera sees them: right and up from the middle, in halves of the image's height, shape (n, 2).

    Points behind the camera are infinite.
    """
    ahead = np.array(framing.look_at) - np.array(eye)
    ahead /= np.linalg.norm(ahead)
    right = np.cross(ahead, framing.up)
    right /= np.linalg.norm(right)
    offsets = points - np.array(eye)
    depth = offsets @ ahead * math.tan(FIELD_OF_VIEW / 2.0)
    seen = offsets @ np.stack([right, np.cross(right, ahead)], axis=1)
    return np.asarray(np.divide(seen, depth[:, None], out=np.full_like(seen, np.inf), where=depth[:, None] > 0.0))


def translate_framing(framing: CameraFraming, offset: Vector3) -> CameraFraming:
    """Return the framing of a scene translated along the floor [m]."""
    corners = None if framing.corners is None else framing.corners + np.array(offset)
    return replace(framing, lower=add(framing.lower, offset), upper=add(framing.upper, offset), corners=corners)


def union_of_framings(framings: Sequence[CameraFraming]) -> CameraFraming:
    """Return the common framing of several scenes, with the up vector of the first."""
    first = framings[0]
    lower = tuple(min(framing.lower[i] for framing in framings) for i in range(3))
    upper = tuple(max(framing.upper[i] for framing in framings) for i in range(3))
    floor = min(framing.floor for framing in framings)
    corners = np.concatenate([_box_corners(framing) if framing.corners is None else framing.corners for framing in framings])
    return replace(
        first, lower=(lower[0], lower[1], lower[2]), upper=(upper[0], upper[1], upper[2]), floor=floor, corners=corners
    )


def offset_beside(first: CameraFraming, second: CameraFraming) -> Vector3:
    """Return the offset along the floor that places the second of two scenes to the right of the first [m], seen from the
    default direction: neither occludes the other.
    """
    side, *_ = first._in_camera_axes(None)
    gap = 0.15 * max(first.size, second.size)
    ends = (_extent_along(first, side)[1], _extent_along(second, side)[0])
    x, y, z = ((ends[0] - ends[1] + gap) * side).tolist()
    return (x, y, z)


def _extent_along(framing: CameraFraming, direction: Array) -> tuple[float, float]:
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
    primitives: Iterable[Primitive],
    poses: Mapping[str, Mapping[str, Pose]],
    up: Vector3,
    points: Sequence[Vector3] = (),
    moving: Mapping[str, Collection[str]] | None = None,
) -> CameraFraming:
    """Return the framing of primitives and bodies, without infinite planes.

    What moves fills the image: static shapes, such as the slab of a floor, count only near it. A primitive whose mesh is
    unavailable counts with the origin of its body, and so do moving bodies if none of them has a primitive.

    Args:
        primitives: The primitives; their meshes are loaded.
        poses: Poses in the world by model and body.
        up: Unit vector against gravity.
        points: Further points that must be visible [m].
        moving: Names of the bodies that can move, by model; None for all.
    """
    moved = {(model, body) for model, bodies in (poses if moving is None else moving).items() for body in bodies}
    finite = [primitive for primitive in primitives if not primitive.is_infinite]
    is_moving = [(primitive.model, primitive.body) in moved for primitive in finite]
    boxes = [primitive_corners(primitive, poses) for primitive in finite]
    origins = [np.array([poses[model][body].position]) for model, body in sorted(moved) if body in poses[model]]
    if not boxes:
        every = [np.array([pose.position]) for bodies in poses.values() for pose in bodies.values()]
        boxes = [origin + sign * _BODY_ALONE for origin in every for sign in (-1.0, 1.0)]
        is_moving = [True] * len(boxes)
    static = [box for box, moves in zip(boxes, is_moving, strict=True) if not moves]
    focus = [box for box, moves in zip(boxes, is_moving, strict=True) if moves] + [np.array([point]) for point in points]
    if moving is not None and not focus:
        focus = origins
    corners = _finite_corners(focus)
    surroundings = _finite_corners(static if not len(corners) else [_clip_surroundings(box, corners) for box in static])
    lowest = float(((corners if len(corners) else surroundings) @ np.array(up)).min(initial=math.inf))
    corners = np.concatenate([corners, surroundings])
    if not len(corners):
        corners = np.array([[-1.0] * 3, [1.0] * 3])
    lower, upper = corners.min(axis=0), corners.max(axis=0)
    lowest = min(lowest, float((corners @ np.array(up)).max()))
    size = float(np.linalg.norm(upper - lower))
    # A model is on the ground of its world, or above it.
    floor = 0.0 if -0.02 * size <= lowest <= 1.5 * size else lowest
    return CameraFraming(lower=tuple(lower.tolist()), upper=tuple(upper.tolist()), up=up, floor=floor, corners=corners)


def _clip_surroundings(box: Array, focus: Array) -> Array:
    """Return the corners of a static shape as far as it is near what moves: a base more, the slab of a floor less."""
    size = float(np.linalg.norm(np.ptp(focus, axis=0)))
    box = np.clip(box, -_LARGEST, _LARGEST)
    is_small = float(np.linalg.norm(np.ptp(box, axis=0))) <= size
    margin = size * (_SURROUNDINGS if is_small else _LARGE_SURROUNDINGS)
    return np.clip(box, focus.min(axis=0) - margin, focus.max(axis=0) + margin)


def _finite_corners(boxes: Sequence[Array]) -> Array:
    corners = np.concatenate(boxes) if boxes else np.zeros((0, 3))
    return np.clip(corners[np.isfinite(corners).all(axis=1)], -_LARGEST, _LARGEST)


def primitive_corners(primitive: Primitive, poses: Mapping[str, Mapping[str, Pose]]) -> Array:
    """Return the corners of the box of a primitive in the world [m], or the origin of its body if its mesh is unavailable."""
    owner = Pose() if primitive.body is None else poses[primitive.model][primitive.body]
    try:
        bounds = primitive.surface.triangles.bounds
    except (AssetError, ValueError):  # `check` and the scene report it; a mesh without vertices has no bounds
        return np.array([owner.position])
    box = np.array([[bounds[i][0], bounds[j][1], bounds[k][2]] for i in (0, 1) for j in (0, 1) for k in (0, 1)])
    matrix = (owner @ primitive.pose).matrix()
    return np.asarray((box * np.array(primitive.scale)) @ matrix[:3, :3].T + matrix[:3, 3])
