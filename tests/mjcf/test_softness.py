"""What the ledger states about MuJoCo's soft constraints is what MuJoCo does with the written file."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from pathlib import Path

import mujoco
import numpy as np
import pytest

import ossature
from ossature import model as m
from ossature.diagnostics import Report
from ossature.spatial import Pose

GRAVITY, ARM, MASS, MOMENT = 9.81, 0.5, 2.0, 0.1
INERTIAL = m.Inertial(
    mass=MASS, center_of_mass=(ARM, 0.0, 0.0), moment=((MOMENT, 0.0, 0.0), (0.0, MOMENT, 0.0), (0.0, 0.0, MOMENT))
)
ANGULAR_ACCELERATION = MASS * GRAVITY * ARM / (MOMENT + MASS * ARM**2)
"""Of the horizontal bar without limits, friction and loop [rad/s²]."""


def bar(*more: m.Joint, coordinate: m.Coordinate | None = None) -> m.World:
    """Return a horizontal bar with a hinge at its end."""
    axis = (0.0, 1.0, 0.0)
    hinge = m.Joint(
        name="hinge", type=m.Revolute(axis=axis), parent=None, child="bar", coordinates=(coordinate or m.Coordinate(),)
    )
    model = m.Model(name="m", bodies=[m.Body(name="bar", inertial=INERTIAL)], joints=[hinge, *more])
    return m.World(models=[model], gravity=(0.0, 0.0, -GRAVITY), time_step=1e-3)


def written(world: m.World, folder: Path, subject: str) -> tuple[float, mujoco.MjModel, mujoco.MjData]:
    """Return the number that the ledger states about a constraint, and the written model after two seconds."""
    ledger = ossature.convert(world, folder / "bar.xml", report=Report()).ledger
    (stated,) = [str(entry) for entry in ledger if subject in str(entry)]
    number = re.search(r"(?:about|in the order of) (\S+) s²? times", stated)
    assert number is not None, stated
    engine = mujoco.MjModel.from_xml_path(str(folder / "bar.xml"))
    data = mujoco.MjData(engine)
    mujoco.mj_step(engine, data, nstep=round(2.0 / engine.opt.timestep))
    return float(number[1]), engine, data


def test_a_joint_that_its_friction_holds_creeps_as_stated(tmp_path: Path) -> None:
    stated, _, data = written(bar(coordinate=m.Coordinate(friction=50.0)), tmp_path, "(softness)")
    assert data.qvel[0] == pytest.approx(stated * ANGULAR_ACCELERATION, rel=0.1)


def test_a_load_moves_a_joint_beyond_its_limit_at_most_as_stated(tmp_path: Path) -> None:
    limited = m.Coordinate(position_limits=m.Range(lower=-1.0, upper=0.0))
    stated, _, data = written(bar(coordinate=limited), tmp_path, "(softness)")
    assert 0.5 < data.qpos[0] / (stated * ANGULAR_ACCELERATION) < 1.05


@pytest.mark.parametrize("time_step", [1e-3, 5e-3])
def test_a_loop_opens_in_the_order_that_is_stated(time_step: float, tmp_path: Path) -> None:
    """The other end of the bar is a ball joint to the world, which closes a loop and carries half of the weight."""
    ball = m.Joint(name="ball", type=m.Spherical(), parent=None, child="bar", pose=Pose((2.0 * ARM, 0.0, 0.0)))
    world = replace(bar(ball), time_step=time_step)
    stated, _, data = written(world, tmp_path, "equalities of MuJoCo are soft")
    opened = 2.0 * ARM * abs(math.sin(data.qpos[0]))
    assert 0.003 < opened / (stated * 2.0 * ARM * ANGULAR_ACCELERATION) < 1.0


def test_a_loop_in_motion_opens_in_the_order_that_is_stated(tmp_path: Path) -> None:
    """A bar in a plane without gravity, which a loop holds at its end: the centre turns about it at 10 rad/s."""
    speed, length = 10.0, 2.0 * ARM
    velocities = (0.0, -speed * length, speed)  # about the cross product of the axes, which is -y
    plane = m.Planar(axis1=(1.0, 0.0, 0.0), axis2=(0.0, 0.0, 1.0))
    coordinates = [m.Coordinate(initial_velocity=value) for value in velocities]
    slide = m.Joint(name="plane", type=plane, parent=None, child="bar", coordinates=coordinates)
    ball = m.Joint(name="ball", type=m.Spherical(), parent=None, child="bar", pose=Pose((length, 0.0, 0.0)))
    model = m.Model(name="m", bodies=[m.Body(name="bar", inertial=INERTIAL)], joints=[slide, ball])
    world = m.World(models=[model], gravity=(0.0, 0.0, 0.0), time_step=1e-3)
    ledger = ossature.convert(world, tmp_path / "bar.xml", report=Report()).ledger
    (stated,) = [re.search(r"in the order of (\S+) s²", str(entry)) for entry in ledger if "are soft" in str(entry)]
    assert stated is not None
    engine = mujoco.MjModel.from_xml_path(str(tmp_path / "bar.xml"))
    data = mujoco.MjData(engine)
    mujoco.mj_resetDataKeyframe(engine, data, 0)
    mujoco.mj_step(engine, data, nstep=200)
    assert 0.3 < float(np.linalg.norm(data.efc_pos[: data.ne])) / (float(stated[1]) * speed**2 * length) < 3.0
