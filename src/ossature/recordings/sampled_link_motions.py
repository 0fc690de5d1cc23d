"""Vectorized motions of links in samples, in the conventions of states."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from ossature.array_types import Array
from ossature.recordings.header import Header
from ossature.recordings.sample_columns import BODIES, BODY_FIELDS
from ossature.spatial import IDENTITY

if TYPE_CHECKING:
    Components: TypeAlias = Sequence[Array]


class Links:
    """The links of a recording.

    Raises:
        ValueError: A body has no columns for a part of its motion.

    Attributes:
        names: Model and name of each link.
    """

    def __init__(self, header: Header) -> None:
        bodies: dict[tuple[str, str], dict[str, list[int]]] = {}
        for quantity, span in header.columns.slices:
            if quantity.group == BODIES and quantity.width == BODY_FIELDS.get(quantity.field):
                fields = bodies.setdefault((quantity.model, quantity.name), {})
                fields[quantity.field] = list(range(span.start, span.stop))
        self.names = tuple(bodies)
        columns = [_columns(name, fields) for name, fields in bodies.items()]
        self._columns = np.array(columns, dtype=np.intp).reshape(-1, 13).T.copy()
        self._are_in_world = all(pose == IDENTITY for pose in header.poses.values())
        to_model = [header.poses.get(model, IDENTITY).inverse() for model, _ in self.names]
        self._position = tuple(np.array([pose.position for pose in to_model]).reshape(-1, 3).T.copy())
        self._wxyz = tuple(np.array([pose.wxyz for pose in to_model]).reshape(-1, 4).T.copy())

    def motions(self, rows: Array) -> Motions:
        """Return poses and velocities of the links in samples, in the frames of their models.

        Args:
            rows: Samples, shape (samples, columns).
        """
        with np.errstate(over="ignore", invalid="ignore"):  # what overflows is not finite
            return self._in_frames_of_models(self._stated(rows))

    def _stated(self, rows: Array) -> Array:
        # Components are in the first axis and links in the last one, which is fast with numpy.
        return np.moveaxis(rows.take(self._columns, axis=1), 1, 0)

    def _in_frames_of_models(self, stated: Array) -> Motions:
        px, py, pz, w, x, y, z, *velocities = stated
        twist = (*rotate_vectors((w, -x, -y, -z), velocities[:3]), *velocities[3:])
        if self._are_in_world:
            return Motions((px, py, pz), (w, x, y, z), twist)
        position = tuple(map(np.add, self._position, rotate_vectors(self._wxyz, (px, py, pz))))
        return Motions(position, multiply_quaternions(self._wxyz, (w, x, y, z)), twist)

    def require_finite(self, rows: Array, motions: Motions) -> None:
        """Require that numbers of links are finite where those of their samples are.

        Raises:
            ValueError: A motion has overflowed.
        """
        computed = np.array([*motions.position, *motions.wxyz, *motions.twist])
        if np.isfinite(computed).all():
            return
        overflows = np.isfinite(self._stated(rows)).all(axis=0) & ~np.isfinite(computed).all(axis=0)
        if overflows.any():
            _, link = np.argwhere(overflows)[0]
            raise ValueError(f"the numbers of the body '{'/'.join(self.names[link])[:80]}' are too large")


class Motions(NamedTuple):
    """Poses and velocities of links: for each component an array of shape (samples, links)."""

    position: tuple[Array, ...]
    """Positions in frames of models [m]."""
    wxyz: tuple[Array, ...]
    """Rotations in frames of models."""
    twist: tuple[Array, ...]
    """Linear velocities [m/s] and angular velocities [rad/s], in axes of the links."""


def _columns(name: tuple[str, str], fields: dict[str, list[int]]) -> list[int]:
    """Return the columns of a body in the order of :data:`BODY_FIELDS`."""
    for field, width in BODY_FIELDS.items():
        if len(fields.get(field, ())) != width:
            raise ValueError(f"body '{'/'.join(name)[:80]}' lacks the columns {field}[0] to {field}[{width - 1}]")
    return [column for field in BODY_FIELDS for column in fields[field]]


def rotate_vectors(wxyz: Components, vector: Components) -> tuple[Array, ...]:
    """Return vectors rotated by quaternions, bit-exact with :func:`ossature.spatial.rotate`."""
    w, x, y, z = wxyz
    vx, vy, vz = vector
    tx = 2.0 * (y * vz - z * vy)
    ty = 2.0 * (z * vx - x * vz)
    tz = 2.0 * (x * vy - y * vx)
    return (vx + w * tx + y * tz - z * ty, vy + w * ty + z * tx - x * tz, vz + w * tz + x * ty - y * tx)


def multiply_quaternions(a: Components, b: Components) -> tuple[Array, ...]:
    """Return Hamilton products, bit-exact with :func:`ossature.spatial.multiply`."""
    aw, ax, ay, az = a
    bw, bx, by, bz = b
    return (
        aw * bw - ax * bx - ay * by - az * bz,
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
    )


def roll_pitch_yaw(wxyz: Components) -> tuple[Array, ...]:
    """Return the angles of rotations about the fixed axes x, y and z, in this order [rad].

    The algorithm is that of Bernardes and Viollet, as in :func:`ossature.spatial.euler_from_quaternion`.
    """
    w, x, y, z = wxyz
    a, b, c, d = w - y, x + z, y + w, z - x
    pitch = 2.0 * np.arctan2(np.hypot(c, d), np.hypot(a, b)) - 0.5 * np.pi
    half_sum, half_difference = np.arctan2(b, a), np.arctan2(d, c)
    is_down, is_up = abs(pitch + 0.5 * np.pi) < 1e-12, abs(pitch - 0.5 * np.pi) < 1e-12
    yaw = np.where(is_down, 2.0 * half_sum, np.where(is_up, 2.0 * half_difference, half_sum + half_difference))
    roll = np.where(is_down | is_up, 0.0, half_sum - half_difference)
    return _wrap_angles(roll), pitch, _wrap_angles(yaw)


def _wrap_angles(angles: Array) -> Array:
    return angles - 2.0 * np.pi * np.rint(angles / (2.0 * np.pi))
