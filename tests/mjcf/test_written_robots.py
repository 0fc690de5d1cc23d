"""MJCF written from robots: MuJoCo computes the dynamics that Pinocchio computes from the URDF files."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest

import ossature
from conftest import corpus_folder
from ossature import model as m
from ossature.assets import MeshStore
from ossature.conversion import Conversion, convert
from ossature.diagnostics import Action, Report
from ossature.formats.load_file import read_file
from ossature.model import (
    Body,
    Box,
    Collision,
    Fixed,
    Inertial,
    Joint,
    Model,
    MujocoOption,
    NamedList,
    Revolute,
    Universal,
    World,
)
from ossature.spatial import ZERO3

REFUSED_BY_PINOCCHIO = {"pr2_simplified": "a prismatic joint without limits"}


def urdf_files(corpus: Path) -> list[Path]:
    return sorted((corpus / "corpus" / "urdf").rglob("*.urdf"))


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Path, World, Conversion, Path]]:
    """Return for each robot its source, its World, the conversion and the written file."""
    corpus = corpus_folder()
    if corpus is None:
        pytest.skip("no corpus of real files: set OSSATURE_CORPUS")
    folder = tmp_path_factory.mktemp("mjcf")
    found = {}
    for source in urdf_files(corpus):
        world = read_file(source, Report())
        assert world is not None
        path = folder / source.stem / f"{source.stem}.xml"
        path.parent.mkdir()
        found[source.stem] = (source, world, convert(world, path, allow_dangling=True), path)
    assert found
    return found


def test_no_file_has_nan_and_most_are_small(written: dict[str, Any]) -> None:
    sizes = []
    for _, _, _, path in written.values():
        text = path.read_text()
        assert not {"nan", "inf"} & set(text.replace('"', " ").split())
        sizes.append(len(text))
    assert np.median(sizes) < 50_000


def test_dynamics_agree_with_pinocchio(written: dict[str, Any]) -> None:
    pin = pytest.importorskip("pinocchio")
    errors = {}
    for name, (source, _, conversion, path) in written.items():
        if name in REFUSED_BY_PINOCCHIO:
            continue
        model = mujoco.MjModel.from_xml_path(str(path))
        reference = pin.buildModelFromXML(re.sub(r"<\?xml[^>]*\?>", "", source.read_text("utf-8")))
        errors[name] = worst_error(model, reference, pin)
        approximated = [entry for entry in conversion.ledger if entry.action is Action.APPROXIMATED]
        inexact = [entry for entry in approximated if ".inertial" in entry.path and (entry.error or 0.0) > 1e-9]
        assert not inexact
    failed = {name: error for name, error in errors.items() if error > 1e-9}
    assert not failed


def worst_error(model: mujoco.MjModel, reference: Any, pin: Any) -> float:
    """Return the error of mass matrices and bias forces at random states, relative to their size."""
    data, other = mujoco.MjData(model), reference.createData()
    rng, worst = np.random.default_rng(0), 0.0
    for _ in range(3):
        q, v = pin.neutral(reference), np.zeros(reference.nv)
        mujoco.mj_resetData(model, data)
        own, theirs = [], []
        for number in range(1, reference.njoints):
            joint, name = reference.joints[number], reference.names[number]
            engine = model.joint(name).id
            angle, rate = rng.uniform(-1.0, 1.0, 2)
            q[joint.idx_q : joint.idx_q + joint.nq] = angle if joint.nq == 1 else (np.cos(angle), np.sin(angle))
            v[joint.idx_v] = rate
            data.qpos[model.jnt_qposadr[engine]], data.qvel[model.jnt_dofadr[engine]] = angle, rate
            own.append(model.jnt_dofadr[engine])
            theirs.append(joint.idx_v)
        mujoco.mj_forward(model, data)
        mass = np.zeros((model.nv, model.nv))
        mujoco.mj_fullM(model, data, mass)
        upper = np.triu(pin.crba(reference, other, q))
        expected = (upper + np.triu(upper, 1).T)[np.ix_(theirs, theirs)]
        bias = pin.nonLinearEffects(reference, other, q, v)[theirs]
        size = max(float(np.abs(expected).max(initial=0.0)), 1e-3)
        worst = max(worst, float(np.abs(mass[np.ix_(own, own)] - expected).max(initial=0.0)) / size)
        worst = max(worst, float(np.abs(data.qfrc_bias[own] - bias).max(initial=0.0)) / (9.81 * size))
    return worst


def test_limits_and_names_are_those_of_the_urdf_file(written: dict[str, Any]) -> None:
    for _, world, _, path in written.values():
        model = mujoco.MjModel.from_xml_path(str(path))
        assert mujoco.MjSpec.from_file(str(path)).modelname == world.models[0].name
        for robot in world.models:
            assert {model.body(number).name for number in range(1, model.nbody)} >= set(robot.bodies.names())
            for joint in robot.joints:
                if joint.degrees_of_freedom != 1:
                    continue
                limits = joint.coordinates[0].position_limits
                engine = model.joint(joint.name)
                assert bool(model.jnt_limited[engine.id]) == (limits.bounded and limits.lower <= limits.upper)
                if limits.bounded and limits.lower < limits.upper:
                    assert model.jnt_range[engine.id].tolist() == [limits.lower, limits.upper]


def test_two_copies_in_one_scene_collide(written: dict[str, Any]) -> None:
    """Field 1: two converted robots in one scene never collided, because of their contact bits."""
    _, _, _, path = written["allegro_hand_description_right"]
    scene = mujoco.MjSpec()
    scene.option.timestep, scene.option.integrator = 0.001, mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    for number in range(2):
        frame = scene.worldbody.add_frame(pos=[0.03 * number, 0.0, 0.0])
        robot = mujoco.MjSpec.from_file(str(path))
        for key in list(robot.keys):
            robot.delete(key)
        frame.attach_body(robot.worldbody.first_body(), f"{number}/", "")
    model = scene.compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    owners = {tuple(model.body(model.geom_bodyid[geom]).name[:2] for geom in contact.geom) for contact in data.contact}
    assert owners == {("0/", "1/")}


def test_arms_do_not_fall(corpus: Path, tmp_path: Path) -> None:
    """The base of an arm is fixed by the rule for files that do not state it."""
    (source,) = (path for path in urdf_files(corpus) if path.stem == "kinovaGen3")
    convert(source, tmp_path / "arm.xml", actuators="position")
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "arm.xml"))
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    mujoco.mj_step(model, data, nstep=1000)
    assert model.nq == model.nu == 7
    assert np.abs(data.qpos).max() < 0.05


def test_each_mesh_is_written_once_and_read_with_its_scale(written: dict[str, Any]) -> None:
    _, world, _, path = written["kinovaGen3"]
    model = mujoco.MjModel.from_xml_path(str(path))
    store = MeshStore.of(world)
    assert model.nmesh == len(list((path.parent / "assets").iterdir()))
    body = world.models[0].bodies["Shoulder_Link"]
    vertices = store.triangles(body.visuals[0].geometry).vertices
    geom = int(model.body("Shoulder_Link").geomadr[0])
    mesh = int(model.geom_dataid[geom])
    start, count = model.mesh_vertadr[mesh], model.mesh_vertnum[mesh]
    rotation = np.zeros(9)
    mujoco.mju_quat2Mat(rotation, model.geom_quat[geom])
    found = model.mesh_vert[start : start + count] @ rotation.reshape(3, 3).T + model.geom_pos[geom]
    np.testing.assert_allclose(found.min(axis=0), vertices.min(axis=0), atol=1e-6)
    np.testing.assert_allclose(found.max(axis=0), vertices.max(axis=0), atol=1e-6)


def test_writing_again_keeps_the_names_of_meshes(corpus: Path, tmp_path: Path) -> None:
    (source,) = (path for path in urdf_files(corpus) if path.stem == "robotiq2F85")
    first = convert(source, tmp_path / "a.xml").files
    assert list(convert(source, tmp_path / "a.xml").files) == list(first)
    other = ossature.load(source)
    scaled = replace(other, models=NamedList([replace(model, name="b") for model in other.models]))
    assert set(convert(scaled, tmp_path / "b.xml").files) - {tmp_path / "b.xml"} == set(first) - {tmp_path / "a.xml"}


def test_a_floating_base_whose_fixed_link_has_mass_but_no_moment_is_written_with_inertia(tmp_path: Path) -> None:
    bodies = [
        Body(name="base", inertial=Inertial(mass=0.0, moment=(ZERO3, ZERO3, ZERO3))),
        Body(name="root", inertial=Inertial(mass=4.72, moment=(ZERO3, ZERO3, ZERO3))),
        Body(name="arm", inertial=Inertial.from_box(1.0, (0.1, 0.1, 0.1))),
    ]
    joints = [
        Joint(name="mount", type=Fixed(), parent="base", child="root"),
        Joint(name="turn", type=Revolute(), parent="root", child="arm"),
    ]
    world = World(models=NamedList([Model(name="r", bodies=NamedList(bodies), joints=NamedList(joints))]))
    done = convert(world, tmp_path / "r.xml", format="mjcf", verify=True)
    assert [each.is_verified for each in done.verifications] == [True]
    assert "r/base.inertial.mass" in {entry.path for entry in done.ledger}


def test_a_fixed_base_beside_a_joint_with_the_name_of_its_body_is_verified(tmp_path: Path) -> None:
    solid = Inertial.from_box(1.0, (0.1, 0.1, 0.1))
    bodies = [Body(name="forearm", inertial=solid), Body(name="wrist", inertial=solid)]
    joints = [
        Joint(name="base", type=Fixed(), parent=None, child="forearm"),
        Joint(name="forearm_joint", type=Revolute(), parent="forearm", child="wrist"),
    ]
    world = World(models=NamedList([Model(name="hand", bodies=NamedList(bodies), joints=NamedList(joints))]))
    done = convert(world, tmp_path / "hand.xml", format="mjcf", verify=True)
    assert [each.is_verified for each in done.verifications] == [True]
    assert "hand/forearm_joint_2" in {entry.path for entry in done.ledger}


@pytest.mark.parametrize("name", ["main", "visual", "collision"])
def test_a_robot_may_be_named_like_a_default_class(name: str, tmp_path: Path) -> None:
    shape = Collision(geometry=Box(size=(0.1, 0.2, 0.3)))
    bodies = [Body(name=each, inertial=Inertial.from_box(1.0, (0.1, 0.2, 0.3)), collisions=(shape,)) for each in "abc"]
    joints = [Joint(name=f"{one}{two}", type=Revolute(), parent=one, child=two) for one, two in ("ab", "bc")]
    world = World(models=NamedList([Model(name=name, bodies=NamedList(bodies), joints=NamedList(joints))]))
    ossature.save(world, tmp_path / "robot.xml")
    assert mujoco.MjModel.from_xml_path(str(tmp_path / "robot.xml")).njnt >= len(joints)
    assert ossature.load(tmp_path / "robot.xml").models[0].name == name


@pytest.mark.parametrize(
    ("name", "other"),
    [("forearm_joint", "first"), *product(["shoulder", "forearm_joint_2", "forearm_joint_3"], ["first", "forearm_joint"])],
)
def test_joints_with_several_coordinates_of_a_file_with_options_of_mujoco(name: str, other: str, tmp_path: Path) -> None:
    """OpenUSD stages name such joints as they like; readers of MJCF name them after their body."""
    inertial = Inertial(mass=1.0, moment=((0.1, 0.0, 0.0), (0.0, 0.1, 0.0), (0.0, 0.0, 0.1)))
    bodies = NamedList([Body(name=body, inertial=inertial) for body in ("upper_arm", "forearm")])
    second = Universal(axis1=(1.0, 0.0, 0.0), axis2=(0.0, 1.0, 0.0))
    joints = [
        Joint(name=other, type=Revolute(axis=(0.0, 0.0, 1.0)), parent=None, child="upper_arm"),
        Joint(name=name, type=second, parent="upper_arm", child="forearm"),
    ]
    model = Model(name="m", bodies=bodies, joints=NamedList(joints))
    world = World(models=NamedList([model]), hints=(MujocoOption(integrator="implicitfast"),))
    conversion = convert(world, tmp_path / "m.xml")
    renamed = [entry.path for entry in conversion.ledger if "have the name of the body" in entry.detail]
    read_name = "forearm_joint_2" if other == "forearm_joint" else "forearm_joint"
    assert renamed == ([] if name == read_name else [f"m/{name}.name"])
    read = ossature.load(tmp_path / "m.xml").models[0]
    assert {joint.name for joint in read.joints} == {other, read_name}


def test_the_ledger_states_how_far_mujoco_starts_from_the_initial_state(tmp_path: Path) -> None:
    def told(position: float, velocity: float) -> tuple[str, mujoco.MjModel]:
        coordinate = m.Coordinate(initial_position=position, initial_velocity=velocity)
        hinge = m.Joint(name="hinge", type=m.Revolute(), parent=None, child="bar", coordinates=(coordinate,))
        inertial = m.Inertial(mass=1.0, moment=((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)))
        model = m.Model(name="m", bodies=[m.Body(name="bar", inertial=inertial)], joints=[hinge])
        ledger = ossature.convert(m.World(models=[model]), tmp_path / "bar.xml").ledger
        (found,) = [str(entry) for entry in ledger if entry.path == "m/home"]
        return found, mujoco.MjModel.from_xml_path(str(tmp_path / "bar.xml"))

    message, engine = told(0.25, -2.0)
    data = mujoco.MjData(engine)
    start = np.concatenate([data.qpos, data.qvel])
    mujoco.mj_resetDataKeyframe(engine, data, engine.key("home").id)
    position, velocity = np.abs(np.concatenate([data.qpos, data.qvel]) - start)
    assert f"else qpos by up to {position:.3g} and qvel by up to {velocity:.3g} away" in message
    assert "mj_resetDataKeyframe" not in told(0.0, 0.0)[0]
