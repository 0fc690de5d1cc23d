"""Dynamics and motions compared with DART: stored references, and dartpy at the same time step."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dart_reference import Case, case, referenced_files
from equations_of_motion import equations_of_motion
from ossature.assets import MeshStore, Resolver
from ossature.model import Actuation, Floating, Joint, Model, NamedList, World
from ossature.simulation import Simulation
from ossature.spatial import (
    cross,
    multiply,
    quaternion_from_rotation_vector,
    rotate,
    rotation_matrix,
    subtract,
)

NOT_COMPARED = {
    "kima/kima_human_left_leg": "a box of negative size, for which DART takes one of 1 m",
}
MESHES = ("kima/kima_human_edited", "kima/kima_human_left_arm", "mesh_collision")


def all_free_to_move(world: World) -> World:
    """Return a World whose models all move and whose joints are all driven by forces, as DART's equations see them."""
    models = []
    for model in world.models:
        joints = [replace(joint, actuation=Actuation.FORCE) for joint in model.joints]
        models.append(replace(model, static=False, joints=NamedList(joints)))
    return replace(world, models=NamedList(models))


def simulation_of(found: Case, world: World, **options: Any) -> Simulation:
    return Simulation(world, meshes=MeshStore(Resolver(folder=found.path.parent)), **options)


def skew(v: Any) -> np.ndarray[Any, Any]:
    return np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])


def to_dart(model: Model, joint: Joint, q: list[float], v: list[float]) -> tuple[Any, Any]:
    """Return the matrix from DART's velocities of a joint to the model's, and its rate times the velocity.

    They differ for a free joint with a transformation: see ``ossature.formats.skel.convert_free_joint_motion``.
    """
    count = joint.degrees_of_freedom
    A, rate = np.eye(count), np.zeros(count)
    if isinstance(joint.type, Floating):
        outer = model.pose if joint.parent is None else model.bodies[joint.parent].pose.inverse()
        turn = joint.pose.wxyz
        rotation = multiply(multiply(outer.wxyz, model.bodies[joint.child].pose.wxyz), turn)
        rotation = multiply(rotation, quaternion_from_rotation_vector((q[0], q[1], q[2])))
        R_joint = np.array(rotation_matrix(turn))
        lever = rotate(rotation, rotate((turn[0], -turn[1], -turn[2], -turn[3]), joint.pose.position))
        A[:3, :3] = A[3:, 3:] = R_joint
        A[3:, :3] = -skew(subtract(lever, joint.pose.position)) @ R_joint
        spin = tuple(R_joint @ v[:3])
        rate[3:] = cross(spin, cross(spin, lever))
    return A, rate


@pytest.mark.parametrize("name", [name for name in referenced_files() if name not in NOT_COMPARED])
def test_equations_of_motion(corpus: Path, name: str) -> None:
    tolerance = 1e-7 if name in MESHES else 1e-8
    found = case(corpus, name)
    world = all_free_to_move(found.world)
    simulation = simulation_of(found, world)
    for model, reference in zip(world.models, found.reference["skeletons"], strict=True):
        carriers = {joint.child: joint for joint in model.joints}
        joints = [carriers[expected["child"]] for expected in reference["joints"]]
        for sample in reference["samples"]:
            compare_equations(simulation, model, joints, sample, tolerance)


def compare_equations(
    simulation: Simulation, model: Model, joints: list[Joint], sample: dict[str, Any], tolerance: float
) -> None:
    width = sum(joint.degrees_of_freedom for joint in joints)
    if width == 0:
        return
    A, rate, positions, velocities, start = np.zeros((width, width)), np.zeros(width), {}, {}, 0
    for joint in joints:
        part = slice(start, start + joint.degrees_of_freedom)
        q, v = sample["q"][part], sample["v"][part]
        A[part, part], rate[part] = to_dart(model, joint, q, v)
        positions[joint.name], velocities[joint.name] = q, (A[part, part] @ v).tolist()
        start = part.stop
    M, c = equations_of_motion(simulation, model.name, [joint.name for joint in joints], positions, velocities)
    M_dart, c_dart = A.T @ M @ A, A.T @ (M @ rate + c)
    scale = np.abs(sample["M"]).max()
    np.testing.assert_allclose(M_dart, sample["M"], rtol=tolerance, atol=tolerance * scale)
    if any(body.soft_skin is not None for body in model.bodies):
        return  # DART's forces on a rotating free soft body are not those of a rigid one, even without deformation
    force_scale = max(np.abs(sample["Cg"]).max(), scale)
    np.testing.assert_allclose(c_dart, sample["Cg"], rtol=tolerance, atol=tolerance * force_scale)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", referenced_files("trajectories"))
def test_trajectories(corpus: Path, name: str) -> None:
    found = case(corpus, name, "trajectories")
    # The references step with 20 µs; at the same step only the order of summation differs.
    simulation = simulation_of(found, found.world, enforce_limits=False, time_step=found.reference["time_step"])
    samples = found.reference["samples"]
    recording = simulation.run(found.reference["duration"], sample=samples[1]["t"] - samples[0]["t"])
    allowed = 10.0 * found.reference["difference_to_doubled_time_step"] + 1e-9
    for number, sample in enumerate(samples):
        assert recording.times[number] == pytest.approx(sample["t"], abs=1e-9)
        for model, bodies in sample["bodies"].items():
            for body, matrix in bodies.items():
                state = recording.body(model, body, number)
                np.testing.assert_allclose(state.position, np.array(matrix)[:3, 3], atol=allowed)
                w, x, y, z = state.wxyz
                np.testing.assert_allclose(rotation_matrix((w, x, y, z)), np.array(matrix)[:3, :3], atol=allowed)


LIVE = """
import json, sys
import numpy as np
import dartpy
world = dartpy.utils.SkelParser.readWorld(sys.argv[1])
for _ in range(int(sys.argv[2])):
    world.step()
result = {}
for i in range(world.getNumSkeletons()):
    skeleton = world.getSkeleton(i)
    bodies = [skeleton.getBodyNode(k) for k in range(skeleton.getNumBodyNodes())]
    result[skeleton.getName()] = {body.getName(): body.getTransform().matrix().tolist() for body in bodies}
print("RESULT" + json.dumps(result))
"""

CONTACT_FREE = [
    name
    for name in referenced_files("trajectories")
    if name.rpartition("/")[2] not in ("joint_dynamics_elements_test",)  # it has friction
]


@pytest.mark.one_in(4)
@pytest.mark.skipif(importlib.util.find_spec("dartpy") is None, reason="dartpy is not installed")
@pytest.mark.parametrize("name", CONTACT_FREE)
def test_live(corpus: Path, name: str) -> None:
    import json

    found = case(corpus, name, "trajectories")
    simulation = simulation_of(found, found.world, enforce_limits=False)
    simulation.step(200)
    done = subprocess.run(
        [sys.executable, "-c", LIVE, str(found.path.resolve()), "200"],
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    theirs = json.loads(done.stdout.partition("RESULT")[2])
    for model, bodies in simulation.poses().items():
        for body, pose in bodies.items():
            np.testing.assert_allclose(pose.matrix(), theirs[model][body], atol=1e-8, err_msg=f"{model}/{body}")
