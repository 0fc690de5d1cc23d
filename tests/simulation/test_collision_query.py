"""Collision queries at given joint positions, and inverse kinematics without collisions."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import trimesh

import ossature
from conftest import PROJECT
from ossature.assets import MeshStore
from ossature.diagnostics import Report
from ossature.kinematics import (
    Arm,
    FailureKind,
    InverseKinematics,
    KinematicsError,
    Translation3D,
    add_grasp,
    find_arm,
    moved_bodies,
    poses,
)
from ossature.model import (
    Ball,
    Body,
    BodyPath,
    Box,
    Capsule,
    Collision,
    Cone,
    Coordinate,
    Cylinder,
    Ellipsoid,
    Fixed,
    Geometry,
    Inertial,
    Joint,
    LazyMesh,
    Mesh,
    MeshData,
    Model,
    MultiSphere,
    NamedList,
    Plane,
    Prismatic,
    Pyramid,
    Range,
    Revolute,
    Sphere,
    TriangleMesh,
    World,
    make_body,
)
from ossature.simulation import CollisionQuery
from ossature.simulation.compile.collision_filter import excluded_pairs
from ossature.spatial import Pose, Vector3

LINK = Collision(geometry=Box(size=(0.9, 0.1, 0.1)), pose=Pose((0.5, 0.0, 0.0)))
TURN = Coordinate(position_limits=Range(lower=-3.0, upper=3.0))


def arm(**options: object) -> Model:
    """Return two links of one metre along x that turn about z."""
    bodies = [
        Body(name="base", collisions=(Collision(geometry=Box(size=(0.3, 0.3, 0.1))),), self_collide=True),
        Body(name="upper", collisions=(LINK,), self_collide=True),
        Body(name="lower", pose=Pose((1.0, 0.0, 0.0)), collisions=(LINK,), self_collide=True),
        Body(name="tip", pose=Pose((2.0, 0.0, 0.0))),
    ]
    joints = [
        Joint(name="ground", type=Fixed(), parent=None, child="base"),
        Joint(name="shoulder", type=Revolute(), parent="base", child="upper", coordinates=(TURN,)),
        Joint(name="elbow", type=Revolute(), parent="upper", child="lower", coordinates=(TURN,)),
        Joint(name="flange", type=Fixed(), parent="lower", child="tip"),
    ]
    return Model(name="arm", bodies=NamedList(bodies), joints=NamedList(joints), **options)  # type: ignore[arg-type]


def wall(position: Vector3) -> Model:
    box = Body(name="wall", pose=Pose(position), collisions=(Collision(geometry=Box(size=(0.4, 0.4, 0.4))),))
    return Model(name="room", static=True, bodies=NamedList([box]))


def test_pairs_at_given_positions() -> None:
    world = World(models=NamedList([arm(), wall((0.0, 1.0, 0.0))]))
    touching = CollisionQuery(world)
    assert touching.colliding_pairs("arm", {}) == ()
    found = touching.colliding_pairs("arm", {"shoulder": (math.pi / 2,)})
    assert set(map(frozenset, found)) == {frozenset(("upper", "room/wall")), frozenset(("lower", "room/wall"))}
    assert touching.colliding_pairs("arm", {}) == ()


def test_self_collisions_respect_the_filters_of_the_model() -> None:
    folded = {"elbow": (3.0,)}
    found = CollisionQuery(World(models=NamedList([arm()]))).colliding_pairs("arm", folded)
    assert set(map(frozenset, found)) == {frozenset(("base", "lower"))}
    ignoring = arm(ignored_pairs=(("base", "lower"),))
    assert CollisionQuery(World(models=NamedList([ignoring]))).colliding_pairs("arm", folded) == ()
    bodies = [replace(body, self_collide=False) for body in arm().bodies]
    assert (
        CollisionQuery(World(models=NamedList([replace(arm(), bodies=NamedList(bodies))]))).colliding_pairs("arm", folded) == ()
    )


def test_pairs_of_bodies_that_do_not_move_are_ignored() -> None:
    model = arm()
    assert moved_bodies(model, Arm(base="base", tip="tip")) == {"upper", "lower", "tip"}
    assert moved_bodies(model, Arm(base="upper", tip="tip")) == {"lower", "tip"}
    floating = replace(model, joints=NamedList([joint for joint in model.joints if joint.name != "ground"]))
    touching = CollisionQuery(World(models=NamedList([floating, wall((-0.3, 0.0, 0.0))])))
    assert touching.colliding_pairs("arm", {}) != ()
    assert touching.colliding_pairs("arm", {}, moved_bodies(model, Arm(base="base", tip="tip"))) == ()


def test_solutions_are_free_of_collisions() -> None:
    """Of the two ways to bend the elbow, one leads through the wall."""
    target = Translation3D(position=(1.2, 0.0, 0.0))
    for side in (1.0, -1.0):
        world = World(models=NamedList([arm(), wall((0.6, 0.7 * side, 0.0))]))
        result = ossature.inverse_kinematics(world, target, tip="tip", limit=8, avoid_collisions=True)
        assert [math.copysign(1.0, solution.positions["shoulder"][0]) for solution in result.solutions] == [-side]
        plain = ossature.inverse_kinematics(world, target, tip="tip", limit=8)
        assert len(plain.solutions) == 2


def test_colliding_bodies_are_named() -> None:
    world = World(models=NamedList([arm(), wall((1.2, 0.0, 0.0))]))
    result = ossature.inverse_kinematics(world, Translation3D(position=(1.2, 0.0, 0.0)), tip="tip", avoid_collisions=True)
    assert result.failure is not None
    assert result.failure.kind is FailureKind.COLLISION
    assert all(set(pair) == {"lower", "room/wall"} for pair in result.failure.collisions)
    assert "room/wall" in result.failure.message


def test_arm_that_consists_of_a_tip() -> None:
    world = World(models=NamedList([arm()]))
    assert find_arm(world, "tip")[1] == Arm(base=None, tip="tip")
    with pytest.raises(ValueError, match="no joint between 'base' and 'base' can move"):
        ossature.inverse_kinematics(world, Translation3D(), tip="base", base="base")


WALL = 0.3
"""Distance of the walls of the channel from its middle plane [m]."""


def mesh(surface: trimesh.Trimesh, *, convex: bool = False) -> TriangleMesh:
    data = MeshData(vertices=np.asarray(surface.vertices), faces=np.asarray(surface.faces, np.int64))
    return TriangleMesh(surface=LazyMesh(data), convex=convex)


def channel() -> TriangleMesh:
    """Return a floor and two walls, which is open at the top."""
    boxes = [((0.1, 1.0, 0.8), (WALL + 0.05, 0.0, 0.0)), ((0.1, 1.0, 0.8), (-WALL - 0.05, 0.0, 0.0))]
    boxes.append(((2.0 * WALL + 0.2, 1.0, 0.1), (0.0, 0.0, -0.45)))
    parts = [trimesh.creation.box(size).apply_translation(position) for size, position in boxes]
    return mesh(trimesh.util.concatenate(parts))


def slider(shape: Geometry, outer: Geometry) -> Model:
    """Return a body that slides along x in another one."""
    bodies = [
        Body(name="outer", collisions=(Collision(geometry=outer),), self_collide=True, inertial=Inertial(mass=0.0)),
        Body(name="carriage", inertial=Inertial(mass=0.0)),
        Body(name="peg", collisions=(Collision(geometry=shape),), self_collide=True, inertial=Inertial(mass=0.0)),
    ]
    joints = [
        Joint(name="ground", type=Fixed(), parent=None, child="outer"),
        Joint(name="slide", type=Prismatic(axis=(1.0, 0.0, 0.0)), parent="outer", child="carriage"),
        Joint(name="flange", type=Fixed(), parent="carriage", child="peg"),
    ]
    return Model(name="arm", bodies=NamedList(bodies), joints=NamedList(joints))


BALLS = (Ball(radius=0.2, position=(0.0, 0.1, 0.0)), Ball(radius=0.1, position=(0.0, -0.2, 0.0)))


@pytest.mark.parametrize(
    "shape",
    [
        Box(size=(0.4, 0.3, 0.2)),
        Sphere(radius=0.2),
        Ellipsoid(diameters=(0.4, 0.2, 0.3)),
        Cylinder(radius=0.2, length=0.3),
        Capsule(radius=0.2, length=0.1),
        Cone(radius=0.2, length=0.3),
        Pyramid(base_width=0.4, base_depth=0.2, height=0.3),
        MultiSphere(balls=BALLS),
        mesh(trimesh.creation.box((0.4, 0.3, 0.2))),
        mesh(trimesh.creation.box((0.4, 0.3, 0.2)), convex=True),
        mesh(trimesh.creation.annulus(0.1, 0.2, 0.2, sections=64)),
    ],
    ids=lambda shape: type(shape).__name__,
)
def test_shapes_in_a_channel_touch_its_walls_only(shape: Geometry) -> None:
    """The shapes are 0.4 m wide; the convex hull of the channel overlaps with them everywhere."""
    query = CollisionQuery(World(models=NamedList([slider(shape, channel())])))
    for position in (0.0, WALL - 0.201, -WALL + 0.201):
        assert query.colliding_pairs("arm", {"slide": (position,)}) == ()
    for position in (WALL - 0.199, -WALL + 0.199, WALL, 0.5):
        assert set(query.colliding_pairs("arm", {"slide": (position,)})[0]) == {"outer", "peg"}
    hull = CollisionQuery(World(models=NamedList([slider(shape, replace(channel(), convex=True))])))
    assert hull.colliding_pairs("arm", {"slide": (0.0,)}) != ()


def test_shape_inside_a_closed_mesh_collides() -> None:
    outer = mesh(trimesh.creation.torus(0.5, 0.3))
    inside = slider(Sphere(radius=0.1), outer)
    query = CollisionQuery(World(models=NamedList([inside])))
    expected = [False, True, True, False]
    assert [bool(query.colliding_pairs("arm", {"slide": (x,)})) for x in (0.0, 0.15, 0.5, 0.95)] == expected


def test_plane_and_concave_mesh() -> None:
    floor = Body(name="floor", collisions=(Collision(geometry=Plane()),))
    room = Model(name="room", static=True, bodies=NamedList([floor]))
    query = CollisionQuery(World(models=NamedList([slider(channel(), Sphere(radius=0.01)), room])))
    assert query.colliding_pairs("arm", {}, {"peg"}) == (("room/floor", "peg"),)


def test_shapes_that_do_not_collide_are_reported(report: Report) -> None:
    missing = Mesh(uri="/nowhere/missing.stl")
    world = World(models=NamedList([slider(missing, channel())]))
    result = ossature.inverse_kinematics(world, Translation3D(), tip="peg", avoid_collisions=True, report=report)
    assert result.solutions
    (finding,) = report.take("unsupported-collision-shape")
    assert finding.path == "arm/peg"


def folding_arm(base: float) -> World:
    """Return an arm of URDF: a base, whose radius is given, and a last link that can fold back onto it."""
    links = {"base": base, "upper": 0.05, "lower": 0.05, "hand": 0.1}
    shapes = {
        name: f'<collision><geometry><sphere radius="{radius}"/></geometry></collision>' for name, radius in links.items()
    }
    text = "".join(f'<link name="{name}">{shape}</link>' for name, shape in shapes.items())
    for parent, child in itertools.pairwise(links):
        text += f'''<joint name="{child}_joint" type="revolute"><parent link="{parent}"/><child link="{child}"/>
            <origin xyz="{0.4 if parent != "base" else 0.0} 0 0"/><axis xyz="0 1 0"/>
            <limit lower="-3.1" upper="3.1" effort="1" velocity="1"/></joint>'''
    return ossature.load(f'<robot name="arm">{text}</robot>'.encode(), format="urdf")


@pytest.mark.parametrize(("base", "pairs"), [(0.1, None), (0.75, "'base' and 'hand'")])
def test_a_robot_that_states_no_collisions_with_itself(base: float, pairs: str | None, report: Report) -> None:
    """All pairs of a URDF robot are checked, but those of neighbours and those that overlap with all joints at zero."""
    world = folding_arm(base)
    target = Translation3D(position=(0.0, 0.0, 0.19))  # the hand touches a small base
    result = ossature.inverse_kinematics(world, target, tip="hand", avoid_collisions=True, report=report)
    assert bool(result.solutions) == (pairs is not None)
    findings = report.take("ignored-overlap")
    assert [finding.message.endswith(f"not checked: 'base' and 'lower', {pairs}") for finding in findings] == [True] * bool(
        pairs
    )
    assert ossature.inverse_kinematics(world, target, tip="hand").solutions


@pytest.mark.corpus
@pytest.mark.parametrize("name", ["kuka-kr5-r650", "barrett-wam"])
def test_real_robots_against_coal(name: str, corpus: Path) -> None:
    from coal_collisions import coal_collide, coal_mesh

    world = ossature.load(corpus / f"corpus/openrave/{name}.zae")
    (model,) = world.models
    query, solver = CollisionQuery(world), InverseKinematics(model, model.manipulators[0])
    shapes = {
        body.name: [(MeshStore().triangles(shape.geometry), shape.pose) for shape in body.collisions] for body in model.bodies
    }
    meshes = {name: [(coal_mesh(data.vertices, data.faces), pose) for data, pose in each] for name, each in shapes.items()}
    ignored = set(map(frozenset, excluded_pairs(model)))
    pairs = [pair for pair in itertools.combinations(meshes, 2) if frozenset(pair) not in ignored]
    free = []
    for q in solver.table[:100]:
        positions = solver.positions(q)
        frames = poses(world, {model.name: positions})[model.name]
        placed = {name: [(mesh, (frames[name] @ pose).matrix()) for mesh, pose in each] for name, each in meshes.items()}
        expected = {frozenset(pair) for pair in pairs if coal_collide(*(placed[name] for name in pair))}
        found = query.colliding_pairs(model.name, positions)
        assert set(map(frozenset, found)) == expected
        free.append(not found)
    assert 80 < sum(free) < 100


def test_array_solutions_are_free_of_collisions() -> None:
    robot = ossature.load(PROJECT / "examples" / "picker.dae").models["picker"]
    bar = make_body("post", Box(size=(0.1, 0.1, 0.8)), mass=5.0, pose=(0.35, 0.35, 0.4))
    world = World(models=NamedList([robot, Model(name="post", bodies=NamedList([bar]), static=True)]))
    kin, query = ossature.Kinematics(world, "picker"), CollisionQuery(world)
    colliding = kin.configuration({"waist": 0.8, "shoulder": 0.9, "elbow": 0.7})
    assert query.colliding_pairs("picker", kin.positions(colliding))
    target = Translation3D(position=tuple(kin.pose(colliding, "arm")[:3, 3].tolist()))
    plain = kin.solve_ik(target, "palm", seed=colliding)
    assert plain.found
    free = kin.solve_ik(target, "palm", seed=colliding, collisions=query)
    for row in free.q:
        assert not query.colliding_pairs("picker", kin.positions(row))
    assert free.found or free.failure is not None
    with pytest.raises(KeyError, match="did you mean 'waist'"):
        query.colliding_pairs("picker", {"waits": (0.0,)})


def test_grasped_bodies_and_grippers_with_a_load_are_refused() -> None:
    world = ossature.load(PROJECT / "examples" / "pick_and_place.dae")
    grasped = add_grasp(world, BodyPath(model="picker", body="palm"), BodyPath(model="cube", body="cube"))
    with pytest.raises(KinematicsError, match="grasped"):
        ossature.Kinematics(grasped, "cube")
    with pytest.raises(KinematicsError, match="grasps a body"):
        ossature.Dynamics(grasped, "picker")
    assert len(ossature.Kinematics(grasped, "picker"))
