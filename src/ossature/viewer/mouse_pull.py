"""Pulling a body with the mouse: a damped spring between a point of the body and the pointer."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ossature.kinematics import spanning_tree
from ossature.model import Model
from ossature.spatial import Pose, Vector3, quaternion_from

if TYPE_CHECKING:
    from ossature.simulation import Simulation

FREQUENCY = 1.5
"""Natural frequency of the model on the spring [Hz]: at rest, a free model is 0.11 m below the pointer."""
LARGEST_ACCELERATION = 100.0
"""Of the model by the force [m/s²], such as when a body that falls fast is pressed."""
INTERVAL = 0.004
"""Longest time for which the force is constant [s]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MousePull:
    """A spring from a point of a body to the pointer.

    Attributes:
        point: The point in the frame of the body [m].
        target: The pointer in the world [m].
    """

    model: str
    body: str
    point: Vector3
    target: Vector3


def point_in_body(point: Vector3, pose: Pose) -> Vector3:
    """Return a point of the world in the frame of a body at a pose [m]."""
    return pose.inverse().transform(point)


def apply_pull(simulation: Simulation, pull: MousePull) -> None:
    """Set the force of a pull on its body until the next call or :func:`release_pull`.

    The stiffness is that at which the mass of the moving bodies of the model oscillates at :data:`FREQUENCY`; the damping is
    critical for the mass of the body alone. The force is at most :data:`LARGEST_ACCELERATION` times the mass that moves.
    """
    number = _number_of(simulation, pull)
    state = simulation.body_states()[pull.model][pull.body]
    model = simulation.world.models[pull.model]
    own, moving = (
        _finite_mass(model, pull.body),
        sum(_finite_mass(model, name) for name in spanning_tree(model).moving_bodies()),
    )
    stiffness = moving * math.tau**2 * FREQUENCY**2
    damping = 2.0 * math.sqrt(stiffness * own)
    rotation = Pose(wxyz=quaternion_from(state.wxyz)).matrix()[:3, :3]
    arm = rotation @ np.array(pull.point)
    point = np.array(state.position) + arm
    velocity = np.array(state.linear_velocity) + np.cross(rotation @ np.array(state.angular_velocity_body), arm)
    force = stiffness * (np.array(pull.target) - point) - damping * velocity
    force *= min(1.0, LARGEST_ACCELERATION * moving / max(float(np.linalg.norm(force)), math.ulp(0.0)))
    data = simulation.data
    data.xfrc_applied[number, :3] = force
    data.xfrc_applied[number, 3:] = np.cross(point - data.xipos[number], force)


def release_pull(simulation: Simulation, pull: MousePull) -> None:
    """Remove the force of a pull."""
    simulation.data.xfrc_applied[_number_of(simulation, pull)] = 0.0


def _number_of(simulation: Simulation, pull: MousePull) -> int:
    return int(simulation.compiled.index.bodies[pull.model][pull.body].number)


def _finite_mass(model: Model, body: str) -> float:
    mass = model.bodies[body].inertial.mass
    return mass if math.isfinite(mass) else 0.0
