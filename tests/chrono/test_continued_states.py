"""A model to which a later state is applied moves on as the model itself, also after it is written as a Chrono file."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from chrono.models import GROUND, body, read, text
from conftest import corpus_folder
from ossature import load
from ossature.conversion import save
from ossature.diagnostics.ledger import Action
from ossature.kinematics import with_initial_positions
from ossature.kinematics.apply_state import UnreachableStateError, apply_state
from ossature.kinematics.forward_kinematics import start_joint
from ossature.kinematics.time_function_evaluation import integral_to, value_at
from ossature.kinematics.time_function_shift import add_constant, begin_at
from ossature.model import (
    ConstantFunction,
    Function,
    LinkState,
    NamedList,
    PolynomialFunction,
    RampFunction,
    RepeatedFunction,
    SineFunction,
    State,
    TableFunction,
    World,
)
from ossature.simulation import Simulation

TIME = 0.5
TOLERANCE = 1e-5
"""Largest deviation after another half second: the integrator starts anew, with errors of second order in its step [m]."""
FUNCTIONS = {
    "constant": "{type: CONSTANT, value: 0.4}",
    "polynomial": "{type: POLYNOMIAL, coefficients: [0.1, 0.3, -0.2, 0.4]}",
    "sine": "{type: SINE, amplitude: 0.3, frequency: 0.7, phase: 0.4, shift: 0.1}",
    "ramp": "{type: RAMP, slope: 0.5, intercept: 0.2}",
    "table": "{type: DATA, data: [[0, 0], [0.3, 0.2], [0.7, -0.1], [2, 0.3]]}",
}
EVERY_FUNCTION: list[Function] = [
    ConstantFunction(value=0.4),
    PolynomialFunction(coefficients=(0.1, 0.3, -0.2, 0.4)),
    PolynomialFunction(coefficients=(0.7,)),
    SineFunction(amplitude=0.3, frequency=0.7, phase=0.4, offset=0.1),
    RampFunction(slope=0.5, intercept=0.2),
    TableFunction(points=((0.0, 0.0), (0.3, 0.2), (0.7, -0.1), (2.0, 0.3))),
    RepeatedFunction(function=RampFunction(slope=0.5), start=0.2, width=0.4, shift=0.1),
]


def positions(state: State) -> np.ndarray:
    return np.array([link.pose.position for model in state.models for link in model.links if link.pose is not None])


def largest_deviation(world: World, continued: World, time: float = TIME) -> float:
    """Return how far the bodies of a World that continues are from those of an uninterrupted run [m]."""
    whole, rest = Simulation(world), Simulation(continued, time_step=world.time_step)
    whole.run(2.0 * time)
    rest.run(time)
    return float(np.abs(positions(whole.state()) - positions(rest.state())).max())


def continued_at(world: World, time: float = TIME) -> World:
    simulation = Simulation(world)
    simulation.run(time)
    return apply_state(world, simulation.state())


def through_chrono(world: World, folder: Path) -> World:
    """Return a World after it is written as a Chrono file without losses."""
    ledger = save(world, folder / "model.yaml")
    lost = [str(entry) for entry in ledger if entry.action in (Action.DROPPED, Action.APPROXIMATED)]
    assert not lost
    again = load(folder / "model.yaml")
    return replace(again, gravity=world.gravity, time_step=world.time_step)


@pytest.mark.parametrize("function", EVERY_FUNCTION, ids=lambda function: type(function).__name__)
def test_functions_begin_later(function: Function) -> None:
    times = np.linspace(0.0, 2.0, 41)
    for start in (0.05, 0.33, 1.7):
        later = begin_at(function, start)
        np.testing.assert_allclose(value_at(later, times + 1e-9), value_at(function, times + start + 1e-9), atol=1e-12)
        expected = integral_to(function, times + start) - integral_to(function, start)
        np.testing.assert_allclose(integral_to(later, times), expected, atol=1e-12)
    np.testing.assert_allclose(value_at(add_constant(function, -0.7), times), value_at(function, times) - 0.7, atol=1e-15)


def motors() -> str:
    guides = [("LINEAR", "guide", name) for name in ("PRISMATIC", "SPHERICAL", "FREE")]
    guides += [("ROTATION", "spindle", name) for name in ("REVOLUTE", "CYLINDRICAL", "FREE")]
    lines = []
    for number, ((kind, key, guide), drive) in enumerate(product(guides, ("POSITION", "SPEED", "FORCE"))):
        function = list(FUNCTIONS.values())[number % len(FUNCTIONS)]
        if drive == "POSITION" and number % len(FUNCTIONS) == 0:
            function = FUNCTIONS["sine"]
        lines.append(
            f"- {{name: m{number}, type: {kind}, body1: b{number}, body2: ground, location: [{number}, 0.1, 0], "
            f"axis: [1, 2, 2], actuation_type: {drive}, {key}: {guide}, actuation_function: {function}}}"
        )
    return "\n".join(lines)


def test_motors_of_all_guides(tmp_path: Path) -> None:
    items = motors()
    bodies = [body(f"b{number}", f"[{number}, 0, 0]") for number in range(len(items.splitlines()))]
    world = replace(read(text(GROUND, *bodies, motors=items)), gravity=(0.0, 0.0, 0.0))
    continued = continued_at(world)
    assert largest_deviation(world, continued) < TOLERANCE
    assert largest_deviation(world, through_chrono(continued, tmp_path)) < TOLERANCE


FOUR_BAR = text(
    GROUND,
    body("crank", "[0, 0, 0.5]"),
    body("coupler", "[1, 0, 1]"),
    body("rocker", "[2, 0, 0.5]"),
    joints="- {name: a, type: REVOLUTE, body1: crank, body2: coupler, location: [0, 0, 1], axis: [0, 1, 0]}\n"
    "- {name: b, type: REVOLUTE, body1: coupler, body2: rocker, location: [2, 0, 1], axis: [0, 1, 0]}\n"
    "- {name: c, type: REVOLUTE, body1: rocker, body2: ground, location: [2, 0, 0], axis: [0, 1, 0]}",
    motors="- {name: m, type: ROTATION, body1: crank, body2: ground, location: [0, 0, 0], axis: [0, 1, 0], "
    f"actuation_type: FORCE, spindle: REVOLUTE, actuation_function: {FUNCTIONS['sine']}}}",
    rsdas="- {name: r, body1: ground, body2: rocker, location: [2, 0, 0], axis: [0, 1, 0], free_angle: 0.2, "
    "spring_coefficient: 5, damping_coefficient: 0.1}",
    body_loads="- {name: push, type: FORCE, body: coupler, load: [1, 0, 0], local_load: true, point: [0, 0, 0.1], "
    f"local_point: true, modulation_function: {FUNCTIONS['ramp']}}}",
)


def test_four_bar_with_motor_and_rotational_spring(tmp_path: Path) -> None:
    world = read(FOUR_BAR)
    continued = continued_at(world)
    assert largest_deviation(world, continued) < TOLERANCE
    assert largest_deviation(world, through_chrono(continued, tmp_path)) < TOLERANCE


@pytest.mark.parametrize("stated", ["a", "b", "c", "ab", "abc"])
def test_velocities_of_some_joints_of_a_loop_do_not_count_twice(stated: str) -> None:
    """The body that closes the loop is simulated as two, which move with different joints."""
    continued = continued_at(read(FOUR_BAR))
    model = next(iter(continued.models))
    velocities = Simulation(continued).velocities()["m"]
    joints = [start_joint(model.joints[name], None, velocities[name]) for name in stated]
    again = Simulation(replace(continued, models=NamedList([replace(model, joints=model.joints.replaced(*joints))])))
    found = again.body_states()["m"]
    for one in model.bodies:
        np.testing.assert_allclose(found[one.name].angular_velocity_body, one.initial_angular_velocity_body, atol=1e-7)


def test_links_without_a_twist_move_with_their_joints() -> None:
    world = read(FOUR_BAR)
    whole = Simulation(world)
    whole.run(TIME)
    state = whole.state()

    def keep(link: LinkState) -> LinkState:
        return link if link.name == "crank" else replace(link, twist=None)

    some = replace(state, models=state.models.map(lambda model: replace(model, links=model.links.map(keep))))
    found = Simulation(apply_state(world, some)).body_states()["m"]
    for name, expected in whole.body_states()["m"].items():
        np.testing.assert_allclose(found[name].angular_velocity_body, expected.angular_velocity_body, atol=1e-6)


BUSHING = text(
    GROUND,
    body("carrier", "[0, 0, 0]"),
    body("b", "[0.5, 0, 0]", "initial_angular_velocity: [0.3, 0.1, 0.2]"),
    joints="- {name: slide, type: PRISMATIC, body1: carrier, body2: ground, location: [0, 0, 0], axis: [0, 1, 0]}\n"
    "- {name: rubber, type: LOCK, body1: b, body2: carrier, location: [0.3, 0, 0], "
    "bushing_data: {stiffness_linear: 1000, damping_linear: 5, stiffness_rotational: 30, damping_rotational: 0.5}}",
    tsdas="- {name: s, body1: ground, body2: b, point1: [0.5, 0, 2], point2: [0.5, 0, 0], free_length: 1.9, "
    "spring_coefficient: 20, damping_coefficient: 1}",
)


def test_displaced_bushings_continue_and_their_preload_is_announced(tmp_path: Path) -> None:
    world = read(BUSHING)
    continued = continued_at(world)
    assert largest_deviation(world, continued) < TOLERANCE
    ledger = save(continued, tmp_path / "model.yaml")
    lost = [entry for entry in ledger if entry.action is Action.DROPPED]
    assert [entry.path for entry in lost] == ["m/rubber.pose2"]
    assert " N and a torque of " in lost[0].detail


def test_springs_without_a_free_length_keep_the_one_of_the_start() -> None:
    world = read(BUSHING)
    model = next(iter(world.models))
    springs = NamedList([replace(model.spring_dampers["s"], free_length=None)])
    free = replace(world, models=NamedList([replace(model, spring_dampers=springs, bushings=NamedList([]))]))
    assert largest_deviation(free, continued_at(free)) < TOLERANCE


def test_distances_are_those_of_the_start() -> None:
    world = read(
        text(
            GROUND,
            body("rod", "[0, 0, -0.5]"),
            body("bob", "[0, 0, -1.5]", "initial_linear_velocity: [1, 0.3, 0]"),
            joints="- {name: hinge, type: REVOLUTE, body1: rod, body2: ground, location: [0, 0, 0], axis: [0, 1, 0]}",
            constraints="- {name: string, type: DISTANCE, body1: rod, body2: bob, point1: [0, 0, -1], point2: [0, 0, -1.5]}",
        )
    )
    assert largest_deviation(world, continued_at(world)) < TOLERANCE


def test_an_angle_whose_revolutions_are_unknown_is_refused() -> None:
    world = read(
        text(
            GROUND,
            body("b", "[0, 0, 0]", "initial_angular_velocity: [0, 0, 20]"),
            rsdas="- {name: r, body1: ground, body2: b, location: [0, 0, 0], axis: [0, 0, 1], free_angle: 0, "
            "spring_coefficient: 1}",
        )
    )
    with pytest.raises(UnreachableStateError, match="'m/r' has an angle whose full revolutions"):
        continued_at(world)


def corpus_models() -> list[Path]:
    folder = corpus_folder()
    if folder is None:
        return []
    found = [
        path
        for name in ("chrono", "chrono-elements", "mechanisms")
        for path in sorted((folder / "corpus" / name).glob("*.yaml"))
    ]
    return [path for path in found if not path.stem.endswith("_sim") and "mbs" not in path.stem]


@pytest.mark.one_in(3)
@pytest.mark.parametrize("path", corpus_models(), ids=lambda path: path.stem)
def test_corpus_models_continue(path: Path) -> None:
    world = load(path)
    assert largest_deviation(world, continued_at(world)) < 2e-4


DISPLACED = text(
    GROUND,
    body("arm", "[0.5, 0, 0]"),
    body("hand", "[1, 0, 0.2]"),
    body("slider", "[1, 0.5, 0]"),
    joints="- {name: pin, type: REVOLUTE, body1: arm, body2: ground, location: [0, 0, 0], axis: [0, 1, 0]}\n"
    "- {name: cross, type: UNIVERSAL, body1: hand, body2: arm, location: [1, 0, 0], axis1: [0, 0, 1], axis2: [0, 1, 0]}",
    motors="- {name: m, type: LINEAR, body1: slider, body2: arm, location: [1, 0.2, 0], axis: [1, 1, 0], "
    f"actuation_type: POSITION, guide: SPHERICAL, actuation_function: {FUNCTIONS['sine']}}}",
    rsdas="- {name: r, body1: ground, body2: arm, location: [0, 0, 0], axis: [0, 1, 0], free_angle: 0.2, "
    "spring_coefficient: 40, damping_coefficient: 0.5}",
    tsdas="- {name: s, body1: arm, body2: slider, point1: [1, 0, 0.3], point2: [1, 0.5, 0.1], free_length: 0.5, "
    "spring_coefficient: 20, damping_coefficient: 1}",
)


def test_initial_positions_of_joints_become_poses_of_a_chrono_file(tmp_path: Path) -> None:
    world = with_initial_positions(read(DISPLACED), {"m": {"pin": [0.4], "cross": [0.3, -0.2]}})
    whole = Simulation(world)
    whole.run(TIME)
    written = Simulation(through_chrono(world, tmp_path), time_step=world.time_step)
    written.run(TIME)
    np.testing.assert_allclose(positions(written.state()), positions(whole.state()), atol=1e-6)
    continued = continued_at(world)
    assert largest_deviation(world, continued) < TOLERANCE
    assert largest_deviation(world, through_chrono(continued, tmp_path)) < TOLERANCE
