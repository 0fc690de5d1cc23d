"""Distances between bodies and ray casts: against closed forms, and against coal for the robots of the corpus."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from conftest import PROJECT
from ossature import Simulation, load
from ossature.assets import MeshStore
from ossature.kinematics import Kinematics, fix_bases
from ossature.model import (
    Body,
    Box,
    Capsule,
    Collision,
    Cylinder,
    Floating,
    Geometry,
    Inertial,
    Joint,
    Model,
    NamedList,
    Plane,
    Sphere,
    Visual,
    World,
)
from ossature.simulation import CollisionQuery, RayQuery, body_distances
from ossature.spatial import Pose, quaternion_from_rotation_vector, rotation_matrix
from urdf_corpus import urdf_files, urdf_path

TURN = quaternion_from_rotation_vector((0.3, -0.7, 0.4))
SPHERE, BOX, CAPSULE = Sphere(radius=0.3), Box(size=(0.6, 0.4, 0.8)), Capsule(radius=0.1, length=0.6)


def two_bodies(first: Geometry, second: Geometry, pose: Pose) -> World:
    """Return a fixed body at the origin, and a free one of another model."""
    moment = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    models = []
    for name, shape, at in (("a", first, Pose()), ("b", second, pose)):
        body = Body(name="body", pose=at, inertial=Inertial(moment=moment), collisions=(Collision(geometry=shape),))
        joints = () if name == "a" else (Joint(name="free", type=Floating(), parent=None, child="body"),)
        models.append(Model(name=name, static=name == "a", bodies=NamedList([body]), joints=NamedList(joints)))
    return World(models=NamedList(models))


def point_to_box(point: np.ndarray, box: Box) -> float:
    return float(np.linalg.norm(np.maximum(np.abs(point) - np.array(box.size) / 2.0, 0.0)))


def segments(position: tuple[float, float, float], wxyz: tuple[float, float, float, float], half: float) -> float:
    """Return the distance of two segments along z, by dense samples of one that are projected on the other."""
    points = np.linspace(-half, half, 200001)[:, None] * np.array((0.0, 0.0, 1.0)) - position
    along = np.array(rotation_matrix(wxyz)) @ (0.0, 0.0, 1.0)
    return float(np.linalg.norm(points - np.clip(points @ along, -half, half)[:, None] * along, axis=1).min())


CASES = {
    "spheres": (SPHERE, Sphere(radius=0.2), Pose((0.6, 0.5, -0.4)), math.sqrt(0.77) - 0.5),
    "spheres that intersect": (SPHERE, Sphere(radius=0.2), Pose((0.0, 0.4, 0.0)), -0.1),
    "sphere and box": (BOX, SPHERE, Pose((0.7, 0.6, -0.9)), point_to_box(np.array((0.7, 0.6, -0.9)), BOX) - 0.3),
    "boxes, corner to corner": (BOX, BOX, Pose((1.0, 1.0, 1.0)), math.sqrt(0.4**2 + 0.6**2 + 0.2**2)),
    "boxes, edge to edge": (BOX, BOX, Pose((1.0, 1.0, 0.1)), math.hypot(0.4, 0.6)),
    "capsules": (CAPSULE, CAPSULE, Pose((0.5, 0.4, 0.1), TURN), segments((0.5, 0.4, 0.1), TURN, 0.3) - 0.2),
    "plane and sphere": (Plane(), SPHERE, Pose((3.0, 4.0, 1.0)), 0.7),
    "cylinders": (Cylinder(radius=0.2, length=0.5), Cylinder(radius=0.1, length=0.5), Pose((0.6, 0.8, 0.0)), 0.7),
}


@pytest.mark.parametrize("name", CASES)
def test_distances_are_closed_forms(name: str) -> None:
    first, second, pose, expected = CASES[name]
    world = two_bodies(first, second, pose)
    for found in (CollisionQuery(world).distances("b", {}), body_distances(Simulation(world))):
        [one] = found
        assert one.distance == pytest.approx(expected, abs=1e-9)
        assert set(one.bodies) == {("a", "body"), ("b", "body")}
        assert not one.is_bound
        assert math.dist(*one.points) == pytest.approx(abs(expected), abs=1e-9)
    assert CollisionQuery(world).distances("b", {}, max_distance=0.01) == [] or expected < 0.01


def test_distances_follow_positions_and_the_simulation() -> None:
    world = two_bodies(SPHERE, SPHERE, Pose((1.0, 0.0, 0.0)))
    [one] = CollisionQuery(world).distances("b", {"free": (0.0, 0.0, 0.0, 0.2, 0.0, 0.0)})
    assert one.distance == pytest.approx(0.6, abs=1e-12)
    assert np.array(one.points) == pytest.approx(np.array([[0.3, 0.0, 0.0], [0.9, 0.0, 0.0]]), abs=1e-9)
    simulation = Simulation(replace(world, gravity=(1.0, 0.0, 0.0)))
    simulation.run(0.5)
    moved = simulation.poses()["b"]["body"].position[0]
    assert moved > 1.1
    assert body_distances(simulation)[0].distance == pytest.approx(moved - 0.6, abs=1e-9)
    with pytest.raises(ValueError, match="positive number"):
        body_distances(simulation, 0.0)


def test_the_collision_filter_selects_the_pairs() -> None:
    world = load(PROJECT / "examples" / "arm.skel")
    query = CollisionQuery(world)
    model = next(model for model in world.models if len(model.bodies) > 1)
    neighbours = {frozenset((joint.parent, joint.child)) for joint in model.joints}
    found = query.distances(model.name, {}, max_distance=10.0)
    for one in found:
        (first, body), (second, other) = one.bodies
        assert first != second or (model.bodies[body].self_collide and frozenset((body, other)) not in neighbours)
    assert found
    depths = query.penetration_depths(model.name, {})
    assert len([one for one in found if one.distance < 0.0]) == len(depths)


@pytest.mark.parametrize("name", [name for name in urdf_files() if not name.endswith(("pr2_simplified",))][:12])
def test_distances_are_those_of_coal(corpus: Path, name: str) -> None:
    coal = pytest.importorskip("coal", reason="no coal: pip install pin")
    world = fix_bases(load(urdf_path(corpus, name), ignore_errors=True))
    model = world.models[0]
    bodies = [
        replace(body, self_collide=True, collisions=tuple(one for one in body.collisions if coal_shape(coal, one.geometry)))
        for body in model.bodies
    ]
    if sum(bool(body.collisions) for body in bodies) < 2:
        pytest.skip("fewer than two bodies with primitive shapes")
    model = replace(model, bodies=NamedList(bodies), joined_bodies_collide=True, ignored_pairs=())
    kin = Kinematics(model)
    query = CollisionQuery(World(models=NamedList([model])), MeshStore.of(world))
    compared = 0
    for q in np.random.default_rng(2).uniform(-1.0, 1.0, (3, len(kin))):
        poses = kin.poses(q)
        for one in query.distances(model.name, kin.positions(q), max_distance=5.0):
            first, second = (body for _, body in one.bodies)
            expected = min(
                coal_distance(coal, (shape, poses[first]), (other, poses[second]))
                for shape in model.bodies[first].collisions
                for other in model.bodies[second].collisions
            )
            if expected > 0.0:
                assert one.distance == pytest.approx(expected, abs=1e-6)
                compared += 1
    assert compared


def coal_shape(coal: object, shape: Geometry) -> object:
    makers = {
        Box: lambda one: coal.Box(*one.size),  # type: ignore[attr-defined]
        Sphere: lambda one: coal.Sphere(one.radius) if one.radius else None,  # type: ignore[attr-defined]
        Cylinder: lambda one: coal.Cylinder(one.radius, one.length),  # type: ignore[attr-defined]
    }
    maker = makers.get(type(shape))
    return None if maker is None else maker(shape)


def coal_distance(coal: object, first: tuple[Collision, np.ndarray], second: tuple[Collision, np.ndarray]) -> float:
    made = []
    for shape, pose in (first, second):
        matrix = pose @ shape.pose.matrix()
        made += [coal_shape(coal, shape.geometry), coal.Transform3s(matrix[:3, :3], matrix[:3, 3])]  # type: ignore[attr-defined]
    request = coal.DistanceRequest()  # type: ignore[attr-defined]
    request.gjk_tolerance = request.epa_tolerance = 1e-9
    return float(coal.distance(*made, request, coal.DistanceResult()))  # type: ignore[attr-defined]


def test_rays_hit_shapes_at_closed_forms() -> None:
    world = two_bodies(BOX, SPHERE, Pose((2.0, 0.0, 0.0)))
    query = RayQuery(world)
    directions = [(1.0, 0.0, 0.0), (-3.0, 0.0, 0.0), (0.0, 0.0, 1.0)]
    hits = query.cast((1.0, 0.1, 0.0), directions)
    depth = math.sqrt(0.3**2 - 0.1**2)
    np.testing.assert_allclose(hits.distances, [1.0 - depth, 0.7, math.inf], atol=1e-12)
    assert hits.bodies == ("b/body", "a/body", None)
    np.testing.assert_allclose(hits.points[:2], [(2.0 - depth, 0.1, 0.0), (0.3, 0.1, 0.0)], atol=1e-12)
    assert np.isnan(hits.points[2]).all()
    moved = query.cast((1.0, 0.1, 0.0), (1.0, 0.0, 0.0), {"b": {"free": (0.0, 0.0, 0.0, 1.0, 0.0, 0.0)}})
    np.testing.assert_allclose(moved.distances, [2.0 - depth], atol=1e-12)
    assert query.cast((1.0, 0.1, 0.0), (1.0, 0.0, 0.0), max_distance=0.5).bodies == (None,)


def test_rays_follow_a_simulation_and_see_visual_shapes() -> None:
    world = replace(two_bodies(BOX, SPHERE, Pose((2.0, 0.0, 0.0))), gravity=(1.0, 0.0, 0.0))
    simulation = Simulation(world)
    query = RayQuery(simulation)
    simulation.run(0.5)
    at = simulation.poses()["b"]["body"].position[0]
    np.testing.assert_allclose(query.cast((1.0, 0.0, 0.0), (1.0, 0.0, 0.0)).distances, [at - 1.3], atol=1e-9)
    with pytest.raises(ValueError, match="simulation"):
        query.cast((1.0, 0.0, 0.0), (1.0, 0.0, 0.0), {"b": {"free": (0.0,) * 6}})
    with pytest.raises(ValueError, match="not zero"):
        query.cast((1.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    with pytest.raises(ValueError, match="shape"):
        query.cast(np.zeros((2, 2)), (1.0, 0.0))
    body = world.models["b"].bodies["body"]
    seen = replace(body, visuals=(Visual(geometry=Sphere(radius=0.1)),))
    model = replace(world.models["b"], bodies=NamedList([seen]))
    visual = RayQuery(replace(world, models=world.models.replaced(model)), shapes="visual")
    np.testing.assert_allclose(visual.cast((1.0, 0.0, 0.0), (1.0, 0.0, 0.0)).distances, [0.9], atol=1e-12)
