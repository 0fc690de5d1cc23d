"""Scenes with several contacts of one body, compared with closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest

from contact_scenes import G, Thing
from ossature.model import (
    Actuation,
    Body,
    Box,
    Collision,
    DartStepping,
    Geometry,
    Inertial,
    Joint,
    LazyMesh,
    Material,
    MeshData,
    Model,
    NamedList,
    Prismatic,
    Sphere,
    TriangleMesh,
    World,
)
from ossature.simulation import Simulation, pair_forces
from ossature.spatial import IDENTITY_WXYZ, Pose, Quaternion, Vector3, quaternion_from_rotation_vector

STEPS = pytest.mark.parametrize(("step", "as_dart"), [(1e-3, False), (5e-3, False), (1e-3, True), (5e-3, True)])
SHIFT = pytest.mark.parametrize(("step", "as_dart"), [(1e-3, False), (5e-3, False), (1e-3, True)])


def fixed(name: str, position: Vector3, size: Vector3, material: Material, wxyz: Quaternion = IDENTITY_WXYZ) -> Model:
    """Return a box that does not move."""
    body = Body(name="box", pose=Pose(position, wxyz), collisions=(Collision(geometry=Box(size=size), material=material),))
    return Model(name=name, static=True, bodies=NamedList([body]))


def incline(name: str, angle: float, side: int, material: Material) -> Model:
    """Return a plate that rises from the y axis, towards the positive (1) or negative (-1) x axis."""
    along, normal = (side * math.cos(angle), math.sin(angle)), (-side * math.sin(angle), math.cos(angle))
    x, z = (along[i] - 0.05 * normal[i] for i in (0, 1))
    return fixed(name, (x, 0.0, z), (2.0, 20.0, 0.1), material, quaternion_from_rotation_vector((0.0, -side * angle, 0.0)))


def cuboid(size: Vector3, mass: float, position: Vector3, material: Material) -> Thing:
    """Return a homogeneous box."""
    squares = np.square(size)
    moments = tuple((mass / 12.0 * (squares.sum() - squares)).tolist())
    return Thing(position, Box(size=size), mass, moments, material=material)


def simulate(*models: Model, step: float, as_dart: bool, gravity: Vector3 = (0.0, 0.0, -G)) -> Simulation:
    """Return a simulation of models."""
    hints = (DartStepping(),) if as_dart else ()
    return Simulation(World(gravity=gravity, time_step=step, hints=hints, models=NamedList(models)))


def position(simulation: Simulation, name: str) -> np.ndarray:
    """Return the position of the only body of a model."""
    (pose,) = simulation.poses()[name].values()
    return np.array(pose.position)


@STEPS
def test_a_wedge_between_two_inclines_presses_on_them_by_the_law_of_sines(step: float, as_dart: bool) -> None:
    left, right, material, mass = math.radians(30.0), math.radians(50.0), Material(friction=0.0), 3.0
    corners = [(0.0, 0.0), (-0.3 * math.cos(left), 0.3 * math.sin(left)), (0.2 * math.cos(right), 0.2 * math.sin(right))]
    vertices = np.array([(x, y, z) for y in (-0.1, 0.1) for x, z in corners])
    faces = [(0, 1, 2), (3, 5, 4), (0, 3, 4), (0, 4, 1), (1, 4, 5), (1, 5, 2), (2, 5, 3), (2, 3, 0)]
    centre = vertices.mean(axis=0)
    shape: Geometry = TriangleMesh(surface=LazyMesh(MeshData(vertices=vertices - centre, faces=np.array(faces))), convex=True)
    wedge = Thing(tuple(centre.tolist()), shape, mass, (0.02, 0.02, 0.02), material=material)
    inclines = incline("left", left, -1, material), incline("right", right, 1, material)
    simulation = simulate(*inclines, wedge.model("wedge"), step=step, as_dart=as_dart)
    simulation.step(round(0.5 / step))
    forces = {pair[0][0]: np.linalg.norm(force) for pair, force in pair_forces(simulation.contact_forces()).items()}
    scale = mass * G / math.sin(left + right)
    assert forces["left"] == pytest.approx(scale * math.sin(right), rel=5e-5)
    assert forces["right"] == pytest.approx(scale * math.sin(left), rel=5e-5)
    np.testing.assert_allclose(position(simulation, "wedge"), centre, atol=1e-6)


@SHIFT
def test_a_ball_rolls_along_a_groove(step: float, as_dart: bool) -> None:
    """It turns about the line through its two contact points."""
    radius, angle, slope, material = 0.1, math.radians(40.0), math.radians(8.0), Material(friction=0.8)
    ball = Thing((0.0, 0.0, radius / math.cos(angle)), Sphere(radius=radius), 1.5, (0.006,) * 3, material=material)
    inclines = incline("left", angle, -1, material), incline("right", angle, 1, material)
    gravity = (0.0, G * math.sin(slope), -G * math.cos(slope))
    simulation = simulate(*inclines, ball.model("ball"), step=step, as_dart=as_dart, gravity=gravity)
    simulation.step(round(1.0 / step))
    acceleration = G * math.sin(slope) / (1.0 + 0.4 / math.cos(angle) ** 2)
    x, y, z = position(simulation, "ball")
    assert y == pytest.approx(0.5 * acceleration, rel=1e-4 + 1.1 * step * as_dart)
    assert (x, z) == pytest.approx((0.0, radius / math.cos(angle)), abs=1e-6)


@SHIFT
def test_a_box_on_the_floor_slides_along_a_wall(step: float, as_dart: bool) -> None:
    friction, pull, press = 0.3, 9.0, 5.0
    material = Material(friction=friction)
    floor, wall = (
        fixed("floor", (0.0, 0.0, -0.05), (40.0, 4.0, 0.1), material),
        fixed("wall", (0.0, 0.15, 1.0), (40.0, 0.1, 2.0), material),
    )
    box = cuboid((0.3, 0.2, 0.1), 2.0, (0.0, 0.0, 0.05), material)
    simulation = simulate(floor, wall, box.model("box"), step=step, as_dart=as_dart, gravity=(pull, press, -G))
    simulation.step(round(1.0 / step))
    x, y, z = position(simulation, "box")
    assert x == pytest.approx(0.5 * (pull - friction * (G + press)), rel=3e-4 + 1.1 * step * as_dart)
    assert (y, z) == pytest.approx((0.0, 0.05), abs=2e-5)


@SHIFT
def test_a_plate_is_pulled_from_under_a_stack(step: float, as_dart: bool) -> None:
    """The boxes stay together: each has the acceleration of friction."""
    friction, mass, plate_mass, pull = 0.25, 1.0, 4.0, 30.0
    material = Material(friction=friction)
    body = Body(
        name="plate",
        pose=Pose((0.0, 0.0, -0.05)),
        inertial=Inertial(mass=plate_mass, moment=((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))),
        collisions=(Collision(geometry=Box(size=(4.0, 1.0, 0.1)), material=material),),
    )
    rail = Joint(name="rail", type=Prismatic(axis=(1.0, 0.0, 0.0)), parent=None, child="plate", actuation=Actuation.FORCE)
    plate = Model(name="plate", bodies=NamedList([body]), joints=NamedList([rail]))
    boxes = [cuboid((0.1, 0.1, 0.1), mass, (0.0, 0.0, 0.05 + 0.1 * number), material) for number in range(3)]
    models = [box.model(f"box{number}") for number, box in enumerate(boxes)]
    simulation = simulate(plate, *models, step=step, as_dart=as_dart)
    simulation.command("plate", "rail", pull)
    simulation.step(round(0.4 / step))
    tolerance = 1e-4 + 2.6 * step * as_dart
    acceleration = (pull - friction * 3.0 * mass * G) / plate_mass
    assert position(simulation, "plate")[0] == pytest.approx(0.08 * acceleration, rel=tolerance)
    for number, box in enumerate(boxes):
        x, _, z = position(simulation, f"box{number}")
        assert x == pytest.approx(0.08 * friction * G, rel=tolerance)
        assert z == pytest.approx(box.position[2], abs=2e-5)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("as_dart", [True, False])
@pytest.mark.parametrize(("share", "rise"), [(0.97, 0.0), (1.03, 0.132), (1.2, 0.15)])
def test_a_gripper_lifts_a_box_that_friction_can_carry(share: float, rise: float, as_dart: bool) -> None:
    """With 1.03 of the weight, the box slips while the gripper accelerates with 0.4 m/s²; it follows with 0.294 m/s²."""
    friction, mass, material = 0.5, 2.0, Material(friction=0.5)
    inertial = Inertial(mass=0.5, moment=((0.01, 0.0, 0.0), (0.0, 0.01, 0.0), (0.0, 0.0, 0.01)))
    pad = (Collision(geometry=Box(size=(0.02, 0.1, 0.1)), material=material),)
    bodies = [Body(name="base", pose=Pose((0.0, 0.0, 0.1)), inertial=inertial)]
    lift = Joint(name="lift", type=Prismatic(axis=(0.0, 0.0, 1.0)), parent=None, child="base", actuation=Actuation.VELOCITY)
    joints = [lift]
    for name, side in (("left", -1.0), ("right", 1.0)):
        bodies.append(Body(name=name, pose=Pose((0.12 * side, 0.0, 0.1)), inertial=inertial, collisions=pad))
        closing = Prismatic(axis=(-side, 0.0, 0.0))
        joints.append(Joint(name=name, type=closing, parent="base", child=name, actuation=Actuation.FORCE))
    gripper = Model(name="gripper", bodies=NamedList(bodies), joints=NamedList(joints))
    box = cuboid((0.2, 0.2, 0.2), mass, (0.0, 0.0, 0.1), material).model("box")
    floor = fixed("floor", (0.0, 0.0, -0.05), (4.0, 4.0, 0.1), material)
    simulation = simulate(gripper, floor, box, step=1e-3, as_dart=as_dart)
    for name in ("left", "right"):
        simulation.command("gripper", name, share * mass * G / (2.0 * friction))
    simulation.step(100)
    for number in range(1000):
        simulation.command("gripper", "lift", 0.2 * min(1.0, (number + 1) / 500))
        simulation.step()
    assert position(simulation, "box")[2] == pytest.approx(0.1 + rise, abs=1e-3)


@pytest.mark.parametrize("friction", [0.0, 0.5])
@STEPS
def test_a_ball_between_two_plates_keeps_its_energy(step: float, as_dart: bool, friction: float) -> None:
    """Twenty impacts with restitution 1; friction, alternately at either plate, stops all motion along the plates."""
    mass, radius, material = 1.0, 0.05, Material(friction=friction, restitution=1.0)
    plates = [fixed(name, (0.0, 0.0, z), (40.0, 4.0, 0.1), material) for name, z in (("floor", -0.05), ("ceiling", 0.55))]
    moment = 0.4 * mass * radius**2
    ball = Thing((0.0, 0.0, 0.2), Sphere(radius=radius), mass, (moment,) * 3, velocity=(0.7, 0.0, 4.0), material=material)
    simulation = simulate(*plates, ball.model("ball"), step=step, as_dart=as_dart, gravity=(0.0, 0.0, 0.0))
    simulation.step(round(2.0 / step))
    state = simulation.body_states()["ball"]["body"]
    assert abs(state.linear_velocity[2]) == pytest.approx(4.0, rel=2e-4)
    if not friction:
        least_friction = 1e-5  # of the engine
        assert state.linear_velocity[0] == pytest.approx(0.7, abs=20 * 8.0 * least_friction * 1.1)
    else:
        assert np.hypot(state.linear_velocity[0], radius * np.linalg.norm(state.angular_velocity_body)) < 0.02
