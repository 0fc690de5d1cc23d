"""Compiled models: shared by simulations and threads, pickled, and changed without compiling."""

from __future__ import annotations

import math
import pickle
import re
import subprocess
import sys
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest
from validation import CORPORA

import ossature
from conftest import PROJECT, example_models
from ossature.formats.mjcf import engine_memory
from ossature.formats.mjcf.engine_memory import release_engine_memory
from ossature.model import (
    Actuation,
    Actuator,
    Body,
    Box,
    Capsule,
    Collision,
    Coordinate,
    ElectricMotor,
    Geometry,
    Inertial,
    Joint,
    Material,
    Model,
    ModelError,
    NamedList,
    Prismatic,
    Range,
    Revolute,
    RotationalSpringDamper,
    SpringDamper,
    World,
)
from ossature.model.edit import with_values
from ossature.simulation import CompiledModel, ContactOptions, NeedsCompilingError, Simulation, SimulationError, compiled_model
from ossature.simulation.compile import bodies
from ossature.simulation.compile.engine_spec import SpecBody
from ossature.simulation.compile.inertia import SubstitutedInertia
from ossature.spatial import Pose
from parameter_edits import arrays, differing_arrays, digest, edited_worlds

EXAMPLES = PROJECT / "examples"
PALLETIZER = EXAMPLES / "palletizer.urdf"
MASS = "palletizer/right_jaw.mass"


def example_files() -> list[Path]:
    return example_models(".skel", ".urdf", ".dae", ".yaml")


def with_mass(world: World, path: str, mass: float) -> World:
    """Return a World in which a body has another mass, by plain replacement."""
    owner, _, name = path.removesuffix(".mass").partition("/")
    body = world.models[owner].bodies[name]
    changed = replace(body, inertial=replace(body.inertial, mass=mass))
    bodies = NamedList([changed if one is body else one for one in world.models[owner].bodies])
    models = [replace(model, bodies=bodies) if model.name == owner else model for model in world.models]
    return replace(world, models=NamedList(models))


# Sharing


@pytest.mark.parametrize("path", example_files(), ids=lambda path: path.name)
def test_a_simulation_of_a_compiled_model_is_that_of_its_world(path: Path) -> None:
    world = ossature.load(path)
    compiled = CompiledModel.from_world(world)
    before = arrays(compiled.compiled.model)
    alone, first, second = Simulation(world), Simulation(compiled), Simulation(compiled)
    assert [*map(str, first.report)] == [*map(str, alone.report)]
    expected = digest(alone)
    assert digest(first) == expected
    assert arrays(compiled.compiled.model) == before
    assert digest(second) == expected


def test_a_run_changes_nothing_that_others_share() -> None:
    compiled = CompiledModel.from_world(ossature.load(EXAMPLES / "pick_and_place.dae"))
    before = arrays(compiled.compiled.model)
    expected = digest(Simulation(compiled))
    changed = Simulation(compiled)
    body = next(body for model in compiled.world.models if not model.static for body in model.bodies if body.collisions)
    model = next(model for model in compiled.world.models if body in model.bodies)
    changed.set_collidable(model.name, body.name, collidable=False)
    changed.compiled.model.opt.gravity[:] = 0.0
    changed.step(50)
    assert arrays(compiled.compiled.model) == before
    assert digest(Simulation(compiled)) == expected


def test_a_state_of_a_simulation_of_the_world_is_restored_exactly() -> None:
    world = ossature.load(PALLETIZER)
    simulation = Simulation(world)
    simulation.step(10)
    state = simulation.state()
    other = Simulation(CompiledModel.from_world(world))
    other.restore(state)
    assert not other.report.take("approximate-restart")
    assert digest(other) == digest(simulation)


def test_options_belong_to_the_compilation() -> None:
    world = ossature.load(PALLETIZER)
    compiled = CompiledModel.from_world(world, time_step=0.002, contact=ContactOptions(time_constant=0.01))
    assert Simulation(compiled).time_step == 0.002
    for options in ({"time_step": 0.001}, {"enforce_limits": False}, {"sub_steps": False}, {"integrator": "implicit"}):
        with pytest.raises(ValueError, match=next(iter(options))):
            Simulation(compiled, **options)  # type: ignore[arg-type]


def test_a_world_that_cannot_be_simulated_is_not_compiled() -> None:
    world = with_mass(ossature.load(PALLETIZER), MASS, -1.0)
    with pytest.raises(SimulationError, match="mass"):
        CompiledModel.from_world(world)


# Threads and processes


def runs_of_masses(count: int) -> None:
    """Assert that runs of one compiled model with other masses, in two threads, are those of compiling each World."""
    world = ossature.load(PALLETIZER)
    compiled = CompiledModel.from_world(world)
    masses = np.random.default_rng(7).uniform(0.2, 5.0, count).tolist()
    with ThreadPoolExecutor(2) as pool:
        shared = list(pool.map(lambda mass: digest(Simulation(compiled.with_parameters({MASS: mass})), 5), masses))
    for mass, found in zip(masses, shared, strict=True):
        assert digest(Simulation(with_mass(world, MASS, mass)), 5) == found, mass


def test_masses_in_two_threads() -> None:
    runs_of_masses(12)


def test_compilation_in_threads_leaves_filters_and_handlers() -> None:
    world = ossature.load(EXAMPLES / "slider_crank.yaml")
    filters, show, handler = list(warnings.filters), warnings.showwarning, mujoco.get_mju_user_warning()

    def compile_and_step(_: int) -> str:
        return digest(Simulation(CompiledModel.from_world(world)), 2)

    with ThreadPoolExecutor(4) as pool:
        assert len(set(pool.map(compile_and_step, range(24)))) == 1
    assert list(warnings.filters) == filters
    assert warnings.showwarning is show
    assert mujoco.get_mju_user_warning() is handler


@pytest.mark.slow
def test_a_thousand_masses_in_two_threads() -> None:
    runs_of_masses(1000)


def test_a_compiled_model_in_another_process(tmp_path: Path) -> None:
    compiled = CompiledModel.from_world(ossature.load(EXAMPLES / "slider_crank.yaml"))
    changed = compiled.with_parameters({"gravity": (0.0, 0.0, -1.0)})
    (tmp_path / "compiled.pickle").write_bytes(pickle.dumps((compiled, changed)))
    code = f"""
import pickle, sys
sys.path.insert(0, {str(PROJECT / "tests")!r})
from ossature.simulation import Simulation
from parameter_edits import digest
compiled, changed = pickle.loads(open("compiled.pickle", "rb").read())
again = compiled.with_parameters({{"gravity": (0.0, 0.0, -1.0)}})
print(digest(Simulation(compiled)), digest(Simulation(changed)), digest(Simulation(again)))
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    expected = digest(Simulation(compiled)), digest(Simulation(changed)), digest(Simulation(changed))
    assert done.stdout.split() == list(expected), done.stderr
    assert expected[0] != expected[1]


@pytest.mark.parametrize("path", example_files(), ids=lambda path: path.name)
def test_a_pickled_model_is_equal(path: Path) -> None:
    compiled = CompiledModel.from_world(ossature.load(path))
    restored = pickle.loads(pickle.dumps(compiled))  # noqa: S301  # made here
    assert restored.world == compiled.world
    assert not differing_arrays(restored.compiled.model, compiled.compiled.model)
    assert digest(Simulation(restored)) == digest(Simulation(compiled))


# Changes without compiling


def compare_all_kinds(world: World) -> dict[str, str]:
    """Compare every kind of parameter changed with and without compiling; return what needs compiling."""
    compiled = CompiledModel.from_world(world)
    before = arrays(compiled.compiled.model)
    needed = {}
    for kind, changed in edited_worlds(world):
        try:
            expected = CompiledModel.from_world(changed)
        except SimulationError:
            continue
        try:
            found = compiled.with_world(changed)
        except NeedsCompilingError as error:
            needed[kind] = str(error)
            continue
        assert not differing_arrays(found.compiled.model, expected.compiled.model), kind
        assert [*map(str, found.findings)] == [*map(str, expected.findings)], kind
        assert found.compiled.choice == expected.compiled.choice, kind
        assert arrays(compiled.compiled.model) == before, kind
    return needed


@pytest.mark.parametrize("path", example_files(), ids=lambda path: path.name)
def test_each_kind_of_parameter_of_the_examples(path: Path) -> None:
    compare_all_kinds(ossature.load(path))


@pytest.mark.slow
@pytest.mark.parametrize("name", CORPORA)
def test_each_kind_of_parameter_of_the_corpora(corpus: Path, name: str) -> None:
    count = 0
    for path in sorted((corpus / "corpus" / name).rglob("*")):
        if path.suffix not in CORPORA[name] or not path.is_file() or path.stem.startswith("solver"):
            continue
        try:
            world = ossature.load(path)
            compare_all_kinds(world)
        except ossature.OssatureError:
            continue
        count += 1
    assert count


def assembled() -> World:
    """Return a World with each element that has parameters: a driven slide with springs, friction and a motor, and a box."""
    ground = Body(name="ground")
    cart = Body(
        name="cart",
        inertial=Inertial(
            mass=2.0, center_of_mass=(0.1, 0.0, 0.05), moment=((0.2, 0.01, 0.0), (0.01, 0.3, 0.0), (0.0, 0.0, 0.25))
        ),
        collisions=(Collision(geometry=Box(size=(0.2, 0.2, 0.1)), material=Material(name="rubber", friction=0.4)),),
    )
    arm = Body(name="arm", pose=Pose((0.0, 0.0, 0.5)), inertial=Inertial(mass=1.0, center_of_mass=(0.3, 0.0, 0.0)))
    slide = Joint(
        name="slide",
        type=Prismatic(axis=(1.0, 0.0, 0.0)),
        parent=None,
        child="cart",
        coordinates=(Coordinate(damping=0.1, friction=0.3, stiffness=5.0, spring_reference=0.1, initial_velocity=0.2),),
    )
    hinge = Joint(
        name="hinge",
        type=Revolute(axis=(0.0, 1.0, 0.0)),
        parent="cart",
        child="arm",
        coordinates=(Coordinate(damping=0.05, initial_position=0.3),),
    )
    motor = ElectricMotor(gear_ratio=20.0, resistance=2.0, torque_constant=0.05, rotor_inertia=1e-5, viscous_friction=0.01)
    return World(
        name="assembled",
        models=NamedList(
            [
                Model(name="floor", static=True, bodies=NamedList([ground])),
                Model(
                    name="machine",
                    bodies=NamedList([cart, arm]),
                    joints=NamedList([slide, hinge]),
                    spring_dampers=NamedList(
                        [
                            SpringDamper(
                                name="spring", body1="cart", body2=None, point2=(0.0, 0.0, -0.5), stiffness=20.0, damping=0.4
                            )
                        ]
                    ),
                    rotational_spring_dampers=NamedList(
                        [RotationalSpringDamper(name="torsion", body1="arm", body2="cart", axis=(0.0, 1.0, 0.0), stiffness=3.0)]
                    ),
                    actuators=NamedList([Actuator(name="drive", joint="hinge", motor=motor)]),
                ),
            ]
        ),
    )


def test_each_kind_of_parameter_of_all_elements() -> None:
    assert compare_all_kinds(assembled()) == {}


PARAMETERS: dict[str, object] = {
    "machine/cart.mass": 3.5,
    "machine/cart.inertial.mass": 3.5,
    "machine/cart.center_of_mass": [0.2, 0.0, 0.1],
    "machine/cart.center_of_mass[2]": 0.0,
    "machine/cart.inertial.moment[0][0]": 0.22,
    "machine/cart.collisions[0].geometry.size": (0.3, 0.2, 0.1),
    "machine/cart.collisions[0].material.friction": 0.9,
    "machine/slide.damping": 0.7,
    "machine/slide.coordinates[0].friction": 0.1,
    "machine/hinge.initial_position": -0.2,
    "machine/spring.stiffness": np.float64(31.0),
    "machine/spring.free_length": 0.7,
    "machine/torsion.damping": 0.2,
    "machine/drive.motor.rotor_inertia": 2e-5,
    "machine/drive.motor.torque_constant": 0.07,
    "gravity": np.array([0.0, 1.0, -9.0]),
    "gravity[2]": -1.6,
}


@pytest.mark.parametrize("path", PARAMETERS)
def test_a_parameter_by_path(path: str) -> None:
    compiled = CompiledModel.from_world(assembled())
    found = compiled.with_parameters({path: PARAMETERS[path]})
    assert found.world != compiled.world
    expected = CompiledModel.from_world(found.world)
    assert not differing_arrays(found.compiled.model, expected.compiled.model)
    assert digest(Simulation(found)) == digest(Simulation(found.world)) != digest(Simulation(compiled))


def test_several_changes_in_sequence_are_those_of_all_at_once() -> None:
    compiled = CompiledModel.from_world(assembled())
    one_by_one = compiled
    values = {path: value for path, value in PARAMETERS.items() if "inertial.mass" not in path and path != "gravity"}
    for path, value in values.items():
        one_by_one = one_by_one.with_parameters({path: value})
    at_once = compiled.with_parameters(values)
    anew = CompiledModel.from_world(at_once.world)
    assert one_by_one.world == at_once.world
    for changed in (one_by_one, at_once):
        assert not differing_arrays(changed.compiled.model, anew.compiled.model)


def with_inertial(world: World, path: str, **changes: Any) -> World:
    """Return a World in which a body has another inertia, by plain replacement."""
    model, _, name = path.partition("/")
    body = world.models[model].bodies[name]
    changed = replace(body, inertial=replace(body.inertial, **changes))
    bodies = world.models[model].bodies.replaced(changed)
    return replace(world, models=world.models.replaced(replace(world.models[model], bodies=bodies)))


def crank() -> World:
    """Return the slider-crank, whose loop is closed by a clone of the heavier one of two bodies."""
    return ossature.load(EXAMPLES / "slider_crank.yaml")


def boxes(shape: Geometry = Box(size=(1, 1, 1))) -> World:  # noqa: B008  # frozen
    """Return two bodies that fall."""

    def box(name: str) -> Model:
        moment = ((1.0, 0.0, 0.0), (0.0, 2.0, 0.0), (0.0, 0.0, 2.5))
        body = Body(name="box", inertial=Inertial(mass=1.0, moment=moment), collisions=(Collision(geometry=shape),))
        return Model(name=name, bodies=NamedList([body]))

    return World(models=NamedList([box("a"), box("b")]))


@pytest.mark.parametrize(
    ("make_world", "path", "changes"),
    [
        (lambda: ossature.load(PALLETIZER), "palletizer/right_jaw", {"mass": 0.7}),
        (crank, "slider crank/rod", {"mass": 0.65}),
        (crank, "slider crank/slider", {"mass": 2.5}),
        (boxes, "b/box", {"moment": ((1.2, 0.0, 0.0), (0.0, 1.3, 0.0), (0.0, 0.0, 1.4))}),
        # With capsules, whose orientations the engine forgets when it computes constants.
        (lambda: with_inertial(boxes(Capsule(radius=0.1, length=0.5)), "b/box", mass=2.0), "b/box", {"mass": 0.9}),
    ],
)
def test_other_inertias_need_no_compilation(
    make_world: Callable[[], World], path: str, changes: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    world = make_world()
    compiled, after = CompiledModel.from_world(world), with_inertial(world, path, **changes)
    expected = compiled.compile_anew(after)

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError

    monkeypatch.setattr(compiled_model, "compile_world", refuse)
    found = compiled.with_world(after)
    in_another_process, world = pickle.loads(pickle.dumps((compiled, world)))  # noqa: S301  # made here
    assert in_another_process.with_world(with_inertial(world, path, **changes)).compiled.choice == found.compiled.choice
    assert not differing_arrays(found.compiled.model, expected.compiled.model)
    assert digest(Simulation(found)) == digest(Simulation(expected))
    assert found.findings == expected.findings


@pytest.mark.parametrize(
    ("path", "changes"),
    [
        ("a/box", {"mass": 0.0, "moment": None}),
        ("a/box", {"mass": -1.0}),
        ("a/box", {"moment": ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 9.0))}),
        ("a/box", {"center_of_mass": (0.1, 0.0, 0.0)}),
        ("a/box", {"moment": ((1.0, 0.1, 0.0), (0.1, 2.0, 0.0), (0.0, 0.0, 2.5))}),
        ("slider crank/rod", {"mass": 1e-3}),
        ("slider crank/rod", {"mass": 1e3}),
    ],
)
def test_inertias_with_consequences_are_those_of_a_compilation(path: str, changes: dict[str, Any]) -> None:
    """No mass, invalid inertia, other frames, and another heaviest body of a loop: with its findings or its error."""
    world = boxes() if path.startswith("a/") else crank()
    compiled, after = CompiledModel.from_world(world), with_inertial(world, path, **changes)
    try:
        expected = compiled.compile_anew(after)
    except SimulationError as error:
        with pytest.raises(SimulationError, match=re.escape(str(error))):
            compiled.with_world(after)
        return
    try:
        found = compiled.with_world(after)
    except NeedsCompilingError:
        return
    assert not differing_arrays(found.compiled.model, expected.compiled.model)
    assert found.findings == expected.findings


def test_inertias_are_computed_for_changed_bodies_only(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled, computed = CompiledModel.from_world(ossature.load(PALLETIZER)), list[str]()
    compute = bodies.set_inertia

    def set_inertia(engine_body: SpecBody, body: Body, *args: Any, **options: Any) -> SubstitutedInertia | None:
        computed.append(body.name)
        return compute(engine_body, body, *args, **options)

    monkeypatch.setattr(bodies, "set_inertia", set_inertia)
    compiled.with_parameters({MASS: 0.7, "palletizer/right_slide.damping": 21.0})
    assert computed == ["right_jaw"]


def test_tiny_inertias_that_the_engine_refuses() -> None:
    compiled = CompiledModel.from_world(assembled())
    tiny: dict[str, object] = {"machine/arm.mass": 1e-15, "machine/arm.moment": ((1e-3, 0, 0), (0, 1e-3, 0), (0, 0, 5e-3))}
    for parameters in (tiny, {"machine/arm.moment": ((1e-3, 0.0, 0.0), (0.0, 1e-3, 0.0), (0.0, 0.0, 5e-3))}):
        changed = compiled.with_parameters(parameters)
        assert not differing_arrays(changed.compiled.model, CompiledModel.from_world(changed.world).compiled.model)
        back = changed.with_world(compiled.world)
        assert not differing_arrays(back.compiled.model, compiled.compiled.model)


def test_numbers_that_the_engine_rejects() -> None:
    compiled = CompiledModel.from_world(assembled())
    rejected: dict[str, object] = {
        "machine/slide.friction": math.nan,
        "machine/slide.damping": math.inf,
        "machine/cart.moment": ((math.nan, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
        "machine/cart.mass": 0.0,
        "machine/cart.collisions[0].geometry.size": (0.1, -0.1, 0.1),
        "machine/drive.motor.rotor_inertia": -1.0,
        "machine/spring.stiffness": math.nan,
        "machine/slide.position_limits": Range(lower=1.0, upper=-1.0),
        "machine/hinge.initial_position": math.nan,
    }
    for path, value in rejected.items():
        changed = with_values(compiled.world, {path: value})
        expected, found = outcome(CompiledModel.from_world, changed), outcome(compiled.with_world, changed)
        assert found == expected, path


def outcome(build: Callable[[World], CompiledModel], world: World) -> tuple[str, ...]:
    """Return the findings of a compilation that succeeds, or of one that fails."""
    try:
        return tuple(map(str, build(world).findings))
    except SimulationError as error:
        return ("failed", *map(str, error.report))
    except NeedsCompilingError:
        return tuple(map(str, CompiledModel.from_world(world).findings))


def test_lengths_joints_and_shapes_need_compiling() -> None:
    world = assembled()
    compiled = CompiledModel.from_world(world)
    with pytest.raises(
        NeedsCompilingError, match=r"position of body 'arm'.*needs compiling|needs compiling.*position of body 'arm'"
    ):
        compiled.with_parameters({"machine/arm.pose.position": (0.0, 0.0, 0.6)})
    with pytest.raises(NeedsCompilingError, match="hinge"):
        compiled.with_parameters({"machine/hinge.actuation": Actuation.LOCKED})
    with pytest.raises(NeedsCompilingError, match="position of site"):
        compiled.with_parameters({"machine/spring.point2": (0.0, 0.0, -0.6)})
    with pytest.raises(NeedsCompilingError, match="gravity compensation of body 'cart'"):
        compiled.with_parameters({"machine/cart.gravity": False})


def test_wrong_paths_and_values() -> None:
    compiled = CompiledModel.from_world(assembled())
    for path, message in {
        "machin/cart.mass": "did you mean 'machine'",
        "machine/card.mass": "did you mean 'machine/cart'",
        "machine/cart.mas": "did you mean 'mass'",
        "machine/spring.stiffnesss": "did you mean 'stiffness'",
        "machine/cart.inertial.masss": "did you mean 'mass'",
        "machine/cart.center_of_mass[3]": "there is no .3.",
        "gravityy": "did you mean 'gravity'",
        "machine/drive.motor.torque": "did you mean 'max_torque'",
    }.items():
        with pytest.raises(ModelError, match=message):
            compiled.with_parameters({path: 1.0})
    with pytest.raises(ValueError, match="append an attribute"):
        compiled.with_parameters({"machine/cart": 1.0})
    with pytest.raises(ValueError, match="no element"):
        compiled.with_parameters({"machine/cart.mass/2": 1.0})
    for value in ("heavy", True, None, [1.0]):
        with pytest.raises(ModelError, match="expected a number"):
            compiled.with_parameters({"machine/cart.mass": value})
    with pytest.raises(SimulationError, match="mass"):
        compiled.with_parameters({"machine/cart.mass": -1.0})


# Released memory


@pytest.mark.parametrize("path", example_files(), ids=lambda path: path.name)
def test_a_run_in_released_memory_has_the_same_bits(path: Path) -> None:
    compiled = CompiledModel.from_world(ossature.load(path))
    expected, model = digest(Simulation(compiled)), arrays(Simulation(compiled).compiled.model)
    used = Simulation(compiled)
    used.step(30)
    for values in (used.data.qpos, used.data.qvel, used.data.ctrl, used.data.efc_force, used.compiled.model.eq_data):
        values[...] = math.nan
    used.compiled.model.opt.timestep = 0.5
    release_engine_memory(used.compiled.model, used.data)
    again = Simulation(compiled)
    assert again.compiled.model is used.compiled.model
    assert again.data is used.data
    assert arrays(again.compiled.model) == model
    assert digest(again) == expected
    assert Simulation(compiled).data is not used.data


def test_without_access_to_the_library_models_are_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = CompiledModel.from_world(ossature.load(EXAMPLES / "slider_crank.yaml"))
    expected, used = digest(Simulation(compiled)), Simulation(compiled)
    release_engine_memory(used.compiled.model, used.data)
    monkeypatch.setattr(engine_memory, "_copy_function", lambda: None)
    again = Simulation(compiled)
    assert again.compiled.model is not used.compiled.model
    assert digest(again) == expected


def test_memory_of_other_sizes_is_not_used() -> None:
    small, large = (CompiledModel.from_world(ossature.load(EXAMPLES / name)) for name in ("contact.skel", "slider_crank.yaml"))
    used, expected = Simulation(small), digest(Simulation(large))
    release_engine_memory(used.compiled.model, used.data)
    other = Simulation(large)
    assert other.compiled.model is not used.compiled.model
    assert other.data is not used.data
    assert digest(other) == expected
