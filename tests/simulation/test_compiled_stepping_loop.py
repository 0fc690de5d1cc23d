"""The compiled loop: the same bits as the loop in Python, verified access to the engine, errors, and threads."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest

import ossature
from chrono.models import GROUND, read, text
from chrono.stiff_models import Stops, squeezer
from conftest import PROJECT, corpus_folder
from contact_scenes import SHAPES, Thing, scene
from ossature.diagnostics import OssatureError, Report
from ossature.formats.mjcf.engine_log_suppression import suppress_engine_warnings
from ossature.model import Body, Inertial, Material, Model, NamedList, World
from ossature.simulation import Simulation, SimulationError
from ossature.simulation.stepping import (
    compiled_stepping_loop,
    engine_memory_addresses,
    engine_stepper,
    leapfrog_stepper,
    rigid_contacts,
)
from ossature.simulation.stepping.compiled_stepping_structs import Program, set_addresses
from ossature.simulation.stepping.engine_memory_addresses import EngineAccess, engine_access
from ossature.simulation.stepping.engine_stepper import EngineStepper
from ossature.simulation.stepping.leapfrog_stepper import LeapfrogStepper
from ossature.simulation.stepping.leapfrog_sub_steps import LeapfrogSubSteps
from random_mechanisms import random_mechanism

_ACCESS = engine_access()
pytestmark = pytest.mark.skipif(isinstance(_ACCESS, str), reason=f"no compiled loop: {_ACCESS}")

STEPS = 200
SKEL = ("fullbody1", "vehicle", "half_cheetah", "biped", "softBodies", "cubes", "joint_limit", "mesh_collision")


def _corpus_files() -> Iterator[Path]:
    folder = corpus_folder()
    patterns = ("chrono/m*.yaml", "chrono-elements/*.yaml", "mechanisms/**/*.yaml", "contact/*.skel", "urdf/*.urdf")
    if folder is not None:
        yield from sorted(path for pattern in patterns for path in (folder / "corpus").glob(pattern))
        yield from (folder / "corpus" / "skel" / f"{name}.skel" for name in SKEL)
    yield from (path for path in sorted((PROJECT / "examples").glob("*.*")) if path.suffix in (".yaml", ".urdf", ".dae"))


def _end_of_run(world: World, steps: int, tolerance: float | None = None) -> tuple[dict[str, bytes], str, bool]:
    """Return all numbers at the end of a run, its judgement, and whether the compiled loop was used."""
    simulation = Simulation(world, report=Report(), tolerance=tolerance)
    stepper = simulation.engine.stepper
    assert isinstance(stepper, (EngineStepper, LeapfrogStepper))
    error = ""
    try:
        simulation.step(steps)
    except SimulationError as raised:
        error = str(raised)
    data = simulation.data
    memory = simulation.state().checkpoint
    numbers = {name: getattr(data, name).tobytes() for name in ("qpos", "qvel", "qacc", "ctrl", "efc_force")}
    judgement = f"{error}\n{simulation.integration}\n{simulation.diagnostics}\n{simulation.report}\n{memory}"
    return numbers, judgement, stepper._compiled_loop is not None


def _require_same_bits(world: World, steps: int, monkeypatch: pytest.MonkeyPatch, tolerance: float | None = None) -> bool:
    """Run a World with both loops, compare all numbers, and return whether the compiled loop was used."""
    *compiled, is_compiled = _end_of_run(world, steps, tolerance)
    with monkeypatch.context() as patch:
        for stepper in (leapfrog_stepper, engine_stepper):
            patch.setattr(stepper, "make_compiled_loop", lambda *_: None)
        *in_python, is_still_compiled = _end_of_run(world, steps, tolerance)
    assert not is_still_compiled
    assert compiled == in_python
    return is_compiled


@pytest.mark.one_in(3)
@pytest.mark.parametrize("path", list(_corpus_files()), ids=lambda path: path.stem)
def test_mechanisms_of_the_corpus_have_the_same_bits(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    try:
        world = ossature.load(path)
        Simulation(world, report=Report())
    except OssatureError:
        pytest.skip("not a model that can be simulated")
    _require_same_bits(world, STEPS, monkeypatch)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("seed", range(12))
def test_random_mechanisms_have_the_same_bits(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _require_same_bits(random_mechanism(seed, tmp_path), STEPS, monkeypatch)


def test_hard_stops_and_divided_steps_have_the_same_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    assert _require_same_bits(Stops().world(), 300, monkeypatch)
    assert _require_same_bits(squeezer(), 30, monkeypatch)


def _tumbling_body() -> World:
    """Return a free body that spins about no principal axis."""
    body = Body(
        name="body",
        inertial=Inertial(mass=1.0, moment=((0.01, 0.0, 0.0), (0.0, 0.02, 0.0), (0.0, 0.0, 0.025))),
        initial_angular_velocity_body=(1.0, 5.0, 2.0),
    )
    return World(time_step=1e-3, models=NamedList([Model(name="model", bodies=NamedList([body]))]))


@pytest.mark.parametrize("tolerance", [1e-2, 1e-6])
@pytest.mark.parametrize(
    "make_world", [lambda: ossature.load(PROJECT / "examples" / "slider_crank.yaml"), _tumbling_body], ids=["loop", "free body"]
)
def test_steps_with_an_error_estimate_are_taken_in_the_compiled_loop(
    make_world: Callable[[], World], tolerance: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A tolerance that is specified lets the error of each step be estimated."""
    calls: list[int] = []
    correct = LeapfrogSubSteps._correct_velocity_forces
    monkeypatch.setattr(
        LeapfrogSubSteps, "_correct_velocity_forces", lambda *args, **options: (calls.append(1), correct(*args, **options))
    )
    world = make_world()
    _end_of_run(world, STEPS, tolerance)
    assert len(calls) < STEPS // 10
    assert _require_same_bits(world, STEPS, monkeypatch, tolerance)
    assert len(calls) >= STEPS


@pytest.mark.parametrize("seed", range(8))
def test_terms_of_laws_are_those_in_python(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A body on springs with random curves and a random table, over lengths far beyond their ends."""
    rng = np.random.default_rng(seed)

    def curve(size: int, scale: float) -> str:
        xs, ys = np.sort(rng.normal(0.0, 0.2, size)), rng.normal(0.0, scale, size)
        return str(np.column_stack([xs, ys]).tolist())

    rows, columns = (int(n) for n in rng.integers(1, 5, 2))
    table = {"deformation": np.sort(rng.normal(0.0, 0.1, columns)), "map": rng.normal(0.0, 5.0, (rows, columns + 1))}
    table["map"][:, 0] = np.sort(table["map"][:, 0])
    springs = [
        "- {name: a, type: TSDA, body1: ground, body2: b, point1: [1, 0, 0], point2: [0, 0, 0], free_length: 0.9, "
        f"spring_curve_data: {curve(5, 20.0)}, damping_curve_data: {curve(4, 2.0)}}}",
        "- {name: c, type: TSDA, body1: ground, body2: b, point1: [0, 1, 0], point2: [0, 0, 0], free_length: 1.1, "
        "spring_coefficient: 90, damping_coefficient: 3, degressivity_compression: 3, degressivity_expansion: 2}",
        "- {name: e, type: TSDA, body1: ground, body2: b, point1: [0, 0, 1], point2: [0, 0, 0], free_length: 0.8, "
        f"map_data: {{deformation: {table['deformation'].tolist()}, map: {table['map'].tolist()}}}}}",
    ]
    body = "    - {name: b, location: [0, 0, 0], mass: 2, inertia: {moments: [0.1, 0.1, 0.1]}}"
    assert _require_same_bits(read(text(GROUND, body, tsdas="\n".join(springs)), Report()), 900, monkeypatch)


def _random_scene(seed: int) -> World:
    """Return bodies of all shapes that are thrown at a slope, with random friction and restitution."""
    rng = np.random.default_rng(seed)

    def material() -> Material | None:
        friction, restitution = rng.choice([0.2, 0.5, 1.0]), rng.choice([0.0, 0.0, 0.4, 0.8])
        return Material(friction=float(friction), restitution=float(restitution)) if rng.random() < 0.7 else None

    things = [
        Thing(
            position=(0.4 * number, 0.02 * number, 0.4 + 0.3 * float(rng.random())),
            geometry=SHAPES[str(rng.choice(list(SHAPES)))][0],
            mass=float(10.0 ** rng.uniform(-1.0, 1.0)),
            velocity=tuple((3.0 * rng.normal(size=3)).tolist()),
            material=material(),
        )
        for number in range(int(rng.integers(1, 6)))
    ]
    slope, step = float(rng.choice([0.0, 0.3])), float(rng.choice([1e-3, 5e-3]))
    return scene(*things, slope=slope, step=step, material=material(), as_dart=bool(seed % 2))


def _with_margins(world: World, margin: float) -> World:
    """Return a World of which the shapes of moving bodies touch at a distance."""

    def with_margin(body: Body) -> Body:
        return replace(body, collisions=tuple(replace(shape, margin=margin) for shape in body.collisions))

    ground, *things = world.models
    moved = [replace(thing, bodies=NamedList([with_margin(body) for body in thing.bodies])) for thing in things]
    return replace(world, models=NamedList([ground, *moved]))


@pytest.mark.one_in(4)
@pytest.mark.parametrize("seed", range(16))
def test_random_contacts_have_the_same_bits(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    assert _require_same_bits(_random_scene(seed), 600, monkeypatch)


def test_contacts_at_a_distance_have_the_same_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    assert _require_same_bits(_with_margins(_random_scene(3), 0.01), 600, monkeypatch)


@pytest.mark.parametrize("count", [1, 6])  # whose contact Jacobians are dense and sparse
def test_contacts_that_close_are_solved_in_the_compiled_loop(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bodies that are thrown at a slope, so that their contacts close from a gap with a tangential velocity."""
    calls: list[int] = []
    move = rigid_contacts.move_to_surfaces
    monkeypatch.setattr(rigid_contacts, "move_to_surfaces", lambda *args: (calls.append(1), move(*args)))
    things = [Thing(position=(0.6 * number, 0.0, 0.2), velocity=(2.0, 1.0, -1.0)) for number in range(count)]
    world = scene(*things, slope=0.1)
    assert mujoco.mj_isSparse(Simulation(world).engine.compiled.model) == (count > 1)
    _end_of_run(world, 300)
    assert not calls
    assert _require_same_bits(world, 300, monkeypatch)
    assert calls


@pytest.mark.one_in(2)
@pytest.mark.parametrize("uncertainty", [0.5, 1e9])
@pytest.mark.parametrize("seed", range(4))
def test_steps_that_are_undecided_are_handed_over(seed: int, uncertainty: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Comparisons near their bounds are left to Python, which takes the step from the same state."""
    monkeypatch.setattr(compiled_stepping_loop, "_UNCERTAINTY", uncertainty)
    assert _require_same_bits(_random_scene(seed), 400, monkeypatch)


def test_threads_have_the_same_bits_as_one() -> None:
    worlds = [ossature.load(PROJECT / "examples" / "slider_crank.yaml"), Stops().world()] * 2
    expected = [_end_of_run(world, STEPS) for world in worlds]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(_end_of_run, worlds, [STEPS] * len(worlds))) == expected


def test_a_wrong_place_in_the_engine_s_data_is_refused() -> None:
    access = engine_access()
    assert isinstance(access, EngineAccess)
    engine_memory_addresses._verify(access)
    for name, offset in access.offsets.items():
        wrong = access._replace(offsets=access.offsets | {name: offset + 8})
        with pytest.raises(engine_memory_addresses._LoopUnavailableError):
            engine_memory_addresses._verify(wrong)


def test_another_function_of_the_engine_is_refused() -> None:
    access = engine_access()
    assert isinstance(access, EngineAccess)
    swapped = access.functions | {"step2": access.functions["step1"]}
    with pytest.raises(engine_memory_addresses._LoopUnavailableError, match="same steps"):
        engine_memory_addresses._verify(access._replace(functions=swapped))


def test_a_library_of_another_source_is_not_used(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    changed = tmp_path / "_loop.c"
    changed.write_bytes(engine_memory_addresses._SOURCE.read_bytes() + b"\n")
    monkeypatch.setattr(engine_memory_addresses, "_SOURCE", changed)
    engine_access.cache_clear()
    try:
        assert "install the package again" in str(engine_access())
        assert engine_memory_addresses.describe_loop().startswith("in Python (")
    finally:
        monkeypatch.undo()
        engine_access.cache_clear()


def _step_without_memory() -> tuple[mujoco.MjModel, str]:
    """Return a model whose first step ends with an error of the engine, and the error."""
    boxes = "".join(f'<body pos="{3 * i} 0 .9"><freejoint/><geom type="box" size=".5 .5 1"/></body>' for i in range(4))
    for memory in range(30_000, 60_000, 500):
        xml = f'<mujoco><size memory="{memory}"/><worldbody><geom type="plane" size="9 9 1"/>{boxes}</worldbody></mujoco>'
        model = mujoco.MjModel.from_xml_string(xml)
        try:
            mujoco.mj_step(model, mujoco.MjData(model))
        except mujoco.FatalError as error:
            return model, str(error)
    pytest.fail("the engine needs no memory for its constraints")


def test_errors_of_the_engine_are_exceptions() -> None:
    """An engine without memory for its constraints ends a step with an error, which must not end the process."""
    access = engine_access()
    assert isinstance(access, EngineAccess)
    with suppress_engine_warnings():
        model, expected = _step_without_memory()
        data = mujoco.MjData(model)
        engine, velocities, estimate = access.bind(model, data), np.zeros((2, model.nv)), np.zeros(model.nv)
        program = Program(engine=ctypes.addressof(engine), nv=model.nv, count=3)
        set_addresses(program, qvel=data.qvel, velocities=velocities, estimate=estimate)
        with pytest.raises(mujoco.FatalError) as raised:
            access.loop.run(ctypes.addressof(program), mujoco.FatalError)
    assert str(raised.value) == expected


def test_python_is_chosen_by_the_environment(tmp_path: Path) -> None:
    run = [sys.executable, "-m", "ossature", "info", "-v", str(PROJECT / "examples" / "slider_crank.yaml")]
    environment = os.environ | {"OSSATURE_LOOP": "python"}
    done = subprocess.run(run, capture_output=True, text=True, check=True, env=environment, cwd=tmp_path)
    assert "in Python (OSSATURE_LOOP=python)" in done.stdout
    assert engine_memory_addresses.describe_loop() == f"compiled, verified with MuJoCo {mujoco.__version__}"


def test_the_profile_of_the_engine_is_only_missing_in_the_compiled_loop() -> None:
    engine: Any = mujoco
    simulation = Simulation(read(text()), report=Report())
    simulation.step(STEPS)
    data: Any = simulation.data
    timer = engine.mjtTimer.mjTIMER_FORWARD
    before = float(data.timer[timer].duration)
    simulation.step(STEPS)
    assert float(data.timer[timer].duration) == before
    engine.mj_forward(simulation.compiled.model, data)
    assert float(data.timer[timer].duration) > before
