"""Loops of every kind of joint, bushings, springs, motors and loads, against laws and against each other."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from chrono.models import GROUND, body, read, text
from ossature.diagnostics import Report
from ossature.kinematics import poses
from ossature.model import NamedList, World
from ossature.simulation import SampledSignal, Simulation, SimulationError
from ossature.simulation.compile.integrator_choice import Integrator
from ossature.spatial import Pose, multiply, rotate

ARM = body("arm", "[0.5, 0, 0]", moments="[0.01, 0.1, 0.1]")
PIN = "- {name: pin, type: REVOLUTE, body1: arm, body2: ground, location: [0, 0, 0], axis: [0, 1, 0]}"


def without_gravity(world: World) -> World:
    return replace(world, gravity=(0.0, 0.0, 0.0))


def end_of(world: World, name: str, duration: float = 1.0, time_step: float = 1e-3) -> Pose:
    simulation = Simulation(world, time_step=time_step)
    simulation.step(round(duration / time_step))
    return simulation.poses()["m"][name]


# Loops

CLOSING = {
    "LOCK": "LOCK",
    "REVOLUTE": "REVOLUTE, axis: [0, 1, 0]",
    "SPHERICAL": "SPHERICAL",
    "UNIVERSAL": "UNIVERSAL, axis1: [0, 1, 0], axis2: [1, 0, 0]",
    "CYLINDRICAL": "CYLINDRICAL, axis: [0, 1, 0]",
    "POINT_LINE": "POINT_LINE, axis: [0, 1, 0]",
}
"""Joints that leave a planar four-bar its motion, or make a pair of bodies one, wherever they close its loop."""


def four_bar(closing: str, *, order: str = "first") -> World:
    thrown = "initial_linear_velocity: [0.5, 0, 0], initial_angular_velocity: [0, 5, 0]"
    bodies = [body("crank", "[0, 0, 0.1]", thrown), body("coupler", "[0.3, 0, 0.35]"), body("rocker", "[0.6, 0, 0.25]")]
    items = [
        "- {name: a, body1: crank, body2: ground, location: [0, 0, 0], type: REVOLUTE, axis: [0, 1, 0]}",
        "- {name: b, body1: crank, body2: coupler, location: [0, 0, 0.2], type: REVOLUTE, axis: [0, 1, 0]}",
        "- {name: d, body1: rocker, body2: ground, location: [0.6, 0, 0], type: REVOLUTE, axis: [0, 1, 0]}",
        f"- {{name: c, body1: coupler, body2: rocker, location: [0.6, 0, 0.5], type: {closing}}}",
    ]
    if order == "last":
        items.reverse()
    return read(text(GROUND, *bodies, joints="\n".join(items)), Report())


@pytest.mark.parametrize("order", ["first", "last"])
@pytest.mark.parametrize("kind", [kind for kind in CLOSING if kind not in ("LOCK", "PRISMATIC")])
def test_a_planar_four_bar_moves_alike_whatever_closes_it(kind: str, order: str) -> None:
    expected = end_of(four_bar(CLOSING["REVOLUTE"]), "rocker", time_step=5e-4)
    found = end_of(four_bar(CLOSING[kind], order=order), "rocker", time_step=5e-4)
    assert np.allclose(found.position, expected.position, atol=2e-5)


def test_a_truss_stands_still() -> None:
    simulation = Simulation(four_bar(CLOSING["LOCK"]))
    before = simulation.poses()["m"]["coupler"]
    simulation.step(500)
    # Locked, coupler and rocker are one body and the linkage a triangle.
    assert np.allclose(simulation.poses()["m"]["coupler"].position, before.position, atol=2e-5)


@pytest.mark.parametrize("factor", [1e-3, 1.0, 1e3])
def test_unlike_masses(factor: float) -> None:
    world = four_bar(CLOSING["SPHERICAL"])
    model = world.models[0]
    heavy = [
        replace(item, inertial=replace(item.inertial, mass=item.inertial.mass * factor)) if item.name == "rocker" else item
        for item in model.bodies
    ]
    simulation = Simulation(replace(world, models=NamedList([replace(model, bodies=NamedList(heavy))])))
    assert simulation.run(0.5, sample=0.1).violation.max() < 2e-5


def test_a_loop_that_floats() -> None:
    """Three rods in a triangle, thrown: it stays a triangle, and its centre of mass flies on."""
    rods = [body(f"r{i}", f"[{i}, {i % 2}, 0]", "initial_linear_velocity: [1, 2, 3]") for i in range(3)]
    corner = "- {{name: j{0}, type: SPHERICAL, body1: r{0}, body2: r{1}, location: [{0}.5, 0.5, 0]}}"
    items = "\n".join(corner.format(i, (i + 1) % 3) for i in range(3))
    world = without_gravity(read(text(*rods, joints=items)))
    simulation = Simulation(world)
    before = np.mean([pose.position for pose in simulation.poses()["m"].values()], axis=0)
    simulation.step(1000)
    after = np.mean([pose.position for pose in simulation.poses()["m"].values()], axis=0)
    assert np.allclose(after - before, (1.0, 2.0, 3.0), atol=1e-6)


def test_loop_joints_tell_their_coordinates() -> None:
    simulation = Simulation(four_bar(CLOSING["REVOLUTE"]))
    ball = Simulation(four_bar(CLOSING["SPHERICAL"]))
    for one in (simulation, ball):
        one.step(300)
    (angle,) = simulation.positions()["m"]["c"]
    (rate,) = simulation.velocities()["m"]["c"]
    assert np.allclose(ball.positions()["m"]["c"], (0.0, angle, 0.0), atol=1e-4)
    assert np.allclose(ball.velocities()["m"]["c"], (0.0, rate, 0.0), atol=1e-3)
    assert abs(angle) > 0.1


def test_bodies_that_do_not_fit_are_moved_together(report: Report) -> None:
    world = four_bar(CLOSING["REVOLUTE"])
    model = world.models[0]
    shift = Pose((0.01, 0.0, 0.0))
    joints = [replace(j, pose=shift @ j.pose) if j.name == "c" else j for j in model.joints]
    bodies = [replace(b, pose=shift @ b.pose) if b.name == "coupler" else b for b in model.bodies]
    moved = replace(model, joints=NamedList(joints), bodies=NamedList(bodies))
    Simulation(replace(world, models=NamedList([moved])), report=report).step(10)
    report.take("initial-assembly-adjusted")
    report.take("initial-assembly-jump")
    report.take("initial-velocity-changed")


def test_bodies_that_only_loops_support_follow_in_poses() -> None:
    """A crank moves a bob on a rod, and a table that slides on a plane of the bob; neither has a joint of the spanning tree."""
    bodies = (GROUND, body("crank", "[0.1, 0, 0]"), body("bob", "[0.2, 0, -1]"), body("table", "[0.5, 0.3, -1]"))
    rod = "- {name: rod, type: DISTANCE, body1: crank, body2: bob, point1: [0.2, 0, 0], point2: [0.2, 0, -1]}"
    joints = (
        "- {name: pin, type: REVOLUTE, body1: crank, body2: ground, location: [0, 0, 0], axis: [0, 1, 0]}\n"
        "- {name: plane, type: POINT_PLANE, body1: table, body2: bob, location: [0.5, 0.3, -1], axis: [0, 0, 1]}"
    )
    world = read(text(*bodies, joints=joints, constraints=rod))
    for angle in (-0.9, 0.4, 1.5):
        placed = poses(world, {"m": {"pin": angle}})["m"]
        tip = placed["crank"].transform((0.1, 0.0, 0.0))
        assert tip == pytest.approx((0.2 * np.cos(angle), 0.0, -0.2 * np.sin(angle)), abs=1e-9)
        assert np.linalg.norm(np.subtract(placed["bob"].position, tip)) == pytest.approx(1.0, abs=1e-8)
        assert (placed["bob"].inverse() @ placed["table"]).position[2] == pytest.approx(0.0, abs=1e-8)


# Constraints that Chrono's own reader leaves out


def test_a_rod_with_a_hinge_and_a_ball() -> None:
    """The rod swings in its plane only: it is a pendulum whose bob may turn as it likes."""
    thread = "- {name: rod, type: DISTANCE, body1: ground, body2: p, point1: [0, 0, 0], point2: [-1, 0, 0]}"
    line = thread.replace("DISTANCE", "REVOLUTE-SPHERICAL").replace("}", ", axis1: [0, 1, 0]}")
    rod, distance = (read(text(GROUND, body("p", "[-1, 0, 0]"), constraints=item)) for item in (line, thread))
    assert np.allclose(end_of(rod, "p").position, end_of(distance, "p").position, atol=2e-5)
    swapped = line.replace("body1: ground, body2: p", "body1: p, body2: ground")
    swapped = swapped.replace("point1: [0, 0, 0], point2: [-1, 0, 0]", "point1: [-1, 0, 0], point2: [0, 0, 0]")
    from_the_bob = read(text(GROUND, body("p", "[-1, 0, 0]"), constraints=swapped))
    assert np.allclose(end_of(from_the_bob, "p").position, end_of(distance, "p").position, atol=2e-5)
    # A push across the plane moves the bob on a thread, and not the one on the rod.
    push = "- {name: push, type: FORCE, body: p, load: [0, 3, 0], local_load: false, point: [0, 0, 0], local_point: true}"
    pushed = read(text(GROUND, body("p", "[-1, 0, 0]"), constraints=line, body_loads=push))
    assert abs(end_of(pushed, "p").position[1]) < 1e-6


def test_a_link_with_a_hinge_and_a_slide() -> None:
    """Two joints and a body of next to no mass in place of the massless link make the same motion."""
    item = (
        "- {name: link, type: REVOLUTE-TRANSLATIONAL, body1: ground, body2: p, point1: [0, 0, 0], point2: [0.5, 0, -1],"
        " axis1: [0, 1, 0], axis2: [1, 0, 0]}"
    )
    bodies = (GROUND, body("p", "[0.5, 0, -1]"))
    light = body("l", "[0, 0, 0]", mass=1e-6, moments="[1e-8, 1e-8, 1e-8]")
    pair = (
        "- {name: hinge, type: REVOLUTE, body1: l, body2: ground, location: [0, 0, 0], axis: [0, 1, 0]}\n"
        "- {name: slide, type: PRISMATIC, body1: p, body2: l, location: [0.5, 0, -1], axis: [1, 0, 0]}"
    )
    link, two = read(text(*bodies, constraints=item)), read(text(*bodies, light, joints=pair))
    assert np.allclose(end_of(link, "p", 0.5, 1e-4).position, end_of(two, "p", 0.5, 1e-4).position, atol=1e-4)


# Bushings


def bushing(kind: str, stiffness: float, damping: float, *, swapped: bool = False, **dof: float) -> World:
    first, second = ("ground", "arm") if swapped else ("arm", "ground")
    free = "".join(f", {name}: {value}" for name, value in dof.items())
    linear = f"stiffness_linear: {stiffness}, damping_linear: {damping}"
    data = f"{linear}, stiffness_rotational: {stiffness / 30}, damping_rotational: {damping / 30}"
    item = f"- {{name: r, type: {kind}, body1: {first}, body2: {second}, location: [0, 0, 0], bushing_data: {{{data}{free}}}}}"
    return read(text(GROUND, ARM, joints=item))


def test_a_stiff_bushing_is_stepped_so_that_it_holds() -> None:
    """7e7 N/m at 1 ms: a cantilever sinks by its weight over its stiffness, and nothing explodes."""
    stiffness = 7e7
    simulation = Simulation(bushing("LOCK", stiffness, 3.5e4))
    assert simulation.compiled.choice.integrator is Integrator.STAGGERED
    simulation.step(2000)
    z = simulation.poses()["m"]["arm"].position[2]
    weight, arm = 9.8, 0.5
    sunk = weight / stiffness + arm * (weight * arm / (stiffness / 30.0))
    assert abs(-z - sunk) < 0.01 * sunk


def test_a_soft_bushing_sinks_by_its_weight() -> None:
    simulation = Simulation(bushing("LOCK", 2000.0, 60.0))
    assert simulation.compiled.choice.integrator is Integrator.CENTRED
    simulation.step(4000)
    force = simulation.elements()["m"]["r"]
    # At rest it carries the weight, and the moment of the weight about its own point.
    assert np.allclose(force["force"], (0.0, 0.0, 9.8), atol=0.05)
    assert force["torque"][1] == pytest.approx(-9.8 * 0.5, rel=0.05)


def test_a_bushing_that_turns_far_is_told(report: Report) -> None:
    Simulation(bushing("LOCK", 10.0, 1.0), report=report).step(400)
    (finding,) = report.take("large-bushing-angle")
    assert "RSDA" in (finding.hint or "")


def test_every_bushing_that_rotates_far_is_reported(report: Report) -> None:
    world = bushing("LOCK", 10.0, 1.0)
    (model,) = world.models
    softer = [replace(each, stiffness=tuple([0.9 * k for k in each.stiffness])) for each in model.bushings]
    other = replace(model, name="other", bushings=NamedList(softer))
    Simulation(replace(world, models=NamedList([model, other])), report=report).step(400)
    assert sorted(finding.path for finding in report.take("large-bushing-angle")) == ["m/r", "other/r"]


@pytest.mark.parametrize("inclination", [math.radians(5.0), math.radians(30.0)])
def test_the_angle_of_a_tilted_rotational_spring_jumps_as_its_rule_states(inclination: float, report: Report) -> None:
    """The wheel turns about an inclined axis: after half a revolution the axis of the spring is tilted by twice as much."""
    rate, stiffness, step = 6.0, 1e-6, 1e-3
    spin = [rate * math.sin(inclination), 0.0, rate * math.cos(inclination)]
    wheel = body("wheel", moments="[0.1, 0.1, 0.1]", more=f"initial_angular_velocity: {spin}")
    items = f"- {{name: s, body1: ground, body2: wheel, axis: [0, 0, 1], free_angle: 0, spring_coefficient: {stiffness}}}"
    simulation = Simulation(without_gravity(read(text(GROUND, wheel, rsdas=items))), report=report, time_step=step)
    torques = []
    for _ in range(600):
        simulation.step()
        torques.append(float(simulation.elements()["m"]["s"]["torque"]))
    jump = np.abs(np.diff(torques)).max() / stiffness - rate * step
    assert jump == pytest.approx(math.tau * (1.0 - math.cos(inclination)), rel=0.05)
    report.take("angle-unwrapped-per-step")
    report.take("tilted-rotational-spring")


@pytest.mark.parametrize("spin", [(0.0, 0.0, 3.0), (0.4, 0.0, 3.0), (0.8, 0.0, 3.0), (3.0, 0.0, 0.0)])
def test_a_rotational_spring_of_bodies_that_rotate_about_another_axis_is_reported(
    spin: tuple[float, float, float], report: Report
) -> None:
    wheel = body("wheel", more=f"initial_angular_velocity: {list(spin)}")
    items = "- {name: s, body1: ground, body2: wheel, axis: [0, 0, 1], free_angle: 0, spring_coefficient: 0}"
    simulation = Simulation(without_gravity(read(text(GROUND, wheel, rsdas=items))), report=report)
    simulation.step(500)
    tilt = math.acos(Rotation.from_rotvec(0.5 * np.array(spin)).apply((0.0, 0.0, 1.0))[2])
    assert bool(report.take("tilted-rotational-spring")) is (tilt > math.radians(10.0))
    report.take("angle-unwrapped-per-step")


# Springs


def spring_world(more: str, *, start: float = 1.0) -> World:
    return read(
        text(
            GROUND,
            body("b", f"[0, 0, {-start}]", mass=2.0),
            joints=f"- {{name: rail, type: PRISMATIC, body1: b, body2: ground, location: [0, 0, {-start}], axis: [0, 0, 1]}}",
            tsdas=f"- {{name: s, body1: ground, body2: b, point1: [0, 0, 0], point2: [0, 0, {-start}], {more}}}",
        ),
        Report(),
    )


@pytest.mark.parametrize(
    ("curve", "linear"),
    [
        ("free_length: 0.9, spring_curve_data: [[-5, -500], [5, 500]]", "free_length: 0.9, spring_coefficient: 100"),
        (
            "free_length: 0.9, spring_coefficient: 100, damping_curve_data: [[-50, -150], [50, 150]]",
            "free_length: 0.9, spring_coefficient: 100, damping_coefficient: 3",
        ),
        (
            "free_length: 0.9, deformation: [-1, 1], map_data: [[-1, -103, 97], [1, -97, 103]]",
            "free_length: 0.9, spring_coefficient: 100, damping_coefficient: 3",
        ),
        ("free_length: 0.9, spring_coefficient: 100, preload: 5", "free_length: 0.95, spring_coefficient: 100"),
    ],
)
def test_straight_curves_are_as_linear_ones(curve: str, linear: str) -> None:
    assert np.allclose(end_of(spring_world(curve), "b").position, end_of(spring_world(linear), "b").position, atol=1e-9)


@pytest.mark.parametrize(
    "more",
    [
        "free_length: 0.9, spring_coefficient: 100, preload: 5",
        "free_length: 0.9, spring_curve_data: [[-1, -200], [-0.1, -5], [0, 0], [0.2, 10], [1, 150]]",
        "free_length: 1, spring_coefficient: 20, minimum_length: 0.8, maximum_length: 1.1",
    ],
)
def test_springs_keep_their_energy(more: str) -> None:
    recording = Simulation(spring_world(more), time_step=1e-4).run(1.0, sample=0.01)
    total = recording.energy.sum(axis=1)
    assert np.ptp(recording.energy[:, 1]) > 1.0
    assert np.ptp(total) < 2e-3 * np.ptp(recording.energy[:, 1])


def test_degressive_damping() -> None:
    simulation = Simulation(spring_world("damping_coefficient: 4, degressivity_compression: 1, degressivity_expansion: 0.5"))
    simulation.step(500)
    rate = -simulation.velocities()["m"]["rail"][0]
    assert simulation.elements()["m"]["s"]["force"] == pytest.approx(-4.0 * rate / (1.0 + 0.5 * rate), rel=1e-6)


def test_hard_stops_throw_a_fast_body_back() -> None:
    """At 16 m/s a step of 1 ms is far too long for the stop; divided steps keep the energy."""
    world = without_gravity(spring_world("free_length: 1, spring_coefficient: 1e-9, minimum_length: 0.2, maximum_length: 2"))
    model = world.models[0]
    thrown = [replace(b, initial_velocity=(0.0, 0.0, -16.0)) if b.name == "b" else b for b in model.bodies]
    simulation = Simulation(replace(world, models=NamedList([replace(model, bodies=NamedList(thrown))])))
    assert "hard stop" in simulation.compiled.choice.reason
    lowest, energies = 0.0, []
    for _ in range(150):
        simulation.step()
        lowest = min(lowest, simulation.positions()["m"]["rail"][0])
        energies.append(simulation.energy()[1])
    assert -1.06 < lowest < -1.04, "52 mm into the stop"
    assert simulation.velocities()["m"]["rail"][0] == pytest.approx(16.0, rel=0.01)


def test_a_rotational_spring_counts_whole_turns() -> None:
    items = "- {name: s, body1: ground, body2: arm, axis: [0, 1, 0], free_angle: 720, spring_coefficient: 2}"
    simulation = Simulation(without_gravity(read(text(GROUND, ARM, joints=PIN, rsdas=items))))
    angles = [simulation.positions()["m"]["pin"][0] for _ in range(60) if simulation.step(50) is None]
    assert max(angles) == pytest.approx(2.0 * 4.0 * np.pi, rel=1e-3), "it swings twice as far as where it is relaxed"


def test_a_rotational_spring_without_a_joint_counts_too(report: Report) -> None:
    world = without_gravity(
        read(
            text(
                GROUND,
                body("wheel", more="initial_angular_velocity: [0, 0, 3]"),
                rsdas="- {name: s, body1: ground, body2: wheel, axis: [0, 0, 1], free_angle: 0, spring_coefficient: 0.001}",
            )
        )
    )
    simulation = Simulation(world, report=report)
    simulation.step(5000)
    report.take("angle-unwrapped-per-step")
    # Energy: half the inertia times the rate squared plus half the stiffness times the angle squared.
    angle = float(simulation.elements()["m"]["s"]["torque"]) / -0.001
    rate = simulation.body_states()["m"]["wheel"].angular_velocity_body[2]
    assert angle > 4.0 * np.pi
    assert 0.05 * rate**2 + 0.0005 * angle**2 == pytest.approx(0.45, rel=1e-4)


def test_a_body_that_cannot_move_does_not_diverge() -> None:
    """A clone of the ground closes the loop, and exceeds all bounds first."""
    joint = "- {name: j, type: POINT_LINE, body1: ground, body2: arm, location: [0.1, 0, 0], axis: [1, 0, 0]}"
    world = read(text(GROUND, body("arm", more="initial_angular_velocity: [1e9, 0, 0]"), joints=joint))
    with pytest.raises(SimulationError, match="body 'm/arm' diverged first"):
        Simulation(world, report=Report()).step(50)


# Motors and loads

DRIVE = (
    "- {{name: drive, type: {}, body1: arm, body2: ground, location: [0, 0, 0], axis: {}, actuation_type: {},"
    " actuation_function: {}{}}}"
)


def driven(kind: str, axis: str, quantity: str, function: str, more: str = "", **lists: str) -> World:
    return read(text(GROUND, ARM, motors=DRIVE.format(kind, axis, quantity, function, more), **lists))


@pytest.mark.parametrize(
    ("kind", "more", "lists"),
    [
        ("ROTATION", "", {}),
        ("ROTATION", ", spindle: FREE", {"joints": PIN}),
        ("ROTATION", "", {"joints": PIN}),
    ],
)
def test_a_driven_turn_follows_its_function(kind: str, more: str, lists: dict[str, str]) -> None:
    """By itself, beside a joint with its axis, and holding what a joint holds already."""
    function = "{type: SINE, amplitude: 0.5, frequency: 0.75}"
    recording = Simulation(driven(kind, "[0, 1, 0]", "POSITION", function, more, **lists)).run(2.0, sample=0.1)
    angle = recording.elements["m"]["drive"]["angle"]
    assert np.abs(angle - 0.5 * np.sin(1.5 * np.pi * recording.times)).max() < 1e-7


@pytest.mark.parametrize("bodies", [("arm", "base"), ("base", "arm")])
def test_a_free_spindle_drives_the_angle_that_remains_beside_a_tilt(bodies: tuple[str, str]) -> None:
    """As in Chrono, the relative quaternion turned back by the angle has no component along the axis.

    The arm swings from a ball joint of a base that turns itself. The reaction of the motor does the work of its torque.
    """
    ball = "- {name: ball, type: SPHERICAL, body1: arm, body2: base, location: [0, 0, 0]}"
    pin = "\n- {name: pin, type: REVOLUTE, body1: base, body2: ground, location: [0, 0, 0], axis: [1, 0.2, 0.1]}"
    motor = (
        f"- {{name: drive, type: ROTATION, spindle: FREE, body1: {bodies[0]}, body2: {bodies[1]}, location: [0.2, 0.1, 0],"
        " axis: [0, 0, 1], actuation_type: POSITION, actuation_function: {type: SINE, amplitude: 0.7, frequency: 0.4}}"
    )
    base = body("base", more="initial_angular_velocity: [0.3, 0, 0]")
    simulation = Simulation(read(text(GROUND, base, ARM, joints=ball + pin, motors=motor)))
    tilts = []
    for _ in range(6):
        simulation.step(100)
        first, second = (simulation.body_states()["m"][name] for name in bodies)
        relative = multiply((second.wxyz[0], *(-one for one in second.wxyz[1:])), first.wxyz)
        angle = 0.7 * np.sin(0.8 * np.pi * simulation.time)
        assert 2.0 * np.arctan2(relative[3], relative[0]) == pytest.approx(angle, abs=1e-5)  # as the loop closes
        tilts.append(2.0 * np.hypot(relative[1], relative[2]))
        spins = [np.array(rotate(one.wxyz, one.angular_velocity_body)) for one in (first, second)]
        drive, reaction = simulation.elements()["m"]["drive"], simulation.reactions()["m"]["drive"]
        assert np.abs(reaction["force"]).max() < 1e-6 * np.abs(reaction["torque"]).max()
        power = float(reaction["torque"] @ (spins[0] - spins[1]))
        assert power == pytest.approx(float(drive["torque"] * drive["rate"]), rel=1e-3)
    assert max(tilts) > 0.5


def test_a_free_guide_leaves_everything_else_free() -> None:
    """Driven up along z by a free guide, the body falls sideways under a push as if nothing held it."""
    push = "- {name: push, type: FORCE, body: arm, load: [0, 2, 0], local_load: false, point: [0, 0, 0], local_point: true}"
    world = driven("LINEAR", "[0, 0, 1]", "POSITION", "{type: RAMP, slope: 1}", ", guide: FREE", body_loads=push)
    simulation = Simulation(world)
    simulation.step(1000)
    x, y, _ = simulation.poses()["m"]["arm"].position
    assert y == pytest.approx(0.5 * 2.0, rel=5e-3)
    assert abs(x - 0.5) < 0.2


def test_a_spherical_guide() -> None:
    """A point of the arm is driven along x, and the arm swings from it."""
    world = driven("LINEAR", "[1, 0, 0]", "POSITION", "{type: SINE, amplitude: 0.3, frequency: 1}", ", guide: SPHERICAL")
    recording = Simulation(world).run(1.0, sample=0.05)
    position = recording.elements["m"]["drive"]["position"]
    assert np.abs(position - 0.3 * np.sin(2.0 * np.pi * recording.times)).max() < 1e-7
    assert recording.positions[:, recording.index.bodies["m"]["arm"].number, 2].min() < -0.1


def test_a_motor_holds_what_statics_says() -> None:
    recording = Simulation(driven("ROTATION", "[0, 1, 0]", "POSITION", "{type: CONSTANT, value: 0}")).run(0.1, sample=0.05)
    assert recording.elements["m"]["drive"]["torque"][-1] == pytest.approx(-9.8 * 0.5, rel=1e-5)


def test_joints_tell_their_reactions() -> None:
    """A beam on a pin and a ball at its ends: each carries half its weight."""
    item = PIN + "\n- {name: end, type: SPHERICAL, body1: arm, body2: ground, location: [1, 0, 0]}"
    reactions = Simulation(read(text(GROUND, ARM, joints=item))).reactions()["m"]
    assert reactions["pin"]["force"][2] == pytest.approx(4.9, rel=1e-4)
    assert reactions["end"]["force"][2] == pytest.approx(4.9, rel=1e-4)


def test_an_outside_program_commands_a_motor_and_a_load() -> None:
    world = driven("ROTATION", "[0, 1, 0]", "SPEED", "{type: CONTROLLER}")
    simulation = Simulation(world)
    simulation.command("m", "drive", 2.0)
    simulation.step(500)
    simulation.command("m", "drive", SampledSignal([0.5, 1.0], [2.0, 0.0]))
    simulation.step(500)
    angle = simulation.elements()["m"]["drive"]["angle"]
    assert angle == pytest.approx(2.0 * 0.5 + 0.5 * 2.0 * 0.5, abs=1e-7)
    thruster = "- {name: t, type: FORCE, body: b, local_load: false, point: [0, 0, 0], local_point: true}"
    flying = Simulation(read(text(GROUND, body("b"), load_controllers=thruster)))
    flying.command("m", "t", lambda time: (0.0, 0.0, 9.8))
    flying.step(500)
    assert flying.poses()["m"]["b"].position[2] == pytest.approx(0.0, abs=1e-9)


def test_a_pendulum_is_balanced_by_a_controller(corpus: object) -> None:
    """State feedback through the load controller of Chrono's own sample keeps its pendulum up."""
    import ossature

    world = ossature.load(str(corpus) + "/corpus/chrono/model_inverted_pendulum_load.yaml")
    name = world.name
    simulation = Simulation(world, report=Report())
    gains = np.array([-3.0, -60.0, -8.0, -20.0])

    def control(time: float) -> tuple[float, float, float]:
        q, v = simulation.positions()[name], simulation.velocities()[name]
        state = (q["prism_joint"][0], q["rev_joint"][0], v["prism_joint"][0], v["rev_joint"][0])
        return (float(-gains @ np.array(state)) + (0.5 if time < 0.1 else 0.0), 0.0, 0.0)

    simulation.command(name, "cart_controller", control)
    simulation.step(1500)
    assert abs(simulation.positions()[name]["rev_joint"][0]) < 0.5


def test_a_motor_between_bodies_that_cannot_move(report: Report) -> None:
    fixed = "    - {name: arm, location: [0.5, 0, 0], fixed: true}"
    item = DRIVE.format("ROTATION", "[0, 1, 0]", "POSITION", "{type: CONSTANT, value: 1}", "")
    Simulation(read(text(GROUND, fixed, motors=item)), report=report).step(10)
    report.take("idle-motor")


def test_a_motor_that_drives_a_fixed_body(report: Report) -> None:
    """A truss with a motor at one of its corners: no joint forbids the motor by itself, all of them do together."""
    world = four_bar(CLOSING["LOCK"])
    item = DRIVE.format("ROTATION", "[0, 1, 0]", "SPEED", "{type: CONSTANT, value: 1}", ", spindle: FREE").replace(
        "arm", "crank"
    )
    motors = read(text(GROUND, body("crank"), motors=item)).models[0].motors
    model = replace(world.models[0], motors=motors)
    Simulation(replace(world, models=NamedList([model])), report=report)
    report.take("conflicting-motors")
    report.take("initial-velocity-changed")


def test_a_motor_that_drives_a_body_whose_loop_depends_on_its_angle_only(report: Report) -> None:
    """The ball at the other end of the arm is fixed, as the motor would move it in each of its rows."""
    ball = "- {name: end, type: SPHERICAL, body1: arm, body2: ground, location: [1, 0.2, 0.3]}"
    world = driven("ROTATION", "[0.1, 1, 0.2]", "SPEED", "{type: CONSTANT, value: 1}", joints=ball)
    simulation = Simulation(world, report=report)
    report.take("conflicting-motors")
    # By the smallest change of velocity the motor and the ball share the difference: 1 rad/s is not reached.
    spin = simulation.body_states()["m"]["arm"].angular_velocity_body
    assert np.linalg.norm(spin) < 0.9


def test_a_rotating_frame_of_a_universal_joint_runs_backwards() -> None:
    """A joint whose child is the ground hangs its parent on it, with the same coordinates."""
    forward, backward = (
        read(
            text(
                GROUND,
                ARM,
                joints=f"- {{name: j, type: UNIVERSAL, body1: {a}, body2: {b}, location: [0, 0, 0], axis1: {x}, axis2: {y}}}",
            )
        )
        for a, b, x, y in (("arm", "ground", "[0, 1, 0]", "[0, 0, 1]"), ("ground", "arm", "[0, 0, 1]", "[0, 1, 0]"))
    )
    one, two = Simulation(forward), Simulation(backward)
    for simulation in (one, two):
        simulation.step(400)
    assert np.allclose(one.poses()["m"]["arm"].position, two.poses()["m"]["arm"].position, atol=1e-9)
    first, second = one.positions()["m"]["j"], two.positions()["m"]["j"]
    assert np.allclose(first, (-second[1], -second[0]), atol=1e-9)


def test_the_force_of_a_bushing_is_in_its_frame_and_its_reaction_in_the_world() -> None:
    data = "{stiffness_linear: 2000, damping_linear: 5, stiffness_rotational: 50, damping_rotational: 1}"
    base = body("base", "[0, 0, 0]", "initial_angular_velocity: [0, 0, 3]")
    pin = "- {name: pin, type: REVOLUTE, body1: base, body2: ground, location: [0, 0, 0], axis: [0, 0, 1]}"
    rubber = f"- {{name: r, type: LOCK, body1: arm, body2: base, location: [0.3, 0, 0], bushing_data: {data}}}"
    simulation = Simulation(read(text(GROUND, base, ARM, joints=f"{pin}\n{rubber}"), Report()))
    simulation.step(400)
    element, reaction = simulation.elements()["m"]["r"], simulation.reactions()["m"]["r"]
    rotation = np.array(simulation.poses()["m"]["base"].matrix())[:3, :3]
    assert abs(rotation[1, 0]) > 0.1
    for quantity in ("force", "torque"):
        assert np.linalg.norm(element[quantity]) > 0.1
        assert np.allclose(rotation @ element[quantity], reaction[quantity], atol=1e-3 * np.linalg.norm(reaction[quantity]))
