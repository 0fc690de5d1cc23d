"""What users report that other converters to MJCF lose silently: each test has the name of a report."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest

import ossature
from conftest import PROJECT
from ossature.conversion import Conversion, convert

LINK = """<link name="{name}"><inertial><origin xyz="0.1 0.02 0.03" rpy="0.3 -0.4 0.5"/><mass value="2"/>
  <inertia ixx="0.02" iyy="0.03" izz="0.04" ixy="0.001" ixz="0.002" iyz="-0.003"/></inertial>{shapes}</link>"""
JOINT = """<joint name="{name}" type="{type}"><parent link="{parent}"/><child link="{child}"/>
  <origin xyz="0.1 0.2 0.3" rpy="0.1 0.2 0.3"/><axis xyz="0 1 0"/>
  <limit lower="-1" upper="2" effort="5" velocity="3"/><dynamics damping="0.7" friction="0.2"/>{more}</joint>"""


def urdf(*elements: str) -> str:
    return f'<robot name="robot">{"".join(elements)}</robot>'


def link(name: str, shapes: str = "") -> str:
    return LINK.format(name=name, shapes=shapes)


def joint(name: str, parent: str, child: str, type: str = "revolute", more: str = "") -> str:
    return JOINT.format(name=name, parent=parent, child=child, type=type, more=more)


ARM = (link("base_link"), link("upper"), link("lower"), joint("shoulder", "base_link", "upper"))


def converted(text: str, folder: Path, **options: Any) -> tuple[Any, Conversion]:
    (folder / "robot.urdf").write_text(text)
    conversion = convert(folder / "robot.urdf", folder / "robot.xml", **options)
    return mujoco.MjModel.from_xml_path(str(folder / "robot.xml")), conversion


def test_2_1_mimic_is_dropped_on_import(tmp_path: Path) -> None:
    """mujoco#3527: the follower moves as multiplier · driver + offset."""
    mimic = '<mimic joint="shoulder" multiplier="-0.5" offset="0.2"/>'
    model, _ = converted(urdf(*ARM, joint("elbow", "upper", "lower", more=mimic)), tmp_path)
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    assert data.joint("elbow").qpos[0] == 0.2
    data.ctrl[0] = 4.0
    mujoco.mj_step(model, data, nstep=2000)
    assert abs(data.joint("shoulder").qpos[0]) > 0.1
    assert data.joint("elbow").qpos[0] == pytest.approx(0.2 - 0.5 * data.joint("shoulder").qpos[0], abs=5e-3)
    assert model.nu == 1, "one actuator for a coupled group"


def test_2_1_damping_and_friction_are_dropped(tmp_path: Path) -> None:
    """IsaacSim#841."""
    model, _ = converted(urdf(*ARM, joint("elbow", "upper", "lower")), tmp_path)
    np.testing.assert_array_equal(model.dof_damping, 0.7)
    np.testing.assert_array_equal(model.dof_frictionloss, 0.2)


def test_2_1_urdf_gives_no_actuators_so_that_the_arm_falls(tmp_path: Path) -> None:
    """mujoco_menagerie#24 and #74."""
    interface = "<hardwareInterface>PositionJointInterface</hardwareInterface>"
    transmissions = [
        f'<transmission name="t_{name}"><joint name="{name}">{interface}</joint><actuator name="m"/></transmission>'
        for name in ("shoulder", "elbow")
    ]
    model, conversion = converted(urdf(*ARM, joint("elbow", "upper", "lower"), *transmissions), tmp_path)
    assert [model.actuator(number).name for number in range(model.nu)] == ["shoulder", "elbow"]
    np.testing.assert_array_equal(model.actuator_forcerange, [[-5.0, 5.0]] * 2)
    np.testing.assert_array_equal(model.actuator_ctrlrange, [[-1.0, 2.0]] * 2)
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, nstep=1)
    assert not any(entry.action == "dropped" and "joint" in entry.path for entry in conversion.ledger)


def test_2_1_each_loss_is_in_the_ledger_with_its_value(tmp_path: Path) -> None:
    _, conversion = converted(urdf(*ARM, joint("elbow", "upper", "lower")), tmp_path)
    dropped = {entry.path: entry.before for entry in conversion.ledger if entry.action == "dropped"}
    assert dropped["robot/shoulder.coordinates[0].velocity_limits"] == "-3 to 3 rad/s"


def test_2_2_the_rotation_of_inertia_is_lost(tmp_path: Path) -> None:
    """mujoco#3559 and #2982: the tensor in axes of the link is that of the URDF file."""
    model, _ = converted(urdf(*ARM, joint("elbow", "upper", "lower")), tmp_path)
    expected = np.array(ossature.load(tmp_path / "robot.urdf").models[0].bodies["lower"].inertial.moment)
    body = model.body("lower")
    rotation = np.zeros(9)
    mujoco.mju_quat2Mat(rotation, body.iquat)
    axes = rotation.reshape(3, 3)
    np.testing.assert_allclose(axes @ np.diag(body.inertia) @ axes.T, expected, rtol=0.0, atol=1e-12)


def test_2_2_impossible_inertia_is_balanced_silently(tmp_path: Path) -> None:
    """rm_models#6: the nearest tensor that MuJoCo accepts is written, and the ledger has the difference."""
    text = urdf(*ARM, joint("elbow", "upper", "lower")).replace('izz="0.04"', 'izz="0.4"')
    _, conversion = converted(text, tmp_path)
    (entry, *_) = [each for each in conversion.ledger if each.path == "robot/lower.inertial.moment"]
    assert entry.action == "approximated"
    assert 0.0 < (entry.error or 0.0) < 0.2
    assert "balanceinertia" not in (tmp_path / "robot.xml").read_text()
    assert "<!--" in (tmp_path / "robot.xml").read_text()


def test_2_3_fixed_links_vanish(tmp_path: Path) -> None:
    """mujoco#1176: links that a fixed joint connects stay bodies, with their own mass."""
    model, _ = converted(urdf(*ARM, joint("tool", "upper", "lower", "fixed")), tmp_path)
    assert model.body("lower").mass[0] == 2.0
    assert model.njnt == 1


def test_2_5_the_scale_of_a_mesh_is_lost(tmp_path: Path) -> None:
    """or_urdf#6, pinocchio#1370: also that of a mesh with several colours, which MuJoCo would read as one."""
    (tmp_path / "m.obj").write_text(
        "mtllib m.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nusemtl red\nf 1 3 2\nf 1 2 4\nusemtl blue\nf 1 4 3\nf 2 3 4\n"
    )
    (tmp_path / "m.mtl").write_text("newmtl red\nKd 1 0 0\nnewmtl blue\nKd 0 0 1\n")
    mesh = '<visual><geometry><mesh filename="m.obj" scale="0.1 0.2 0.3"/></geometry></visual>'
    text = urdf(link("base_link"), link("upper", mesh), joint("shoulder", "base_link", "upper"))
    model, _ = converted(text, tmp_path)
    np.testing.assert_array_equal(model.mat_rgba[model.geom_matid], [[1, 0, 0, 1], [0, 0, 1, 1]])
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    corners = []
    for geom in range(model.ngeom):
        start, count = model.mesh_vertadr[model.geom_dataid[geom]], model.mesh_vertnum[model.geom_dataid[geom]]
        body = model.geom_bodyid[geom]
        world = model.mesh_vert[start : start + count] @ data.geom_xmat[geom].reshape(3, 3).T + data.geom_xpos[geom]
        corners.append((world - data.xpos[body]) @ data.xmat[body].reshape(3, 3))
    np.testing.assert_allclose(np.vstack(corners).max(axis=0), (0.1, 0.2, 0.3), atol=1e-6)


@pytest.mark.parametrize("group", ["o", "g"])
def test_2_5_groups_of_a_mesh_are_lost(group: str, tmp_path: Path) -> None:
    """MuJoCo reads the first object or group of an OBJ file, and other programs read all."""
    corners, faces = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n", "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
    more = corners.replace("v 0", "v 5").replace("v 1", "v 6"), "f 5 7 6\nf 5 6 8\nf 5 8 7\nf 6 7 8\n"
    (tmp_path / "m.obj").write_text(f"{group} one\n{corners}{faces}{group} two\n{more[0]}{more[1]}")
    mesh = '<collision><geometry><mesh filename="m.obj"/></geometry></collision>'
    text = urdf(link("base_link"), link("upper", mesh), joint("shoulder", "base_link", "upper"))
    model, _ = converted(text, tmp_path)
    assert model.nmeshface == 8
    assert model.mesh_vertnum.tolist() == [8]


def test_2_6_a_joint_without_limits_becomes_limited(tmp_path: Path) -> None:
    """mujoco#3391: a continuous joint has no range."""
    model, _ = converted(urdf(*ARM, joint("elbow", "upper", "lower", "continuous")), tmp_path)
    assert model.jnt_limited.tolist() == [1, 0]


def test_2_7_names_are_mangled(tmp_path: Path) -> None:
    """IsaacSim#91, gz-mujoco#8: names stay, also others than ASCII; a joint and a link may have the same name."""
    text = urdf(*ARM, joint("Ellbogen_ß", "upper", "lower")).replace('"lower"', '"Ellbogen_ß"')
    model, _ = converted(text, tmp_path)
    assert model.body("Ellbogen_ß").id > 0
    assert model.joint("Ellbogen_ß").id > 0
    assert mujoco.MjSpec.from_file(str(tmp_path / "robot.xml")).modelname == "robot"


def test_2_4_closed_loops_are_opened(tmp_path: Path) -> None:
    """pinocchio#1274, mujoco#1172: the loop of a slider crank stays closed."""
    convert(PROJECT / "examples" / "slider_crank.yaml", tmp_path / "crank.xml")
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "crank.xml"))
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    assert model.neq > 0
    mujoco.mj_step(model, data, nstep=200)
    rows = data.efc_type[: data.nefc] == int(mujoco.mjtConstraint.mjCNSTR_EQUALITY)
    assert np.abs(data.efc_pos[: data.nefc][rows]).max() < 2e-3
