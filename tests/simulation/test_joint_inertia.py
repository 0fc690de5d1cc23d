"""Joints that move no inertia, found in mass matrices of engine models; expected are eigenvalues of the dense matrix."""

from __future__ import annotations

import logging
import tracemalloc
from dataclasses import replace
from typing import Literal

import mujoco
import numpy as np
import pytest

import ossature
from growth import is_growth_below
from ossature.diagnostics import Report
from ossature.model import Body, Coordinate, Coupling, Inertial, Joint, JointPosition, Model, NamedList, Revolute, World
from ossature.simulation import Simulation
from ossature.simulation.compile import joint_inertia as inertia
from ossature.simulation.compile.joint_inertia import joint_inertia

NEARLY_MASSLESS = "<inertial pos='0 0 0' mass='1e-14' diaginertia='1e-14 1e-14 1e-14'/>"
MASS = "<inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/>"


def compiled(bodies: str) -> mujoco.MjModel:
    model = mujoco.MjModel.from_xml_string(f"<mujoco><worldbody>{bodies}</worldbody></mujoco>")
    is_massless = model.body_mass < 1e-13
    model.body_mass[is_massless], model.body_inertia[is_massless] = 0.0, 0.0
    return model


def random_tree(random: np.random.Generator, depth: int = 0) -> str:
    joints, axis = "", random.normal(size=3)
    for _ in range(random.integers(1, 4)):
        axis = random.normal(size=3) if random.random() < 0.7 else axis  # equal axes move the same inertia
        joints += f"<joint type='{random.choice(['hinge', 'slide'])}' axis='{axis[0]} {axis[1]} {axis[2]}'/>"
    children = "".join(random_tree(random, depth + 1) for _ in range(random.integers(0, 3))) if depth < 3 else ""
    own = NEARLY_MASSLESS if random.random() < 0.3 else MASS
    return f"<body pos='{random.choice([0, 1])} 0 1'>{joints}{own}{children}</body>"


def least_scaled_eigenvalue(model: mujoco.MjModel) -> float:
    data, mass = mujoco.MjData(model), np.zeros((model.nv, model.nv))
    mujoco.mj_fwdPosition(model, data)
    mujoco.mj_fullM(model, data, mass)
    scale = 1.0 / np.sqrt(np.diag(mass))
    return float(np.linalg.eigvalsh(scale[:, None] * mass * scale)[0])


@pytest.mark.parametrize("most_dense", [500, 0], ids=["eigenvectors", "pivots"])
def test_singular_mass_matrices_are_found_as_by_dense_eigenvalues(
    most_dense: int, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(inertia, "_MOST_DENSE_COORDINATES", most_dense)
    random, kinds = np.random.default_rng(8), set()
    for _ in range(60):
        model = compiled("".join(random_tree(random) for _ in range(random.integers(1, 4))))
        caplog.clear()
        with caplog.at_level(logging.WARNING):
            found = joint_inertia(model)
        assert found.is_valid
        assert not caplog.records
        if found.diagonal.min() >= 1e-15:
            assert (found.massless.size > 0) == (least_scaled_eigenvalue(model) < 1e-13)
        kinds.add((found.massless.size > 0, found.diagonal.min() >= 1e-15))
        for _ in range(model.nv):
            if not found.massless.size:
                break
            model.dof_armature[found.massless] += 1e-3
            found = joint_inertia(model)
        assert not found.massless.size
        assert least_scaled_eigenvalue(model) > 1e-13
    assert kinds == {(True, False), (True, True), (False, True)}


@pytest.mark.parametrize("most_dense", [500, 0], ids=["eigenvectors", "pivots"])
def test_an_indefinite_mass_matrix_is_invalid(most_dense: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inertia, "_MOST_DENSE_COORDINATES", most_dense)
    model = compiled(f"<body><freejoint/>{MASS}<body pos='1 0 0'><joint axis='0 0 1' pos='1 0 0'/>{MASS}</body></body>")
    assert joint_inertia(model).is_valid
    model.body_mass[1] = -0.9
    assert least_scaled_eigenvalue(model) < -1e-3
    assert not joint_inertia(model).is_valid


def test_the_memory_of_many_free_bodies_is_not_that_of_a_dense_matrix() -> None:
    model = compiled(f"<body><freejoint/>{MASS}</body>" * 500)
    tracemalloc.start()
    found = joint_inertia(model)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (found.massless.size, found.is_valid) == (0, True)
    assert peak < 0.05 * 8 * model.nv**2


def test_all_singular_pairs_of_joints_are_found_at_once() -> None:
    pairs = 40
    coaxial = f"<body pos='1 0 0'><joint axis='0 0 1'/><joint axis='0 0 1'/>{MASS}</body>"
    model = compiled(f"<body><freejoint/>{MASS}{coaxial * pairs}</body>")
    assert joint_inertia(model).massless.tolist() == list(range(6, 6 + 2 * pairs))


def test_coaxial_joints_of_a_large_tree_are_found_without_eigenvectors() -> None:
    pairs = 300
    coaxial = f"<body pos='1 0 0'><joint axis='0 0 1'/><joint axis='0 0 1'/>{MASS}</body>"
    sound = "<body pos='0 1 0'><joint axis='0 0 1'/>" + MASS + "</body>"
    model = compiled(f"<body><freejoint/>{MASS}{coaxial * pairs}{sound * 100}</body>")
    found = joint_inertia(model)
    assert found.is_valid
    assert set(found.massless.tolist()) <= set(range(6, 6 + 2 * pairs))
    model.dof_armature[found.massless] += 1e-3
    assert not joint_inertia(model).massless.size


def test_the_diagonal_is_that_of_the_mass_matrix() -> None:
    model = compiled(random_tree(np.random.default_rng(4)))
    data, mass = mujoco.MjData(model), np.zeros((model.nv, model.nv))
    mujoco.mj_fwdPosition(model, data)
    mujoco.mj_fullM(model, data, mass)
    assert joint_inertia(model).diagonal.tolist() == mass.diagonal().tolist()


def test_time_grows_with_the_number_of_trees() -> None:
    few, many = (compiled(f"<body><freejoint/>{MASS}</body>" * count) for count in (40, 320))
    assert is_growth_below(24.0, lambda: joint_inertia(few), lambda: joint_inertia(many))


@pytest.mark.parametrize("base", ["floating", "fixed"])
def test_a_floating_base_that_repeats_the_first_joints_of_a_robot_is_to_be_fixed(base: Literal["floating", "fixed"]) -> None:
    links = "".join(f'<link name="{name}"/>' for name in ("root", "slider"))
    body = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="9" ixy="0" ixz="0" iyz="0"/></inertial>'
    limit = '<limit effort="1" velocity="1"/>'
    joints = "".join(
        f'<joint name="{axis}" type="prismatic">{limit}<axis xyz="{axis}"/><parent link="{parent}"/>'
        f'<child link="{child}"/></joint>'
        for axis, parent, child in (("1 0 0", "root", "slider"), ("0 1 0", "slider", "body"))
    )
    text = f'<robot name="r">{links}<link name="body">{body}</link>{joints}</robot>'
    world = ossature.load(text, base=base)
    if base == "fixed":
        ossature.Simulation(world).run(0.01)
    else:
        with pytest.raises(ossature.SimulationError, match="or fix the base with --fix-base"):
            ossature.Simulation(world)


def massless_link_world(*, axis: tuple[float, float, float], floating: bool) -> World:
    """Return a massless link between two hinges, or a massless root with a hinge."""
    nothing = Inertial(mass=0.0, moment=((0.0, 0.0, 0.0),) * 3)
    inertial = Inertial(mass=1.0, center_of_mass=(0.2, 0.0, 0.0), moment=((0.1, 0.0, 0.0), (0.0, 0.1, 0.0), (0.0, 0.0, 0.1)))
    bodies = [Body(name="link", inertial=nothing), Body(name="end", inertial=inertial)]
    joints = [Joint(name="second", type=Revolute(axis=axis), parent="link", child="end", coordinates=(Coordinate(),))]
    if not floating:
        first = Revolute(axis=(0.0, 1.0, 0.0))
        joints.append(Joint(name="first", type=first, parent=None, child="link", coordinates=(Coordinate(),)))
    return World(models=NamedList([Model(name="m", bodies=NamedList(bodies), joints=NamedList(joints))]))


def test_a_massless_link_whose_joints_permit_the_same_motion_is_reported(report: Report) -> None:
    simulation = Simulation(massless_link_world(axis=(0.0, 1.0, 0.0), floating=False), report=report)
    (finding,) = report.take("motion-without-inertia")
    assert "'second'" in finding.message
    simulation.run(0.5)
    # The sum of both angles is that of one pendulum.
    angle = sum(values[0] for values in simulation.positions()["m"].values())
    pendulum = simulation_of_the_end_alone()
    pendulum.run(0.5)
    assert angle == pytest.approx(pendulum.positions()["m"]["second"][0], rel=1e-4)


def simulation_of_the_end_alone() -> Simulation:
    world = massless_link_world(axis=(0.0, 1.0, 0.0), floating=True)
    model = world.models["m"]
    joint = replace(model.joints["second"], parent=None)
    alone = replace(model, bodies=NamedList([model.bodies["end"]]), joints=NamedList([joint]))
    return Simulation(replace(world, models=NamedList([alone])), report=Report())


def test_a_floating_massless_root_of_one_body_is_reported(report: Report) -> None:
    simulation = Simulation(massless_link_world(axis=(0.0, 1.0, 0.0), floating=True), report=report)
    (finding,) = report.take("motion-without-inertia")
    assert "'second'" in finding.message
    simulation.run(0.5)
    fallen = simulation.body_states()["m"]["end"].linear_velocity[2]
    assert fallen == pytest.approx(-9.81 * 0.5, rel=1e-6)


def test_massless_links_with_inertia_behind_them_are_not_reported(report: Report) -> None:
    Simulation(massless_link_world(axis=(1.0, 0.0, 0.0), floating=False), report=report)


@pytest.mark.parametrize("determined", [False, True])
def test_massless_links_in_large_worlds_with_couplings(determined: bool, report: Report) -> None:
    inertial = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    mimics = ["", '<mimic joint="axle0"/>', *[""] * 499]
    wheels = "".join(
        f'<link name="wheel{k}">{inertial}</link><joint name="axle{k}" type="continuous"><parent link="world"/>'
        f'<child link="wheel{k}"/><axis xyz="0 1 0"/>{mimic}</joint>'
        for k, mimic in enumerate(mimics)
    )
    others = ossature.load(f'<robot name="r"><link name="world"/>{wheels}</robot>').models
    (model,) = massless_link_world(axis=(0.0, 1.0, 0.0), floating=False).models
    if determined:
        second = replace(
            model.joints["second"], coordinates=(Coordinate(coupling=Coupling(position=JointPosition(joint="first"))),)
        )
        model = replace(model, joints=NamedList([second, model.joints["first"]]))
    Simulation(World(models=NamedList([model, *others])), report=report)
    found = report.take("motion-without-inertia")
    assert ["'first', 'second'" in finding.message for finding in found] == ([] if determined else [True])
