"""Samples: the same bits compiled and in Python, and the poses and velocities that the engine computes."""

from __future__ import annotations

import math

import mujoco
import numpy as np
import pytest

import ossature
from conftest import PROJECT
from ossature.simulation import Simulation
from ossature.simulation.stepping.engine_memory_addresses import engine_access

FILES = ("slider_crank.yaml", "contact.skel", "palletizer.urdf")


def moving(name: str, rng: np.random.Generator) -> Simulation:
    """Return a simulation with random velocities."""
    simulation = Simulation(ossature.load(PROJECT / "examples" / name))
    simulation.data.qvel[:] = rng.normal(size=simulation.compiled.model.nv)
    simulation.data.time = rng.uniform(0.0, 9.0)
    return simulation


@pytest.mark.parametrize("name", FILES)
def test_a_sample_has_the_poses_and_velocities_of_the_engine(name: str) -> None:
    simulation = moving(name, np.random.default_rng(0))
    sampler, data, velocity = simulation.engine.sampler, simulation.data, np.zeros(6)
    parts = sampler.layout.parts(sampler.sample())
    assert parts.times == data.time
    for body in range(simulation.compiled.model.nbody):
        frame = mujoco.mjtObj.mjOBJ_XBODY
        mujoco.mj_objectVelocity(simulation.compiled.model, data, frame, body, velocity, 0)
        assert parts.linear_velocities[body] == pytest.approx(velocity[3:], abs=1e-12)
        mujoco.mj_objectVelocity(simulation.compiled.model, data, frame, body, velocity, 1)
        assert parts.angular_velocities_body[body] == pytest.approx(velocity[:3], abs=1e-12)
    for part, values in (
        (parts.positions, data.xpos),
        (parts.wxyz, data.xquat),
        (parts.qpos, data.qpos),
        (parts.qvel, data.qvel),
    ):
        assert part.tobytes() == values.tobytes()


@pytest.mark.parametrize("name", FILES)
def test_both_samplers_have_the_same_bits(name: str) -> None:
    if isinstance(engine_access(), str):
        pytest.skip("no compiled loop")
    rng = np.random.default_rng(1)
    simulation = moving(name, rng)
    sampler = simulation.engine.sampler
    for value in (0.0, 1.0, math.nan, math.inf, 1e200):
        simulation.data.qvel[rng.integers(len(simulation.data.qvel))] = value
        assert np.array_equal(sampler.sample(), sampler.sample_in_python(), equal_nan=True)
