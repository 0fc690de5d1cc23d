"""Mechanisms whose motion is known: in closed form, or from the benchmark problems of the multibody field."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from chrono.models import GROUND, body, read, text
from ossature.diagnostics import Report
from ossature.model import World
from ossature.simulation import Simulation


def with_gravity(world: World, x: float, y: float, z: float) -> World:
    return replace(world, gravity=(x, y, z))


def test_slider_crank() -> None:
    """A crank of 0.5 m at constant speed and a rod of 2 m: x = r·cos φ + √(l² - r²·sin² φ)."""
    r, length, speed = 0.5, 2.0, 3.0
    world = read(
        text(
            GROUND,
            body("crank", "[0.25, 0, 0]"),
            body("rod", "[1.5, 0, 0]"),
            body("slider", "[2.5, 0, 0]"),
            joints=(
                "- {name: pin, type: REVOLUTE, body1: crank, body2: rod, location: [0.5, 0, 0], axis: [0, 1, 0]}\n"
                "- {name: wrist, type: REVOLUTE, body1: rod, body2: slider, location: [2.5, 0, 0], axis: [0, 1, 0]}\n"
                "- {name: guide, type: PRISMATIC, body1: ground, body2: slider, location: [2.5, 0, 0], axis: [1, 0, 0]}"
            ),
            motors=(
                "- {name: drive, type: ROTATION, body1: crank, body2: ground, location: [0, 0, 0], axis: [0, 1, 0],"
                f" actuation_type: SPEED, actuation_function: {{type: CONSTANT, value: {speed}}}}}"
            ),
        )
    )
    recording = Simulation(world).run(3.0, sample=0.05)
    phi = speed * recording.times
    expected = r * np.cos(phi) + np.sqrt(length**2 - (r * np.sin(phi)) ** 2)
    x = recording.positions[:, recording.index.bodies["m"]["slider"].number, 0]
    assert np.abs(x - expected).max() < 1e-5
    assert recording.violation.max() < 2e-5


def test_hookes_joint() -> None:
    """Two shafts at 30°: tan(output) = cos 30° · tan(input)."""
    bend = np.radians(30.0)
    away, up = float(np.cos(bend)), float(np.sin(bend))
    world = read(
        text(
            GROUND,
            body("a", "[-0.5, 0, 0]", moments="[0.02, 0.1, 0.1]"),
            body("b", f"[{away / 2}, 0, {up / 2}]", "orientation: [0, -30, 0]", moments="[0.02, 0.1, 0.1]"),
            joints=(
                f"- {{name: cross, type: UNIVERSAL, body1: a, body2: b, location: [0, 0, 0], axis1: [0, 1, 0],"
                f" axis2: [{-up}, 0, {away}]}}\n"
                f"- {{name: bearing, type: REVOLUTE, body1: b, body2: ground, location: [{away}, 0, {up}],"
                f" axis: [{away}, 0, {up}]}}"
            ),
            motors=(
                "- {name: drive, type: ROTATION, body1: a, body2: ground, location: [-1, 0, 0], axis: [1, 0, 0],"
                " actuation_type: SPEED, actuation_function: {type: CONSTANT, value: 4.0}}"
            ),
        )
    )
    recording = Simulation(world).run(2.0, sample=0.05)
    angle_in = 4.0 * recording.times
    angle_out = np.array([recording.joint_positions("m", "bearing", sample)[0] for sample in range(len(recording.times))])
    # The joint's first axis is across the input shaft at the start.
    residual = np.sin(angle_out) * np.cos(angle_in) - np.cos(bend) * np.sin(angle_in) * np.cos(angle_out)
    inverse = np.sin(angle_in) * np.cos(angle_out) - np.cos(bend) * np.sin(angle_out) * np.cos(angle_in)
    assert min(np.abs(residual).max(), np.abs(inverse).max()) < 5e-6


def test_mass_spring_damper() -> None:
    """A mass on a spring-damper swings and dies away as its equation says."""
    mass, stiffness, damping, start = 2.0, 80.0, 3.0, 0.2
    world = with_gravity(
        read(
            text(
                GROUND,
                body("b", "[1, 0, 0]", mass=mass),
                joints="- {name: rail, type: PRISMATIC, body1: b, body2: ground, location: [1, 0, 0], axis: [1, 0, 0]}",
                tsdas=(
                    "- {name: s, body1: ground, body2: b, point1: [0, 0, 0], point2: [1, 0, 0],"
                    f" free_length: {1.0 - start}, spring_coefficient: {stiffness}, damping_coefficient: {damping}}}"
                ),
            )
        ),
        0.0,
        0.0,
        0.0,
    )
    recording = Simulation(world).run(4.0, sample=0.05)
    decay, omega = damping / (2.0 * mass), np.sqrt(stiffness / mass - (damping / (2.0 * mass)) ** 2)
    t = recording.times
    expected = start * np.exp(-decay * t) * (np.cos(omega * t) + decay / omega * np.sin(omega * t)) + 1.0 - start
    x = recording.positions[:, recording.index.bodies["m"]["b"].number, 0]
    assert np.abs(x - expected).max() < 2e-6


PENDULUM_AT_10_S = (-0.2750874626, -0.9614192051)
"""The simple pendulum of the benchmark library, in the plane of x and z [m]."""


@pytest.mark.parametrize(("time_step", "allowed"), [(1e-3, 2e-4), (1e-4, 2e-6)])
def test_simple_pendulum(time_step: float, allowed: float) -> None:
    world = with_gravity(
        read(
            text(
                GROUND,
                body("p", "[-1, 0, 0]"),
                constraints="- {name: rod, type: DISTANCE, body1: ground, body2: p, point1: [0, 0, 0], point2: [-1, 0, 0]}",
            )
        ),
        0.0,
        0.0,
        -9.81,
    )
    simulation = Simulation(world, time_step=time_step)
    start = sum(simulation.energy())
    simulation.step(round(10.0 / time_step))
    x, _, z = simulation.poses()["m"]["p"].position
    assert np.hypot(x - PENDULUM_AT_10_S[0], z - PENDULUM_AT_10_S[1]) < allowed
    assert abs(sum(simulation.energy()) - start) < 10.0 * allowed


FOUR_BARS_AT_10_S = (0.3284581, 0.9445185)
"""B0 of the N-four-bar with two loops, in the plane of x and z [m]."""


def hinge(name: str, body1: str, body2: str, x: int, z: int) -> str:
    return f"- {{name: {name}, type: REVOLUTE, body1: {body1}, body2: {body2}, location: [{x}, 0, {z}], axis: [0, 1, 0]}}"


def four_bars() -> World:
    moments = "[0.0001, 0.08333333333333333, 0.08333333333333333]"
    falling = "orientation: [0, -90, 0], initial_linear_velocity: [0.5, 0, 0], initial_angular_velocity: [0, 1, 0]"
    posts = [body(f"post{i}", f"[{i}, 0, 0.5]", falling, moments=moments) for i in range(3)]
    sliding = "initial_linear_velocity: [1, 0, 0]"
    beams = [body(f"beam{i}", f"[{i + 0.5}, 0, 1]", sliding, moments=moments) for i in range(2)]
    joints = [
        *(hinge(f"foot{i}", f"post{i}", "ground", i, 0) for i in range(3)),
        *(hinge(f"left{i}", f"beam{i}", f"post{i}", i, 1) for i in range(2)),
        *(hinge(f"right{i}", f"beam{i}", f"post{i + 1}", i + 1, 1) for i in range(2)),
    ]
    return with_gravity(read(text(GROUND, *posts, *beams, joints="\n".join(joints))), 0.0, 0.0, -9.81)


def test_four_bars_with_singular_places() -> None:
    """Both loops pass through places where all bars lie in one line; only a short step finds the way on exactly."""
    simulation = Simulation(four_bars(), time_step=1e-4)
    start = sum(simulation.energy())
    simulation.step(100_000)
    pose = simulation.poses()["m"]["post0"]
    x, _, z = pose.transform((0.5, 0.0, 0.0))
    assert np.hypot(x - FOUR_BARS_AT_10_S[0], z - FOUR_BARS_AT_10_S[1]) < 3e-5
    assert abs(sum(simulation.energy()) - start) < 1e-3


def test_vectors_in_local_axes_are_in_those_of_the_centre_of_mass_frame(report: Report) -> None:
    """As in Chrono, whose bodies are their centre-of-mass frames: here x, y and z of that frame are y, z and x of the body."""
    turned = "com: {orientation: [0.5, 0.5, 0.5, 0.5]}"
    local = "local_load: true, modulation_function: {type: CONSTANT, value: 2}"
    loads = (
        f"- {{name: f, type: FORCE, body: pushed, load: [3, 0, 0], point: [0, 0, 0], local_point: true, {local}}}\n"
        f"- {{name: t, type: TORQUE, body: twisted, load: [0, 0.5, 0], {local}}}"
    )
    bodies = (
        body("spun", more=f"{turned}, initial_angular_velocity: [1, 0, 0]"),
        body("pushed", more=turned),
        body("twisted", more=turned),
    )
    simulation = Simulation(replace(read(text(*bodies, body_loads=loads), report), gravity=(0.0, 0.0, 0.0)))
    report.take("center-of-mass-axes")
    simulation.step(1000)
    states = simulation.body_states()["m"]
    assert np.allclose(states["spun"].angular_velocity_body, (0.0, 1.0, 0.0), atol=1e-9)
    assert np.allclose(states["pushed"].linear_velocity, (0.0, 6.0, 0.0), atol=1e-9)
    assert np.allclose(states["twisted"].angular_velocity_body, (0.0, 0.0, 10.0), atol=1e-9)
