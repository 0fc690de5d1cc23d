"""Placing a mechanism by the states of its links or, where there are none, of its joints.

Links come first: motors and bushings carry bodies, and no joint state speaks of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import mujoco
import numpy as np

from ossature.kinematics.state_kinematics import FrameMotion
from ossature.simulation.stepping.applied_forces import Inputs
from ossature.simulation.stepping.constraint_projection import equality_rows, required_rates

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Vector = NDArray[np.float64]

_MOST_ITERATIONS = 30
_PLACED = 1e-13
_NEGLIGIBLE = 1e-9
_WEIGHT = 1e-5
"""Of constraints beside what is stated: they place what no state speaks of, and leave loops open by what they were."""


class BodyPlacement(NamedTuple):
    """A body and where it is to be."""

    number: int
    motion: FrameMotion


def set_state_from_links(model: Any, data: Any, inputs: Inputs, links: Sequence[BodyPlacement]) -> None:
    """Set the engine's positions and velocities so that bodies have given motions.

    Args:
        model: The engine's model.
        data: The engine's data, with a first guess, and its time set.
        inputs: What is written at each step; it tells where motors are.
        links: The bodies, each with its number in the engine and its motion in the world; at least one.
    """

    def errors() -> Vector:
        return np.concatenate([_error(data, link) for link in links])

    def jacobian() -> Vector:
        return np.concatenate([_jacobian(model, data, link.number) for link in links])

    _set_motor_positions(model, data, inputs, ())
    twists = np.concatenate([[*link.motion.linear, *link.motion.angular] for link in links])
    _place(model, data, inputs, _Stated(errors, jacobian, twists))


def set_state_from_joints(model: Any, data: Any, inputs: Inputs, dofs: Sequence[int]) -> None:
    """Set the engine's positions and velocities where joints do not state them, so that loops are closed.

    Args:
        model: The engine's model.
        data: The engine's data, with what joints state, and its time set.
        inputs: What is written at each step; it tells where motors are.
        dofs: The degrees of freedom that joints state; at least one.
    """
    _set_motor_positions(model, data, inputs, dofs)
    stay, selection = np.zeros(len(dofs)), np.eye(model.nv)[list(dofs)]
    _place(model, data, inputs, _Stated(lambda: stay, lambda: selection, data.qvel[list(dofs)]))


class _Stated(NamedTuple):
    """What is stated of a mechanism.

    Attributes:
        errors: Returns the ways and turns from where it is to where it is to be.
        jacobian: Returns their derivatives.
        rates: Their rates.
    """

    errors: Callable[[], Vector]
    jacobian: Callable[[], Vector]
    rates: Vector


def _place(model: Any, data: Any, inputs: Inputs, stated: _Stated) -> None:
    """Set the engine's positions and velocities; loops and motors tell those of which nothing is stated."""
    for _ in range(_MOST_ITERATIONS):
        inputs.couplings.linearize()
        mujoco.mj_fwdPosition(model, data)
        violation, rows = equality_rows(model, data)
        J = np.concatenate([stated.jacobian(), _WEIGHT * rows])
        change, *_ = np.linalg.lstsq(J, np.concatenate([stated.errors(), -_WEIGHT * violation]), rcond=_NEGLIGIBLE)
        mujoco.mj_integratePos(model, data.qpos, change, 1.0)
        if np.abs(change).max() < _PLACED:
            break
    mujoco.mj_fwdPosition(model, data)
    _, rows = equality_rows(model, data)
    rates = required_rates(model, rows, inputs.motors, float(data.time))
    J = np.concatenate([stated.jacobian(), _WEIGHT * rows])
    data.qvel[:], *_ = np.linalg.lstsq(J, np.concatenate([stated.rates, _WEIGHT * rates]), rcond=_NEGLIGIBLE)


def _set_motor_positions(model: Any, data: Any, inputs: Inputs, stated: Sequence[int]) -> None:
    """Turn driven joints to where their motors are now: places of bodies do not tell how many turns they have made.

    Degrees of freedom whose places are stated stay there.
    """
    targets = inputs.targets(np.array([float(data.time)]))
    if targets is None:
        return
    inputs.set_targets(targets[0])
    for motor, target in zip(inputs.targeted_motors, targets[0].tolist(), strict=True):
        if motor.built.joint is not None and model.jnt_dofadr[motor.built.joint.id] not in stated:
            data.qpos[model.jnt_qposadr[motor.built.joint.id]] = target


def _error(data: Any, link: BodyPlacement) -> Vector:
    """Return the way and the turn from where a body is to where it is to be, in axes of the world."""
    turn, way = np.zeros(3), np.asarray(link.motion.pose.position) - data.xpos[link.number]
    mujoco.mju_subQuat(turn, np.array(link.motion.pose.wxyz), data.xquat[link.number])
    return np.concatenate([way, data.xmat[link.number].reshape(3, 3) @ turn])


def _jacobian(model: Any, data: Any, number: int) -> Vector:
    moving, turning = np.zeros((3, model.nv)), np.zeros((3, model.nv))
    mujoco.mj_jacBody(model, data, moving, turning, number)
    return np.concatenate([moving, turning])
