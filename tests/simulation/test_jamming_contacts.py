"""Links on hinges whose ends strike the ground near the angle at which friction jams them."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from contact_scenes import scene
from ossature.model import Body, Box, Collision, Inertial, Joint, Material, Model, NamedList, Revolute, World
from ossature.simulation import Simulation
from ossature.spatial import Pose, quaternion_from_rotation_vector

LENGTH, THICKNESS, MASS = 0.2, 0.02, 0.5


def hinged_link(inclination: float, drop: float, friction: float, step: float) -> tuple[World, float]:
    """Return a link that falls about a fixed hinge, and the angle by which it turns until its lower edge touches the ground.

    Args:
        inclination: The initial inclination below the horizontal [rad].
        drop: The initial height of the edge [m].
        friction: The friction coefficient.
        step: The time step [s].
    """
    height = LENGTH * math.sin(inclination) + 0.5 * THICKNESS * math.cos(inclination) + drop
    middle = (0.5 * LENGTH * math.cos(inclination), 0.0, height - 0.5 * LENGTH * math.sin(inclination))
    material = Material(friction=friction)
    moment = MASS * LENGTH**2 / 12.0
    link = Body(
        name="link",
        pose=Pose(middle, quaternion_from_rotation_vector((0.0, inclination, 0.0))),
        inertial=Inertial(mass=MASS, moment=((1e-3, 0.0, 0.0), (0.0, moment, 0.0), (0.0, 0.0, moment))),
        collisions=(Collision(geometry=Box(size=(LENGTH, 0.08, THICKNESS)), material=material),),
    )
    hinge = Joint(
        name="hinge", type=Revolute(axis=(0.0, 1.0, 0.0)), parent=None, child="link", pose=Pose((-0.5 * LENGTH, 0.0, 0.0))
    )
    world = scene(step=step, material=material)
    model = Model(name="leg", bodies=NamedList([link]), joints=NamedList([hinge]))
    diagonal = math.hypot(LENGTH, 0.5 * THICKNESS)
    touching = math.asin(height / diagonal) - math.atan2(0.5 * THICKNESS, LENGTH) - inclination
    return replace(world, models=NamedList([*world.models, model])), touching


@pytest.mark.one_in(2)
@pytest.mark.parametrize("step", [1e-3, 5e-3])
@pytest.mark.parametrize("friction", [0.5, 1.0, 1.5])
def test_a_link_on_a_hinge_that_strikes_the_ground_stays_there(friction: float, step: float) -> None:
    """Pushed out of the ground, it would jam where the contact is as far ahead of the hinge as friction times its height."""
    jamming = math.atan(1.0 / friction)
    for inclination in np.linspace(jamming - 0.3, jamming + 0.1, 11).tolist():
        for drop in (0.001, 0.004):
            world, touching = hinged_link(inclination, drop, friction, step)
            simulation = Simulation(world)
            angles = []
            for _ in range(round(0.4 / step)):
                simulation.step()
                angles.append(float(simulation.data.qpos[0]))
            path = np.array(angles)
            at_ground = path[int(np.argmax(path > touching - 1e-4)) :]
            assert at_ground.min() > touching - 1e-3
            assert at_ground.max() < touching + 2e-5
            assert at_ground[-40:].min() > touching - 5e-5
