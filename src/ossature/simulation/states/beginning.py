"""The state in which a simulation begins: all bodies where joints and constraints let them be, moving as they allow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np

from ossature.diagnostics import Report
from ossature.model import World
from ossature.simulation import rules
from ossature.simulation.compiling.compiled import Compiled
from ossature.simulation.compiling.index import BodyIndex
from ossature.simulation.moving.following import Following
from ossature.simulation.moving.inputs import Inputs
from ossature.simulation.moving.projection import equality_rows, rates_of_rows, weighted_inverse
from ossature.simulation.moving.told import MotorInput

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Vector = NDArray[np.float64]

_CLOSED = 1e-13
_MOST_ITERATIONS = 30
_NOTABLE_GAP = 1e-6


def begin_mechanism(compiled: Compiled, data: Any, inputs: Inputs, world: World, report: Report) -> None:
    """Put the engine's data into the state in which a mechanism begins; what had to be changed for it is a finding."""
    model, start = compiled.model, np.zeros(1)
    targets, controls = inputs.targets(start), inputs.controls(start)
    if targets is not None:
        inputs.set_targets(targets[0])
    if controls is not None:
        inputs.set_controls(controls[0])
    gap = close_loops(model, data, inputs.following)
    if gap > _NOTABLE_GAP:
        message = f"loops and motors were open by up to {gap:.3g} m or rad; the bodies were moved together"
        report.add(rules.LOOPS_CLOSED, message, world.origin)
    stating = [index for group in compiled.index.bodies.values() for index in group.values() if _states_velocity(index)]
    axes = [index.model.pose.matrix()[:3, :3] for index in stating]
    contradiction = start_moving(model, data, stating, axes, inputs.motors)
    if contradiction > _NOTABLE_GAP:
        message = f"motors and constraints ask for velocities that differ by {contradiction:.3g} m/s or rad/s"
        report.add(rules.CONTRADICTION, message, world.origin, hint="look for a motor that drives what is held")


def _states_velocity(index: BodyIndex) -> bool:
    body = index.body
    return any(body.initial_velocity) or any(body.initial_angular_velocity_body)


def close_loops(model: Any, data: Any, following: Following) -> float:
    """Move all bodies so that the equality constraints hold, by as little as possible; return the violation before [m, rad]."""
    before = 0.0
    for iteration in range(_MOST_ITERATIONS):
        following.hold()
        mujoco.mj_fwdPosition(model, data)
        violation, J = equality_rows(model, data)
        if not violation.size:
            return 0.0
        largest = float(np.abs(violation).max())
        before = largest if iteration == 0 else before
        if largest < _CLOSED:
            break
        change = -weighted_inverse(model, data, J) @ violation
        mujoco.mj_integratePos(model, data.qpos, change, 1.0)
    return before


def start_moving(
    model: Any, data: Any, bodies: Sequence[BodyIndex], world_axes: Sequence[Vector], motors: Sequence[MotorInput]
) -> float:
    """Give the joints the velocities that bodies state, as far as constraints allow, and motors their rates.

    The momentum that the bodies would have alone is given to the mechanism: what the constraints do not allow is lost in
    an impact without rebound.

    Args:
        model: The engine's model.
        data: The engine's data, with places set; its velocities are added to.
        bodies: The bodies that state a velocity.
        world_axes: For each of them the rotation matrix of its model in the world.
        motors: The motors.

    Returns:
        By how much constraints and motors contradict each other [m/s, rad/s].
    """
    mujoco.mj_fwdPosition(model, data)
    mass = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, mass)
    momentum = np.zeros(model.nv)
    for index, axes in zip(bodies, world_axes, strict=True):
        momentum += _momentum(model, data, index, axes)
    if momentum.any():
        data.qvel[:] += np.linalg.solve(mass, momentum)
    _, J = equality_rows(model, data)
    if not J.size:
        return 0.0
    wanted = rates_of_rows(model, J, motors, 0.0)
    data.qvel[:] += weighted_inverse(model, data, J) @ (wanted - J @ data.qvel)
    return float(np.abs(J @ data.qvel - wanted).max())


def _momentum(model: Any, data: Any, index: BodyIndex, axes: Vector) -> Vector:
    """Return the generalised momentum of a body that moves as it states, with the whole of its mass."""
    body, number = index.body, index.number
    if not model.body_mass[number]:
        return np.zeros(model.nv)  # it never moves, and has no mass in the engine
    translation, rotation = np.zeros((3, model.nv)), np.zeros((3, model.nv))
    mujoco.mj_jacBodyCom(model, data, translation, rotation, number)
    share = body.inertial.mass / model.body_mass[number]
    inertia_axes = data.ximat[number].reshape(3, 3)
    moment = inertia_axes @ np.diag(model.body_inertia[number] * share) @ inertia_axes.T
    linear = axes @ np.asarray(body.initial_velocity)
    spin = data.xmat[number].reshape(3, 3) @ np.asarray(body.initial_angular_velocity_body)
    return np.asarray(translation.T @ (body.inertial.mass * linear) + rotation.T @ (moment @ spin))
