"""Where a ray meets a mesh, to the last digits: the engine finds the place, and the stated triangle there is met again.

The engine keeps corners of meshes as numbers of 32 bits, about 1e-7 of a metre off. So the distance that it finds says which
triangle was hit, and the distance to that triangle is computed from the corners as they were stated. All rays go down the
engine's own trees of boxes at once, whichever meshes they hit.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np

from ossature.spatial import Pose

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Vector = NDArray[np.float64]
    Numbers = NDArray[np.intp]

_MARGIN = 1e-5
"""How far from a triangle, as a share of its mesh's extent, the engine's hit may be."""
_OUTSIDE = 1e-4
"""How far outside a triangle, as a share of it, what the engine found may be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedMesh:
    """A mesh as it was stated.

    Attributes:
        pose: Its frame in its body's.
        corners: Its corners, shape (n, 3) [m].
    """

    pose: Pose
    corners: Vector


class StatedMeshes:
    """The meshes of an engine model as they were stated.

    Args:
        model: The engine's model.
        stated: The meshes, by the engine's number of their geom.
    """

    def __init__(self, model: Any, stated: Mapping[int, StatedMesh]) -> None:
        self._slots = np.full(model.ngeom, -1, dtype=np.intp)
        self._slots[list(stated)] = np.arange(len(stated))
        self._offsets = np.array([mesh.pose.position for mesh in stated.values()]).reshape(-1, 3)
        self._turns = np.array([mesh.pose.matrix()[:3, :3] for mesh in stated.values()]).reshape(-1, 3, 3)
        meshes = model.geom_dataid[list(stated)] if stated else np.zeros(0, dtype=np.intp)
        self._roots = np.array(model.mesh_bvhadr[meshes], dtype=np.intp)
        # The engine turns and shifts meshes; its boxes are in its own frame of each.
        self._engine_turns = np.array([_matrix(model.mesh_quat[mesh]) for mesh in meshes]).reshape(-1, 3, 3)
        self._engine_offsets = np.array(model.mesh_pos[meshes], dtype=float).reshape(-1, 3)
        self._take_boxes(model, sorted(set(meshes.tolist())))
        self._take_corners(model, list(stated.values()), meshes.tolist())

    def _take_boxes(self, model: Any, meshes: list[int]) -> None:
        self._centers, halves = np.array(model.bvh_aabb[:, :3]), np.array(model.bvh_aabb[:, 3:])
        self._children = np.array(model.bvh_child, dtype=np.intp)
        self._faces = np.array(model.bvh_nodeid, dtype=np.intp)
        for mesh in meshes:
            root, count = int(model.mesh_bvhadr[mesh]), int(model.mesh_bvhnum[mesh])
            nodes = slice(root, root + count)
            halves[nodes] += _MARGIN * float(halves[root].max())
            self._children[nodes] += root
        self._halves = halves

    def _take_corners(self, model: Any, stated: list[StatedMesh], meshes: list[int]) -> None:
        """Keep the corners of all faces, one mesh after the other, and where each mesh begins."""
        kept, begins, count = [np.zeros((0, 3, 3))], {}, 0
        for slot, (mesh, number) in enumerate(zip(stated, meshes, strict=True)):
            if number not in begins:
                begins[number] = count
                kept.append(self._corners_of_faces(model, mesh.corners, number, slot))
                count += len(kept[-1])
        self._corners = np.concatenate(kept)
        self._begins = np.array([begins[number] for number in meshes], dtype=np.intp)

    def _corners_of_faces(self, model: Any, corners: Vector, mesh: int, slot: int) -> Vector:
        first, count = int(model.mesh_vertadr[mesh]), int(model.mesh_vertnum[mesh])
        if len(corners) != count:  # the engine left some out
            corners = model.mesh_vert[first : first + count].astype(float) @ self._engine_turns[slot].T
            corners += self._engine_offsets[slot]
        face, faces = int(model.mesh_faceadr[mesh]), int(model.mesh_facenum[mesh])
        return np.asarray(corners[model.mesh_face[face : face + faces]])

    def distances(
        self, geoms: NDArray[Any], positions: Vector, rotations: Vector, origins: Vector, directions: Vector, found: Vector
    ) -> Vector:
        """Return the distances along rays, exact where they hit meshes.

        Args:
            geoms: The engine's numbers of what they hit, or -1, shape (n,).
            positions: Origins of the bodies of these, shape (n, 3) [m].
            rotations: Rotation matrices of these bodies, shape (n, 3, 3).
            origins: Where the rays begin, shape (n, 3) [m].
            directions: Their unit directions, shape (n, 3), as all in the world.
            found: The engine's distances, shape (n,) [m].
        """
        slots = np.where(geoms >= 0, self._slots[geoms], -1) if len(self._slots) else np.full(len(geoms), -1)
        rays = np.flatnonzero(slots >= 0)
        result = found.copy()
        if len(rays):
            slots, found = slots[rays], found[rays]
            turned = rotations[rays] @ self._turns[slots]
            offsets = positions[rays] + np.einsum("nij,nj->ni", rotations[rays], self._offsets[slots])
            begin = np.einsum("nji,nj->ni", turned, origins[rays] - offsets)
            along = np.einsum("nji,nj->ni", turned, directions[rays])
            result[rays] = self._met(slots, begin, along, found)
        return result

    def _met(self, slots: Numbers, begin: Vector, along: Vector, found: Vector) -> Vector:
        """Return the distances of rays in frames of meshes to the triangles near where the engine found them."""
        points = begin + found[:, None] * along - self._engine_offsets[slots]
        rays, faces = self._near(np.einsum("nji,nj->ni", self._engine_turns[slots], points), self._roots[slots])
        corners = self._corners[self._begins[slots[rays]] + faces]
        distance, inside = _planes_met(begin[rays], along[rays], corners)
        return _best(found, rays, distance, inside)

    def _near(self, points: Vector, roots: Numbers) -> tuple[Numbers, Numbers]:
        """Return which points are near which faces, as two arrays of one length; all points go down the trees at once."""
        rays, nodes = np.arange(len(points)), roots
        near_rays, near_faces = [], []
        while len(rays):
            within = (np.abs(points[rays] - self._centers[nodes]) <= self._halves[nodes]).all(axis=1)
            rays, nodes = rays[within], nodes[within]
            leaves = self._faces[nodes] >= 0
            near_rays.append(rays[leaves])
            near_faces.append(self._faces[nodes[leaves]])
            rays, nodes = np.repeat(rays[~leaves], 2), self._children[nodes[~leaves]].ravel()
        return np.concatenate(near_rays), np.concatenate(near_faces)


def _planes_met(origins: Vector, directions: Vector, corners: Vector) -> tuple[Vector, Vector]:
    """Return the distance along each ray to the plane of its triangle, and how far inside the triangle that is.

    The second is the smallest of the three shares that the corners have in the point: negative outside.
    """
    first = corners[:, 0]
    sides = np.roll(corners, -1, axis=1) - corners
    normals = _cross(sides[:, 0], -sides[:, 2])
    slope = np.einsum("ni,ni->n", normals, directions)
    with np.errstate(divide="ignore", invalid="ignore"):
        distance = np.einsum("ni,ni->n", normals, first - origins) / slope
        point = origins + distance[:, None] * directions
        shares = np.einsum("nki,ni->nk", _cross(sides, point[:, None] - corners), normals)
        inside = shares.min(axis=1) / np.einsum("ni,ni->n", normals, normals)
    return distance, np.where(np.isfinite(distance) & np.isfinite(inside), inside, -np.inf)


def _cross(one: Vector, other: Vector) -> Vector:
    """Return cross products; numpy's own spends most of its time on the shapes of small arrays."""
    x, y, z = one[..., 0], one[..., 1], one[..., 2]
    u, v, w = other[..., 0], other[..., 1], other[..., 2]
    return np.stack([y * w - z * v, z * u - x * w, x * v - y * u], axis=-1)


def _best(found: Vector, rays: Numbers, distance: Vector, inside: Vector) -> Vector:
    """Return for each ray the distance to the triangle that it is farthest inside of, near what the engine found."""
    result = found.copy()
    near = np.abs(distance - found[rays]) <= _OUTSIDE * np.maximum(1.0, found[rays])
    usable = (inside > -_OUTSIDE) & near
    rays, distance, inside = rays[usable], distance[usable], inside[usable]
    # Of several triangles in one plane all give the same; where they meet at an edge, the one that holds the point counts.
    order = np.argsort(np.minimum(inside, 0.0), kind="stable")
    result[rays[order]] = distance[order]
    return result


def _matrix(wxyz: Any) -> Vector:
    rotation = np.zeros(9)
    mujoco.mju_quat2Mat(rotation, np.asarray(wxyz, dtype=float))
    return rotation.reshape(3, 3)
