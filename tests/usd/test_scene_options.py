"""MuJoCo's options in stages of OpenUSD."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import ossature
from ossature.model import MujocoOption, hint_of

FILE = """<mujoco>
  <option timestep="0.004" {option}>{flags}</option>
  <worldbody>
    <body name="body" pos="0 0 2"><freejoint/><geom type="ellipsoid" size="0.1 0.2 0.05" density="500"/></body>
    <body name="pendulum" pos="3 0 2">
      <joint axis="0 1 0" damping="0.3"/><geom type="capsule" fromto="0 0 0 1 0 0" size="0.05"/>
    </body>
  </worldbody>
</mujoco>
"""


def converted(folder: Path, option: str, flags: str = "") -> tuple[ossature.World, ossature.World]:
    """Return the World of an MJCF file, and that of the stage to which it was converted."""
    (folder / "world.xml").write_text(FILE.format(option=option, flags=flags))
    world = ossature.load(folder / "world.xml")
    ossature.save(world, folder / "world.usda")
    return world, ossature.load(folder / "world.usda")


@pytest.mark.parametrize(
    ("option", "flags"),
    [
        ('integrator="RK4" cone="elliptic" iterations="7" ls_iterations="9" tolerance="1e-9" impratio="3"', ""),
        ('solver="PGS" jacobian="sparse" density="1.2" viscosity="2e-5" noslip_iterations="2"', '<flag contact="disable"/>'),
        ('integrator="implicit" solver="CG"', '<flag energy="enable" eulerdamp="disable" override="enable" limit="disable"/>'),
    ],
)
def test_options_are_those_of_the_mjcf_file(tmp_path: Path, option: str, flags: str) -> None:
    before, after = (hint_of(world, MujocoOption) for world in converted(tmp_path, option, flags))
    assert before is not None
    assert after is not None
    ordered = replace(before, disabled=before.disabled and tuple(sorted(before.disabled)))
    assert after == replace(ordered, enabled=before.enabled and tuple(sorted(before.enabled)))


@pytest.mark.parametrize(
    "option", ["", 'density="200"', 'viscosity="5"', 'integrator="RK4"', 'integrator="implicit" gravity="1 0 -3"']
)
def test_motion_is_that_of_the_mjcf_file(tmp_path: Path, option: str) -> None:
    """Numbers of OpenUSD have 32 bits."""
    ends = []
    for world in converted(tmp_path, option):
        simulation = ossature.Simulation(world)
        simulation.step(100)
        centers = simulation.data.xipos[1:]
        ends.append(centers[np.argsort(centers[:, 0])])  # the bodies have another order
    assert ends[1] == pytest.approx(ends[0], abs=2e-6)
    assert np.abs(ends[0] - [(0, 0, 2), (3.5, 0, 2)]).max(axis=1).min() > 0.02  # both bodies have moved
