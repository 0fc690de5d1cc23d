"""Placing a mechanism by the states of its links: motors and bushings carry bodies, and no joint state speaks of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import mujoco
import numpy as np

from ossature.kinematics.frames import Motion
from ossature.simulation.moving.inputs import Inputs
from ossature.simulation.states.projection import equality_rows, rates_of_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Vector = NDArray[np.float64]

_MOST_ITERATIONS = 30
_PLACED = 1e-13
_NEGLIGIBLE = 1e-9
_WEIGHT = 1e-5
"""Of constraints beside links: they place what no link state speaks of, and leave loops open by what they were."""


class Placed(NamedTuple):
    """A body and where it is to be."""

    number: int
    motion: Motion


def place_by_links(model: Any, data: Any, inputs: Inputs, links: Sequence[Placed]) -> None:
    """Set the engine's positions and velocities so that bodies have given motions.

    Args:
        model: The engine's model.
        data: The engine's data, with a first guess, and its time set.
        inputs: What is written at each step; it tells where motors are.
        links: The bodies, each with its number in the engine and its motion in the world.
    """
    if not links or not model.nv:
        return
    _turn_motors(model, data, inputs)
    for _ in range(_MOST_ITERATIONS):
        inputs.following.hold()
        mujoco.mj_fwdPosition(model, data)
        violation, rows = equality_rows(model, data)
        errors = np.concatenate([_error(data, link) for link in links])
        J = np.concatenate([*(_jacobian(model, data, link.number) for link in links), _WEIGHT * rows])
        change, *_ = np.linalg.lstsq(J, np.concatenate([errors, -_WEIGHT * violation]), rcond=_NEGLIGIBLE)
        mujoco.mj_integratePos(model, data.qpos, change, 1.0)
        if np.abs(change).max() < _PLACED:
            break
    _move_by_links(model, data, inputs, links)


def _move_by_links(model: Any, data: Any, inputs: Inputs, links: Sequence[Placed]) -> None:
    """Set the engine's velocities; loops and motors tell those of what no link state speaks of."""
    mujoco.mj_fwdPosition(model, data)
    _, rows = equality_rows(model, data)
    rates = rates_of_rows(model, rows, inputs.motors, float(data.time))
    twists = [[*link.motion.linear, *link.motion.angular] for link in links]
    J = np.concatenate([*(_jacobian(model, data, link.number) for link in links), _WEIGHT * rows])
    data.qvel[:], *_ = np.linalg.lstsq(J, np.concatenate([*twists, _WEIGHT * rates]), rcond=_NEGLIGIBLE)


def _turn_motors(model: Any, data: Any, inputs: Inputs) -> None:
    """Turn driven joints to where their motors are now: places of bodies do not tell how many turns they have made."""
    targets = inputs.targets(np.array([float(data.time)]))
    if targets is None:
        return
    inputs.set_targets(targets[0])
    for motor, target in zip(inputs.followed, targets[0].tolist(), strict=True):
        if motor.built.joint is not None:
            data.qpos[model.jnt_qposadr[motor.built.joint.id]] = target


def _error(data: Any, link: Placed) -> Vector:
    """Return the way and the turn from where a body is to where it is to be, in axes of the world."""
    turn, way = np.zeros(3), np.asarray(link.motion.pose.position) - data.xpos[link.number]
    mujoco.mju_subQuat(turn, np.array(link.motion.pose.wxyz), data.xquat[link.number])
    return np.concatenate([way, data.xmat[link.number].reshape(3, 3) @ turn])


def _jacobian(model: Any, data: Any, number: int) -> Vector:
    moving, turning = np.zeros((3, model.nv)), np.zeros((3, model.nv))
    mujoco.mj_jacBody(model, data, moving, turning, number)
    return np.concatenate([moving, turning])
