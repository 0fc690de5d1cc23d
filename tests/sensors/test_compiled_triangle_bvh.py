"""The compiled search for the nearest triangle, beside the one in Python."""

from __future__ import annotations

from types import ModuleType

import numpy as np
import pytest
import trimesh

from ossature.array_types import Vector
from ossature.simulation.sensors import triangle_bvh
from ossature.simulation.sensors.triangle_bvh import LocalRays, TriangleMeshShape, TriangleTrees, compiled_search


@pytest.fixture(name="compiled")
def compiled_module() -> ModuleType:
    module = compiled_search()
    if module is None:
        pytest.skip("the compiled module is not installed")
    return module


def meshes() -> list[TriangleMeshShape]:
    ball = trimesh.creation.icosphere(subdivisions=2)
    box, few = trimesh.creation.box(), trimesh.creation.box().triangles[:1]
    sheet = np.array([[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], [[1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]]])
    doubled = np.concatenate([ball.triangles, ball.triangles])  # all hits are at the distance of two triangles
    soup = np.random.default_rng(1).normal(size=(300, 3, 3))
    all_corners = (ball.triangles, box.triangles, few, sheet, doubled, soup)
    return [TriangleMeshShape.of(np.reshape(one, (-1, 3)), np.arange(3 * len(one)).reshape(-1, 3)) for one in all_corners]


def rays(shapes: list[TriangleMeshShape], seed: int, count: int = 2000) -> tuple[LocalRays, np.ndarray]:
    """Return rays through points of meshes: anywhere, at corners, along edges, and in planes of triangles; of some ranges."""
    random = np.random.default_rng(seed)
    numbers = random.integers(0, len(shapes), count)
    points = np.empty((count, 3))
    directions = random.normal(size=(count, 3))
    for ray, number in enumerate(numbers):
        corners = shapes[number].corners[random.integers(len(shapes[number].corners))]
        kind = random.integers(5)
        points[ray] = corners[0] if kind == 1 else random.dirichlet(np.ones(3)) @ corners
        if kind == 2:
            directions[ray] = corners[1] - corners[0]
        elif kind == 3:
            directions[ray] = np.eye(3)[random.integers(3)]
        elif kind == 4:
            directions[ray] = (corners[1] - corners[0]) + random.normal() * (corners[2] - corners[0])
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    begin = np.where(random.random(count) < 0.3, random.normal(size=count), -np.inf)
    end = np.where(random.random(count) < 0.3, begin + random.random(count), np.inf)
    return LocalRays(points - (points * directions).sum(axis=1)[:, None] * directions, directions, begin, end), numbers


def found_in_python(
    trees: TriangleTrees, local: LocalRays, numbers: np.ndarray, monkeypatch: pytest.MonkeyPatch
) -> tuple[Vector, Vector]:
    with monkeypatch.context() as patch:
        patch.setattr(triangle_bvh, "compiled_search", lambda: None)
        return trees.nearest(local, numbers)


@pytest.mark.usefixtures("compiled")
@pytest.mark.parametrize("seed", range(10))
def test_bits_are_those_of_the_search_in_python(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    shapes = meshes()
    trees = TriangleTrees(shapes)
    local, numbers = rays(shapes, seed)
    distances, triangles = trees.nearest(local, numbers)
    expected_distances, expected_triangles = found_in_python(trees, local, numbers, monkeypatch)
    assert distances.tobytes() == expected_distances.tobytes()
    assert triangles.tolist() == expected_triangles.tolist()
    assert 0.2 < (triangles >= 0).mean() < 1.0


@pytest.mark.usefixtures("compiled")
@pytest.mark.parametrize("size", [1e-30, 1e18, 1e30, 1e150])
def test_sizes_beyond_single_precision_are_safe(size: float, monkeypatch: pytest.MonkeyPatch) -> None:
    shapes = [
        TriangleMeshShape.of(size * one.corners.reshape(-1, 3), np.arange(3 * len(one.corners)).reshape(-1, 3))
        for one in meshes()
    ]
    with np.errstate(over="ignore", invalid="ignore"):
        trees = TriangleTrees(shapes)
        local, numbers = rays(shapes, 0, 200)
        distances, triangles = trees.nearest(local, numbers)
        expected_distances, expected_triangles = found_in_python(trees, local, numbers, monkeypatch)
    assert np.array_equal(distances, expected_distances)
    assert triangles.tolist() == expected_triangles.tolist()


def test_no_rays_and_no_meshes_have_no_hits() -> None:
    nothing = LocalRays(np.zeros((0, 3)), np.zeros((0, 3)), np.zeros(0), np.zeros(0))
    distances, triangles = TriangleTrees([]).nearest(nothing, np.zeros(0, np.intp))
    assert (distances.shape, triangles.shape) == ((0,), (0,))


def test_arrays_of_other_sizes_are_errors(compiled: ModuleType) -> None:
    with pytest.raises(ValueError, match="equally many rays"):
        compiled.nearest(*[np.zeros(3 * 8)] * 11, np.zeros(3), np.zeros(3, np.int64))
    with pytest.raises(ValueError, match="equally many rays and meshes"):
        compiled.cast(*[np.zeros(3 * 8)] * 12, np.zeros(3), np.zeros(3, np.int64))
