"""Simulation of MJCF files as users run it: actuators commanded by name, keyframes as initial states."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest
from typer.testing import CliRunner

import ossature
from mjcf.mujoco_reference import compiled_by_mujoco
from ossature import Plant
from ossature.cli.app import app
from ossature.diagnostics import Report
from ossature.kinematics import keyframe_names, model_poses, start_at_keyframe, with_initial_positions
from ossature.model import NamedList
from ossature.simulation import SampledSignal, Simulation
from ossature.spatial import Pose

ODD = Path(__file__).parent / "files" / "odd.xml"
"""Two and more actuators on a joint, activation dynamics, muscles, mocap bodies, nested sites, unnamed elements."""
CONTROLS = {"torque": 0.5, "shoulder": -0.2, "filtered": 0.7, "muscle": 0.4, "iv": 0.1, "thrust": 3.0, "grip": 0.5}


def run(*arguments: object, code: int = 0) -> str:
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == code, result.output
    return result.output if code else result.stdout


def at_home() -> tuple[Any, Any]:
    """Return MuJoCo's own model and data at the keyframe home."""
    model = compiled_by_mujoco(ODD)
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    data.time = 0.0
    return model, data


def final_poses(output: str) -> dict[str, Any]:
    poses: dict[str, Any] = json.loads(output)["final"]["bodies"]["odd"]
    return poses


@pytest.mark.parametrize("keyframe", [True, False])
def test_commands_of_the_command_line_move_the_model_as_controls_of_mujoco(keyframe: bool) -> None:
    model, data = at_home()
    if not keyframe:
        mujoco.mj_resetData(model, data)
    for number, value in enumerate(CONTROLS.values()):
        data.ctrl[number] = value
    mujoco.mj_step(model, data, nstep=100)
    mujoco.mj_kinematics(model, data)  # of the state after the last step
    commands = [part for name, value in CONTROLS.items() for part in ("--command", f"{name}={value}")]
    start = ("--initial-state", "home") if keyframe else ()
    bodies = final_poses(run("simulate", ODD, *start, "--duration", "0.2", *commands, "--json"))
    for name, state in bodies.items():
        np.testing.assert_allclose(state["position"], data.body(name).xpos, rtol=0.0, atol=1e-9)


def test_the_controls_and_activations_of_a_keyframe_act() -> None:
    model, data = at_home()
    simulation = Simulation(ossature.load(ODD))
    simulation.apply_keyframe("home")
    for expected, found in (
        (data.ctrl, simulation.data.ctrl),
        (data.act, simulation.data.act),
        (data.mocap_pos, simulation.data.mocap_pos),
    ):
        np.testing.assert_array_equal(found, expected)
    np.testing.assert_allclose(simulation.data.qpos, data.qpos, rtol=0.0, atol=1e-15)
    np.testing.assert_allclose(simulation.data.qvel, data.qvel, rtol=0.0, atol=1e-15)
    mujoco.mj_step(model, data, nstep=100)
    simulation.step(100)
    np.testing.assert_allclose(simulation.data.qpos, data.qpos, rtol=0.0, atol=1e-9)


def test_a_table_commands_actuators_and_a_restart_continues_it(tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    table.write_text("time,torque,odd/grip\n0,0,0\n1,1,0.5\n")
    arguments = ("simulate", ODD, "--initial-state", "home", "--command", table, "--command", "thrust=1.5")
    whole = final_poses(run(*arguments, "--duration", "0.2", "--json"))
    run(*arguments, "--duration", "0.1", "--save-state", tmp_path / "half.usdf")
    halves = final_poses(run("simulate", ODD, "--initial-state", tmp_path / "half.usdf", "--duration", "0.1", "--json"))
    assert whole == halves


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("torqe=1", "did you mean 'torque'?"),
        ("odd/torqe=1", "did you mean 'odd/torque'?"),
        ("torque=1,2", "a command needs 1 value, not 2"),
        ("torque=x", "use NAME=VALUE"),
        ("torque=nan", "must be finite"),
        ("world_joint=1", "has no degrees of freedom"),
    ],
)
def test_a_wrong_command_ends_the_command(command: str, message: str) -> None:
    assert message in " ".join(run("simulate", ODD, "--command", command, code=2).split())


def test_an_actuator_is_commanded_once() -> None:
    assert "commanded twice" in run("simulate", ODD, "--command", "torque=1", "--command", "odd/torque=1", code=2)


def test_a_command_out_of_the_control_range_is_reported_once() -> None:
    report = Report()
    simulation = Simulation(ossature.load(ODD), report=report)
    for value in (0.5, 5.0, 6.0, SampledSignal([0.0, 1.0], [0.0, 7.0])):
        simulation.command("odd", "torque", value)
    (finding,) = report.take("command-out-of-range")
    assert "5 of actuator 'odd/torque'" in finding.message
    assert "-1 to 1" in finding.message


def test_errors_of_commands_name_actuators() -> None:
    with pytest.raises(KeyError, match="did you mean 'torque'"):
        Simulation(ossature.load(ODD)).command("odd", "torqe", 1.0)


def test_the_inputs_of_a_plant_are_the_actuators() -> None:
    model, data = at_home()
    plant = Plant(ossature.load(ODD), observe=["q", "u"])
    assert plant.u_names == tuple(f"odd/{name}" for name in CONTROLS)
    np.testing.assert_array_equal(plant.u_limits[0][[0, 1, 6]], (-1.0, -np.inf, 0.0))
    np.testing.assert_array_equal(plant.u_limits[1][[0, 1, 6]], (1.0, np.inf, 1.0))
    plant.reset("home")
    np.testing.assert_array_equal(plant.u, data.ctrl)
    for step in range(20):
        data.ctrl[:] = [value * step / 20.0 for value in CONTROLS.values()]
        mujoco.mj_step(model, data)
        plant.step(data.ctrl)
    np.testing.assert_allclose(plant.simulation.data.qpos, data.qpos, rtol=0.0, atol=1e-9)


def test_a_keyframe_is_the_initial_state_of_poses() -> None:
    model, data = at_home()
    mujoco.mj_forward(model, data)
    poses = json.loads(run("pose", ODD, "--initial-state", "home", "--json"))["odd"]
    for name, matrix in poses.items():
        np.testing.assert_allclose(np.array(matrix)[:3, 3], data.body(name).xpos, rtol=0.0, atol=1e-12)
        np.testing.assert_allclose(np.array(matrix)[:3, :3].ravel(), data.body(name).xmat, rtol=0.0, atol=1e-12)


def test_an_unknown_keyframe_has_the_nearest_name() -> None:
    assert "did you mean 'home'?" in run("pose", ODD, "--initial-state", "hom", code=2)
    with pytest.raises(KeyError, match="did you mean 'home'"):
        start_at_keyframe(ossature.load(ODD), "hom")


def test_joints_are_set_after_the_keyframe() -> None:
    final = json.loads(run("simulate", ODD, "--initial-state", "home", "-j", "shoulder=1", "--duration", "0", "--json"))[
        "final"
    ]
    assert final["joints"]["odd"]["shoulder"]["positions"] == [1.0]
    assert final["joints"]["odd"]["elbow"]["positions"] == pytest.approx([2.0 * np.arctan(0.2), 0.0, 0.0])


@pytest.mark.parametrize("suffix", ["png", "html"])
def test_pictures_start_at_a_keyframe(suffix: str, tmp_path: Path) -> None:
    pictures = []
    for name in ("home", "key_1"):
        output = tmp_path / f"{name}.{suffix}"
        command = ("render", ODD, output, "--size", "64x48") if suffix == "png" else ("view", ODD, "--export", output)
        run(*command, "--initial-state", name)
        pictures.append(output.read_bytes())
    assert pictures[0] != pictures[1]


def test_other_keyframes_stay_as_they_are_if_the_initial_state_changes() -> None:
    world = ossature.load(ODD)
    assert keyframe_names(world) == ["home", "key_1"]
    for changed in (start_at_keyframe(world, "home"), with_initial_positions(world, {"odd": {"elbow": (0.1, 0.2, 0.3)}})):
        for name in keyframe_names(world):
            before, after = (start_at_keyframe(one, name).models["odd"] for one in (world, changed))
            assert model_poses(before) == model_poses(after)


def test_the_initial_state_is_written_as_a_keyframe(tmp_path: Path) -> None:
    written = tmp_path / "written.skel"
    run("convert", ODD, written, "--initial-state", "home")
    expected = json.loads(run("pose", ODD, "--initial-state", "home", "--json"))["odd"]
    found = json.loads(run("pose", written, "--json"))["odd"]
    for name in ("target", "base", "upper", "fore", "inner"):
        np.testing.assert_allclose(found[name], expected[name], rtol=0.0, atol=1e-12)
    native = tmp_path / "native.xml"
    output = CliRunner().invoke(app, ["convert", str(ODD), str(native), "-j", "shoulder=0.7"]).output
    assert "a value of the keyframe initial" in " ".join(output.split())
    model = mujoco.MjModel.from_xml_path(str(native))
    assert model.key("initial").qpos[7] == 0.7


def test_keyframes_of_robots_in_other_formats(tmp_path: Path) -> None:
    (tmp_path / "arm.urdf").write_text("""<robot name="arm"><link name="base"/><link name="hand"/>
        <joint name="elbow" type="continuous"><parent link="base"/><child link="hand"/><axis xyz="0 1 0"/></joint></robot>""")
    (tmp_path / "arm.srdf").write_text("""<robot name="arm"><group name="all"><joint name="elbow"/></group>
        <group_state name="up" group="all"><joint name="elbow" value="0.5"/></group_state></robot>""")
    arguments = (tmp_path / "arm.urdf", "--srdf", tmp_path / "arm.srdf", "--infer-inertia")
    (name,) = keyframe_names(ossature.load(tmp_path / "arm.urdf", srdf=tmp_path / "arm.srdf"))
    final = json.loads(
        run("simulate", *arguments, "--gravity", "0", "0", "0", "--initial-state", name, "--duration", "0", "--json")
    )
    assert final["final"]["joints"]["arm"]["elbow"]["positions"] == [0.5]


def test_two_copies_of_a_model_move_alike() -> None:
    model, report = ossature.load(ODD).models["odd"], Report()
    world = replace(ossature.load(ODD), models=NamedList([model, replace(model, name="other", pose=Pose((9.0, 0.0, 0.0)))]))
    simulation = Simulation(world, report=report)
    assert not report.take("element-not-simulated")
    simulation.apply_keyframe("home")
    for owner in ("odd", "other"):
        simulation.command(owner, "torque", 0.7)
    simulation.step(100)
    elements, states = simulation.elements(), simulation.body_states()
    for name in ("base", "upper", "fore", "inner"):  # the pose of the mocap body is that of the world
        state = states["odd"][name]
        np.testing.assert_allclose(np.subtract(states["other"][name].position, state.position), (9.0, 0.0, 0.0), atol=1e-9)
    for name in ("flexor", "torque", "mf"):
        for quantity, value in elements["odd"][name].items():
            np.testing.assert_allclose(elements["other"][name][quantity], value, atol=1e-9)
