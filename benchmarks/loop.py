"""The loop around the engine's step: compiled, in Python, and the engine alone; two threads against one; control steps."""

from __future__ import annotations

import copy
import os
import statistics
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import mujoco
import numpy as np
from rich.table import Table

import ossature
from benchmarks.mechanisms import shared
from benchmarks.timing import PROJECT
from ossature.diagnostics import Report
from ossature.formats.mjcf.engine_log_suppression import suppress_engine_warnings
from ossature.simulation import Simulation
from ossature.simulation.stepping.engine_memory_addresses import describe_loop, engine_access

TITLE = "the loop around the engine's step"
STEPS, ROUNDS, SETTLED = 1000, 7, 200
CONTROL_STEP = 10
MODELS = (
    "chrono/model_slider_crank.yaml",
    "chrono/model_slider_crank_reduced.yaml",
    "chrono/model_bushing.yaml",
    "chrono-elements/bushings.yaml",
    "chrono-elements/spring_dampers.yaml",
    "openrave/pumaarm.zae",
    "skel/vehicle.skel",
    "skel/fullbody1.skel",
    "contact/slide_box.skel",
    "contact/stack8.skel",
    "mechanisms/contact.yaml",
)
CART_POLE = """<robot name="cartpole">
  <link name="world"/>
  <link name="cart"><inertial><mass value="1"/>
    <inertia ixx=".01" iyy=".01" izz=".01" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="pole"><inertial><origin xyz="0 0 0.3"/><mass value="0.1"/>
    <inertia ixx=".003" iyy=".003" izz=".0001" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="slider" type="prismatic"><parent link="world"/><child link="cart"/><axis xyz="1 0 0"/>
    <limit lower="-4" upper="4" effort="10" velocity="10"/></joint>
  <joint name="hinge" type="continuous"><parent link="cart"/><child link="pole"/><axis xyz="0 1 0"/></joint>
</robot>
"""


def run() -> Iterator[Table]:
    """Compare the loops on models of the corpus, or on the example without one."""
    files = [path for name in MODELS if (path := shared() / "corpus" / name).is_file()]
    files = files or [PROJECT / "examples" / "slider_crank.yaml"]
    yield _steps(files)
    yield _threads(files)
    yield _control_steps()


def _steps(files: list[Path]) -> Table:
    columns = ("compiled [µs]", "in Python [µs]", "ratio", "mj_step alone [µs]", "ratio")
    table = Table(f"loop {describe_loop()}", *columns, box=None)
    for file in files:
        compiled, interpreted = _simulation(file, "compiled"), _simulation(file, "python")
        model = copy.copy(compiled.compiled.model)
        data = mujoco.MjData(model)
        data.qpos[:], data.qvel[:] = compiled.data.qpos, compiled.data.qvel
        calls: list[Callable[[], object]] = [
            lambda s=compiled: s.step(STEPS),
            lambda s=interpreted: s.step(STEPS),
            lambda m=model, d=data: mujoco.mj_step(m, d, nstep=STEPS),
        ]
        with suppress_engine_warnings():  # alone it may diverge
            rounds = [[_cpu(call) for call in calls] for _ in range(ROUNDS)]
        mine, python, bare = (min(times) / STEPS * 1e6 for times in zip(*rounds, strict=True))
        ratios = (f"{python / mine:.1f}", f"{bare:.1f}", f"{mine / bare:.1f}")
        table.add_row(file.stem, f"{mine:.1f}", f"{python:.1f}", *ratios)
    table.caption = "CPU times; mj_step alone is without rigid contacts, second order, force laws and monitoring"
    return table


def _simulation(file: Path, loop: str) -> Simulation:
    """Return a simulation that has started, with one of the loops."""
    os.environ["OSSATURE_LOOP"] = loop
    engine_access.cache_clear()
    try:
        simulation = Simulation(ossature.load(file), time_step=1e-3, report=Report())
        simulation.step(SETTLED)  # the first step chooses the loop
        return simulation
    finally:
        del os.environ["OSSATURE_LOOP"]
        engine_access.cache_clear()


def _threads(files: list[Path]) -> Table:
    table = Table("two threads", "one after the other [ms]", "at once [ms]", "speed-up", box=None)
    for file in files:
        pair = [_simulation(file, "compiled") for _ in range(2)]
        taken = [0.0, 0.0]

        def step(number: int, pair: list[Simulation] = pair, taken: list[float] = taken) -> None:
            started, waited = time.perf_counter(), _waited()
            pair[number].step(4 * STEPS)
            taken[number] = time.perf_counter() - started - (_waited() - waited)

        serial, parallel = [], []
        for _ in range(ROUNDS):
            step(0)
            step(1)
            serial.append(sum(taken))
            threads = [threading.Thread(target=step, args=(number,)) for number in range(2)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            parallel.append(max(taken))
        one, two = 1e3 * statistics.median(serial), 1e3 * statistics.median(parallel)
        table.add_row(file.stem, f"{one:.0f}", f"{two:.0f}", f"{one / two:.2f}")
    table.caption = f"times without those in which a thread waited for one of {os.cpu_count()} cores; medians"
    return table


def _waited() -> float:
    """Return how long this thread has waited for a core [s]; 0 where the system does not count it."""
    try:
        return int(Path("/proc/thread-self/schedstat").read_text().split()[1]) / 1e9
    except OSError:
        return 0.0


def _control_steps() -> Table:
    table = Table(f"cart-pole (URDF), {CONTROL_STEP} steps", "time [µs]", "of mj_step", box=None)
    plant = ossature.Plant(ossature.load(CART_POLE), steps=CONTROL_STEP)
    model = copy.copy(plant.simulation.compiled.model)
    data, u = mujoco.MjData(model), np.zeros(len(plant.u_names))
    calls: dict[str, Callable[[], object]] = {
        "mj_step": lambda: mujoco.mj_step(model, data, nstep=CONTROL_STEP),
        "Plant.step(u)": lambda: plant.step(u),
        "Plant.step()": lambda: plant.step(),
    }
    times = {name: min(_cpu(lambda c=call: [c() for _ in range(300)]) for _ in range(ROUNDS)) for name, call in calls.items()}
    for name, taken in times.items():
        table.add_row(name, f"{taken / 300 * 1e6:.1f}", f"{taken / times['mj_step']:.1f}")
    return table


def _cpu(function: Callable[[], object]) -> float:
    started = time.process_time()
    function()
    return time.process_time() - started
