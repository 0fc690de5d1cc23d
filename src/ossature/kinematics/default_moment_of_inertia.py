"""The default moment of inertia of a body whose file does not state it, computed from its shapes as in DART.

DART distributes the body's mass over all its shapes, visual and collision, in proportion to their volumes, and adds their
moments about the centre of mass. A shape without a volume in DART (a plane, the hull of several spheres) counts with one cubic
metre. Measured with DART 6.20; ``tests/kinematics/test_default_moment_of_inertia.py`` repeats the measurement.

Pyramids are the exception: their moment is "not implemented" in DART, which uses unit moments for any mass. Here they have the
moment of a homogeneous pyramid.
"""

from __future__ import annotations

import numpy as np

from ossature.assets import MeshStore
from ossature.model import Body, Box, Geometry, Mesh, TriangleMesh
from ossature.model.solid_inertia import point_moment, principal_moments, volume
from ossature.spatial import ZERO3, Matrix3, Pose, Vector3, add, rotated_tensor, subtract

_DEFAULT_VOLUME = 1.0


def default_moment_of_inertia(body: Body, meshes: MeshStore) -> Matrix3:
    """Return a body's moment of inertia about its centre of mass, in axes of the body frame [kg·m²].

    It is the stated one, or the one computed from all shapes; unit moments for a body without shapes.

    Raises:
        AssetError: A mesh is needed and is unavailable.
    """
    if body.inertial.moment is not None:
        return body.inertial.moment
    shapes = [(visual.geometry, visual.pose) for visual in body.visuals]
    shapes += [(collision.geometry, collision.pose) for collision in body.collisions]
    if not shapes:
        return ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    # A mesh counts as its bounding box, which is computed only once here.
    solids = [(_solid_of_shape(geometry, meshes), pose) for geometry, pose in shapes]
    volumes = [volume(solid) or _DEFAULT_VOLUME for solid, _ in solids]
    whole = sum(volumes)
    total: Matrix3 = (ZERO3, ZERO3, ZERO3)
    for (solid, pose), size in zip(solids, volumes, strict=True):
        own = _moment_about(body.inertial.center_of_mass, solid, pose, body.inertial.mass * (size / whole))
        first, second, third = map(add, total, own)
        total = (first, second, third)
    return total


def _solid_of_shape(geometry: Geometry, meshes: MeshStore) -> Geometry:
    if isinstance(geometry, Mesh | TriangleMesh):
        extents = np.diff(meshes.triangles(geometry).bounds, axis=0)[0]
        return Box(size=(float(extents[0]), float(extents[1]), float(extents[2])))
    return geometry


def _moment_about(center: Vector3, solid: Geometry, pose: Pose, mass: float) -> Matrix3:
    xx, yy, zz = principal_moments(solid, mass)
    own = rotated_tensor(((xx, 0.0, 0.0), (0.0, yy, 0.0), (0.0, 0.0, zz)), pose.wxyz)
    of_point = point_moment(mass, subtract(pose.position, center))
    first, second, third = map(add, own, of_point)
    return (first, second, third)
