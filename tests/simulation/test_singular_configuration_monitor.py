"""Singular configurations of mechanisms in a run: dead centres, change points and limits of a prescribed motion."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

from chrono.models import GROUND, body, read, text
from ossature.diagnostics import Report
from ossature.model import NamedList, RampFunction, World
from ossature.simulation import Simulation, SimulationError
from ossature.simulation.accuracy_results import RunDiagnostics, SingularConfiguration

Point = tuple[float, float]
ORIGIN = (0.0, 0.0)
START = 1.0
"""Angle of the crank at the start [rad]."""
STEP = 1e-3


def bar(name: str, start: Point, end: Point) -> str:
    middle = f"[{0.5 * (start[0] + end[0])!r}, {0.5 * (start[1] + end[1])!r}, 0]"
    return body(name, middle, moments="[0.01, 0.01, 0.01]")


def hinge(name: str, first: str, second: str, at: Point) -> str:
    return (
        f"- {{name: {name}, type: REVOLUTE, body1: {first}, body2: {second}, "
        f"location: [{at[0]!r}, {at[1]!r}, 0], axis: [0, 0, 1]}}"
    )


def crank_motor(speed: float = 1.0) -> str:
    return (
        "- {name: drive, type: ROTATION, spindle: REVOLUTE, body1: crank, body2: ground, location: [0, 0, 0], axis: [0, 0, 1], "
        f"actuation_type: SPEED, actuation_function: {{type: CONSTANT, value: {speed}}}}}"
    )


def mechanism(bars: Mapping[str, tuple[Point, Point]], joints: list[str], motor: str) -> World:
    bodies = [bar(name, *ends) for name, ends in bars.items()]
    return replace(read(text(GROUND, *bodies, joints="\n".join(joints), motors=motor)), gravity=(0.0, 0.0, 0.0))


def on_circle(radius: float, angle: float) -> Point:
    return radius * math.cos(angle), radius * math.sin(angle)


def meeting(first: Point, radius: float, second: Point, other: float) -> Point:
    """Return the point at given distances from two points, to the left of the line from the first to the second."""
    distance = math.dist(first, second)
    along = (radius**2 - other**2 + distance**2) / (2.0 * distance)
    across = math.sqrt(radius**2 - along**2)
    x, y = (second[0] - first[0]) / distance, (second[1] - first[1]) / distance
    return first[0] + along * x - across * y, first[1] + along * y + across * x


def four_bar(crank: float, coupler: float, rocker: float, ground: float, speed: float = 1.0, start: float = START) -> World:
    pin, pivot = on_circle(crank, start), (ground, 0.0)
    joint = meeting(pin, coupler, pivot, rocker)
    bars = {"crank": (ORIGIN, pin), "coupler": (pin, joint), "rocker": (joint, pivot)}
    joints = [
        hinge("a", "coupler", "crank", pin),
        hinge("b", "rocker", "coupler", joint),
        hinge("c", "rocker", "ground", pivot),
    ]
    return mechanism(bars, joints, crank_motor(speed))


def slider_crank(crank: float, rod: float, motor: str, joint: str) -> World:
    pin = on_circle(crank, START)
    wrist = (pin[0] + math.sqrt(rod**2 - pin[1] ** 2), 0.0)
    bars = {"crank": (ORIGIN, pin), "rod": (pin, wrist), "piston": (wrist, wrist)}
    return mechanism(bars, [hinge("pin", "rod", "crank", pin), hinge("wrist", "rod", "piston", wrist), joint], motor)


GUIDE = "- {name: guide, type: PRISMATIC, body1: piston, body2: ground, location: [0, 0, 0], axis: [1, 0, 0]}"


def diagnostics_of(world: World, duration: float) -> RunDiagnostics:
    simulation = Simulation(world, report=Report(), time_step=STEP)
    simulation.run(duration)
    return simulation.diagnostics


def met(world: World, duration: float) -> tuple[SingularConfiguration, ...]:
    return diagnostics_of(world, duration).singular_configurations


def test_a_parallelogram_has_two_change_points() -> None:
    """Its bars are in line whenever the crank is along the ground; each place is reported once."""
    first, second = met(four_bar(1.0, 2.0, 1.0, 2.0), 9.0)
    assert [first.time, second.time] == pytest.approx([math.pi - START, 2.0 * math.pi - START], abs=1e-5)
    for one in (first, second):
        assert {"m/b", "m/c"} <= set(one.joints) and not one.is_limit
        assert one.singular_value < 1e-3 * one.largest_singular_value


@pytest.mark.parametrize("speed", [0.3, -2.0, 7.0])
def test_times_of_change_points_do_not_depend_on_the_speed(speed: float) -> None:
    found = met(four_bar(1.0, 2.0, 1.0, 2.0, speed), 4.0 / abs(speed))
    way = math.pi - START if speed > 0.0 else START
    assert found[0].time == pytest.approx(way / abs(speed), abs=2e-5)


def test_a_change_point_soon_after_a_start_from_rest_is_found() -> None:
    """The first steps, in which nothing moves, do not show how soon the bars are in line."""
    acceleration = 60.0
    world = four_bar(1.0, 2.0, 1.0, 2.0)
    (motor,) = world.models["m"].motors
    faster = replace(motor, function=RampFunction(slope=acceleration))
    model = replace(world.models["m"], motors=NamedList([faster]))
    (found,) = met(replace(world, models=NamedList([model])), 0.3)
    assert found.time == pytest.approx(math.sqrt(2.0 * (math.pi - START) / acceleration), abs=1e-4)


def test_a_slider_crank_of_equal_lengths_has_a_change_point() -> None:
    """If the crank is across the guide, crank and rod coincide."""
    (found,) = met(slider_crank(1.0, 1.0, crank_motor(), GUIDE), 2.0)
    assert found.time == pytest.approx(0.5 * math.pi - START, abs=1e-5)
    assert "m/pin" in found.joints


@pytest.mark.parametrize("lengths", [(1.0, 2.0, 2.0, 2.5), (0.99, 2.0, 1.0, 2.0), (0.999, 2.0, 1.0, 2.0)])
def test_a_four_bar_near_a_change_point_has_none(lengths: tuple[float, float, float, float]) -> None:
    diagnostics = diagnostics_of(four_bar(*lengths), 6.5)
    assert diagnostics.singular_configurations == () and diagnostics.closing_displacement is None


def test_a_driven_crank_passes_the_dead_centres_of_its_piston() -> None:
    """There the crank determines all motion, and nothing is singular."""
    assert met(slider_crank(1.0, 2.0, crank_motor(), GUIDE), 6.5) == ()


def locked(world: World, duration: float, report: Report) -> SingularConfiguration:
    """Return the limit that a run meets, which ends there with all samples kept."""
    simulation = Simulation(world, report=report, time_step=STEP)
    with pytest.raises(SimulationError) as raised:
        simulation.run(duration, 0.01)
    recording = raised.value.recording
    assert recording is not None and recording.diagnostics is not None
    (found,) = recording.diagnostics.singular_configurations
    assert found.is_limit
    assert recording.times[-1] == pytest.approx(found.time, abs=3.0 * STEP)
    assert len(recording.times) >= found.time / 0.01
    (finding,) = report.take("singular-configuration")
    assert "the mechanism locks" in finding.message and f"'{found.joints[0]}'" in finding.message
    assert f"{found.time:.6g} s" in finding.message
    report.take("simulation-diverged")
    report.take("tolerance-not-met")
    return found


def test_a_piston_driven_beyond_its_dead_centre_locks(report: Report) -> None:
    motor = (
        "- {name: drive, type: LINEAR, guide: PRISMATIC, body1: piston, body2: ground, location: [0, 0, 0], axis: [1, 0, 0], "
        "actuation_type: SPEED, actuation_function: {type: CONSTANT, value: 0.5}}"
    )
    world = slider_crank(1.0, 2.0, motor, hinge("main", "crank", "ground", ORIGIN))
    found = locked(world, 2.0, report)
    start = math.cos(START) + math.sqrt(4.0 - math.sin(START) ** 2)
    assert found.time == pytest.approx((3.0 - start) / 0.5, abs=2.0 * STEP)
    assert {"m/pin", "m/main"} <= set(found.joints)


@pytest.mark.parametrize(("speed", "angle"), [(1.0, 1.0), (-1.0, -1.0)])
def test_a_rocker_driven_beyond_its_dead_centre_locks(speed: float, angle: float, report: Report) -> None:
    """A crank of 1.5 on a ground of 2: coupler and rocker of 1 are in line if its pin is 2 from the pivot."""
    found = locked(four_bar(1.5, 1.0, 1.0, 2.0, speed, start=0.8), 2.5, report)
    limit = math.acos((1.5**2 + 2.0**2 - 2.0**2) / (2.0 * 1.5 * 2.0))
    assert found.time == pytest.approx((angle * limit - 0.8) / speed, abs=2.0 * STEP)
    assert "m/b" in found.joints


def test_a_six_bar_that_locks_is_reported_with_joints_and_time(report: Report) -> None:
    """A crank-rocker whose rocker pulls two more bars in line."""
    pivot, anchor, lengths = (2.5, 0.0), (4.5, 1.0), (1.4, 1.5)

    def end_of_rocker(angle: float) -> Point:
        return meeting(on_circle(1.0, angle), 2.0, pivot, 2.0)

    limit = brentq(lambda angle: math.dist(end_of_rocker(angle), anchor) - sum(lengths), START, 3.0, xtol=1e-12)
    pin, joint = on_circle(1.0, START), end_of_rocker(START)
    elbow = meeting(joint, lengths[0], anchor, lengths[1])
    bars = {
        "crank": (ORIGIN, pin),
        "coupler": (pin, joint),
        "rocker": (joint, pivot),
        "upper": (joint, elbow),
        "lower": (elbow, anchor),
    }
    joints = [
        hinge("a", "coupler", "crank", pin),
        hinge("b", "rocker", "coupler", joint),
        hinge("c", "rocker", "ground", pivot),
        hinge("shoulder", "upper", "rocker", joint),
        hinge("elbow", "lower", "upper", elbow),
        hinge("foot", "lower", "ground", anchor),
    ]
    found = locked(mechanism(bars, joints, crank_motor()), 3.0, report)
    assert found.time == pytest.approx(limit - START, abs=2.0 * STEP)
    assert "m/elbow" in found.joints and "m/c" not in found.joints


@pytest.mark.parametrize(("crank", "coupler", "speed"), [(1.0, 1.5, 1.0), (0.3, 2.0, -1.0)])
def test_a_spatial_four_bar_that_locks_is_reported_with_its_time(
    crank: float, coupler: float, speed: float, report: Report
) -> None:
    """The coupler between two balls is shorter or longer than any distance that the rocker's end can have from the pin."""
    start, pivot, rocker = 0.5, (2.0, 0.5, 0.3), 0.8

    def distances(angle: float) -> tuple[float, float]:
        x, y = on_circle(crank, angle)
        along, across = pivot[0] - x, math.hypot(pivot[1] - y, pivot[2])
        return math.hypot(along, across - rocker), math.hypot(along, across + rocker)

    def margin(angle: float) -> float:
        nearest, farthest = distances(angle)
        return min(coupler - nearest, farthest - coupler)

    angles = [start + 1e-2 * speed * number for number in range(400)]
    first = next(number for number, angle in enumerate(angles) if margin(angle) < 0.0)
    limit = brentq(margin, angles[first - 1], angles[first], xtol=1e-12)
    pin = (*on_circle(crank, start), 0.0)

    def end_of_rocker(angle: float) -> tuple[float, float, float]:
        return pivot[0], pivot[1] + rocker * math.cos(angle), pivot[2] + rocker * math.sin(angle)

    lengths = [math.dist(end_of_rocker(1e-2 * number), pin) - coupler for number in range(630)]
    turn = next(number for number in range(629) if lengths[number] * lengths[number + 1] <= 0.0)
    angle = brentq(lambda angle: math.dist(end_of_rocker(angle), pin) - coupler, 1e-2 * turn, 1e-2 * (turn + 1), xtol=1e-14)
    end, origin = end_of_rocker(angle), (0.0, 0.0, 0.0)

    def placed(name: str, first: Sequence[float], second: Sequence[float]) -> str:
        middle = [0.5 * (a + b) for a, b in zip(first, second, strict=True)]
        return body(name, str(middle), moments="[0.01, 0.01, 0.01]")

    bodies = [placed("crank", origin, pin), placed("coupler", pin, end), placed("rocker", end, pivot)]
    joints = [
        f"- {{name: s1, type: SPHERICAL, body1: coupler, body2: crank, location: {list(pin)}}}",
        f"- {{name: s2, type: SPHERICAL, body1: rocker, body2: coupler, location: {list(end)}}}",
        f"- {{name: pivot, type: REVOLUTE, body1: rocker, body2: ground, location: {list(pivot)}, axis: [1, 0, 0]}}",
    ]
    world = read(text(GROUND, *bodies, joints="\n".join(joints), motors=crank_motor(speed)))
    found = locked(replace(world, gravity=(0.0, 0.0, 0.0)), 3.0, report)
    assert found.time == pytest.approx((limit - start) / speed, abs=2.0 * STEP)
    assert "m/pivot" in found.joints


# Dampers


@pytest.mark.parametrize("damping", [30.0, 1e3, 1e4])
def test_a_damper_that_starts_at_its_dead_centre_is_right_or_reported(damping: float) -> None:
    """There its length does not change to first order, so that it is no stiffness for the choice of the integrator."""
    torque, duration = 20.0, 2.0
    pin = hinge("pin", "arm", "ground", ORIGIN)
    damper = (
        "- {name: damper, type: TSDA, body1: ground, body2: arm, point1: [3, 0, 0], point2: [1, 0, 0], free_length: 0, "
        f"spring_coefficient: 0, damping_coefficient: {damping}}}"
    )
    load = f"- {{name: torque, type: TORQUE, body: arm, load: [0, 0, {torque}], local_load: false}}"
    world = replace(
        read(text(GROUND, body("arm", "[0.5, 0, 0]"), joints=pin, tsdas=damper, body_loads=load)), gravity=(0.0, 0.0, 0.0)
    )
    report = Report()
    simulation = Simulation(world, report=report, time_step=STEP)
    simulation.run(duration)

    def rates(_: float, state: tuple[float, float]) -> list[float]:
        angle, speed = state
        lever = 3.0 * math.sin(angle) / math.sqrt(10.0 - 6.0 * math.cos(angle))
        return [speed, (torque - damping * lever**2 * speed) / 0.35]

    expected = solve_ivp(rates, (0.0, duration), [0.0, 0.0], method="Radau", rtol=1e-10, atol=1e-12).y[0, -1]
    error = abs(simulation.positions()["m"]["pin"][0] - float(expected))
    is_reported = bool({"tolerance-not-met", "stiff-configuration"} & {finding.rule.name for finding in report})
    assert error < 1e-3 * duration or is_reported
    assert error < 1e-2
