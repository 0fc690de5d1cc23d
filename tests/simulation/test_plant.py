"""Simulation as arrays: the motion has the bits of a run with the same commands."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import ossature
from conftest import PROJECT
from ossature import Plant, Simulation
from ossature.model import ModelState, NamedList, State, World
from ossature.model.keyframe import Keyframe, KeyframeJoint
from ossature.model.state_compatibility import StateMismatchError

EXAMPLES = PROJECT / "examples"
STEPS = 10

CART_POLE = """<robot name="cartpole">
  <link name="world"/>
  <link name="cart">
    <inertial><mass value="1"/><inertia ixx=".01" iyy=".01" izz=".01" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><geometry><box size="0.3 0.2 0.1"/></geometry></collision>
  </link>
  <link name="pole">
    <inertial><origin xyz="0 0 0.3"/><mass value="0.1"/>
    <inertia ixx=".003" iyy=".003" izz=".0001" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <joint name="slider" type="prismatic"><parent link="world"/><child link="cart"/><axis xyz="1 0 0"/>
    <limit lower="-4" upper="4" effort="10" velocity="10"/></joint>
  <joint name="hinge" type="continuous"><parent link="cart"/><child link="pole"/><axis xyz="0 1 0"/></joint>
</robot>
"""


@pytest.fixture
def cart_pole(tmp_path: Path) -> World:
    path = tmp_path / "cart_pole.urdf"
    path.write_text(CART_POLE)
    return ossature.load(path)


def run_with_commands(world: World, names: tuple[str, ...], commands: np.ndarray) -> np.ndarray:
    """Return the positions of the engine at the end of each control step of a run with scheduled commands."""
    simulation = Simulation(world)
    interval = STEPS * simulation.time_step

    def command(row: np.ndarray) -> None:
        values: dict[str, list[float]] = {}
        for name, value in zip(names, row.tolist(), strict=True):
            values.setdefault(name.partition("[")[0], []).append(value)
        for name, several in values.items():
            simulation.command(*name.split("/"), several)

    for number, row in enumerate(commands):
        simulation.schedule(number * interval, lambda row=row: command(row))
    return simulation.run(len(commands) * interval, interval).qpos[1:]


@pytest.mark.parametrize(
    ("file", "inputs", "scale"),
    [
        ("cart_pole", ["slider"], 3.0),
        ("cart_pole", ["slider", "hinge"], 3.0),
        ("arm.skel", None, 3.0),
        ("palletizer.urdf", ["palletizer/turn"], 3.0),
        ("slider_crank.yaml", ["drive"], 0.1),
        ("double_pendulum.skel", None, 0.03),
    ],
)
def test_the_motion_has_the_bits_of_a_run(file: str, inputs: list[str] | None, scale: float, cart_pole: World) -> None:
    world = cart_pole if file == "cart_pole" else ossature.load(EXAMPLES / file)
    plant = Plant(world, inputs, steps=STEPS)
    assert plant.u_names
    commands = np.random.default_rng(3).normal(size=(8, plant.u.size)) * scale
    reached = []
    for row in commands:
        plant.step(row)
        reached.append(plant.simulation.data.qpos.copy())
    assert np.array_equal(reached, run_with_commands(world, plant.u_names, commands))


def test_the_motors_of_a_machine_are_its_inputs_unless_others_are_given() -> None:
    assert Plant(ossature.load(EXAMPLES / "slider_crank.yaml")).u_names == ("slider crank/drive",)


def test_arrays_are_views_with_names(cart_pole: World) -> None:
    plant = Plant(
        cart_pole, ["slider"], steps=STEPS, observe=("time", "q", "v", "u", "pose:cartpole/pole", "twist:cartpole/pole")
    )
    assert plant.q_names == ("cartpole/slider", "cartpole/hinge")
    assert np.array_equal(plant.u_limits, [[-10.0], [10.0]])
    assert np.array_equal(plant.q_limits, [[-4.0, -np.inf], [4.0, np.inf]])
    q, v, u = plant.q, plant.v, plant.u
    observation = plant.step([2.0])
    simulation = plant.simulation
    assert q.tolist() == [value for values in simulation.positions()["cartpole"].values() for value in values]
    assert v.tolist() == [value for values in simulation.velocities()["cartpole"].values() for value in values]
    assert u.tolist() == [2.0]
    state = simulation.body_states()["cartpole"]["pole"]
    pose, twist = (*state.position, *state.wxyz), (*state.linear_velocity, *state.angular_velocity_body)
    assert observation.tolist() == [simulation.time, *q, *v, *u, *pose, *twist]
    assert len(plant.observation_names) == len(set(plant.observation_names)) == observation.size
    with pytest.raises(ValueError, match="read-only"):
        q[0] = 1.0


def test_coordinates_of_all_joint_types_are_those_of_the_simulation() -> None:
    plant = Plant(ossature.load(EXAMPLES / "slider_crank.yaml"), [], steps=3)
    plant.step()
    positions = plant.simulation.positions()
    expected = {f"{model}/{joint}": values for model, joints in positions.items() for joint, values in joints.items()}
    found: dict[str, list[float]] = {}
    for name, value in zip(plant.q_names, plant.q.tolist(), strict=True):
        found.setdefault(name.partition("[")[0], []).append(value)
    assert found == {name: list(values) for name, values in expected.items() if name in found}
    assert found


@pytest.mark.parametrize("file", ["cart_pole", "slider_crank.yaml", "contact.skel"])
def test_a_reset_repeats_the_motion_bit_exactly(file: str, cart_pole: World) -> None:
    plant = Plant(cart_pole if file == "cart_pole" else ossature.load(EXAMPLES / file), steps=STEPS)
    commands = np.random.default_rng(5).normal(size=(8, plant.u.size))
    runs = []
    for _ in range(2):
        start = plant.reset().copy()
        runs.append(np.array([start, *(plant.step(row).copy() for row in commands)]))
    assert np.array_equal(*runs)
    middle = plant.simulation.state()
    after = plant.step(commands[0]).copy()
    plant.reset(middle)
    assert np.array_equal(plant.step(commands[0]), after)


def test_a_reset_to_coordinates_and_keyframes(cart_pole: World) -> None:
    swung = Keyframe(name="swung", joints=(KeyframeJoint(joint="hinge", positions=(0.5,)),))
    plant = Plant(cart_pole.replace_at("cartpole", keyframes=NamedList([swung])), ["slider"], steps=STEPS)
    found = len(plant.simulation.report)
    plant.step([3.0])
    assert plant.reset(q=[0.1, 0.2], v=[0.3, -0.4]).tolist() == [0.1, 0.2, 0.3, -0.4]
    assert plant.time == 0.0
    assert plant.u.tolist() == [0.0]
    assert plant.reset("swung").tolist() == [0.0, 0.5, 0.0, 0.0]
    with pytest.raises(KeyError, match="no keyframe 'swing'"):
        plant.reset("swing")
    with pytest.raises(ValueError, match="2 finite coordinates"):
        plant.reset(q=[0.0])
    with pytest.raises(StateMismatchError):
        plant.reset(State(name="cartpole", models=NamedList([ModelState(name="other")])))
    assert len(plant.simulation.report) == found


def test_commands_are_checked(cart_pole: World) -> None:
    plant = Plant(cart_pole, ["slider"])
    with pytest.raises(ValueError, match=r"1 commands \(cartpole/slider\)"):
        plant.step([1.0, 2.0])
    with pytest.raises(ValueError, match="finite"):
        plant.step([np.nan])
    assert plant.time == 0.0
    with pytest.raises(KeyError, match="no input 'slidr': valid: cartpole/hinge, cartpole/slider"):
        Plant(cart_pole, ["slidr"])
    with pytest.raises(ValueError, match="twice"):
        Plant(cart_pole, ["slider", "cartpole/slider"])
    with pytest.raises(KeyError, match="cannot be observed"):
        Plant(cart_pole, observe=["positions"])


def test_the_noise_of_sensors_is_that_of_the_given_generator() -> None:
    world = ossature.load(EXAMPLES / "scanner.dae")
    sensor = next(f"sensor:{model.name}/{one.name}" for model in world.models for one in model.sensors)
    plant = Plant(world, steps=100, observe=["time", sensor], seed=7)

    def episode() -> np.ndarray:
        return np.array([plant.step().copy() for _ in range(3)])

    first = episode()
    plant.reset(seed=7)
    assert np.array_equal(episode(), first, equal_nan=True)
    plant.reset(seed=np.random.default_rng(7))
    assert np.array_equal(episode(), first, equal_nan=True)
    reading = plant.readings[sensor.partition(":")[2]]
    assert set(reading) >= {"time", "pose_world_sensor"}


def test_views_follow_a_grasp() -> None:
    world = ossature.load(EXAMPLES / "pick_and_place.dae")
    plant = Plant(world, [], steps=5)
    plant.step()
    before = plant.q.copy()
    model = world.models[0]
    plant.simulation.grasp(f"{model.name}/{model.bodies[-1].name}", f"{world.models[1].name}/{world.models[1].bodies[0].name}")
    plant.step()
    assert not np.array_equal(plant.q, before)
