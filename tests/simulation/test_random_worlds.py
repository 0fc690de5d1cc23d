"""Random Worlds, read, posed and simulated here and by dartpy: the same state of every body."""

from __future__ import annotations

import importlib.util
import json
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from ossature.diagnostics import Report, Source
from ossature.formats.skel import read_skel
from ossature.kinematics import poses
from ossature.model import Floating, Spherical
from ossature.simulation import Simulation
from ossature.spatial import unit

PROGRAM = """
import json, sys
import dartpy
result = []
for path in sys.argv[2:]:
    world = dartpy.utils.SkelParser.readWorld(path)
    skeleton = world.getSkeleton(0)
    bodies = [skeleton.getBodyNode(k) for k in range(skeleton.getNumBodyNodes())]
    placed = [{b.getName(): b.getTransform().matrix().tolist() for b in bodies}]
    for _ in range(int(sys.argv[1])):
        world.step()
    placed.append({b.getName(): b.getTransform().matrix().tolist() for b in bodies})
    facts = {b.getName(): [b.getMass(), b.getLocalCOM().tolist(), b.getInertia().getMoment().tolist()] for b in bodies}
    result.append({"placed": placed, "facts": facts})
print("RESULT" + json.dumps(result))
"""

STEPS = 100
KINDS = {
    "revolute": 1,
    "prismatic": 1,
    "universal": 2,
    "ball": 3,
    "euler": 3,
    "translational": 3,
    "planar": 3,
    "free": 6,
    "weld": 0,
}
"""Types that DART 6.20 has, with their degrees of freedom; it refuses screw and translational2d joints in SKEL files."""


def numbers(rng: random.Random, count: int, size: float) -> str:
    return " ".join(repr(rng.uniform(-size, size)) for _ in range(count))


def axis(rng: random.Random, tag: str, kind: str) -> str:
    direction = ""
    if kind in ("revolute", "prismatic"):
        direction = f"<xyz>{numbers(rng, 3, 1.0)}</xyz>"
    elif kind == "universal":
        # Of a universal joint alone DART does not normalise the axes; others than unit vectors give it no rotation at all.
        x, y, z = unit((rng.uniform(-1.0, 1.0), rng.uniform(-1.0, 1.0), rng.uniform(-1.0, 1.0)))
        direction = f"<xyz>{x!r} {y!r} {z!r}</xyz>"
    dynamics = (
        f"<damping>{rng.uniform(0.0, 0.5)}</damping><spring_stiffness>{rng.uniform(0.0, 3.0)}</spring_stiffness>"
        f"<spring_rest_position>{rng.uniform(-0.3, 0.3)}</spring_rest_position>"
    )
    return f"<{tag}>{direction}<dynamics>{dynamics}</dynamics></{tag}>"


def joint(rng: random.Random, number: int, kind: str, parent: str) -> str:
    inside = f"<transformation>{numbers(rng, 6, 0.5)}</transformation>"
    count = KINDS[kind]
    if kind not in ("ball", "free", "weld"):
        inside += "".join(axis(rng, tag, kind) for tag in ("axis", "axis2", "axis3")[:count])
    if kind == "euler":
        inside += f"<axis_order>{rng.choice(('xyz', 'zyx'))}</axis_order>"
    if kind == "planar":
        inside += f'<plane type="{rng.choice(("xy", "yz", "zx"))}"/>'
    if count:
        inside += f"<init_pos>{numbers(rng, count, 0.8)}</init_pos><init_vel>{numbers(rng, count, 0.8)}</init_vel>"
    ends = f"<parent>{parent}</parent><child>b{number}</child>"
    return f'<joint type="{kind}" name="j{number}">{ends}{inside}</joint>'


def body(rng: random.Random, number: int) -> str:
    a, b, c = (rng.uniform(0.5, 1.0) for _ in range(3))
    entries = {"ixx": a, "iyy": b, "izz": c, "ixy": 0.05, "ixz": -0.03, "iyz": 0.02}
    moment = "".join(f"<{name}>{value}</{name}>" for name, value in entries.items())
    inertia = (
        f"<inertia><mass>{rng.uniform(0.5, 3.0)}</mass><offset>{numbers(rng, 3, 0.2)}</offset>"
        f"<moment_of_inertia>{moment}</moment_of_inertia></inertia>"
    )
    return f'<body name="b{number}"><transformation>{numbers(rng, 6, 1.0)}</transformation>{inertia}</body>'


def world(rng: random.Random) -> str:
    count = rng.randint(1, 6)
    bodies, joints = [], []
    for number in range(count):
        parent = "world" if number == 0 else f"b{rng.randrange(number)}"
        # A free joint below another body is compared in tests/simulation/test_against_dart.py by its equations.
        kinds = list(KINDS) if number == 0 else [kind for kind in KINDS if kind != "free"]
        bodies.append(body(rng, number))
        joints.append(joint(rng, number, rng.choice(kinds), parent))
    physics = f"<physics><time_step>0.001</time_step><gravity>{numbers(rng, 3, 10.0)}</gravity></physics>"
    frame = f"<transformation>{numbers(rng, 6, 1.0)}</transformation>"
    inside = frame + "".join(bodies) + "".join(joints)
    return f'<skel version="1.0"><world name="w">{physics}<skeleton name="s">{inside}</skeleton></world></skel>'


@pytest.mark.skipif(importlib.util.find_spec("dartpy") is None, reason="dartpy is not installed")
@pytest.mark.parametrize("seed", range(4))
def test_against_dart(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    paths = []
    for number in range(15):
        paths.append(tmp_path / f"{number}.skel")
        paths[-1].write_text(world(rng))
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(STEPS), *map(str, paths)],
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    for path, theirs in zip(paths, json.loads(done.stdout.partition("RESULT")[2]), strict=True):
        ours = read_skel(Source(str(path), path.read_bytes()), Report())
        assert ours is not None
        for found in ours.models["s"].bodies:
            mass, center, moment = theirs["facts"][found.name]
            assert found.inertial.mass == pytest.approx(mass, rel=1e-12)
            np.testing.assert_allclose(found.inertial.center_of_mass, center, atol=1e-12)
            np.testing.assert_allclose(found.inertial.moment, moment, rtol=1e-12, atol=1e-12)
        simulation = Simulation(ours, enforce_limits=False)
        simulation.step(STEPS)
        # Rotation vectors are integrated a little differently: some 1e-8 after a hundred steps.
        turning = any(isinstance(joint.type, Spherical | Floating) for joint in ours.models["s"].joints)
        moved = 1e-7 if turning else 1e-8
        for placed, expected, tolerance in zip((poses(ours), simulation.poses()), theirs["placed"], (1e-9, moved), strict=True):
            for name, matrix in expected.items():
                message = f"{path.name}: {name}"
                np.testing.assert_allclose(placed["s"][name].matrix(), matrix, atol=tolerance, err_msg=message)
