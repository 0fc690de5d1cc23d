"""Force laws in motion: bushings on moving bodies against the law of Chrono, and forces that jump against closed forms."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from chrono.models import GROUND, body, read, text
from ossature.diagnostics import Report
from ossature.model import World
from ossature.simulation import Simulation

STIFFNESS, DAMPING = 900.0, 30.0
AT = np.array([0.7, 0.05, 0.3])
PLACES = {"arm": [0.3, 0.0, 0.0], "left": [0.6, 0.0, 0.2], "right": [0.9, 0.0, 0.1]}
CHAIN = ["REVOLUTE arm ground", "SPHERICAL left arm", "UNIVERSAL right arm"]
TREES = ["REVOLUTE arm ground", "SPHERICAL left ground", "SPHERICAL right left"]


def mechanism(joints: list[str], bushing: str) -> World:
    """Return bodies on joints, given as type and two bodies each, and a bushing between two of them."""
    axes = {"REVOLUTE": "axis: [0, 1, 0.1]", "SPHERICAL": "", "UNIVERSAL": "axis1: [0, 1, 0.2], axis2: [0.3, -0.2, 1]"}
    lines = []
    for joint in joints:
        kind, first, second = joint.split()
        location = [0.0, 0.0, 0.0] if second == "ground" else np.mean([PLACES[first], PLACES[second]], axis=0).tolist()
        lines.append(
            f"- {{name: {first} joint, type: {kind}, body1: {first}, body2: {second}, location: {location}, {axes[kind]}}}"
        )
    first, second = bushing.split()
    data = f"{{stiffness_linear: {STIFFNESS}, damping_linear: {DAMPING}, stiffness_rotational: 5, damping_rotational: 0.2}}"
    lines.append(
        f"- {{name: bushing, type: LOCK, body1: {first}, body2: {second}, location: {AT.tolist()}, bushing_data: {data}}}"
    )
    bodies = [body(name, str(place), moments="[0.02, 0.03, 0.04]") for name, place in PLACES.items()]
    return read(text(GROUND, *bodies, joints="\n".join(lines)))


def law(simulation: Simulation, first: str, second: str) -> NDArray[np.float64]:
    """Return the force on the first body: of the deformation and its rate in the second body's frame, as a world vector."""
    states = simulation.body_states()["m"]

    def motion(name: str) -> tuple[NDArray[np.float64], ...]:
        state = states[name]
        rotation = Rotation.from_quat(state.wxyz, scalar_first=True).as_matrix()
        arm, spin = rotation @ (AT - PLACES[name]), rotation @ state.angular_velocity_body
        return np.add(state.position, arm), state.linear_velocity + np.cross(spin, arm), spin

    (at1, rate1, _), (at2, rate2, spin) = motion(first), motion(second)
    return np.asarray(-STIFFNESS * (at1 - at2) - DAMPING * (rate1 - rate2 - np.cross(spin, at1 - at2)))


@pytest.mark.one_in(2)
@pytest.mark.parametrize("joints", [CHAIN, TREES])
@pytest.mark.parametrize("bushing", ["left right", "right left", "left arm", "arm left"])
def test_a_bushing_has_its_law_between_any_two_bodies_of_a_mechanism(joints: list[str], bushing: str) -> None:
    """Also if one of them, or a common ancestor of both, rotates."""
    simulation = Simulation(mechanism(joints, bushing), report=Report(), time_step=1e-4)
    for _ in range(3):
        simulation.step(700)
        force = simulation.reactions()["m"]["bushing"]["force"]
        # The force of the next step is evaluated in its middle.
        np.testing.assert_allclose(force, law(simulation, *bushing.split()), atol=2e-4 * np.linalg.norm(force))


REPEATED = "{type: RAMP, slope: 30, intercept: -2, repeat: {start: 0, width: 0.25, shift: %s}}"
TABLE = "{type: DATA, data: [[0, 0], [0.31, 0], [0.31000001, 5], [0.7, 5], [0.70000001, -2]]}"


@pytest.mark.parametrize("step", [1e-3, 4e-3])
@pytest.mark.parametrize("function", [REPEATED % 0.1, REPEATED % 0.1005, REPEATED % 0.0, TABLE])
@pytest.mark.parametrize("kind", ["motor", "load"])
def test_a_torque_that_jumps_has_its_exact_impulse(kind: str, function: str, step: float) -> None:
    """Wherever in a step it jumps: the angle of a rotor is the double integral of the torque over its inertia."""
    pin = "{name: %s, type: %s, body1: rotor, body2: ground, location: [0, 0, 0], axis: [0, 0, 1]%s}"
    if kind == "motor":
        actuation = f", spindle: REVOLUTE, actuation_type: FORCE, actuation_function: {function}"
        sections = {"motors": "- " + pin % ("pin", "ROTATION", actuation)}
    else:
        load = f"{{name: load, type: TORQUE, body: rotor, load: [0, 0, 1], local_load: false, modulation_function: {function}}}"
        sections = {"joints": "- " + pin % ("pin", "REVOLUTE", ""), "body_loads": "- " + load}
    world = replace(read(text(GROUND, body("rotor", "[0, 0, 0]", moments="[1, 1, 1]"), **sections)), gravity=(0.0, 0.0, 0.0))
    simulation = Simulation(world, report=Report(), time_step=step)
    simulation.run(1.0)
    times = (np.arange(1_000_000) + 0.5) * 1e-6
    if function == TABLE:
        torques = 5.0 * ((times >= 0.31) & (times < 0.7)) - 2.0 * (times >= 0.7)
    else:
        shift = float(function.split("shift: ")[1].rstrip("}"))
        torques = -2.0 + 30.0 * np.mod(times + shift, 0.25)
    angle = float(((1.0 - times) * torques).sum() * 1e-6)
    w, _, _, z = simulation.body_states()["m"]["rotor"].wxyz
    assert 2.0 * math.atan2(z, w) == pytest.approx(angle, abs=4.0 * step**2)
