"""Position limits: joints that start outside them, and stops that only dissipate energy."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from ossature import model as m
from ossature.checks import check
from ossature.diagnostics import Report, Source
from ossature.formats.skel import read_skel
from ossature.formats.urdf import read_urdf
from ossature.kinematics import fix_bases
from ossature.kinematics.apply_state import apply_state
from ossature.model import Body, Coordinate, DartStepping, Inertial, Joint, Model, NamedList, Range, World
from ossature.simulation import Simulation, SimulationError
from ossature.simulation.compile.integrator_choice import Integrator
from ossature.simulation.stepping.initial_limit_recovery import RETURN_TIME
from ossature.spatial import Pose
from urdf_corpus import urdf_files, urdf_path

INTEGRATORS = {True: Integrator.DISCRETE, False: Integrator.CENTRED}
UNIT = Range(lower=-0.5, upper=0.5)


def chain(seed: int, *, slides: bool, as_dart: bool, speed: float, outside: float = 0.0, gravity: float = 0.0) -> World:
    """Return a chain of four bodies whose joints move at random speeds, or start beyond their limits by random ways."""
    random = np.random.default_rng(seed)
    bodies, joints = [], []
    for number in range(4):
        name, parent = f"b{number}", f"b{number - 1}" if number else None
        axis = random.normal(size=3)
        axis = tuple((axis / np.linalg.norm(axis)).tolist())
        mass = 10.0 ** random.uniform(-1.0, 1.0)
        moment = ((0.01 * mass, 0.0, 0.0), (0.0, 0.012 * mass, 0.0), (0.0, 0.0, 0.009 * mass))
        center = tuple((0.1 * random.normal(size=3)).tolist())
        place = tuple((0.3 * random.normal(size=3) * (number + 1)).tolist())
        bodies.append(Body(name=name, pose=Pose(place), inertial=Inertial(mass=mass, center_of_mass=center, moment=moment)))
        start = 0.4 * random.uniform(-1.0, 1.0)
        if outside:
            start = float(np.sign(start)) * (0.5 + outside * random.uniform())
        coordinate = Coordinate(position_limits=UNIT, initial_position=start, initial_velocity=speed * random.normal())
        kind = m.Prismatic(axis=axis) if slides else m.Revolute(axis=axis)
        joints.append(Joint(name=f"j{number}", type=kind, parent=parent, child=name, coordinates=(coordinate,)))
    model = Model(name="m", bodies=NamedList(bodies), joints=NamedList(joints))
    return World(gravity=(0.0, 0.0, -gravity), hints=(DartStepping(),) if as_dart else (), models=NamedList([model]))


def energies(simulation: Simulation, steps: int) -> np.ndarray:
    found = [sum(simulation.energy())]
    for _ in range(steps):
        simulation.step()
        found.append(sum(simulation.energy()))
    return np.array(found)


def excess(simulation: Simulation) -> float:
    """Return by how much the farthest joint is outside its limits."""
    return max(max(abs(value) - 0.5 for value in values) for values in simulation.positions()["m"].values())


STEPS = list(itertools.product((True, False), (1e-4, 1e-3, 5e-3)))


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("as_dart", "step"), STEPS)
def test_stops_dissipate_the_energy_of_prismatic_joints(as_dart: bool, step: float, report: Report) -> None:
    # Slides have a constant mass matrix: without stops their energy would be constant to rounding with any integrator.
    for seed in range(5):
        world = chain(seed, slides=True, as_dart=as_dart, speed=8.0)
        simulation = Simulation(world, report=report, time_step=step)
        assert simulation.compiled.choice.integrator is INTEGRATORS[as_dart]
        found = energies(simulation, 800 if step < 1e-3 else round(0.3 / step))
        taken = found[0] - np.minimum.accumulate(found)
        # What they bring back after an impact they do with less than a thousandth of what they took from it.
        assert (found[1:] - np.minimum.accumulate(found)[:-1] < 1e-3 * taken[1:] + 1e-9 * found[0]).all()
        assert found[-1] < 0.9 * found[0]
    # Joints that hit their stops in the same step, in which they travel 40 mm, move each other beyond them.
    beyond = report.take("position-limit-exceeded")
    assert not beyond or step == 5e-3


@pytest.mark.parametrize(("as_dart", "step"), STEPS)
def test_stops_dissipate_the_energy_of_hinges(as_dart: bool, step: float, report: Report) -> None:
    # Velocities of hinges are first order in the sample after an impact, and with them the energy.
    for seed in range(3):
        world = chain(seed, slides=False, as_dart=as_dart, speed=4.0)
        found = energies(Simulation(world, report=report, time_step=step), 800 if step < 1e-3 else round(0.3 / step))
        assert np.diff(found).max() < 1.0 * step * found[0]
        assert step < 1e-3 or found[-1] < 0.9 * found[0]


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("as_dart", "step"), list(itertools.product((True, False), (1e-4, 1e-3, 5e-3))))
@pytest.mark.parametrize("slides", [True, False])
def test_a_specified_position_outside_the_limits_returns_slowly(
    as_dart: bool, step: float, slides: bool, report: Report
) -> None:
    world = chain(1, slides=slides, as_dart=as_dart, speed=0.0, outside=0.3)
    simulation = Simulation(world, report=report, time_step=step)
    assert len(report.take("initial-position-outside-limits")) == 4
    assert excess(simulation) > 0.1
    # Each joint is moved at most at the speed of its excess per second, so that all have no more than this energy.
    rates = np.array([abs(one.coordinates[0].initial_position) - 0.5 for one in world.models["m"].joints]) / RETURN_TIME
    steps = round(2.0 * RETURN_TIME / step) if step > 1e-4 else 1000
    fastest = np.zeros(4)
    for _ in range(steps):
        simulation.step()
        fastest = np.maximum(fastest, np.abs(simulation.data.qvel))
    assert (fastest < 2.5 * rates.max()).all()
    if step > 1e-4:
        assert excess(simulation) < 1e-3


def one_joint(**fields: object) -> World:
    inertial = Inertial(mass=1.0, center_of_mass=(0.5, 0.0, 0.0), moment=((0.1, 0.0, 0.0), (0.0, 0.1, 0.0), (0.0, 0.0, 0.1)))
    joint = Joint(
        name="j",
        type=m.Revolute(axis=(0.0, 1.0, 0.0)),
        parent=None,
        child="b",
        coordinates=(replace(Coordinate(position_limits=Range(lower=0.5, upper=1.0)), **fields),),  # type: ignore[arg-type]
    )
    model = Model(name="m", bodies=NamedList([Body(name="b", inertial=inertial)]), joints=NamedList([joint]))
    return World(models=NamedList([model]))


def test_an_unstated_zero_outside_its_limits_is_replaced_by_the_nearest(report: Report) -> None:
    simulation = Simulation(one_joint(), report=report)
    (finding,) = report.take("initial-position-outside-limits")
    assert "0.5" in finding.message
    assert simulation.positions()["m"]["j"] == (0.5,)
    assert [found.message for found in check(one_joint()).take("initial-position-outside-limits")] == [finding.message]
    # Gravity turns it further, within the limits, and never faster than by falling.
    simulation.run(2.0)
    assert simulation.positions()["m"]["j"][0] == pytest.approx(1.0, abs=1e-4)


@pytest.mark.parametrize("start", [{"initial_position": 0.2}, {"states_position": True}])
def test_a_specified_start_is_kept(start: dict[str, object], report: Report) -> None:
    world = one_joint(**start)
    simulation = Simulation(world, report=report)
    (finding,) = report.take("initial-position-outside-limits")
    assert [found.message for found in check(world).take("initial-position-outside-limits")] == [finding.message]
    assert simulation.positions()["m"]["j"] == (start.get("initial_position", 0.0),)


def test_without_limits_nothing_is_moved(report: Report) -> None:
    simulation = Simulation(one_joint(), report=report, enforce_limits=False)
    assert simulation.positions()["m"]["j"] == (0.0,)


def test_a_specified_zero_of_a_skel_file_is_kept(report: Report) -> None:
    text = """<skel version="1.0"><world name="w"><physics><time_step>0.001</time_step><gravity>0 0 -9.81</gravity></physics>
    <skeleton name="m"><body name="b"><transformation>0 0 0 0 0 0</transformation><inertia><mass>1</mass>
    <moment_of_inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz><ixy>0</ixy><ixz>0</ixz><iyz>0</iyz></moment_of_inertia>
    </inertia></body>
    <joint type="revolute" name="j"><parent>world</parent><child>b</child><axis><xyz>0 0 1</xyz>
    <limit><lower>0.5</lower><upper>1</upper></limit></axis>%s</joint></skeleton></world></skel>"""
    for specified, start in (("<init_pos>0</init_pos>", 0.0), ("", 0.5)):
        world = read_skel(Source("f.skel", (text % specified).encode()), report)
        assert world is not None
        assert Simulation(world, report=report).positions()["m"]["j"] == (start,)
        assert report.take("initial-position-outside-limits")


def test_a_moving_stop_is_part_of_a_state(report: Report) -> None:
    world = chain(3, slides=False, as_dart=True, speed=0.0, outside=0.3, gravity=9.81)
    first, second = Simulation(world, report=report), Simulation(world, report=report)
    report.take("initial-position-outside-limits")
    first.step(200)
    state = first.state()
    first.step(300)
    second.restore(state)
    second.step(300)
    assert second.positions() == first.positions()


def test_a_moving_stop_waits_for_a_blocked_joint(report: Report) -> None:
    # A torque that gravity and stop cannot overcome for two seconds, then nothing: the joint must not be thrown.
    world = one_joint(initial_position=0.2, friction=100.0)
    simulation = Simulation(replace(world, gravity=(0.0, 0.0, 0.0)), report=report)
    report.take("initial-position-outside-limits")
    simulation.run(2.0)
    assert abs(simulation.velocities()["m"]["j"][0]) < 0.5


def test_a_joint_that_enters_its_limits_stays_inside(report: Report) -> None:
    """The joint enters its range by its own velocity, long before the stop would, and a spring pulls it back to the stop."""
    world = one_joint(initial_position=0.2, initial_velocity=6.6, stiffness=20.0)
    simulation = Simulation(replace(world, gravity=(0.0, 0.0, 0.0)), report=report)
    report.take("initial-position-outside-limits")
    recording = simulation.run(0.9, sample=0.01)
    angles = np.array([recording.joint_positions("m", "j", number)[0] for number in range(len(recording.times))])
    entered = int(np.argmax(angles > 0.5))
    assert 0 < entered < 30
    assert angles[entered:].max() > 0.6
    assert angles[entered:].min() > 0.5 - 1e-4
    assert angles[-1] < 0.5 + 1e-4


def test_robots_of_the_corpus_start_gently_and_run(corpus: Path) -> None:
    for name in urdf_files():
        report = Report()
        path = urdf_path(corpus, name)
        world = read_urdf(Source(str(path), path.read_bytes()), report)
        if world is None or not any(start.rule.name == "initial-position-outside-limits" for start in check(world)):
            continue
        try:
            simulation = Simulation(fix_bases(world), report=Report())
        except SimulationError as error:
            assert "nonphysical-inertia" in str(error), name  # bodies without mass
            continue
        simulation.step(4)
        # In free fall a joint reaches some 0.1 rad/s in four milliseconds; stops threw arms at 10 to 256 rad/s.
        assert np.abs(simulation.data.qvel).max() < 1.0, name
        simulation.run(0.3)


def test_unenforced_velocity_limits_are_reported(report: Report) -> None:
    world = replace(one_joint(position_limits=Range(), velocity_limits=Range(lower=-0.1, upper=0.1)), gravity=(0.0, 0.0, -9.81))
    simulation = Simulation(world, report=report)
    (finding,) = report.take("unenforced-velocity-limit")
    assert "'j'" in finding.message
    simulation.run(0.3)
    assert abs(simulation.velocities()["m"]["j"][0]) > 0.1


@pytest.mark.parametrize(("as_dart", "step"), STEPS)
def test_a_joint_stops_at_its_limit_without_rebound(as_dart: bool, step: float, report: Report) -> None:
    random = np.random.default_rng(1)
    for kind, mass, speed in itertools.product((m.Revolute, m.Prismatic), (0.1, 10.0), (0.3, 3.0)):
        coordinate = Coordinate(position_limits=Range(upper=random.uniform(5.0, 15.0) * speed * step), initial_velocity=speed)
        joint = Joint(name="j", type=kind(axis=(0.0, 0.0, 1.0)), parent=None, child="b", coordinates=(coordinate,))
        inertia = tuple(tuple(row) for row in (0.1 * mass * np.eye(3)).tolist())
        body = Body(name="b", inertial=Inertial(mass=mass, center_of_mass=(0.3, 0.0, 0.0), moment=inertia))
        model = Model(name="m", bodies=NamedList([body]), joints=NamedList([joint]))
        world = World(gravity=(0.0, 0.0, 0.0), hints=(DartStepping(),) if as_dart else (), models=NamedList([model]))
        simulation = Simulation(world, report=report, time_step=step)
        for _ in range(60):
            simulation.step()
            # In the sample after an impact, velocities of second order are extrapolated from those before and after it.
            assert simulation.velocities()["m"]["j"][0] > -1e-5 * speed
        assert simulation.positions()["m"]["j"][0] == pytest.approx(coordinate.position_limits.upper, abs=1e-4 * speed * step)


def test_impacts_of_other_joints_do_not_carry_one_beyond_its_limits(report: Report) -> None:
    for seed, slides, as_dart in itertools.product(range(4), (True, False), (True, False)):
        world = chain(seed, slides=slides, as_dart=as_dart, speed=4.0, gravity=9.81)
        simulation = Simulation(world, report=report, time_step=1e-3)
        for _ in range(300):
            simulation.step()
            assert excess(simulation) < 1e-4


@pytest.mark.one_in(2)
@pytest.mark.parametrize("step", [1e-4, 1e-3, 5e-3])
@pytest.mark.parametrize("kinds", [("revolute", "prismatic"), ("prismatic",) * 3])
def test_joints_reach_their_limits_as_in_dart(kinds: tuple[str, ...], step: float, tmp_path: Path) -> None:
    dart = pytest.importorskip("dartpy")
    # Axes at right angles: an impact of one joint does not change the velocities of the others, which DART does not expect.
    axes, rates = ("1 0 0", "0 1 0", "0 0 1"), (2.0, -1.3, 0.7)
    parts = ["<skel version='1.0'><world name='w'><physics><time_step>"]
    parts.append(f"{step:g}</time_step><gravity>0 0 0</gravity></physics>")
    parts.append("<skeleton name='m'>")
    for number, kind in enumerate(kinds):
        parent = f"b{number - 1}" if number else "world"
        parts.append(
            f"<body name='b{number}'><inertia><mass>{1.0 + number}</mass></inertia></body>"
            f"<joint type='{kind}' name='j{number}'>"
        )
        parts.append(
            f"<parent>{parent}</parent><child>b{number}</child><axis><xyz>{axes[number]}</xyz><limit><lower>-0.1</lower>"
        )
        parts.append(f"<upper>0.1</upper></limit></axis><init_vel>{rates[number]}</init_vel></joint>")
    text = "".join([*parts, "</skeleton></world></skel>"])
    (tmp_path / "f.skel").write_text(text)
    world = read_skel(Source("f.skel", text.encode()), Report())
    assert world is not None
    simulation, reference = Simulation(world, report=Report()), dart.utils.SkelParser.readWorld(str(tmp_path / "f.skel"))
    skeleton = reference.getSkeleton(0)
    for number in range(skeleton.getNumJoints()):
        skeleton.getJoint(number).setLimitEnforcement(True)
    for _ in range(round(0.25 / step)):
        simulation.step()
        reference.step()
        positions = [value for values in simulation.positions()["m"].values() for value in values]
        assert positions == pytest.approx(skeleton.getPositions(), abs=1e-5)


@pytest.mark.parametrize("as_dart", [True, False])
def test_a_state_beside_a_stop_continues(as_dart: bool, report: Report) -> None:
    for seed in range(3):
        world = chain(seed, slides=True, as_dart=as_dart, speed=4.0)
        simulation = Simulation(world, report=report, time_step=1e-3)
        start = sum(simulation.energy())
        while sum(simulation.energy()) > 0.99 * start:
            simulation.step()
        simulation.step(2)  # after the first impact
        continued = Simulation(apply_state(world, simulation.state()), report=Report(), time_step=1e-3)
        for one in (simulation, continued):
            one.run(0.2)
        expected = simulation.positions()["m"]
        for joint, values in continued.positions()["m"].items():
            assert values == pytest.approx(expected[joint], abs=1e-4)
