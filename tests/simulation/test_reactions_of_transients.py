"""Reactions at instants at which a step is unlike its neighbours: the first one, one that hits a stop, one that is divided."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from chrono.models import GROUND, body, read, text
from ossature import model as m
from ossature.diagnostics import Report
from ossature.model import Body, Inertial, Joint, Model, NamedList, World
from ossature.simulation import Simulation
from ossature.spatial import Pose

Vector = NDArray[np.float64]

LOCATIONS = {"crank": (0.1, 0.0, 0.2), "rod": (0.6, 0.1, 0.4), "rocker": (1.1, 0.2, 0.3)}


def spatial_crank(speed: float) -> str:
    """Return a crank, a rod between balls and a rocker, with a motor that rotates from the start [rad/s]."""
    bodies = [body(name, str(list(place))) for name, place in LOCATIONS.items()]
    joints = """
- {name: a, type: SPHERICAL, body1: rod, body2: crank, location: [0.1, 0, 0.4]}
- {name: b, type: SPHERICAL, body1: rocker, body2: rod, location: [1.1, 0.2, 0.5]}
- {name: c, type: REVOLUTE, body1: rocker, body2: ground, location: [1.1, 0.2, 0.0], axis: [0.3, 1, 0.2]}
- {name: d, type: DISTANCE, body1: rod, body2: ground, point1: [0.6, 0.2, 0.4], point2: [0.7, 1.2, 0.4]}"""
    *joints_, rod = joints.strip().splitlines()
    motor = (
        "- {name: motor, type: ROTATION, body1: crank, body2: ground, location: [0.1, 0, 0], axis: [0.1, 1, 0], "
        f"actuation_type: SPEED, actuation_function: {{type: CONSTANT, value: {speed}}}}}"
    )
    return text(GROUND, *bodies, joints="\n".join(joints_), constraints=rod, motors=motor)


@pytest.mark.parametrize("time_step", [1e-3, 1e-4])
def test_reactions_in_a_moving_loop_are_smooth_from_the_start(time_step: float) -> None:
    """The first samples agree with those that the next ones predict: no force jumps when the run starts."""
    simulation = Simulation(read(spatial_crank(2.0)), time_step=time_step)
    samples = []
    for _ in range(7):
        samples.append(simulation.reactions()["m"])
        simulation.step()
    for name in ("motor", "a", "b", "c", "d"):
        forces = np.array([sample[name]["force"] for sample in samples])
        slope = (forces[6] - forces[3]) / 3.0
        for number in range(3):
            predicted = forces[3] - (3 - number) * slope
            assert np.linalg.norm(forces[number] - predicted) < 40.0 * time_step * np.linalg.norm(forces[3]), (name, number)


def test_a_guide_carries_no_force_along_itself_when_a_stop_is_hit() -> None:
    guide = "- {name: guide, type: PRISMATIC, body1: b, body2: ground, location: [0, 0, 0], axis: [0.1, -0.2, 1]}"
    stop = (
        "- {name: s, body1: b, body2: ground, point1: [0, 0, 0], point2: [0.05, -0.1, 0.5], free_length: 0.4, "
        "spring_coefficient: 5, damping_coefficient: 0, minimum_length: 0.45, maximum_length: 0.6}"
    )
    simulation = Simulation(read(text(GROUND, body("b"), joints=guide, tsdas=stop)), time_step=1e-3)
    axis, has_hit = np.array([0.1, -0.2, 1.0]), False
    for _ in range(220):
        simulation.step()
        force = simulation.reactions()["m"]["guide"]["force"]
        spring = simulation.elements()["m"]["s"]
        length = float(spring["length"])
        is_between_stops = 0.45 < length < 0.6
        has_hit |= not is_between_stops
        if is_between_stops:
            assert float(spring["force"]) == pytest.approx(-5.0 * (length - 0.4), abs=1e-9)
        assert abs(force @ axis) < 1e-9 * np.linalg.norm(force), simulation.time
    assert has_hit


def test_reactions_do_not_depend_on_the_division_of_steps() -> None:
    """Two bodies on planes spin ever faster under a torque; the number of sub-steps changes many times."""
    joints = """
- {name: a, type: POINT_PLANE, body1: b, body2: ground, location: [0, 0, 0], axis: [0.1, 0.1, 1]}
- {name: b, type: POINT_PLANE, body1: b, body2: c, location: [0.4, 0.1, 0.1], axis: [0.2, 0.9, 0.4]}"""
    load = "- {name: t, type: TORQUE, body: c, load: [15, 20, 10], local_load: true}"
    bodies = [
        body("b", "[0.2, 0.1, 0.1]", moments="[0.1, 0.15, 0.2]"),
        body("c", "[0.5, 0.2, 0.3]", moments="[0.1, 0.15, 0.2]"),
    ]
    content = text(GROUND, *bodies, joints=joints.strip(), body_loads=load)
    simulation = Simulation(read(content, Report()), time_step=1e-3)
    counts, forces = set(), []
    for _ in range(250):
        simulation.step()
        counts.add(simulation.engine.stepper.sub_steps.count)
        forces.append(simulation.reactions()["m"]["a"]["force"][2])
    assert len(counts) > 1
    second_differences = np.abs(np.diff(forces, 2))
    assert second_differences.max() < 0.02 * np.abs(forces).max()


@pytest.mark.parametrize("joint_type", [m.PointOnPlane(), m.PointOnLine()], ids=["plane", "line"])
def test_a_body_guided_by_a_fixed_point(joint_type: m.JointType) -> None:
    """The joint cannot be reversed, and its child is fixed: it constrains the body nevertheless, and carries its forces."""
    post = Body(name="post", inertial=Inertial(mass=1.0))
    moment = ((0.1, 0.0, 0.0), (0.0, 0.2, 0.0), (0.0, 0.0, 0.15))
    plate = Body(name="plate", pose=Pose((0.3, 0.1, 0.2)), inertial=Inertial(mass=2.0, moment=moment))
    joints = [
        Joint(name="foot", type=m.Fixed(), parent=None, child="post"),
        Joint(name="guide", type=joint_type, parent="plate", child="post"),
    ]
    model = Model(name="m", bodies=NamedList([post, plate]), joints=NamedList(joints))
    simulation = Simulation(World(gravity=(0.0, 0.0, -9.8), time_step=1e-3, models=NamedList([model])))
    simulation.step(400)
    state = simulation.body_states()["m"]["plate"]
    moved = Pose(state.position, state.wxyz).inverse().transform((0.0, 0.0, 0.0))
    offset = np.subtract(moved, plate.pose.inverse().transform((0.0, 0.0, 0.0)))
    free = [i for i, axis in enumerate("xyz") if axis in ("xy" if isinstance(joint_type, m.PointOnPlane) else "x")]
    assert np.abs(np.delete(offset, free)).max() < 1e-4
    assert np.abs(offset[free]).max() > 0.01, "it slides"
    reactions = simulation.reactions()["m"]
    weights = np.array([0.0, 0.0, 9.8 * 1.0])
    assert np.linalg.norm(reactions["guide"]["force"]) > 1.0
    assert reactions["foot"]["force"] + reactions["guide"]["force"] == pytest.approx(weights, abs=2e-3), "it is at rest"


def test_reactions_of_unequal_bars_are_those_of_statics_from_the_first_step() -> None:
    """Two bars meet at a ball joint; one has a hundred thousandth of the mass of the other, which loops settle slowly for."""
    light = body("light", "[0.5, 0, 0]", mass=0.01, moments="[1e-3, 1e-3, 1e-3]")
    heavy = body("heavy", "[1.5, 0, 0.3]", mass=1000.0, moments="[100, 100, 100]")
    joints = """
- {name: a, type: REVOLUTE, body1: light, body2: ground, location: [0, 0, 0], axis: [0, 1, 0]}
- {name: c, type: CYLINDRICAL, body1: heavy, body2: ground, location: [2, 0, 0], axis: [0, 1, 0]}
- {name: b, type: SPHERICAL, body1: light, body2: heavy, location: [1, 0, 0.3]}"""
    simulation = Simulation(read(text(GROUND, light, heavy, joints=joints.strip())), time_step=1e-3)
    weight_light, weight_heavy = 0.01 * 9.8, 1000.0 * 9.8
    x = (weight_light + weight_heavy) / 1.2  # moments about both hinges
    expected = np.array([-x, 0.0, -(0.3 * x - 0.5 * weight_light)])
    for number in range(30):
        force = simulation.reactions()["m"]["b"]["force"]
        assert np.linalg.norm(force - expected) < 1e-3 * np.linalg.norm(expected), number
        simulation.step()
