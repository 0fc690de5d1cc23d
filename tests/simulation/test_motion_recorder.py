"""The largest motion of a body in a step: the same bits compiled and in Python, and the velocities that the engine computes."""

from __future__ import annotations

import math

import mujoco
import numpy as np
import pytest

from ossature.simulation.stepping.engine_memory_addresses import engine_access
from ossature.simulation.stepping.motion_recorder import MotionRecorder

_MODEL = """<mujoco><worldbody><body><freejoint/><geom size=".1" pos=".3 .1 -.2"/>
<body pos="0 .4 0"><joint type="ball"/><geom size=".1" pos="0 .2 .5"/><body pos=".2 0 .1"><joint axis="1 2 3"/>
<geom type="box" size=".1 .2 .3" pos=".4 0 0"/></body></body></body>
<body pos="3 0 0"><joint type="slide" axis="0 1 1"/><joint axis="0 1 0"/><geom size=".2" pos="0 0 .4"/></body>
</worldbody></mujoco>"""


def _moving(seed: int) -> tuple[mujoco.MjModel, mujoco.MjData]:
    rng = np.random.default_rng(seed)
    model = mujoco.MjModel.from_xml_string(_MODEL)
    data = mujoco.MjData(model)
    mujoco.mj_integratePos(model, data.qpos, rng.normal(size=model.nv), 1.0)
    data.qvel[:], data.time = rng.normal(size=model.nv), rng.uniform(0.0, 9.0)
    mujoco.mj_forward(model, data)
    return model, data


def _largest(model: mujoco.MjModel, data: mujoco.MjData) -> tuple[float, float]:
    """Return the largest angular velocity of a body, and the largest velocity of a centre of mass, by the engine."""
    velocity, found = np.zeros(6), []
    for body in range(1, model.nbody):
        mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_BODY, body, velocity, 0)
        found.append((math.hypot(*velocity[:3]), math.hypot(*velocity[3:])))
    rotations, speeds = zip(*found, strict=True)
    return max(rotations), max(speeds)


@pytest.mark.parametrize("seed", range(20))
def test_the_largest_velocities_are_those_of_the_engine(seed: int) -> None:
    model, data = _moving(seed)
    recorder = MotionRecorder(model, data)
    recorder.record(0.25)
    found = recorder.peaks.rotation, recorder.peaks.displacement
    assert found == pytest.approx([0.25 * value for value in _largest(model, data)], rel=1e-12)
    assert recorder.peaks.rotation_time == recorder.peaks.displacement_time == data.time


@pytest.mark.parametrize("seed", range(20))
def test_both_recorders_have_the_same_bits(seed: int) -> None:
    if isinstance(engine_access(), str):
        pytest.skip("no compiled loop")
    rng, (model, data) = np.random.default_rng(seed), _moving(seed)
    compiled, in_python = MotionRecorder(model, data), MotionRecorder(model, data)
    for _ in range(20):
        data.qvel[:], data.time = rng.normal(size=model.nv), rng.uniform(0.0, 9.0)
        if rng.random() < 0.2:
            data.qvel[rng.integers(model.nv)] = rng.choice([math.nan, math.inf])
        mujoco.mj_fwdPosition(model, data)
        mujoco.mj_fwdVelocity(model, data)
        duration = rng.uniform(1e-4, 1e-2)
        compiled.record(duration)
        in_python.record_in_python(duration)
        assert bytes(compiled.peaks)[:64] == bytes(in_python.peaks)[:64]


def test_steps_are_forgotten() -> None:
    model, data = _moving(0)
    recorder = MotionRecorder(model, data)
    recorder.record(1.0)
    recorder.clear()
    assert (recorder.peaks.step_count, recorder.peaks.rotation, recorder.peaks.displacement) == (0, 0.0, 0.0)
