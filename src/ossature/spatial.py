"""Positions, rotations and poses: the only module with Euler angles.

Conventions, used everywhere in the package:

- lengths are metres, angles radians;
- quaternions are unit and scalar first (``wxyz``);
- ``pose_a_b`` maps coordinates in frame b to coordinates in frame a, so ``pose_a_b @ pose_b_c == pose_a_c``;
- Euler angles are named by their order, lower case for intrinsic (moving) axes: ``"xyz"`` is Rx(a)·Ry(b)·Rz(c).

The functions work on plain tuples of floats: models are read one number at a time, and for three numbers a tuple is
several times faster than an array. Use :meth:`Pose.matrix` for numpy.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from ossature.array_types import Array

Vector3: TypeAlias = tuple[float, float, float]
Quaternion: TypeAlias = tuple[float, float, float, float]
Matrix3: TypeAlias = tuple[Vector3, Vector3, Vector3]
EulerOrder: TypeAlias = Literal["xyz", "zyx"]

IDENTITY_WXYZ: Quaternion = (1.0, 0.0, 0.0, 0.0)
ZERO3: Vector3 = (0.0, 0.0, 0.0)

_UNIT_TOLERANCE = 1e-15
_SMALLEST = sys.float_info.min  # subnormal numbers have fewer digits, so that the direction is inaccurate
_AXIS_INDEX = {"x": 1, "y": 2, "z": 3}


@dataclass(frozen=True, slots=True)
class EulerSpelling:
    """A rotation as written in a file: angles [rad] in an Euler order."""

    order: EulerOrder
    angles: Vector3


@dataclass(frozen=True, slots=True)
class Pose:
    """A rigid transform: position and rotation of one frame in another.

    Attributes:
        position: Origin of the inner frame in the outer one [m].
        wxyz: Rotation of the inner frame as a unit quaternion, scalar first.
        spelling: The rotation as written in the file that it was read from. It is ignored by equality, and a writer uses it
            only if it is bit-exactly :attr:`wxyz`: Euler angles computed from a quaternion have rounding errors, which would
            change the numbers of the file.
    """

    position: Vector3 = ZERO3
    wxyz: Quaternion = IDENTITY_WXYZ
    spelling: EulerSpelling | None = field(default=None, compare=False, repr=False)

    @classmethod
    def from_euler(cls, position: Vector3, angles: Vector3, order: EulerOrder = "xyz") -> Pose:
        """Return the pose with the given position [m] and intrinsic Euler angles [rad]."""
        if angles == ZERO3:
            return cls(position)
        return cls(position, quaternion_from_euler(angles, order), EulerSpelling(order, angles))

    def euler(self, order: EulerOrder = "xyz") -> Vector3:
        """Return Euler angles [rad] of the rotation: those of the file if they are bit-exact."""
        if self.wxyz == IDENTITY_WXYZ:
            return ZERO3
        spelling = self.spelling
        if spelling is not None and spelling.order == order and quaternion_from_euler(spelling.angles, order) == self.wxyz:
            return spelling.angles
        return euler_from_quaternion(self.wxyz, order)

    def __matmul__(self, other: Pose) -> Pose:
        if other is IDENTITY:
            return self
        if self is IDENTITY:
            return other
        return Pose(add(self.position, rotate(self.wxyz, other.position)), multiply(self.wxyz, other.wxyz))

    def inverse(self) -> Pose:
        """Return the pose of the outer frame in the inner one."""
        w, x, y, z = self.wxyz
        wxyz = (w, -x, -y, -z)
        px, py, pz = rotate(wxyz, self.position)
        return Pose((-px, -py, -pz), wxyz)

    def transform(self, point: Vector3) -> Vector3:
        """Return a point of the inner frame in coordinates of the outer one."""
        return add(self.position, rotate(self.wxyz, point))

    def matrix(self) -> Array:
        """Return the homogeneous 4×4 matrix."""
        import numpy as np

        result = np.eye(4)
        result[:3, :3] = rotation_matrix(self.wxyz)
        result[:3, 3] = self.position
        return result

    @classmethod
    def from_matrix(cls, matrix: Array) -> Pose:
        """Return the pose of a homogeneous 4×4 matrix, whose rotation is orthogonal."""
        (a, b, c, x), (d, e, f, y), (g, h, i, z) = matrix[:3].tolist()
        return cls((x, y, z), quaternion_from_matrix(((a, b, c), (d, e, f), (g, h, i))))


IDENTITY = Pose()


def vector_from(values: Iterable[float]) -> Vector3:
    """Return three numbers, such as a row of an array, as a vector."""
    x, y, z = map(float, values)
    return (x, y, z)


def quaternion_from(values: Iterable[float]) -> Quaternion:
    """Return four numbers, scalar first, such as a row of an array, as a quaternion."""
    w, x, y, z = map(float, values)
    return (w, x, y, z)


def matrix_from(rows: Iterable[Iterable[float]]) -> Matrix3:
    """Return three rows of three numbers, such as an array, as a matrix."""
    a, b, c = map(vector_from, rows)
    return (a, b, c)


def pose_from(position: Iterable[float], wxyz: Iterable[float]) -> Pose:
    """Return three numbers [m] and four, such as rows of arrays, as a pose."""
    return Pose(vector_from(position), quaternion_from(wxyz))


def add(a: Vector3, b: Vector3) -> Vector3:
    """Return a + b."""
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


def subtract(a: Vector3, b: Vector3) -> Vector3:
    """Return a - b."""
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


def scale(a: Vector3, factor: float) -> Vector3:
    """Return factor · a."""
    return (a[0] * factor, a[1] * factor, a[2] * factor)


def dot(a: Vector3, b: Vector3) -> float:
    """Return the inner product."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a: Vector3, b: Vector3) -> Vector3:
    """Return the vector product a × b."""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def norm(a: Vector3) -> float:
    """Return the Euclidean length."""
    return math.hypot(*a)


def unit(a: Vector3) -> Vector3:
    """Return a/|a|; a vector that is unit to rounding is returned unchanged, so that the function is idempotent.

    Raises:
        ValueError: The vector is zero, too short to have an accurate direction, or not finite.
    """
    squared = a[0] * a[0] + a[1] * a[1] + a[2] * a[2]
    if abs(squared - 1.0) <= _UNIT_TOLERANCE:
        return a
    length = norm(a)
    if length < _SMALLEST or not math.isfinite(length):
        raise ValueError(f"the vector {a} has no direction: its length is zero or not finite")
    return (a[0] / length, a[1] / length, a[2] / length)


def perpendicular(a: Vector3) -> Vector3:
    """Return a unit vector perpendicular to a; the choice is deterministic."""
    smallest = min(range(3), key=lambda i: abs(a[i]))
    basis: Vector3 = (float(smallest == 0), float(smallest == 1), float(smallest == 2))
    return unit(cross(a, basis))


def multiply(a: Quaternion, b: Quaternion) -> Quaternion:
    """Return the Hamilton product: the rotation b, followed by a."""
    aw, ax, ay, az = a
    bw, bx, by, bz = b
    return (
        aw * bw - ax * bx - ay * by - az * bz,
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
    )


def conjugate(a: Quaternion) -> Quaternion:
    """Return the inverse of a unit quaternion."""
    return (a[0], -a[1], -a[2], -a[3])


def normalized(a: Quaternion) -> Quaternion:
    """Return a/|a|; idempotent, as :func:`unit` is.

    Raises:
        ValueError: The quaternion is zero or not finite.
    """
    squared = a[0] * a[0] + a[1] * a[1] + a[2] * a[2] + a[3] * a[3]
    if abs(squared - 1.0) <= _UNIT_TOLERANCE:
        return a
    length = math.hypot(*a)
    if length < _SMALLEST or not math.isfinite(length):
        raise ValueError(f"the quaternion {a} is no rotation: its length is zero or not finite")
    return (a[0] / length, a[1] / length, a[2] / length, a[3] / length)


def angle_between(a: Pose, b: Pose) -> float:
    """Return the angle between the rotations of two frames [rad], exactly zero for equal ones and accurate for small ones."""
    distance = min(math.dist(a.wxyz, b.wxyz), math.dist(a.wxyz, [-part for part in b.wxyz]))  # q and -q are the same rotation
    return 4.0 * math.asin(min(0.5 * distance, 1.0))


def rotate(wxyz: Quaternion, vector: Vector3) -> Vector3:
    """Return the vector rotated by the quaternion."""
    w, x, y, z = wxyz
    if x == 0.0 and y == 0.0 and z == 0.0:
        return vector
    vx, vy, vz = vector
    tx = 2.0 * (y * vz - z * vy)
    ty = 2.0 * (z * vx - x * vz)
    tz = 2.0 * (x * vy - y * vx)
    return (vx + w * tx + y * tz - z * ty, vy + w * ty + z * tx - x * tz, vz + w * tz + x * ty - y * tx)


def rotation_matrix(wxyz: Quaternion) -> Matrix3:
    """Return the 3×3 rotation matrix, row by row."""
    w, x, y, z = wxyz
    return (
        (1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
        (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
        (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
    )


def quaternion_from_axis_angle(axis: Vector3, angle: float) -> Quaternion:
    """Return the rotation by an angle [rad] about a unit axis."""
    s = math.sin(0.5 * angle)
    return (math.cos(0.5 * angle), axis[0] * s, axis[1] * s, axis[2] * s)


def quaternion_between(a: Vector3, b: Vector3) -> Quaternion:
    """Return the shortest rotation from the unit vector a to the unit vector b, exact to rounding.

    For almost opposite vectors it is half a turn about the vector perpendicular to a, and then the shortest rotation.
    """
    cosine = dot(a, b)
    if cosine < -1.0 + 1e-12:
        half_turn = quaternion_from_axis_angle(perpendicular(a), math.pi)
        return multiply(quaternion_between(scale(a, -1.0), b), half_turn)
    if cosine < -0.9:  # the sum of almost opposite vectors has no rounding errors, but 1 + cosine and a × b have
        total = add(a, b)
        return normalized((0.5 * dot(total, total), *cross(a, total)))
    return normalized((1.0 + cosine, *cross(a, b)))


def rotated_tensor(tensor: Matrix3, wxyz: Quaternion) -> Matrix3:
    """Return a symmetric tensor, expressed in rotated axes, in the unrotated axes: R·T·Rᵀ."""
    if wxyz == IDENTITY_WXYZ:
        return tensor
    rotation = rotation_matrix(wxyz)
    half = [[sum(rotation[i][k] * tensor[k][j] for k in range(3)) for j in range(3)] for i in range(3)]
    full = [[sum(half[i][k] * rotation[j][k] for k in range(3)) for j in range(3)] for i in range(3)]
    xx, yy, zz = full[0][0], full[1][1], full[2][2]
    xy, xz, yz = full[0][1], full[0][2], full[1][2]
    return ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))


def quaternion_from_rotation_vector(vector: Vector3) -> Quaternion:
    """Return the exponential of a rotation vector [rad]."""
    angle = norm(vector)
    if angle == 0.0:
        return IDENTITY_WXYZ
    factor = 0.5 - angle * angle / 48.0 if angle < 1e-5 else math.sin(0.5 * angle) / angle
    return (math.cos(0.5 * angle), vector[0] * factor, vector[1] * factor, vector[2] * factor)


def rotation_vector_from_quaternion(wxyz: Quaternion) -> Vector3:
    """Return the logarithm [rad] of a rotation, with a length of at most π."""
    w, x, y, z = wxyz if wxyz[0] >= 0.0 else (-wxyz[0], -wxyz[1], -wxyz[2], -wxyz[3])
    sine = math.hypot(x, y, z)
    if sine == 0.0:
        return ZERO3
    factor = 2.0 * math.atan2(sine, w) / sine
    return (x * factor, y * factor, z * factor)


def quaternion_from_matrix(rows: Matrix3) -> Quaternion:
    """Return the rotation of a proper orthogonal matrix, by its largest component (Shepperd's method)."""
    (a, b, c), (d, e, f), (g, h, i) = rows
    trace = a + e + i
    largest = max(trace, a, e, i)
    if largest == trace:
        q = (1 + trace, h - f, c - g, d - b)
    elif largest == a:
        q = (h - f, 1 + a - e - i, b + d, c + g)
    elif largest == e:
        q = (c - g, b + d, 1 - a + e - i, f + h)
    else:
        q = (d - b, c + g, f + h, 1 - a - e + i)
    length = math.hypot(*q)
    return (q[0] / length, q[1] / length, q[2] / length, q[3] / length)


def quaternion_from_euler(angles: Vector3, order: EulerOrder = "xyz") -> Quaternion:
    """Return the rotation of intrinsic Euler angles [rad], the first about the first axis of the order."""
    cx, sx = math.cos(0.5 * angles[0]), math.sin(0.5 * angles[0])
    cy, sy = math.cos(0.5 * angles[1]), math.sin(0.5 * angles[1])
    cz, sz = math.cos(0.5 * angles[2]), math.sin(0.5 * angles[2])
    if order == "xyz":
        return (
            cx * cy * cz - sx * sy * sz,
            sx * cy * cz + cx * sy * sz,
            cx * sy * cz - sx * cy * sz,
            cx * cy * sz + sx * sy * cz,
        )
    return (
        cx * cy * cz + sx * sy * sz,
        cx * cy * sz - sx * sy * cz,
        cx * sy * cz + sx * cy * sz,
        sx * cy * cz - cx * sy * sz,
    )


def euler_from_quaternion(wxyz: Quaternion, order: EulerOrder = "xyz") -> Vector3:
    """Return intrinsic Euler angles [rad] of a rotation; the middle one lies in [-π/2, π/2].

    In gimbal lock, where only the sum or difference of the outer angles is defined, the last angle is zero.
    Follows J. Bernardes and S. Viollet, "Quaternion to Euler angles conversion: a direct, general and computationally
    efficient method", PLOS ONE 17(11), 2022.
    """
    first, second, third = (_AXIS_INDEX[axis] for axis in order)
    # Intrinsic abc is extrinsic cba: the paper's first and third axes are exchanged, and the permutation changes sign.
    sign = -1.0 if order == "xyz" else 1.0
    w, x, y, z = wxyz[0], wxyz[third], wxyz[second], wxyz[first] * sign
    a, b, c, d = w - y, x + z, y + w, z - x
    middle = 2.0 * math.atan2(math.hypot(c, d), math.hypot(a, b)) - 0.5 * math.pi
    half_sum, half_difference = math.atan2(b, a), math.atan2(d, c)
    if abs(middle + 0.5 * math.pi) < 1e-12:
        outer_first, outer_third = 2.0 * half_sum, 0.0
    elif abs(middle - 0.5 * math.pi) < 1e-12:
        outer_first, outer_third = 2.0 * half_difference, 0.0
    else:
        outer_third, outer_first = half_sum - half_difference, half_sum + half_difference
    return (_wrap_angle(outer_first * sign), middle, _wrap_angle(outer_third))


def _wrap_angle(angle: float) -> float:
    return math.remainder(angle, math.tau)


__all__ = [
    "IDENTITY",
    "IDENTITY_WXYZ",
    "ZERO3",
    "EulerOrder",
    "EulerSpelling",
    "Matrix3",
    "Pose",
    "Quaternion",
    "Vector3",
    "add",
    "conjugate",
    "cross",
    "dot",
    "euler_from_quaternion",
    "multiply",
    "norm",
    "normalized",
    "perpendicular",
    "quaternion_from_axis_angle",
    "quaternion_from_euler",
    "quaternion_from_matrix",
    "quaternion_from_rotation_vector",
    "rotate",
    "rotation_matrix",
    "rotation_vector_from_quaternion",
    "scale",
    "subtract",
    "unit",
]
