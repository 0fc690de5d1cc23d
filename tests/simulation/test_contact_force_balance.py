"""Contact forces of connected bodies on a plate are those that change their momentum."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from contact_scenes import SHAPES, scene
from ossature.model import (
    Body,
    Collision,
    Inertial,
    Joint,
    Material,
    Model,
    NamedList,
    Prismatic,
    Revolute,
    Spherical,
    World,
)
from ossature.simulation import Simulation
from ossature.spatial import Pose, quaternion_from_rotation_vector


def _random_trees(seed: int, *, as_dart: bool) -> World:
    """Return bodies that fall on a plate, most of them connected by joints."""
    rng = np.random.default_rng(seed)
    material = Material(friction=float(rng.choice([0.0, 0.4, 1.0])), restitution=float(rng.choice([0.0, 0.0, 0.6])))

    def body(number: int) -> Body:
        mass = float(10.0 ** rng.uniform(-0.5, 0.7))
        shape = SHAPES[str(rng.choice(["box", "sphere", "capsule", "cylinder"]))][0]
        position = (0.35 * number, 0.02 * number, 0.5 + 0.3 * float(rng.uniform()))
        return Body(
            name=f"b{number}",
            pose=Pose(position, quaternion_from_rotation_vector(tuple(rng.normal(size=3)))),
            inertial=Inertial(mass=mass, moment=((0.01 * mass, 0.0, 0.0), (0.0, 0.012 * mass, 0.0), (0.0, 0.0, 0.009 * mass))),
            collisions=(Collision(geometry=shape, material=material),),
        )

    def joint(number: int) -> Joint:
        axis = rng.normal(size=3)
        axis /= np.linalg.norm(axis)
        kind = (Revolute(axis=tuple(axis)), Prismatic(axis=tuple(axis)), Spherical())[rng.integers(0, 3)]
        pose = Pose(tuple(0.2 * rng.normal(size=3)))
        parent = f"b{rng.integers(0, number)}"
        return Joint(name=f"j{number}", type=kind, parent=parent, child=f"b{number}", pose=pose)

    count = int(rng.integers(2, 6))
    bodies = NamedList([body(number) for number in range(count)])
    joints = NamedList([joint(number) for number in range(1, count) if rng.random() < 0.8])
    world = scene(material=material, as_dart=as_dart)
    return replace(world, models=NamedList([*world.models, Model(name="m", bodies=bodies, joints=joints)]))


@pytest.mark.parametrize("seed", range(6))
def test_the_solver_stops_at_forces_of_its_accelerations(seed: int) -> None:
    """With less exact line searches, the forces of one in some hundred steps are wrong, by up to their own size."""
    simulation = Simulation(_random_trees(seed, as_dart=bool(seed % 2)))
    solver, iterations = simulation.data.solver, simulation.data.solver_niter
    for _ in range(600):
        simulation.step()
        count = int(iterations[0])
        if count:
            assert solver.gradient[count - 1] < 1e-3
