"""Integration against independent integrators: fast tops, stiff elements, hard stops, singular positions, and reports."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

import ossature
from chrono.models import GROUND, body, read, text
from chrono.stiff_models import SQUEEZER_AT_30_MS, Governor, Stops, Top, quarter_car, squeezer
from conftest import PROJECT
from ossature.diagnostics import Report
from ossature.model import Inertial, NamedList, World
from ossature.simulation import Simulation

STEP = 1e-3


def sampled(simulation: Simulation, duration: float, place: Callable[[Simulation], object], every: int = 10) -> np.ndarray:
    """Return places at the start and after every so many steps of 1 ms."""
    places = [place(simulation)]
    for _ in range(round(duration / simulation.time_step) // every):
        simulation.step(every)
        places.append(place(simulation))
    return np.array(places)


def times(duration: float) -> np.ndarray:
    return np.linspace(0.0, duration, round(duration / (10 * STEP)) + 1)


def farthest(found: np.ndarray, expected: np.ndarray) -> float:
    return float(np.linalg.norm(found - expected, axis=1).max())


def tip(simulation: Simulation) -> tuple[float, ...]:
    return simulation.poses()["m"]["top"].transform((0.0, 0.0, 0.1))


# Fast spinning bodies


@pytest.mark.parametrize(
    "top",
    [Top(100.0), Top(200.0), Top(500.0), Top(100.0, axial=0.0008, transverse=0.0005, tilt=0.7), Top(30.0, tilt=1.2)],
    ids=["100 rad/s", "200 rad/s", "500 rad/s", "slender", "slow"],
)
def test_a_top_precesses_and_nods(top: Top) -> None:
    """Within a tenth of what a reviewer asked for, 1 mm, and without a gain of energy."""
    simulation = Simulation(top.world())
    before = sum(simulation.energy())
    found = sampled(simulation, 0.5, tip)
    assert farthest(found, top.axis(times(0.5))) < 3e-4
    assert abs(sum(simulation.energy()) - before) < 1e-4 * before


def test_a_tumbling_body_of_any_moments_stays_within_the_tolerance() -> None:
    """Against Euler's equations with constant angular momentum, by an independent integrator: rad in one second."""
    rng = np.random.default_rng(5)
    for _ in range(6):
        moments = np.sort(np.exp(rng.uniform(-3.5, 0.0, 3)))
        moments[2] = min(moments[2], 0.95 * (moments[0] + moments[1]))
        axes = Rotation.random(random_state=rng).as_matrix()
        tensor = axes @ np.diag(moments) @ axes.T
        direction = rng.normal(size=3)
        spin = rng.choice([10.0, 20.0, 50.0]) * direction / np.linalg.norm(direction)
        rigid = body("tumbling", more=f"initial_angular_velocity: {spin.tolist()}")
        world = replace(read(text(rigid)), gravity=(0.0, 0.0, 0.0))
        model = world.models["m"]
        tumbling = replace(model.bodies["tumbling"], inertial=Inertial(mass=1.0, moment=tuple(map(tuple, tensor.tolist()))))
        simulation = Simulation(replace(world, models=NamedList([replace(model, bodies=NamedList([tumbling]))])))
        simulation.step(1000)
        found = Rotation.from_quat(np.roll(simulation.body_states()["m"]["tumbling"].wxyz, -1))
        assert (found * attitude_of_free_body(tensor, spin, 1.0).inv()).magnitude() < 1e-3


def attitude_of_free_body(tensor: np.ndarray, spin: np.ndarray, duration: float) -> Rotation:
    momentum = tensor @ spin

    def rate(_: float, xyzw: np.ndarray) -> np.ndarray:
        matrix = Rotation.from_quat(xyzw).as_matrix()
        x, y, z = matrix @ np.linalg.solve(tensor, matrix.T @ momentum)
        a, b, c, w = xyzw
        return 0.5 * np.array([x * w + y * c - z * b, y * w + z * a - x * c, z * w + x * b - y * a, -x * a - y * b - z * c])

    attitudes = solve_ivp(rate, (0.0, duration), [0.0, 0.0, 0.0, 1.0], "DOP853", rtol=1e-10, atol=1e-11).y
    return Rotation.from_quat(attitudes[:, -1])


def test_a_body_on_a_stiff_bushing_is_rarely_divided(corpus: Path) -> None:
    """Its place is right to a tenth of the tolerance; it swings about the axis of its largest moment."""
    path = corpus / "corpus" / "chrono" / "model_bushing.yaml"
    simulation, fine = (Simulation(ossature.load(path), time_step=step) for step in (STEP, 0.1 * STEP))
    places = [
        sampled(one, 0.5, lambda one: one.poses()["Bushing example"]["body"].position, every)
        for one, every in ((simulation, 10), (fine, 100))
    ]
    assert simulation.engine.stepper.sub_steps.record.steps < 100
    assert farthest(*places) < 2e-4


def test_velocity_dependent_forces_are_second_order_with_a_small_constant() -> None:
    """Without sub-steps the corrected midpoint alone: a quarter of the error by half the step, and stable at 500 rad/s."""
    top = Top(100.0)
    errors = [
        farthest(sampled(Simulation(top.world(), time_step=step, tolerance=1e9), 0.4, tip, every), top.axis(times(0.4)))
        for step, every in ((1e-3, 10), (5e-4, 20))
    ]
    assert errors[0] < 3e-3
    assert errors[1] < 0.3 * errors[0]
    fast = Simulation(Top(500.0).world(), tolerance=1e9)
    assert farthest(sampled(fast, 0.4, tip), Top(500.0).axis(times(0.4))) < 1e-2


# Stiff models


@pytest.mark.parametrize(
    "governor", [Governor(), Governor(damping=100.0), Governor(damping=0.0)], ids=["damped", "less", "not"]
)
def test_a_governor_with_stiff_links(governor: Governor) -> None:
    simulation = Simulation(governor.world())
    found = sampled(simulation, 0.5, lambda s: s.poses()["m"]["sleeve"].position[2:])
    assert farthest(found, governor.sleeve_height(times(0.5))) < 1e-4
    assert simulation.integration.order == 2
    assert simulation.integration.least_sub_steps == (32 if governor.damping > 1e4 else 1)


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("stiffness", "damping"), [(5e6, 500.0), (2e7, 2e3)])
def test_a_car_on_stiff_bushings(stiffness: float, damping: float) -> None:
    def places(simulation: Simulation) -> list[float]:
        return [x for name in ("chassis", "carrier", "lower", "upper") for x in simulation.poses()["m"][name].position]

    world = quarter_car(stiffness, damping)
    fine, finer = (sampled(Simulation(world, time_step=step), 0.3, places, every) for step, every in ((1e-4, 100), (5e-5, 200)))
    found = sampled(Simulation(world), 0.3, places)
    assert farthest(found, finer + (finer - fine) / 3.0) < 2e-5


@pytest.mark.one_in(2)
@pytest.mark.parametrize("speed", [2.0, 5.0, 12.0])
def test_bodies_between_stops_without_damping(speed: float) -> None:
    stops = Stops(speed)
    simulation = Simulation(stops.world())
    before = sum(simulation.energy())
    found = sampled(simulation, 0.5, lambda s: [s.poses()["m"][name].position[0] for name in "ab"])
    assert farthest(found, stops.places(times(0.5))) < 2e-4
    assert abs(sum(simulation.energy()) - before) < 1e-3 * before


def test_what_no_division_makes_stable_is_stepped_implicitly_and_said() -> None:
    simulation = Simulation(quarter_car(2e6, 1e6))
    assert (simulation.integration.name, simulation.integration.order) == ("staggered-euler", 1)
    assert "bushing 'bush_" in simulation.integration.reason
    assert "too stiff for second order with 64 sub-steps" in str(simulation.integration)


# Singular positions, and errors that are estimated


def test_the_squeezer_comes_out_right_at_one_millisecond() -> None:
    """Andrews' mechanism turns 2.5 times within 30 steps; without sub-steps it ends with its loops open."""
    simulation = Simulation(squeezer())
    before = sum(simulation.energy())
    recording = simulation.run(0.03, sample=STEP)
    positions = simulation.positions()["m"]
    turned = positions["k1_ground"][0]
    assert turned - 0.06171389 == pytest.approx(SQUEEZER_AT_30_MS["beta"], abs=5e-3)
    assert positions["k3_ground"][0] + 0.455279819 == pytest.approx(SQUEEZER_AT_30_MS["gamma"], abs=1e-4)
    assert positions["k5_ground"][0] + 0.487364980 == pytest.approx(SQUEEZER_AT_30_MS["delta"], abs=1e-4)
    assert recording.violation[1:].max() < 1e-5
    assert sum(simulation.energy()) - before == pytest.approx(0.033 * turned, abs=1e-5)


def test_the_squeezer_without_sub_steps_is_reported(report: Report) -> None:
    Simulation(squeezer(), report=report, sub_steps=False).step(10)
    (finding,) = report.take("tolerance-not-met")
    assert "allow sub-steps" in (finding.hint or "")
    assert "with 1 sub-step" in finding.message
    assert report.take("loop-residual-exceeded")


def test_a_toggle_press_passes_its_dead_centre(corpus: Path) -> None:
    data = json.loads((corpus / "corpus" / "mechanisms" / "toggle.json").read_text())["trajectory"]
    simulation = Simulation(ossature.load(corpus / "corpus" / "mechanisms" / "toggle_sim.yaml"), report=Report())
    for sample in data[1:]:
        simulation.step(round(sample["t"] / STEP) - round(simulation.time / STEP))
        (bodies,) = simulation.poses().values()
        ram = sample["bodies"]["ram"]["com"]
        assert np.linalg.norm(np.subtract(bodies["ram"].position, ram)) < 2e-5


@pytest.mark.parametrize("tolerance", [1e-3, 1e-4, 1e-5])
def test_a_smaller_tolerance_makes_a_smaller_error(tolerance: float) -> None:
    """A pendulum of 5 Hz on a spring: its error per second is that of the tolerance, or less."""
    world = read(
        text(
            GROUND,
            body("b", "[0, 0, 1]", "initial_linear_velocity: [0, 0, 1]"),
            joints="- {name: rail, type: PRISMATIC, body1: b, body2: ground, location: [0, 0, 1], axis: [0, 0, 1]}",
            tsdas="- {name: s, body1: ground, body2: b, point1: [0, 0, 0], point2: [0, 0, 1], free_length: 1, "
            "spring_coefficient: 40000}",
        ),
        Report(),
    )
    simulation = Simulation(world, tolerance=tolerance)
    lengths = sampled(simulation, 1.0, lambda s: s.positions()["m"]["rail"][:1])
    sag, pace = 9.8 / 4e4, 200.0
    expected = -sag + sag * np.cos(pace * times(1.0)) + np.sin(pace * times(1.0)) / pace
    assert float(np.abs(lengths[:, 0] - expected).max()) < tolerance
    assert simulation.integration.most_sub_steps > 1
    assert 0.0 < (simulation.integration.largest_error or 0.0) <= tolerance


def test_a_jump_of_a_velocity_is_no_error(corpus: Path, report: Report) -> None:
    """Motors whose functions jump: no sub-step resolves that, the steps are accepted, and nothing is reported."""
    simulation = Simulation(ossature.load(corpus / "corpus" / "mechanisms" / "motors_sim.yaml"), report=report)
    simulation.step(2000)
    report.take("initial-assembly-adjusted")
    assert simulation.integration.most_sub_steps <= 128


# Restart


WATCHED: dict[str, Callable[[], World]] = {
    "top": lambda: Top(200.0).world(),
    "governor": lambda: Governor().world(),
    "stops": lambda: Stops(5.0).world(),
    "car": lambda: quarter_car(),
    "squeezer": squeezer,
}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", WATCHED)
@pytest.mark.parametrize("taken", [3, 9])
def test_divided_steps_go_on_exactly(name: str, taken: int) -> None:
    """After a restart, in portions, and with looks at forces between them."""
    world = WATCHED[name]()
    whole, second, portions = Simulation(world), Simulation(world), Simulation(world)
    whole.step(taken)
    second.restore(whole.state())
    more = 3 if name == "squeezer" else 15
    whole.step(more)
    second.step(more)
    for _ in range(taken + more):
        portions.step()
        portions.reactions()
    for other in (second, portions):
        assert np.array_equal(whole.data.qpos, other.data.qpos)
        assert np.array_equal(whole.data.qvel, other.data.qvel)
        assert whole.time == other.time


# Choosing


def test_an_integrator_may_be_asked_for() -> None:
    world = Top(100.0).world()
    for name in ("semi-implicit-euler", "implicit", "leapfrog", "staggered-euler"):
        simulation = Simulation(world, integrator=name)
        simulation.step(10)
        assert simulation.integration.name == name
        assert "as specified" in simulation.integration.reason
    with pytest.raises(ValueError, match="rk4"):
        Simulation(world, integrator="rk4")
    with pytest.raises(ValueError, match="tolerance"):
        Simulation(world, tolerance=0.0)
    with pytest.raises(ValueError, match="sub-steps"):
        Simulation(world, tolerance=1e-3, sub_steps=False)


def test_a_tree_for_dart_is_stepped_as_dart_does_unless_asked(corpus: Path) -> None:
    """Second order is an option: the end of a chain converges with the square of the step."""
    world = ossature.load(corpus / "corpus" / "skel" / "test" / "single_pendulum_ball_joint.skel")
    assert Simulation(world).integration.name == "semi-implicit-euler"
    ends = {}
    for step in (2e-3, 1e-3, 5e-4, 2.5e-4):
        simulation = Simulation(world, time_step=step, integrator="leapfrog", tolerance=1e9, report=Report())
        simulation.step(round(0.4 / step))
        ends[step] = np.array([pose.position for bodies in simulation.poses().values() for pose in bodies.values()])
    truth = ends[2.5e-4] + (ends[2.5e-4] - ends[5e-4]) / 3.0
    coarse, fine = (float(np.abs(ends[step] - truth).max()) for step in (2e-3, 1e-3))
    assert coarse > 0.0
    assert fine < 0.3 * coarse


def test_a_stiff_model_without_sub_steps_is_reported_as_unstable(report: Report) -> None:
    simulation = Simulation(Governor().world(), integrator="leapfrog", sub_steps=False, report=report)
    (finding,) = report.take("unstable-step")
    assert "link_" in finding.message
    assert simulation.integration.order == 2


def sliding_body(force: float, speed: float, start: float) -> World:
    rail = "- {name: rail, type: PRISMATIC, body1: b, body2: ground, location: [1, 0, 0], axis: [1, 0, 0]}"
    ends = "body1: ground, body2: b, point1: [0, 0, 0], point2: [1, 0, 0]"
    curve = f"[[-{speed}, -{force}], [{speed}, {force}]]"
    springs = (
        f"- {{name: spring, {ends}, free_length: 1, spring_coefficient: 100}}\n"
        f"- {{name: friction, {ends}, damping_curve_data: {curve}}}"
    )
    moving = body("b", "[1, 0, 0]", f"initial_linear_velocity: [{start}, 0, 0]")
    return replace(read(text(GROUND, moving, joints=rail, tsdas=springs)), gravity=(3.0, 0.0, 0.0))


@cache
def exact_slide(force: float, speed: float, start: float) -> float:
    def rates(_: float, state: tuple[float, float]) -> list[float]:
        friction = force * min(max(float(state[1]) / speed, -1.0), 1.0)
        return [state[1], 3.0 - 100.0 * state[0] - friction]

    found = solve_ivp(rates, (0.0, 0.3), [0.0, start], method="Radau", rtol=1e-9, atol=1e-12, max_step=1e-3)
    return float(found.y[0, -1])


@pytest.mark.one_in(3)
@pytest.mark.parametrize("integrator", ["staggered-euler", "implicit", "semi-implicit-euler"])
@pytest.mark.parametrize(
    ("force", "speed", "allowed"),
    [(20.0, 0.1, 2e-5), (20.0, 0.03, 2e-5), (20.0, 0.015, 2e-5), (20.0, 8e-3, None), (20.0, 1e-4, None), (1000.0, 1e-6, None)],
)
def test_a_steep_damping_curve_is_reported_with_integrators_of_first_order(
    integrator: str, force: float, speed: float, allowed: float | None, report: Report
) -> None:
    simulation = Simulation(sliding_body(force, speed, 0.0), report=report, integrator=integrator)
    simulation.run(0.3)
    error = abs(simulation.positions()["m"]["rail"][0] - exact_slide(force, speed, 0.0))
    if allowed is None:
        (finding,) = report.take("unstable-step")
        assert "the law of spring-damper 'friction' is too stiff for one step" in finding.message
        assert error > 2e-4
    else:
        assert error < allowed


@pytest.mark.one_in(2)
@pytest.mark.parametrize("start", [0.0, 1.0])
@pytest.mark.parametrize(
    ("force", "speed", "allowed", "is_stable"),
    [(20.0, 1e-4, 1e-6, True), (1000.0, 1e-6, 3e-5, False), (5.0, 1e-6, 3e-5, False)],
)
def test_friction_as_a_steep_damping_curve(
    force: float, speed: float, allowed: float, is_stable: bool, start: float, report: Report
) -> None:
    """Curves are explicit in each integrator, so that only sub-steps make them accurate."""
    exact = exact_slide(force, speed, start)
    simulation = Simulation(sliding_body(force, speed, start), report=report)
    simulation.run(0.3)
    assert simulation.positions()["m"]["rail"][0] == pytest.approx(exact, abs=allowed)
    assert bool(report.take("unstable-step")) is not is_stable
    report.take("stiff-configuration")
    report.take("energy-gained")


def test_estimated_errors_name_elements_of_the_file() -> None:
    """The joint of the motor is in the engine a joint of a copy of the crank, with a name that no file has."""
    simulation = Simulation(ossature.load(PROJECT / "examples" / "slider_crank.yaml"))
    simulation.run(0.1)
    assert "per second (body 'slider crank/crank', " in str(simulation.integration)
