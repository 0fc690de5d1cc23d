"""MJCF converted to other formats: bodies stay where they are, and the ledger contains what is lost."""

from __future__ import annotations

from pathlib import Path

import mujoco
import numpy as np
import pytest

import ossature
from mjcf.mujoco_reference import read_mjcf
from ossature.conversion import convert
from ossature.diagnostics import Report
from ossature.kinematics import model_poses
from ossature.model import Joint, World

ROBOT = """
<mujoco model="robot">
  <worldbody>
    <body name="base" pos="0.1 0.2 0.3" euler="10 20 30">
      <inertial pos="0 0 0" mass="2" diaginertia="0.1 0.1 0.1"/>
      <site name="tool" pos="0 0 1"/>
      <body name="leg" pos="0.4 0 0.1">
        <joint name="abduct" axis="1 0 0" pos="0 0.1 0"/>
        <joint name="flex" axis="0 1 0" pos="0.1 0 0" ref="20"/>
        <joint name="slide" type="slide" axis="0 0 1"/>
        <geom size="0.1"/>
        <body name="foot" pos="0 0 -0.5">
          <joint name="ankle" axis="0 1 0" pos="0 0 0.05" armature="0.1"/>
          <geom size="0.05"/>
        </body>
      </body>
    </body>
  </worldbody>
  <actuator><position name="servo" joint="ankle" kp="10"/></actuator>
</mujoco>
"""
ANGLES = {"abduct": 0.3, "flex": -0.5, "slide": 0.2, "ankle": 0.7}


@pytest.mark.parametrize("suffix", [".urdf", ".skel", ".dae"])
def test_bodies_stay_where_they_are(suffix: str, tmp_path: Path, report: Report) -> None:
    source = tmp_path / "robot.xml"
    source.write_text(ROBOT)
    world = read_mjcf(source, report)
    assert world is not None
    ledger = ossature.save(world, tmp_path / f"out{suffix}")
    assert {"robot/servo", "robot/ankle.coordinates[0].armature"} <= {entry.path for entry in ledger} or suffix == ".dae"
    converted, found = ossature.read(tmp_path / f"out{suffix}")
    assert converted is not None, str(found)
    expected = model_poses(world.models[0], _positions(world))
    actual = model_poses(converted.models[0], _positions(converted))
    for body in ("base", "leg", "foot"):
        assert actual[body].matrix() == pytest.approx(expected[body].matrix(), abs=1e-12), body
        mass = converted.models[0].bodies[body].inertial.mass
        assert mass == pytest.approx(world.models[0].bodies[body].inertial.mass, rel=1e-12)


def _positions(world: World) -> dict[str, list[float]]:
    """Return the angles for joints with the names of the file, and for the coordinates and parts of a compound joint."""
    found = {}
    for joint in world.models[0].joints:
        named = [coordinate.name or joint.name for coordinate in joint.coordinates]
        found[joint.name] = [ANGLES.get(name, _angle_of_part(joint)) for name in named]
    return found


def _angle_of_part(joint: Joint) -> float:
    parts = {f"leg_joint_{number}": name for number, name in enumerate(("abduct", "flex", "slide"), start=1)}
    return ANGLES[parts[joint.name]] if joint.name in parts else float(np.nan)


@pytest.mark.parametrize("suffix", [".urdf", ".skel", ".yaml", ".dae"])
def test_the_ledger_contains_what_only_mjcf_has(suffix: str, tmp_path: Path, report: Report) -> None:
    world = read_mjcf(Path(__file__).parent / "files" / "robot.xml", report)
    assert world is not None
    entries = "\n".join(map(str, ossature.save(world, tmp_path / f"out{suffix}")))
    for path in ("world.visuals[0].appearance", "arm.collisions[0].hints", "framepos_0", "cable", "equality_0", "up"):
        assert f"robot/{path}" in entries, path


GRIPPER = """
<mujoco model="gripper">
  <compiler angle="radian"/>
  <worldbody>
    <body name="left" pos="0.1 0 0.2"><joint name="driver" axis="0 1 0" range="0 1" ref="{ref}"/>
      <inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body>
    <body name="right" pos="-0.1 0 0.2"><joint name="follower" axis="0 -0.6 0.8" range="-2 2" ref="0.1"/>
      <inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body>
  </worldbody>
  <equality><joint name="together" joint1="follower" joint2="driver" polycoef="{polynomial}"/></equality>
</mujoco>
"""


def followed(source: Path, driver: float) -> tuple[float, np.ndarray]:
    """Return the position of the follower at which MuJoCo's equality holds, and the pose of its body there."""
    model = mujoco.MjModel.from_xml_path(str(source))
    data = mujoco.MjData(model)
    start, other = model.qpos0[model.joint("follower").qposadr[0]], model.qpos0[model.joint("driver").qposadr[0]]
    position = start + np.polynomial.Polynomial(model.eq_data[0, :5])(driver - other)
    data.joint("driver").qpos, data.joint("follower").qpos = driver, position
    mujoco.mj_forward(model, data)
    assert data.efc_pos[0] == pytest.approx(0.0, abs=1e-15)
    return float(position), np.array(data.body("right").xmat).reshape(3, 3)


def test_an_equality_of_joints_is_the_mimic_of_urdf(tmp_path: Path) -> None:
    pin = pytest.importorskip("pinocchio")
    source = tmp_path / "gripper.xml"
    source.write_text(GRIPPER.format(polynomial="0.25 -2 0 0 0", ref="0.5"))
    ledger = ossature.convert(source, tmp_path / "gripper.urdf").ledger
    assert ledger.covers("gripper/together")
    model = pin.buildModelFromUrdf(str(tmp_path / "gripper.urdf"), mimic=True)
    data = model.createData()
    assert (model.nq, model.mimicking_joints.tolist()) == (1, [model.getJointId("follower")])
    for driver in (0.0, 0.3, 1.0):
        pin.framesForwardKinematics(model, data, np.array([driver]))
        _, rotation = followed(source, driver)
        assert data.oMf[model.getFrameId("right")].rotation == pytest.approx(rotation, abs=1e-12)


@pytest.mark.parametrize("polynomial", ["0.25 -2 0 0 0", "0.1 0.5 -0.25 0.3 0.2", "0.4 0 0 0 0"])
@pytest.mark.parametrize("suffix", [".dae", ".xml"])
def test_equalities_of_joints_are_formulas_where_a_format_has_these(polynomial: str, suffix: str, tmp_path: Path) -> None:
    source = tmp_path / "gripper.xml"
    source.write_text(GRIPPER.format(polynomial=polynomial, ref="-0.2"))
    ossature.convert(source, tmp_path / f"written{suffix}")
    world = ossature.load(tmp_path / f"written{suffix}")
    for driver in (0.0, 0.3, 1.0):
        position, rotation = followed(source, driver)
        specified = {"driver": (driver,), **({"follower": (position,)} if suffix == ".xml" else {})}
        placed = model_poses(world.models[0], specified)["right"]
        assert placed.matrix()[:3, :3] == pytest.approx(rotation, abs=1e-9)
    ledger = ossature.convert(source, tmp_path / "gripper.urdf").ledger
    is_linear = polynomial.endswith(" 0 0 0")
    assert ("<mimic" in (tmp_path / "gripper.urdf").read_text()) == is_linear
    assert is_linear or "dropped: gripper/follower.coordinates[0].coupling" in "\n".join(ledger.lines())


def test_only_joints_with_motors_of_chrono_have_actuators(tmp_path: Path) -> None:
    source = Path(__file__).parents[2] / "examples" / "slider_crank.yaml"
    assert not ossature.convert(source, tmp_path / "crank.xml", verify=True).differences
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "crank.xml"))
    assert [model.actuator(number).name for number in range(model.nu)] == ["drive"]
    # Rounding errors of rotations are not in the file.
    assert model.joint("guide").axis.tolist() == [1.0, 0.0, 0.0]
    assert 'axis="1 0 0"' in (tmp_path / "crank.xml").read_text()


def test_moments_of_bodies_without_mass_come_back(tmp_path: Path) -> None:
    """Robots state them for the links at which they are mounted, and for rotors."""
    products = 'ixy="0" ixz="0" iyz="0"'
    robot = f"""<robot name="arm">
      <link name="base">
        <inertial><mass value="0"/><inertia ixx="0.05" iyy="0.06" izz="0.03" {products}/></inertial>
      </link>
      <link name="hand"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" {products}/></inertial></link>
      <joint name="wrist" type="continuous"><parent link="base"/><child link="hand"/><axis xyz="0 0 1"/></joint>
    </robot>"""
    ossature.convert(robot, tmp_path / "arm.xml", verify=True)
    base = ossature.load(tmp_path / "arm.xml").models[0].bodies["base"].inertial
    assert np.array(base.moment) == pytest.approx(np.diag([0.05, 0.06, 0.03]), abs=1e-15)


def test_mujoco_opens_an_obj_file_of_which_some_corners_have_normals(tmp_path: Path) -> None:
    corners = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nvn 0 0 -1\n"
    (tmp_path / "tetrahedron.obj").write_text(corners + "f 1//1 3//1 2//1\nf 1 2 4\nf 1 4 3\nf 2 3 4\n")
    shape = '<geometry><mesh filename="tetrahedron.obj"/></geometry>'
    (tmp_path / "robot.urdf").write_text(f'<robot name="r"><link name="a"><visual>{shape}</visual></link></robot>')
    output = tmp_path / "out" / "robot.xml"
    output.parent.mkdir()
    ossature.convert(ossature.load(tmp_path / "robot.urdf"), output)
    assert mujoco.MjModel.from_xml_path(str(output)).nmesh == 1


def test_a_texture_without_its_image_is_in_the_ledger(tmp_path: Path) -> None:
    source = tmp_path / "source.xml"
    texture = '<texture name="skin" type="2d" file="missing.png"/>'
    source.write_text(f'<mujoco><asset>{texture}</asset><worldbody><geom size="1"/></worldbody></mujoco>')
    done = convert(source, tmp_path / "out.xml", verify=True)
    assert {"file", "builtin", "width"} <= {entry.path.rpartition(".")[2] for entry in done.ledger}


SMALL_STAGE = """
<mujoco model="stage">
  <worldbody>
    <body name="stage">
      <joint name="x" type="slide" axis="1 0 0"/>
      <joint name="y" type="slide" axis="0 1 0"/>
      <geom size="0.001"/>
    </body>
  </worldbody>
</mujoco>
"""


@pytest.mark.parametrize("text", [ROBOT, SMALL_STAGE], ids=["robot", "stage of 4 mg"])
def test_mujoco_reads_the_massless_links_of_a_written_urdf(text: str, tmp_path: Path, report: Report) -> None:
    source = tmp_path / "robot.xml"
    source.write_text(text)
    world = read_mjcf(source, report)
    assert world is not None
    done = convert(world, tmp_path / "robot.urdf", verify=True)
    assert [each.mass_matrices for each in done.verifications if each.program == "MuJoCo" and each.is_verified] == [1]
