"""Runs per second of the executor ``warp`` beside those of ``serial`` and ``processes``, for increasing numbers of runs.

    python benchmarks/warp_runs.py [--largest 65536] [--seconds 1] [--model heap]

The models are a damped pendulum, a cart with a pole (``examples``) and a heap of bodies that touch, with compliant contacts.
On a machine with an NVIDIA GPU Warp uses it; elsewhere it runs on the processor, which only shows that it works. The first
batch of a model compiles kernels, and is not counted.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import ossature
from ossature.isolated_python_processes import processor_count
from ossature.model import Box, Model, NamedList, World, make_body, make_joint
from ossature.sweeps import Design, Method, Output, Parameter, Run, Uniform

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
SMALLEST, SERIAL, RUNS_PER_PROCESSOR = 256, 32, 256


@dataclass(frozen=True)
class Case:
    """A model, the path of a mass, and a quantity that is compared."""

    name: str
    world: World
    mass: str
    quantity: str
    contact_time_constant: float | None = None


def pendulum() -> World:
    """Return a damped pendulum that is released at 1 rad."""
    link = make_body("link", Box(size=(0.05, 0.05, 0.5)), mass=2.0, shape_pose=(0.0, 0.0, -0.25))
    hinge = make_joint("hinge", "revolute", None, "link", axis="y", damping=0.05)
    world = World(models=NamedList([Model(name="pendulum", bodies=NamedList([link]), joints=NamedList([hinge]))]))
    return world.replace_at("pendulum/hinge", initial_position=1.0)


def cases() -> list[Case]:
    """Return the models."""
    cart = ossature.load(EXAMPLES / "cart_pole.urdf")
    with cart.edit() as edit:
        edit.joint("cart_pole/pole").initial_position = 0.3
    cart = edit.world
    heap = ossature.load(EXAMPLES / "contact.skel")
    return [
        Case("pendulum", pendulum(), "pendulum/link.mass", "pendulum/hinge.positions[0]"),
        Case("cart with pole", cart, "cart_pole/pole.mass", "cart_pole/pole.positions[0]"),
        Case("heap of seven bodies", heap, "box/box body.mass", "box/box body.position[2]", contact_time_constant=0.01),
    ]


def rows(case: Case, executor: str, count: int, duration: float) -> tuple[float, np.ndarray]:
    """Return how long a sweep takes, and the quantity at the end of each run."""
    run = Run(
        duration=duration,
        time_step=0.002,
        integrator="implicit",
        contact_time_constant=case.contact_time_constant,
        outputs=[Output(name="value", quantity=case.quantity)],
    )
    mass = Parameter(name="mass", paths=(case.mass,), source=Uniform(0.8, 1.2), is_relative=True)
    design = Design(method=Method.RANDOM, count=count, seed=1)
    started = time.perf_counter()
    table = ossature.sweep(case.world, [mass], run, design=design, executor=executor).table
    elapsed = time.perf_counter() - started
    failed = [message for message in table.column("message").to_pylist() if message]
    if failed:
        print(f"{case.name}: {len(failed)} runs failed: {', '.join(sorted(set(failed)))}")
    return elapsed, np.array(table.column("value").to_pylist(), dtype=float)


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--largest", type=int, default=16384, help="largest number of runs")
    parser.add_argument("--seconds", type=float, default=1.0, help="simulated duration of a run [s]")
    parser.add_argument("--model", default="", help="part of the name of the models; all by default")
    options = parser.parse_args()
    import warp

    warp.init()
    print(f"device: {warp.get_preferred_device()} ({warp.get_preferred_device().name}); {options.seconds:g} s at 2 ms a run")
    for case in cases():
        if options.model in case.name:
            measure(case, options.largest, options.seconds)


def measure(case: Case, largest: int, duration: float) -> None:
    """Print runs per second of a model."""
    rows(case, "serial", 1, duration)  # imports modules
    elapsed, expected = rows(case, "serial", SERIAL, duration)
    print(f"{case.name}: serial {SERIAL / elapsed:.1f} runs/s on one processor", flush=True)
    count = RUNS_PER_PROCESSOR * processor_count()
    print(f"{case.name}: processes {count / rows(case, 'processes', count, duration)[0]:.1f} runs/s", flush=True)
    rows(case, "warp", SMALLEST, 0.01)
    count = SMALLEST
    while count <= largest:
        elapsed, found = rows(case, "warp", count, duration)
        same = min(SERIAL, count)
        error = np.nanmax(np.abs(found[:same] - expected[:same]))
        print(f"{case.name}: warp, {count} runs: {count / elapsed:.1f} runs/s; largest difference {error:.2g}", flush=True)
        count *= 4


if __name__ == "__main__":
    main()
