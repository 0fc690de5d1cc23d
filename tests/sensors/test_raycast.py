"""Rays against brute force over all triangles and against the engine, on edges and corners of symmetric scenes too."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import mujoco
import numpy as np
import pytest
import trimesh

from ossature.model import Box, Capsule, Cylinder, Ellipsoid, Geometry, LazyMesh, MeshData, Sphere, TriangleMesh
from ossature.simulation.sensors import shape_raycast, triangle_bvh
from ossature.simulation.sensors.camera import CameraBackend
from ossature.simulation.sensors.shape_raycast import Hits, Rays, RayTarget, RayTargets
from ossature.simulation.sensors.triangle_bvh import TriangleMeshShape, compiled_search
from ossature.spatial import IDENTITY, Pose, quaternion_from_rotation_vector
from sensors.sensor_scenes import carrier, simulation, thing

FARTHEST = 100.0
TURNED = quaternion_from_rotation_vector((0.7, -0.3, 1.1))


def cast_in_python(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (shape_raycast, triangle_bvh):
        monkeypatch.setattr(module, "compiled_search", lambda: None)


@pytest.fixture(params=["in C", "in Python"])
def caster(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "in Python":
        cast_in_python(monkeypatch)
    elif compiled_search() is None:
        pytest.skip("the compiled module is not installed")


def icosphere(radius: float = 1.0, subdivisions: int = 1) -> Any:
    return trimesh.creation.icosphere(subdivisions=subdivisions, radius=radius)


def cube(size: tuple[float, float, float]) -> Any:
    return trimesh.creation.box(size)


def placed(mesh: Any, *position: float, wxyz: Any = (1.0, 0.0, 0.0, 0.0)) -> tuple[Any, Pose]:
    return mesh, Pose((position[0], position[1], position[2]), wxyz)


SCENES: dict[str, list[tuple[Any, Pose]]] = {
    # Spheres have edges in the plane z = 0, in which the rays are; boxes and stacks have theirs in planes through the origin.
    "spheres": [placed(icosphere(), 3.0, 0.0, 0.0), placed(icosphere(0.5), 0.0, 2.0, 0.0), placed(icosphere(), 6.0, 0.0, 0.0)],
    "boxes": [placed(cube((1.0, 2.0, 2.0)), 3.0, 0.0, 0.0), placed(cube((2.0, 1.0, 1.0)), 0.0, -2.5, 0.5)],
    "stack": [placed(cube((1.0, 1.0, 1.0)), 2.0, 0.0, height) for height in (-1.0, 0.0, 1.0)],
    "shells": [placed(icosphere(radius), 0.0, 0.0, 0.0) for radius in (1.0, 2.0)],
    "turned": [placed(icosphere(), 3.0, 0.1, 0.2, wxyz=TURNED), placed(cube((1.0, 2.0, 3.0)), -2.0, -2.0, 0.0, wxyz=TURNED)],
    "far away": [placed(icosphere(0.01), 90.0, 0.0, 0.0), placed(icosphere(0.003), 50.0, 0.0, 0.0)],
}


def targets_of(scene: Sequence[tuple[Any, Pose]]) -> RayTargets:
    """Return meshes on bodies of their own at the origin."""
    return RayTargets(
        [
            RayTarget(
                number=number,
                body=number,
                pose=pose,
                geometry=TriangleMesh(surface=LazyMesh(_triangles(mesh))),
                triangles=TriangleMeshShape.of(np.array(mesh.vertices), np.array(mesh.faces)),
            )
            for number, (mesh, pose) in enumerate(scene)
        ]
    )


def _triangles(mesh: Any) -> MeshData:
    return MeshData(vertices=np.array(mesh.vertices), faces=np.array(mesh.faces, np.int64))


def corners_of(scene: Sequence[tuple[Any, Pose]]) -> Any:
    """Return the corners of all triangles in the world."""
    parts = []
    for mesh, pose in scene:
        matrix = pose.matrix()
        parts.append((np.array(mesh.vertices) @ matrix[:3, :3].T + matrix[:3, 3])[np.array(mesh.faces)])
    return np.concatenate(parts)


def rays_at(corners: Any, count: int, random: np.random.Generator) -> Any:
    """Return directions from the origin: to corners, to points on edges, along the plane z = 0 and anywhere."""
    triangles = random.integers(0, len(corners), count)
    shares = random.dirichlet((1.0, 1.0, 1.0), count)
    kinds = random.integers(0, 5, count)
    shares[kinds == 0] = (1.0, 0.0, 0.0)
    shares[kinds == 1] = (0.5, 0.5, 0.0)
    edge = kinds == 2
    shares[edge] = np.stack([shares[edge, 0], 1.0 - shares[edge, 0], np.zeros(edge.sum())], axis=1)
    points = (shares[:, :, None] * corners[triangles]).sum(axis=1)
    points[kinds == 3, 2] = 0.0
    points[np.linalg.norm(points, axis=1) < 1e-9] = (1.0, 0.0, 0.0)
    return points / np.linalg.norm(points, axis=1)[:, None]


def brute_force(corners: Any, directions: Any, tolerance: float) -> Any:
    """Return all distances from the origin to triangles, shape (rays, triangles), by planes and signed volumes.

    Infinite for triangles that a ray misses by more than a tolerance, as a share of the triangle.
    """
    a, b, c = corners.swapaxes(0, 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        volumes = np.stack([directions @ np.cross(p, q).T for p, q in ((b, c), (c, a), (a, b))])
        total = volumes.sum(axis=0)
        shares = volumes / total
        distances = np.einsum("ij,ij->i", a, np.cross(b - a, c - a)) / total
        return np.where((shares.min(axis=0) >= -tolerance) & (distances >= 0.0), distances, np.inf)


def in_blocks(directions: Any, function: Callable[[Any], Any]) -> Any:
    return np.concatenate([function(directions[begin : begin + 2000]) for begin in range(0, len(directions), 2000)])


def cast(targets: RayTargets, directions: Any, bodies: int) -> Hits:
    positions, rotations = np.zeros((1, bodies, 3)), np.tile(np.eye(3), (1, bodies, 1, 1))
    return targets.cast(Rays(np.zeros((1, 3)), directions, positions, rotations), farthest=FARTHEST)


def check_against_brute_force(scene: Sequence[tuple[Any, Pose]], count: int) -> None:
    random = np.random.default_rng(5)
    corners = corners_of(scene)
    directions = rays_at(corners, count, random)
    hits = cast(targets_of(scene), directions, len(scene))
    # Where four rays close by agree, the ray between them has to agree too, whether it meets an edge or not.
    across = np.cross(directions, random.normal(size=directions.shape))
    across *= 1e-8 / np.linalg.norm(across, axis=1)[:, None]
    other = np.cross(directions, across)
    near = np.stack(
        [
            in_blocks(directions + shift, lambda part: brute_force(corners, part, 0.0).min(axis=1))
            for shift in (across, -across, other, -other)
        ]
    )
    with np.errstate(invalid="ignore"):
        alike = np.isinf(near).all(axis=0) | (np.ptp(near, axis=0) < 1e-4)
    assert alike.mean() > 0.6
    assert (np.isinf(near[0, alike]) == np.isinf(hits.distances[alike])).all()
    finite = alike & np.isfinite(hits.distances)
    assert np.abs(near[0, finite] - hits.distances[finite]).max() < 1e-4
    # And every distance is that to one of the triangles there.
    found = np.flatnonzero(np.isfinite(hits.distances))
    assert len(found) > 0.5 * count

    def off(rays: Any) -> Any:
        exact = brute_force(corners, directions[rays], 1e-6)
        with np.errstate(invalid="ignore"):
            return np.nanmin(np.abs(exact - hits.distances[rays][:, None]) / hits.distances[rays][:, None], axis=1)

    steep = in_blocks(found, off)
    assert np.quantile(steep, 0.99) < 1e-13
    assert steep.max() < 1e-9


@pytest.mark.one_in(2)
@pytest.mark.usefixtures("caster")
@pytest.mark.parametrize("name", SCENES)
def test_rays_hit_symmetric_meshes(name: str) -> None:
    check_against_brute_force(SCENES[name], 4000)


@pytest.mark.slow
@pytest.mark.usefixtures("caster")
@pytest.mark.parametrize("name", SCENES)
def test_many_rays_hit_symmetric_meshes(name: str) -> None:
    check_against_brute_force(SCENES[name], 100_000)


def sheet(pose: Pose) -> tuple[Any, Pose]:
    corners = [(-1.0, -1.0, 0.0), (1.0, -1.0, 0.0), (1.0, 1.0, 0.0), (-1.0, 1.0, 0.0)]
    return trimesh.Trimesh(corners, [(0, 1, 2), (0, 2, 3)], process=False), pose


EDGE_ON = {"sheet": [sheet(Pose((3.0, 0.3, 0.0)))], "sheet around": [sheet(Pose())]}


@pytest.mark.parametrize("name", [*SCENES, *EDGE_ON])
def test_distances_are_those_of_casts_in_python(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if compiled_search() is None:
        pytest.skip("the compiled module is not installed")
    scene = (SCENES | EDGE_ON)[name]
    directions = rays_at(corners_of(scene), 20_000, np.random.default_rng(6))
    compiled = cast(targets_of(scene), directions, len(scene))
    cast_in_python(monkeypatch)
    assert_equal(compiled, cast(targets_of(scene), directions, len(scene)))


def assert_equal(one: Hits, other: Hits) -> None:
    assert one.distances.tolist() == other.distances.tolist()
    assert one.geoms.tolist() == other.geoms.tolist()


def random_targets(random: np.random.Generator) -> RayTargets:
    """Return meshes and primitives, two on each body, of which many touch or overlap and have parallel axes."""
    meshes = [icosphere(), icosphere(0.7, 2), cube((1.0, 2.0, 3.0)), cube((1.0, 1.0, 1.0))]
    surfaces = [TriangleMeshShape.of(np.array(mesh.vertices), np.array(mesh.faces)) for mesh in meshes]
    primitives = [geometry for geometry, _, _ in PRIMITIVES.values()]
    targets = []
    for number in range(random.integers(1, 30)):
        turn = quaternion_from_rotation_vector(tuple(random.normal(size=3))) if random.random() < 0.5 else (1.0, 0.0, 0.0, 0.0)
        pose = Pose(tuple(np.round(2.0 * random.uniform(-3.0, 3.0, 3)) / 2.0), turn)
        kind = random.integers(4)
        is_mesh = random.random() < 0.7
        geometry = TriangleMesh(surface=LazyMesh(_triangles(meshes[kind]))) if is_mesh else primitives[kind]
        triangles = surfaces[kind] if is_mesh else None
        targets.append(RayTarget(number=number, body=number // 2, pose=pose, geometry=geometry, triangles=triangles))
    return RayTargets(targets)


def random_rays(random: np.random.Generator, count: int, bodies: int) -> Rays:
    """Return rays from inside and outside, many along axes and in planes of faces; origins and poses common or of each ray."""
    origins = random.normal(size=(random.choice([1, count]), 3)) * random.choice([0.3, 1.0, 5.0])
    if random.random() < 0.5:
        origins = np.round(2.0 * origins) / 2.0
    directions = random.normal(size=(count, 3))
    directions[::3] = np.round(directions[::3])
    directions[1::3, random.integers(3)] = -0.0
    directions[(directions == 0.0).all(axis=1)] = (0.0, -1.0, 0.0)
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    poses = int(random.choice([1, count]))
    positions, rotations = np.zeros((poses, bodies, 3)), np.tile(np.eye(3), (poses, bodies, 1, 1))
    if random.random() < 0.7:
        turns = [Pose((0.0, 0.0, 0.0), quaternion_from_rotation_vector(tuple(random.normal(size=3)))) for _ in range(bodies)]
        positions += random.normal(size=positions.shape)
        rotations = rotations @ np.array([turn.matrix()[:3, :3] for turn in turns])
    return Rays(origins, directions, positions, rotations)


@pytest.mark.parametrize("seed", range(30))
def test_distances_in_random_scenes_are_those_of_casts_in_python(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    if compiled_search() is None:
        pytest.skip("the compiled module is not installed")
    random = np.random.default_rng(seed)
    targets = random_targets(random)
    rays = random_rays(random, 400, 15)
    limits = {"farthest": random.choice([2.0, 100.0, np.inf]), "exclude": random.integers(-1, 2)}
    compiled = targets.cast(rays, **limits)
    cast_in_python(monkeypatch)
    assert_equal(compiled, targets.cast(rays, **limits))


@pytest.mark.usefixtures("caster")
@pytest.mark.parametrize("seed", range(5))
def test_rays_cast_together_hit_what_each_hits_alone(seed: int) -> None:
    random = np.random.default_rng(seed)
    targets = random_targets(random)
    rays = random_rays(random, 60, 15)
    together = targets.cast(rays, farthest=FARTHEST)
    alone = [targets.cast(rays.part(ray, ray + 1), farthest=FARTHEST) for ray in range(60)]
    assert_equal(together, Hits(*(np.concatenate(part) for part in zip(*alone, strict=True))))


PRIMITIVES: dict[str, tuple[Geometry, str, tuple[float, ...]]] = {
    "box": (Box(size=(1.0, 2.0, 3.0)), "BOX", (0.5, 1.0, 1.5)),
    "sphere": (Sphere(radius=0.8), "SPHERE", (0.8,)),
    "ellipsoid": (Ellipsoid(diameters=(1.0, 2.0, 3.0)), "ELLIPSOID", (0.5, 1.0, 1.5)),
    "cylinder": (Cylinder(radius=0.6, length=2.0), "CYLINDER", (0.6, 1.0)),
    "capsule": (Capsule(radius=0.6, length=2.0), "CAPSULE", (0.6, 1.0)),
}


@pytest.mark.parametrize("name", PRIMITIVES)
def test_hits_of_primitives_agree_with_the_engine(name: str) -> None:
    """From outside and from inside, in directions in which the engine meets no edge."""
    geometry, kind, size = PRIMITIVES[name]
    random = np.random.default_rng(7)
    spec = mujoco.MjSpec()
    spec.worldbody.add_geom(type=getattr(mujoco.mjtGeom, f"mjGEOM_{kind}"), size=[*size, *[0.0] * (3 - len(size))])
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    target = RayTarget(number=0, body=0, pose=IDENTITY, geometry=geometry, triangles=None)
    origins = random.normal(size=(4000, 3)) * np.where(np.arange(4000) % 2, 0.3, 4.0)[:, None]
    directions = random.normal(size=(4000, 3)) * 0.7 - origins
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    frames = np.zeros((4000, 1, 3)), np.tile(np.eye(3), (4000, 1, 1, 1))
    hits = RayTargets([target]).cast(Rays(origins, directions, *frames), farthest=np.inf)
    number = np.zeros(1, np.int32)
    expected = np.array(
        [
            mujoco.mj_ray(model, data, origin, direction, None, True, -1, number)
            for origin, direction in zip(origins, directions, strict=True)
        ]
    )
    expected[expected < 0.0] = np.inf
    hit = np.isfinite(expected)
    assert 500 < hit.sum() < 4000
    assert (np.isfinite(hits.distances) == hit).all()
    assert np.abs(hits.distances[hit] - expected[hit]).max() < 1e-9


@pytest.mark.parametrize("origin", [(0.0, 0.0, 0.0), (5.0, 0.0, 0.0), (5.0, 4.0, 3.0), (0.1, 0.2, -0.3)])
def test_rays_through_edges_and_corners_hit_a_box(origin: tuple[float, float, float]) -> None:
    half = np.array((0.5, 1.0, 1.5))
    start, grid = np.array(origin), np.linspace(-1.0, 1.0, 9)
    points = np.array([point for point in itertools.product(grid, repeat=3) if max(map(abs, point)) == 1.0]) * half
    directions = points - start
    lengths = np.linalg.norm(directions, axis=1)
    directions /= lengths[:, None]
    is_inside = (np.abs(start) < half).all()
    # From outside only faces that are turned to the origin count, with their edges to others that are.
    faces = np.abs(points) == half
    is_seen = is_inside | ((faces & (np.sign(points) * start > half)).sum(axis=1) == faces.sum(axis=1))
    target = RayTarget(number=0, body=0, pose=IDENTITY, geometry=Box(size=tuple(2.0 * half)), triangles=None)
    rays = Rays(start[None], directions, np.zeros((1, 1, 3)), np.eye(3)[None, None])
    hits = RayTargets([target]).cast(rays, farthest=FARTHEST)
    assert is_seen.sum() > 20
    assert np.abs(hits.distances - lengths)[is_seen].max() < 1e-12


@pytest.mark.usefixtures("caster")
def test_rays_hit_meshes_on_moving_bodies() -> None:
    random = np.random.default_rng(8)
    scene = [placed(icosphere(), 0.0, 0.0, 0.0), placed(cube((1.0, 1.0, 1.0)), 0.3, 0.0, 0.0)]
    targets = targets_of(scene)
    for _ in range(5):
        positions = random.uniform(-4.0, 4.0, (2, 3))
        turns = [Pose((0.0, 0.0, 0.0), quaternion_from_rotation_vector(tuple(random.normal(size=3)))) for _ in range(2)]
        rotations = np.array([turn.matrix()[:3, :3] for turn in turns])
        corners = np.concatenate(
            [
                corners_of([part]) @ rotation.T + position
                for part, rotation, position in zip(scene, rotations, positions, strict=True)
            ]
        )
        origin = random.uniform(-1.0, 1.0, 3)
        directions = rays_at(corners - origin, 1000, random)
        rays = Rays(origin[None], directions, positions[None], rotations[None])
        together = targets.cast(rays, farthest=FARTHEST)
        expected = brute_force(corners - origin, directions, 1e-12).min(axis=1)
        hit = np.isfinite(expected) & np.isfinite(together.distances)
        assert hit.mean() > 0.5
        off = np.abs(together.distances[hit] - expected[hit]) > 1e-9
        assert off.mean() < 0.02, "at outlines only"
        single = Rays(
            *(np.repeat(part, 1000, axis=0) for part in (origin[None],)),
            directions,
            *(np.repeat(part[None], 1000, axis=0) for part in (positions, rotations)),
        )
        assert np.allclose(targets.cast(single, farthest=FARTHEST).distances, together.distances, rtol=1e-12)


@pytest.mark.usefixtures("caster")
def test_camera_rays_do_not_pass_through_a_mesh() -> None:
    from ossature.model import PinholeCamera

    ball = TriangleMesh(surface=LazyMesh(_triangles(icosphere(4.0, 3))))
    matrix = ((40.0, 0.0, 32.5), (0.0, 40.0, 24.5))
    camera = PinholeCamera(width=65, height=49, intrinsic=matrix)
    device: Any = simulation(carrier(camera), thing("ball", ball)).sensors["eye"]
    device.backend = CameraBackend.RAYS
    image = device.read()
    assert np.isfinite(image.depth).all()
