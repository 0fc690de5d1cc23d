"""A restart from a state is bit-exact."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from test_electric_motors import PLAIN, turning
from test_grasp_dynamics import HAND, arm, cup

import ossature
from conftest import PROJECT, example_models
from ossature.diagnostics import Report, Source
from ossature.formats.usdf import read_usdf, write_usdf
from ossature.model import Actuation, BodyPath, CheckpointArray, Grasp, NamedList, State, World
from ossature.model.state_compatibility import StateMismatchError
from ossature.simulation import SampledSignal, Simulation
from small_worlds import one_joint
from state_digits import digits_of

EXAMPLES = example_models(".skel", ".yaml", ".dae")


def through_text(state: State) -> State:
    report = Report()
    read = read_usdf(Source("<state>", write_usdf(state).encode()), report)
    assert read is not None and not report, str(report)
    return read


def same_bits(first: Simulation, second: Simulation) -> bool:
    has_same_positions = first.data.qpos.tobytes() == second.data.qpos.tobytes()
    return has_same_positions and digits_of(first.state()) == digits_of(second.state())


def restarted(world: World, cut: int, after: int, command: Callable[[Simulation], None] | None = None) -> None:
    """Run a World in one piece and in two, and compare."""
    whole, first, second = (Simulation(world) for _ in range(3))
    for simulation in (whole, first):
        if command is not None:
            command(simulation)
    whole.step(cut + after)
    first.step(cut)
    second.restore(through_text(first.state()))
    second.step(after)
    assert not second.report.take("approximate-restart")
    assert same_bits(whole, second)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_examples(path: Path) -> None:
    restarted(ossature.load(path), 137, 200)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("actuation", [Actuation.FORCE, Actuation.VELOCITY, Actuation.ACCELERATION, Actuation.SERVO])
@pytest.mark.parametrize("kind", [ossature.model.Revolute(), ossature.model.Spherical(), ossature.model.Floating()])
def test_commands_continue(actuation: Actuation, kind: ossature.model.JointType) -> None:
    width = kind.degrees_of_freedom
    table = SampledSignal([0.0, 0.1, 0.3], [[0.1 * (i + 1)] * width for i in range(3)])
    restarted(one_joint(kind, actuation), 77, 200, lambda simulation: simulation.command("m", "j", table))
    restarted(one_joint(kind, actuation), 77, 200, lambda simulation: simulation.command("m", "j", [0.25] * width))


@pytest.mark.parametrize("quantity", ["voltage", "torque", "velocity", "position"])
def test_electric_motors_continue(quantity: str) -> None:
    world = turning(PLAIN)
    table = SampledSignal([0.0, 0.05, 0.4], [0.0, 0.5, -0.25])
    name = next(iter(world.models[0].actuators)).name
    restarted(world, 77, 200, lambda simulation: simulation.command(world.models[0].name, f"{name}:{quantity}", table))


def test_grasps_continue() -> None:
    grasp = Grasp(link=HAND, body=BodyPath(model="cup", body="cup"))
    restarted(World(models=NamedList([arm(), cup()]), grasps=(grasp,)), 60, 90)


def grasping() -> tuple[Simulation, World]:
    """Return a simulation with a grasp that was made during the run."""
    world = World(models=NamedList([arm(), cup()]))
    simulation = Simulation(world)
    simulation.step(30)
    simulation.grasp("arm/hand", "cup/cup", ignored_bodies=["upper"])
    simulation.step(30)
    return simulation, world


def test_grasps_made_during_a_run_continue() -> None:
    whole, world = grasping()
    state = through_text(whole.state())
    assert state.grasps is not None
    assert state.grasps[0].grasp.ignored_bodies == ("upper",)
    second = Simulation(world)
    second.restore(state)
    assert second.grasps == whole.grasps
    whole.step(200)
    second.step(200)
    assert same_bits(whole, second)
    whole.release("cup/cup")
    second.release("cup/cup")
    whole.step(50)
    second.step(50)
    assert same_bits(whole, second)


def test_grasps_released_during_a_run_stay_released() -> None:
    grasp = Grasp(link=HAND, body=BodyPath(model="cup", body="cup"))
    world = World(models=NamedList([arm(), cup()]), grasps=(grasp,))
    whole, second = Simulation(world), Simulation(world)
    whole.step(30)
    whole.release("cup/cup")
    whole.step(30)
    second.step(10)
    second.restore(through_text(whole.state()))
    assert second.grasps == ()
    whole.step(200)
    second.step(200)
    assert same_bits(whole, second)


def test_grasps_of_another_world_release_nothing() -> None:
    simulation, _ = grasping()
    state = replace(simulation.state(), checkpoint=None, fingerprint=None)
    saucer = BodyPath(model="table", body="saucer")
    foreign = replace(state.grasps[0], grasp=replace(state.grasps[0].grasp, body=saucer))
    simulation.restore(replace(state, grasps=(foreign,)), partial=True)
    assert len(simulation.grasps) == 1
    simulation.restore(replace(state, grasps=()), partial=True)
    assert simulation.grasps == ()


def test_a_refused_state_does_not_change_grasps() -> None:
    simulation, _ = grasping()
    before = simulation.state()
    stranger = replace(before.models[0], joints=NamedList([replace(before.models[0].joints[0], name="tentacle")]))
    with pytest.raises(StateMismatchError, match="tentacle"):
        simulation.restore(replace(before, models=NamedList([stranger]), grasps=()))
    assert simulation.state() == before
    assert len(simulation.grasps) == 1
    missing = replace(before.grasps[0], grasp=replace(before.grasps[0].grasp, body=BodyPath(model="cup", body="saucer")))
    with pytest.raises(StateMismatchError, match="there is no body 'cup/saucer'"):
        simulation.restore(replace(before, grasps=(missing,)))
    assert simulation.state() == before


@pytest.mark.corpus
def test_sensor_noise_continues(corpus: Path) -> None:
    world = ossature.load(corpus / "corpus" / "openrave" / "barrett-wam-sensors.zae")
    names = [sensor.name for model in world.models for sensor in model.sensors]
    whole, first, second = (Simulation(world) for _ in range(3))
    whole.run(0.03, sense=names)
    first.run(0.02, sense=names)
    second.restore(through_text(first.state()))
    second.run(0.01, sense=names)
    assert second.state() == whole.state()


def test_functions_of_time_have_to_be_commanded_again() -> None:
    world = one_joint(ossature.model.Revolute(), Actuation.ACCELERATION)
    whole, second = Simulation(world), Simulation(world)
    whole.command("m", "j", lambda time: np.sin(10.0 * time))
    whole.step(50)
    state = through_text(whole.state())
    before = second.state()
    with pytest.raises(StateMismatchError, match="function of time"):
        second.restore(state)
    assert second.state() == before
    second.command("m", "j", lambda time: np.sin(10.0 * time))
    second.restore(state)
    whole.step(50)
    second.step(50)
    assert same_bits(whole, second)


def test_without_their_function_plain_numbers_are_restored_in_part() -> None:
    world = one_joint(ossature.model.Revolute(), Actuation.VELOCITY)
    whole, second = Simulation(world), Simulation(world)
    whole.command("m", "j", lambda time: np.sin(10.0 * time))
    whole.step(50)
    state = through_text(whole.state())
    with pytest.raises(StateMismatchError, match=r"'m/j' is a function of time.* or restore partially"):
        second.restore(state)
    second.restore(state, partial=True)
    (finding,) = second.report.take("approximate-restart")
    assert finding.message == "the command of 'm/j' is a function of time, which is not saved"
    assert second.time == whole.time
    assert second.positions() == whole.positions()
    second.step(10)
    assert second.positions()["m"]["j"] == pytest.approx(whole.positions()["m"]["j"], abs=1e-5)


def test_a_refused_state_does_not_remove_functions() -> None:
    """Neither one of a joint, where a joint or a motor lacks one, nor one of a motor."""
    crank = ossature.load(PROJECT / "examples" / "slider_crank.yaml")
    joint = one_joint(ossature.model.Revolute(), Actuation.VELOCITY).models[0]
    world = replace(crank, models=NamedList([*crank.models, joint, replace(joint, name="n")]))
    followers = [("slider crank", next(iter(crank.models[0].motors)).name), ("m", "j"), ("n", "j")]
    for there, here in itertools.permutations(followers, 2):
        first, second = Simulation(world), Simulation(world)
        first.command(*there, lambda time: time)
        second.command(*here, lambda time: time)
        before = second.state()
        with pytest.raises(StateMismatchError, match=f"'{'/'.join(there)}' is a function of time"):
            second.restore(first.state())
        assert second.state() == before


@pytest.mark.parametrize("actuation", [Actuation.FORCE, Actuation.VELOCITY, Actuation.ACCELERATION, Actuation.SERVO])
def test_the_same_table_may_be_given_again(actuation: Actuation) -> None:
    world = one_joint(ossature.model.Revolute(), actuation)
    given_again(world, "m", "j")


def test_the_same_table_may_be_given_again_to_motors() -> None:
    crank = ossature.load(PROJECT / "examples" / "slider_crank.yaml")
    given_again(crank, crank.models[0].name, next(iter(crank.models[0].motors)).name)
    world = turning(PLAIN)
    name = next(iter(world.models[0].actuators)).name
    given_again(world, world.models[0].name, f"{name}:position")


def given_again(world: World, model: str, name: str) -> None:
    """Restart with the table of the state, and with another one."""
    whole, second = Simulation(world), Simulation(world)
    whole.command(model, name, SampledSignal([0.0, 0.4], [0.5, 1.0]))
    whole.step(77)
    second.restore(through_text(whole.state()))
    second.command(model, name, SampledSignal([0.0, 0.4], [0.5, 1.0]))
    whole.step(100)
    second.step(100)
    assert same_bits(whole, second)
    second.command(model, name, SampledSignal([0.0, 0.4], [0.5, 3.0]))
    whole.step(100)
    second.step(100)
    assert not same_bits(whole, second)


def test_restoring_restores_commands() -> None:
    simulation = Simulation(one_joint(ossature.model.Revolute()))
    simulation.step(10)
    state = simulation.state()
    simulation.step(10)
    undisturbed = simulation.state()
    simulation.restore(state)
    simulation.command("m", "j", 3.0)
    simulation.step(10)
    assert simulation.state() != undisturbed
    simulation.restore(state)
    simulation.step(10)
    assert simulation.state() == undisturbed


def test_bodies_that_no_longer_collide() -> None:
    world = ossature.load(PROJECT / "examples" / "contact.skel")
    moving = next(model for model in world.models if not model.static)
    off = lambda simulation: simulation.set_collidable(moving.name, moving.bodies[0].name, False)  # noqa: E731
    restarted(world, 100, 300, off)


def test_steps_of_a_stiff_mechanism_in_portions() -> None:
    world = replace(ossature.load(PROJECT / "examples" / "slider_crank.yaml"))
    model = world.models[0]
    spring = ossature.model.SpringDamper(
        name="stiff",
        body1=model.bodies[0].name,
        body2=model.bodies[-1].name,
        stiffness=1e9,
    )
    world = replace(world, models=NamedList([replace(model, spring_dampers=NamedList([spring]))]))
    whole, portions = Simulation(world), Simulation(world)
    assert whole.compiled.choice.sub_steps > 1
    whole.step(60)
    for _ in range(60):
        portions.step()
    assert same_bits(whole, portions)
    restarted(world, 33, 44)


def test_a_registered_component_is_restored() -> None:
    class Noise:
        def __init__(self, seed: int) -> None:
            self.generator = np.random.Generator(np.random.PCG64(seed))

        def get_state(self) -> dict[str, np.ndarray]:
            inner = self.generator.bit_generator.state["state"]
            mask = (1 << 64) - 1
            return {"words": np.array([part & mask for n in inner.values() for part in (n, n >> 64)], dtype=np.uint64)}

        def set_state(self, saved_state: dict[str, np.ndarray]) -> None:
            low, high, inc_low, inc_high = map(int, saved_state["words"])
            state = self.generator.bit_generator.state
            state["state"] = {"state": low | high << 64, "inc": inc_low | inc_high << 64}
            self.generator.bit_generator.state = state

    world = one_joint(ossature.model.Revolute())
    first, second = Simulation(world), Simulation(world)
    noises = Noise(1), Noise(2)
    first.register_stateful("noise", noises[0])
    noises[0].generator.normal(size=7)
    state = through_text(first.state())
    with pytest.raises(StateMismatchError, match="no component restores the saved state of 'noise'"):
        second.restore(state)
    second.register_stateful("noise", noises[1])
    second.restore(state)
    assert (noises[0].generator.random(5) == noises[1].generator.random(5)).all()


@pytest.mark.parametrize(
    ("error", "message"), [(IndexError(), "noise: IndexError"), (ValueError("too short"), "noise: too short")]
)
def test_the_reason_of_a_component_that_cannot_be_restored_is_stated(error: Exception, message: str) -> None:
    class Noise:
        def get_state(self) -> dict[str, np.ndarray]:
            return {"words": np.zeros(1)}

        def set_state(self, saved_state: dict[str, np.ndarray]) -> None:
            if saved_state["words"].any():
                raise error

    simulation = Simulation(one_joint(ossature.model.Revolute()))
    simulation.register_stateful("noise", Noise())
    state = simulation.state()
    checkpoint = state.checkpoint
    assert checkpoint is not None
    arrays = tuple([replace(one, values=(1.0,)) if one.name == "noise/words" else one for one in checkpoint.arrays])
    with pytest.raises(StateMismatchError, match=message):
        simulation.restore(replace(state, checkpoint=replace(checkpoint, arrays=arrays)))


class Carried:
    """A part that remembers one array, and keeps what it is given back."""

    def __init__(self, values: np.ndarray) -> None:
        self.values = values

    def get_state(self) -> dict[str, np.ndarray]:
        return {"values": self.values}

    def set_state(self, saved_state: Mapping[str, np.ndarray]) -> None:
        self.values = saved_state["values"]


@pytest.mark.parametrize(
    "values",
    [
        np.array([math.inf, -math.inf, math.nan, 1.0, -0.0, 5e-324]),
        np.array([True, False]),
        np.array([0.1], dtype=np.float32),
        np.array([-1, 2], dtype=np.int8),
        np.array([(1 << 64) - 1, 0], dtype=np.uint64),
        np.array([]),
    ],
    ids=repr,
)
def test_components_may_save_any_numbers(values: np.ndarray) -> None:
    world = one_joint(ossature.model.Revolute())
    first, second, back = Simulation(world), Simulation(world), Carried(values[:0])
    first.register_stateful("own", Carried(values))
    second.register_stateful("own", back)
    second.restore(through_text(first.state()))
    assert not second.report.take("approximate-restart")
    np.testing.assert_array_equal(back.values, values)
    assert (np.signbit(back.values) == np.signbit(values.astype(back.values.dtype))).all()


@pytest.mark.parametrize("values", [np.array(["text"]), np.zeros((2, 2)), np.array([1j]), np.array([None])], ids=repr)
def test_only_arrays_of_numbers_can_be_saved(values: np.ndarray) -> None:
    simulation = Simulation(one_joint(ossature.model.Revolute()))
    simulation.register_stateful("own", Carried(values))
    with pytest.raises(ValueError, match="the saved state of 'own/values' has type"):
        simulation.state()


def test_integers_of_unknown_type_are_refused() -> None:
    simulation = Simulation(one_joint(ossature.model.Revolute()))
    simulation.register_stateful("own", Carried(np.array([1, 2])))
    before = simulation.state()
    mixed = CheckpointArray(name="own/values", values=(-1, 1 << 63))
    arrays = tuple([mixed if array.name == mixed.name else array for array in before.checkpoint.arrays])
    with pytest.raises(StateMismatchError, match="does not fit into 64 bits"):
        simulation.restore(replace(before, checkpoint=replace(before.checkpoint, arrays=arrays)))
    assert simulation.state() == before


@pytest.mark.parametrize("number", [math.nan, math.inf])
def test_an_empty_engine_state_is_refused(number: float) -> None:
    simulation = Simulation(one_joint(ossature.model.Revolute()))
    before = simulation.state()
    arrays = [
        replace(array, values=(number, *array.values[1:])) if array.name == "engine/state" else array
        for array in before.checkpoint.arrays
    ]
    with pytest.raises(StateMismatchError, match="not finite"):
        simulation.restore(replace(before, checkpoint=replace(before.checkpoint, arrays=tuple(arrays))))
    assert simulation.state() == before


def test_plain_states_are_restored_to_their_precision() -> None:
    for path in EXAMPLES:
        simulation = Simulation(ossature.load(path))
        simulation.step(100)
        state = through_text(replace(simulation.state(), checkpoint=None))
        simulation.step(50)
        simulation.restore(state)
        assert simulation.report.take("approximate-restart")
        for specified, now in zip(state.models, simulation.state().models, strict=True):
            for before, after in zip(specified.links, now.links, strict=True):
                assert np.allclose(before.pose.position, after.pose.position, atol=1e-9)
                assert np.allclose(before.twist.linear, after.twist.linear, atol=1e-6)
                assert np.allclose(before.twist.angular, after.twist.angular, atol=1e-6)


def test_edited_numbers_are_used() -> None:
    simulation = Simulation(one_joint(ossature.model.Revolute()))
    state = simulation.state()
    model = state.models[0]
    joint = replace(model.joints[0], positions=(0.5,))
    edited = replace(state, models=NamedList([replace(model, joints=NamedList([joint]), links=NamedList())]))
    simulation.restore(edited)
    assert "edited" in simulation.report.take("approximate-restart")[0].message
    assert simulation.positions()["m"]["j"] == (0.5,)


def test_a_state_of_another_world_is_refused_with_what_differs() -> None:
    world = one_joint(ossature.model.Revolute())
    state = Simulation(world).state()
    simulation = Simulation(one_joint(ossature.model.Revolute(), damping=1.0))
    with pytest.raises(StateMismatchError, match="model 'm' was another one"):
        simulation.restore(state)
    simulation.restore(state, partial=True)
    assert simulation.report.take("approximate-restart")
    renamed = replace(state, fingerprint=None, models=NamedList([replace(state.models[0], name="n")]))
    with pytest.raises(StateMismatchError, match="there is no model 'n'"):
        simulation.restore(renamed)


def test_a_state_of_other_settings_is_restored_approximately() -> None:
    world = one_joint(ossature.model.Revolute())
    state = Simulation(world).state()
    other = Simulation(world, time_step=0.002)
    other.restore(state)
    assert "time step: 0.001 in the state, 0.002 in the simulation" in other.report.take("approximate-restart")[0].message


@pytest.mark.parametrize("time", [math.nan, math.inf, -math.inf, 1e18, -1e18])
def test_invalid_times_are_refused(time: float) -> None:
    simulation = Simulation(one_joint(ossature.model.Revolute()))
    before = simulation.state()
    with pytest.raises(StateMismatchError, match="is not finite" if not math.isfinite(time) else "time does not advance"):
        simulation.restore(replace(before, time=time))
    assert simulation.state() == before
