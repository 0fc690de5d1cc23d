"""Convex hulls, convexity and connectivity against SciPy and trimesh."""

from __future__ import annotations

import numpy as np
import pytest
import trimesh
from scipy.sparse import coo_array, csgraph
from scipy.spatial import ConvexHull

from ossature.model.convex_hull import FlatPointsError, convex_hull, convex_mesh
from ossature.model.mesh_convexity import connected_components, is_convex_mesh
from ossature.model.shape_mass_properties import is_closed
from ossature.model.triangle_mesh import MeshData

RANDOM = np.random.default_rng(11)
ROTATION = np.linalg.qr(RANDOM.normal(size=(3, 3)))[0]
GRID = np.stack(np.meshgrid(*[np.linspace(0.0, 1.0, 6)] * 3), axis=-1).reshape(-1, 3)
POINTS = {
    "normal": RANDOM.normal(size=(500, 3)),
    "ball": np.array(trimesh.creation.icosphere(subdivisions=2).vertices),
    "grid": GRID,
    "rotated grid": GRID @ ROTATION,
    "cylinder in single precision": np.array((trimesh.creation.cylinder(0.1, 1.0).vertices @ ROTATION).astype("f4"), "f8"),
    "torus": np.array(trimesh.creation.torus(1.0, 0.3).vertices) @ ROTATION,
    "thin": RANDOM.uniform(-1.0, 1.0, (300, 3)) * [1.0, 1.0, 1e-5],
    "far away": RANDOM.normal(size=(60, 3)) * 1e-3 + 1e3,
    "tiny": RANDOM.normal(size=(60, 3)) * 1e-150,
    "repeated": np.repeat(RANDOM.normal(size=(20, 3)), 4, axis=0),
    "lattice": RANDOM.integers(-2, 3, (200, 3)).astype(float),
}


@pytest.mark.parametrize("name", POINTS)
def test_hulls_have_the_volume_of_qhull_and_contain_all_points(name: str) -> None:
    points = (POINTS[name] - POINTS[name].mean(axis=0)) / np.ptp(POINTS[name], axis=0).max()
    faces = convex_hull(POINTS[name])
    corners = points[faces]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    assert np.einsum("ij,ij", corners[:, 0], normals) / 6.0 == pytest.approx(ConvexHull(points).volume, rel=1e-9)
    heights = ((points[:, None] - corners[None, :, 0]) * normals).sum(axis=2) / np.linalg.norm(normals, axis=1)
    assert heights[:, np.linalg.norm(normals, axis=1) > 1e-9].max() < 1e-12
    vertices, faces = convex_mesh(POINTS[name])
    assert is_closed(MeshData(vertices=vertices, faces=faces))
    assert is_convex_mesh(vertices, faces)


@pytest.mark.parametrize("points", [np.zeros((5, 3)), GRID[GRID[:, 0] == 0.0] @ ROTATION, np.full((9, 3), np.nan), GRID[:3]])
def test_flat_points_have_no_hull(points: np.ndarray) -> None:
    with pytest.raises(FlatPointsError):
        convex_hull(points)


def test_convexity_is_that_of_trimesh() -> None:
    box, ball = trimesh.creation.box(), trimesh.creation.icosphere(subdivisions=2)
    dented = ball.copy()
    dented.vertices[0] *= 0.9
    two = trimesh.util.concatenate([box, trimesh.creation.box(transform=trimesh.transformations.translation_matrix([3, 0, 0]))])
    open_box = trimesh.Trimesh(box.vertices, box.faces[:-1])
    inside_out = trimesh.Trimesh(box.vertices, box.faces[:, ::-1], process=False)
    meshes = [box, ball, dented, trimesh.creation.torus(1.0, 0.3), trimesh.creation.capsule(), open_box]
    found = [is_convex_mesh(np.array(mesh.vertices), np.array(mesh.faces)) for mesh in meshes]
    assert found == [bool(mesh.is_watertight and mesh.is_convex) for mesh in meshes]
    assert found == [True, True, False, False, True, False]
    assert is_convex_mesh(np.array(inside_out.vertices), np.array(inside_out.faces))
    assert not is_convex_mesh(np.array(two.vertices), np.array(two.faces))
    separate = box.vertices[box.faces].reshape(-1, 3)  # three vertices for each triangle, as in STL files
    assert is_convex_mesh(separate, np.arange(len(separate)).reshape(-1, 3))


def test_components_are_those_of_scipy() -> None:
    for edges in (
        RANDOM.integers(0, 300, (2, 120)),
        RANDOM.integers(0, 40, (2, 60)),
        np.array([np.arange(99), np.arange(1, 100)]),
    ):
        count = int(edges.max()) + 1
        links = coo_array((np.ones(edges.shape[1]), (edges[0], edges[1])), shape=(count, count))
        _, expected = csgraph.connected_components(links, directed=False)
        found = connected_components(edges[0], edges[1], count)
        assert np.array_equal(found[:, None] == found, expected[:, None] == expected)


@pytest.mark.parametrize("count", [1, 2, 3])
def test_few_repeated_points_have_no_hull(count: int) -> None:
    with pytest.raises(FlatPointsError):
        convex_hull(np.repeat(np.eye(3)[:count], 5, axis=0))


def test_the_first_of_equal_points_are_the_corners() -> None:
    corners = trimesh.creation.box().vertices
    assert set(convex_hull(np.tile(corners, (3, 1))).ravel().tolist()) == set(range(len(corners)))
