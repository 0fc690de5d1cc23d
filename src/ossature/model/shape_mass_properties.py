"""Volume, centre of mass and moments of inertia of homogeneous shapes and meshes."""

from __future__ import annotations

from dataclasses import dataclass

from ossature.array_types import Array
from ossature.model.convex_hull import FlatPointsError, convex_hull
from ossature.model.geometry import Cone, Geometry, Mesh, Pyramid, TriangleMesh
from ossature.model.solid_inertia import principal_moments, volume
from ossature.model.triangle_mesh import MeshData
from ossature.spatial import Matrix3, Vector3, matrix_from, vector_from


@dataclass(frozen=True, slots=True, kw_only=True)
class MassProperties:
    """Mass properties of a homogeneous solid with a density of 1 kg/m³.

    Attributes:
        volume: Its volume [m³], which is also its mass [kg].
        center_of_mass: In the frame of the shape [m].
        moment: Inertia tensor about the centre of mass, in axes of the frame of the shape [kg·m²].
        is_hull: Whether it is the convex hull of a mesh that does not enclose a volume.
    """

    volume: float
    center_of_mass: Vector3
    moment: Matrix3
    is_hull: bool = False


def shape_mass_properties(shape: Geometry) -> MassProperties:
    """Return the mass properties of a shape with a closed form; use :func:`mesh_mass_properties` for meshes.

    A plane and the hull of several spheres have no volume here.
    """
    if isinstance(shape, Mesh | TriangleMesh):
        raise TypeError("a mesh has no closed form")
    size = volume(shape)
    x, y, z = principal_moments(shape, size)
    below = _depth_of_center(shape)  # the closed forms of cones and pyramids are about half their height
    across = size * below * below
    return MassProperties(
        volume=size,
        center_of_mass=(0.0, 0.0, -below),
        moment=((x - across, 0.0, 0.0), (0.0, y - across, 0.0), (0.0, 0.0, z)),
    )


def _depth_of_center(shape: Geometry) -> float:
    """Return how far the centre of mass is below the origin of a shape, along its z axis [m]."""
    match shape:
        case Cone(length=height) | Pyramid(height=height):
            return height / 4.0
        case _:
            return 0.0


def mesh_mass_properties(mesh: MeshData, *, convex: bool = False) -> MassProperties:
    """Return the mass properties of the volume that a mesh encloses, or of its convex hull.

    The hull is used if the mesh has an edge that does not belong to two triangles of opposite direction, so that it encloses
    no volume. A flat mesh has the volume zero.

    Args:
        convex: Whether the convex hull is wanted.
    """
    is_hull = convex or not is_closed(mesh)
    if is_hull:
        mesh = _convex_hull(mesh)
    size, center, moment = mesh_integrals(mesh)
    if size < 0.0:  # all triangles are clockwise
        size, moment = -size, -moment
    symmetric = matrix_from((moment + moment.T) / 2.0)
    return MassProperties(volume=size, center_of_mass=vector_from(center), moment=symmetric, is_hull=is_hull and not convex)


def solid_properties(mesh: MeshData, mass: float) -> tuple[Vector3, Matrix3]:
    """Return the centre of mass [m] of the homogeneous solid inside a mesh, and its inertia tensor about it [kg·m²].

    Raises:
        ValueError: The mesh is not closed, or its triangles are not oriented outwards.
    """
    if not is_closed(mesh):
        raise ValueError("the mesh is not closed: an edge of a triangle has no neighbour, or one of opposite orientation")
    size, center, moment = mesh_integrals(mesh)
    if not size > 0.0:
        raise ValueError("the mesh encloses no volume, or its triangles are not oriented outwards")
    return vector_from(center), matrix_from(mass / size * moment)


def is_closed(mesh: MeshData) -> bool:
    """Whether each edge of a mesh belongs to as many triangles in one direction as in the other.

    Vertices at the same place are one, because many files state them once for each triangle.
    """
    import numpy as np

    if not len(mesh.faces):
        return False
    order = np.lexsort(mesh.vertices.T)
    is_new = (np.diff(mesh.vertices[order], axis=0) != 0.0).any(axis=1)
    index = np.empty(len(order), dtype=np.int64)
    index[order] = np.concatenate([[0], np.cumsum(is_new)])
    faces = index[mesh.faces]
    start, end = faces.reshape(-1), np.roll(faces, -1, axis=1).reshape(-1)
    direction = np.sign(end - start)
    _, edge = np.unique(np.minimum(start, end) * len(index) + np.maximum(start, end), return_inverse=True)
    return not np.bincount(edge, weights=direction).any()


def _convex_hull(mesh: MeshData) -> MeshData:
    import numpy as np

    try:
        return MeshData(vertices=mesh.vertices, faces=convex_hull(mesh.vertices))
    except FlatPointsError:
        return MeshData(vertices=mesh.vertices[:0], faces=np.zeros((0, 3), dtype=np.int64))


def mesh_integrals(mesh: MeshData) -> tuple[float, Array, Array]:
    """Return the signed volume, the centre of mass, and the moment about it: sums over tetrahedra from the mean vertex.

    The covariance of a tetrahedron with a corner at the origin is det/120 · (Σᵢ vᵢvᵢᵀ + s·sᵀ), with s the sum of its corners.
    """
    import numpy as np

    if not len(mesh.faces):
        return 0.0, np.zeros(3), np.zeros((3, 3))
    middle = mesh.vertices[mesh.faces].mean(axis=(0, 1))
    corners = mesh.vertices[mesh.faces] - middle
    determinants = np.linalg.det(corners)
    size = float(determinants.sum() / 6.0)
    extent = float(np.abs(corners).max())
    if abs(size) <= _FLAT * extent**3:
        return 0.0, middle, np.zeros((3, 3))
    sums = corners.sum(axis=1)
    center = (determinants[:, None] * sums).sum(axis=0) / (24.0 * size)
    covariance = np.einsum("n,nki,nkj->ij", determinants, corners, corners) + np.einsum("n,ni,nj->ij", determinants, sums, sums)
    covariance = covariance / 120.0 - size * np.outer(center, center)
    return size, middle + center, np.trace(covariance) * np.eye(3) - covariance


_FLAT = 1e-12
"""Volume of a flat mesh at most, as a fraction of the cube of its extent: the rounding error of the sum."""
