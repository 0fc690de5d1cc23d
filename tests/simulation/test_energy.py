"""Energy of Worlds; observation does not change a simulation."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from chrono.models import GROUND, body, read, text
from conftest import PROJECT
from ossature import load
from ossature.diagnostics import Report
from ossature.model import World
from ossature.simulation import SampledSignal, Simulation
from ossature.simulation.accuracy_results import EnergyBalance
from random_mechanisms import random_mechanism

EXAMPLES = ("arm.skel", "double_pendulum.skel", "palletizer.urdf", "slider_crank.yaml")


def test_a_tree_of_bodies_has_energy_in_each_sample() -> None:
    """A double pendulum without losses keeps its sum up to the first order of DART's step."""
    world = load(PROJECT / "examples" / "double_pendulum.skel")
    spreads = []
    for step in (1e-3, 5e-4):
        recording = Simulation(world, time_step=step).run(0.5, sample=0.01)
        assert recording.energy.shape == (len(recording.times), 2)
        assert np.ptp(recording.energy[:, 1]) > 0.1
        spreads.append(np.ptp(recording.energy.sum(axis=1)) / np.ptp(recording.energy[:, 1]))
    assert spreads[0] < 0.02
    assert spreads[1] == pytest.approx(spreads[0] / 2.0, rel=0.1)


def test_a_link_with_a_moment_of_inertia_but_no_mass_does_not_set_the_scale_of_errors(tmp_path: Path) -> None:
    """Energies of a body that falls are relative to 2 m g h, and not to the weight times an infinite radius of gyration."""
    (tmp_path / "falling.urdf").write_text(MASSLESS_BASE)
    simulation = Simulation(load(tmp_path / "falling.urdf"))
    simulation.run(1.0)
    assert simulation.diagnostics.energy.scale == pytest.approx(2.0 * 4.0 * 9.81 * 0.5 * 9.81, rel=1e-3)


MASSLESS_BASE = """
<robot name="falling">
  <link name="base">
    <inertial><mass value="0"/><inertia ixx="0.05" iyy="0.06" izz="0.03" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <link name="arm">
    <inertial><mass value="4"/><inertia ixx="0.1" iyy="0.09" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <joint name="turn" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/></joint>
</robot>
"""


@pytest.mark.parametrize("name", EXAMPLES)
def test_observation_does_not_change_the_motion(name: str) -> None:
    world = load(PROJECT / "examples" / name)
    alone, watched = Simulation(world), Simulation(world)
    alone.step(61)
    for count in (0, 1, 7, 20, 33):
        watched.step(count)
        watched.reactions()
        watched.elements()
        watched.energy()
    assert alone.data.qpos.tolist() == watched.data.qpos.tolist()
    assert alone.data.qvel.tolist() == watched.data.qvel.tolist()


TURNING = """
chrono-version: 10.0
model:
  name: turning
  bodies:
    - {name: ground, location: [0, 0, 0], fixed: true}
    - {name: wheel, location: [0, 0, 0], mass: 1.0, inertia: {moments: [0.1, 0.1, 0.1]}, initial_angular_velocity: [0, 0, 12]}
  rsdas:
    - {name: s, body1: ground, body2: wheel, location: [0, 0, 0], axis: [0, 0, 1], spring_coefficient: 0.2, free_angle: 0}
"""


def test_full_revolutions_of_a_spring_without_a_joint_store_energy(tmp_path: Path) -> None:
    """½ I ω² becomes ½ k φ² after more than a turn: φ = 12 rad/s · √(0.1 / 0.2) s = 8.5 rad."""
    (tmp_path / "turning.yaml").write_text(TURNING)
    world = load(tmp_path / "turning.yaml")
    simulation = Simulation(world)
    period = math.tau * math.sqrt(0.1 / 0.2)
    recording = simulation.run(period / 4.0, sample=period / 40.0)
    gravity = -1.0 * 9.8 * -recording.positions[:, recording.index.bodies["turning"]["wheel"].number, 2]
    falling = 0.5 * recording.linear_velocities[:, recording.index.bodies["turning"]["wheel"].number, 2] ** 2
    total = recording.energy.sum(axis=1)
    assert recording.energy[-1, 0] - gravity[-1] == pytest.approx(7.2, rel=1e-3)
    assert recording.energy[-1, 1] - falling[-1] == pytest.approx(0.0, abs=1e-2)
    assert total == pytest.approx(np.full(len(total), 7.2), rel=1e-4)


# The energy balance of a run


def residual(world: World, time_step: float, duration: float = 0.4, **settings: Any) -> tuple[float, EnergyBalance]:
    """Return the change of energy that the work of all forces does not explain [J], and the balance."""
    simulation = Simulation(world, report=Report(), time_step=time_step, **settings)
    simulation.run(duration)
    found = simulation.diagnostics.energy
    return found.change - found.supplied + found.dissipated_by_dampers + found.dissipated_by_constraints, found


@pytest.mark.one_in(2)
@pytest.mark.parametrize("seed", [0, 4, 13, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (15, 30))])
@pytest.mark.parametrize(("integrator", "ratio", "bound"), [("leapfrog", 4.0, 1e-4), ("semi-implicit-euler", 2.0, 1e-2)])
def test_the_balance_of_random_mechanisms_closes_with_the_order_of_the_integrator(
    seed: int, integrator: str, ratio: float, bound: float, tmp_path: Path
) -> None:
    world = random_mechanism(seed, tmp_path)
    (coarse, found), (fine, _) = (residual(world, step, integrator=integrator) for step in (1e-3, 5e-4))
    assert abs(coarse) < bound * found.scale
    assert coarse == pytest.approx(ratio * fine, rel=0.15, abs=2e-6 * found.scale)
    assert found.dissipated_by_dampers > 0.0


def test_a_drive_whose_speed_jumps_supplies_the_kinetic_energy() -> None:
    """½ I ω² with the last speed, however often it jumped before."""
    motor = (
        "- {name: drive, type: ROTATION, spindle: REVOLUTE, body1: wheel, body2: ground, location: [0, 0, 0], axis: [0, 0, 1], "
        "actuation_type: SPEED, actuation_function: {type: DATA, data: [[0, 0], [0.1, 0], [0.1001, 30], [0.2, 30], [0.2001, 7]]"
        "}}"
    )
    world = replace(read(text(GROUND, body("wheel"), motors=motor)), gravity=(0.0, 0.0, 0.0))
    report = Report()
    simulation = Simulation(world, report=report)
    simulation.run(0.5)
    found = simulation.diagnostics.energy
    assert found.supplied == pytest.approx(0.5 * 0.1 * 7.0**2, rel=1e-6)
    assert found.change == pytest.approx(found.supplied, rel=1e-6)
    assert not report.take("energy-gained") and not report.take("energy-lost")


@pytest.mark.parametrize("integrator", ["staggered-euler", "semi-implicit-euler"])
def test_a_finding_about_lost_energy_names_the_integrator_that_damps_springs(integrator: str) -> None:
    rail = "- {name: rail, type: PRISMATIC, body1: b, body2: ground, location: [0, 0, 1], axis: [0, 0, 1]}"
    ends = "body1: ground, body2: b, point1: [0, 0, 0], point2: [0, 0, 1]"
    spring = f"- {{name: s, {ends}, free_length: 0.5, spring_coefficient: 1000}}"
    world = read(text(GROUND, body("b", "[0, 0, 1]", mass=0.01), joints=rail, tsdas=spring))
    report = Report()
    Simulation(world, report=report, integrator=integrator).run(0.5)
    (finding,) = report.take("energy-lost")
    reason = f"{integrator} damps springs in proportion to the time step"
    assert finding.hint == f"{reason}: reduce the time step (--time-step), or use --integrator leapfrog"


def test_sub_steps_start_at_the_present_targets_of_drives() -> None:
    """Each sub-step of a drive of constant speed has this speed, so that the supplied work is that of the motion."""
    world = load(PROJECT / "examples" / "slider_crank.yaml")
    unexplained, found = residual(world, 1e-3, tolerance=1e-6)
    assert found.supplied > 1.0
    assert abs(unexplained) < 1e-6 * found.scale


def test_friction_and_contacts_dissipate_what_the_motion_loses(tmp_path: Path) -> None:
    """A box slides to rest on a plane: all of ½ m v² becomes friction."""
    file = tmp_path / "slide.skel"
    file.write_text(SLIDING)
    _, found = residual(load(file), 1e-3, 1.0)
    assert found.dissipated_by_constraints == pytest.approx(0.5 * 2.0 * 3.0**2, rel=2e-3)
    assert found.dissipated_by_constraints == pytest.approx(-found.change, rel=1e-6)


def test_a_joint_damper_and_a_limit_of_a_file_for_dart_are_in_the_balance(tmp_path: Path) -> None:
    """A damped pendulum falls onto a stop of its hinge, and comes to rest there."""
    file = tmp_path / "stop.skel"
    file.write_text(STOPPED)
    coarse, found = residual(load(file), 1e-3, 2.0)
    fine, _ = residual(load(file), 2.5e-4, 2.0)
    assert found.dissipated_by_dampers > 0.5 and found.dissipated_by_constraints > 0.5
    assert abs(coarse) < 5e-3 * found.scale and abs(fine) < 0.3 * abs(coarse)


def test_springs_of_a_free_joint_are_no_loss_of_energy(tmp_path: Path) -> None:
    """½ k x² becomes ½ m v² in a quarter of a period."""
    spring = '<init_pos>0 0 0 1 0 0</init_pos><dof local_index="3"><spring_stiffness>10</spring_stiffness></dof></joint>'
    file = tmp_path / "spring.skel"
    head, tail = SLIDING.replace("0 0 -9.81", "0 0 0").split("<init_vel>0 0 0 3 0 0</init_vel></joint></skeleton>")
    file.write_text(f"{head}{spring}</skeleton>{tail}")
    _, found = residual(load(file), 1e-3, 0.25 * math.tau * math.sqrt(2.0 / 10.0))
    assert found.change == pytest.approx(5.0, rel=5e-3)
    assert found.supplied == pytest.approx(found.change, rel=1e-3)


SLIDING = """<?xml version="1.0"?>
<skel version="1.0"><world name="w">
  <physics><time_step>0.001</time_step><gravity>0 0 -9.81</gravity></physics>
  <skeleton name="ground"><mobile>false</mobile><body name="plate"><transformation>0 0 -0.5 0 0 0</transformation>
    <collision_shape><geometry><box><size>60 20 1</size></box></geometry></collision_shape></body>
    <joint type="weld" name="fix"><parent>world</parent><child>plate</child></joint></skeleton>
  <skeleton name="thing"><body name="box"><transformation>0 0 0.1 0 0 0</transformation><inertia><mass>2</mass></inertia>
    <collision_shape><geometry><box><size>0.2 0.2 0.2</size></box></geometry></collision_shape></body>
    <joint type="free" name="free"><parent>world</parent><child>box</child><init_vel>0 0 0 3 0 0</init_vel></joint></skeleton>
</world></skel>
"""

STOPPED = """<?xml version="1.0"?>
<skel version="1.0"><world name="w">
  <physics><time_step>0.001</time_step><gravity>0 0 -9.81</gravity></physics>
  <skeleton name="pendulum"><body name="arm"><transformation>0 0 0 0 0 0</transformation>
    <inertia><mass>1</mass><offset>0.5 0 0</offset></inertia>
    <collision_shape><transformation>0.5 0 0 0 0 0</transformation><geometry><box><size>1 0.1 0.1</size></box></geometry>
    </collision_shape></body>
    <joint type="revolute" name="hinge"><parent>world</parent><child>arm</child><axis><xyz>0 1 0</xyz>
      <limit><lower>-1</lower><upper>1</upper></limit><dynamics><damping>0.4</damping></dynamics></axis></joint></skeleton>
</world></skel>
"""


@pytest.mark.parametrize("gravity", [0.0, -9.81])
@pytest.mark.parametrize(("step", "count"), [(1e-3, 0), (5e-3, 0), (5e-3, 1), (1e-3, 40), (5e-3, 40)])
def test_the_work_of_a_motor_that_is_commanded_to_start_with_a_rate_is_counted(step: float, count: int, gravity: float) -> None:
    """It accelerates its body within a step, which takes half the rate squared times the inertia of 0.28 kg·m².

    The first steps of a run are divided if the velocity jumps.
    """
    motor = (
        "- {name: pin, type: ROTATION, spindle: REVOLUTE, body1: arm, body2: ground, location: [0, 0, 0], axis: [0, 1, 0], "
        "actuation_type: POSITION, actuation_function: {type: CONSTANT, value: 0}}"
    )
    world = replace(read(text(GROUND, body("arm", "[0.3, 0, 0]", mass=2.0), motors=motor)), gravity=(0.0, 0.0, gravity))
    simulation = Simulation(world, report=Report(), time_step=step)
    simulation.step(count)
    start = sum(simulation.energy())
    simulation.command("m", "pin", SampledSignal([simulation.time, simulation.time + 1.0], [0.0, 1.0]))
    diagnostics = simulation.run(0.2).diagnostics
    assert diagnostics is not None
    change = sum(simulation.energy()) - start
    assert change == pytest.approx(0.14 + gravity * 0.6 * math.sin(0.2), abs=1e-5)
    # During the half step in which the rate jumps, the weight is lifted at a velocity between zero and the rate.
    assert diagnostics.energy.supplied == pytest.approx(change, abs=1e-9 + 0.5 * step * abs(gravity) * 0.6)


@pytest.mark.parametrize("tolerance", [None, 1e-4])
def test_the_work_of_applied_forces_that_begin_and_end_is_counted_once(tolerance: float | None) -> None:
    """Their jumps let steps be repeated with more sub-steps."""
    hinge = "- {name: hinge, type: REVOLUTE, body1: b, body2: ground, location: [0, 0, 0], axis: [0, 1, 0]}"
    damper = (
        "- {name: damper, body1: ground, body2: b, point1: [0, -1, 0.3], point2: [0.4, 0, 0], free_length: 1, "
        "spring_coefficient: 100, damping_coefficient: 1}"
    )
    world = read(text(GROUND, body("b", "[0.4, 0, 0]"), joints=hinge, tsdas=damper), Report())
    simulation = Simulation(world, report=Report(), time_step=1e-3, tolerance=tolerance)
    for number in range(400):
        simulation.data.qfrc_applied[0] = 50.0 * (number // 7 % 2)
        simulation.step()
    energy = simulation.diagnostics.energy
    assert energy.supplied - energy.dissipated_by_dampers == pytest.approx(energy.change, rel=1e-4)
