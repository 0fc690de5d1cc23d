"""Soft bodies: closed forms, conservation laws, and dartpy."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from pathlib import Path

import mujoco
import numpy as np
import pytest

import ossature
from ossature.diagnostics import Report
from ossature.kinematics.soft_skin_points import point_count, skin_edges, skin_points
from ossature.model import Box, Cylinder, Ellipsoid, SoftSkin
from ossature.simulation import CollisionQuery, CompiledModel, Simulation

MASS, SKIN_MASS, GRAVITY = 1.0, 0.5, 9.81
BOX = "<box><size>0.2 0.3 0.4</size><frags>3 3 4</frags></box>"
ELLIPSOID = "<ellipsoid><size>0.2 0.3 0.4</size><num_slices>5</num_slices><num_stacks>4</num_stacks></ellipsoid>"
CYLINDER = "<cylinder><radius>0.1</radius><height>0.3</height></cylinder>"
FREE_FALL_FROM = "0 0 0.5 0 0 0"


def soft_body(name: str, surface: str, springs: tuple[float, float, float], inside: str = "", pose: str = "0 0 0 0 0 0") -> str:
    stiffness, edge, damping = springs
    return (
        f'<body name="{name}"><transformation>{pose}</transformation><inertia><mass>{MASS}</mass><offset>0 0 0</offset>'
        "<moment_of_inertia><ixx>0.02</ixx><iyy>0.015</iyy><izz>0.01</izz><ixy>0</ixy><ixz>0</ixz><iyz>0</iyz></moment_of_inertia>"
        f"</inertia><soft_shape><total_mass>{SKIN_MASS}</total_mass><geometry>{surface}</geometry>"
        f"<kv>{stiffness}</kv><ke>{edge}</ke><damp>{damping}</damp></soft_shape>{inside}</body>"
    )


def joint(kind: str, parent: str, child: str, inside: str = "") -> str:
    return f'<joint type="{kind}" name="to {child}"><parent>{parent}</parent><child>{child}</child>{inside}</joint>'


def world_text(skeletons: str, gravity: str = f"0 0 {-GRAVITY}", step: float = 0.001) -> str:
    physics = f"<physics><time_step>{step}</time_step><gravity>{gravity}</gravity></physics>"
    return f'<skel version="1.0"><world name="w">{physics}{skeletons}</world></skel>'


def skeleton(content: str, name: str = "s") -> str:
    return f'<skeleton name="{name}">{content}</skeleton>'


def load(tmp_path: Path, text: str) -> ossature.World:
    path = tmp_path / "soft.skel"
    path.write_text(text)
    return ossature.load(path)


GROUND = skeleton(
    '<body name="ground"><transformation>0 0 -0.5 0 0 0</transformation><collision_shape>'
    f"<geometry><box><size>4 4 1</size></box></geometry></collision_shape></body>{joint('weld', 'world', 'ground')}",
    "ground",
)
FREE = joint("free", "world", "b")
ON_GROUND = frozenset({("ground", "ground"), ("s", "b")})
ALONG_X = "<axis><xyz>1 0 0</xyz></axis>"


@pytest.mark.parametrize(("step", "allowed"), [(1e-3, 2e-4), (5e-4, 5e-5)])
def test_a_pulled_point_oscillates_as_the_linear_equations_say(step: float, allowed: float, tmp_path: Path) -> None:
    stiffness, edge = 40.0, 7.0
    body = soft_body("b", ELLIPSOID, (stiffness, edge, 0.0))
    slide = joint("prismatic", "world", "b", ALONG_X)
    world = load(tmp_path, world_text(skeleton(body + slide), "0 0 0"))
    skin = world.models["s"].bodies["b"].soft_skin
    assert skin is not None
    count, edges = len(skin_points(skin)), skin_edges(skin)
    # The coordinate of the frame, then those of the points along x relative to it.
    mass = np.diag([MASS + SKIN_MASS, *[SKIN_MASS / count] * count])
    mass[0, 1:] = mass[1:, 0] = SKIN_MASS / count
    spring = np.diag([0.0, *[stiffness] * count])
    for first, second in edges:
        spring[1 + first, 1 + first] += edge
        spring[1 + second, 1 + second] += edge
        spring[1 + first, 1 + second] -= edge
        spring[1 + second, 1 + first] -= edge
    start = np.zeros(1 + count)
    start[3] = 0.01
    values, vectors = np.linalg.eig(np.linalg.solve(mass, spring))
    weights = np.linalg.solve(vectors, start)
    duration = 0.5
    expected = (vectors @ (weights * np.cos(np.sqrt(np.maximum(values.real, 0.0)) * duration))).real
    simulation = Simulation(world, integrator="leapfrog", time_step=step, report=Report())
    model = simulation.compiled.model
    assert (model.nv, model.ntendon) == (1 + 3 * count, 3 * len(edges))
    simulation.data.qpos[1 + 3 * 2] = 0.01
    simulation.restore(simulation.state())
    simulation.run(duration)
    found = np.array([simulation.data.qpos[0], *simulation.data.qpos[1::3]])
    assert np.abs(expected).max() > 0.003
    np.testing.assert_allclose(found, expected, atol=0.01 * allowed / 2e-3)


def _motion_in_dart(text: str, tmp_path: Path, step: float, duration: float) -> list[np.ndarray]:
    dart = pytest.importorskip("dartpy")
    path = tmp_path / "dart.skel"
    path.write_text(text)
    world = dart.utils.SkelParser.readWorld(str(path))
    world.setTimeStep(step)
    for _ in range(round(duration / step)):
        world.step()
    return [body.getTransform().matrix() for body in world.getSkeleton(0).getBodyNodes()]


def _difference_to_dart(text: str, tmp_path: Path, step: float, duration: float) -> float:
    expected = _motion_in_dart(text, tmp_path, step, duration)
    simulation = Simulation(load(tmp_path, text), time_step=step, report=Report())
    simulation.run(duration)
    found = [pose.matrix() for pose in simulation.poses()["s"].values()]
    return float(max(np.abs(np.array(one) - other).max() for one, other in zip(found, expected, strict=True)))


def _chain(surface: str, edge: float) -> str:
    hinge = "<transformation>0 0 0.2 0 0 0</transformation><axis><xyz>0 1 0</xyz></axis><init_pos>0.8</init_pos>"
    second = "<transformation>0 0 0.2 0 0 0</transformation><init_pos>0.3 0.2 0.1</init_pos><init_vel>1 -2 3</init_vel>"
    bodies = soft_body("b", surface, (60.0, edge, 0.05)) + soft_body("c", surface, (30.0, edge, 0.1), pose="0 0 -0.4 0 0 0")
    return world_text(skeleton(bodies + joint("revolute", "world", "b", hinge) + joint("ball", "b", "c", second)))


def test_a_pendulum_moves_as_in_dart_at_the_same_step(tmp_path: Path) -> None:
    assert _difference_to_dart(_chain(BOX, 0.0), tmp_path, 1e-3, 0.5) < 1e-12


def test_dart_connects_no_points_of_a_box(tmp_path: Path) -> None:
    assert _difference_to_dart(_chain(BOX, 50.0), tmp_path, 1e-3, 0.5) < 1e-12


def test_a_rotating_free_body_moves_as_in_dart_at_the_same_step(tmp_path: Path) -> None:
    body = soft_body("b", BOX, (20.0, 0.0, 0.05))
    free = joint("free", "world", "b", "<init_vel>3 -2 5 0.4 0.2 -0.1</init_vel>")
    assert _difference_to_dart(world_text(skeleton(body + free)), tmp_path, 1e-3, 0.5) < 1e-12


def test_a_pendulum_with_edges_converges_to_dart(tmp_path: Path) -> None:
    """DART evaluates edges with the velocities before the step."""
    coarse, fine = (_difference_to_dart(_chain(ELLIPSOID, 8.0), tmp_path, step, 0.5) for step in (1e-3, 2.5e-4))
    assert coarse < 5e-6
    assert fine < 0.3 * coarse


def test_a_body_falls_without_deformation(tmp_path: Path) -> None:
    body = soft_body("b", ELLIPSOID, (50.0, 5.0, 0.3), pose=FREE_FALL_FROM)
    simulation = Simulation(load(tmp_path, world_text(skeleton(body + FREE))), integrator="leapfrog", report=Report())
    simulation.run(0.4)
    assert simulation.poses()["s"]["b"].position[2] == pytest.approx(0.5 - 0.5 * GRAVITY * 0.4**2, abs=1e-12)
    assert np.abs(simulation.data.qpos[7:]).max() < 1e-12


def _momenta(simulation: Simulation) -> np.ndarray:
    model, data = simulation.compiled.model, simulation.data
    mujoco.mj_subtreeVel(model, data)
    return np.array([*(model.body_subtreemass[1] * data.subtree_linvel[1]), *data.subtree_angmom[1]])


def test_momentum_and_energy_of_a_free_body_are_conserved(tmp_path: Path) -> None:
    body = soft_body("b", ELLIPSOID, (15.0, 2.0, 0.0))
    spin = "<init_vel>3 -2 5 0.4 0.2 -0.1</init_vel>"
    world = load(tmp_path, world_text(skeleton(body + joint("free", "world", "b", spin)), "0 0 0"))
    changes = []
    for step in (1e-3, 5e-4):
        simulation = Simulation(world, integrator="leapfrog", time_step=step, report=Report())
        before, energy = _momenta(simulation), sum(simulation.energy())
        simulation.run(0.5)
        assert np.abs(simulation.data.qpos[7:]).max() > 0.003
        after, end = _momenta(simulation), sum(simulation.energy())
        np.testing.assert_allclose(after[:3], before[:3], atol=1e-12)
        changes.append(max(float(np.abs(after[3:] - before[3:]).max()), abs(end - energy) / energy))
    assert changes[0] < 2e-5
    assert changes[1] < 0.3 * changes[0]


def test_a_box_rests_on_the_springs_of_its_lowest_points(tmp_path: Path) -> None:
    stiffness = 300.0
    body = soft_body("b", BOX, (stiffness, 0.0, 4.0), pose="0 0 0.21 0 0 0")
    report = Report()
    simulation = Simulation(load(tmp_path, world_text(GROUND + skeleton(body + FREE))), report=report)
    assert report.take("soft-skin-contact-approximated")
    simulation.run(4.0)
    model, data = simulation.compiled.model, simulation.data
    below, total = 9, 9 * 4 - 2
    on_springs = (MASS + SKIN_MASS * (total - below) / total) * GRAVITY
    height = simulation.poses()["s"]["b"].position[2]
    assert height == pytest.approx(0.2 - on_springs / (below * stiffness), abs=2e-5)
    assert data.ncon == below
    forces = [np.zeros(6) for _ in range(data.ncon)]
    for number, force in enumerate(forces):
        mujoco.mj_contactForce(model, data, number, force)
    assert sum(force[0] for force in forces) == pytest.approx((MASS + SKIN_MASS) * GRAVITY, rel=1e-5)
    assert {frozenset(contact.bodies) for contact in simulation.contact_forces()} == {ON_GROUND}


def test_soft_bodies_rest_on_each_other(tmp_path: Path) -> None:
    cube = "<box><size>0.4 0.4 0.4</size><frags>3 3 3</frags></box>"
    bodies = [
        skeleton(soft_body("b", cube, (2000.0, 0.0, 5.0), pose=f"0 0 {height} 0 0 0") + FREE, name)
        for name, height in (("lower", 0.201), ("upper", 0.602))
    ]
    simulation = Simulation(load(tmp_path, world_text(GROUND + "".join(bodies))), report=Report())
    simulation.run(2.0)
    heights = [poses["b"].position[2] for name, poses in simulation.poses().items() if name != "ground"]
    np.testing.assert_allclose(heights, [0.2, 0.6], atol=0.005)


def test_the_inner_shape_of_a_soft_body_collides_but_not_with_its_own_points(tmp_path: Path) -> None:
    inner = "<collision_shape><geometry><box><size>0.1 0.1 0.38</size></box></geometry></collision_shape>"
    body = soft_body("b", BOX, (20.0, 0.0, 2.0), inner, "0 0 0.21 0 0 0")
    simulation = Simulation(load(tmp_path, world_text(GROUND + skeleton(body + FREE))), report=Report())
    simulation.run(1.5)
    assert simulation.poses()["s"]["b"].position[2] == pytest.approx(0.19, abs=1e-4)
    assert {frozenset(contact.bodies) for contact in simulation.contact_forces()} == {ON_GROUND}


def test_the_energy_balance_includes_springs_and_dampers(tmp_path: Path) -> None:
    body = soft_body("b", ELLIPSOID, (30.0, 4.0, 0.05))
    hinge = "<transformation>0 0 0.2 0 0 0</transformation><axis><xyz>0 1 0</xyz></axis><init_pos>1</init_pos>"
    world = load(tmp_path, world_text(skeleton(body + joint("revolute", "world", "b", hinge))))
    report = Report()
    simulation = Simulation(world, integrator="leapfrog", report=report)
    start = sum(simulation.energy())
    simulation.run(1.0)
    balance = simulation.diagnostics.energy
    assert balance.dissipated_by_dampers > 0.01
    assert sum(simulation.energy()) - start == pytest.approx(-balance.dissipated_by_dampers, rel=1e-3)
    assert max(balance.gain, balance.loss) < 1e-4 * balance.scale
    assert not report.take("energy-lost") and not report.take("energy-gained")


def _swing(stiffness: float, damping: float) -> str:
    body = soft_body("b", BOX, (stiffness, 0.0, damping))
    state = "<init_pos>1</init_pos><init_vel>12</init_vel>"
    hinge = f"<transformation>0 0 0.2 0 0 0</transformation><axis><xyz>0 1 0</xyz></axis>{state}"
    return world_text(skeleton(body + joint("revolute", "world", "b", hinge)))


def _loss_in_dart(text: str, tmp_path: Path, step: float, springs: tuple[float, float]) -> float:
    """Return the energy that DART loses in one second beyond the work of dampers, with bodies that slide as points [J]."""
    dart = pytest.importorskip("dartpy")
    path = tmp_path / "rigid.skel"
    path.write_text(re.sub("<soft_shape>.*</soft_shape>", "", text))
    skin = load(tmp_path, text).models["s"].bodies["b"].soft_skin
    assert skin is not None
    world = dart.utils.SkelParser.readWorld(str(path))
    world.setTimeStep(step)
    swinging, points = world.getSkeleton(0), skin_points(skin)
    for point in points:
        slide, body = swinging.createTranslationalJointAndBodyNodePair(swinging.getBodyNode(0))
        pose = dart.math.Isometry3()
        pose.set_translation(np.array(point))
        slide.setTransformFromParentBodyNode(pose)
        body.setInertia(dart.dynamics.Inertia(SKIN_MASS / len(points), np.zeros(3), 1e-12 * np.eye(3)))
        for axis in range(3):
            slide.setSpringStiffness(axis, springs[0])
            slide.setDampingCoefficient(axis, springs[1])
    energies, damped = [], 0.0
    for _ in range(round(1.0 / step)):
        energies.append(swinging.computeKineticEnergy() + swinging.computePotentialEnergy())
        before = swinging.getVelocities()[1:]
        world.step()
        rates = swinging.getVelocities()[1:]
        damped += step * springs[1] * float(rates @ (before + rates)) / 2.0
    energies.append(swinging.computeKineticEnergy() + swinging.computePotentialEnergy())
    return float(energies[0] - energies[-1]) - damped


def test_a_soft_body_loses_the_energy_that_it_loses_in_dart(tmp_path: Path) -> None:
    """The integrator of DART damps springs; the loss decreases with the time step."""
    text = _swing(400.0, 0.05)
    losses = []
    for step in (2e-3, 1e-3):
        simulation = Simulation(load(tmp_path, text), time_step=step, report=Report())
        simulation.run(1.0)
        balance = simulation.diagnostics.energy
        losses.append(-balance.change - balance.dissipated_by_dampers)
        assert losses[-1] == pytest.approx(_loss_in_dart(text, tmp_path, step, (400.0, 0.05)), rel=1e-7)
    assert 0.03 < losses[1] < 0.7 * losses[0]
    leapfrog = Simulation(load(tmp_path, text), time_step=1e-3, integrator="leapfrog", report=Report())
    leapfrog.run(1.0)
    assert leapfrog.diagnostics.energy.loss < 0.02 * losses[1]


def test_stiff_edges_divide_the_steps_of_the_leapfrog_integrator(tmp_path: Path) -> None:
    world = load(tmp_path, world_text(skeleton(soft_body("b", ELLIPSOID, (30.0, 1e5, 0.0)) + FREE), "0 0 0"))
    report = Report()
    simulation = Simulation(world, integrator="leapfrog", report=report)
    assert simulation.compiled.choice.sub_steps >= 4
    simulation.data.qpos[7] = 0.001
    simulation.restore(simulation.state())
    start = sum(simulation.energy())
    simulation.run(0.2)
    assert sum(simulation.energy()) == pytest.approx(start, rel=0.3)
    assert not report.has_errors


def test_the_points_keep_their_state_in_a_grasp(tmp_path: Path) -> None:
    gripper = soft_body("b", BOX, (60.0, 0.0, 0.1)) + joint("prismatic", "world", "b", "<axis><xyz>0 0 1</xyz></axis>")
    inertia = "<inertia><mass>1</mass><offset>0 0 0</offset></inertia>"
    grasped = f'<body name="c"><transformation>0 0 1 0 0 0</transformation>{inertia}</body>'
    skeletons = skeleton(gripper) + skeleton(grasped + joint("free", "world", "c"), "t")
    simulation = Simulation(load(tmp_path, world_text(skeletons)), report=Report())
    simulation.data.qpos[1:] = 0.0
    simulation.data.qpos[3] = 0.02
    simulation.restore(simulation.state())
    simulation.run(0.05)
    before = float(simulation.data.joint("b point 0 z").qpos[0])
    assert abs(before) > 1e-3
    simulation.grasp("s/b", "t/c")
    assert float(simulation.data.joint("b point 0 z").qpos[0]) == before


def test_the_reaction_of_a_joint_includes_the_points(tmp_path: Path) -> None:
    body = soft_body("b", ELLIPSOID, (200.0, 10.0, 3.0))
    world = load(tmp_path, world_text(skeleton(body + joint("prismatic", "world", "b", ALONG_X))))
    simulation = Simulation(world, report=Report())
    simulation.run(2.0)
    reaction = simulation.reactions()["s"]["to b"]["force"]
    np.testing.assert_allclose(reaction, [0.0, 0.0, (MASS + SKIN_MASS) * GRAVITY], atol=1e-6)


def test_a_restart_continues_bit_by_bit(tmp_path: Path) -> None:
    body = soft_body("b", ELLIPSOID, (300.0, 20.0, 1.0), pose="0.1 0 0.22 0.3 0.2 0.1")
    world = load(tmp_path, world_text(GROUND + skeleton(body + FREE)))
    whole, second = (Simulation(world, report=Report()) for _ in range(2))
    whole.run(0.2)
    ossature.save_state(whole.state(), tmp_path / "state.usdf")
    whole.run(0.2)
    second.restore(ossature.load_state(tmp_path / "state.usdf"))
    second.run(0.2)
    assert second.data.qpos.tobytes() == whole.data.qpos.tobytes()
    assert second.data.qvel.tobytes() == whole.data.qvel.tobytes()


@pytest.mark.parametrize("name", ["vertex_stiffness", "edge_stiffness", "damping", "mass"])
def test_parameters_of_a_skin_change_without_compiling(name: str, tmp_path: Path) -> None:
    world = load(tmp_path, world_text(skeleton(soft_body("b", ELLIPSOID, (300.0, 20.0, 1.0)) + FREE)))
    body = world.models["s"].bodies["b"]
    assert body.soft_skin is not None
    changed = world.replace_at("s/b", soft_skin=replace(body.soft_skin, **{name: 0.7}))
    fast = CompiledModel.from_world(world).with_world(changed).compiled.model
    anew = CompiledModel.from_world(changed).compiled.model
    for field in ("jnt_stiffness", "dof_damping", "tendon_stiffness", "body_mass", "body_inertia", "dof_invweight0"):
        assert getattr(fast, field).tobytes() == getattr(anew, field).tobytes(), field


def test_the_mass_of_the_frame_changes_without_that_of_the_skin(tmp_path: Path) -> None:
    world = load(tmp_path, world_text(skeleton(soft_body("b", ELLIPSOID, (300.0, 20.0, 1.0)) + FREE)))
    compiled = CompiledModel.from_world(world).with_parameters({"s/b.mass": 3.0}).compiled.model
    assert compiled.body_mass.sum() == pytest.approx(3.0 + SKIN_MASS)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (soft_body("b", BOX.replace("3 3 4", "100000 3 3"), (300.0, 20.0, 1.0)) + FREE, "800002 points"),
        (soft_body("b", CYLINDER, (300.0, 20.0, 1.0)) + FREE, "cylinder"),
        (soft_body("b", BOX, (300.0, 20.0, 1.0)) + joint("weld", "world", "b"), "cannot move"),
    ],
)
def test_what_does_not_deform_is_reported(body: str, reason: str, tmp_path: Path) -> None:
    report = Report()
    simulation = Simulation(load(tmp_path, world_text(skeleton(body))), report=report)
    assert [reason in finding.message for finding in report.take("soft-body-simulated-as-rigid")] == [True]
    assert simulation.compiled.model.nbody == 2


def test_collision_queries_have_rigid_skins(tmp_path: Path) -> None:
    world = load(tmp_path, world_text(GROUND + skeleton(soft_body("b", BOX, (300.0, 20.0, 1.0), pose="0 0 0.19 0 0 0") + FREE)))
    assert CollisionQuery(world).penetration_depths("s", {}) == {("ground/ground", "b"): pytest.approx(0.01)}


@pytest.mark.parametrize(
    "geometry", [Box(size=(1.0, 2.0, 3.0)), Ellipsoid(diameters=(1.0, 2.0, 3.0)), Cylinder(radius=1.0, length=2.0)]
)
def test_points_are_counted(geometry: Box | Ellipsoid | Cylinder) -> None:
    for subdivisions in (None, (1, 1, 1), (3, 4, 5), (7, 3, 1)):
        counts = subdivisions and subdivisions[: 2 if isinstance(geometry, Ellipsoid) else 3]
        skin = SoftSkin(geometry=geometry, subdivisions=counts)
        assert point_count(skin) == len(set(skin_points(skin)))


def test_edges_of_a_sphere_connect_neighbours() -> None:
    skin = SoftSkin(geometry=Ellipsoid(diameters=(2.0, 2.0, 2.0)), subdivisions=(6, 4))
    edges, points = skin_edges(skin), skin_points(skin)
    # Two poles with six neighbours each, three rings, and three edges from each point to the ring below.
    assert len(edges) == 6 + 3 * 6 + 2 * 6 * 3 + 6
    assert len(set(edges)) == len(edges)
    assert max(math.dist(points[first], points[second]) for first, second in edges) < 1.3
