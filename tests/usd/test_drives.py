"""Drives of UsdPhysics act in a simulation: closed forms of the driven joint."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import ossature
from ossature.diagnostics import Report
from ossature.model import World
from ossature.simulation import ContactOptions
from ossature.simulation.collidable_pairs import collidable_pairs

STAGE = """#usda 1.0
(
    defaultPrim = "w"
    metersPerUnit = 1
    upAxis = "Z"
)
def Xform "w"
{{
    def Xform "base" {{}}
    def Xform "arm" ( prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"] )
    {{
        vector3f physics:angularVelocity = (0, 0, {spin})
        float physics:mass = 1
        float3 physics:diagonalInertia = (0.4, 0.4, {moment})
    }}
    def PhysicsRevoluteJoint "hinge" ( prepend apiSchemas = ["PhysicsDriveAPI:angular"] )
    {{
        rel physics:body1 = </w/arm>
        uniform token physics:axis = "Z"
        float drive:angular:physics:stiffness = {stiffness}
        float drive:angular:physics:damping = {damping}
        float drive:angular:physics:targetPosition = {target}
        {more}
    }}
}}
"""
MOMENT, STIFFNESS, DAMPING = 0.5, 20.0, 1.0
"""Of the arm about the hinge [kg·m²], and of the drive [N·m/rad, N·m·s/rad]."""


def driven_arm(folder: Path, target: float, spin: float, more: str = "") -> ossature.World:
    """Return an arm with a drive; UsdPhysics states gains by degrees."""
    text = STAGE.format(
        moment=MOMENT,
        stiffness=STIFFNESS * math.pi / 180,
        damping=DAMPING * math.pi / 180,
        target=target,
        spin=spin,
        more=more,
    )
    (folder / "arm.usda").write_text(text)
    return ossature.load(folder / "arm.usda")


def angles(world: ossature.World, times: np.ndarray) -> np.ndarray:
    simulation = ossature.Simulation(world, time_step=5e-5)
    recording = simulation.run(float(times[-1]), float(times[1] - times[0]))
    assert np.allclose(recording.times, times)
    return np.array([recording.joint_positions("w", "hinge", sample)[0] for sample in range(len(times))])


@pytest.mark.parametrize(("target", "spin"), [(30.0, 0.0), (-60.0, 90.0)])
def test_drive_moves_a_joint_to_its_target_as_an_oscillator(tmp_path: Path, target: float, spin: float) -> None:
    times = np.linspace(0.0, 1.0, 11)
    decay, frequency = DAMPING / (2 * MOMENT), math.sqrt(STIFFNESS / MOMENT - (DAMPING / (2 * MOMENT)) ** 2)
    offset, rate = -math.radians(target), math.radians(spin)
    swing = offset * np.cos(frequency * times) + (rate + decay * offset) / frequency * np.sin(frequency * times)
    expected = math.radians(target) + np.exp(-decay * times) * swing
    assert angles(driven_arm(tmp_path, target, spin), times) == pytest.approx(expected, abs=2e-4)


def test_armature_is_inertia_of_the_joint(tmp_path: Path) -> None:
    times = np.linspace(0.0, 1.0, 11)
    armature = 'prepend apiSchemas = ["PhysicsDriveAPI:angular", "MjcJointAPI"]'
    world = driven_arm(tmp_path, 0.0, 90.0, "double mjc:armature = 0.3")
    text = (tmp_path / "arm.usda").read_text().replace('prepend apiSchemas = ["PhysicsDriveAPI:angular"]', armature)
    (tmp_path / "arm.usda").write_text(text)
    world = ossature.load(tmp_path / "arm.usda")
    assert world.models["w"].joints["hinge"].coordinates[0].armature == 0.3
    moment = MOMENT + 0.3
    decay, rate = DAMPING / (2 * moment), math.radians(90.0)
    frequency = math.sqrt(STIFFNESS / moment - decay**2)
    expected = np.exp(-decay * times) * rate / frequency * np.sin(frequency * times)
    assert angles(world, times) == pytest.approx(expected, abs=2e-4)


def chain(folder: Path, setting: str = "", radius: float = 0.3) -> World:
    """Return three balls in a row, 1 m apart, and joints with drives between them."""
    links = "".join(
        f"""
    def Xform "link{number}" ( prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"] )
    {{
        double3 xformOp:translate = ({number}, 0, 0)
        uniform token[] xformOpOrder = ["xformOp:translate"]
        float physics:mass = 1
        def Sphere "ball" ( prepend apiSchemas = ["PhysicsCollisionAPI"] )
        {{
            double radius = {radius}
        }}
    }}"""
        for number in range(3)
    )
    joints = "".join(
        f"""
    def PhysicsRevoluteJoint "joint{number}" ( prepend apiSchemas = ["PhysicsDriveAPI:angular"] )
    {{
        rel physics:body0 = </w/link{number}>
        rel physics:body1 = </w/link{number + 1}>
        point3f physics:localPos0 = (1, 0, 0)
        float drive:angular:physics:stiffness = 1
    }}"""
        for number in range(2)
    )
    apis = 'prepend apiSchemas = ["PhysicsArticulationRootAPI", "NewtonArticulationRootAPI"]'
    head = STAGE.partition("def Xform")[0]
    (folder / "chain.usda").write_text(f'{head}def Xform "w" ( {apis} )\n{{\n    {setting}{links}{joints}\n}}\n')
    return ossature.load(folder / "chain.usda")


@pytest.mark.parametrize(("setting", "count"), [("", 1), ("bool newton:selfCollisionEnabled = 0", 0)])
def test_articulation_without_self_collision_has_no_contacts_with_a_drive(tmp_path: Path, setting: str, count: int) -> None:
    """Two links that no joint connects, and a third one between them: they collide unless the articulation forbids it."""
    compiled = ossature.Simulation(chain(tmp_path, setting)).compiled
    assert compiled.is_mjcf_world
    assert len(collidable_pairs(compiled.model, list(range(compiled.model.ngeom)))) == count


def test_links_with_a_drive_that_overlap_at_the_start_do_not_collide(tmp_path: Path, report: Report) -> None:
    world = chain(tmp_path, radius=1.1)
    simulation = ossature.Simulation(world, report=report)
    (finding,) = report.take("ignored-overlap")
    assert "'link0' and 'link2' (200 mm)" in finding.message
    simulation.step(100)
    assert not simulation.data.ncon
    assert simulation.diagnostics.energy.gain < 1e-6
    with_contacts = ossature.Simulation(world, contact=ContactOptions(ignore_link_overlaps=False))
    with_contacts.step(1)
    assert with_contacts.data.ncon


def test_cassie_moves_as_its_mjcf_file(corpus: Path) -> None:
    """The stage was made from the file by another program, which did not write the bits of its contacts: legs overlap."""
    folder = corpus / "corpus"
    stage = ossature.load(folder / "usd/from_mjcf/agility_cassie/cassie.usda")
    original = ossature.load(folder / "mjcf/agility_cassie/cassie.xml")
    ends = []
    for world in (stage, original):
        simulation = ossature.Simulation(world)
        simulation.step(200)
        ends.append(simulation.positions()["cassie"])
    assert ends[0].keys() >= {"left-knee", "right-foot"}
    for joint in ends[0].keys() & ends[1].keys():
        assert ends[0][joint] == pytest.approx(ends[1][joint], abs=1e-4)
