"""Threads: exclusive use of a simulation, and suppression of engine messages per thread."""

from __future__ import annotations

import logging
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import mujoco
import pytest

import ossature
from conftest import PROJECT
from ossature.formats.mjcf.engine_log_suppression import suppress_engine_warnings
from ossature.simulation import ConcurrentUseError, Simulation

CONTACT, PICKER = PROJECT / "examples" / "contact.skel", PROJECT / "examples" / "picker.dae"

USES: dict[str, Callable[[Simulation], object]] = {
    "step": lambda simulation: simulation.step(),
    "run": lambda simulation: simulation.run(0.0),
    "state": lambda simulation: simulation.state(),
    "restore": lambda simulation: simulation.restore(None),  # type: ignore[arg-type]  # never evaluated
    "poses": lambda simulation: simulation.poses(),
    "positions": lambda simulation: simulation.positions(),
    "velocities": lambda simulation: simulation.velocities(),
    "body_states": lambda simulation: simulation.body_states(),
    "energy": lambda simulation: simulation.energy(),
    "reactions": lambda simulation: simulation.reactions(),
    "elements": lambda simulation: simulation.elements(),
    "command": lambda simulation: simulation.command("", "", 0.0),
    "grab": lambda simulation: simulation.grasp("", ""),
    "release": lambda simulation: simulation.release(""),
    "set_collidable": lambda simulation: simulation.set_collidable("", "", collidable=False),
    "present_world": lambda simulation: simulation.to_world(),
    "sensors": lambda simulation: simulation.sensors,
}


def test_a_second_thread_is_refused_while_the_first_one_steps() -> None:
    simulation = Simulation(ossature.load(CONTACT))
    inside, done = threading.Event(), threading.Event()

    def wait() -> None:
        inside.set()
        done.wait(20.0)

    simulation.schedule(0.0, wait)
    stepping = threading.Thread(target=simulation.step)
    stepping.start()
    assert inside.wait(20.0)
    try:
        for name, use in USES.items():
            with pytest.raises(ConcurrentUseError, match="another thread"):
                use(simulation)
                pytest.fail(f"{name} was not refused")
    finally:
        done.set()
        stepping.join()
    assert simulation.time == simulation.time_step
    simulation.step()  # one after the other they may


def test_an_action_of_the_same_thread_may_use_the_simulation() -> None:
    simulation = Simulation(ossature.load(CONTACT))
    simulation.schedule(0.0, simulation.poses)
    simulation.run(0.002)


def test_many_threads_with_one_simulation_do_not_crash() -> None:
    code = f"""
import threading, ossature
from ossature.simulation import ConcurrentUseError, Simulation
simulation, refused, others = Simulation(ossature.load({str(CONTACT)!r})), [], []
def use():
    for _ in range(50):
        try:
            simulation.step(20), simulation.poses(), simulation.state()
        except ConcurrentUseError:
            refused.append(1)
        except Exception as error:
            others.append(error)
threads = [threading.Thread(target=use) for _ in range(4)]
[thread.start() for thread in threads], [thread.join() for thread in threads]
assert not others, others
print(bool(refused))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=300)
    assert (done.returncode, done.stdout) == (0, "True\n"), done.stderr


def test_simulations_of_one_world_in_threads_are_equal() -> None:
    world = ossature.load(CONTACT)

    def final(_: int) -> object:
        return Simulation(world).run(0.2).to_dict()["samples"][-1]

    alone = final(0)
    with ThreadPoolExecutor(4) as pool:
        assert all(found == alone for found in pool.map(final, range(4)))


def unstable() -> tuple[object, object]:
    text = "<mujoco><worldbody><body><freejoint/><geom size='1'/></body></worldbody></mujoco>"
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    data.qvel[:] = 1e300
    return model, data


def test_messages_are_suppressed_in_one_thread_only(caplog: pytest.LogCaptureFixture) -> None:
    inside, done = threading.Event(), threading.Event()

    def silent() -> None:
        with suppress_engine_warnings(), suppress_engine_warnings():
            pass
        with suppress_engine_warnings():
            inside.set()
            done.wait(20.0)
            mujoco.mj_step(*unstable())

    thread = threading.Thread(target=silent)
    thread.start()
    assert inside.wait(20.0)
    handler = mujoco.get_mju_user_warning()
    with caplog.at_level(logging.WARNING):
        mujoco.mj_step(*unstable())
        assert len(caplog.records) == 1
        assert "unstable" in caplog.text
        done.set()
        thread.join()
        assert len(caplog.records) == 1
    assert mujoco.get_mju_user_warning() is handler


@pytest.mark.skipif(sys.platform == "win32", reason="links")
def test_no_log_file_is_written_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "MUJOCO_LOG.TXT").symlink_to("precious")
    (tmp_path / "precious").write_text("kept")
    code = """
import ossature.simulation, mujoco
model = mujoco.MjModel.from_xml_string("<mujoco><worldbody><body><freejoint/><geom size='1'/></body></worldbody></mujoco>")
data = mujoco.MjData(model)
data.qvel[:] = 1e300
mujoco.mj_step(model, data)
try:
    mujoco.mj_stateSize(model, 99999999)
except mujoco.FatalError:
    print("raised")
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stdout == "raised\n", done.stderr
    assert (tmp_path / "precious").read_text() == "kept"
    assert "ERROR" not in done.stderr


@pytest.mark.parametrize("first", ["ossature.formats.mjcf.mujoco_compilation", "ossature.simulation"])
def test_messages_of_the_engine_are_logged_whatever_is_imported_first(first: str) -> None:
    program = f"""
import importlib, logging, sys
logging.basicConfig(stream=sys.stdout)
for name in ({first!r}, "ossature.formats.mjcf.mujoco_compilation", "ossature.simulation"):
    importlib.import_module(name)
import mujoco
model = mujoco.MjModel.from_xml_string("<mujoco><worldbody><body><freejoint/><geom size='1'/></body></worldbody></mujoco>")
data = mujoco.MjData(model)
data.qvel[:] = 1e300
mujoco.mj_step(model, data)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.count("WARNING:ossature.engine:") == 1
