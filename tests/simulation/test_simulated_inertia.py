"""Inertia tensors at the limit of validity: accepted equally by checks and simulations, and simulated as stated."""

from __future__ import annotations

import itertools

import mujoco
import numpy as np
import pytest
from numpy.typing import NDArray

from ossature import model as m
from ossature.assets import MeshStore
from ossature.checks import check
from ossature.diagnostics import Ledger, Report
from ossature.kinematics.principal_inertia import principal_inertia
from ossature.model import Body, Inertial, Joint, Model, NamedList, World
from ossature.simulation import Simulation
from ossature.simulation.mjcf_export import write_mjcf
from ossature.spatial import Matrix3, Pose

Matrix = NDArray[np.float64]
RNG = np.random.default_rng(7)
PLANAR, ROD, ORDINARY, IMPOSSIBLE = (1.0, 2.0, 3.0), (0.0, 1.0, 1.0), (1.0, 2.0, 2.5), (1.0, 1.0, 5.0)
SCALES = (1e-12, 1e-8, 1e-3, 1.0, 1e6)


def rotation() -> Matrix:
    q, _ = np.linalg.qr(RNG.normal(size=(3, 3)))
    return np.asarray(q * np.sign(np.linalg.det(q)))


def turned(moments: tuple[float, ...]) -> Matrix:
    R = rotation()
    tensor = R @ np.diag(moments) @ R.T
    return np.asarray((tensor + tensor.T) / 2.0)


def rows(tensor: Matrix) -> Matrix3:
    a, b, c = tensor.tolist()
    return (tuple(a), tuple(b), tuple(c))


def free(tensor: Matrix, mass: float = 1.0, **fields: object) -> World:
    body = Body(name="b", inertial=Inertial(mass=mass, moment=rows(tensor)), **fields)  # type: ignore[arg-type]
    return World(gravity=(0.0, 0.0, 0.0), models=NamedList([Model(name="m", bodies=NamedList([body]))]))


def simulated_tensor(simulation: Simulation) -> Matrix:
    model, number = simulation.compiled.model, simulation.compiled.index.body("m", "b").number
    axes = np.zeros(9)
    mujoco.mju_quat2Mat(axes, model.body_iquat[number])
    R = axes.reshape(3, 3)
    return np.asarray(R @ np.diag(model.body_inertia[number]) @ R.T)


def spin_of_euler_equations(tensor: Matrix, spin: Matrix, duration: float, steps: int = 500) -> Matrix:
    """Return the angular velocity in body axes after a duration, by Runge-Kutta steps of I·ω' = (I·ω) × ω."""

    inverse = np.linalg.inv(tensor)

    def rate(w: Matrix) -> Matrix:
        (x, y, z), (a, b, c) = w.tolist(), (tensor @ w).tolist()
        return np.asarray(inverse @ [b * z - c * y, c * x - a * z, a * y - b * x])

    h = duration / steps
    for _ in range(steps):
        a = rate(spin)
        b = rate(spin + h / 2 * a)
        c = rate(spin + h / 2 * b)
        d = rate(spin + h * c)
        spin = spin + h / 6 * (a + 2 * b + 2 * c + d)
    return spin


@pytest.mark.parametrize("scale", SCALES)
def test_planar_tensors_are_simulated_as_specified_in_any_rotation(scale: float, report: Report) -> None:
    for _ in range(60):
        tensor = scale * turned(PLANAR)
        world = free(tensor, mass=scale)
        simulation = Simulation(world, report=report)
        check(world, report=report)
        assert np.abs(simulated_tensor(simulation) - tensor).max() < 1e-14 * scale * 10


@pytest.mark.parametrize(("moments", "scale"), list(itertools.product((PLANAR, ORDINARY), SCALES)))
def test_motion_is_that_of_the_specified_tensor(moments: tuple[float, ...], scale: float, report: Report) -> None:
    tensor, spin = scale * turned(moments), np.array([0.3, 0.7, -0.4])
    world = free(tensor, mass=scale, initial_angular_velocity_body=tuple(spin.tolist()))
    simulation = Simulation(world, report=report, time_step=1e-3)
    simulation.run(1.0)
    ended = simulation.body_states()["m"]["b"].angular_velocity_body
    assert ended == pytest.approx(spin_of_euler_equations(tensor / scale, spin, 1.0), abs=1e-5)


def test_an_impossible_body_changes_no_other(report: Report) -> None:
    # Where one body breaks the triangle inequality, MuJoCo's option for that would even out a flat plate beside it.
    plate, odd = turned(PLANAR), turned(IMPOSSIBLE)
    bodies = [Body(name=name, inertial=Inertial(moment=rows(tensor))) for name, tensor in (("b", plate), ("odd", odd))]
    world = World(gravity=(0.0, 0.0, 0.0), models=NamedList([Model(name="m", bodies=NamedList(bodies))]))
    simulation = Simulation(world, report=report)
    (finding,) = report.take("inertia-violates-triangle-inequality")
    assert finding.path == "m/odd"
    assert "1, 1 and 5" in finding.message
    assert np.abs(simulated_tensor(simulation) - plate).max() < 1e-14
    (found,) = check(world).take("inertia-violates-triangle-inequality")
    assert found.rule is finding.rule


def to_mjcf_text(world: World, report: Report, ledger: Ledger) -> str:
    return write_mjcf(world, ledger, meshes=MeshStore.of(world), report=report)


def test_adjusted_inertias_are_reported_in_mjcf(report: Report) -> None:
    ledger = Ledger()
    to_mjcf_text(free(np.diag(IMPOSSIBLE)), report, ledger)
    assert report.take("inertia-violates-triangle-inequality")
    (entry,) = [entry for entry in ledger if entry.path.endswith("inertial.moment")]
    assert "1, 1 and 5" in str(entry)
    assert "2.33333" in str(entry)
    for _ in range(20):
        ledger = Ledger()
        mujoco.MjModel.from_xml_string(to_mjcf_text(free(turned(PLANAR)), report, ledger))
        assert not [entry for entry in ledger if entry.path.endswith("inertial.moment")]


@pytest.mark.parametrize("scale", SCALES)
def test_a_floating_rod_rotates_as_a_rod(scale: float, report: Report) -> None:
    for _ in range(10):
        tensor = scale * turned(ROD)
        spin = np.cross(np.linalg.eigh(tensor)[1][:, 0], RNG.normal(size=3))  # not about its own line
        world = free(tensor, mass=scale, initial_angular_velocity_body=tuple(spin.tolist()))
        simulation = Simulation(world, report=report, time_step=1e-3)
        (finding,) = report.take("zero-principal-moment")
        assert f"{max(1e-9 * scale, 2e-15):g}" in finding.message
        simulation.run(0.2)
        # A rod turns steadily about what is across it.
        assert simulation.body_states()["m"]["b"].angular_velocity_body == pytest.approx(spin, abs=1e-6)


def pendulum(tensor: Matrix, *, mass: float = 1.0, fixed: Inertial | None = None) -> World:
    """Return a pendulum about x, and a link fixed to it."""
    bodies = [Body(name="b", inertial=Inertial(mass=mass, center_of_mass=(0.0, 0.0, -1.0), moment=rows(tensor)))]
    joints = [Joint(name="j", type=m.Revolute(axis=(1.0, 0.0, 0.0)), parent=None, child="b")]
    if fixed is not None:
        bodies.append(Body(name="f", inertial=fixed))
        joints.append(Joint(name="k", type=m.Fixed(), parent="b", child="f"))
    joints[0] = Joint(
        name="j",
        type=m.Revolute(axis=(1.0, 0.0, 0.0)),
        parent=None,
        child="b",
        coordinates=(m.Coordinate(initial_position=0.3),),
    )
    return World(models=NamedList([Model(name="m", bodies=NamedList(bodies), joints=NamedList(joints))]))


def swing(world: World, report: Report) -> float:
    simulation = Simulation(world, report=report, time_step=1e-3)
    simulation.run(0.5)
    return simulation.positions()["m"]["j"][0]


@pytest.mark.parametrize("moment_x", [0.0, 1.0])
def test_a_pendulum_swings_by_its_moment_about_the_hinge(moment_x: float, report: Report) -> None:
    angle, rate, h = 0.3, 0.0, 1e-4
    for _ in range(5000):  # the mathematical pendulum, by leapfrog steps
        rate -= h * 9.81 * np.sin(angle + 0.5 * h * rate) / (1.0 + moment_x)
        angle += h * rate
    assert swing(pendulum(np.diag((moment_x, 0.0, 0.0))), report) == pytest.approx(angle, abs=2e-3)
    report.take("inertia-violates-triangle-inequality")


@pytest.mark.parametrize(
    "moment",
    [
        np.diag((-4e-24, 0.0, 1e-9)),
        np.diag((-4e-24, 1e-9, 1e-9)),
        np.outer((1e-4, 2e-4, 3e-4), (1e-4, 2e-4, 3e-4)),
        np.zeros((3, 3)),
    ],
)
@pytest.mark.parametrize("mass", [0.0, 1e-20, 0.01])
def test_a_fixed_link_never_stops_a_robot(moment: Matrix, mass: float, report: Report) -> None:
    world = pendulum(np.eye(3), fixed=Inertial(mass=mass, moment=rows(moment)))
    swing(world, report)
    report.take("inertia-violates-triangle-inequality")
    errors = [finding for finding in check(world) if finding.rule.severity.value == "error"]
    assert not errors


@pytest.mark.parametrize(
    ("inertial", "left_out"),
    [
        (Inertial(mass=0.5, moment=((-1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))), "its moments"),
        (Inertial(mass=-0.5, moment=((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))), "its mass and moments"),
        (Inertial(mass=0.5, moment=((float("nan"), 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))), "its moments"),
    ],
)
def test_a_nonphysical_inertia_of_a_fixed_link_is_ignored(inertial: Inertial, left_out: str, report: Report) -> None:
    swing(pendulum(np.eye(3), fixed=inertial), report)
    (finding,) = report.take("invalid-inertia-of-fixed-body")
    assert left_out in finding.message
    assert finding.path == "m/f"


def test_a_joint_that_moves_no_inertia_keeps_its_position(report: Report) -> None:
    bodies = [Body(name="b", inertial=Inertial(mass=1.0, moment=rows(np.zeros((3, 3)))))]
    coordinate = m.Coordinate(initial_position=0.3)
    joints = [Joint(name="spin", type=m.Revolute(), parent=None, child="b", coordinates=(coordinate,))]
    world = World(models=NamedList([Model(name="m", bodies=NamedList(bodies), joints=NamedList(joints))]))
    simulation = Simulation(world, report=report)
    simulation.run(0.5)
    (finding,) = report.take("motion-without-inertia")
    assert "spin" in finding.message
    assert simulation.positions()["m"]["spin"] == (0.3,)


def double_pendulum(*, tip: bool, inertial: Inertial) -> World:
    """Return a pendulum of two bodies, which may carry two massless bodies at joints."""
    bodies = [Body(name=name, inertial=inertial) for name in ("upper", "lower")]
    joints = [
        Joint(name="first", type=m.Revolute(axis=(0.0, 1.0, 0.0)), parent=None, child="upper"),
        Joint(name="second", type=m.Revolute(axis=(1.0, 0.0, 0.0)), parent="upper", child="lower", pose=Pose((0.1, 0.2, 0.9))),
    ]
    if tip:
        massless = Inertial(mass=0.0, moment=rows(np.zeros((3, 3))))
        bodies += [Body(name=name, inertial=massless, pose=Pose((0.0, 0.3, 0.0))) for name in ("wrist", "tip")]
        joints += [
            Joint(name="third", type=m.Revolute(axis=(0.0, 0.0, 1.0)), parent="lower", child="wrist"),
            Joint(name="fourth", type=m.Prismatic(axis=(1.0, 0.0, 0.0)), parent="wrist", child="tip"),
        ]
    return World(models=NamedList([Model(name="m", bodies=NamedList(bodies), joints=NamedList(joints))]))


def test_massless_tips_change_no_motion(report: Report) -> None:
    inertial = Inertial(mass=2.0, center_of_mass=(0.3, 0.1, 0.2), moment=rows(turned(ORDINARY)))
    plain = Simulation(double_pendulum(tip=False, inertial=inertial), report=report)
    tipped = Simulation(double_pendulum(tip=True, inertial=inertial), report=report)
    plain.run(0.5)
    tipped.run(0.5)
    (finding,) = report.take("motion-without-inertia")
    assert "third" in finding.message
    assert "fourth" in finding.message
    expected, found = plain.positions()["m"], tipped.positions()["m"]
    assert abs(expected["first"][0]) > 0.1
    for name, values in expected.items():
        assert found[name] == pytest.approx(values, abs=1e-4)  # the armature is 1e-6 of the inertia


def test_a_negative_moment_that_no_joint_moves_changes_nothing(report: Report) -> None:
    motions = []
    for across in (0.2, -0.2):
        moment = np.diag([across, 0.3, 0.4])
        inertial = Inertial(mass=1.0, center_of_mass=(0.2, 0.0, 0.1), moment=rows(moment))
        body = Body(name="b", inertial=inertial)
        joint = Joint(name="j", type=m.Revolute(axis=(0.0, 1.0, 0.0)), parent=None, child="b")
        world = World(models=NamedList([Model(name="m", bodies=NamedList([body]), joints=NamedList([joint]))]))
        simulation = Simulation(world, report=report)
        simulation.run(0.5)
        motions.append(simulation.positions()["m"]["j"])
    assert report.take("inertia-not-positive-definite")
    assert motions[0] == pytest.approx(motions[1], rel=1e-12)


def test_principal_axes_reproduce_the_tensor() -> None:
    for scale in 10.0 ** np.arange(-300, 300, 50):
        tensor = scale * turned(ORDINARY)
        inertia = principal_inertia(tensor)
        assert inertia is not None
        R = inertia.axes
        assert np.linalg.det(R) == pytest.approx(1.0)
        assert np.abs(R @ np.diag(inertia.moments) @ R.T - tensor).max() < 1e-14 * scale
