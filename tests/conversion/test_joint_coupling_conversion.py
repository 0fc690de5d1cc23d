"""Joints that follow others in the formats that can say it, and in those that cannot."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import mujoco
import numpy as np
import pytest

from ossature import load
from ossature.assets import MeshStore
from ossature.conversion import save
from ossature.diagnostics import Action, Ledger, Report
from ossature.formats.chrono.supported_fields import SUPPORTED_FIELDS as CHRONO
from ossature.formats.skel.supported_fields import SUPPORTED_FIELDS as SKEL
from ossature.kinematics import model_poses
from ossature.model import (
    Body,
    Coordinate,
    Coupling,
    DartStepping,
    Expression,
    Inertial,
    Joint,
    JointPosition,
    Model,
    NamedList,
    Number,
    PartialDerivative,
    Revolute,
    World,
)
from ossature.model.joint import Y_AXIS
from ossature.model.unsupported_fields import audit
from ossature.simulation import Simulation
from ossature.simulation.mjcf_export import write_mjcf
from ossature.spatial import Pose
from random_expressions import line, of

A = JointPosition(joint="a")
B = JointPosition(joint="b")


def world_of(*follows: Expression, start: float = 0.6) -> World:
    """Pendulums beside one another: two that are free, and those that follow them."""
    coordinates = {"a": Coordinate(initial_position=start), "b": Coordinate(initial_position=-0.3)}
    coordinates |= {f"f{n}": Coordinate(coupling=Coupling(position=formula)) for n, formula in enumerate(follows)}
    bodies, joints = [], []
    for number, (name, coordinate) in enumerate(coordinates.items()):
        moment = ((0.02, 0.0, 0.0), (0.0, 0.02, 0.0), (0.0, 0.0, 0.02))
        inertial = Inertial(mass=1.0 + number, center_of_mass=(0.0, 0.0, -0.5), moment=moment)
        bodies.append(Body(name=f"body {name}", pose=Pose((0.0, float(number), 0.0)), inertial=inertial))
        joints.append(
            Joint(name=name, type=Revolute(axis=Y_AXIS), parent=None, child=f"body {name}", coordinates=(coordinate,))
        )
    return World(
        models=NamedList([Model(name="m", bodies=NamedList(bodies), joints=NamedList(joints))]), hints=(DartStepping(),)
    )


def mjcf(world: World) -> tuple[mujoco.MjModel, mujoco.MjData, Ledger]:
    ledger = Ledger()
    model = mujoco.MjModel.from_xml_string(write_mjcf(world, ledger, meshes=MeshStore(), report=Report()))
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    return model, data, ledger


def actions(ledger: Ledger) -> dict[str, Action]:
    return {entry.path: entry.action for entry in ledger}


def test_linear_formulas_move_alike_in_mjcf() -> None:
    world = world_of(line(A, -2.0, 0.1), of("add", of("multiply", 0.5, A), of("multiply", 3.0, B), 0.2))
    model, data, ledger = mjcf(world)
    simulation = Simulation(world)
    np.testing.assert_array_equal(data.qpos, simulation.data.qpos)
    simulation.step(500)
    mujoco.mj_step(model, data, nstep=500)
    np.testing.assert_allclose(data.qpos, simulation.data.qpos, atol=1e-12)
    a, b, f0, f1 = data.qpos
    assert f0 == pytest.approx(0.1 - 2.0 * a, abs=1e-8)
    assert f1 == pytest.approx(0.2 + 0.5 * a + 3.0 * b, abs=1e-8)
    assert actions(ledger)["m/f0.coordinates[0].coupling"] is Action.REWRITTEN
    assert actions(ledger)["m/f1.coordinates[0].coupling"] is Action.REWRITTEN


def test_other_formulas_are_linear_in_mjcf() -> None:
    world = world_of(of("sine", A), of("multiply", A, B))
    model, data, ledger = mjcf(world)
    assert data.qpos[2:] == pytest.approx([math.sin(0.6), 0.6 * -0.3], abs=1e-15)
    mujoco.mj_step(model, data, nstep=200)
    a, b, f0, f1 = data.qpos
    assert f0 == pytest.approx(math.sin(0.6) + math.cos(0.6) * (a - 0.6), abs=1e-8)
    assert f1 == pytest.approx(-0.18 - 0.3 * (a - 0.6) + 0.6 * (b + 0.3), abs=1e-8)
    assert actions(ledger)["m/f0.coordinates[0].coupling"] is Action.APPROXIMATED
    assert actions(ledger)["m/f1.coordinates[0].coupling"] is Action.APPROXIMATED


@pytest.mark.parametrize("carried", [SKEL, CHRONO], ids=["skel", "chrono"])
def test_the_audit_drops_formulas_by_itself(carried: dict[type, frozenset[str]]) -> None:
    ledger = Ledger()
    audit(world_of(of("sine", A)), carried, ledger)
    assert actions(ledger)["m/f0.coordinates[0].coupling"] is Action.DROPPED


@pytest.mark.parametrize("suffix", [".skel", ".yaml"])
def test_formats_without_formulas_start_where_formulas_put_joints(suffix: str, tmp_path: Path) -> None:
    world = replace(world_of(line(A, 0.5, 0.1)), name="w")
    ledger = save(world, tmp_path / f"f{suffix}")
    entries = {entry.path: entry for entry in ledger}
    dropped = entries["m/f0.coordinates[0].coupling"]
    assert dropped.action is Action.DROPPED
    assert "0.5 * a + 0.1" in dropped.detail
    back = load(tmp_path / f"f{suffix}")
    before, after = model_poses(world.models[0]), model_poses(back.models[0])
    for body in before:
        assert after[body].wxyz == pytest.approx(before[body].wxyz, abs=1e-9)


@pytest.mark.parametrize("suffix", [".skel", ".yaml"])
def test_a_senseless_formula_is_dropped_like_any_other(suffix: str, tmp_path: Path) -> None:
    ledger = save(world_of(JointPosition(joint="f0")), tmp_path / f"f{suffix}")
    assert actions(ledger)["m/f0.coordinates[0].coupling"] is Action.DROPPED


def test_specified_derivatives_are_dropped_by_mjcf() -> None:
    world = world_of(line(A, 0.5))
    model = world.models[0]
    slope = PartialDerivative(order=1, joint="a", expression=Number(value=0.5))
    formula = Coupling(position=line(A, 0.5), partials=(slope,))
    joints = [*model.joints[:-1], replace(model.joints["f0"], coordinates=(Coordinate(coupling=formula),))]
    _, _, ledger = mjcf(replace(world, models=NamedList([replace(model, joints=NamedList(joints))])))
    assert actions(ledger)["m/f0.coordinates[0].coupling.partials"] is Action.DROPPED
