"""Contacts with belts, tables and sliders that move as commanded, and of a closed loop, compared with closed forms."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from chrono.models import read, text
from contact_scenes import CUBE, G, Thing
from ossature.diagnostics import Report
from ossature.model import (
    Actuation,
    Body,
    Box,
    Collision,
    Cylinder,
    Geometry,
    Inertial,
    Joint,
    JointType,
    Material,
    Model,
    NamedList,
    Prismatic,
    Revolute,
    Sphere,
    World,
)
from ossature.simulation import Simulation
from ossature.spatial import Pose, Vector3, quaternion_from_rotation_vector

ALONG_X = Prismatic(axis=(1.0, 0.0, 0.0))
BELT = Box(size=(20.0, 1.0, 0.1))
STEPS = pytest.mark.parametrize("step", [1e-3, 5e-3])


def driven(
    name: str, joint: JointType, position: Vector3, shape: Geometry, material: Material, *, force: bool = False
) -> Model:
    """Return a body with one joint, ``drive``, which has a commanded velocity or force."""
    body = Body(
        name="body",
        pose=Pose(position),
        inertial=Inertial(mass=5.0, moment=((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))),
        collisions=(Collision(geometry=shape, material=material),),
    )
    actuation = Actuation.FORCE if force else Actuation.VELOCITY
    drive = Joint(name="drive", type=joint, parent=None, child="body", actuation=actuation)
    return Model(name=name, bodies=NamedList([body]), joints=NamedList([drive]))


def world_of(step: float, *models: Model) -> World:
    """Return a World of models."""
    return World(gravity=(0.0, 0.0, -G), time_step=step, models=NamedList(models))


def position(simulation: Simulation, model: str) -> Vector3:
    """Return where the body of a model is."""
    return simulation.poses()[model]["body"].position


@STEPS
def test_a_conveyor_accelerates_a_box_by_friction(step: float) -> None:
    material = Material(friction=0.4)
    belt = driven("belt", ALONG_X, (0.0, 0.0, -0.05), BELT, material)
    simulation = Simulation(world_of(step, belt, Thing((0.0, 0.0, 0.1), CUBE, 2.0, material=material).model("box")))
    simulation.command("belt", "drive", 1.0)
    simulation.step(round(1.0 / step))
    x, _, z = position(simulation, "box")
    assert x == pytest.approx(1.0 - 1.0 / (2.0 * 0.4 * G), abs=step)
    assert z == pytest.approx(0.1, abs=1e-6)
    assert simulation.body_states()["box"]["body"].linear_velocity[0] == pytest.approx(1.0, abs=1e-6)


@STEPS
def test_a_ball_rolls_on_a_turntable_in_circles(step: float) -> None:
    """The velocity of a homogeneous ball turns at 2/7 of the table's rate, without a change of its magnitude."""
    material, rate, radius = Material(friction=1.0), 3.0, 0.1
    table = driven("table", Revolute(axis=(0.0, 0.0, 1.0)), (0.0, 0.0, -0.05), Cylinder(radius=3.0, length=0.1), material)
    ball = Thing((0.5, 0.0, radius), Sphere(radius=radius), 1.0, (0.4 * radius**2,) * 3, material=material).model("ball")
    simulation = Simulation(world_of(step, table, ball))
    simulation.command("table", "drive", rate)
    simulation.step(round(3.0 / step))
    before = np.array(simulation.body_states()["ball"]["body"].linear_velocity)
    simulation.step(round(0.5 / step))
    after = np.array(simulation.body_states()["ball"]["body"].linear_velocity)
    turned = math.atan2(before[0] * after[1] - before[1] * after[0], float(before @ after))
    assert turned == pytest.approx(2.0 / 7.0 * rate * 0.5, rel=1e-4)
    assert np.linalg.norm(after) == pytest.approx(np.linalg.norm(before), rel=1e-6)


@STEPS
@pytest.mark.parametrize("force", [30.0, 15.0])
def test_a_box_between_a_wall_and_a_slider_falls_if_friction_is_too_small(force: float, step: float) -> None:
    """The slider moves horizontally, and the friction of both sides supports the box of 2 kg."""
    material, size = Material(friction=0.5), Box(size=(0.2, 1.0, 2.0))
    wall = Body(name="body", pose=Pose((0.2, 0.0, 0.0)), collisions=(Collision(geometry=size, material=material),))
    slider = driven("slider", ALONG_X, (-0.2, 0.0, 0.0), size, material, force=True)
    box = Thing((0.0, 0.0, 0.0), CUBE, 2.0, material=material).model("box")
    simulation = Simulation(world_of(step, Model(name="wall", static=True, bodies=NamedList([wall])), slider, box))
    simulation.command("slider", "drive", force)
    simulation.step(round(0.5 / step))
    x, _, z = position(simulation, "box")
    acceleration = max(G - 2.0 * 0.5 * force / 2.0, 0.0)
    assert z == pytest.approx(-0.5 * acceleration * 0.5**2, abs=1e-6 + 2e-2 * step)
    assert x == pytest.approx(0.0, abs=5e-5)


@STEPS
def test_a_cylinder_between_belts_in_opposite_directions_spins_in_place(step: float) -> None:
    material, radius = Material(friction=0.5), 0.2
    lower = driven("lower", ALONG_X, (0.0, 0.0, -0.05), BELT, material)
    upper = driven("upper", ALONG_X, (0.0, 0.0, 2.0 * radius + 0.05), BELT, material)
    across = quaternion_from_rotation_vector((0.5 * math.pi, 0.0, 0.0))
    roll = Thing((0.0, 0.0, radius), Cylinder(radius=radius, length=0.3), wxyz=across, material=material).model("roll")
    simulation = Simulation(world_of(step, lower, upper, roll))
    simulation.command("lower", "drive", 1.0)
    simulation.command("upper", "drive", -1.0)
    simulation.step(round(1.5 / step))
    assert position(simulation, "roll") == pytest.approx((0.0, 0.0, radius), abs=1e-5)
    assert simulation.body_states()["roll"]["body"].angular_velocity_body == pytest.approx((0.0, 0.0, 1.0 / radius), abs=1e-3)


LENGTH, MASS, FOOT = 1.0, 1.5, 0.05


def rhombus(angle: float, drop: float, step: float) -> World:
    """Return four rods that revolute joints connect to an upright rhombus, with a sphere without friction at its lowest joint.

    Args:
        angle: Half the angle between the lower rods [rad].
        drop: The height of the sphere above the ground [m].
        step: The time step [s].
    """
    sine, cosine = 0.5 * LENGTH * math.sin(angle), 0.5 * LENGTH * math.cos(angle)
    moment = MASS * LENGTH**2 / 12.0
    material = "materials: [{name: k, coefficient_of_friction: 0, coefficient_of_restitution: 0}]"

    def rod(name: str, x: float, z: float, turn: float, more: str = "") -> str:
        orientation = [math.cos(0.5 * turn), 0.0, math.sin(0.5 * turn), 0.0]
        inertia = f"mass: {MASS}, inertia: {{moments: [{moment}, {moment}, 0.01]}}"
        return f"    - {{name: {name}, location: [{x}, 0, {FOOT + drop + z}], orientation: {orientation}, {inertia}{more}}}"

    def joint(name: str, first: str, second: str, x: float, z: float) -> str:
        place = f"location: [{x}, 0, {FOOT + drop + z}], axis: [0, 1, 0]"
        return f"- {{name: {name}, type: REVOLUTE, body1: {first}, body2: {second}, {place}}}"

    sphere = f"shapes: [{{type: SPHERE, material: k, radius: {FOOT}, location: [0, 0, {-0.5 * LENGTH}]}}]"
    plate = "shapes: [{type: BOX, material: k, dimensions: [10, 10, 1], location: [0, 0, -0.5]}]"
    model = text(
        f"    - {{name: ground, fixed: true, location: [0, 0, 0], contact: {{{material}, {plate}}}}}",
        rod("a", sine, cosine, angle, f", contact: {{{material}, {sphere}}}"),
        rod("b", -sine, cosine, -angle),
        rod("c", sine, 3.0 * cosine, -angle),
        rod("d", -sine, 3.0 * cosine, angle),
        joints="\n".join(
            [
                joint("low", "a", "b", 0.0, 0.0),
                joint("right", "a", "c", 2.0 * sine, 2.0 * cosine),
                joint("left", "b", "d", -2.0 * sine, 2.0 * cosine),
                joint("top", "c", "d", 0.0, 4.0 * cosine),
            ]
        ),
    )
    return replace(read(model, Report()), gravity=(0.0, 0.0, -G), time_step=step)


def rhombus_angle(angle: float, drop: float, time: float) -> float:
    """Return the angle of the rhombus after its impact, by Lagrange's equation, integrated with the method of Runge and Kutta.

    The impulse acts on the height only, so that the momentum of the angle is the same before and after it.
    """
    speed = math.sqrt(2.0 * G * drop)

    def inertia(q: float) -> float:
        return 2.0 * MASS * LENGTH**2 * (5.0 / 12.0 + 0.25 * math.cos(q) ** 2 + 2.25 * math.sin(q) ** 2)

    def rates(state: np.ndarray) -> np.ndarray:
        q, rate = state
        moment = 4.0 * MASS * G * LENGTH * math.sin(q) - 2.0 * MASS * LENGTH**2 * math.sin(2.0 * q) * rate**2
        return np.array([rate, moment / inertia(q)])

    state = np.array([angle, 4.0 * MASS * LENGTH * math.sin(angle) * speed / inertia(angle)])
    count = 400
    step = (time - speed / G) / count
    for _ in range(count):
        first = rates(state)
        second = rates(state + 0.5 * step * first)
        third = rates(state + 0.5 * step * second)
        fourth = rates(state + step * third)
        state = state + step / 6.0 * (first + 2.0 * second + 2.0 * third + fourth)
    return float(state[0])


@STEPS
@pytest.mark.parametrize("drop", [1e-9, 0.1, 0.3])
def test_a_loop_of_rods_strikes_the_ground_and_collapses(drop: float, step: float) -> None:
    simulation = Simulation(rhombus(0.5, drop, step))
    steps = round((math.sqrt(2.0 * drop / G) + 0.3) / step)
    simulation.step(steps)
    poses = simulation.poses()["m"]
    opening = math.acos((poses["c"].position[2] - poses["a"].position[2]) / LENGTH)
    assert opening == pytest.approx(rhombus_angle(0.5, drop, steps * step), abs=0.2 * step)
    assert poses["a"].position[2] == pytest.approx(FOOT + 0.5 * LENGTH * math.cos(opening), abs=2e-2 * step)
