"""A joint whose limits exclude zero starts at the nearest limit, in simulation and in the files of programs that do not."""

from __future__ import annotations

from pathlib import Path

import mujoco
import numpy as np
import pytest

import ossature
from ossature.conversion import convert
from ossature.model import Box, Coordinate, Joint, Model, Prismatic, Range, Revolute, World, make_body
from ossature.spatial import Pose

LIMITS = {"above": (Range(0.5, 1.2), 0.5), "below": (Range(-1.2, -0.3), -0.3)}


def world_of(limits: Range, kind: type[Revolute] | type[Prismatic]) -> World:
    bodies = [make_body(name, Box(size=(0.2, 0.1, 0.1)), mass=1, pose=Pose((x, 0, 1))) for name, x in (("a", 0), ("b", 1))]
    joints = [
        Joint(name="root", type=Revolute(axis=(0, 0, 1)), parent=None, child="a"),
        Joint(name="j", type=kind(axis=(0, 0, 1)), parent="a", child="b", coordinates=[Coordinate(position_limits=limits)]),
    ]
    return World(models=[Model(name="m", bodies=bodies, joints=joints)])


@pytest.mark.parametrize("kind", [Revolute, Prismatic])
@pytest.mark.parametrize("side", LIMITS)
def test_mujoco_starts_at_the_limit(side: str, kind: type[Revolute] | type[Prismatic], tmp_path: Path) -> None:
    limits, expected = LIMITS[side]
    done = convert(world_of(limits, kind), tmp_path / "written.xml", verify=True)
    assert done.differences == ()
    engine = mujoco.MjModel.from_xml_path(str(tmp_path / "written.xml"))
    data = mujoco.MjData(engine)
    mujoco.mj_resetDataKeyframe(engine, data, 0)
    mujoco.mj_forward(engine, data)
    assert data.joint("j").qpos == expected
    assert np.abs(data.efc_force).max(initial=0.0) < 20.0  # no more than the weight: the stop does not push it back


@pytest.mark.one_in(2)
@pytest.mark.parametrize("suffix", [".yaml", ".skel", ".urdf", ".sdf", ".dae", ".usda"])
@pytest.mark.parametrize("kind", [Revolute, Prismatic])
@pytest.mark.parametrize("side", LIMITS)
def test_other_formats_start_there(side: str, kind: type[Revolute] | type[Prismatic], suffix: str, tmp_path: Path) -> None:
    world = world_of(LIMITS[side][0], kind)
    done = convert(world, tmp_path / f"written{suffix}", verify=True)
    assert done.differences == ()
    expected = ossature.Simulation(world).poses()["m"]["b"].matrix()
    (poses,) = ossature.Simulation(ossature.load(tmp_path / f"written{suffix}")).poses().values()
    np.testing.assert_allclose(poses["b"].matrix(), expected, atol=1e-6)
