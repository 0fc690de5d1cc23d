"""Worlds of MJCF files: their compiled model is the one that MuJoCo compiles from the file, and it moves alike."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest
from typer.testing import CliRunner

from conftest import corpus_folder, example_models
from mjcf.engine_models import differences
from mjcf.mujoco_reference import compiled_by_mujoco, read_mjcf
from ossature.assets import MeshStore
from ossature.cli.app import app
from ossature.conversion import convert
from ossature.diagnostics import Report
from ossature.kinematics import model_poses
from ossature.model import World
from ossature.simulation import CompiledModel, Simulation, SimulationError

FAST = ("kuka_iiwa_14/iiwa14.xml", "bitcraze_crazyflie_2/scene.xml", "robotiq_2f85/2f85.xml")
_SDF = "shapes of plugins (signed distance functions) are read as meshes"
DIFFERENT_ELEMENTS = {
    **dict.fromkeys(("bowl", "gear", "mesh", "nutbolt", "model"), _SDF),
    "100_humanoids": "MuJoCo leaves out the target of a light in a replicated model that is attached",
}
"""Files of elements, by name, whose model differs, with the reason."""
_MESHES = "collisions of meshes, whose vertices are in single precision in another frame"
DIFFERENT_MOTION_OF_ELEMENTS = {
    **dict.fromkeys(("multiple_objects", "mixed", "100spheremesh", "carousel", "discardvisual"), _MESHES),
    "2humanoid100_chol": "hundreds of contacts amplify rounding errors more than tenfold from one controller to another",
    "fromto_primitive": "the nearest points of parallel surfaces are not unique",
    "basket": "it diverges after 0.53 s, in MuJoCo too, which starts anew",
    "dcmotor": "the random voltages make the motor with LuGre friction diverge, in MuJoCo too",
}
FOLDER = corpus_folder()
MODELS = [] if FOLDER is None else sorted((FOLDER / "corpus" / "mjcf").glob("*/*.xml"))
CASES = [
    pytest.param(path, id=f"{path.parent.name}/{path.name}", marks=() if str(path).endswith(FAST) else pytest.mark.slow)
    for path in MODELS
]
FAST_ELEMENTS = (
    "orientation.xml",
    "tendon_wrap.xml",
    "weld.xml",
    "sites.xml",
    "conemesh_box.xml",
    "treadmill.xml",
    "inertia.xml",
)
ELEMENTS = [] if FOLDER is None else sorted((FOLDER / "corpus" / "mjcf-elements").rglob("*.xml"))


def _is_compared(path: Path) -> bool:
    return path.stem not in DIFFERENT_ELEMENTS


def world_of(path: Path, report: Report) -> World:
    allowed = [] if FOLDER is None else [FOLDER / "corpus" / name for name in ("mjcf", "mjcf-elements")]
    world = read_mjcf(path, report, *allowed)
    if world is None:
        pytest.skip("MuJoCo refuses the file")
    return world


@pytest.mark.parametrize("path", [*example_models(".xml"), *CASES])
def test_the_compiled_model_is_that_of_mujoco(path: Path) -> None:
    simulation, expected = simulation_with_the_model_of_mujoco(path)
    _compare_motion(simulation, expected)


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, id=path.stem, marks=() if path.name in FAST_ELEMENTS else pytest.mark.slow)
        for path in ELEMENTS
        if _is_compared(path)
    ],
)
def test_models_of_single_elements_are_those_of_mujoco(path: Path) -> None:
    simulation, expected = simulation_with_the_model_of_mujoco(path)
    if path.stem not in DIFFERENT_MOTION_OF_ELEMENTS:
        _compare_motion(simulation, expected)


def simulation_with_the_model_of_mujoco(path: Path) -> tuple[Simulation, Any]:
    """Return the simulation of a file, and the model that MuJoCo compiles, which must be equal."""
    report = Report()
    world = world_of(path, report)
    try:
        expected = compiled_by_mujoco(path)
    except ValueError as error:
        if "opening file" in str(error):
            pytest.skip("the corpus has no texture of the file")
        assert report.take("removed-mjcf")
        pytest.skip("MuJoCo refuses the file, which is one of an earlier version")
    simulation = Simulation(world)
    model = simulation.compiled.model
    model.opt.disableflags = expected.opt.disableflags  # an automatic reset would hide a divergence
    assert not differences(expected, model)
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_AUTORESET)
    return simulation, expected


_AMPLIFICATION = 10.0
"""Largest difference of motion for each difference that rounding errors of positions and shapes cause."""


def _compare_motion(simulation: Simulation, model: Any) -> None:
    """Compare one second of motion under random controls; chaotic contacts only as far as rounding errors are small."""
    # Contacts amplify rounding errors: the same model, with a state or with shapes that differ by one, states by how much. Of
    # the vertices of a mesh that are nearly as deep in a plane, for example, a rounding error decides which are contacts.
    turned = copy.copy(model)
    turned.geom_quat[:] += 1e-15 * np.random.default_rng(1).normal(size=model.geom_quat.shape)
    data, own = mujoco.MjData(model), simulation.data
    perturbed = [(model, mujoco.MjData(model)), (turned, mujoco.MjData(turned))]
    perturbed[0][1].qpos[:] += 1e-15
    rng = np.random.default_rng(0)
    lower = np.where(model.actuator_ctrllimited, model.actuator_ctrlrange[:, 0], -1.0)
    upper = np.where(model.actuator_ctrllimited, model.actuator_ctrlrange[:, 1], 1.0)
    addresses = simulation.compiled.index.actuators
    steps, largest, differing = round(0.02 / model.opt.timestep), 0.0, 0.0
    for _ in range(50):
        data.ctrl[:] = rng.uniform(lower, upper)
        for owner, actuators in addresses.items():
            for name, address in actuators.items():
                values = data.ctrl[address.control : address.control + address.control_count]
                simulation.command(owner, name, values.tolist())
        mujoco.mj_step(model, data, nstep=steps)
        for other, moved in perturbed:
            moved.ctrl[:] = data.ctrl
            mujoco.mj_step(other, moved, nstep=steps)
            largest = max(largest, float(np.abs(moved.qpos - data.qpos).max(initial=0.0)))
            differing = max(differing, float(np.abs(moved.sensordata - data.sensordata).max(initial=0.0)))
        simulation.step(steps)
        size = float(np.abs(data.qpos).max(initial=1.0))
        assert np.abs(own.qpos - data.qpos).max(initial=0.0) <= max(1e-9 * size, _AMPLIFICATION * largest)
        np.testing.assert_allclose(own.sensordata, data.sensordata, rtol=1e-4, atol=max(1e-4, _AMPLIFICATION * differing))


def test_reading_and_writing_again_gives_an_equal_world(tmp_path: Path) -> None:
    for path in [path for path in MODELS if str(path).endswith(FAST)]:
        world = world_of(path, Report())
        written = tmp_path / path.parent.name / path.name
        written.parent.mkdir()
        ledger = convert(world, written).ledger
        assert ledger.lossless, "\n".join(ledger.lines())
        again = world_of(written, Report())
        assert not differences(compiled_by_mujoco(path), compiled_by_mujoco(written))
        model, other = world.models[0], again.models[0]
        for field in ("joints", "actuators", "tendons", "equalities", "keyframes", "ignored_pairs", "sensors", "appearances"):
            assert getattr(model, field) == getattr(other, field), f"{path.name}: {field}"


WORLD = """<mujoco model="pendulum">
  <option integrator="implicitfast" timestep="0.001"/>
  <worldbody>
    <body name="arm" pos="0 0 1">
      <joint name="elbow" axis="0 1 0" range="-2 2" damping="0.1"/>
      <geom name="rod" type="capsule" size="0.02" fromto="0 0 0 0.5 0 0" mass="1"/>
      <site name="tip" pos="0.5 0 0"/>
    </body>
  </worldbody>
  <actuator><position name="servo" joint="elbow" kp="50" kv="2"/></actuator>
  <sensor><jointpos name="angle" joint="elbow"/><framepos name="tip_position" objtype="site" objname="tip"/></sensor>
  <keyframe><key name="home" qpos="0.5" ctrl="0.5"/></keyframe>
</mujoco>
"""


@pytest.fixture
def pendulum(tmp_path: Path) -> World:
    path = tmp_path / "pendulum.xml"
    path.write_text(WORLD)
    return world_of(path, Report())


def test_actuators_are_commanded_by_name(pendulum: World) -> None:
    simulation = Simulation(pendulum)
    simulation.command("pendulum", "servo", 0.3)
    simulation.run(duration=0.1, sample=0.05)
    assert simulation.data.ctrl[0] == 0.3
    simulation.command("pendulum", "servo", lambda time: time)
    simulation.step(10)
    assert simulation.data.ctrl[0] == pytest.approx(simulation.time - 0.001)
    with pytest.raises(ValueError, match="1"):
        simulation.command("pendulum", "servo", [0.1, 0.2])
    assert simulation.integration.name == "mujoco"


def test_keyframes_are_initial_states_and_sensors_are_read_by_name(pendulum: World) -> None:
    simulation = Simulation(pendulum)
    simulation.apply_keyframe("home")
    assert simulation.positions() == {"pendulum": {"elbow": (0.5,)}}
    assert simulation.data.ctrl[0] == 0.5
    x, y, z = 0.5 * np.cos(0.5), 0.0, 1.0 - 0.5 * np.sin(0.5)
    measured = simulation.measurements()["pendulum"]
    assert measured["angle"] == (0.5,)
    np.testing.assert_allclose(measured["tip_position"], (x, y, z), atol=1e-15)
    with pytest.raises(KeyError, match="home"):
        simulation.apply_keyframe("hom")


def test_the_command_line_starts_from_a_keyframe_and_commands_actuators(pendulum: World, tmp_path: Path) -> None:
    commands = tmp_path / "commands.csv"
    commands.write_text("time,pendulum/servo\n0,0.5\n1,0.5\n")
    arguments = ["simulate", str(tmp_path / "pendulum.xml"), "--initial-state", "home", "--command", str(commands)]
    result = CliRunner().invoke(app, [*arguments, "--duration", "2", "--json"])
    assert result.exit_code == 0, result.output
    summary = json.loads(result.stdout)
    assert summary["integrator"]["name"] == "mujoco"


def test_a_state_restarts_bit_exactly(pendulum: World) -> None:
    simulation = Simulation(pendulum)
    simulation.command("pendulum", "servo", 0.3)
    simulation.step(100)
    state = simulation.state()
    simulation.step(100)
    other = Simulation(CompiledModel.from_world(pendulum))
    other.restore(state)
    other.step(100)
    assert other.data.qpos[0] == simulation.data.qpos[0]


def test_another_integrator_uses_the_model_of_ossature(pendulum: World) -> None:
    simulation = Simulation(pendulum, integrator="leapfrog")
    assert simulation.integration.name == "leapfrog"


def test_worlds_of_other_formats_have_no_mujoco_integrator() -> None:
    with pytest.raises(SimulationError, match="does not state MuJoCo's options"):
        Simulation(World(), integrator="mujoco")


def test_meshes_come_from_the_world(pendulum: World) -> None:
    assert Simulation(pendulum, meshes=MeshStore()).compiled.model.nbody == 2


@pytest.mark.parametrize(
    "joints",
    [
        '<joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 .6 .8" ref=".2"/><joint type="ball" pos=".1 .2 0"/>',
        '<joint type="hinge" axis="0.6 0 0.8" ref="0.3"/><joint type="ball" pos="0 0.1 0"/><joint type="slide" ref="-0.1"/>',
    ],
)
def test_joints_with_balls_have_the_poses_and_motion_of_mujoco(joints: str, tmp_path: Path) -> None:
    path = tmp_path / "balls.xml"
    path.write_text(f"""<mujoco><option timestep="0.001"/><worldbody><body name="base" pos="0 0 1" quat="1 2 3 4">{joints}
        <geom type="box" size="0.1 0.2 0.3"/><body name="link" pos="0.3 0 0"><joint name="elbow" axis="0 1 0"/>
        <geom size="0.1" pos="0.2 0 0"/></body></body></worldbody>
        <keyframe><key name="k" qpos="{KEY[joints.count("slide")]}" qvel="0.1 -0.2 1 2 3 0.5"/></keyframe></mujoco>""")
    world = world_of(path, Report())
    owner = world.models[0]
    simulation, model = Simulation(world), mujoco.MjModel.from_xml_path(str(path))
    expected = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, expected, 0)
    simulation.apply_keyframe("k")
    other = Simulation(world)
    for _ in range(3):
        mujoco.mj_forward(model, expected)
        poses = model_poses(owner, simulation.positions()[owner.name])
        for name, pose in poses.items():
            np.testing.assert_allclose(pose.position, expected.body(name).xpos, rtol=0, atol=1e-12)
            assert abs(np.dot(pose.wxyz, expected.body(name).xquat)) == pytest.approx(1.0, abs=1e-12)
        # Written positions and velocities are those that were read.
        other.set_coordinates(simulation.state())
        np.testing.assert_allclose(other.data.qpos, expected.qpos, atol=1e-12)
        np.testing.assert_allclose(other.data.qvel, expected.qvel, atol=1e-12)
        mujoco.mj_step(model, expected, nstep=50)
        simulation.step(50)


KEY = {2: "0.1 0.3 0.5 0.1 -0.7 0.5 0.4", 1: "0.4 0.5 0.1 -0.7 0.5 0.2 0.4"}
"""Positions of a slide or hinge, the other ones and a ball, not normalized, by the number of slides."""


def test_limits_without_zero_are_those_of_mujoco(tmp_path: Path) -> None:
    path = tmp_path / "finger.xml"
    path.write_text("""<mujoco><worldbody><body><joint name="finger" type="slide" range="0.015 0.037"/><geom size="0.01"/>
        </body></worldbody></mujoco>""")
    simulation, model = Simulation(world_of(path, Report())), mujoco.MjModel.from_xml_path(str(path))
    assert simulation.compiled.model.jnt_range.tolist() == model.jnt_range.tolist()
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, nstep=30)
    simulation.step(30)
    np.testing.assert_allclose(simulation.data.qpos, data.qpos, rtol=1e-12)


UNEQUAL_GEARS = """<mujoco model="gears">
  <worldbody>
    <body><freejoint/><geom size="0.1"/><site name="a"/><site name="b"/><site name="c"/></body>
    <body pos="1 0 0"><joint type="ball" limited="true"/><geom size="0.1"/></body>
    <body pos="2 0 0"><joint type="slide" axis="1 0 0"/><geom type="cylinder" size="0.1 0.1" zaxis="0 1 0"/></body>
  </worldbody>
  <actuator>
    <general site="a" gear="0 0 1"/>
    <general site="b" gear="0 0 1"/>
    <general site="c" gear="0 1"/>
  </actuator>
</mujoco>
"""


def test_shorter_vectors_limits_of_zero_and_principal_axes_are_kept(tmp_path: Path) -> None:
    """MuJoCo completes a vector from the default, and computes other constraint parameters for aligned bodies."""
    path = tmp_path / "gears.xml"
    path.write_text(UNEQUAL_GEARS)
    _compare_motion(*simulation_with_the_model_of_mujoco(path))


def test_missing_collision_shapes_are_reported(tmp_path: Path) -> None:
    (tmp_path / "hull.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n")
    path = tmp_path / "hull.xml"
    asset, body = '<asset><mesh file="hull.obj"/></asset>', '<body><freejoint/><geom type="mesh" mesh="hull"/></body>'
    text = f"<mujoco>{asset}<worldbody>{body}</worldbody></mujoco>"
    path.write_text(text)
    simulation, _ = simulation_with_the_model_of_mujoco(path)
    assert simulation.compiled.model.ngeom == 1  # the convex hull of vertices without faces
    (tmp_path / "box.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n")
    path.write_text(text.replace("hull", "box"))
    world = world_of(path, Report())
    (tmp_path / "box.obj").unlink()
    report = Report()
    Simulation(world, report=report)
    (finding,) = report.take("element-not-simulated")
    assert "collisions[0]" in finding.message


SERVOS = """<mujoco model="servos">
  <worldbody>
    <site name="reference"/>
    <body name="first"><joint name="ball" type="ball"/><geom size="0.1"/></body>
    <body name="second" pos="1 0 0"><joint name="other" type="ball"/><geom size="0.1"/><site name="tip"/></body>
    <body name="third" pos="2 0 0"><joint name="slide" type="slide"/><geom size="0.1"/></body>
  </worldbody>
  <actuator>
    <orientation name="turned" joint="ball" kp="2" kv="0.1"/>
    <orientation name="aimed" site="tip" refsite="reference" input="quat" kp="3"/>
    <pid name="driven" joint="slide" kp="5" kv="1" gear="2" input="pos vel" velrange="-1 1"/>
  </actuator>
</mujoco>
"""


def test_actuators_of_several_controls_and_forces_act_as_in_mujoco(tmp_path: Path) -> None:
    path = tmp_path / "servos.xml"
    path.write_text(SERVOS)
    simulation, expected = simulation_with_the_model_of_mujoco(path)
    _compare_motion(simulation, expected)
    simulation.energy()
    for element in ("<orientation", 'input="quat"'):
        convert(world_of(path, Report()), written := tmp_path / "written.xml")
        assert element in written.read_text()
