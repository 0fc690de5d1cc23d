"""Reactions in Worlds that MuJoCo compiles: joints without springs, dampers and motors transmit nothing along their motion."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

import ossature
from ossature.diagnostics import Report
from ossature.model import Joint, Revolute, Spherical
from ossature.simulation import Simulation
from ossature.spatial import Pose

INTEGRATORS = ("Euler", "implicitfast", "implicit", "RK4")


def random_model(seed: int) -> str:
    """Return a tree of bodies with free joints of all kinds, which tendons, sites' actuators and equalities connect."""
    rng = random.Random(seed)

    def vector(size: float) -> str:
        return " ".join(f"{rng.uniform(-size, size):.3f}" for _ in range(3))

    count = rng.randint(2, 5)
    opened = ""
    for number in range(count):
        kind = rng.choice(("hinge", "slide", "ball"))
        axis = "" if kind == "ball" else f' axis="{vector(1.0)}"'
        opened += (
            f'<body name="b{number}" pos="{vector(0.5)}" euler="{vector(90.0)}"><joint name="j{number}" type="{kind}"{axis}/>'
        )
        opened += f'<inertial pos="{vector(0.1)}" mass="{rng.uniform(0.5, 2.0):.3f}" diaginertia="0.05 0.06 0.07"/>'
        opened += (
            f'<site name="s{number}" pos="{vector(0.3)}" euler="{vector(90.0)}"/><site name="r{number}" pos="{vector(0.3)}"/>'
        )
        opened += (
            f'<geom name="g{number}" type="{rng.choice(("sphere", "cylinder"))}" size="0.08 0.1" contype="0" conaffinity="0"/>'
        )
        if rng.random() < 0.4:
            opened += "</body>"
        else:
            opened += "<!-- child -->"
    depth = opened.count("<!-- child -->")
    sites = [f"{letter}{number}" for letter in "sr" for number in range(count)]

    def two() -> tuple[str, str]:
        first, second = rng.sample([*sites, "w"], 2)
        return first, second

    tendons = []
    for number in range(2):
        (first, last), (third, fourth) = two(), two()
        wrap = f'<geom geom="g{rng.randrange(count)}"/>' if rng.random() < 0.6 else ""
        pulley = f'<pulley divisor="2.5"/><site site="{third}"/><site site="{fourth}"/>' if rng.random() < 0.6 else ""
        limits = ' limited="true" range="0 0.4"' if rng.random() < 0.4 else ""
        tendons.append(
            f'<spatial name="t{number}" stiffness="{rng.uniform(5, 40):.1f}" damping="{rng.uniform(0, 1):.2f}"'
            f' frictionloss="0.1" springlength="0.1 0.2"{limits}>'
            f'<site site="{first}"/>{wrap}<site site="{last}"/>{pulley}</spatial>'
        )
    (first, second), (third, fourth), (fifth, sixth) = two(), two(), two()
    actuators = (
        f'<position tendon="t0" kp="5" kv="0.5"/><general site="{first}" refsite="{second}" gear="{vector(1)} {vector(1)}"/>'
    )
    actuators += f'<orientation site="s0" refsite="{"w" if count == 1 else "r1"}" kp="2" kv="0.1"/>'
    equality = rng.choice(
        (
            f'<connect site1="{third}" site2="{fourth}"/>',
            f'<weld site1="{fifth}" site2="{sixth}" torquescale="0.5"/>',
            '<weld body1="b0" body2="b1" anchor="0.1 0.2 0"/>',
            '<tendon tendon1="t0" tendon2="t1" polycoef="0.1 0.5 0.2"/>',
            "",
        )
    )
    return (
        f'<mujoco model="m"><option integrator="{rng.choice(INTEGRATORS)}" timestep="0.001"/>'
        f'<worldbody><site name="w" pos="{vector(1)}"/>'
        f"{opened}{'</body>' * depth}</worldbody><tendon>{''.join(tendons)}</tendon><actuator>{actuators}</actuator>"
        f"<equality>{equality}</equality></mujoco>"
    )


def moving_part(simulation: Simulation, joint: Joint) -> float:
    """Return the part of the reaction of a joint along its coordinates, over the reaction."""
    reaction = simulation.reactions()["m"][joint.name]
    state = simulation.body_states()["m"][joint.child]
    pose = Pose(state.position, state.wxyz)
    force, torque = reaction["force"], reaction["torque"]
    size = max(np.linalg.norm(force) * 0.1, np.linalg.norm(torque), 1.0)
    kind = joint.type
    if isinstance(kind, Spherical):
        return float(np.linalg.norm(torque) / size)
    axis = np.array(pose.transform(kind.axis)) - np.array(pose.position)
    return float(abs((torque if isinstance(kind, Revolute) else 0.1 * force) @ axis) / size)


@pytest.mark.parametrize("seed", [*range(12), *[pytest.param(seed, marks=pytest.mark.slow) for seed in range(12, 200)]])
def test_free_coordinates_transmit_nothing(seed: int, tmp_path: Path) -> None:
    path = tmp_path / "m.xml"
    path.write_text(random_model(seed))
    world = ossature.load(path)
    simulation = Simulation(world, report=Report())
    for _ in range(4):
        simulation.step(7)
        for joint in world.models["m"].joints:
            if joint.coordinates:
                assert moving_part(simulation, joint) < 1e-8, f"{joint.name} after {simulation.time:g} s"
