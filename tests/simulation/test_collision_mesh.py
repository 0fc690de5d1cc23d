"""Intersection of triangle meshes, compared with another library, with all pairs of triangles, and with closed forms."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
import trimesh
from scipy.spatial.transform import Rotation

from ossature.assets import MeshStore
from ossature.model import Capsule, Cylinder, Ellipsoid, Geometry, Sphere
from ossature.simulation.mesh_intersection import CollisionMesh, surface_of
from ossature.simulation.triangle_intersection import triangles_intersect

UNTURNED, ORIGIN = np.eye(3), np.zeros(3)
SCALES = (1e-9, 1.0, 1e9)
CUBE = trimesh.creation.box((1.0, 1.0, 1.0))


def prepared(mesh: Any, scale: float = 1.0) -> CollisionMesh:
    return CollisionMesh(scale * np.asarray(mesh.vertices), np.asarray(mesh.faces))


def triangle_soup(generator: np.random.Generator, count: int, size: float) -> np.ndarray:
    """Return corners of random triangles around random points of a cube, shape (count, 3, 3)."""
    return generator.uniform(-1.0, 1.0, (count, 1, 3)) + generator.normal(size=(count, 3, 3)) * size


def mesh_of(corners: np.ndarray) -> CollisionMesh:
    return CollisionMesh(corners.reshape(-1, 3), np.arange(3 * len(corners)).reshape(-1, 3))


def frame(rotation: np.ndarray, position: np.ndarray) -> np.ndarray:
    matrix = np.eye(4)
    matrix[:3, :3], matrix[:3, 3] = rotation, position
    return matrix


def edges_pierce(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Return which first triangles have an edge that pierces the second: the sign of volumes of tetrahedra."""

    def volume(a: np.ndarray, b: np.ndarray, c: np.ndarray, d: np.ndarray) -> np.ndarray:
        return np.linalg.det(np.stack([b - a, c - a, d - a], axis=1))

    found = np.zeros(len(first), dtype=bool)
    a, b, c = second.swapaxes(0, 1)
    for start, end in itertools.pairwise((0, 1, 2, 0)):
        p, q = first[:, start], first[:, end]
        crosses = volume(a, b, c, p) * volume(a, b, c, q) < 0.0
        sides = np.sign([volume(p, q, a, b), volume(p, q, b, c), volume(p, q, c, a)])
        found |= crosses & (np.abs(sides.sum(axis=0)) == 3)
    return found


def test_triangles_against_edges_that_pierce() -> None:
    generator = np.random.default_rng(0)
    first, second = triangle_soup(generator, 4000, 1.2), triangle_soup(generator, 4000, 1.2)
    expected = edges_pierce(first, second) | edges_pierce(second, first)
    assert 400 < expected.sum() < 3600
    for scale in SCALES:
        assert (triangles_intersect(scale * first, scale * second) == expected).all()


@pytest.mark.parametrize(("count", "size", "spread"), [(1, 1.5, 0.1), (30, 0.08, 1.0), (120, 0.03, 0.3)])
def test_meshes_against_all_pairs_of_triangles_and_coal(count: int, size: float, spread: float) -> None:
    from coal_collisions import coal_collide, coal_mesh

    generator = np.random.default_rng(count)
    outcomes = []
    for _ in range(30):
        first, second = triangle_soup(generator, count, size), triangle_soup(generator, count, size)
        rotation = Rotation.random(random_state=generator).as_matrix()
        position = generator.normal(size=3) * spread
        found = mesh_of(first).intersects(mesh_of(second), rotation, position)
        rows, columns = np.divmod(np.arange(count * count), count)
        assert found == triangles_intersect(first[rows], (second @ rotation.T + position)[columns]).any()
        faces = np.arange(3 * count).reshape(-1, 3)
        meshes = [coal_mesh(corners.reshape(-1, 3), faces) for corners in (first, second)]
        assert found == coal_collide([(meshes[0], np.eye(4))], [(meshes[1], frame(rotation, position))])
        outcomes.append(found)
    assert len(set(outcomes)) == 2


@pytest.mark.parametrize("scale", SCALES)
def test_concave_meshes_against_coal(scale: float) -> None:
    """Two tori that pass near each other, and through each other's holes."""
    from coal_collisions import coal_collide, coal_mesh

    torus = trimesh.creation.torus(1.0, 0.3, major_sections=24, minor_sections=12)
    mesh, reference = prepared(torus, scale), coal_mesh(np.asarray(torus.vertices), np.asarray(torus.faces))
    generator = np.random.default_rng(2)
    outcomes = []
    for _ in range(60):
        rotation, position = Rotation.random(random_state=generator).as_matrix(), generator.normal(size=3)
        found = mesh.intersects(mesh, rotation, scale * position)
        assert found == coal_collide([(reference, np.eye(4))], [(reference, frame(rotation, position))])
        outcomes.append(found)
    assert 10 < sum(outcomes) < 50


TRIANGLE = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
UPRIGHT = np.array([[0.0, 0.0, 0.0], [0.25, -1.0, 1.0], [0.25, 1.0, 1.0]])


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("other", "away"),
    [
        pytest.param(TRIANGLE, (0.0, 0.0, 1.0), id="identical"),
        pytest.param(TRIANGLE[::-1], (0.0, 0.0, -1.0), id="opposite"),
        pytest.param(-TRIANGLE, (-1.0, -1.0, 0.0), id="one corner"),
        pytest.param(TRIANGLE + np.array((0.5, 0.5, 0.0)), (1.0, 1.0, 0.0), id="corner on edge, coplanar"),
        pytest.param(0.2 * TRIANGLE + np.array((0.1, 0.1, 0.0)), (0.0, 0.0, 1.0), id="inside, coplanar"),
        pytest.param(UPRIGHT + np.array((0.25, 0.25, 0.0)), (0.0, 0.0, 1.0), id="corner on face"),
        pytest.param(UPRIGHT + np.array((0.25, 0.0, 0.0)), (0.0, 0.0, 1.0), id="corner on edge"),
        pytest.param(TRIANGLE[:, [0, 2, 1]], (0.0, -1.0, 0.0), id="common edge"),
    ],
)
def test_triangles_that_touch_intersect(other: np.ndarray, away: tuple[float, float, float]) -> None:
    """In any pose; a billionth of their size apart they do not."""
    generator = np.random.default_rng(3)
    for scale, _ in itertools.product(SCALES, range(10)):
        rotation, position = Rotation.random(random_state=generator).as_matrix(), generator.normal(size=3)
        first, second, beside = (
            mesh_of(scale * (corners @ rotation.T + position)[None])
            for corners in (TRIANGLE, other, other + 1e-9 * np.array(away))
        )
        assert first.intersects(second, UNTURNED, ORIGIN)
        assert second.intersects(first, UNTURNED, ORIGIN)
        assert not first.intersects(beside, UNTURNED, ORIGIN)


@pytest.mark.parametrize("scale", SCALES)
def test_flat_meshes(scale: float) -> None:
    square = np.array([[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [1.0, 1.0, 0.0], [-1.0, 1.0, 0.0]]) * scale
    mesh = CollisionMesh(square, np.array([[0, 1, 2], [0, 2, 3]]))
    upright = Rotation.from_euler("x", 90.0, degrees=True).as_matrix()
    assert mesh.intersects(mesh, UNTURNED, ORIGIN)
    assert mesh.intersects(mesh, upright, ORIGIN)
    assert mesh.intersects(mesh, upright, np.array([0.5, 0.5, 0.9]) * scale)
    assert not mesh.intersects(mesh, UNTURNED, np.array([0.0, 0.0, 1e-9]) * scale)
    assert not mesh.intersects(mesh, upright, np.array([0.0, 0.0, 1.0 + 1e-9]) * scale)


def test_mesh_without_area_intersects_nothing() -> None:
    line = CollisionMesh(np.array([[0.0, 0.0, 0.0], [0.1, 0.1, 0.1], [0.2, 0.2, 0.2]]), np.array([[0, 1, 2]]))
    assert not line.intersects(prepared(CUBE), UNTURNED, ORIGIN)
    assert not prepared(CUBE).intersects(line, UNTURNED, ORIGIN)


def joined(*meshes: Any) -> Any:
    return trimesh.util.concatenate(meshes)


def cube(size: float, *, is_inverted: bool = False, position: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> Any:
    mesh = trimesh.creation.box((size, size, size))
    mesh.apply_translation(position)
    if is_inverted:
        mesh.invert()
    return mesh


def with_random_winding(mesh: Any) -> Any:
    faces = np.array(mesh.faces)
    chosen = np.random.default_rng(4).random(len(faces)) < 0.5
    faces[chosen] = faces[chosen, ::-1]
    return trimesh.Trimesh(mesh.vertices, faces, process=False)


def without_a_face(mesh: Any) -> Any:
    return trimesh.Trimesh(mesh.vertices, mesh.faces[1:], process=False)


@pytest.mark.parametrize(
    ("outer", "is_contained"),
    [
        pytest.param(cube(1.0), True, id="closed"),
        pytest.param(cube(1.0, is_inverted=True), True, id="inward normals"),
        pytest.param(with_random_winding(cube(1.0)), True, id="random winding"),
        pytest.param(without_a_face(cube(1.0)), False, id="open"),
        pytest.param(joined(cube(1.0), cube(0.5, is_inverted=True)), False, id="hollow"),
        pytest.param(joined(cube(1.0), cube(0.9)), True, id="nested"),
        pytest.param(joined(cube(1.0), cube(1.0, position=(0.2, 0.0, 0.0))), True, id="overlapping parts"),
        pytest.param(joined(without_a_face(cube(1.0)), cube(0.9)), True, id="open and closed"),
        pytest.param(joined(cube(0.3, position=(0.8, 0.0, 0.0)), cube(0.3, position=(-0.8, 0.0, 0.0))), False, id="beside"),
    ],
)
@pytest.mark.parametrize("scale", SCALES)
def test_containment(outer: Any, is_contained: bool, scale: float) -> None:
    """A small cube is in the middle, beside another one far outside: one of the parts is enough."""
    inner = joined(cube(0.1, position=(0.0, 0.0, 9.0)), cube(0.1))
    for rotation in (UNTURNED, Rotation.from_euler("xyz", (0.3, 0.5, 0.7)).as_matrix()):
        assert prepared(outer, scale).intersects(prepared(inner, scale), rotation, ORIGIN) is is_contained
        assert prepared(inner, scale).intersects(prepared(outer, scale), rotation, ORIGIN) is is_contained


def test_points_inside_a_torus() -> None:
    """A tiny cube at random points; those near the facets of the surface are left out."""
    torus = prepared(trimesh.creation.torus(1.0, 0.4, major_sections=64, minor_sections=32))
    tiny = prepared(cube(1e-3))
    for point in np.random.default_rng(5).uniform((-1.5, -1.5, -0.5), (1.5, 1.5, 0.5), (300, 3)):
        distance = np.hypot(np.hypot(point[0], point[1]) - 1.0, point[2])
        if abs(distance - 0.4) > 0.02:
            assert torus.intersects(tiny, UNTURNED, point) == (distance < 0.4)


@pytest.mark.parametrize(
    ("shape", "half_height"),
    [
        (Sphere(radius=0.4), 0.4),
        (Ellipsoid(diameters=(0.3, 0.5, 0.8)), 0.4),
        (Cylinder(radius=0.3, length=0.8), 0.4),
        (Capsule(radius=0.3, length=0.2), 0.4),
    ],
)
def test_curved_shapes_are_enclosed(shape: Geometry, half_height: float) -> None:
    """No contact is missed, and none is found at a distance of more than 0.25% of the radius."""
    surface, floor = surface_of(shape, MeshStore()), prepared(cube(1.0))
    for gap, is_found in ((-1e-6, True), (0.0025 * half_height, False)):
        assert floor.intersects(surface, UNTURNED, np.array([0.1, 0.1, 0.5 + half_height + gap])) is is_found
        turned = Rotation.from_euler("x", 180.0, degrees=True).as_matrix()
        assert floor.intersects(surface, turned, np.array([0.1, 0.1, 0.5 + half_height + gap])) is is_found
