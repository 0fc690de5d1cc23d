"""Where a ray meets a mesh, to the last digits: the engine finds the place, and the stated triangle there is met again.

The engine keeps corners of meshes as numbers of 32 bits, about 1e-7 of a metre off. So the distance that it finds says which
triangle was hit, and the distance to that triangle is computed from the corners as they were stated.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ossature.model import Geometry
from ossature.simulation.shapes import ShapeBuilder
from ossature.spatial import Pose

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Vector = NDArray[np.float64]
    Numbers = NDArray[np.intp]

_MARGIN = 1e-5
"""How far from a triangle, as a share of its mesh's extent, the engine's hit may be."""


@dataclass(frozen=True, slots=True)
class StatedMesh:
    """The triangles of a mesh as they were stated, with the engine's tree of boxes around them.

    Attributes:
        pose_body_mesh: Position and rotation matrix of the mesh in its body.
        corners: The corners of all triangles, shape (faces, 3, 3) [m].
        centers: Middles of the tree's boxes, shape (nodes, 3), in the mesh's own frame as the engine turned it.
        halves: Half their sizes, likewise.
        children: Their inner boxes, shape (nodes, 2).
        faces: The face in each box, or -1.
        turn: Rotation matrix of the engine's frame in the mesh's.
        shift: Its origin.
    """

    pose_body_mesh: tuple[Vector, Vector]
    corners: Vector
    centers: Vector
    halves: Vector
    children: Numbers
    faces: Numbers
    turn: Vector
    shift: Vector

    @classmethod
    def of(cls, model: Any, geom: int, pose: Pose, builder: ShapeBuilder, geometry: Geometry) -> StatedMesh:
        """Return the mesh of one of the engine's geoms."""
        mesh = int(model.geom_dataid[geom])
        first, count = int(model.mesh_vertadr[mesh]), int(model.mesh_vertnum[mesh])
        turn, shift = _matrix(model.mesh_quat[mesh]), np.array(model.mesh_pos[mesh])
        stated = builder.points_of(geometry)
        if len(stated) != count:  # the engine left some out
            stated = model.mesh_vert[first : first + count].astype(float) @ turn.T + shift
        face, faces = int(model.mesh_faceadr[mesh]), int(model.mesh_facenum[mesh])
        node, nodes = int(model.mesh_bvhadr[mesh]), int(model.mesh_bvhnum[mesh])
        boxes = model.bvh_aabb[node : node + nodes]
        return cls(
            pose_body_mesh=(np.array(pose.position), _matrix(np.array(pose.wxyz))),
            corners=stated[model.mesh_face[face : face + faces]],
            centers=np.array(boxes[:, :3]),
            halves=np.array(boxes[:, 3:]) + _MARGIN * float(np.abs(boxes[0, 3:]).max()),
            children=np.array(model.bvh_child[node : node + nodes], dtype=np.intp),
            faces=np.array(model.bvh_nodeid[node : node + nodes], dtype=np.intp),
            turn=turn,
            shift=shift,
        )

    def distances(self, position: Vector, rotation: Vector, origin: Vector, directions: Vector, found: Vector) -> Vector:
        """Return the distances to this mesh of rays that the engine says hit it.

        Args:
            position: Origin of its body [m].
            rotation: Rotation matrix of its body.
            origin: Where the rays begin [m].
            directions: Their unit directions, shape (n, 3), as all in the world.
            found: The engine's distances, shape (n,) [m].
        """
        offset, inner = self.pose_body_mesh
        turned = rotation @ inner
        begin = (origin - position - rotation @ offset) @ turned
        along = directions @ turned
        rays, faces = self._near((begin + found[:, None] * along - self.shift) @ self.turn)
        distance, inside = _met(begin, along[rays], self.corners[faces])
        return _best(found, rays, distance, inside)

    def _near(self, points: Vector) -> tuple[Numbers, Numbers]:
        """Return which points are near which faces, as two arrays of one length; all points go down the tree at once."""
        rays, nodes = np.arange(len(points)), np.zeros(len(points), dtype=np.intp)
        near_rays, near_faces = [], []
        while len(rays):
            within = (np.abs(points[rays] - self.centers[nodes]) <= self.halves[nodes]).all(axis=1)
            rays, nodes = rays[within], nodes[within]
            leaves = self.faces[nodes] >= 0
            near_rays.append(rays[leaves])
            near_faces.append(self.faces[nodes[leaves]])
            rays, nodes = np.repeat(rays[~leaves], 2), self.children[nodes[~leaves]].ravel()
        return np.concatenate(near_rays), np.concatenate(near_faces)


def _met(origin: Vector, directions: Vector, corners: Vector) -> tuple[Vector, Vector]:
    """Return the distance along each ray to the plane of its triangle, and how far inside the triangle that is.

    The second is the smallest of the three shares that the corners have in the point: negative outside.
    """
    first, second, third = corners[:, 0], corners[:, 1], corners[:, 2]
    normals = np.cross(second - first, third - first)
    slope = np.einsum("ni,ni->n", normals, directions)
    squares = np.einsum("ni,ni->n", normals, normals)
    with np.errstate(divide="ignore", invalid="ignore"):
        distance = np.einsum("ni,ni->n", normals, first - origin) / slope
        point = origin + distance[:, None] * directions
        shares = [
            np.einsum("ni,ni->n", np.cross(b - a, point - a), normals) / squares
            for a, b in ((first, second), (second, third), (third, first))
        ]
        inside = np.minimum(np.minimum(shares[0], shares[1]), shares[2])
    return distance, np.where(np.isfinite(distance) & np.isfinite(inside), inside, -np.inf)


def _best(found: Vector, rays: Numbers, distance: Vector, inside: Vector) -> Vector:
    """Return for each ray the distance to the triangle that it is farthest inside of, near what the engine found."""
    result = found.copy()
    usable = inside > -1e-4
    rays, distance, inside = rays[usable], distance[usable], inside[usable]
    usable = np.abs(distance - found[rays]) <= 1e-4 * np.maximum(1.0, found[rays])
    rays, distance, inside = rays[usable], distance[usable], inside[usable]
    # Of several triangles in one plane all give the same; where they meet at an edge, the one that holds the point counts.
    order = np.argsort(np.minimum(inside, 0.0), kind="stable")
    result[rays[order]] = distance[order]
    return result


def _matrix(wxyz: Vector) -> Vector:
    w, x, y, z = wxyz / np.linalg.norm(wxyz)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
