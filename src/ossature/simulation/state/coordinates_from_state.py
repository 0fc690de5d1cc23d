"""Assembly of a mechanism from the states of its links or, if there are none, of its joints.

Links have priority: bodies may be attached by motors and bushings, which have no joint state.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import mujoco
import numpy as np

from ossature.array_types import Vector
from ossature.kinematics.state_frame_motions import FrameMotion
from ossature.simulation.stepping.constraint_projection import equality_rows, required_rates
from ossature.simulation.stepping.engine_inputs import Inputs

_MOST_ITERATIONS = 30
_CONVERGED = 1e-13
_NEGLIGIBLE = 1e-9
_WEIGHT = 1e-5
"""Weight of constraints relative to the state: they determine unspecified bodies, and preserve residuals of the state."""


class BodyPlacement(NamedTuple):
    """The target motion of a body, by engine id."""

    number: int
    motion: FrameMotion


def set_state_from_links(model: mujoco.MjModel, data: mujoco.MjData, inputs: Inputs, links: Sequence[BodyPlacement]) -> None:
    """Set the engine's positions and velocities so that bodies have given poses and velocities.

    Args:
        data: The engine's data, with the time and an initial guess of the positions.
        inputs: The inputs of each step, with the targets of motors.
        links: The bodies, each with its engine id and its motion in the world; at least one.
    """

    def errors() -> Vector:
        return np.concatenate([_pose_error(data, link) for link in links])

    def jacobian() -> Vector:
        return np.concatenate([_body_jacobian(model, data, link.number) for link in links])

    _set_motor_positions(model, data, inputs, ())
    twists = np.concatenate([[*link.motion.linear, *link.motion.angular] for link in links])
    _solve_state(model, data, inputs, _SpecifiedState(errors, jacobian, twists))


def set_state_from_joints(model: mujoco.MjModel, data: mujoco.MjData, inputs: Inputs, dofs: Sequence[int]) -> None:
    """Set the unspecified positions and velocities of the engine so that loops are closed.

    Args:
        data: The engine's data, with the time and the specified positions and velocities.
        inputs: The inputs of each step, with the targets of motors.
        dofs: The specified degrees of freedom; at least one.
    """
    _set_motor_positions(model, data, inputs, dofs)
    errors_zero, selection = np.zeros(len(dofs)), np.eye(model.nv)[list(dofs)]
    _solve_state(model, data, inputs, _SpecifiedState(lambda: errors_zero, lambda: selection, data.qvel[list(dofs)]))


class _SpecifiedState(NamedTuple):
    """The specified part of the state of a mechanism.

    Attributes:
        errors: Returns the differences of the target poses or positions from the current ones.
    """

    errors: Callable[[], Vector]
    jacobian: Callable[[], Vector]
    rates: Vector


def _solve_state(model: mujoco.MjModel, data: mujoco.MjData, inputs: Inputs, specified: _SpecifiedState) -> None:
    """Set the engine's positions and velocities; loops and motors determine the unspecified ones."""
    for _ in range(_MOST_ITERATIONS):
        inputs.couplings.linearize()
        mujoco.mj_fwdPosition(model, data)
        violation, rows = equality_rows(model, data)
        J = np.concatenate([specified.jacobian(), _WEIGHT * rows])
        change, *_ = np.linalg.lstsq(J, np.concatenate([specified.errors(), -_WEIGHT * violation]), rcond=_NEGLIGIBLE)
        mujoco.mj_integratePos(model, data.qpos, change, 1.0)
        if np.abs(change).max() < _CONVERGED:
            break
    mujoco.mj_fwdPosition(model, data)
    _, rows = equality_rows(model, data)
    rates = required_rates(data, inputs.motors, float(data.time))
    J = np.concatenate([specified.jacobian(), _WEIGHT * rows])
    data.qvel[:], *_ = np.linalg.lstsq(J, np.concatenate([specified.rates, _WEIGHT * rates]), rcond=_NEGLIGIBLE)


def _set_motor_positions(model: mujoco.MjModel, data: mujoco.MjData, inputs: Inputs, specified: Sequence[int]) -> None:
    """Set driven joints to the current targets of their motors: poses of bodies do not determine full revolutions.

    Specified degrees of freedom are unchanged.
    """
    targets = inputs.targets(np.array([float(data.time)]))
    if targets is None:
        return
    inputs.set_targets(targets[0])
    for motor, target in zip(inputs.targeted_motors, targets[0].tolist(), strict=True):
        if motor.built.joint is not None and model.jnt_dofadr[motor.built.joint.id] not in specified:
            data.qpos[model.jnt_qposadr[motor.built.joint.id]] = target


def _pose_error(data: mujoco.MjData, link: BodyPlacement) -> Vector:
    """Return the translation and rotation vector from the current to the target pose of a body, in axes of the world."""
    rotation, translation = np.zeros(3), np.asarray(link.motion.pose.position) - data.xpos[link.number]
    mujoco.mju_subQuat(rotation, np.array(link.motion.pose.wxyz), data.xquat[link.number])
    return np.concatenate([translation, data.xmat[link.number].reshape(3, 3) @ rotation])


def _body_jacobian(model: mujoco.MjModel, data: mujoco.MjData, number: int) -> Vector:
    translation, rotation = np.zeros((3, model.nv)), np.zeros((3, model.nv))
    mujoco.mj_jacBody(model, data, translation, rotation, number)
    return np.concatenate([translation, rotation])
