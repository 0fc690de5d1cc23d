"""The residuals of targets of inverse kinematics and their Jacobians, for many frames and targets at once.

A residual is a vector that is zero if a target is reached. Its derivatives are exact. Directions are compared by the chord
between them, which has no singularity; orientations by the axis of the rotation between them, with the length of the chord of
its angle.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Protocol

import numpy as np

from ossature.array_types import Array, BoolArray, IndexArray
from ossature.kinematics.batched_rotations import chord_jacobians, chords, cross
from ossature.kinematics.ik.targets import (
    Direction3D,
    Lookat3D,
    Ray4D,
    Rotation3D,
    Target,
    Transform6D,
    Translation3D,
    TranslationDirection5D,
    require_target,
)
from ossature.spatial import Matrix3, Vector3, normalized, rotation_matrix, unit

_TINY = 1e-12


class ResidualPart(Protocol):
    """A residual with three components.

    Attributes:
        is_length: Whether the components are lengths [m], else angles [rad] or chords of angles.
    """

    is_length: ClassVar[bool]

    def residuals(self, tips: Array, targets: IndexArray) -> Array:
        """Return the residuals (N, 3) of frames (N, 4, 4) from their targets, given by number (N)."""

    def jacobians(self, tips: Array, jacobians: Array, residuals: Array, targets: IndexArray) -> Array:
        """Return the Jacobians (N, 3, variables) from those of the frames (N, 6, variables)."""

    def squared_distances(self, tips: Array) -> Array:
        """Return approximate squared distances of M frames from T targets, (T, M)."""


class _Point:
    """The distance of the frame's origin from a point."""

    is_length: ClassVar[bool] = True

    def __init__(self, points: Sequence[Vector3]) -> None:
        self._points = np.array(points)

    def residuals(self, tips: Array, targets: IndexArray) -> Array:
        return np.asarray(tips[:, :3, 3] - _values_of_targets(self._points, targets))

    def jacobians(self, tips: Array, jacobians: Array, residuals: Array, targets: IndexArray) -> Array:
        return jacobians[:, :3]

    def squared_distances(self, tips: Array) -> Array:
        return _squared_norms(tips[:, :3, 3] - self._points[:, None])


class _Rotation:
    """The rotation of the frame from an orientation."""

    is_length: ClassVar[bool] = False

    def __init__(self, matrices: Sequence[Matrix3]) -> None:
        self._matrices = np.array(matrices)
        self._inverses = self._matrices.swapaxes(1, 2).copy()

    def residuals(self, tips: Array, targets: IndexArray) -> Array:
        return chords(tips[:, :3, :3] @ _values_of_targets(self._inverses, targets))

    def jacobians(self, tips: Array, jacobians: Array, residuals: Array, targets: IndexArray) -> Array:
        half_cosines = np.sqrt(np.maximum(1.0 - 0.25 * _squared_norms(residuals), 0.0))
        return np.asarray(chord_jacobians(residuals, half_cosines) @ jacobians[:, 3:])

    def squared_distances(self, tips: Array) -> Array:
        return np.asarray(3.0 - self._matrices.reshape(-1, 9) @ tips[:, :3, :3].reshape(-1, 9).T)


class _Direction:
    """The angle of the manipulator's direction from a direction in the world."""

    is_length: ClassVar[bool] = False

    def __init__(self, directions: Sequence[Vector3], axis: Vector3) -> None:
        self._directions = np.array(directions)
        self._axis = np.array(axis)

    def residuals(self, tips: Array, targets: IndexArray) -> Array:
        return np.asarray(tips[:, :3, :3] @ self._axis - _values_of_targets(self._directions, targets))

    def jacobians(self, tips: Array, jacobians: Array, residuals: Array, targets: IndexArray) -> Array:
        return _direction_jacobians(jacobians, tips[:, :3, :3] @ self._axis)

    def squared_distances(self, tips: Array) -> Array:
        return np.asarray(2.0 - 2.0 * self._directions @ (tips[:, :3, :3] @ self._axis).T)


class _Line:
    """The distance of the frame's origin from a line."""

    is_length: ClassVar[bool] = True

    def __init__(self, points: Sequence[Vector3], directions: Sequence[Vector3]) -> None:
        self._points, self._directions = np.array(points), np.array(directions)

    def residuals(self, tips: Array, targets: IndexArray) -> Array:
        return _perpendicular_components(
            tips[:, :3, 3] - _values_of_targets(self._points, targets), _values_of_targets(self._directions, targets)
        )

    def jacobians(self, tips: Array, jacobians: Array, residuals: Array, targets: IndexArray) -> Array:
        return _perpendicular_components(
            jacobians[:, :3].swapaxes(1, 2), _values_of_targets(self._directions, targets)[:, None]
        ).swapaxes(1, 2)

    def squared_distances(self, tips: Array) -> Array:
        return _squared_norms(_perpendicular_components(tips[:, :3, 3] - self._points[:, None], self._directions[:, None]))


class _LineOfSight:
    """The angle of the manipulator's direction from the line of sight to a point."""

    is_length: ClassVar[bool] = False

    def __init__(self, points: Sequence[Vector3], axis: Vector3) -> None:
        self._points, self._axis = np.array(points), np.array(axis)

    def residuals(self, tips: Array, targets: IndexArray) -> Array:
        sight, _ = _lines_of_sight(_values_of_targets(self._points, targets) - tips[:, :3, 3])
        return np.asarray(tips[:, :3, :3] @ self._axis - sight)

    def jacobians(self, tips: Array, jacobians: Array, residuals: Array, targets: IndexArray) -> Array:
        sight, distance = _lines_of_sight(_values_of_targets(self._points, targets) - tips[:, :3, 3])
        moved = _perpendicular_components(jacobians[:, :3].swapaxes(1, 2), sight[:, None]).swapaxes(1, 2) / distance[:, :, None]
        return np.asarray(_direction_jacobians(jacobians, tips[:, :3, :3] @ self._axis) + moved)

    def squared_distances(self, tips: Array) -> Array:
        sight, _ = _lines_of_sight(self._points[:, None] - tips[:, :3, 3])
        return _squared_norms(tips[:, :3, :3] @ self._axis - sight)


def _values_of_targets(values: Array, targets: IndexArray) -> Array:
    """Return the values of the given targets; those of a single target are broadcast."""
    return values if len(values) == 1 else values[targets]


def _squared_norms(vectors: Array) -> Array:
    return np.asarray(np.einsum("...i,...i->...", vectors, vectors))


def _direction_jacobians(jacobians: Array, directions: Array) -> Array:
    """Return the derivatives of directions that are fixed in the frames, (N, 3, variables)."""
    return cross(jacobians[:, 3:].swapaxes(1, 2), directions[:, None]).swapaxes(1, 2)


def _perpendicular_components(vectors: Array, directions: Array) -> Array:
    along = np.sum(vectors * directions, axis=-1, keepdims=True)
    return np.asarray(vectors - along * directions)


def _lines_of_sight(lines: Array) -> tuple[Array, Array]:
    """Return unit vectors along lines of sight, and the lines' lengths [m]."""
    distance = np.maximum(np.sqrt(_squared_norms(lines)), _TINY)[..., None]
    return lines / distance, distance


class IkResiduals:
    """The residuals of targets of one type."""

    def __init__(self, targets: Sequence[Target], direction: Vector3, length: float = 1.0) -> None:
        """Prepare targets.

        Args:
            targets: One or more, all of one type.
            direction: The manipulator's direction in its frame, a unit vector.
            length: The length that has the same weight as one radian [m].

        Raises:
            TypeError: A target has none of the seven types.
            ValueError: There are no targets, they are of several types, or one has no direction, rotation or finite numbers.
        """
        for target in targets:
            require_target(target)
        if len({type(target) for target in targets}) != 1:
            raise ValueError("targets that are solved together must have one type")
        self.count = len(targets)
        self.parts: tuple[ResidualPart, ...] = _PARTS[type(targets[0])](targets, direction)
        self._weights = [1.0 / length if part.is_length else 1.0 for part in self.parts]

    def residuals(self, tips: Array, targets: IndexArray) -> Array:
        """Return the weighted residuals.

        Args:
            tips: Frames in the world (N, 4, 4).
            targets: The number of the target of each frame (N).

        Returns:
            Three components for each part of the target, (N, 3 · parts); lengths are divided by the length that has the
            same weight as a radian.
        """
        parts = [w * part.residuals(tips, targets) for part, w in zip(self.parts, self._weights, strict=True)]
        return parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1)

    def jacobians(self, tips: Array, jacobians: Array, residuals: Array, targets: IndexArray) -> Array:
        """Return the Jacobians of :meth:`residuals`, (N, 3 · parts, variables), from those of the frames (N, 6, variables)."""
        found = [
            w * part.jacobians(tips, jacobians, residuals[:, 3 * n : 3 * n + 3], targets)
            for n, (part, w) in enumerate(zip(self.parts, self._weights, strict=True))
        ]
        return found[0] if len(found) == 1 else np.concatenate(found, axis=1)

    def max_residual(self, tolerance: float) -> float:
        """Return the largest squared norm of :meth:`residuals` of a target reached within a tolerance [m] and [rad]."""
        return sum((w * tolerance) ** 2 for w in self._weights)

    def are_satisfied(self, residuals: Array, tolerance: float) -> BoolArray:
        """Return whether targets are reached within a tolerance [m] and [rad], from their :meth:`residuals`."""
        result = np.ones(len(residuals), dtype=bool)
        for n, w in enumerate(self._weights):
            result &= _squared_norms(residuals[:, 3 * n : 3 * n + 3]) <= (w * tolerance) ** 2
        return result

    def errors(self, residuals: Array) -> tuple[Array, Array]:
        """Return the errors of positions [m] and of directions or orientations [rad], from their :meth:`residuals`."""
        lengths, angles = np.zeros(len(residuals)), np.zeros(len(residuals))
        for n, (part, w) in enumerate(zip(self.parts, self._weights, strict=True)):
            norms = np.sqrt(_squared_norms(residuals[:, 3 * n : 3 * n + 3])) / w
            if part.is_length:
                lengths[:] = norms
            else:
                angles[:] = 2.0 * np.arcsin(np.minimum(0.5 * norms, 1.0))  # of chords
        return lengths, angles

    def squared_distances(self, tips: Array) -> Array:
        """Return approximate squared distances of M frames from each target, weighted, (targets, M)."""
        return np.asarray(sum(w * w * part.squared_distances(tips) for part, w in zip(self.parts, self._weights, strict=True)))


_PARTS: Mapping[type, Callable[[Sequence[Any], Vector3], tuple[ResidualPart, ...]]] = {
    Transform6D: lambda targets, axis: (
        _Point([t.pose.position for t in targets]),
        _Rotation([rotation_matrix(normalized(t.pose.wxyz)) for t in targets]),
    ),
    Rotation3D: lambda targets, axis: (_Rotation([rotation_matrix(normalized(t.wxyz)) for t in targets]),),
    Translation3D: lambda targets, axis: (_Point([t.position for t in targets]),),
    Direction3D: lambda targets, axis: (_Direction([unit(t.direction) for t in targets], axis),),
    Ray4D: lambda targets, axis: (
        _Line([t.position for t in targets], [unit(t.direction) for t in targets]),
        _Direction([unit(t.direction) for t in targets], axis),
    ),
    Lookat3D: lambda targets, axis: (_LineOfSight([t.position for t in targets], axis),),
    TranslationDirection5D: lambda targets, axis: (
        _Point([t.position for t in targets]),
        _Direction([unit(t.direction) for t in targets], axis),
    ),
}
