"""Reactions in small scenes against statics, and in random trees of all joint types against the balance of momentum."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from chrono.models import GROUND, body, read, text
from newton_euler import Balance, imbalances_after
from ossature import model as m
from ossature.diagnostics import Report
from ossature.model import Body, Coordinate, Inertial, Joint, Load, LoadKind, Model, NamedList, World
from ossature.simulation import Simulation
from ossature.spatial import Pose, Quaternion, Vector3

Vector = NDArray[np.float64]
G = 9.8
WEIGHT = np.array([0.0, 0.0, -G])


def reactions(content: str, report: Report | None = None) -> dict[str, dict[str, Vector]]:
    """Return the reactions of a model at the start, force and torque by joint."""
    return Simulation(read(content, report)).reactions()["m"]


def assert_equal(found: dict[str, Vector], force: object, torque: object = (0.0, 0.0, 0.0)) -> None:
    assert found["force"] == pytest.approx(np.array(force), abs=1e-8)
    assert found["torque"] == pytest.approx(np.array(torque), abs=1e-8)


# Statics, at the start of a run


def test_rods_carry_a_body_as_a_tripod() -> None:
    tip, anchors = np.array([0.1, 0.05, -1.0]), np.array([[1.0, 0.0, 0.0], [-0.5, 0.8, 0.1], [-0.5, -0.9, -0.1]])
    rods = [
        f"- {{name: r{number}, type: DISTANCE, body1: ground, body2: b, point1: {anchor.tolist()}, point2: {tip.tolist()}}}"
        for number, anchor in enumerate(anchors)
    ]
    found = reactions(text(GROUND, body("b", str(tip.tolist()), mass=2.0), constraints="\n".join(rods)))
    lines = (anchors - tip) / np.linalg.norm(anchors - tip, axis=1)[:, None]
    for number, tension in enumerate(np.linalg.solve(lines.T, -2.0 * WEIGHT)):
        assert_equal(found[f"r{number}"], -tension * lines[number])


def test_a_truss_of_a_beam_and_a_strut() -> None:
    hinge = "- {{name: {0}, type: REVOLUTE, body1: {1}, body2: {2}, location: {3}, axis: [0, 1, 0]}}"
    joints = [
        hinge.format("wall", "beam", "ground", "[0, 0, 0]"),
        hinge.format("foot", "strut", "ground", "[0, 0, -0.5]"),
        hinge.format("head", "beam", "strut", "[1, 0, 0]"),
    ]
    beam, strut = body("beam", "[0.5, 0, 0]", mass=4.0), body("strut", "[0.5, 0, -0.25]", mass=0.001)
    found = reactions(text(GROUND, beam, strut, joints="\n".join(joints)))
    lift = 2.0 * G
    thrust = 2.0 * (lift + 0.0005 * G)
    assert_equal(found["head"], (thrust, 0.0, lift))
    assert_equal(found["wall"], (-thrust, 0.0, 4.0 * G - lift))


def test_locks_carry_loads_and_springs_of_bodies_that_cannot_move() -> None:
    bodies = [GROUND, body("a", "[0.5, 0, 0]", mass=2.0), body("b", "[1.2, 0.3, 0]", mass=3.0)]
    joints = (
        "- {name: wall, type: LOCK, body1: a, body2: ground, location: [0, 0, 0]}\n"
        "- {name: weld, type: LOCK, body1: b, body2: a, location: [1, 0, 0]}"
    )
    loads = (
        "- {name: t, type: TORQUE, body: b, load: [1, 2, 3], local_load: true}\n"
        "- {name: f, type: FORCE, body: b, load: [5, 6, 7], local_load: false, point: [0.1, 0.2, 0.3], local_point: true}"
    )
    ends = "body1: ground, body2: a, point1: [0.5, 0, 1], point2: [0.5, 0, 0]"
    spring = f"- {{name: s, {ends}, spring_coefficient: 100, free_length: 0.4}}"
    found = reactions(text(*bodies, joints=joints, body_loads=loads, tsdas=spring))
    force, torque = np.array([5.0, 6.0, 7.0]), np.array([1.0, 2.0, 3.0])
    at, wall = np.array([1.3, 0.5, 0.3]), np.array([1.0, 0.0, 0.0])
    weld_torque = torque + np.cross(at - wall, force) + np.cross((0.2, 0.3, 0.0), 3.0 * WEIGHT)
    assert_equal(found["weld"], -(force + 3.0 * WEIGHT), -weld_torque)
    pull = np.array([0.0, 0.0, 60.0])
    wall_torque = torque + np.cross(at, force) + np.cross((1.2, 0.3, 0.0), 3.0 * WEIGHT)
    wall_torque += np.cross((0.5, 0.0, 0.0), 2.0 * WEIGHT + pull)
    assert_equal(found["wall"], -(force + 5.0 * WEIGHT + pull), -wall_torque)


def test_a_motor_accelerates_a_body_upwards() -> None:
    motor = (
        "- {name: lift, type: LINEAR, body1: b, body2: ground, location: [0.3, 0, 1], axis: [0, 0, 1], "
        "actuation_type: POSITION, actuation_function: {type: POLYNOMIAL, coefficients: [0, 0, 1.5]}}"
    )
    simulation = Simulation(read(text(GROUND, body("b", "[0, 0, 1]", mass=2.0), motors=motor)))
    force = np.array([0.0, 0.0, 2.0 * (G + 3.0)])
    for _ in range(2):
        assert_equal(simulation.reactions()["m"]["lift"], force, np.cross((-0.3, 0.0, 0.0), force))
        simulation.step(100)


def test_a_spindle_carries_a_rotor_out_of_balance() -> None:
    motor = (
        "- {name: spindle, type: ROTATION, body1: b, body2: ground, location: [0, 0, 0], axis: [0, 0, 1], "
        "actuation_type: SPEED, actuation_function: {type: CONSTANT, value: 4}}"
    )
    simulation = Simulation(read(text(GROUND, body("b", "[0.5, 0, 0]", mass=2.0), motors=motor)))
    simulation.step(250)
    arm = 0.5 * np.array([math.cos(1.0), math.sin(1.0), 0.0])
    assert_equal(simulation.reactions()["m"]["spindle"], -32.0 * arm - 2.0 * WEIGHT, -np.cross(arm, 2.0 * WEIGHT))


@pytest.mark.parametrize("in_body_axes", [False, True])
@pytest.mark.parametrize("kind", list(LoadKind))
def test_loads_at_fixed_points_are_in_the_frame_of_their_model(kind: LoadKind, in_body_axes: bool) -> None:
    """The model is translated and rotated in the world, and so are the point and the vector."""
    model_pose, body_pose = (
        Pose((1.0, 2.0, 3.0), Quaternion((0.5, 0.5, 0.5, 0.5))),
        Pose((0.3, 0.0, 0.2), Quaternion((0.0, 1.0, 0.0, 0.0))),
    )
    vector, point = (1.0, -2.0, 3.0), (0.2, 0.7, -0.4)
    load = Load(
        name="l",
        body="b",
        kind=kind,
        value=vector,
        expressed_in_body_frame=in_body_axes,
        point=point,
        applied_at_body_point=False,
    )
    joint_type = m.Fixed() if kind is LoadKind.TORQUE else m.Spherical()
    inertial = Inertial(mass=2.0, moment=((0.1, 0.0, 0.0), (0.0, 0.1, 0.0), (0.0, 0.0, 0.1)))
    model = Model(
        name="m",
        pose=model_pose,
        bodies=NamedList([Body(name="b", pose=body_pose, inertial=inertial)]),
        joints=NamedList([Joint(name="j", type=joint_type, parent=None, child="b")]),
        loads=NamedList([load]),
    )
    simulation = Simulation(World(gravity=(0.0, 0.0, 0.0), models=NamedList([model])))
    origin = model_pose @ body_pose
    turned = np.array(Pose(wxyz=(origin if in_body_axes else model_pose).wxyz).transform(vector))
    arm = np.array(model_pose.transform(point)) - np.array(origin.position)
    if kind is LoadKind.TORQUE:
        assert_equal(simulation.reactions()["m"]["j"], (0.0, 0.0, 0.0), -turned)
    else:
        simulation.step(1)
        spin = np.array(Pose(wxyz=origin.wxyz).transform(simulation.body_states()["m"]["b"].angular_velocity_body))
        assert spin == pytest.approx(np.cross(arm, turned) / 0.1 * simulation.time_step, rel=1e-4)


# Motion


WISHBONE = text(
    GROUND,
    body("lower", "[0.4, 0, 0]", mass=5.0),
    body("upper", "[0.4, 0, 0.4]", mass=3.0),
    body("knuckle", "[0.8, 0, 0.2]", "com: {location: [0.05, -0.1, 0.07], orientation: [20, 30, -40]}", mass=8.0),
    joints="""- {name: l, type: REVOLUTE, body1: lower, body2: ground, location: [0, 0, 0], axis: [0, 1, 0]}
- {name: u, type: REVOLUTE, body1: upper, body2: ground, location: [0, 0, 0.4], axis: [0.05, 1, 0.05]}
- {name: lower ball, type: SPHERICAL, body1: knuckle, body2: lower, location: [0.8, 0, 0]}
- {name: upper ball, type: SPHERICAL, body1: upper, body2: knuckle, location: [0.8, 0.03, 0.4]}""",
    constraints="- {name: tie, type: DISTANCE, body1: ground, body2: knuckle, point1: [0, 0.2, 0.2], point2: [0.8, 0.2, 0.2]}",
    tsdas="- {name: s, body1: lower, body2: ground, point1: [0.5, 0, 0], point2: [0.3, 0, 0.8], "
    "spring_coefficient: 20000, damping_coefficient: 800, free_length: 0.85}",
    body_loads="- {name: wheel, type: FORCE, body: knuckle, load: [100, 300, 900], local_load: false, "
    "point: [0.1, 0, -0.3], local_point: true}",
)
SHAFTS = text(
    GROUND,
    body("a", "[0, 0, 0.5]", "initial_angular_velocity: [0, 0, 3]"),
    body("b", "[0, 0.3, 1.3]", "com: {location: [0.05, -0.1, 0.07], orientation: [20, 30, -40]}"),
    joints="""- {name: p, type: CYLINDRICAL, body1: a, body2: ground, location: [0, 0, 0], axis: [0, 0, 1]}
- {name: u, type: UNIVERSAL, body1: a, body2: b, location: [0, 0, 1], axis1: [1, 0, 0], axis2: [0.6, 1, 0.3]}
- {name: c, type: CYLINDRICAL, body1: b, body2: ground, location: [0, 0.6, 1.6], axis: [0, 0.6, 0.6]}""",
)


@pytest.mark.parametrize("content", [WISHBONE, SHAFTS], ids=["wishbone", "universal joint of tilted axes"])
def test_forces_in_loops_are_rates_of_momentum(content: str) -> None:
    found = imbalances_after(read(content, Report()), 2e-3, 1e-5)
    assert max(max(one.force, one.torque) for one in found) < 1e-6


KINDS: tuple[type[m.JointType], ...] = (
    m.Fixed,
    m.Revolute,
    m.Prismatic,
    m.Screw,
    m.Cylindrical,
    m.PointOnLine,
    m.PointOnPlane,
    m.Universal,
    m.Spherical,
    m.Euler,
    m.Translational,
    m.Translational2D,
    m.Planar,
    m.Compound,
    m.Floating,
)


class RandomTree:
    """Four bodies in a translated and rotated model, with joints of all types and force elements between any of them."""

    def __init__(self, seed: int) -> None:
        self._random = np.random.default_rng(seed)
        self._seed = seed

    def _direction(self) -> Vector3:
        x, y, z = Rotation.random(random_state=self._random).as_matrix()[0].tolist()
        return (x, y, z)

    def _vector(self) -> Vector3:
        x, y, z = (0.3 * self._random.normal(size=3)).tolist()
        return (x, y, z)

    def _pose(self) -> Pose:
        x, y, z, w = Rotation.random(random_state=self._random).as_quat().tolist()
        return Pose(self._vector(), Quaternion((w, x, y, z)))

    def _type(self, kind: type[m.JointType]) -> m.JointType:
        (x, y, z), (a, b, c), _ = Rotation.random(random_state=self._random).as_matrix().tolist()
        first, second = (x, y, z), (a, b, c)
        if kind in (m.Revolute, m.Prismatic, m.Screw, m.Cylindrical, m.PointOnLine):
            return kind(axis=first)
        if kind is m.Universal:
            return m.Universal(axis1=first, axis2=self._direction())
        if kind in (m.PointOnPlane, m.Translational2D, m.Planar):
            return kind(axis1=first, axis2=second)
        if kind is m.Compound:
            return m.Compound(axes=(m.Axis(direction=first), m.Axis(direction=self._direction(), is_revolute=False)))
        return kind()

    def _coordinate(self) -> Coordinate:
        start, speed, stiffness, damping = self._random.random(4).tolist()
        return Coordinate(initial_position=0.3 * start, initial_velocity=speed, stiffness=5.0 * stiffness, damping=damping)

    def _body(self, number: int) -> Body:
        axes = Rotation.random(random_state=self._random).as_matrix()
        tensor = axes @ np.diag(self._random.uniform(0.1, 0.19, 3)) @ axes.T
        moment = tuple(map(tuple, (0.5 * (tensor + tensor.T)).tolist()))
        inertial = Inertial(mass=float(self._random.uniform(0.5, 3.0)), center_of_mass=self._vector(), moment=moment)
        return Body(name=f"b{number}", pose=self._pose(), inertial=inertial, gravity=number != 1)

    def _joint(self, number: int) -> Joint:
        kind = self._type(KINDS[(4 * self._seed + number) % len(KINDS)])
        parent = f"b{self._random.integers(number)}" if number else None
        is_sprung = not isinstance(kind, m.Floating)
        coordinates = tuple(self._coordinate() if is_sprung else Coordinate() for _ in range(kind.degrees_of_freedom))
        return Joint(
            name=f"j{number}", type=kind, parent=parent, child=f"b{number}", pose=self._pose(), coordinates=coordinates
        )

    def world(self) -> World:
        """Return the World."""
        spring = m.SpringDamper(
            name="s",
            body1="b0",
            body2="b3",
            point1=self._vector(),
            point2=self._vector(),
            stiffness=20.0,
            damping=1.0,
            free_length=0.3,
        )
        twist = m.RotationalSpringDamper(
            name="r", body1="b1", body2="b2", axis=self._direction(), stiffness=3.0, damping=0.1, free_angle=0.2
        )
        bushing = m.Bushing(
            name="u",
            body1="b1",
            body2="b3",
            pose=self._pose(),
            stiffness=(50.0, 60.0, 70.0, 3.0, 4.0, 5.0),
            damping=(1.0, 2.0, 3.0, 0.1, 0.2, 0.3),
        )
        fixed_point = Load(name="f", body="b2", value=self._vector(), point=self._vector(), applied_at_body_point=False)
        torque = Load(name="t", body="b3", kind=LoadKind.TORQUE, value=self._vector())
        model = Model(
            name="m",
            pose=self._pose(),
            bodies=NamedList([self._body(number) for number in range(4)]),
            joints=NamedList([self._joint(number) for number in range(4)]),
            spring_dampers=NamedList([spring]),
            rotational_spring_dampers=NamedList([twist]),
            bushings=NamedList([bushing]),
            loads=NamedList([fixed_point, torque]),
        )
        return World(gravity=self._vector(), models=NamedList([model]))


@pytest.mark.parametrize("seed", range(8))
def test_forces_in_trees_of_all_joint_types_are_rates_of_momentum(seed: int) -> None:
    step = 1e-5
    simulation = Simulation(RandomTree(seed).world(), time_step=step, report=Report(), integrator="leapfrog")
    simulation.step(200)
    before = simulation.body_states()
    simulation.step()
    balance = Balance(simulation)
    simulation.step()
    found = list(balance.imbalances(before, simulation.body_states(), 2.0 * step))
    assert max(max(one.force, one.torque) for one in found) < 1e-6
