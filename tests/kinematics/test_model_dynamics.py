"""Dynamics on arrays: against the engine, and the laws of energy and momentum by finite differences."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import ossature
from equations_of_motion import equations_of_motion
from joint_models import ACROSS, AXIS, BALLS, FORMULAS, PLACES, TYPES, model_of, multiple, name_of
from linkages import POINTS, hinged
from ossature.kinematics import Dynamics, KinematicsError
from ossature.model import (
    Coordinate,
    Coupling,
    Fixed,
    Floating,
    Inertial,
    Joint,
    JointType,
    Model,
    NamedList,
    Revolute,
    Spherical,
    Universal,
    World,
)
from ossature.simulation import Simulation

GRAVITY = (1.0, -2.0, -9.0)
STEP = 1e-6


def with_inertia(model: Model) -> Model:
    """Return an arm whose bodies have masses and moments of inertia, and whose base is fixed."""
    generator = np.random.default_rng(8)
    bodies = []
    for body in model.bodies:
        a = generator.normal(size=(3, 3))
        moment = a @ a.T + 2.0 * np.eye(3)
        mass, center = float(generator.uniform(0.5, 3.0)), generator.normal(size=3) * 0.3
        bodies.append(replace(body, inertial=Inertial(mass=mass, center_of_mass=center, moment=0.05 * moment)))
    mount = Joint(name="mount", type=Fixed(), parent=None, child="base")
    return replace(model, bodies=NamedList(bodies), joints=NamedList([mount, *model.joints]))


def reversed_middle(joint_type: JointType) -> Model:
    model = model_of(joint_type)
    return replace(model, joints=model.joints.replaced(replace(model.joints["j1"], parent="two", child="one", pose=PLACES[3])))


def coupled(name: str) -> Model:
    model = model_of(Universal(axis1=AXIS, axis2=ACROSS))
    follows, again = (Coordinate(coupling=Coupling(position=one)) for one in (FORMULAS[name], multiple(0.7, "j1", 0)))
    return replace(model, joints=model.joints.replaced(replace(model.joints["j1"], coordinates=(follows, again))))


MODELS = {name_of(one): model_of(one) for one in TYPES}
REVERSED = (Revolute(axis=AXIS), Universal(axis1=AXIS, axis2=ACROSS), Spherical(), Floating())
MODELS |= {f"{name_of(one)} reversed": reversed_middle(one) for one in REVERSED}
MODELS |= {f"coupled {name}": coupled(name) for name in FORMULAS}
MODELS = {name: with_inertia(model) for name, model in MODELS.items()}
NOT_SIMULATED = {"compound with ball joints": with_inertia(model_of(BALLS))}


def states(dynamics: Dynamics, count: int = 3) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    generator = np.random.default_rng(3)
    q, v, tau = (generator.uniform(-1.0, 1.0, (count, len(dynamics))) for _ in range(3))
    return q, v, tau


def by_joint(dynamics: Dynamics, values: np.ndarray) -> dict[str, list[float]]:
    result: dict[str, list[float]] = {}
    for name, value in zip(dynamics.names, values.tolist(), strict=True):
        result.setdefault(name.split("[")[0], []).append(value)
    return result


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_equations_of_motion_are_those_of_the_engine(model: Model) -> None:
    world = World(models=NamedList([model]), gravity=GRAVITY)
    dynamics, simulation = Dynamics(world), Simulation(world, enforce_limits=False)
    q, v, _ = states(dynamics)
    M, c = dynamics.mass_matrix(q), dynamics.bias_forces(q, v)
    for number in range(len(q)):
        at, rates = by_joint(dynamics, q[number]), by_joint(dynamics, v[number])
        expected = equations_of_motion(simulation, model.name, list(at), at, rates)
        np.testing.assert_allclose(M[number], expected[0], atol=1e-9)
        np.testing.assert_allclose(c[number], expected[1], atol=1e-8)
        assert simulation.world.models[0] == model


@pytest.mark.parametrize("model", (MODELS | NOT_SIMULATED).values(), ids=MODELS | NOT_SIMULATED)
def test_energy_changes_by_the_power_of_the_forces(model: Model) -> None:
    dynamics = Dynamics(World(models=NamedList([model]), gravity=GRAVITY))
    q, v, tau = states(dynamics)
    a = dynamics.forward_dynamics(q, v, tau)
    np.testing.assert_allclose(dynamics.inverse_dynamics(q, v, a), tau, atol=1e-9)
    energies = []
    for h in (-STEP, STEP):
        later, faster = dynamics.integrate(q, h * v + 0.5 * h * h * a), v + h * a
        energies.append(dynamics.kinetic_energy(later, faster) + dynamics.potential_energy(later))
    power = (energies[1] - energies[0]) / (2.0 * STEP)
    np.testing.assert_allclose(power, (v * tau).sum(axis=1), atol=2e-6)
    rates = [dynamics.potential_energy(dynamics.integrate(q, h * v)) for h in (-STEP, STEP)]
    expected = (dynamics.gravity_forces(q) * v).sum(axis=1)
    np.testing.assert_allclose((rates[1] - rates[0]) / (2.0 * STEP), expected, atol=2e-6)


def test_momentum_of_a_free_body_changes_by_its_weight() -> None:
    model = with_inertia(model_of(TYPES[5]))
    base = Joint(name="mount", type=Floating(), parent=None, child="base", pose=PLACES[1])
    dynamics = Dynamics(World(models=NamedList([replace(model, joints=model.joints.replaced(base))]), gravity=GRAVITY))
    q, v, tau = states(dynamics)
    tau[:, [number for number, name in enumerate(dynamics.names) if name.startswith("mount")]] = 0.0
    a = dynamics.forward_dynamics(q, v, tau)
    momenta, centers = [], []
    for h in (-STEP, STEP):
        later = dynamics.integrate(q, h * v + 0.5 * h * h * a)
        momenta.append(dynamics.momentum(later, v + h * a))
        centers.append(dynamics.center_of_mass(later))
    rate = (momenta[1] - momenta[0]) / (2.0 * STEP)
    np.testing.assert_allclose(rate[:, :3], np.tile(dynamics.mass * np.array(GRAVITY), (len(q), 1)), atol=1e-5)
    np.testing.assert_allclose(rate[:, 3:], 0.0, atol=1e-5)  # about the centre of mass
    velocity = (dynamics.center_of_mass_jacobian(q) @ v[..., None])[..., 0]
    np.testing.assert_allclose((centers[1] - centers[0]) / (2.0 * STEP), velocity, atol=1e-6)
    np.testing.assert_allclose(dynamics.momentum(q, v)[:, :3], dynamics.mass * velocity, atol=1e-12)
    about = dynamics.momentum(q, v, about=(1.0, 2.0, 3.0))
    arm = dynamics.center_of_mass(q) - np.array((1.0, 2.0, 3.0))
    np.testing.assert_allclose(about[:, 3:], dynamics.momentum(q, v)[:, 3:] + np.cross(arm, about[:, :3]), atol=1e-12)


def test_shapes_follow_the_arguments() -> None:
    dynamics = Dynamics(World(models=NamedList([MODELS["Universal"]])))
    q, v, tau = (one[:2] for one in states(dynamics))
    n = len(dynamics)
    assert dynamics.mass_matrix(q[0]).shape == (n, n)
    assert dynamics.inverse_dynamics(q, v[0], tau[:, None]).shape == (2, 2, n)
    assert dynamics.kinetic_energy(q[0], v[0]).shape == ()
    assert dynamics.momentum(q, v).shape == (2, 6)
    assert dynamics.center_of_mass_jacobian(q).shape == (2, 3, n)
    assert repr(dynamics) == f"Dynamics('arm': {n} coordinates, {dynamics.mass:g} kg)"


def test_errors_name_what_is_not_included() -> None:
    with pytest.raises(KinematicsError, match="closed loops"):
        loop = Dynamics(hinged(POINTS))
        loop.forward_dynamics(loop.initial, loop.initial, loop.initial)
    arm = MODELS["Revolute"]
    dynamics = Dynamics(arm)
    with pytest.raises(KinematicsError, match=r"v has the shape \(2,\)"):
        dynamics.bias_forces(dynamics.initial, [0.0, 1.0])
    with pytest.raises(KinematicsError, match="do not fit"):
        dynamics.bias_forces(np.zeros((2, 3)), np.zeros((3, 3)))
    with pytest.raises(KinematicsError, match="gravity"):
        Dynamics(arm, gravity=9.81)
    massless = replace(arm, bodies=arm.bodies.map(lambda body: replace(body, inertial=Inertial(mass=0.0))))
    empty = Dynamics(massless)
    with pytest.raises(KinematicsError, match="has no mass"):
        empty.center_of_mass(empty.initial)
    with pytest.raises(KinematicsError, match="singular"):
        empty.forward_dynamics(empty.initial, empty.initial, empty.initial)


def test_the_world_states_gravity() -> None:
    arm = MODELS["Prismatic"]
    dynamics = ossature.Dynamics(World(models=NamedList([arm]), gravity=(0.0, 0.0, 0.0)))
    np.testing.assert_array_equal(dynamics.gravity_forces(dynamics.initial), np.zeros(len(dynamics)))
    floating = replace(arm, bodies=arm.bodies.map(lambda body: replace(body, gravity=False)))
    weightless = Dynamics(floating)
    np.testing.assert_array_equal(weightless.gravity_forces(weightless.initial), np.zeros(len(dynamics)))
