"""Sensors on bodies of random mechanisms with loops: finite differences of the motion, and the reactions of joints."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from ossature.diagnostics import Report
from ossature.model import Body, Force6D, Imu, Joint, NamedList, Sensor
from ossature.simulation import Simulation
from ossature.simulation.sensors.force6d import Force6DReading
from ossature.simulation.sensors.imu import ImuReading
from ossature.spatial import Pose, quaternion_from_rotation_vector
from random_mechanisms import random_mechanism

STEP = 1e-3
FIRST = 4
"""Number of the first samples, in which the residuals of loops settle."""
SEEDS = (0, 4, 6, 8, 10, 12, 20)
"""In mechanism 0 the tree reaches the body by the joint that closes the loop, in 6 and 12 from the other side."""

NEARLY_DEPENDENT = 8
"""A mechanism with nearly dependent constraints, whose path settles in some hundred steps of any length."""


def moving_body(seed: int, folder: Path, step: float = STEP) -> tuple[Simulation, Body, Pose]:
    """Return a simulation with sensors named ``imu`` and ``load`` on a body, the body, and the pose of the sensors."""
    world = random_mechanism(seed, folder)
    model, generator = world.models[0], np.random.default_rng(seed)
    body = [one for one in model.bodies if one.name != "ground"][int(generator.integers(0, 4))]
    x, y, z = (0.3 * generator.normal(size=3)).tolist()
    pose = Pose((x, y, z), quaternion_from_rotation_vector(tuple(generator.normal(size=3).tolist())))
    sensors = [
        Sensor(name="imu", body=body.name, pose=pose, type="imu", description=Imu()),
        Sensor(name="load", body=body.name, pose=pose, type="force6d", description=Force6D()),
    ]
    changed = replace(world, models=NamedList([replace(model, sensors=NamedList(sensors))]), time_step=step)
    return Simulation(changed, report=Report()), body, pose


@pytest.mark.parametrize("seed", [seed for seed in SEEDS if seed != NEARLY_DEPENDENT])
def test_an_imu_measures_the_second_difference_of_its_path(tmp_path: Path, seed: int) -> None:
    simulation, body, pose = moving_body(seed, tmp_path)
    frames, readings = [], []
    for _ in range(20):
        frames.append((simulation.poses()["m"][body.name] @ pose).matrix())
        reading = simulation.sensors["imu"].read()
        assert isinstance(reading, ImuReading)
        readings.append(reading)
        simulation.step()
    before, now, after = (np.array(frames[first : len(frames) - 2 + first]) for first in range(3))
    acceleration = (after - 2.0 * now + before)[:, :3, 3] / STEP**2 - np.array(simulation.world.gravity)
    spin = np.einsum("kji,kjl->kil", now[:, :3, :3], after[:, :3, :3] - before[:, :3, :3]) / (2.0 * STEP)
    rates = np.stack([spin[:, 2, 1], spin[:, 0, 2], spin[:, 1, 0]], axis=1)
    found = readings[1:-1]
    expected = np.einsum("kji,kj->ki", now[:, :3, :3], acceleration)
    # The first steps of a loop move it by the residual that the forces of its constraint need.
    assert np.allclose([one.linear_acceleration for one in found[FIRST:]], expected[FIRST:], atol=1e-4)
    assert np.allclose([one.angular_velocity for one in found], rates, atol=1e-4)


@pytest.mark.parametrize(("seed", "first"), [(6, 1), (NEARLY_DEPENDENT, FIRST), (10, 1), (12, 1)])
def test_an_imu_measures_the_motion_from_the_first_steps_of_a_loop_on(tmp_path: Path, seed: int, first: int) -> None:
    simulation, body, pose = moving_body(seed, tmp_path)
    readings = []
    for _ in range(FIRST):
        simulation.step()
        reading = simulation.sensors["imu"].read()
        assert isinstance(reading, ImuReading)
        readings.append(reading)
    shorter = STEP / 50
    fine, _, _ = moving_body(seed, tmp_path, shorter)
    frames = []
    for _ in range(FIRST * 50 + 6):
        frames.append((fine.poses()["m"][body.name] @ pose).matrix())
        fine.step()
    for number, reading in list(enumerate(readings, 1))[first - 1 :]:
        before, now, after = (frames[50 * number + shift] for shift in (-5, 0, 5))
        acceleration = (after - 2.0 * now + before)[:3, 3] / (5.0 * shorter) ** 2 - np.array(simulation.world.gravity)
        assert np.allclose(reading.linear_acceleration, now[:3, :3].T @ acceleration, atol=1e-4)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_force_sensor_measures_the_reaction_of_the_joint_whose_child_is_its_body(tmp_path: Path, seed: int) -> None:
    simulation, body, pose = moving_body(seed, tmp_path)
    joints: list[Joint] = [joint for joint in simulation.world.models[0].joints if joint.child == body.name]
    for _ in range(3):
        reading = simulation.sensors["load"].read()
        assert isinstance(reading, Force6DReading)
        if joints:
            frames, reaction = simulation.poses()["m"], simulation.reactions()["m"][joints[0].name]
            sensor, joint = (frames[body.name] @ pose).matrix(), (frames[body.name] @ joints[0].pose).matrix()
            torque = reaction["torque"] + np.cross(joint[:3, 3] - sensor[:3, 3], reaction["force"])
            assert np.allclose(reading.force, -sensor[:3, :3].T @ reaction["force"], atol=1e-9)
            assert np.allclose(reading.torque, -sensor[:3, :3].T @ torque, atol=1e-9)
        else:
            assert np.allclose([*reading.force, *reading.torque], 0.0, atol=1e-9)
        simulation.step()
