"""The convexity of meshes, and connected components of graphs."""

from __future__ import annotations

from ossature.array_types import IndexArray, Int64Array, Points

_CONVEX = 1e-5
"""Height of a vertex over the plane of an adjacent face in a convex mesh, relative to the extent: meshes in single precision,
and those with coordinates of five digits, have such heights."""


def is_convex_mesh(points: Points, faces: Int64Array) -> bool:
    """Whether a mesh is closed and convex; vertices at the same place are one.

    Args:
        points: The vertices, shape (n, 3).
        faces: The triangles, shape (m, 3).
    """
    import numpy as np

    places, index = np.unique(points, axis=0, return_inverse=True)
    triangles = index.reshape(-1)[faces]
    triangles = triangles[(triangles != np.roll(triangles, 1, axis=1)).all(axis=1)]
    if len(triangles) < 4:
        return False
    edges = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    opposite = np.concatenate([triangles[:, 2], triangles[:, 0], triangles[:, 1]])
    order = np.lexsort(np.sort(edges, axis=1).T)
    first, second = order[0::2], order[1::2]
    if len(order) % 2 or (edges[first] != edges[second][:, ::-1]).any():
        return False
    if (np.sort(edges[first][1:], axis=1) == np.sort(edges[first][:-1], axis=1)).all(axis=1).any():
        return False  # an edge with four faces
    corners = places[triangles]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    lengths = np.linalg.norm(normals, axis=1)
    normals /= np.where(lengths > 0.0, lengths, 1.0)[:, None]
    owner = np.tile(np.arange(len(triangles)), 3)
    heights = np.einsum("ij,ij->i", normals[owner[first]], places[opposite[second]] - places[edges[first, 0]])
    tolerance = _CONVEX * float(np.ptp(places, axis=0).max())
    # The faces of a surface inside out are convex in the other direction.
    is_bent = bool((heights <= tolerance).all() or (heights >= -tolerance).all())
    return is_bent and _is_connected(triangles, len(places))


def _is_connected(triangles: Int64Array, count: int) -> bool:
    import numpy as np

    links = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]]])
    labels = connected_components(links[:, 0], links[:, 1], count)[np.unique(triangles)]
    return bool((labels == labels[0]).all())


def connected_components(starts: IndexArray, ends: IndexArray, count: int) -> IndexArray:
    """Return for each of a number of vertices the smallest vertex that edges connect with it.

    Args:
        starts: The first vertex of each edge.
        ends: The second one.
        count: The number of vertices.
    """
    import numpy as np

    labels = np.arange(count)
    while True:
        least = np.minimum(labels[starts], labels[ends])
        new = labels.copy()
        np.minimum.at(new, labels[starts], least)
        np.minimum.at(new, labels[ends], least)
        while not np.array_equal(new, new[new]):
            new = new[new]
        if np.array_equal(new, labels):
            return labels
        labels = new
