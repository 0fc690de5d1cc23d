"""Coupled joints: residuals of their formulas, and transmission of forces and energy."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from ossature.diagnostics import Report
from ossature.model import (
    Actuation,
    Body,
    Compound,
    Coordinate,
    Coupling,
    DartStepping,
    Expression,
    Fixed,
    Inertial,
    Joint,
    JointPosition,
    JointType,
    Model,
    NamedList,
    Prismatic,
    Range,
    Revolute,
    Screw,
    Spherical,
    Universal,
    World,
)
from ossature.model.joint import X_AXIS, Y_AXIS, Z_AXIS, Axis
from ossature.simulation import Simulation, SimulationError
from ossature.spatial import Pose
from random_expressions import line, of

MOMENT = ((0.02, 0.0, 0.0), (0.0, 0.02, 0.0), (0.0, 0.0, 0.02))
GRAVITY = 9.81


def at(joint: str, coordinate: int = 0) -> JointPosition:
    return JointPosition(joint=joint, coordinate=coordinate)


A, B, C = at("a"), at("b"), at("c")


class Pendulum:
    """A body on a joint of the world, or of another pendulum."""

    def __init__(
        self,
        name: str,
        follows: Expression | None = None,
        *,
        type: JointType | None = None,
        mass: float = 1.0,
        length: float = 0.5,
        parent: str | None = None,
        actuation: Actuation = Actuation.FORCE,
        **fields: float | Range,
    ) -> None:
        formula = None if follows is None else Coupling(position=follows)
        self.mass, self.length = mass, length
        inertial = Inertial(mass=mass, center_of_mass=(0.0, 0.0, -length), moment=MOMENT)
        self.body = Body(name=f"{name} body", inertial=inertial)
        type = type if type is not None else Revolute(axis=Y_AXIS)
        count = type.degrees_of_freedom
        coordinates = (Coordinate(coupling=formula, **fields), *[Coordinate()] * (count - 1))  # type: ignore[arg-type]
        carrier = None if parent is None else f"{parent} body"
        self.joint = Joint(
            name=name, type=type, parent=carrier, child=self.body.name, coordinates=coordinates, actuation=actuation
        )

    @property
    def moment(self) -> float:
        return 0.02 + self.mass * self.length**2


def world_of(*pendulums: Pendulum, **fields: object) -> World:
    bodies, joints = [p.body for p in pendulums], [p.joint for p in pendulums]
    return replace(World(models=NamedList([Model(name="m", bodies=NamedList(bodies), joints=NamedList(joints))])), **fields)  # type: ignore[arg-type]


def weightless(*pendulums: Pendulum) -> World:
    return world_of(*pendulums, gravity=(0.0, 0.0, 0.0))


def place(simulation: Simulation, joint: str) -> float:
    return simulation.positions()["m"][joint][0]


def largest_error(simulation: Simulation, error: Callable[[], float], duration: float = 1.0, looks: int = 50) -> float:
    """The largest error of a formula on the way."""
    largest = abs(error())
    for _ in range(looks):
        simulation.step(round(duration / looks / simulation.time_step))
        largest = max(largest, abs(error()))
    return largest


# Two pendulums that are one


def pair(follows: Expression, time_step: float) -> tuple[Simulation, Pendulum, Pendulum]:
    first = Pendulum("a", initial_position=0.8)
    second = Pendulum("b", follows, mass=2.0, length=0.35)
    return Simulation(world_of(first, second), time_step=time_step), first, second


Function = Callable[[float], float]


def reduced(first: Pendulum, second: Pendulum, f: Function, df: Function, ddf: Function, duration: float) -> float:
    """Where the first pendulum is after a while: from the equation of motion of both in its coordinate alone."""

    def rates(time: float, state: Sequence[float]) -> list[float]:
        q, v = state
        slope, bend = df(q), ddf(q)
        weight = -first.mass * GRAVITY * first.length * math.sin(q)
        weight -= second.mass * GRAVITY * second.length * math.sin(f(q)) * slope
        return [v, (weight - second.moment * slope * bend * v**2) / (first.moment + second.moment * slope**2)]

    return float(solve_ivp(rates, (0.0, duration), [0.8, 0.0], rtol=1e-12, atol=1e-13).y[0, -1])


FORMULAS: dict[str, tuple[Expression, Function, Function, Function]] = {
    "twice": (of("multiply", 2.0, A), lambda q: 2.0 * q, lambda q: 2.0, lambda q: 0.0),
    "sine": (
        of("multiply", 2.0, of("sine", A)),
        lambda q: 2 * math.sin(q),
        lambda q: 2 * math.cos(q),
        lambda q: -2 * math.sin(q),
    ),
    "square": (of("power", A, 2.0), lambda q: q**2, lambda q: 2.0 * q, lambda q: 2.0),
}


@pytest.mark.parametrize("name", FORMULAS)
def test_a_coupled_pair_satisfies_its_reduced_equation_of_motion(name: str) -> None:
    follows, f, df, ddf = FORMULAS[name]
    errors = []
    for time_step in (2e-3, 5e-4):
        simulation, first, second = pair(follows, time_step)
        simulation.run(2.0)
        errors.append(abs(place(simulation, "a") - reduced(first, second, f, df, ddf, 2.0)))
    assert errors[0] < 1e-4
    assert errors[1] < errors[0] / 12.0  # of second order: a step of a quarter, a sixteenth of the error


@pytest.mark.parametrize("name", FORMULAS)
def test_a_coupled_pair_keeps_its_energy(name: str) -> None:
    swings = []
    for time_step in (1e-3, 5e-4):
        simulation, _, _ = pair(FORMULAS[name][0], time_step)
        start = sum(simulation.energy())
        early = largest_error(simulation, lambda s=simulation, e=start: sum(s.energy()) - e, 2.0)  # type: ignore[misc]
        late = largest_error(simulation, lambda s=simulation, e=start: sum(s.energy()) - e, 2.0)  # type: ignore[misc]
        assert late < 1.5 * early  # it swings, and does not drift
        swings.append(early)
    assert swings[0] < 3e-4
    assert swings[1] < swings[0] / 3.5


@pytest.mark.parametrize(("time_step", "limit"), [(1e-3, 1e-9), (1e-4, 1e-11)])
def test_a_linear_formula_holds(time_step: float, limit: float) -> None:
    simulation, _, _ = pair(FORMULAS["twice"][0], time_step)
    assert largest_error(simulation, lambda: place(simulation, "b") - 2.0 * place(simulation, "a")) < limit


@pytest.mark.parametrize("name", ["sine", "square"])
def test_the_residual_of_a_nonlinear_formula_decreases_with_the_step(name: str) -> None:
    follows, f, _, _ = FORMULAS[name]
    errors = []
    for time_step in (1e-3, 2.5e-4):
        simulation, _, _ = pair(follows, time_step)
        errors.append(largest_error(simulation, lambda s=simulation: place(s, "b") - f(place(s, "a"))))  # type: ignore[misc]
    assert errors[0] < 1e-8
    assert errors[1] < errors[0] / 8.0


@pytest.mark.parametrize("name", FORMULAS)
def test_formulas_with_the_integrator_of_dart(name: str) -> None:
    follows, f, _, _ = FORMULAS[name]
    world = world_of(Pendulum("a", initial_position=0.8), Pendulum("b", follows), hints=(DartStepping(),))
    simulation = Simulation(world)
    assert simulation.compiled.choice.integrator == "semi-implicit-euler"
    assert largest_error(simulation, lambda: place(simulation, "b") - f(place(simulation, "a"))) < 1e-8


@pytest.mark.parametrize(
    ("follows", "value", "limit"),
    [
        (of("add", of("multiply", 0.5, A), of("multiply", -2.0, B), 0.1), lambda a, b: 0.5 * a - 2.0 * b + 0.1, 3e-9),
        (of("add", of("multiply", A, B), of("sine", B)), lambda a, b: a * b + math.sin(b), 1e-7),
        (of("arc_tangent_2", of("sine", A), of("subtract", 2.0, B)), lambda a, b: math.atan2(math.sin(a), 2.0 - b), 1e-7),
    ],
)
def test_several_sources(follows: Expression, value: Callable[[float, float], float], limit: float) -> None:
    pendulums = [Pendulum("a", initial_position=0.8), Pendulum("b", initial_position=-0.5, length=0.3), Pendulum("c", follows)]
    simulation = Simulation(world_of(*pendulums))
    start = sum(simulation.energy())

    def error() -> float:
        return place(simulation, "c") - value(place(simulation, "a"), place(simulation, "b"))

    assert largest_error(simulation, error) < limit
    assert sum(simulation.energy()) == pytest.approx(start, abs=1e-3)


def test_chains_of_coupled_joints() -> None:
    pendulums = [Pendulum("c", line(B, -2.0, 0.1)), Pendulum("b", of("sine", A)), Pendulum("a", initial_position=0.8)]
    simulation = Simulation(world_of(*pendulums))
    simulation.run(1.0)
    assert place(simulation, "b") == pytest.approx(math.sin(place(simulation, "a")), abs=1e-8)
    assert place(simulation, "c") == pytest.approx(0.1 - 2.0 * place(simulation, "b"), abs=1e-9)


def test_a_coupled_joint_on_its_source() -> None:
    arm = Pendulum("a", initial_position=0.8)
    hand = Pendulum("b", line(A, -1.0), parent="a")
    simulation = Simulation(world_of(arm, hand))
    # The second body keeps its orientation, and so acts like a point mass on the joint of the arm.
    simulation.run(1.0)
    assert place(simulation, "a") + place(simulation, "b") == pytest.approx(0.0, abs=1e-9)
    state = simulation.body_states()["m"]["b body"]
    assert state.wxyz == pytest.approx((1.0, 0.0, 0.0, 0.0), abs=1e-9)


# Forces


def test_force_and_inertia_pass_through_a_linear_formula() -> None:
    first, second = Pendulum("a"), Pendulum("b", line(A, 3.0), mass=2.0)
    simulation = Simulation(weightless(first, second))
    simulation.command("m", "a", 0.7)
    simulation.command("m", "b", 0.2)
    simulation.run(0.5)
    acceleration = (0.7 + 3.0 * 0.2) / (first.moment + 9.0 * second.moment)
    assert place(simulation, "a") == pytest.approx(0.5 * acceleration * 0.25, rel=1e-6)


def test_a_rack_and_its_pinion() -> None:
    """The weight of a falling rack turns a wheel: m g = (m + I / r²) a."""
    wheel = Pendulum("a", length=0.0)
    rack = Pendulum("b", line(A, 0.05), type=Prismatic(axis=(0.0, 0.0, -1.0)))
    simulation = Simulation(world_of(wheel, rack))
    simulation.run(0.5)
    acceleration = GRAVITY / (1.0 + 0.02 / 0.05**2)
    assert place(simulation, "b") == pytest.approx(0.5 * acceleration * 0.25, rel=1e-6)


def test_a_limit_of_a_coupled_joint_stops_its_source() -> None:
    stopped = Pendulum("b", line(A, 2.0), position_limits=Range(lower=-0.5, upper=0.5), length=0.0)
    simulation = Simulation(weightless(Pendulum("a", initial_velocity=1.0, damping=0.5), stopped))
    simulation.run(2.0)
    assert place(simulation, "a") < 0.26


@pytest.mark.parametrize("actuation", [Actuation.VELOCITY, Actuation.SERVO])
@pytest.mark.parametrize(("factor", "excess"), [(2.0, 1.5), (0.5, None)])
def test_a_commanded_velocity_that_moves_a_coupled_joint_beyond_its_limit_is_reported(
    factor: float, excess: float | None, actuation: Actuation, report: Report
) -> None:
    """After a second at 1 rad/s the formula leads to ``factor`` rad; the limit is 0.5 rad."""
    world = weightless(Pendulum("a"), Pendulum("b", line(A, factor), position_limits=Range(lower=-0.5, upper=0.5)))
    model = world.models[0]
    driven = replace(model.joints["a"], actuation=actuation)
    world = replace(world, models=NamedList([replace(model, joints=model.joints.replaced(driven))]))
    simulation = Simulation(world, report=report)
    simulation.command(model.name, "a", 1.0)
    for _ in range(4):
        simulation.run(0.25)
    found = report.take("position-limit-exceeded")
    assert len(found) == (excess is not None)
    if excess is not None:
        assert found[0].path == f"{model.name}/b"
        assert float(found[0].message.split(" is ")[1].split()[0]) == pytest.approx(excess, rel=0.02)


def test_no_excess_of_a_stopped_coupled_joint_is_reported(report: Report) -> None:
    stopped = Pendulum("b", line(A, 2.0), position_limits=Range(lower=-0.5, upper=0.5), length=0.0)
    Simulation(weightless(Pendulum("a", initial_velocity=1.0), stopped), report=report).run(1.0)
    assert not report


# Other joints


@pytest.mark.parametrize(
    ("type", "source"),
    [
        (Screw(axis=Z_AXIS, pitch=0.2), "screw"),
        (Universal(axis1=X_AXIS, axis2=Y_AXIS), "universal"),
        (Compound(axes=(Axis(direction=Y_AXIS), Axis(direction=X_AXIS, is_revolute=False))), "compound"),
    ],
)
def test_coordinates_of_other_joints(type: JointType, source: str) -> None:
    first = Pendulum("a", type=type, initial_position=0.4)
    simulation = Simulation(world_of(first, Pendulum("b", line(A, 1.5))))
    assert largest_error(simulation, lambda: place(simulation, "b") - 1.5 * place(simulation, "a")) < 1e-8
    moved = Pendulum("a", line(B, 0.5), type=type)
    simulation = Simulation(world_of(moved, Pendulum("b", initial_position=0.8)))
    assert largest_error(simulation, lambda: place(simulation, "a") - 0.5 * place(simulation, "b")) < 1e-8


def test_coupled_axes_of_a_universal_joint() -> None:
    pendulum = Pendulum("a", type=Universal(axis1=X_AXIS, axis2=Y_AXIS), initial_position=0.6)
    second = Coordinate(coupling=Coupling(position=line(A, 0.5)))
    joint = replace(pendulum.joint, coordinates=(pendulum.joint.coordinates[0], second))
    pendulum.joint = joint
    simulation = Simulation(world_of(pendulum))
    simulation.run(1.0)
    x, y = simulation.positions()["m"]["a"]
    assert y == pytest.approx(0.5 * x, abs=1e-9)


def test_a_joint_that_the_spanning_tree_reverses() -> None:
    """The parent of the joint is fixed to the world, not its child, so that the engine has the joint reversed."""
    held = Joint(name="held", type=Fixed(), parent=None, child="b body")
    first = Pendulum("a", type=Universal(axis1=X_AXIS, axis2=Y_AXIS), initial_position=0.6)
    first.joint = replace(
        first.joint,
        parent="a body",
        child="b body",
        coordinates=(first.joint.coordinates[0], Coordinate(coupling=Coupling(position=line(A, 0.5)))),
    )
    world = world_of(first, Pendulum("b"))
    model = replace(world.models[0], joints=NamedList([held, first.joint]))
    simulation = Simulation(replace(world, models=NamedList([model])))
    simulation.run(1.0)
    x, y = simulation.positions()["m"]["a"]
    assert abs(x) > 0.01
    assert y == pytest.approx(0.5 * x, abs=1e-9)


# What stays, and what is driven


def test_a_locked_source_locks_its_coupled_joint() -> None:
    simulation = Simulation(
        world_of(Pendulum("a", actuation=Actuation.LOCKED, initial_position=0.4), Pendulum("b", line(A, 2.0)))
    )
    simulation.run(0.5)
    assert place(simulation, "b") == pytest.approx(0.8, abs=3e-9)


@pytest.mark.parametrize("follows", [line(A, 2.0), of("sine", A)])
def test_a_locked_coupled_joint_locks_its_source(follows: Expression) -> None:
    locked = Pendulum("b", follows, actuation=Actuation.LOCKED)
    simulation = Simulation(world_of(Pendulum("a", initial_position=0.4), locked))
    simulation.run(0.5)
    assert place(simulation, "a") == pytest.approx(0.4, abs=1e-9)


@pytest.mark.parametrize(("follows", "value"), [(line(A, 2.0), lambda a: 2.0 * a), (of("sine", A), math.sin)])
def test_a_driven_source_moves_its_coupled_joint(follows: Expression, value: Function) -> None:
    simulation = Simulation(world_of(Pendulum("a", actuation=Actuation.VELOCITY), Pendulum("b", follows)))
    simulation.command("m", "a", 1.5)
    simulation.run(1.0)
    assert place(simulation, "a") == pytest.approx(1.5, abs=1e-8)
    assert place(simulation, "b") == pytest.approx(value(1.5), abs=1e-7)


def test_a_driven_coupled_joint_moves_its_source() -> None:
    simulation = Simulation(world_of(Pendulum("a"), Pendulum("b", line(A, 2.0), actuation=Actuation.VELOCITY)))
    simulation.command("m", "b", 1.0)
    simulation.run(1.0)
    assert place(simulation, "a") == pytest.approx(0.5, abs=1e-7)


def test_a_formula_without_sources() -> None:
    simulation = Simulation(world_of(Pendulum("a", of("add", 0.25, 0.5))))
    simulation.run(0.5)
    assert place(simulation, "a") == pytest.approx(0.75, abs=3e-9)


def test_overconstrained_couplings_are_reported(report: Report) -> None:
    locked = Pendulum("a", actuation=Actuation.LOCKED, initial_position=0.4)
    driven = Pendulum("b", line(A, 2.0), actuation=Actuation.VELOCITY)
    Simulation(world_of(locked, driven), report=report)
    (finding,) = report.take("overconstrained-coupling")
    assert "b = 2 * a + 0" in finding.message
    assert finding.path == "m/b"
    through = [locked, Pendulum("c", line(A, 1.0)), Pendulum("b", line(C, 1.0), actuation=Actuation.ACCELERATION)]
    Simulation(world_of(*through), report=report)
    assert len(report.take("overconstrained-coupling")) == 1
    Simulation(world_of(locked, Pendulum("b", line(A, 2.0), actuation=Actuation.LOCKED)), report=report)


# The start


def test_coupled_joints_start_at_the_values_of_their_formulas() -> None:
    source = Pendulum("a", initial_position=0.5, initial_velocity=2.0)
    simulation = Simulation(world_of(source, Pendulum("b", of("power", A, 2.0), initial_position=7.0)))
    assert place(simulation, "b") == 0.25
    assert simulation.velocities()["m"]["b"][0] == pytest.approx(2.0, abs=1e-2)
    assert simulation.world.models[0].joints["b"].initial_positions == (7.0,)


def test_coupled_joints_of_a_static_model() -> None:
    world = world_of(Pendulum("a", initial_position=0.5), Pendulum("b", line(A, 2.0)))
    world = replace(world, models=NamedList([replace(world.models[0], static=True)]))
    simulation = Simulation(world)
    w, _, y, _ = simulation.poses()["m"]["b body"].wxyz
    assert 2.0 * math.atan2(y, w) == pytest.approx(1.0, abs=1e-12)


def test_a_loop_with_coupled_joints_closes() -> None:
    """A four-bar linkage that is open at the start, with a pointer that follows its crank."""
    crank = Pendulum("a", initial_position=0.5)
    rocker = Pendulum("c", initial_position=0.3)
    rocker.body = replace(rocker.body, pose=Pose((1.0, 0.0, 0.0)))
    rod = Body(
        name="rod", pose=Pose((0.0, 0.0, -0.5)), inertial=Inertial(mass=0.5, center_of_mass=(0.5, 0.0, 0.0), moment=MOMENT)
    )
    links = [
        Joint(name="upper pin", type=Revolute(axis=Y_AXIS), parent="a body", child="rod"),
        Joint(name="lower pin", type=Spherical(), parent="c body", child="rod", pose=Pose((1.0, 0.0, 0.0))),
    ]
    pointer = Pendulum("b", of("sine", A))
    world = world_of(crank, rocker, pointer)
    model = world.models[0]
    model = replace(model, bodies=NamedList([*model.bodies, rod]), joints=NamedList([*model.joints, *links]))
    report = Report()
    simulation = Simulation(replace(world, models=NamedList([model])), report=report)
    assert {finding.rule.name for finding in report} == {"initial-assembly-jump"}
    assert place(simulation, "b") == pytest.approx(math.sin(place(simulation, "a")), abs=1e-12)
    recording = simulation.run(0.5, sample=0.1)
    assert place(simulation, "b") == pytest.approx(math.sin(place(simulation, "a")), abs=1e-7)
    assert recording.violation.max() < 1e-4


# Looking and stopping


def test_number_of_steps_per_call_and_observation_do_not_matter() -> None:
    follows = of("multiply", A, of("sine", B))
    pendulums = [Pendulum("a", initial_position=0.8), Pendulum("b", initial_position=0.3), Pendulum("c", follows)]
    through, portions = Simulation(world_of(*pendulums)), Simulation(world_of(*pendulums))
    through.step(300)
    for count in (1, 99, 200):
        portions.step(count)
        portions.reactions()
        portions.energy()
    np.testing.assert_array_equal(through.data.qpos, portions.data.qpos)
    np.testing.assert_array_equal(through.data.qvel, portions.data.qvel)


def test_a_formula_without_a_value_ends_the_simulation() -> None:
    simulation = Simulation(world_of(Pendulum("a", initial_position=0.8), Pendulum("b", of("root", A, 2.0))))
    with pytest.raises(SimulationError, match=r"b = root\(a, 2\) has no value at about"):
        simulation.run(2.0)


@pytest.mark.parametrize(
    ("pendulums", "rule", "says"),
    [
        ([Pendulum("a", line(B, 1.0)), Pendulum("b", line(A, 1.0))], "unsolvable-coupling", "cyclic coupling: a → b → a"),
        ([Pendulum("a", line(C, 1.0))], "unsolvable-coupling", "joint 'c', which does not exist"),
        ([Pendulum("a"), Pendulum("b", of("divide", 1.0, A))], "unsolvable-coupling", "has no value at a = 0"),
        (
            [Pendulum("a", type=Spherical()), Pendulum("b", line(A, 1.0))],
            "unsupported-coupling",
            "'a' is a coordinate of a spherical joint",
        ),
        (
            [Pendulum("a", line(B, 1.0), type=Spherical()), Pendulum("b")],
            "unsupported-coupling",
            "'a' is a coordinate of a spherical joint",
        ),
    ],
)
def test_unsupported_couplings_are_reported(pendulums: list[Pendulum], rule: str, says: str) -> None:
    with pytest.raises(SimulationError) as caught:
        Simulation(world_of(*pendulums))
    (finding,) = caught.value.report.take(rule)
    assert says in finding.message
    assert finding.path.startswith("m/")
