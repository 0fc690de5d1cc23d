"""The inertia of a soft body that does not deform: that of its rigid frame and of the points of its surface.

The points have equal masses, and are those of DART: a lattice on a box, rings and two poles on an ellipsoid or a sphere, rings
and two centres on a cylinder. Their sums are closed forms, which ``tests/kinematics/test_soft_skin_inertia.py`` compares with
DART.
"""

from __future__ import annotations

import math

from ossature.kinematics.soft_skin_points import subdivisions_of
from ossature.model import Body, Box, Cylinder, Inertial, SoftSkin, Sphere
from ossature.model.solid_inertia import point_moment
from ossature.spatial import ZERO3, Matrix3, Vector3, add, rotated_tensor, scale, subtract

_NO_MOMENT: Matrix3 = (ZERO3, ZERO3, ZERO3)


def inertial_with_skin(body: Body, moment: Matrix3 = _NO_MOMENT) -> Inertial:
    """Return the mass, centre of mass and moment of inertia of a body together with its soft skin.

    Args:
        moment: The moment of inertia of its rigid frame about the centre of mass of that frame [kg·m²]; not needed for the
            mass and its centre.
    """
    own, skin = body.inertial, body.soft_skin
    if skin is None:
        return Inertial(mass=own.mass, center_of_mass=own.center_of_mass, moment=moment)
    mass = own.mass + skin.mass
    share = skin.mass / mass if mass else 0.0
    distance = subtract(skin.pose.position, own.center_of_mass)
    center = add(own.center_of_mass, scale(distance, share))
    moments = [moment, skin_moment(skin), point_moment(own.mass * share, distance)]
    first, second, third = [add(add(a, b), c) for a, b, c in zip(*moments, strict=True)]
    return Inertial(mass=mass, center_of_mass=center, moment=(first, second, third))


def skin_moment(skin: SoftSkin) -> Matrix3:
    """Return the moment of inertia of the points of a soft skin about their centre, in axes of the body [kg·m²]."""
    count, (xx, yy, zz) = _count_and_squares(skin)
    point = skin.mass / count
    principal = (point * (yy + zz), point * (xx + zz), point * (xx + yy))
    rows = ((principal[0], 0.0, 0.0), (0.0, principal[1], 0.0), (0.0, 0.0, principal[2]))
    return rotated_tensor(rows, skin.pose.wxyz)


def _count_and_squares(skin: SoftSkin) -> tuple[float, Vector3]:
    """Return the number of points, and the sums of their squared coordinates [m²]."""
    geometry, counts = skin.geometry, subdivisions_of(skin)
    if isinstance(geometry, Box):
        return _of_box(geometry.size, counts)
    if isinstance(geometry, Cylinder):
        return _of_cylinder(geometry, counts)
    size = (2.0 * geometry.radius,) * 3 if isinstance(geometry, Sphere) else geometry.diameters
    return _of_ellipsoid(size, counts)


def _of_box(size: Vector3, counts: tuple[int, ...]) -> tuple[float, Vector3]:
    """All points of a lattice, less those inside."""
    nx, ny, nz = map(float, counts)
    ends = [0.5 * length * length for length in size]
    x, y, z = [_squares_on_line(length, number) for length, number in zip(size, (nx, ny, nz), strict=True)]
    inside = (nx - 2.0, ny - 2.0, nz - 2.0)
    squares = (
        x * ny * nz - (x - ends[0]) * inside[1] * inside[2],
        y * nx * nz - (y - ends[1]) * inside[0] * inside[2],
        z * nx * ny - (z - ends[2]) * inside[0] * inside[1],
    )
    return nx * ny * nz - math.prod(inside), squares


def _of_ellipsoid(size: Vector3, counts: tuple[int, ...]) -> tuple[float, Vector3]:
    slices, stacks = map(float, counts)
    x, y, z = [0.25 * length * length for length in size]
    across = 0.25 * stacks * slices  # the sum of sin² over the rings, and of cos² over each
    return 2.0 + (stacks - 1.0) * slices, (x * across, y * across, z * (2.0 + slices * (0.5 * stacks - 1.0)))


def _of_cylinder(cylinder: Cylinder, counts: tuple[int, ...]) -> tuple[float, Vector3]:
    slices, stacks, rings = map(float, counts)
    on_faces = 2.0 + 2.0 * (rings - 1.0) * slices
    inner_rings = (rings - 1.0) * (2.0 * rings - 1.0) / (6.0 * rings)
    across = 0.5 * cylinder.radius * cylinder.radius * slices * (2.0 * inner_rings + stacks + 1.0)
    on_side = slices * _squares_on_line(cylinder.length, stacks + 1.0)
    along = 0.25 * cylinder.length * cylinder.length * on_faces + on_side
    return on_faces + (stacks + 1.0) * slices, (across, across, along)


def _squares_on_line(length: float, count: float) -> float:
    """Return the sum of the squared coordinates of equally spaced points from one end of a centred line to the other."""
    return length * length * count * (count + 1.0) / (12.0 * (count - 1.0))
