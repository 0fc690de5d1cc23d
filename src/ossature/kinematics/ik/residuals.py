"""How far frames are from targets, and how that changes with the joints: for many frames and targets at once.

What is left to go is a vector that is zero where a target is met. Its derivatives are exact. Directions are compared by the
chord between them, which has no singular place; orientations by the axis of the rotation between them, as long as the chord
of its angle.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np

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
)
from ossature.spatial import Matrix3, Vector3, normalized, rotation_matrix, unit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]
    Numbers = NDArray[np.intp]

_TINY = 1e-12


class ResidualPart(Protocol):
    """Three numbers that are zero where some part of a target is met.

    Attributes:
        is_length: Whether the numbers are lengths [m], else angles [rad] or chords of angles.
    """

    is_length: ClassVar[bool]

    def residuals(self, tips: Array, owners: Numbers) -> Array:
        """Return the numbers, (N, 3), of frames (N, 4, 4) and the targets that each of them is for."""

    def jacobians(self, tips: Array, jacobians: Array, residuals: Array, owners: Numbers) -> Array:
        """Return their derivatives, (N, 3, variables), from those of the frames, (N, 6, variables)."""

    def far(self, tips: Array) -> Array:
        """Return about how far each of M frames is from each of T targets, squared, (T, M)."""

    def angles(self, residuals: Array) -> Array:
        """Return angles [rad], or lengths [m], from the numbers' Euclidean lengths."""


class _Point:
    """The frame's origin at a point."""

    is_length: ClassVar[bool] = True

    def __init__(self, points: Sequence[Vector3]) -> None:
        self._points = np.array(points)

    def residuals(self, tips: Array, owners: Numbers) -> Array:
        return np.asarray(tips[:, :3, 3] - _of(self._points, owners))

    def jacobians(self, tips: Array, jacobians: Array, residuals: Array, owners: Numbers) -> Array:
        return jacobians[:, :3]

    def far(self, tips: Array) -> Array:
        return _squared(tips[:, :3, 3] - self._points[:, None])

    def angles(self, residuals: Array) -> Array:
        return residuals


class _Rotation:
    """The frame in an orientation."""

    is_length: ClassVar[bool] = False

    def __init__(self, matrices: Sequence[Matrix3]) -> None:
        self._matrices = np.array(matrices)
        self._inverses = self._matrices.swapaxes(1, 2).copy()

    def residuals(self, tips: Array, owners: Numbers) -> Array:
        return chords(tips[:, :3, :3] @ _of(self._inverses, owners))

    def jacobians(self, tips: Array, jacobians: Array, residuals: Array, owners: Numbers) -> Array:
        half_cosines = np.sqrt(np.maximum(1.0 - 0.25 * _squared(residuals), 0.0))
        return np.asarray(chord_jacobians(residuals, half_cosines) @ jacobians[:, 3:])

    def far(self, tips: Array) -> Array:
        traces = self._matrices.reshape(-1, 9) @ tips[:, :3, :3].reshape(-1, 9).T
        return np.asarray(3.0 - traces)

    def angles(self, residuals: Array) -> Array:
        return _angles_of_chords(residuals)


class _Direction:
    """The manipulator's direction along one of the world."""

    is_length: ClassVar[bool] = False

    def __init__(self, directions: Sequence[Vector3], own: Vector3) -> None:
        self._directions = np.array(directions)
        self._own = np.array(own)

    def residuals(self, tips: Array, owners: Numbers) -> Array:
        return np.asarray(tips[:, :3, :3] @ self._own - _of(self._directions, owners))

    def jacobians(self, tips: Array, jacobians: Array, residuals: Array, owners: Numbers) -> Array:
        return _turned(jacobians, tips[:, :3, :3] @ self._own)

    def far(self, tips: Array) -> Array:
        return np.asarray(2.0 - 2.0 * self._directions @ (tips[:, :3, :3] @ self._own).T)

    def angles(self, residuals: Array) -> Array:
        return _angles_of_chords(residuals)


class _Line:
    """The frame's origin on a line."""

    is_length: ClassVar[bool] = True

    def __init__(self, points: Sequence[Vector3], directions: Sequence[Vector3]) -> None:
        self._points, self._directions = np.array(points), np.array(directions)

    def residuals(self, tips: Array, owners: Numbers) -> Array:
        return _across(tips[:, :3, 3] - _of(self._points, owners), _of(self._directions, owners))

    def jacobians(self, tips: Array, jacobians: Array, residuals: Array, owners: Numbers) -> Array:
        return _across(jacobians[:, :3].swapaxes(1, 2), _of(self._directions, owners)[:, None]).swapaxes(1, 2)

    def far(self, tips: Array) -> Array:
        return _squared(_across(tips[:, :3, 3] - self._points[:, None], self._directions[:, None]))

    def angles(self, residuals: Array) -> Array:
        return residuals


class _LookAtResidual:
    """The manipulator's direction towards a point."""

    is_length: ClassVar[bool] = False

    def __init__(self, points: Sequence[Vector3], own: Vector3) -> None:
        self._points, self._own = np.array(points), np.array(own)

    def residuals(self, tips: Array, owners: Numbers) -> Array:
        sight, _ = _lines_of_sight(_of(self._points, owners) - tips[:, :3, 3])
        return np.asarray(tips[:, :3, :3] @ self._own - sight)

    def jacobians(self, tips: Array, jacobians: Array, residuals: Array, owners: Numbers) -> Array:
        sight, distance = _lines_of_sight(_of(self._points, owners) - tips[:, :3, 3])
        moved = _across(jacobians[:, :3].swapaxes(1, 2), sight[:, None]).swapaxes(1, 2) / distance[:, :, None]
        return np.asarray(_turned(jacobians, tips[:, :3, :3] @ self._own) + moved)

    def far(self, tips: Array) -> Array:
        sight, _ = _lines_of_sight(self._points[:, None] - tips[:, :3, 3])
        return _squared(tips[:, :3, :3] @ self._own - sight)

    def angles(self, residuals: Array) -> Array:
        return _angles_of_chords(residuals)


def _of(values: Array, owners: Numbers) -> Array:
    """Return what belongs to each owner; of a single one just that, which spreads by itself."""
    return values if len(values) == 1 else values[owners]


def _squared(vectors: Array) -> Array:
    return np.asarray(np.einsum("...i,...i->...", vectors, vectors))


def _angles_of_chords(chords: Array) -> Array:
    return np.asarray(2.0 * np.arcsin(np.minimum(0.5 * chords, 1.0)))


def _turned(jacobians: Array, directions: Array) -> Array:
    """Return the derivatives of directions that turn with the frames, (N, 3, variables)."""
    return cross(jacobians[:, 3:].swapaxes(1, 2), directions[:, None]).swapaxes(1, 2)


def _across(vectors: Array, directions: Array) -> Array:
    """Return vectors without their part along unit directions."""
    along = np.sum(vectors * directions, axis=-1, keepdims=True)
    return np.asarray(vectors - along * directions)


def _lines_of_sight(lines: Array) -> tuple[Array, Array]:
    """Return unit vectors along lines of sight, and the lines' lengths [m]."""
    distance = np.maximum(np.sqrt(_squared(lines)), _TINY)[..., None]
    return lines / distance, distance


class IkResiduals:
    """Targets of one type, with what is left to go to them."""

    def __init__(self, targets: Sequence[Target], direction: Vector3, length: float = 1.0) -> None:
        """Take targets.

        Args:
            targets: One or more, all of one type.
            direction: The manipulator's direction in its frame, a unit vector.
            length: The length [m] that weighs as much as one radian.

        Raises:
            ValueError: There are none, or they are of several types, or one has no direction or rotation.
        """
        if len({type(target) for target in targets}) != 1:
            raise ValueError("targets that are solved together are of one type")
        self.count = len(targets)
        self.parts: tuple[ResidualPart, ...] = _PARTS[type(targets[0])](targets, direction)
        self._weights = [1.0 / length if part.is_length else 1.0 for part in self.parts]

    def residuals(self, tips: Array, owners: Numbers) -> Array:
        """Return what is left to go.

        Args:
            tips: Frames in the world (N, 4, 4).
            owners: The number of the target that each of them is for (N).

        Returns:
            Three numbers for each part of the target, (N, 3 · parts); lengths are divided by the length that weighs as
            much as a radian.
        """
        parts = [w * part.residuals(tips, owners) for part, w in zip(self.parts, self._weights, strict=True)]
        return parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1)

    def jacobians(self, tips: Array, jacobians: Array, residuals: Array, owners: Numbers) -> Array:
        """Return the derivatives of :meth:`residuals`, (N, 3 · parts, variables), from those of frames (N, 6, variables)."""
        found = [
            w * part.jacobians(tips, jacobians, residuals[:, 3 * n : 3 * n + 3], owners)
            for n, (part, w) in enumerate(zip(self.parts, self._weights, strict=True))
        ]
        return found[0] if len(found) == 1 else np.concatenate(found, axis=1)

    def max_residual(self, tolerance: float) -> float:
        """Return the largest square of :meth:`residuals` with which a target can be met, but for a tolerance [m] and [rad]."""
        return sum((w * tolerance) ** 2 for w in self._weights)

    def are_satisfied(self, residuals: Array, tolerance: float) -> NDArray[np.bool_]:
        """Return whether targets are met, but for a tolerance [m] and [rad], of what :meth:`residuals` returned."""
        result = np.ones(len(residuals), dtype=bool)
        for n, w in enumerate(self._weights):
            result &= _squared(residuals[:, 3 * n : 3 * n + 3]) <= (w * tolerance) ** 2
        return result

    def errors(self, residuals: Array) -> tuple[Array, Array]:
        """Return how far positions [m] and directions or orientations [rad] are off, of what :meth:`residuals` returned."""
        lengths, angles = np.zeros(len(residuals)), np.zeros(len(residuals))
        for n, (part, w) in enumerate(zip(self.parts, self._weights, strict=True)):
            size = part.angles(np.sqrt(_squared(residuals[:, 3 * n : 3 * n + 3])) / w)
            (lengths if part.is_length else angles)[:] = size
        return lengths, angles

    def distance(self, tips: Array) -> Array:
        """Return about how far each of M frames is from each target, squared, (targets, M)."""
        return np.asarray(sum(w * w * part.far(tips) for part, w in zip(self.parts, self._weights, strict=True)))


_PARTS: Mapping[type, Callable[[Sequence[Any], Vector3], tuple[ResidualPart, ...]]] = {
    Transform6D: lambda targets, own: (
        _Point([t.pose.position for t in targets]),
        _Rotation([rotation_matrix(normalized(t.pose.wxyz)) for t in targets]),
    ),
    Rotation3D: lambda targets, own: (_Rotation([rotation_matrix(normalized(t.wxyz)) for t in targets]),),
    Translation3D: lambda targets, own: (_Point([t.position for t in targets]),),
    Direction3D: lambda targets, own: (_Direction([unit(t.direction) for t in targets], own),),
    Ray4D: lambda targets, own: (
        _Line([t.position for t in targets], [unit(t.direction) for t in targets]),
        _Direction([unit(t.direction) for t in targets], own),
    ),
    Lookat3D: lambda targets, own: (_LookAtResidual([t.position for t in targets], own),),
    TranslationDirection5D: lambda targets, own: (
        _Point([t.position for t in targets]),
        _Direction([unit(t.direction) for t in targets], own),
    ),
}
