"""Forward kinematics of every type of joint, against DART, for random frames, axes and coordinates."""

from __future__ import annotations

import importlib.util
import json
import math
import random
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from ossature.diagnostics import Report, Source
from ossature.formats.skel import read_skel
from ossature.kinematics import model_poses, motion_pose, poses
from ossature.model import (
    Actuation,
    Body,
    Coordinate,
    Floating,
    Joint,
    Model,
    NamedList,
    Planar,
    Prismatic,
    Revolute,
    Screw,
    Translational2D,
    World,
)
from ossature.simulation import Simulation
from ossature.spatial import Pose

PROGRAM = """
import json, sys
import dartpy
world = dartpy.utils.SkelParser.readWorld(sys.argv[1])
skeletons = [world.getSkeleton(i) for i in range(world.getNumSkeletons())]
bodies = [{b.getName(): b.getWorldTransform().matrix().tolist() for b in s.getBodyNodes()} for s in skeletons]
print("RESULT" + json.dumps(bodies))
"""

# DART 6.20 reads no screw and no translational2d joint from a file.
COORDINATES = {
    "weld": 0,
    "revolute": 1,
    "prismatic": 1,
    "universal": 2,
    "ball": 3,
    "euler": 3,
    "translational": 3,
    "planar": 3,
    "planar along any axes": 3,
    "free": 6,
}


def numbers(rng: random.Random, count: int, size: float = 1.0) -> str:
    return " ".join(str(rng.uniform(-size, size)) for _ in range(count))


def direction(rng: random.Random, tag: str) -> str:
    # DART takes the axes of a universal joint as they are, and finds them unfit unless they have unit length.
    x, y, z = (rng.gauss(0.0, 1.0) for _ in range(3))
    length = math.hypot(x, y, z)
    return f"<{tag}><xyz>{x / length} {y / length} {z / length}</xyz></{tag}>"


def inside_joint(rng: random.Random, kind: str) -> str:
    plane = rng.choice(("xy", "yz", "zx"))
    return {
        "revolute": lambda: direction(rng, "axis"),
        "prismatic": lambda: direction(rng, "axis"),
        "universal": lambda: direction(rng, "axis") + direction(rng, "axis2"),
        "euler": lambda: f"<axis_order>{rng.choice(('xyz', 'zyx'))}</axis_order>",
        "planar": lambda: f'<plane type="{plane}"/>',
        "planar along any axes": lambda: (
            f'<plane type="arbitrary">{direction(rng, "translation_axis1")}{direction(rng, "translation_axis2")}</plane>'
        ),
    }.get(kind, lambda: "")()


def skeleton(rng: random.Random, kind: str, number: int, mobile: bool) -> str:
    count = COORDINATES[kind]
    start = f"<init_pos>{numbers(rng, count, 2.0)}</init_pos>" if count else ""
    bodies = "".join(
        f'<body name="{name}"><transformation>{numbers(rng, 6)}</transformation>'
        "<inertia><mass>1</mass><moment_of_inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz><ixy>0</ixy><ixz>0</ixz><iyz>0</iyz>"
        "</moment_of_inertia></inertia></body>"
        for name in ("upper", "lower")
    )
    return (
        f'<skeleton name="s{number}"><mobile>{str(mobile).lower()}</mobile>'
        f"<transformation>{numbers(rng, 6)}</transformation>{bodies}"
        f'<joint type="revolute" name="root"><parent>world</parent><child>upper</child>'
        f"<transformation>{numbers(rng, 6)}</transformation>"
        f"{direction(rng, 'axis')}<init_pos>{numbers(rng, 1)}</init_pos></joint>"
        f'<joint type="{kind.partition(" ")[0]}" name="moved"><parent>upper</parent><child>lower</child>'
        f"<transformation>{numbers(rng, 6)}</transformation>{inside_joint(rng, kind)}{start}</joint></skeleton>"
    )


@pytest.mark.skipif(importlib.util.find_spec("dartpy") is None, reason="dartpy is not installed")
def test_against_dart(tmp_path: Path) -> None:
    rng = random.Random(11)
    # Immobile skeletons too: DART moves their bodies to the initial positions, and holds them there.
    kinds = [(kind, mobile) for kind in COORDINATES for mobile in (True, True, False)]
    skeletons = "".join(skeleton(rng, kind, number, mobile) for number, (kind, mobile) in enumerate(kinds))
    path = tmp_path / "joints.skel"
    path.write_text(
        '<skel version="1.0"><world name="w"><physics><time_step>0.001</time_step><gravity>0 0 0</gravity></physics>'
        f"{skeletons}</world></skel>"
    )
    done = subprocess.run([sys.executable, "-c", PROGRAM, str(path)], capture_output=True, text=True, timeout=300, check=True)
    theirs = json.loads(done.stdout.partition("RESULT")[2])
    world = read_skel(Source(str(path), path.read_bytes()), Report())
    assert world is not None
    assert len(theirs) == len(world.models) == len(kinds)
    for (kind, _), placed, expected in zip(kinds, poses(world).values(), theirs, strict=True):
        for name in ("upper", "lower"):
            np.testing.assert_allclose(placed[name].matrix(), expected[name], atol=1e-13, err_msg=f"{name} of {kind}")


def test_a_screw_advances_by_its_pitch_per_revolution() -> None:
    moved = motion_pose(Screw(axis=(0.0, 1.0, 0.0), pitch=0.25), (math.tau,))
    assert moved.position == pytest.approx((0.0, 0.25, 0.0), abs=1e-15)
    np.testing.assert_allclose(moved.matrix()[:3, :3], np.eye(3), atol=1e-15)


def test_a_planar_joint_rotates_about_the_cross_product_of_its_axes() -> None:
    axes = {"axis1": (0.0, 1.0, 0.0), "axis2": (0.0, 0.0, 1.0)}
    moved = motion_pose(Planar(**axes), (2.0, 3.0, math.pi / 2.0))
    assert moved.position == (0.0, 2.0, 3.0)
    assert moved.transform((0.0, 1.0, 0.0)) == pytest.approx((0.0, 2.0, 4.0))
    assert motion_pose(Translational2D(**axes), (2.0, 3.0)) == Pose((0.0, 2.0, 3.0))


def test_the_rotation_vector_of_a_free_joint_comes_first() -> None:
    moved = motion_pose(Floating(), (0.0, 0.0, math.pi / 2.0, 1.0, 2.0, 3.0))
    assert moved.position == (1.0, 2.0, 3.0)
    assert moved.transform((1.0, 0.0, 0.0)) == pytest.approx((1.0, 3.0, 3.0))


@pytest.mark.parametrize("positions", [(), (1.0, 2.0)])
def test_a_joint_has_its_number_of_coordinates(positions: tuple[float, ...]) -> None:
    with pytest.raises(ValueError, match=f"a prismatic joint has 1 coordinate, not {len(positions)}"):
        motion_pose(Prismatic(), positions)


ARM = Model(
    name="arm",
    pose=Pose((1.0, 0.0, 0.0)),
    bodies=NamedList([Body(name="hand", pose=Pose((0.0, 0.0, 1.0))), Body(name="loose", pose=Pose((0.0, 5.0, 0.0)))]),
    joints=NamedList([Joint(name="wrist", type=Revolute(), parent=None, child="hand", pose=Pose((0.0, 1.0, 0.0)))]),
)


def test_poses_are_in_the_world() -> None:
    placed = poses(World(models=NamedList([ARM])), {"arm": {"wrist": (math.pi,)}})["arm"]
    assert placed["hand"].position == pytest.approx((1.0, 2.0, 1.0))
    assert placed["loose"].position == (1.0, 5.0, 0.0)
    assert model_poses(ARM)["hand"].position == (1.0, 0.0, 1.0)


@pytest.mark.parametrize(
    ("positions", "error", "words"),
    [
        ({"amr": {}}, KeyError, "no model 'amr': did you mean 'arm'"),
        ({"arm": {"elbow": (0.0,)}}, KeyError, "no joint 'elbow': valid: wrist"),
        ({"arm": {"wrist": ()}}, ValueError, "joint 'wrist' has 1 coordinate, not 0"),
    ],
)
def test_unknown_names_are_errors(
    positions: dict[str, dict[str, tuple[float, ...]]], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        poses(World(models=NamedList([ARM])), positions)


@pytest.mark.parametrize("actuation", [Actuation.PASSIVE, Actuation.LOCKED])
def test_a_reversed_free_joint_starts_at_its_initial_position(actuation: Actuation) -> None:
    start = (0.3, -0.2, 0.4, 0.1, 0.2, 0.3)
    free = Joint(
        name="free",
        type=Floating(),
        parent="outer",
        child="inner",
        pose=Pose((0.0, 0.1, 0.0)),
        actuation=actuation,
        coordinates=tuple(Coordinate(initial_position=value) for value in start),
    )
    bodies = [Body(name="inner", pose=Pose((0.1, 0.2, 0.3))), Body(name="outer", pose=Pose((0.4, 0.2, 0.3)))]
    joints = [Joint(name="hinge", type=Revolute(), parent=None, child="inner"), free]
    model = Model(name="model", bodies=NamedList(bodies), joints=NamedList(joints))
    placed = model_poses(model)
    # Its definition: the joint frame in the parent, times the motion, is the joint frame in the child.
    frame = bodies[1].pose.inverse() @ bodies[0].pose @ free.pose
    child = placed["outer"] @ frame @ motion_pose(Floating(), start) @ free.pose.inverse()
    np.testing.assert_allclose(child.matrix(), placed["inner"].matrix(), atol=1e-12)
    simulated = Simulation(replace(World(), models=NamedList([model]))).poses()["model"]
    np.testing.assert_allclose(simulated["outer"].matrix(), placed["outer"].matrix(), atol=1e-12)
