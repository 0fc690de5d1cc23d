"""Worlds as objects of MuJoCo, Pinocchio and trimesh."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

import ossature
from conftest import PROJECT
from ossature.model import Box, LazyMesh, TriangleMesh, Visual
from ossature.model.tessellation import tessellate

EXAMPLES = PROJECT / "examples"


@pytest.mark.parametrize("file", ["arm.skel", "palletizer.urdf", "slider_crank.yaml", "double_pendulum.skel"])
def test_models_of_the_engine_are_those_of_simulations(file: str) -> None:
    world = ossature.load(EXAMPLES / file)
    model, simulation = ossature.to_mjmodel(world), ossature.Simulation(world)
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_KEY, "initial"))
    mujoco.mj_forward(model, data)
    assert np.array_equal(data.qpos, simulation.data.qpos)
    assert np.array_equal(model.body_mass, simulation.compiled.model.body_mass)
    for name, pose in ((f"{m}/{b}", pose) for m, bodies in simulation.poses().items() for b, pose in bodies.items()):
        number = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, name)
        if number >= 0:
            assert data.xpos[number] == pytest.approx(pose.position, abs=1e-12)


def test_models_of_mjcf_files_are_those_of_mujoco() -> None:
    """Positions, names and forces are those that MuJoCo computes from the file; there is a keyframe more."""
    model = ossature.to_mjmodel(ossature.load(EXAMPLES / "finger.xml"))
    file = mujoco.MjModel.from_xml_path(str(EXAMPLES / "finger.xml"))
    assert (model.nq, model.nu, model.ntendon) == (file.nq, file.nu, file.ntendon)
    assert model.nkey == file.nkey + 1
    assert [model.body(number).name for number in range(model.nbody)] == [
        file.body(number).name for number in range(file.nbody)
    ]
    states = []
    for one in (model, file):
        data = mujoco.MjData(one)
        mujoco.mj_resetDataKeyframe(one, data, one.key("bent").id)
        data.ctrl[:] = 8.0
        mujoco.mj_step(one, data, nstep=200)
        states.append([*data.qpos, *data.sensordata])
    assert states[0] == pytest.approx(states[1], abs=1e-9)
    assert model.key("initial").qpos == pytest.approx(file.qpos0)


def test_specifications_can_be_changed() -> None:
    spec = ossature.to_mjspec(ossature.load(EXAMPLES / "cart_pole.urdf"))
    spec.option.timestep = 0.002
    assert spec.compile().opt.timestep == 0.002


def test_pinocchio_has_the_poses_and_masses() -> None:
    pinocchio = pytest.importorskip("pinocchio")
    world = ossature.load(EXAMPLES / "cart_pole.urdf")
    model = ossature.to_pinocchio(world)
    data = model.createData()
    assert (model.nq, model.nv) == (3, 2)  # the continuous joint has cosine and sine
    pinocchio.framesForwardKinematics(model, data, np.array([0.3, np.cos(0.4), np.sin(0.4)]))
    placed = ossature.poses(world, {"cart_pole": {"cart": 0.3, "pole": 0.4}})["cart_pole"]
    for body in ("cart", "pole"):
        frame = model.getFrameId(body, pinocchio.FrameType.BODY)
        assert data.oMf[frame].homogeneous == pytest.approx(placed[body].matrix(), abs=1e-12)
    assert pinocchio.computeTotalMass(model) == pytest.approx(1.1)
    floating = ossature.to_pinocchio(
        ossature.load(
            EXAMPLES / "palletizer.urdf",
        )
    )
    assert floating.nv >= 5
    with pytest.raises(ossature.OssatureError, match="closed loops"):
        ossature.to_pinocchio(ossature.load(EXAMPLES / "slider_crank.yaml"))


MESH = TriangleMesh(surface=LazyMesh(lambda: tessellate(Box(size=(0.1, 0.1, 0.1)))))


@pytest.mark.parametrize("has_mesh", [False, True])
def test_pinocchio_reads_robots_that_need_files_beside_their_urdf_text(has_mesh: bool) -> None:
    pinocchio = pytest.importorskip("pinocchio")
    world = ossature.load(EXAMPLES / "picker.dae")  # with a manipulator, which is written to an SRDF file
    if has_mesh:
        world = world.replace_at("picker/palm", visuals=(Visual(geometry=MESH),))
    model = ossature.to_pinocchio(world)
    data = model.createData()
    positions = {"waist": 0.4, "shoulder": 0.3, "elbow": 1.2, "wrist_bend": 0.2, "left_slide": 0.01, "right_slide": -0.01}
    q = np.zeros(model.nq)
    for name, position in positions.items():
        q[model.joints[model.getJointId(name)].idx_q] = position
    pinocchio.framesForwardKinematics(model, data, q)
    independent = {name: position for name, position in positions.items() if name != "right_slide"}
    for body, pose in ossature.poses(world, {"picker": independent})["picker"].items():
        frame = model.getFrameId(body, pinocchio.FrameType.BODY)
        assert data.oMf[frame].homogeneous == pytest.approx(pose.matrix(), abs=1e-12)


CONNECTED = """<mujoco><worldbody><body name="a"><joint name="a"/><geom size="0.1"/></body>
  <body name="b" pos="1 0 0"><joint name="b"/><geom size="0.1"/></body></worldbody>
  <equality><connect name="rod" body1="a" body2="b" anchor="0.5 0 0" active="%s"/></equality></mujoco>"""


def test_pinocchio_refuses_loops_by_equalities() -> None:
    pytest.importorskip("pinocchio")
    with pytest.raises(ossature.OssatureError, match=r"closed loops: .*/rod"):
        ossature.to_pinocchio(ossature.load(CONNECTED % "true"))
    assert ossature.to_pinocchio(ossature.load(CONNECTED % "false")).nv == 2


def test_the_urdf_text_of_a_robot_with_semantics_has_the_robot() -> None:
    world = ossature.load(EXAMPLES / "picker.dae")
    again = ossature.load(ossature.to_urdf_string(world))
    assert again["picker"].bodies.names() == world["picker"].bodies.names()
    with pytest.raises(ossature.OssatureError, match=r"palm_0\.obj; use save"):
        ossature.to_urdf_string(world.replace_at("picker/palm", visuals=(Visual(geometry=MESH),)))


def test_urdf_is_text() -> None:
    world = ossature.load(EXAMPLES / "cart_pole.urdf")
    text = ossature.to_urdf_string(world)
    assert text.startswith("<?xml")
    assert not ossature.compare(world, ossature.load(text))


def test_trimesh_scenes_have_the_shapes_at_their_poses() -> None:
    pytest.importorskip("trimesh")
    world = ossature.load(EXAMPLES / "cart_pole.urdf")
    scene = ossature.to_trimesh(world, {"cart_pole": {"cart": 0.5}})
    low, high = scene.bounds
    assert (low[0], high[0]) == pytest.approx((0.4, 0.6))  # the cart is 0.2 m long
    assert high[2] == pytest.approx(0.6)  # the pole is 0.6 m long
    placed = ossature.poses(world, {"cart_pole": {"cart": 0.5}})["cart_pole"]["pole"]
    assert scene.graph.get("cart_pole/pole")[0] == pytest.approx(placed.matrix())
