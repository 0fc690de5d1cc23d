"""Dynamics of grasps: relative pose, momentum at grasp and release, and collisions."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from growth import is_growth_below
from ossature.assets import MeshStore
from ossature.checks.context import CheckContext
from ossature.checks.invalid_grasp import check as check_grasps
from ossature.diagnostics import Report
from ossature.kinematics import GraspError, add_grasp, grasped_bodies
from ossature.model import (
    ActiveGrasp,
    Actuation,
    Body,
    BodyPath,
    Box,
    Collision,
    Coordinate,
    DartStepping,
    Fixed,
    Floating,
    Grasp,
    Inertial,
    Joint,
    Model,
    NamedList,
    Range,
    Revolute,
    Sphere,
    World,
)
from ossature.simulation import CollisionQuery, Recording, Simulation
from ossature.simulation.compile.grasp_attachment import plan_grasps
from ossature.spatial import Pose, quaternion_from_rotation_vector

HAND, CUP = BodyPath(model="arm", body="hand"), BodyPath(model="cup", body="cup")
AT = Pose((2.05, 0.01, 0.02), quaternion_from_rotation_vector((0.1, 0.2, 0.3)))
MOVING = (Coordinate(initial_velocity=1.0),)


def rod(mass: float) -> Inertial:
    """Return the inertia of a rod of one metre along x."""
    across = mass / 12.0
    return Inertial(mass=mass, center_of_mass=(0.5, 0.0, 0.0), moment=((mass / 600.0, 0, 0), (0, across, 0), (0, 0, across)))


def ball(mass: float) -> Inertial:
    moment = 0.4 * mass * 0.05**2
    return Inertial(mass=mass, moment=((moment, 0, 0), (0, moment, 0), (0, 0, moment)))


def arm(stiffness: float = 0.0, actuation: Actuation = Actuation.FORCE, effort: float = math.inf) -> Model:
    """Return a double pendulum of two links of one metre along x, which swings down and about."""
    bodies = [
        Body(name="base"),
        Body(name="upper", inertial=rod(2.0)),
        Body(name="hand", pose=Pose((1.0, 0.0, 0.0)), inertial=rod(1.0)),
    ]
    shoulder = Coordinate(stiffness=stiffness, initial_velocity=1.0)
    elbow = Coordinate(effort_limits=Range(lower=-effort, upper=effort))
    joints = [
        Joint(name="ground", type=Fixed(), parent=None, child="base"),
        Joint(name="shoulder", type=Revolute(axis=(0.0, 1.0, 0.0)), parent="base", child="upper", coordinates=(shoulder,)),
        Joint(
            name="elbow",
            type=Revolute(axis=(0.0, 0.6, 0.8)),
            parent="upper",
            child="hand",
            coordinates=(elbow,),
            actuation=actuation,
        ),
    ]
    return Model(name="arm", bodies=NamedList(bodies), joints=NamedList(joints))


def cup(mass: float = 0.3, pose: Pose = AT, **fields: object) -> Model:
    return Model(name="cup", bodies=NamedList([Body(name="cup", pose=pose, inertial=ball(mass))]), **fields)  # type: ignore[arg-type]


def slips(recording: Recording) -> float:
    """Return the largest displacement [m] or rotation [rad] of the cup relative to the hand."""
    inside = []
    for sample in range(len(recording.times)):
        hand, thing = recording.body("arm", "hand", sample), recording.body("cup", "cup", sample)
        inside.append((Pose(hand.position, hand.wxyz).inverse() @ Pose(thing.position, thing.wxyz)).matrix())
    return float(np.abs(np.array(inside) - inside[0]).max())


INTEGRATORS = {
    "semi-implicit-euler": ({"hints": (DartStepping(),)}, arm()),
    "leapfrog": ({}, arm()),
    "staggered-euler": ({}, arm(stiffness=1e16)),
    "implicit": ({}, arm(actuation=Actuation.SERVO, effort=5.0)),
}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("mass", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_a_grasped_body_does_not_move_relative_to_the_gripper(integrator: str, mass: float) -> None:
    """Ten seconds, light and heavy bodies, all integrators, grasped initially or during the run."""
    fields, model = INTEGRATORS[integrator]
    world = World(models=NamedList([model, cup(mass)]), **fields)  # type: ignore[arg-type]
    simulation = Simulation(add_grasp(world, HAND, CUP))
    assert simulation.compiled.choice.integrator.value == integrator
    recording = simulation.run(10.0, sample=0.05)
    assert np.ptp(recording.positions, axis=0).max() > 1e-3
    assert slips(recording) < 1e-9
    later = Simulation(replace(world, gravity=(0.0, 0.0, -1.0)))
    later.step(100)
    later.grasp("hand", "cup")
    assert slips(later.run(2.0, sample=0.05)) < 1e-9


def test_a_grasp_moves_as_one_body() -> None:
    """The law: the arm moves as one to which the thing is fixed by a joint."""
    held = Simulation(add_grasp(World(models=NamedList([arm(), cup()])), HAND, CUP))
    fixed = Joint(name="grip", type=Fixed(), parent="hand", child="cup")
    one = replace(arm(), bodies=NamedList([*arm().bodies, *cup().bodies]), joints=NamedList([*arm().joints, fixed]))
    whole = Simulation(World(models=NamedList([one])))
    first, second = held.run(2.0, sample=0.1), whole.run(2.0, sample=0.1)
    for sample in range(len(first.times)):
        expected = second.body("arm", "cup", sample)
        np.testing.assert_allclose(first.body("cup", "cup", sample).position, expected.position, atol=1e-10)
        np.testing.assert_allclose(first.body("cup", "cup", sample).linear_velocity, expected.linear_velocity, atol=1e-9)


def flying(name: str, mass: float, x: float, velocity: tuple[float, float, float]) -> Model:
    body = Body(name=name, pose=Pose((x, 0.0, 0.0)), inertial=ball(mass), initial_velocity=velocity)
    return Model(name=name, bodies=NamedList([body]))


@given(
    masses=st.tuples(st.floats(1e-3, 1e3), st.floats(1e-3, 1e3)),
    velocities=st.tuples(*[st.tuples(*[st.floats(-2.0, 2.0)] * 3)] * 2),
)
@settings(max_examples=15, deadline=None)
def test_a_grasp_in_flight_conserves_momentum(
    masses: tuple[float, float], velocities: tuple[tuple[float, float, float], tuple[float, float, float]]
) -> None:
    """The laws of an impact without rebound, for two free bodies: momentum and angular momentum, and one rigid motion."""
    models = [flying("a", masses[0], 0.0, velocities[0]), flying("b", masses[1], 1.0, velocities[1])]
    simulation = Simulation(World(models=NamedList(models), gravity=(0.0, 0.0, 0.0)))
    before = momenta(simulation, masses)
    simulation.grasp("a", "b")
    scale = max(masses) * 10.0
    np.testing.assert_allclose(momenta(simulation, masses), before, atol=1e-12 * scale)
    a, b = simulation.body_states()["a"]["a"], simulation.body_states()["b"]["b"]
    between = np.subtract(b.position, a.position)
    spin = np.array(a.angular_velocity_body)  # the frames are those of the world
    np.testing.assert_allclose(b.linear_velocity, np.add(a.linear_velocity, np.cross(spin, between)), atol=1e-9)
    np.testing.assert_allclose(b.angular_velocity_body, a.angular_velocity_body, atol=1e-9)


def momenta(simulation: Simulation, masses: tuple[float, float]) -> np.ndarray:
    linear, angular = np.zeros(3), np.zeros(3)
    for name, mass in zip("ab", masses, strict=True):
        state = simulation.body_states()[name][name]
        momentum = mass * np.array(state.linear_velocity)
        linear += momentum
        angular += np.cross(state.position, momentum) + 0.4 * mass * 0.05**2 * np.array(state.angular_velocity_body)
    return np.concatenate([linear, angular])


def test_a_grasp_does_not_slow_down_driven_joints() -> None:
    driven = replace(arm().joints["shoulder"], actuation=Actuation.VELOCITY)
    stiff = [driven, arm().joints["ground"], replace(arm().joints["elbow"], actuation=Actuation.LOCKED)]
    simulation = Simulation(World(models=NamedList([replace(arm(), joints=NamedList(stiff)), cup(1e3)])))
    simulation.command("arm", "shoulder", 0.25)
    simulation.step(100)
    simulation.grasp("arm/hand", "cup/cup")
    for _ in range(3):
        assert simulation.velocities()["arm"]["shoulder"][0] == pytest.approx(0.25, abs=1e-6)
        simulation.step(50)


@pytest.mark.parametrize("as_dart", [True, False])
def test_a_released_body_falls(as_dart: bool) -> None:
    """Free fall in closed form from the state of the release: of the parabola, or of DART's first-order steps."""
    world = add_grasp(World(models=NamedList([arm(), cup()]), hints=(DartStepping(),) if as_dart else ()), HAND, CUP)
    simulation = Simulation(world)
    simulation.schedule(0.2, lambda: simulation.release("cup"))
    recording = simulation.run(0.7, sample=0.1)
    step, g = simulation.time_step, -world.gravity[2]
    start = recording.body("cup", "cup", 2)
    for sample in range(2, len(recording.times)):
        t = recording.times[sample] - recording.times[2]
        fallen = 0.5 * g * t * (t + step if as_dart else t)
        expected = np.array(start.position) + t * np.array(start.linear_velocity) - (0.0, 0.0, fallen)
        np.testing.assert_allclose(recording.body("cup", "cup", sample).position, expected, atol=1e-9)
    assert simulation.grasps == ()
    assert recording.body("cup", "cup").position[2] < start.position[2] - 0.5


def test_recordings_continue_through_grasp_and_release() -> None:
    """Names keep their meaning though the engine's model is another one: places go on without a jump."""
    root = Joint(name="root", type=Floating(), parent=None, child="cup", coordinates=(Coordinate(),) * 6)
    world = World(models=NamedList([cup(joints=NamedList([root])), arm()]))
    simulation = Simulation(world)
    simulation.schedule(0.1, lambda: simulation.grasp("hand", "cup"))
    simulation.schedule(0.3, lambda: simulation.release("cup"))
    recording = simulation.run(0.5, sample=0.001)
    for model, body in (("cup", "cup"), ("arm", "hand")):
        places = np.array([recording.body(model, body, sample).position for sample in range(len(recording.times))])
        assert np.abs(np.diff(places, axis=0)).max() < 0.02
    for sample in range(0, len(recording.times), 50):
        state = recording.body("cup", "cup", sample)
        at_start = Pose(recording.joint_positions("cup", "root", sample)[3:]).position
        turned = rotated(AT, at_start)
        np.testing.assert_allclose(turned, state.position, atol=1e-9)
        rates = recording.joint_velocities("cup", "root", sample)
        np.testing.assert_allclose(rates[3:], state.linear_velocity, atol=1e-9)
    assert simulation.positions().keys() == {"cup", "arm"}


def rotated(frame: Pose, point: tuple[float, float, float]) -> tuple[float, ...]:
    return frame.transform(point)


def test_a_command_continues_through_a_grasp() -> None:
    still = World(models=NamedList([arm(), cup()]), gravity=(0.0, 0.0, 0.0))
    simulation = Simulation(still)
    simulation.command("arm", "elbow", 0.5)
    simulation.grasp("hand", "cup")
    dof = simulation.compiled.index.joints["arm"]["elbow"].dof
    assert simulation.data.qfrc_applied[dof] == 0.5


def test_a_model_of_several_bodies_is_grasped_at_any_of_them() -> None:
    """An object grasped at its flap swings: the flap stays in the gripper and the hinge moves."""
    hinge = Joint(name="hinge", type=Revolute(), parent="cup", child="flap", coordinates=MOVING)
    bodies = [Body(name="cup", pose=AT, inertial=ball(0.3)), Body(name="flap", pose=AT, inertial=ball(0.1))]
    thing = Model(name="cup", bodies=NamedList(bodies), joints=NamedList([hinge]))
    world = add_grasp(World(models=NamedList([thing, arm()])), HAND, BodyPath(model="cup", body="flap"))
    recording = Simulation(world).run(1.0, sample=0.01)
    inside = []
    for sample in range(len(recording.times)):
        hand, flap = recording.body("arm", "hand", sample), recording.body("cup", "flap", sample)
        inside.append((Pose(hand.position, hand.wxyz).inverse() @ Pose(flap.position, flap.wxyz)).matrix())
    assert np.abs(np.array(inside) - inside[0]).max() < 1e-9
    assert recording.joint_positions("cup", "hinge", 0) == (0.0,)
    assert abs(recording.joint_positions("cup", "hinge")[0]) > 0.1


def test_a_grasp_of_a_body_with_a_joint_to_the_world_closes_a_loop() -> None:
    """A gripper that grasps a fixed handle closes a loop: its residual is reported, and small."""
    bolt = Joint(name="bolt", type=Fixed(), parent=None, child="cup")
    world = add_grasp(World(models=NamedList([arm(), cup(joints=NamedList([bolt]))])), HAND, CUP)
    still = [replace(joint, coordinates=tuple(Coordinate() for _ in joint.coordinates)) for joint in arm().joints]
    world = replace(world, models=NamedList([replace(arm(), joints=NamedList(still)), world.models["cup"]]))
    simulation = Simulation(world)
    recording = simulation.run(1.0, sample=0.1)
    assert recording.violation.max() < 1e-6
    assert slips(recording) < 1e-6
    simulation.release("cup")
    simulation.step(500)
    assert simulation.body_states()["arm"]["hand"].position[2] < -0.5


def test_collisions_of_grasped_bodies() -> None:
    """The holder and ignored bodies leave it alone; a neighbour does not, and neither does anybody after the release."""
    cube = (Collision(geometry=Box(size=(0.2, 0.2, 0.2))),)
    robot = replace(arm(), bodies=NamedList([replace(body, collisions=cube) for body in arm().bodies]))
    thing = cup(pose=Pose((1.05, 0.0, 0.0)))
    thing = replace(thing, bodies=NamedList([replace(body, collisions=cube) for body in thing.bodies]))
    pillar = Body(name="pillar", pose=Pose((1.15, 0.0, 0.0)), collisions=(Collision(geometry=Sphere(radius=0.05)),))
    rest = Model(name="rest", static=True, bodies=NamedList([pillar]))
    simulation = Simulation(World(models=NamedList([robot, thing, rest])))

    def partners() -> set[str]:
        simulation.step(0)
        owners = {number: name for name, number in numbers(simulation).items()}
        model, data = simulation.compiled.model, simulation.data
        import mujoco

        mujoco.mj_forward(model, data)
        pairs = [{owners[int(model.geom_bodyid[geom])] for geom in contact.geom} for contact in data.contact]
        return {name for pair in pairs if "cup" in pair for name in pair - {"cup"}}

    assert partners() == {"hand", "pillar"}
    simulation.grasp("hand", "cup")
    assert partners() == {"pillar"}
    simulation.release("cup")
    assert partners() == {"hand", "pillar"}
    moved = Simulation(World(models=NamedList([robot, replace(thing, pose=Pose((-0.95, 0.0, 0.0)))])))
    moved.grasp("hand", "cup", ignored_bodies=["base", "upper"])
    moved.step(1)
    assert moved.data.ncon == 0


def numbers(simulation: Simulation) -> dict[str, int]:
    return {name: index.number for bodies in simulation.compiled.index.bodies.values() for name, index in bodies.items()}


def test_inverse_kinematics_avoids_collisions_of_grasped_bodies() -> None:
    """A grasped stick hits a wall that the gripper alone does not reach."""
    stick = Body(name="cup", pose=Pose((2.5, 0.0, 0.0)), collisions=(Collision(geometry=Box(size=(1.0, 0.05, 0.05))),))
    wall = Body(name="wall", pose=Pose((0.0, 0.0, -2.5)), collisions=(Collision(geometry=Box(size=(0.2, 0.2, 0.2))),))
    models = [arm(), Model(name="cup", bodies=NamedList([stick])), Model(name="room", static=True, bodies=NamedList([wall]))]
    down = {"shoulder": (math.pi / 2,)}
    free = World(models=NamedList(models))
    assert CollisionQuery(free).colliding_pairs("arm", down) == ()
    assert CollisionQuery(add_grasp(free, HAND, CUP)).colliding_pairs("arm", down, {"hand"}) == (("cup/cup", "room/wall"),)


def test_impossible_grasps_raise_an_error() -> None:
    simulation = Simulation(World(models=NamedList([arm(), cup()])))
    simulation.grasp("hand", "cup")
    for gripper_body, held, message in (
        ("hand", "cup", "'cup/cup' is already grasped by 'arm/hand': release it first"),
        ("hand", "base", "'arm/hand' cannot grasp 'arm/base': joints connect them"),
        ("hand", "cap", "there is no body 'cap': did you mean 'cup'"),
    ):
        with pytest.raises(GraspError, match=message):
            simulation.grasp(gripper_body, held)
    simulation.release("cup")
    with pytest.raises(GraspError, match="'cup/cup' is not grasped"):
        simulation.release("cup")
    with pytest.raises(ValueError, match="cannot schedule an action at -1 s"):
        simulation.schedule(-1.0, lambda: None)


def test_impossible_grasps_of_a_world_are_findings(report: Report) -> None:
    world = World(models=NamedList([arm(), cup()]), grasps=(Grasp(link=HAND, body=BodyPath(model="cup", body="cap")),))
    assert Simulation(world, report=report).grasps == ()
    (finding,) = report.take("invalid-grasp")
    assert "'cup' has no body 'cap'" in finding.message


def chain_of_grasps(count: int) -> World:
    """Return as many models, each of which grasps the next one; the last grasp comes first."""
    paths = [BodyPath(model=f"m{number}", body="b") for number in range(count)]
    grasps = tuple(Grasp(link=gripper_body, body=held) for gripper_body, held in pairwise(paths))[::-1]
    return World(
        models=NamedList([Model(name=path.model, bodies=NamedList([Body(name="b")])) for path in paths]), grasps=grasps
    )


def plan_chain(chain: World) -> None:
    """Check and plan the grasps of a chain."""
    report = Report()
    check_grasps(chain, report, CheckContext(MeshStore.of(chain)))
    holding = plan_grasps(chain, [ActiveGrasp(grasp=grasp, pose_link_body=Pose()) for grasp in chain.grasps])
    first = BodyPath(model="m0", body="b")
    assert not report
    assert [model.name for model in holding.models()] == [model.name for model in chain.models]
    assert len(holding.attached) == len(grasped_bodies(chain, [first])) == len(chain.grasps)


def test_chains_of_grasps_are_planned_in_linear_time() -> None:
    few, many = chain_of_grasps(150), chain_of_grasps(1200)
    assert is_growth_below(32, lambda: plan_chain(few), lambda: plan_chain(many))  # eight times as many; quadratic were 64
