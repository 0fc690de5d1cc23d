"""Forces written to MJCF: the motion of the source in our simulation is that of the written file in MuJoCo."""

from __future__ import annotations

from pathlib import Path

import mujoco
import numpy as np
import pytest

import ossature
from chrono.models import GROUND, body, text
from ossature import model as m
from ossature.conversion import convert
from ossature.diagnostics import Action, Report
from ossature.simulation import Simulation

STEP, STEPS = 5e-4, 500
PLACES = {"arm": "[0.3, 0, 0]", "fore": "[0.8, 0, 0.1]", "side": "[0.1, 0.4, 0]"}
SHOULDER = "body1: arm, body2: ground, location: [0, 0, 0], axis: [0, 1, 0.2]"
JOINTS = [
    f"- {{name: shoulder, type: REVOLUTE, {SHOULDER}}}",
    "- {name: elbow, type: SPHERICAL, body1: fore, body2: arm, location: [0.6, 0, 0]}",
    "- {name: slide, type: CYLINDRICAL, body1: side, body2: ground, location: [0.1, 0.4, 0], axis: [0.3, 0, 1]}",
]
BETWEEN = "body1: fore, body2: side, location: [0.1, 0.4, 0], axis: [0, 1, 0.2]"
ENDS = "body1: fore, body2: side, point1: [1.0, 0.1, 0.2], point2: [0.1, 0.5, 0.2], free_length: 0.4"
COMPLIANCE = "{stiffness_linear: 100, damping_linear: 4, stiffness_rotational: 3, damping_rotational: 0.2}"
CONSTANT = "actuation_type: FORCE, actuation_function: {type: CONSTANT, value: 3}"
FORCES = {
    "spring": ("tsdas", f"{ENDS}, spring_coefficient: 40, damping_coefficient: 2, preload: 3"),
    "damper": ("tsdas", f"{ENDS}, damping_coefficient: 20"),
    "rotational spring": (
        "rsdas",
        f"{SHOULDER}, spring_coefficient: 4, damping_coefficient: 0.4, free_angle: 0.3, preload: 0.5",
    ),
    "bushing": (
        "joints",
        f"type: LOCK, body1: fore, body2: ground, location: [0.8, 0, 0.1], bushing_data: {COMPLIANCE}",
    ),
    "motor of a joint": ("motors", f"type: ROTATION, spindle: REVOLUTE, {SHOULDER}, {CONSTANT}"),
    "motor between bodies": ("motors", f"type: ROTATION, spindle: FREE, {BETWEEN}, {CONSTANT}"),
    "force": (
        "body_loads",
        "type: FORCE, body: fore, load: [1, 2, 3], local_load: true, point: [0.1, 0.1, 0], local_point: true",
    ),
    "torque": ("body_loads", "type: TORQUE, body: fore, load: [0.1, 0.2, 0.3], local_load: false"),
    "torque of a body": ("body_loads", "type: TORQUE, body: side, load: [0.1, 0.2, 0.3], local_load: true"),
}


def model(folder: Path, key: str | None = None, force: str = "") -> Path:
    """Write an arm of two bodies and a third body, with a force."""
    joints = JOINTS[1:] if "spindle: REVOLUTE" in force else JOINTS
    sections = {"joints": "\n".join(joints)}
    if key is not None:
        sections[key] = "\n".join([*(joints if key == "joints" else []), f"- {{name: acting, {force}}}"])
    path = folder / "m.yaml"
    bodies = [body(name, place, moments="[0.02, 0.03, 0.04]") for name, place in PLACES.items()]
    path.write_text(text(GROUND, *bodies, **sections))
    return path


def simulated(path: Path) -> np.ndarray:
    simulation = Simulation(ossature.load(path), report=Report(), time_step=STEP)
    simulation.step(STEPS)
    states = simulation.body_states()["m"]
    return np.array([[*states[name].position, *states[name].wxyz] for name in PLACES])


@pytest.mark.parametrize("name", FORCES)
def test_a_force_moves_the_bodies_in_mujoco_as_in_our_simulation(name: str, tmp_path: Path) -> None:
    ours = simulated(model(tmp_path, *FORCES[name]))
    ossature.convert(tmp_path / "m.yaml", tmp_path / "m.xml")
    engine = mujoco.MjModel.from_xml_path(str(tmp_path / "m.xml"))
    engine.opt.timestep, engine.opt.integrator = STEP, mujoco.mjtIntegrator.mjINT_RK4
    data = mujoco.MjData(engine)
    if engine.nkey:
        mujoco.mj_resetDataKeyframe(engine, data, 0)
    mujoco.mj_step(engine, data, nstep=STEPS)
    for number, one in enumerate(PLACES):
        np.testing.assert_allclose(data.body(one).xpos, ours[number, :3], atol=1e-5)
        assert abs(data.body(one).xquat @ ours[number, 3:]) == pytest.approx(1.0, abs=1e-9)
    assert np.abs(simulated(model(tmp_path)) - ours).max() > 1e-3


def test_what_a_ball_joint_is_commanded_is_dropped(tmp_path: Path) -> None:
    """MuJoCo's ball joints are written without actuators: that they move freely is no other form of the same."""
    coordinates = [m.Coordinate(initial_effort=2.0), m.Coordinate(), m.Coordinate()]
    ball = m.Joint(
        name="j", type=m.Spherical(), parent=None, child="a", coordinates=coordinates, actuation=m.Actuation.VELOCITY
    )
    world = m.World(models=[m.Model(name="m", bodies=[m.make_body("a", m.Box(size=(1, 1, 1)), mass=1)], joints=[ball])])
    ledger = convert(world, tmp_path / "written.xml").ledger
    dropped = {entry.path for entry in ledger if entry.action is Action.DROPPED}
    assert dropped >= {"m/j.actuation", "m/j.coordinates[0].initial_effort"}
